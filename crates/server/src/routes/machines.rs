//! The page of other machines.

use std::sync::Arc;

use axum::extract::{Extension, Form, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;

use super::pages::{look, shown};
use crate::api::{machines_of, retry_parked};
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::pages::{MachinesPage, machines};

type Said = Option<Result<String, ApiError>>;

async fn show(app: &App, caller: &Caller, headers: &HeaderMap, said: Said) -> Response {
    let found = machines_of(app).await;
    let data = MachinesPage {
        machines: found.as_ref().map_err(|error| error.message.as_str()),
        said: said.as_ref().map(|said| match said {
            Ok(said) => Ok(said.as_str()),
            Err(error) => Err(error.message.as_str()),
        }),
    };
    let mut response = shown("Machines", &look(caller, headers), &machines(&data));
    if let Some(Err(error)) = &said {
        *response.status_mut() = error.status;
    }
    response
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    caller.expect_operator()?;
    Ok(show(&app, &caller, &headers, None).await)
}

/// Which game is tried again; none means all.
#[derive(Debug, Deserialize)]
pub(crate) struct Retry {
    #[serde(default)]
    job: String,
}

pub(crate) async fn retry(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(form): Form<Retry>,
) -> Result<Response, ApiError> {
    let jobs = if form.job.is_empty() { vec![] } else { vec![form.job] };
    let retried = retry_parked(&app, caller.expect_operator()?, jobs).await;
    let said = retried.map(|n| match n {
        0 => "Nothing is parked.".to_owned(),
        1 => "The game is tried again, and its tournament goes on.".to_owned(),
        n => format!("{n} games are tried again, and their tournaments go on."),
    });
    Ok(show(&app, &caller, &headers, Some(said)).await)
}
