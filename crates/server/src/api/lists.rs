//! Lists: running and stored matches, players.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use rookery_referee::Cause;
use rookery_rules::Seat;
use rookery_store::{
    EntrantFilter, EntrantId, EntrantKind, GameFilter, Page, Store, StoreError, StoredEntrant, StoredGame,
};
use serde::{Deserialize, Serialize};

use crate::accounts::blocking;
use crate::app::App;
use crate::http::{ApiError, ObjectShape, Shapes, any_of, shape};
use crate::hub::Card;
use crate::ladders::Point;

/// The longest list.
const MOST: u32 = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct MatchQuery {
    #[serde(default)]
    live: Option<u8>,
    game: Option<String>,
    player: Option<String>,
    before: Option<u64>,
    limit: Option<u32>,
}

/// What a list shows of a match that is over.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OverData {
    /// Its id.
    pub id: String,
    /// Its number, to ask for those before it.
    pub seq: u64,
    /// The game spec.
    pub game: String,
    /// Who played.
    pub players: Vec<String>,
    /// Who won.
    pub winners: Vec<usize>,
    /// By seat.
    pub scores: Option<Vec<i32>>,
    /// Why it ended.
    pub cause: &'static str,
    /// How many moves.
    pub plies: u64,
    /// When.
    pub finished_ms: i64,
}

shape!(OverData {
    id: String,
    seq: u64,
    game: String,
    players: Vec<String>,
    winners: Vec<usize>,
    scores: Option<Vec<i32>>,
    cause: &'static str,
    plies: u64,
    finished_ms: i64,
});

/// What is told of matches that are over, or that run.
pub(crate) fn matches_shape(all: &mut Shapes) -> serde_json::Value {
    let over = ObjectShape::default().with::<Vec<OverData>>(all, "matches").done();
    let live = ObjectShape::default().with::<Vec<Card<'_>>>(all, "matches").done();
    any_of(&[over, live])
}

impl From<StoredGame> for OverData {
    fn from(game: StoredGame) -> Self {
        let winners = game.outcome.iter().flat_map(|outcome| outcome.winners.iter());
        Self {
            id: game.id.to_string(),
            seq: game.seq,
            winners: winners.map(Seat::index).collect(),
            scores: game.outcome.as_ref().map(|outcome| outcome.scores.as_slice().to_vec()),
            game: game.spec,
            players: game.names,
            cause: Cause::word(game.cause),
            plies: game.plies,
            finished_ms: game.finished_ms,
        }
    }
}

/// Matches that are over, the latest first.
pub(crate) async fn over(app: &App, filter: GameFilter, page: Page) -> Result<Vec<OverData>, ApiError> {
    let store = app.hub.store().clone();
    let page = Page { limit: page.limit.min(MOST), ..page };
    let games = blocking(move || with_names(&store, store.games(&filter, page)?)).await?;
    Ok(games.into_iter().map(OverData::from).collect())
}

/// The same with what players are called now, where they have given up the name they played under.
pub(crate) fn with_names(store: &Store, mut games: Vec<StoredGame>) -> Result<Vec<StoredGame>, StoreError> {
    let mut known: HashMap<EntrantId, Option<String>> = HashMap::new();
    for game in &mut games {
        for (name, id) in game.names.iter_mut().zip(&game.entrants) {
            let Some(id) = id else { continue };
            if !known.contains_key(id) {
                let entrant = store.entrant_by_id(*id)?;
                known.insert(*id, (entrant.kind == EntrantKind::Person).then_some(entrant.name));
            }
            if let Some(Some(now)) = known.get(id) {
                name.clone_from(now);
            }
        }
    }
    Ok(games)
}

pub(crate) async fn matches(
    State(app): State<Arc<App>>,
    Query(query): Query<MatchQuery>,
) -> Result<Response, ApiError> {
    if query.live.unwrap_or_default() == 1 {
        let tables = app.hub.tables();
        let shown = tables.iter().filter(|table| table.is_shown() && table.over_since().is_none());
        let cards: Vec<Arc<str>> = shown.take(MOST as usize).map(|table| table.card()).collect();
        let body =
            format!("{{\"matches\":[{}]}}", cards.iter().map(|card| &**card).collect::<Vec<_>>().join(","));
        let mut response = body.into_response();
        let json = axum::http::HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        return Ok(response);
    }
    let entrant = match query.player {
        None => None,
        Some(name) => Some(entrant(&app, &name).await?.id),
    };
    let filter = GameFilter { game: query.game, entrant, ..GameFilter::default() };
    let page = Page { before: query.before, limit: query.limit.unwrap_or(50) };
    Ok(Json(serde_json::json!({"matches": over(&app, filter, page).await?})).into_response())
}

/// Somebody who plays, as lists show it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EntrantData {
    /// The name.
    pub name: String,
    /// `person`, `bot` or `built-in`.
    pub kind: &'static str,
    /// Since when it is known.
    pub since_ms: i64,
}

shape!(EntrantData { name: String, kind: &'static str, since_ms: i64 });

impl From<&StoredEntrant> for EntrantData {
    fn from(entrant: &StoredEntrant) -> Self {
        let kind = EntrantKind::word(entrant.kind);
        Self { name: entrant.name.clone(), kind, since_ms: entrant.created_ms }
    }
}

pub(crate) async fn entrant(app: &App, name: &str) -> Result<StoredEntrant, ApiError> {
    let (store, name) = (app.hub.store().clone(), name.to_owned());
    let found = blocking(move || store.find_entrant(&name)).await?;
    found.ok_or_else(|| ApiError::not_found("player"))
}

#[derive(Debug, Deserialize)]
pub(crate) struct PlayerQuery {
    #[serde(default)]
    prefix: String,
    before: Option<u64>,
}

pub(crate) async fn players(
    State(app): State<Arc<App>>,
    Query(query): Query<PlayerQuery>,
) -> Result<Json<Vec<EntrantData>>, ApiError> {
    let filter = EntrantFilter { kind: None, prefix: query.prefix.chars().take(24).collect() };
    let (store, page) = (app.hub.store().clone(), Page { before: query.before, limit: MOST });
    let entrants = blocking(move || store.entrants(&filter, page)).await?;
    Ok(Json(entrants.iter().map(EntrantData::from).collect()))
}

/// Somebody's strength in one game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StrengthData {
    /// The name of the game.
    pub game: &'static str,
    /// How many matches count.
    pub games: u64,
    /// The rating with its error; none with fewer than ten matches.
    pub rating: Option<Point>,
    /// Its place among those who have a rating, and how many these are.
    pub place: Option<(usize, usize)>,
    /// How the rating came to be.
    pub history: Vec<Point>,
}

shape!(StrengthData {
    game: &'static str,
    games: u64,
    rating: Option<Point>,
    place: Option<(usize, usize)>,
    history: Vec<Point>,
});

/// How strong somebody is in each game it has played.
pub(crate) async fn strengths(app: &App, id: EntrantId) -> Result<Vec<StrengthData>, ApiError> {
    let (store, ladders) = (app.hub.store().clone(), Arc::clone(&app.ladders));
    blocking(move || {
        let mut found = vec![];
        for game in rookery_catalog::CATALOG {
            let (ladder, _) = ladders.get(&store, game.name())?;
            let Some(climber) = ladder.climbers.get(&id) else { continue };
            let ranked = ladder.ranked();
            let place = ranked.iter().position(|(other, _)| *other == id).map(|idx| (idx + 1, ranked.len()));
            let rating = climber.rated();
            let history = if rating.is_some() { climber.history.clone() } else { vec![] };
            found.push(StrengthData { game: game.name(), games: climber.games, rating, place, history });
        }
        Ok(found)
    })
    .await
}

/// Somebody on a ladder.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LadderData {
    /// From 1.
    pub place: usize,
    /// Who.
    #[serde(flatten)]
    pub entrant: EntrantData,
    /// How many matches count.
    pub games: u64,
    /// The rating.
    pub rating: f64,
    /// The true strength lies so far around it, 19 times out of 20.
    pub error: f64,
}

shape!(LadderData { place: usize, games: u64, rating: f64, error: f64; flat entrant: EntrantData });

/// The longest ladder that is shown.
const MOST_PLACES: usize = 200;

/// Who is strongest in a game, and whether all games that count are read; after a start that may take a while.
pub(crate) async fn ladder_of(app: &App, name: &str) -> Result<(Vec<LadderData>, bool), ApiError> {
    let known = rookery_catalog::game(name).map_err(|error| ApiError::field("game", error.to_string()))?;
    let (store, ladders) = (app.hub.store().clone(), Arc::clone(&app.ladders));
    blocking(move || {
        let (ladder, is_whole) = ladders.get(&store, known.name())?;
        let mut shown = vec![];
        for (idx, (id, point)) in ladder.ranked().into_iter().take(MOST_PLACES).enumerate() {
            let entrant = EntrantData::from(&store.entrant_by_id(id)?);
            let Point { games, rating, error, .. } = point;
            shown.push(LadderData { place: idx + 1, entrant, games, rating, error });
        }
        Ok((shown, is_whole))
    })
    .await
}

#[derive(Debug, Deserialize)]
pub(crate) struct LadderQuery {
    game: String,
}

pub(crate) async fn ladder(
    State(app): State<Arc<App>>,
    Query(LadderQuery { game }): Query<LadderQuery>,
) -> Result<Json<Vec<LadderData>>, ApiError> {
    Ok(Json(ladder_of(&app, &game).await?.0))
}
