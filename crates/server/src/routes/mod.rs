//! All addresses: pages, pictures, and what machines ask.

mod account;
mod bundles;
mod connect;
mod machines;
mod new_game;
mod pages;
mod players;
mod puzzle;
mod rules;
mod tournaments;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse as _, Response};

use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

use crate::app::App;
use crate::http::Access::{Anybody, Known, Operator, Person};
use crate::http::{ApiError, Routes, guard, openapi};
use crate::pages as shell;
use crate::{api, assets};

pub(crate) use pages::drawn;

/// All addresses, and who may use them.
pub fn routes() -> Routes<Arc<App>> {
    let pages = Routes::new()
        .get("/", Anybody, "Home", pages::home)
        .get("/new", Anybody, "A new game; the address is the whole form", new_game::form)
        .post("/new", Anybody, "Begin a match with a form", new_game::begin)
        .get("/m/{id}", Anybody, "A match; `.jsonl` is its record, `.svg` a picture", pages::match_page)
        .post("/m/{id}/do", Known, "Move or resign with a form", pages::act)
        .post("/m/{id}/on", Anybody, "Play on from a position with a form", pages::play_on)
        .get("/replay", Anybody, "A record from a file", pages::replay)
        .get("/embed/{id}", Anybody, "A match for pages of others", pages::embed)
        .get("/watch", Anybody, "All running matches", pages::watch)
        .get("/join/{code}", Anybody, "An invitation to a seat", pages::invitation)
        .post("/join/{code}", Anybody, "Take the seat of an invitation", pages::join)
        .get("/login", Anybody, "Sign in or claim a name", account::login_page)
        .post("/login", Anybody, "The same with a form", account::login)
        .post("/logout", Anybody, "End your session with a form", account::logout)
        .get("/settings", Anybody, "What you decide for yourself", account::settings)
        .post("/settings", Person, "Change it with a form", account::change)
        .post("/settings/theme", Anybody, "Choose light or dark with a form", account::theme)
        .get("/operator", Operator, "What the operator sees", account::operator)
        .post("/operator", Operator, "What the operator does with a form", account::operate)
        .get("/operator/machines", Operator, "Workers, what waits and what is parked", machines::page)
        .post("/operator/machines", Operator, "Try parked games again with a form", machines::retry)
        .get("/connect", Anybody, "How a bot is connected", connect::page)
        .post("/connect", Person, "A token for a bot, with a form", connect::claim)
        .get("/bundles", Anybody, "Bots that were uploaded", bundles::page)
        .post("/bundles", Person, "Upload a bot with a form", bundles::upload)
        .post("/bundles/retire", Person, "Retire a bot with a form", bundles::retire)
        .get("/rules", Anybody, "To the rules of the first game", rules::first)
        .get("/rules/{game}", Anybody, "How a game is played", rules::rules)
        .get("/docs/{name}", Anybody, "A page of the documentation", rules::docs)
        .get("/puzzle", Anybody, "The puzzle of today", puzzle::today)
        .get("/puzzle/{date}", Anybody, "The puzzle of a day", puzzle::of_day)
        .get("/t", Anybody, "Tournaments", tournaments::list)
        .get("/t/new", Anybody, "A form for a new tournament", tournaments::form)
        .post("/t/new", Anybody, "Begin a tournament with a form", tournaments::create)
        .get("/t/{id}", Anybody, "How a tournament stands", tournaments::one)
        .post(
            "/t/{id}/do",
            Known,
            "Sign up, begin, pause, go on, withdraw or remove with a form",
            tournaments::act,
        )
        .get("/players", Anybody, "Who is strongest", players::ladder)
        .get("/p/{name}", Anybody, "Somebody who plays", players::player)
        .get("/bots", Anybody, "Where bots connect by WebSocket", crate::bots::bots_socket)
        .get("/health", Anybody, "Whether all is well", health)
        .get("/metrics", Anybody, "What is counted, for Prometheus", metrics)
        .get("/assets/{*name}", Anybody, "Style sheets and scripts", assets::serve)
        .get("/api/v1/openapi.json", Anybody, "This description", description)
        .answers_as(|_| serde_json::json!({"type": "object"}));
    api::routes(pages)
}

/// Answers are packed for those who can unpack them, but for streams, whose lines are wanted at once.
fn packed() -> CompressionLayer<impl Predicate> {
    let streams = NotForContentType::const_new("application/jsonl");
    CompressionLayer::new().gzip(true).compress_when(DefaultPredicate::new().and(streams))
}

/// All addresses, behind the guard.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let (router, _) = routes().done();
    router
        .fallback(nowhere)
        .layer(packed())
        // The guard has bounded the body already, and lets records be larger.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(app), guard))
        .with_state(Arc::clone(app))
}

async fn description() -> axum::Json<serde_json::Value> {
    axum::Json(openapi(&routes().done().1))
}

async fn nowhere() -> ApiError {
    ApiError::not_found("page")
}

/// What is shown instead of an error that has no page of its own.
pub(crate) fn error_page(status: StatusCode, message: &str, number: &str, look: &shell::Look) -> Response {
    let page = shell::page("Not here", look, &shell::error(message, number));
    (status, Html(page.into_string())).into_response()
}

async fn health(State(app): State<Arc<App>>) -> Response {
    let health = app.hub.store().health();
    match health.trouble {
        None => (StatusCode::OK, "ok\n").into_response(),
        Some(error) => {
            tracing::error!(%error, "the store has trouble");
            (StatusCode::SERVICE_UNAVAILABLE, "the store has trouble; see the log\n").into_response()
        }
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let tables = app.hub.tables();
    let running = tables.iter().filter(|table| table.over_since().is_none()).count() as u64;
    let bots = app.hub.bots().list();
    let waiting = app.hub.store().health().waiting as u64;
    let more = [
        ("rookery_matches_running", "Matches that run or wait for players.", running),
        ("rookery_bots_connected", "Bots that are connected.", bots.len() as u64),
        ("rookery_bots_playing", "Bots that play.", bots.iter().filter(|bot| bot.playing).count() as u64),
        ("rookery_store_waiting", "Results that are not stored yet.", waiting),
    ];
    let text = app.metrics.text(&more, &app.tournaments.counted());
    let mut response = text.into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
