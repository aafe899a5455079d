//! The API under `/api/v1`.

mod account;
mod bundles;
mod check;
mod games;
mod lists;
mod machines;
mod matches;
mod operator;
mod own_data;
mod players;
mod puzzles;
mod study;
mod tournaments;

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::app::App;
use crate::http::Access::{Anybody, Known, Operator, Person};
use crate::http::{ApiError, Routes};
use crate::hub::MOST_TURNS;
use crate::socket;

pub(crate) use account::{
    SignIn, all_tokens, change_password, delete_name, end_other_sessions, expect_few, guest_of, make_token,
    revoke_own, sign_in, sign_out,
};
pub use bundles::BundleData;
pub(crate) use bundles::{BundleQuery, bundles_of, is_retired, push_for, retire_for};
pub use check::Checks;
pub(crate) use games::problem_of;
pub(crate) use lists::{LadderData, OverData, StrengthData, entrant, ladder_of, over, strengths};
pub(crate) use machines::{machines_of, retry_parked};
pub(crate) use matches::{picture, record, seen_at, with_cookie};
pub(crate) use operator::{GuestData, Measures, cancel_match, guests_of, measure, mute_guest, set_sign_up};
pub(crate) use players::{Facts, VersionData, place_of, result, seat_of};
pub(crate) use puzzles::{PuzzleData, puzzle_of, said_of};
pub use study::Reviews;
pub(crate) use tournaments::{TournamentData, apart, list_of as tournaments_of, read_id as read_tournament};

/// All addresses of the API.
pub fn routes(routes: Routes<Arc<App>>) -> Routes<Arc<App>> {
    bundle_routes(tournament_routes(study_routes(account_routes(match_routes(routes)))))
}

fn match_routes(routes: Routes<Arc<App>>) -> Routes<Arc<App>> {
    let text = json!({"type": "string"});
    routes
        .get(
            "/api/v1/games",
            Anybody,
            "All games, with the keys of their specs and their computers",
            games::games,
        )
        .answers::<Vec<games::GameData>>()
        .get(
            "/api/v1/preview",
            Anybody,
            "The beginning of a game spec, or what is wrong with it",
            games::preview,
        )
        .query(&[("spec", "string!")])
        .answers::<games::Preview>()
        .get("/api/v1/bots", Anybody, "Bots that are connected", games::bots)
        .answers::<Vec<crate::bots::BotData>>()
        .get("/api/v1/bots/{name}/check", Anybody, "What the check of a bot has found so far", check::look)
        .answers::<check::Report>()
        .post(
            "/api/v1/bots/{name}/check",
            Anybody,
            "Check a connected bot: let it play, step by step",
            check::begin,
        )
        .ok(202)
        .answers::<check::Begun>()
        .get("/api/v1/live", Anybody, "The socket of a page: a WebSocket", socket::live)
        .query(&[("nobody", "integer")])
        .ok(101)
        .get("/api/v1/matches", Anybody, "Matches that are over, or (live=1) those that run", lists::matches)
        .query(&[
            ("live", "integer"),
            ("game", "string"),
            ("player", "string"),
            ("before", "integer"),
            ("limit", "integer"),
        ])
        .answers_as(lists::matches_shape)
        .post("/api/v1/matches", Anybody, "Begin a match", matches::make)
        .body(
            &json!({
                "game": text,
                "seats": {"type": "array", "maxItems": 32, "items": {"anyOf": [text, {"type": "object"}]}},
                "seed": {"type": ["string", "null"], "pattern": "^[0-9]{1,20}$"},
                "time": {"type": ["string", "null"]},
                "limits": {"type": "object"},
                "conduct": {"type": ["string", "null"]},
                "casual": {"type": ["boolean", "null"]},
                "max_turns": {"type": ["integer", "null"], "minimum": 0, "maximum": MOST_TURNS},
                "start": {"type": ["object", "null"]},
            }),
            &["game", "seats"],
        )
        .ok(201)
        .answers::<matches::MadeData>()
        .get("/api/v1/matches/{id}", Anybody, "How a match stands", matches::look)
        .answers::<crate::data::MatchState>()
        .get(
            "/api/v1/matches/{id}/scenes",
            Anybody,
            "The board after each move, 200 at most, fewer of large boards",
            matches::scenes,
        )
        .query(&[("from", "integer"), ("to", "integer"), ("moves", "integer")])
        .answers::<matches::ScenesData>()
        .post("/api/v1/matches/{id}/join", Anybody, "Take the open seat of a code", matches::join)
        .body(&json!({"code": text}), &["code"])
        .answers::<matches::Joined>()
        .post(
            "/api/v1/matches/{id}/rematch",
            Known,
            "The same once more, everybody one seat further",
            matches::rematch,
        )
        .ok(201)
        .answers::<matches::Joined>()
        .post("/api/v1/matches/{id}/cancel", Operator, "End a match without a winner", operator::cancel)
        .body(&json!({"reason": text}), &[])
        .ok(204)
        .post(
            "/api/v1/records",
            Anybody,
            "Check a record and look at it; kept in memory for a while, under its id",
            matches::read_record,
        )
        .takes("application/octet-stream")
        .answers::<matches::RecordData>()
        .get("/api/v1/players", Anybody, "Who plays here", lists::players)
        .query(&[("prefix", "string"), ("before", "integer")])
        .answers::<Vec<lists::EntrantData>>()
        .get("/api/v1/players/{name}", Anybody, "Somebody who plays, with the last matches", players::player)
        .answers::<players::PlayerData>()
}

fn account_routes(routes: Routes<Arc<App>>) -> Routes<Arc<App>> {
    let (text, flag) = (json!({"type": "string"}), json!({"type": ["boolean", "null"]}));
    routes
        .get("/api/v1/me", Anybody, "Who you are", account::me)
        .answers::<account::MeData>()
        .get("/api/v1/me/data", Person, "Everything that is known of you", own_data::data)
        .answers_as(own_data::shape)
        .delete("/api/v1/me", Person, "Delete your name; the body says it once more", account::delete)
        .body(&json!({"name": text}), &["name"])
        .delete("/api/v1/me/sessions", Person, "End all your sessions but this one", account::end_sessions)
        .post("/api/v1/login", Anybody, "Sign in, or claim a name", account::login)
        .body(
            &json!({
                "name": text,
                "password": text,
                "claim": {"type": "boolean"},
                "operator": {"type": ["string", "null"]},
            }),
            &["name", "password"],
        )
        .answers::<account::SignedIn>()
        .post("/api/v1/logout", Anybody, "End your session", account::logout)
        .ok(204)
        .get("/api/v1/tokens", Person, "The tokens of your programs", account::tokens)
        .answers::<Vec<account::TokenData>>()
        .post("/api/v1/tokens", Person, "A new token, shown once", account::new_token)
        .body(&json!({"note": text}), &[])
        .ok(201)
        .answers::<account::MadeToken>()
        .delete("/api/v1/tokens/{id}", Person, "Take a token back", account::revoke_token)
        .post("/api/v1/operator/sign-up", Operator, "Let names be claimed, or not", operator::sign_up)
        .body(&json!({"open": {"type": "boolean"}}), &["open"])
        .ok(204)
        .post("/api/v1/operator/people/{name}", Operator, "Ban, mute or sign out somebody", operator::person)
        .body(&json!({"banned": flag, "muted": flag, "signed_out": {"type": "boolean"}}), &[])
        .ok(204)
        .get(
            "/api/v1/operator/guests",
            Operator,
            "Guests at tables, with the numbers of their sessions",
            operator::guests,
        )
        .answers::<Vec<operator::GuestData>>()
        .post(
            "/api/v1/operator/guests/{session}",
            Operator,
            "Mute a guest for as long as its session holds, or no longer",
            operator::guest,
        )
        .body(&json!({"muted": {"type": "boolean"}}), &["muted"])
        .ok(204)
        .get("/api/v1/operator/audit", Operator, "What operators did", operator::audit)
        .answers::<Vec<operator::AuditData>>()
        .get("/api/v1/operator/machines", Operator, "Workers, what waits and what is parked", machines::look)
        .answers::<crate::machines::MachinesData>()
        .post(
            "/api/v1/operator/machines/retry",
            Operator,
            "Try parked games again: those that are named, or all",
            machines::retry,
        )
        .body(&json!({"jobs": {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 64}}}), &[])
        .answers::<machines::Retried>()
}

fn study_routes(routes: Routes<Arc<App>>) -> Routes<Arc<App>> {
    let text = json!({"type": "string"});
    routes
        .get(
            "/api/v1/matches/{id}/review",
            Anybody,
            "Every move against the best; ask until done",
            study::review,
        )
        .answers::<study::ReviewData>()
        .get(
            "/api/v1/matches/{id}/analysis",
            Anybody,
            "Best moves, a line of JSON each time more is known",
            study::analysis,
        )
        .query(&[("ply", "integer")])
        .or(&["application/jsonl"])
        .get("/api/v1/puzzles/{date}", Anybody, "The puzzle of a day: 2026-11-17, or today", puzzles::puzzle)
        .query(&[("game", "string")])
        .answers::<PuzzleData>()
        .get("/api/v1/puzzles/{date}/solution", Anybody, "The best line of a puzzle", puzzles::solution)
        .query(&[("game", "string")])
        .answers::<puzzles::SolutionData>()
        .post("/api/v1/puzzles/{date}/hint", Anybody, "A hint for a puzzle, in three steps", puzzles::hint)
        .body(
            &json!({"game": text, "position": text, "step": {"type": "integer", "minimum": 0, "maximum": 255}}),
            &["game", "position", "step"],
        )
        .answers::<puzzles::HintData>()
        .post("/api/v1/try", Anybody, "The board after a move from any position", puzzles::trial)
        .body(&json!({"game": text, "position": text, "move": {"type": ["string", "null"]}}), &["game", "position"])
        .answers::<puzzles::TrialData>()
        .post("/api/v1/puzzles/{date}/attempt", Anybody, "Try a move in a puzzle", puzzles::attempt)
        .body(&json!({"game": text, "position": text, "move": text}), &["game", "position", "move"])
        .answers::<puzzles::Tried>()
}

fn tournament_routes(routes: Routes<Arc<App>>) -> Routes<Arc<App>> {
    let spec = json!({
        "name": {"type": "string"},
        "games": {"type": "array", "items": {"type": "string"}},
        "format": {"type": ["string", "object"]},
        "entrants": {"type": "array", "maxItems": 64, "items": {"type": ["string", "object"]}},
        "seed": {"type": "string", "pattern": "^[0-9]{1,20}$"},
        "time": {"type": "string"},
    });
    let mut made = spec.clone();
    made["sign_up"] = json!({
        "type": ["object", "null"],
        "properties": {
            "people": {"type": "boolean"},
            "bots": {"type": "boolean"},
            "starts_ms": {"type": ["integer", "null"]},
        },
    });
    let needed = ["name", "games", "format", "entrants"];
    routes
        .get("/api/v1/ladder", Anybody, "Who is strongest in a game", lists::ladder)
        .query(&[("game", "string!")])
        .answers::<Vec<LadderData>>()
        .get("/api/v1/tournaments", Anybody, "Tournaments, the latest first", tournaments::list)
        .query(&[("before", "integer")])
        .answers::<tournaments::TournamentList>()
        .post(
            "/api/v1/tournaments",
            Known,
            "Begin a tournament of computers and connected bots, or let people and bots sign up",
            tournaments::make,
        )
        .body(&made, &needed)
        .ok(201)
        .answers::<tournaments::MadeTournament>()
        .post("/api/v1/tournaments/plan", Anybody, "How much a tournament would be", tournaments::plan)
        .body(&spec, &needed)
        .answers::<tournaments::PlanData>()
        .get(
            "/api/v1/tournaments/{id}",
            Anybody,
            "Its report: json, csv, markdown or html",
            tournaments::look,
        )
        .query(&[("form", "string")])
        .answers_as(tournaments::look_shape)
        .or(&["text/csv", "text/markdown", "application/octet-stream"])
        .get("/api/v1/tournaments/{id}/pairings", Anybody, "Who plays whom, and why", tournaments::pairings)
        .query(&[("after", "integer")])
        .answers::<tournaments::PairingsData>()
        .post(
            "/api/v1/tournaments/{id}/enter",
            Known,
            "Sign up: `me`, or your bot as `@name`",
            tournaments::enter,
        )
        .body(&json!({"entrant": {"type": "string"}}), &["entrant"])
        .ok(204)
        .post(
            "/api/v1/tournaments/{id}/begin",
            Known,
            "Begin it with whoever has signed up",
            tournaments::begin,
        )
        .ok(204)
        .post("/api/v1/tournaments/{id}/pause", Known, "Stop it, to go on later", tournaments::pause)
        .ok(204)
        .post("/api/v1/tournaments/{id}/resume", Known, "Go on with it", tournaments::go_on)
        .ok(204)
        .post(
            "/api/v1/tournaments/{id}/withdraw",
            Known,
            "Let somebody take no further part",
            tournaments::withdraw,
        )
        .body(&json!({"entrant": {"type": "string"}}), &["entrant"])
        .ok(204)
        .delete("/api/v1/tournaments/{id}", Known, "Take it away; its games stay", tournaments::remove)
}

fn bundle_routes(routes: Routes<Arc<App>>) -> Routes<Arc<App>> {
    routes
        .get("/api/v1/bundles", Anybody, "Bots that were uploaded, the latest first", bundles::list)
        .query(&[("name", "string"), ("before", "integer")])
        .answers::<Vec<BundleData>>()
        .post("/api/v1/bundles", Known, "Bring a bot: the body is its archive, a tar.gz", bundles::push)
        .ok(201)
        .takes("application/octet-stream")
        .answers::<BundleData>()
        .post("/api/v1/bundles/{name}/retire", Known, "Seat a bot of yours no more", bundles::retire)
        .answers::<bundles::Retired>()
}

/// A body of JSON, with errors that say what to do.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/json") {
            return Err(ApiError::new(
                axum::http::StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "not_json",
                "expected a body of JSON with `Content-Type: application/json`",
            ));
        }
        let bytes = axum::body::Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|_| ApiError::bad("the body cannot be read; send it again"))?;
        let read = serde_json::from_slice(&bytes);
        read.map(Self)
            .map_err(|error| ApiError::bad(format!("the body is not what is expected here: {error}")))
    }
}
