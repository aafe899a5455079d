//! Tournaments: made, listed, looked at, paused and gone on with.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use rookery_store::{Page, StoredPairing, StoredTournament, TournamentFilter, TournamentId, TournamentState};
use rookery_tournament::{SpecError, TournamentSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Body, expect_few};
use crate::accounts::blocking;
use crate::app::App;
use crate::http::{ApiError, Caller, Shape, Shapes, any_of, shape};
use crate::hub::random_seed;
use crate::tournaments::{Opening, SignUp, Tournaments};

/// Does something that blocks and fails as a request does.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| ApiError::ours(&error))?
}

pub(crate) fn read_id(id: &str) -> Result<TournamentId, ApiError> {
    id.parse().map_err(|_| ApiError::not_found("tournament"))
}

/// A tournament spec, in which a connected bot may be written `@name`.
fn read_spec(mut spec: Value) -> Result<TournamentSpec, ApiError> {
    // Nothing is known yet of its shape, so nothing is indexed: that panics where there is no object.
    for entrant in spec.get_mut("entrants").and_then(Value::as_array_mut).into_iter().flatten() {
        let player = if entrant.is_string() { Some(entrant) } else { entrant.get_mut("player") };
        let Some(player) = player else { continue };
        if let Some(name) = player.as_str().and_then(|player| player.strip_prefix('@')) {
            *player = format!("remote:{name}").into();
        }
    }
    serde_json::from_value(spec)
        .map_err(|error| ApiError::bad(format!("this is no tournament: {}", SpecError::reading(error))))
}

/// How much a tournament would be.
#[derive(Debug, Serialize)]
pub(crate) struct PlanData {
    /// How many, if it does not go on until it is stopped.
    games: Option<u64>,
    /// Whether there are so many, or at most.
    exact: bool,
    rounds: Option<u32>,
    /// Why the first pairings would be made.
    first: Vec<String>,
}

shape!(PlanData { games: Option<u64>, exact: bool, rounds: Option<u32>, first: Vec<String> });

pub(crate) async fn plan(Body(spec): Body<Value>) -> Result<Json<PlanData>, ApiError> {
    let plan = Tournaments::plan(&read_spec(spec)?)?;
    let first: Vec<String> = plan.first.iter().map(|pairing| pairing.reason.to_string()).collect();
    Ok(Json(PlanData { games: plan.games, exact: plan.exact, rounds: plan.rounds, first }))
}

/// A tournament that was made.
#[derive(Debug, Serialize)]
pub(crate) struct MadeTournament {
    id: String,
    url: String,
}

shape!(MadeTournament { id: String, url: String });

pub(crate) async fn make(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(spec): Body<Value>,
) -> Result<Response, ApiError> {
    let mut spec = spec;
    let sign_up =
        spec.as_object_mut().and_then(|spec| spec.remove("sign_up")).filter(|value| !value.is_null());
    let sign_up: Option<SignUp> = match sign_up {
        Some(sign_up) => Some(serde_json::from_value(sign_up).map_err(|error| {
            ApiError::field("sign_up", format!("it is not what is expected here: {error}"))
        })?),
        None => None,
    };
    if let Some(spec) = spec.as_object_mut() {
        // Whoever knew it would know what the computers will play.
        spec.entry("seed").or_insert_with(|| random_seed().0.to_string().into());
    }
    let (spec, who) = (read_spec(spec)?, caller.expect()?.clone());
    expect_few(&app, &caller)?;
    let id = apart(move || match sign_up {
        Some(sign_up) => app.tournaments.announce(spec, sign_up, &who),
        None => app.tournaments.begin(spec, &who),
    })
    .await?;
    let told = MadeTournament { id: id.to_string(), url: format!("/t/{id}") };
    Ok((StatusCode::CREATED, Json(told)).into_response())
}

/// What a list shows of a tournament.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TournamentData {
    /// Its id.
    pub id: String,
    /// Its number, to ask for those before it.
    pub seq: u64,
    /// What it is called.
    pub name: String,
    /// The game specs.
    pub games: Vec<String>,
    /// How many take part.
    pub entrants: usize,
    /// `open`, `running`, `paused`, `finished` or the like.
    pub state: &'static str,
    /// Whether it is played here and now.
    pub held: bool,
    /// Whether people or bots can sign up.
    pub sign_up: bool,
    /// When it begins, in milliseconds since 1970, if that is known.
    pub starts_ms: Option<i64>,
    /// When it was made.
    pub created_ms: i64,
}

shape!(TournamentData {
    id: String,
    seq: u64,
    name: String,
    games: Vec<String>,
    entrants: usize,
    state: &'static str,
    held: bool,
    sign_up: bool,
    starts_ms: Option<i64>,
    created_ms: i64,
});

/// A list of tournaments.
#[derive(Debug, Serialize)]
pub(crate) struct TournamentList {
    tournaments: Vec<TournamentData>,
}

shape!(TournamentList { tournaments: Vec<TournamentData> });

fn data(app: &App, stored: &StoredTournament) -> Option<TournamentData> {
    let spec: TournamentSpec = serde_json::from_str(&stored.spec).ok()?;
    let sign_up = app.tournaments.sign_up_of(stored.id).filter(|_| stored.state == TournamentState::Open);
    Some(TournamentData {
        sign_up: sign_up.is_some(),
        starts_ms: sign_up.and_then(|sign_up| sign_up.starts_ms),
        id: stored.id.to_string(),
        seq: stored.seq,
        name: spec.name,
        games: spec.games,
        entrants: spec.entrants.len(),
        state: stored.state.word(),
        held: app.tournaments.is_held(stored.id),
        created_ms: stored.created_ms,
    })
}

#[derive(Debug, Deserialize)]
pub(crate) struct ListQuery {
    before: Option<u64>,
}

/// Tournaments, the latest first.
pub(crate) async fn list_of(app: &App, before: Option<u64>) -> Result<Vec<TournamentData>, ApiError> {
    let store = app.hub.store().clone();
    let page = Page { before, limit: 100 };
    let stored = blocking(move || store.tournaments(&TournamentFilter::default(), page)).await?;
    let shown = stored.iter().filter(|stored| stored.state != TournamentState::Cancelled);
    Ok(shown.filter_map(|stored| data(app, stored)).collect())
}

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(ListQuery { before }): Query<ListQuery>,
) -> Result<Json<TournamentList>, ApiError> {
    Ok(Json(TournamentList { tournaments: list_of(&app, before).await? }))
}

#[derive(Debug, Deserialize)]
pub(crate) struct FormQuery {
    form: Option<String>,
}

pub(crate) async fn look(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(FormQuery { form }): Query<FormQuery>,
) -> Result<Response, ApiError> {
    let id = read_id(&id)?;
    let (kind, name, text) = apart(move || {
        let all = &app.tournaments;
        if let Some(opening) = all.opening(id)? {
            return Ok(("application/json", None, crate::hub::json(&OpenData::from(opening))));
        }
        Ok(match form.as_deref().unwrap_or("json") {
            "json" => ("application/json", None, all.view(id)?.report.to_json()),
            "csv" => ("text/csv; charset=utf-8", Some("csv"), all.view(id)?.report.to_csv()),
            "markdown" => ("text/markdown; charset=utf-8", Some("md"), all.view(id)?.report.to_markdown()),
            // It brings its own colours and scripts, and is for reading elsewhere: never shown as a page of ours.
            "html" => {
                let view = all.view(id)?;
                let link = |pairing: u64| {
                    view.games.get(&pairing).map(|game| format!("{}/m/{}", app.page_url, game.id))
                };
                ("application/octet-stream", Some("html"), view.report.to_html(&link))
            }
            _ => return Err(ApiError::field("form", "expected json, csv, markdown or html")),
        })
    })
    .await?;
    let mut response = ([(CONTENT_TYPE, kind)], text).into_response();
    if let Some(ending) = name {
        let name = format!("attachment; filename=\"tournament-{id}.{ending}\"");
        if let Ok(name) = axum::http::HeaderValue::from_str(&name) {
            response.headers_mut().insert(CONTENT_DISPOSITION, name);
        }
    }
    Ok(response)
}

/// A tournament that has not begun: who takes part so far, and when it begins.
#[derive(Debug, Serialize)]
pub(crate) struct OpenData {
    tournament: String,
    name: String,
    state: &'static str,
    complete: bool,
    entrants: Vec<String>,
    sign_up: SignUp,
}

shape!(OpenData {
    tournament: String,
    name: String,
    state: &'static str,
    complete: bool,
    entrants: Vec<String>,
    sign_up: SignUp,
});
shape!(SignUp { people: bool, bots: bool, starts_ms: Option<i64>, late: bool, problem: Option<String> });

impl From<Opening> for OpenData {
    fn from(opening: Opening) -> Self {
        Self {
            tournament: opening.id.to_string(),
            name: opening.spec.name,
            state: "open",
            complete: false,
            entrants: opening.spec.entrants.into_iter().map(|entrant| entrant.name).collect(),
            sign_up: opening.sign_up,
        }
    }
}

/// What a report is, as it is described for everybody who reads one.
const REPORT: &str = include_str!("../../../../docs/results.schema.json");

/// A report, or who has signed up so far.
pub(crate) fn look_shape(all: &mut Shapes) -> Value {
    any_of(&[all.adopt("Results", REPORT), OpenData::shape(all)])
}

#[derive(Debug, Deserialize)]
pub(crate) struct AfterQuery {
    after: Option<u64>,
}

/// A pairing, and why it was made.
#[derive(Debug, Serialize)]
pub(crate) struct PairingData {
    id: u64,
    round: Option<u32>,
    entrants: Vec<usize>,
    reason: String,
    state: &'static str,
}

/// All pairings so far, and who takes part, by number.
#[derive(Debug, Serialize)]
pub(crate) struct PairingsData {
    entrants: Vec<String>,
    pairings: Vec<PairingData>,
}

shape!(PairingsData { entrants: Vec<String>, pairings: Vec<PairingData> });
shape!(PairingData {
    id: u64,
    round: Option<u32>,
    entrants: Vec<usize>,
    reason: String,
    state: &'static str,
});

pub(crate) async fn pairings(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(AfterQuery { after }): Query<AfterQuery>,
) -> Result<Json<PairingsData>, ApiError> {
    let id = read_id(&id)?;
    let store = app.hub.store().clone();
    let (pairings, entrants) =
        blocking(move || Ok((store.pairings(id, after)?, store.tournament_entrants(id)?))).await?;
    let pairing = |pairing: StoredPairing| PairingData {
        id: pairing.id,
        round: pairing.round,
        entrants: pairing.entrants.iter().map(|entrant| entrant.index()).collect(),
        reason: pairing.reason,
        state: pairing.state.word(),
    };
    let entrants = entrants.into_iter().map(|entrant| entrant.name).collect();
    let pairings = pairings.into_iter().take(1000).map(pairing).collect();
    Ok(Json(PairingsData { entrants, pairings }))
}

pub(crate) async fn pause(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let (id, who) = (read_id(&id)?, caller.expect()?.clone());
    apart(move || app.tournaments.pause(id, &who)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn go_on(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let (id, who) = (read_id(&id)?, caller.expect()?.clone());
    apart(move || app.tournaments.go_on(id, &who)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Who is to take part.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entering {
    entrant: String,
}

pub(crate) async fn enter(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Body(Entering { entrant }): Body<Entering>,
) -> Result<StatusCode, ApiError> {
    let (id, who) = (read_id(&id)?, caller.expect()?.clone());
    apart(move || app.tournaments.enter(id, &entrant, &who)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let (id, who) = (read_id(&id)?, caller.expect()?.clone());
    apart(move || app.tournaments.begin_announced(id, &who)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Who is to leave.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Leaving {
    entrant: String,
}

pub(crate) async fn withdraw(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Body(Leaving { entrant }): Body<Leaving>,
) -> Result<StatusCode, ApiError> {
    let (id, who) = (read_id(&id)?, caller.expect()?.clone());
    apart(move || app.tournaments.withdraw(id, &entrant, &who)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let (id, who) = (read_id(&id)?, caller.expect()?.clone());
    apart(move || app.tournaments.remove(id, &who)).await?;
    Ok(StatusCode::NO_CONTENT)
}
