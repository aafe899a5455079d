//! Other machines that play, for the operator.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::{Deserialize, Serialize};

use super::Body;
use crate::accounts::Identity;
use crate::app::App;
use crate::http::{ApiError, Caller, shape};
use crate::machines::{MachinesData, NoAnswer};

/// The most games that can be named at a time; to name none means all.
const MOST_JOBS: usize = 1000;
/// The longest name of a game.
const LONGEST_JOB: usize = 64;

/// How other machines do. Where there are none, that is said.
pub(crate) async fn machines_of(app: &App) -> Result<MachinesData, ApiError> {
    match app.machines.get() {
        None => Ok(MachinesData::default()),
        Some(machines) => machines.overview().await.map_err(refused),
    }
}

fn refused(why: NoAnswer) -> ApiError {
    match why {
        NoAnswer::Away(why) => ApiError::unavailable(why),
        NoAnswer::Wrong(why) => ApiError::field("jobs", why),
    }
}

pub(crate) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<MachinesData>, ApiError> {
    caller.expect_operator()?;
    Ok(Json(machines_of(&app).await?))
}

/// Which parked games are tried again.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    #[serde(default)]
    jobs: Vec<String>,
}

/// How many there were.
#[derive(Debug, Serialize)]
pub(crate) struct Retried {
    retried: u64,
}

shape!(Retried { retried: u64 });

/// Has parked games tried again, those that are named or all: how many there were.
pub(crate) async fn retry_parked(app: &App, operator: &Identity, jobs: Vec<String>) -> Result<u64, ApiError> {
    // Whoever plays all games itself parks none.
    let Some(machines) = app.machines.get() else { return Ok(0) };
    if jobs.len() > MOST_JOBS || jobs.iter().any(|job| job.len() > LONGEST_JOB) {
        let message =
            format!("expected at most {MOST_JOBS} games, each as the list of parked games names it");
        return Err(ApiError::field("jobs", message));
    }
    tracing::warn!(actor = operator.name, ?jobs, "parked games are tried again");
    machines.retry(jobs, operator.name.clone()).await.map_err(refused)
}

pub(crate) async fn retry(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(Which { jobs }): Body<Which>,
) -> Result<Json<Retried>, ApiError> {
    let retried = retry_parked(&app, caller.expect_operator()?, jobs).await?;
    Ok(Json(Retried { retried }))
}
