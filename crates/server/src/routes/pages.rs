//! Pages: what they show is gathered here.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Extension, Form, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use maud::Markup;
use rookery_catalog::{CATALOG, game};
use rookery_picture::{LastMove, Options, svg};
use rookery_referee::{Command, Start};
use rookery_rules::{Scene, Status};
use rookery_store::{
    GameFilter, Page, Store, StoreError, StoredTournament, TournamentFilter, TournamentId, TournamentState,
};
use serde::Deserialize;

use crate::accounts::blocking;
use crate::api::{self, guest_of, with_cookie};
use crate::app::App;
use crate::data::{Kind, MatchState, clocks};
use crate::http::{ApiError, Caller, theme};
use crate::hub::{Found, Hold, NewMatch, NewSeat, Table};
use crate::pages::{self as shell, Card, Cup, Filter, Home, Invitations, Look, Past, Running};

/// Who can be played against at once.
pub(super) const LEVELS: [&str; 3] = ["easy", "medium", "hard"];

pub(crate) fn look(caller: &Caller, headers: &HeaderMap) -> Look {
    let name = caller.identity.as_ref().map(|who| who.name.clone());
    Look { name, theme: theme(headers), ..Look::default() }
}

pub(crate) fn shown(title: &str, look: &Look, body: &Markup) -> Response {
    Html(shell::page(title, look, body).into_string()).into_response()
}

pub(crate) async fn home(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let mut all = running(&app);
    all.sort_by_key(|table| std::cmp::Reverse(table.viewers()));
    let last = api::over(&app, GameFilter::default(), Page { before: None, limit: 8 }).await?;
    let again = match last.iter().filter(|_| all.is_empty()).max_by_key(|game| game.plies.min(60)) {
        Some(best) => app.hub.find(&best.id).await.ok().map(|found| (best.id.clone(), small_end(&found))),
        None => None,
    };
    let store = app.hub.store().clone();
    let cups = blocking(move || latest_cups(&store)).await?;
    let data = Home {
        live: all.iter().take(5).map(|table| card(table)).collect(),
        n_live: all.len(),
        again,
        last: last.into_iter().map(past).collect(),
        cups: cups.iter().filter_map(cup).collect(),
        n_bots: app.hub.bots().list().len(),
        ladder: longest_ladder(&app).await?,
        puzzle: puzzle_of_today().await,
        mine: cup_game(&app, &caller),
    };
    Ok(shown("Home", &look(&caller, &headers), &shell::home(&data, &LEVELS)))
}

/// How many tournaments are shown, and how many are looked at for them.
const CUPS: usize = 4;
const LOOKED_AT: u32 = 50;

/// The latest tournaments that were not removed, those first that are not over.
fn latest_cups(store: &Store) -> Result<Vec<StoredTournament>, StoreError> {
    let page = Page { before: None, limit: LOOKED_AT };
    let unfinished = TournamentFilter { unfinished: true, ..TournamentFilter::default() };
    let mut cups = store.tournaments(&unfinished, page)?;
    let latest = store.tournaments(&TournamentFilter::default(), page)?;
    cups.extend(latest.into_iter().filter(|cup| cup.state == TournamentState::Finished));
    cups.truncate(CUPS);
    Ok(cups)
}

/// How many places of a ladder are shown.
const PLACES: usize = 5;

/// The first places of the game in which most have a rating.
async fn longest_ladder(app: &App) -> Result<Option<(&'static str, Vec<api::LadderData>)>, ApiError> {
    let (store, ladders) = (app.hub.store().clone(), Arc::clone(&app.ladders));
    let longest = blocking(move || {
        let mut lengths = vec![];
        for game in CATALOG {
            lengths.push((ladders.get(&store, game.name())?.0.ranked().len(), game.name()));
        }
        Ok(lengths.into_iter().rev().max_by_key(|(length, _)| *length))
    })
    .await?;
    let Some((_, name)) = longest.filter(|(length, _)| *length > 0) else { return Ok(None) };
    let (mut list, _) = api::ladder_of(app, name).await?;
    list.truncate(PLACES);
    Ok(Some((name, list)))
}

/// How long the home page waits for the puzzle: the first one of a day takes longer, and is shown next time.
const PUZZLE_TIME: std::time::Duration = std::time::Duration::from_millis(50);

/// What is said of the puzzle of today, and its board.
async fn puzzle_of_today() -> Option<(String, String)> {
    let finding = tokio::spawn(api::puzzle_of("today", None));
    let puzzle = tokio::time::timeout(PUZZLE_TIME, finding).await.ok()?.ok()?.ok()?;
    let position = game(&puzzle.game).ok()?.position(&puzzle.position).ok()?;
    let options = Options {
        prefix: "pz-".to_owned(),
        coordinates: false,
        captions: false,
        style: false,
        ..Options::default()
    };
    let moves = puzzle.plies.div_ceil(2);
    let said = format!("{}: player {} wins in {moves}. One move does it.", puzzle.title, puzzle.seat + 1);
    Some((said, svg(&position.scene(), &options)))
}

/// The game of a tournament that whoever looks plays now, or is to come to.
fn cup_game(app: &App, caller: &Caller) -> Option<String> {
    let who = caller.identity.as_ref()?;
    let is_mine = |table: &Arc<Table>| {
        table.cup().is_some() && table.over_since().is_none() && table.seat_of(Some(who)).is_some()
    };
    app.hub.tables().into_iter().find(is_mine).map(|table| table.id().to_string())
}

/// The last position of a match that is over.
fn small_end(found: &Found) -> String {
    let options = Options {
        prefix: "hero-".to_owned(),
        coordinates: false,
        captions: false,
        style: false,
        ..Options::default()
    };
    svg(&found.snapshot().position.scene(), &options)
}

fn past(over: api::OverData) -> Past {
    let name = over.game.split(':').next().unwrap_or_default();
    let title = game(name).map_or(name, |game| game.title()).to_owned();
    let players =
        over.players.into_iter().enumerate().map(|(seat, name)| (name, over.winners.contains(&seat)));
    Past { id: over.id, game: title, players: players.collect() }
}

fn cup(stored: &StoredTournament) -> Option<Cup> {
    #[derive(Deserialize)]
    struct Told {
        name: String,
        games: Vec<String>,
    }
    let Told { name, games } = serde_json::from_str(&stored.spec).ok()?;
    let state = match stored.state {
        TournamentState::Open => "open",
        TournamentState::Running => "running",
        TournamentState::Paused => "paused",
        TournamentState::Finished => "finished",
        TournamentState::Cancelled => "cancelled",
    };
    let titles: Vec<&str> = games
        .iter()
        .map(|spec| spec.split(':').next().unwrap_or_default())
        .map(|name| game(name).map_or(name, |game| game.title()))
        .collect();
    Some(Cup { id: stored.id.to_string(), name, games: titles.join(", "), state })
}

/// All matches that run and are shown to everybody.
fn running(app: &App) -> Vec<Arc<Table>> {
    let mut tables = app.hub.tables();
    tables.retain(|table| table.is_shown() && table.over_since().is_none());
    tables
}

pub(super) fn card(table: &Table) -> Card {
    let snapshot = table.snapshot();
    let scene = snapshot.position.scene();
    let seats = snapshot.spec.seats.iter().map(|seat| (seat.name.clone(), Kind::of(&seat.player)));
    let moved: Vec<_> = snapshot.entries.iter().filter(|entry| entry.deed.as_move().is_some()).collect();
    let before = moved.len().checked_sub(2).map_or(&snapshot.start, |idx| &moved[idx].position);
    let text = moved.last().and_then(|entry| entry.deed.as_move());
    Card {
        id: table.id().to_string(),
        last: text.and_then(|text| before.scene().find_move(text).map(LastMove::from)),
        seats: seats.collect(),
        turn: snapshot.asked.map(|asked| asked.seat.index()),
        clocks_ms: clocks(&snapshot, Instant::now()),
        ply: snapshot.plies(),
        viewers: table.viewers(),
        scene,
    }
}

/// The most boards on one page.
const MOST_BOARDS: usize = 48;

/// What is looked for among the running matches.
#[derive(Debug, Deserialize)]
pub(crate) struct WatchQuery {
    game: Option<String>,
    who: Option<String>,
    /// One match.
    only: Option<String>,
    /// Those of one tournament.
    t: Option<String>,
}

pub(crate) async fn watch(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(WatchQuery { game: name, who, only, t }): Query<WatchQuery>,
    headers: HeaderMap,
) -> Response {
    let mut tables = running(&app);
    if let Some(only) = only {
        tables.retain(|table| table.id().as_str() == only);
    }
    let cup = t.and_then(|cup| cup.parse().ok());
    if cup.is_some() {
        tables.retain(|table| table.cup() == cup);
    }
    let filter = Filter {
        game: name.filter(|name| game(name).is_ok()),
        who: who.filter(|who| ["people", "bots"].contains(&who.as_str())),
        cup: cup.map(|cup: TournamentId| cup.to_string()),
    };
    let all: Vec<Running> = tables.iter().map(|table| Running::of(&table.spec())).collect();
    let admitted = tables.iter().zip(&all).filter(|(_, running)| filter.admits(running));
    let boards: Vec<Card> = admitted.take(MOST_BOARDS).map(|(table, _)| card(table)).collect();
    shown("Watch", &look(&caller, &headers), &shell::watch(&all, &boards, &filter))
}

#[derive(Debug, Deserialize)]
pub(crate) struct PlyQuery {
    ply: Option<usize>,
}

pub(crate) async fn match_page(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(PlyQuery { ply }): Query<PlyQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if let Some(id) = id.strip_suffix(".jsonl") {
        return api::record(&app, &caller, id).await;
    }
    if let Some(id) = id.strip_suffix(".svg") {
        return api::picture(&app, id, ply).await;
    }
    let found = app.hub.find(&id).await?;
    if let Found::Table(table) = &found
        && let Some(seat) = table.seat_of(caller.identity.as_ref())
    {
        table.heard_of(seat);
    }
    let state = found.look(caller.identity.as_ref());
    let picture = board_of(&found, ply);
    let seen = ply.map_or(state.ply, |ply| state.ply.min(ply as u64));
    let own = matches!(&found, Found::Table(table) if caller.identity.as_ref().is_some_and(|who| who.owner == table.maker()));
    let join = match &found {
        Found::Table(table) if own => codes(&app, &table.holds()),
        _ => vec![],
    };
    let place = Some(if state.you.is_some() { "Play" } else { "Watch" });
    let look = Look { again: again(&state), place, ..look(&caller, &headers) };
    let players: Vec<&str> = state.seats.iter().map(|seat| seat.name.as_str()).collect();
    let title = format!("{}: {}", state.title, players.join(" against "));
    Ok(shown(
        &title,
        &look,
        &shell::match_body(
            &state,
            seen,
            &picture,
            &Invitations { links: join, page_url: app.page_url.clone() },
        ),
    ))
}

/// After how many seconds a page without script is loaded again, to see what others do.
const SOON: u32 = 2;
/// The same for whoever is to move and thinks: often enough to be known as there, and seldom enough to choose in peace.
const IN_PEACE: u32 = 240;

/// Never while somebody chooses from a list: what was chosen would be lost.
fn again(state: &MatchState) -> Option<u32> {
    let is_asked = state.can.mv;
    let stays = state.over.is_some() || is_asked && shell::is_listed(state);
    (!stays).then_some(if is_asked { IN_PEACE } else { SOON })
}

fn codes(app: &App, holds: &[Hold]) -> Vec<(usize, String)> {
    let open = holds.iter().enumerate().filter_map(|(seat, hold)| Some((seat, hold.code.as_ref()?)));
    open.map(|(seat, code)| (seat, format!("{}/join/{code}", app.page_url))).collect()
}

/// The picture of a match after so many moves, without colours of its own if there is a sheet for boards.
fn board_of(found: &Found, ply: Option<usize>) -> String {
    let (scene, last) = api::seen_at(found, ply);
    sized(&scene, &Options { last, captions: false, style: false, ..Options::default() })
}

/// A board without a move before it, for a page.
pub(crate) fn drawn(scene: &Scene) -> String {
    sized(scene, &Options { captions: false, style: false, ..Options::default() })
}

/// A picture with a size of its own, larger than any screen: a sheet makes it as large as there is room, before any script.
pub(super) fn sized(scene: &Scene, options: &Options) -> String {
    let (width, height) = (10 * scene.viewbox.width, 10 * scene.viewbox.height);
    svg(scene, options).replacen("<svg ", &format!("<svg width=\"{width}\" height=\"{height}\" "), 1)
}

pub(crate) async fn embed(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let found = app.hub.find(&id).await?;
    // Whoever frames it sees what anybody sees, whoever looks.
    let state = found.look(None);
    let picture = board_of(&found, None);
    let look = Look { again: state.over.is_none().then_some(SOON), ..Look::default() };
    let page = shell::bare(state.title, &look, &shell::embedded(&state, &picture));
    Ok(Html(page.into_string()).into_response())
}

/// Where a match is to begin again.
#[derive(Debug, Deserialize)]
pub(crate) struct PlayOn {
    ply: u64,
    #[serde(default)]
    level: Option<String>,
}

/// A new match from a position of one that is over: whoever asks takes the side to move.
pub(crate) async fn play_on(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Form(PlayOn { ply, level }): Form<PlayOn>,
) -> Result<Response, ApiError> {
    let snapshot = app.hub.find(&id).await?.snapshot();
    if snapshot.verdict.is_none() {
        return Err(ApiError::conflict("the match is not over yet; play on when it is"));
    }
    let moved = |entry: &&Arc<rookery_live::Entry>| entry.plies == ply && entry.deed.as_move().is_some();
    let position = match ply {
        0 => Some(&snapshot.start),
        _ => snapshot.entries.iter().find(moved).map(|entry| &entry.position),
    };
    let position = position.ok_or_else(|| ApiError::not_found("move"))?;
    let Status::ToMove(mine) = position.status() else {
        return Err(ApiError::conflict("the game is over there; choose an earlier move"));
    };
    let level = level.unwrap_or_else(|| "medium".to_owned());
    let seat =
        |seat: usize| NewSeat::Spec(if seat == mine.index() { "me".to_owned() } else { level.clone() });
    let mut wanted =
        NewMatch::new(snapshot.spec.game.clone(), (0..snapshot.spec.seats.len()).map(seat).collect());
    wanted.start = Some(Start { opening: None, position: Some(position.text()), moves: vec![] });
    begun(&app, &caller, &wanted).await
}

/// Makes a match, and leads to it.
pub(crate) async fn begun(app: &Arc<App>, caller: &Caller, wanted: &NewMatch) -> Result<Response, ApiError> {
    let (who, cookie) = guest_of(app, caller).await?;
    let made = app.hub.make(wanted.read(&who.name)?, &who).await?;
    Ok(with_cookie(Redirect::to(&format!("/m/{}", made.table.id())).into_response(), cookie))
}

/// A record from a file.
pub(crate) async fn replay(Extension(caller): Extension<Caller>, headers: HeaderMap) -> Response {
    shown("Records", &look(&caller, &headers), &shell::record_page())
}

/// What the form of a match says.
#[derive(Debug, Deserialize)]
pub(crate) struct Act {
    what: String,
    #[serde(default)]
    ply: u64,
    #[serde(default)]
    text: String,
}

/// How long an answer of a computer is waited for, so that the next page shows it.
const MOMENT: std::time::Duration = std::time::Duration::from_millis(600);

pub(crate) async fn act(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Form(Act { what, ply, text }): Form<Act>,
) -> Result<Response, ApiError> {
    let Found::Table(table) = app.hub.find(&id).await? else {
        return Err(ApiError::conflict("the match is over"));
    };
    let seat = table.seat_of(Some(caller.expect()?));
    let seat = seat.ok_or_else(|| ApiError::forbidden("you are only watching; begin a match of your own"))?;
    let command = match what.as_str() {
        "move" => Command::Move { ply, text },
        "resign" => Command::Resign,
        _ => return Err(ApiError::field("what", "expected `move` or `resign`")),
    };
    table.command(seat, &command).map_err(ApiError::conflict)?;
    if table.match_().is_some() {
        let mut versions = table.subscribe();
        let answered = async {
            loop {
                let snapshot = table.snapshot();
                if snapshot.verdict.is_some()
                    || snapshot.asked.is_some_and(|asked| asked.seat == seat && asked.ply > ply)
                {
                    return;
                }
                // The sender is the table's.
                let _ = versions.changed().await;
            }
        };
        // Who takes longer is seen later.
        let _ = tokio::time::timeout(MOMENT, answered).await;
    }
    Ok(Redirect::to(&format!("/m/{id}")).into_response())
}

pub(crate) async fn invitation(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Response {
    let state = app.hub.invited(&code).map(|table| table.look(crate::data::Sight::default()));
    let is_person = caller.expect_person().is_ok();
    let body = shell::invitation(&code, state.as_ref(), is_person);
    shown("Invitation", &look(&caller, &headers), &body)
}

pub(crate) async fn join(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(code): Path<String>,
) -> Result<Response, ApiError> {
    let (who, cookie) = guest_of(&app, &caller).await?;
    let (table, _) = app.hub.join(&code, &who).await?;
    Ok(with_cookie(Redirect::to(&format!("/m/{}", table.id())).into_response(), cookie))
}
