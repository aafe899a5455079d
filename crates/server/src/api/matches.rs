//! Matches: made, looked at, joined, played again.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::{Extension, Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rookery_live::{Snapshot, read_story, write_record};
use rookery_picture::{LastMove, Options, svg};
use rookery_rules::{Scene, Seat};
use rookery_store::{GameId, TournamentId};
use serde::{Deserialize, Serialize};

use super::{Body, expect_few, guest_of};
use crate::app::App;
use crate::data::{MatchState, SceneData, Sight, Trail, positions};
use crate::http::{ApiError, Caller, shape};
use crate::hub::{Found, NewMatch, StoredMatch, Table, bundle_owners, owns_program, without_stderr};

/// The most scenes of one answer, and the most cells of them all together.
const MOST_SCENES: usize = 200;
const MOST_CELLS: usize = 20_000;
/// The longest record that is read here, in lines: one a move of the longest match there may be, and some for what else happens.
/// All positions of it are kept.
const MOST_LINES: usize = 12_000;

/// A match that was made.
#[derive(Debug, Serialize)]
pub(crate) struct MadeData {
    id: String,
    url: String,
    seats: Vec<JoinData>,
}

/// How others get a seat.
#[derive(Debug, Serialize)]
pub(crate) struct JoinData {
    seat: usize,
    join: Option<String>,
}

shape!(MadeData { id: String, url: String, seats: Vec<JoinData> });
shape!(JoinData { seat: usize, join: Option<String> });

pub(crate) async fn make(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(new): Body<NewMatch>,
) -> Result<Response, ApiError> {
    let (who, cookie) = guest_of(&app, &caller).await?;
    let wanted = new.read(&who.name)?;
    let made = app.hub.make(wanted, &who).await?;
    let id = made.table.id().to_string();
    let join = |code: String| format!("{}/join/{code}", app.page_url);
    let seats = made.codes.into_iter().enumerate();
    let seats = seats.map(|(seat, code)| JoinData { seat, join: code.map(join) }).collect();
    let url = format!("/m/{id}");
    let location = HeaderValue::from_str(&url).map_err(|error| ApiError::ours(&error))?;
    let mut response = (StatusCode::CREATED, Json(MadeData { id, url, seats })).into_response();
    response.headers_mut().insert(LOCATION, location);
    Ok(with_cookie(response, cookie))
}

/// Adds the cookie of a new session.
pub(crate) fn with_cookie(mut response: Response, cookie: Option<String>) -> Response {
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

pub(crate) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<MatchState>, ApiError> {
    let found = app.hub.find(&id).await?;
    Ok(Json(found.look(caller.identity.as_ref())))
}

/// A part of a match.
#[derive(Debug, Deserialize)]
pub(crate) struct Part {
    #[serde(default)]
    from: usize,
    to: Option<usize>,
    /// 1: with the legal moves, of a match that is over.
    #[serde(default)]
    moves: u8,
}

#[derive(Debug, Serialize)]
pub(crate) struct ScenesData {
    scenes: Vec<PlyScene>,
}

#[derive(Debug, Serialize)]
struct PlyScene {
    ply: usize,
    scene: SceneData,
}

shape!(ScenesData { scenes: Vec<PlyScene> });
shape!(PlyScene { ply: usize, scene: SceneData });

pub(crate) async fn scenes(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(Part { from, to, moves }): Query<Part>,
) -> Result<Json<ScenesData>, ApiError> {
    let found = app.hub.find(&id).await?;
    let permit = app.drawing.soon().await?;
    let making = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let snapshot = found.snapshot();
        let has_moves = moves == 1 && snapshot.verdict.is_some();
        let n = to.map_or(MOST_SCENES, |to| to.saturating_add(1).saturating_sub(from));
        let part = found.scenes(from..from.saturating_add(n.min(most_scenes(&snapshot))));
        let scene = |(idx, scene): (usize, &Scene)| {
            let scene = SceneData::from(scene);
            PlyScene { ply: from + idx, scene: if has_moves { scene } else { scene.still() } }
        };
        part.iter().enumerate().map(scene).collect()
    });
    Ok(Json(ScenesData { scenes: making.await.map_err(|error| ApiError::ours(&error))? }))
}

/// How many scenes of a match are told at a time.
fn most_scenes(snapshot: &Snapshot) -> usize {
    let n_cells = snapshot.start.scene().cells.len();
    MOST_SCENES.min(MOST_CELLS / n_cells.max(1))
}

/// Which seat somebody wants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Join {
    code: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Joined {
    id: String,
    url: String,
    seat: usize,
}

shape!(Joined { id: String, url: String, seat: usize });

pub(crate) async fn join(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Body(Join { code }): Body<Join>,
) -> Result<Response, ApiError> {
    if app.hub.invited(&code).is_some_and(|table| table.id().as_str() != id) {
        return Err(ApiError::not_found("seat"));
    }
    let (who, cookie) = guest_of(&app, &caller).await?;
    let (table, seat) = app.hub.join(&code, &who).await?;
    Ok(with_cookie(Json(joined(&table.id().to_string(), seat)).into_response(), cookie))
}

fn joined(id: &str, seat: Seat) -> Joined {
    Joined { id: id.to_owned(), url: format!("/m/{id}"), seat: seat.index() }
}

pub(crate) async fn rematch(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let who = caller.expect()?;
    expect_few(&app, &caller)?;
    let Found::Table(table) = app.hub.find(&id).await? else {
        return Err(ApiError::conflict("a rematch is possible for ten minutes; start a new game"));
    };
    let again = app.hub.rematch(&table, who).await?;
    let seat = again.seat_of(Some(who)).map_or(0, Seat::index);
    let id = again.id().to_string();
    let url = format!("/m/{id}");
    Ok((StatusCode::CREATED, Json(Joined { id, url, seat })).into_response())
}

/// The record of a match, as a file. That of a running match or tournament has no seed in it, and is what can be seen. What
/// a program wrote to its standard error is in it for its owner and the operator alone.
pub(crate) async fn record(app: &App, caller: &Caller, id: &str) -> Result<Response, ApiError> {
    let found = app.hub.find(id).await?;
    let (bytes, is_over) = match &found {
        Found::Stored(stored) if stored.file.is_some() => (stored.file.clone().unwrap_or_default(), true),
        Found::Stored(stored) => (stored_record(app, caller, stored).await?, true),
        Found::Table(table) => record_at_hand(app, caller, table).await?,
    };
    let name = format!("attachment; filename=\"{id}.rookery.jsonl\"");
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/jsonl"));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    if !is_over {
        headers.insert("x-rookery-unfinished", HeaderValue::from_static("1"));
    }
    Ok(response)
}

async fn stored_record(app: &App, caller: &Caller, stored: &StoredMatch) -> Result<Vec<u8>, ApiError> {
    let may_read = |seat| stored.owns_program(caller.identity.as_ref(), seat);
    let hides_seed = hides_seed(app, stored.cup).await?;
    let mut shown = without_stderr(&stored.snapshot, &may_read);
    if hides_seed || stored.is_renamed {
        shown.get_or_insert_with(|| Snapshot::clone(&stored.snapshot));
    }
    // The stored one has more than may be read, or a name that was given up: this one has a hash of its own.
    if let Some(snapshot) = shown {
        return written(snapshot, hides_seed);
    }
    let (store, id) = (app.hub.store().clone(), stored.id);
    crate::accounts::blocking(move || store.record(id)).await
}

/// Whether the seed of a match that is over would tell those of others that are still to be played.
async fn hides_seed(app: &App, cup: Option<TournamentId>) -> Result<bool, ApiError> {
    let Some(cup) = cup else { return Ok(false) };
    let tournaments = Arc::clone(&app.tournaments);
    crate::accounts::blocking(move || tournaments.hides_seeds(cup)).await
}

/// The record of a match that runs, or ended a moment ago; whether it is over.
async fn record_at_hand(app: &App, caller: &Caller, table: &Table) -> Result<(Vec<u8>, bool), ApiError> {
    let snapshot = table.snapshot();
    let is_over = snapshot.verdict.is_some();
    let (store, spec) = (app.hub.store().clone(), Arc::clone(&snapshot.spec));
    let owners = crate::accounts::blocking(move || Ok(bundle_owners(&store, &spec))).await?;
    let may_read = |seat| owns_program(&owners, caller.identity.as_ref(), seat);
    let shown = without_stderr(&snapshot, &may_read);
    let shown = shown.unwrap_or_else(|| Snapshot::clone(&snapshot));
    let hides_seed = !is_over || hides_seed(app, table.cup()).await?;
    Ok((written(shown, hides_seed)?, is_over))
}

/// The record of what is shown of a match. Whoever knew the seed would know the computers' next moves.
pub(super) fn written(mut snapshot: Snapshot, hides_seed: bool) -> Result<Vec<u8>, ApiError> {
    if hides_seed {
        let mut spec = rookery_referee::MatchSpec::clone(&snapshot.spec);
        spec.seed = rookery_rules::Seed(0);
        snapshot.spec = Arc::new(spec);
    }
    write_record(&snapshot).map_err(|error| ApiError::ours(&error))
}

/// A picture of a match after so many moves.
pub(crate) async fn picture(app: &App, id: &str, ply: Option<usize>) -> Result<Response, ApiError> {
    let found = app.hub.find(id).await?;
    let (scene, last) = seen_at(&found, ply);
    let mut response = svg(&scene, &Options { last, ..Options::default() }).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
    Ok(response)
}

/// What a picture of a match shows after so many moves, or at its end: the board, and the move that led there.
pub(crate) fn seen_at(found: &Found, ply: Option<usize>) -> (Scene, Option<LastMove>) {
    let snapshot = found.snapshot();
    let positions = positions(&snapshot);
    let ply = ply.unwrap_or(usize::MAX).min(positions.len() - 1);
    let is_it =
        |entry: &&Arc<rookery_live::Entry>| entry.deed.as_move().is_some() && entry.plies == ply as u64;
    let moved = snapshot.entries.iter().find(is_it).and_then(|entry| entry.deed.as_move());
    let before = moved.and_then(|_| positions.get(ply.checked_sub(1)?));
    let last = moved.zip(before).and_then(|(mv, before)| before.scene().find_move(mv).map(LastMove::from));
    (positions[ply].scene(), last)
}

/// A record that somebody has dropped onto the page: read with all checks, shown, and kept for a while in memory, so that
/// it can be reviewed and played on.
pub(crate) async fn read_record(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    body: axum::body::Bytes,
) -> Result<Json<RecordData>, ApiError> {
    if !app.site.is_at_home(caller.ip) {
        app.makings.expect_from(caller.ip, Instant::now())?;
    }
    if body.split(|&byte| byte == b'\n').count() > MOST_LINES + 1 {
        let message = format!("this record is too long to be shown; expected at most {MOST_LINES} lines");
        return Err(ApiError::bad(message));
    }
    let permit = app.reading.soon().await?;
    let reading = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let snapshot = Arc::new(read_story(&body[..]).map_err(|error| error.to_string())?.snapshot());
        let trail = Trail::default();
        let last = SceneData::from(&trail.newest(&snapshot));
        let (entrants, file) = (vec![None; snapshot.spec.n_seats()], Some(body.to_vec()));
        let scene = |(ply, scene)| PlyScene { ply, scene: SceneData::from(scene).still() };
        let begin = trail.scenes(&snapshot, 0..most_scenes(&snapshot));
        let begin: Vec<PlyScene> = begin.iter().enumerate().map(scene).collect();
        let read = StoredMatch {
            id: GameId::random(),
            snapshot,
            last,
            trail,
            entrants,
            bundle_owners: vec![],
            is_renamed: false,
            cup: None,
            file,
        };
        Ok((read, begin))
    });
    let read = reading.await.map_err(|error| ApiError::ours(&error))?;
    let (read, scenes) =
        read.map_err(|why: String| ApiError::bad(format!("this record is not valid: {why}")))?;
    let found = app.hub.loose.put(read);
    let state = found.look(Sight::default());
    let picture = crate::routes::drawn(&found.snapshot.position.scene());
    Ok(Json(RecordData { page: crate::pages::record_body(&state, &picture), state, scenes }))
}

/// A record that was read.
#[derive(Debug, Serialize)]
pub(crate) struct RecordData {
    state: MatchState,
    scenes: Vec<PlyScene>,
    /// The part of a page that shows it.
    page: String,
}

shape!(RecordData { state: MatchState, scenes: Vec<PlyScene>, page: String });
