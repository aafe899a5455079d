//! The page of uploaded bots.

use std::sync::Arc;

use axum::extract::{Extension, Form, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use http_body_util::BodyExt as _;
use serde::Deserialize;

use super::pages::{look, shown};
use crate::api::{BundleQuery, bundles_of, push_for, retire_for};
use crate::app::App;
use crate::http::{ApiError, Caller, file_of};
use crate::pages::{BundlesPage, Look, bundles};

type Said = Option<Result<String, ApiError>>;

async fn show(app: &App, caller: &Caller, headers: &HeaderMap, said: Said) -> Result<Response, ApiError> {
    let list = bundles_of(app, caller, BundleQuery::default()).await?;
    let person = caller.expect_person().ok().map(|(identity, _)| identity);
    let data = BundlesPage {
        bundles: &list,
        name: person.map(|identity| identity.name.as_str()),
        is_operator: person.is_some_and(|identity| identity.is_operator),
        is_open: app.hub.bundles.get().is_some(),
        said: said.as_ref().map(|said| match said {
            Ok(said) => Ok(said.as_str()),
            Err(error) => Err(error.message.as_str()),
        }),
    };
    let look = Look { place: Some("Bots"), ..look(caller, headers) };
    let mut response = shown("Uploaded bots", &look, &bundles(&data));
    if let Some(Err(error)) = &said {
        *response.status_mut() = error.status;
    }
    Ok(response)
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    show(&app, &caller, &headers, None).await
}

pub(crate) async fn upload(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    // The guard has read it within its bounds already.
    let body = request.into_body().collect().await;
    let body = body.map_err(|_| ApiError::bad("the form cannot be read; send it again"))?.to_bytes();
    let pushed = match file_of(&headers, &body) {
        Ok(bytes) => push_for(&app, &caller, bytes.to_vec()).await,
        Err(error) => Err(error),
    };
    let said = pushed.map(|bundle| {
        let (name, version) = (bundle.name, bundle.version);
        format!("{name} {version} is here. It is tried now; load this page again to see what came of it.")
    });
    show(&app, &caller, &headers, Some(said)).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Retire {
    name: String,
}

pub(crate) async fn retire(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(form): Form<Retire>,
) -> Result<Response, ApiError> {
    let name = form.name.clone();
    let said = retire_for(&app, &caller, form.name).await;
    let said = said.map(|_| format!("{name} is retired: it is seated no more, and what was begun goes on."));
    show(&app, &caller, &headers, Some(said)).await
}
