//! Rules and pages of the documentation.

use axum::extract::{Extension, Path};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use rookery_catalog::{CATALOG, game};

use super::pages::{LEVELS, look, shown};
use crate::http::{ApiError, Caller};
use crate::pages as shell;

pub(crate) async fn first() -> Response {
    Redirect::to(&format!("/rules/{}", CATALOG[0].name())).into_response()
}

pub(crate) async fn rules(
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let known = game(&name).map_err(|_| ApiError::not_found("game"))?;
    let body = shell::rules(known, &shell::play_form(known.name(), &LEVELS));
    Ok(shown("Rules", &look(&caller, &headers), &body))
}

pub(crate) async fn docs(
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (_, text) = shell::doc(&name).ok_or_else(|| ApiError::not_found("page"))?;
    Ok(shown("Bots", &look(&caller, &headers), &shell::docs(&name, text)))
}
