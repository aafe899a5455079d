//! The checker's report on the page: a connected bot plays short matches, and what is right and wrong is told step by step.
//!
//! `rookery check` does more: it starts the program itself, so it can also spoil what travels and see how it ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use rookery_arena::bots::usual_reason;
use rookery_catalog::{CATALOG, game};
use rookery_referee::{Blame, Cause, End, Evidence, Offence, Start, Verdict, words};
use rookery_rules::{GameSpec, Seat};
use serde::Serialize;
use serde_json::json;

use super::{guest_of, with_cookie};
use crate::accounts::Identity;
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::hub::{NewMatch, NewSeat};

/// The time for each move.
const TIME: &str = "5s";
/// A large board ends here, so that the check does.
const MAX_TURNS: u64 = 400;
/// Moves made before a game that is gone on with.
const OPENING: usize = 4;
/// How often, and for how long, a bot is waited for that has not come home from its last match.
const PATIENCE: (Duration, u32) = (Duration::from_millis(100), 100);
/// How many reports are kept.
const KEPT: usize = 256;

/// The reports of bots, by name.
#[derive(Debug, Default)]
pub struct Checks(Mutex<HashMap<String, Report>>);

/// What came of a check so far.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Report {
    /// Whether it goes on.
    running: bool,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Step {
    name: String,
    /// `null` if it was not reached.
    passed: Option<bool>,
    /// What was seen, or what was wrong.
    seen: Option<String>,
    /// What was sent, if that was wrong.
    sent: Option<String>,
    expected: Option<String>,
    /// What is usually the reason.
    hint: Option<&'static str>,
    /// The match that was played, to look at.
    #[serde(rename = "match")]
    id: Option<String>,
}

/// One match of a check.
struct Planned {
    name: String,
    game: String,
    seat: usize,
    n_seats: usize,
    start: Option<Start>,
}

impl Checks {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Report>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Report)) {
        if let Some(report) = self.all().get_mut(name) {
            change(report);
        }
    }
}

/// The report of a bot, as far as it is; one without steps if nobody has asked for it.
pub(crate) async fn look(State(app): State<Arc<App>>, Path(name): Path<String>) -> Json<Report> {
    Json(app.checks.all().get(&name).cloned().unwrap_or_default())
}

/// Begins to check a bot: its owner may, the operator, and anybody if it is nobody's.
pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let (who, cookie) = guest_of(&app, &caller).await?;
    let bots = app.hub.bots();
    let bot =
        bots.list().into_iter().find(|bot| bot.name == name).ok_or_else(|| ApiError::not_found("bot"))?;
    if bots.owner_of(&name).is_some_and(|owner| owner != who.owner) && !who.is_operator {
        return Err(ApiError::forbidden("this bot belongs to somebody else, who has to check it"));
    }
    let plan = plan(bot.games.as_deref());
    let author = bot.author.map(|author| format!(" by {author}")).unwrap_or_default();
    let hello = Step {
        name: "connects and says hello".to_owned(),
        passed: Some(true),
        seen: Some(format!("{name}{author}")),
        ..Step::default()
    };
    let steps = plan.iter().map(|planned| Step { name: planned.name.clone(), ..Step::default() });
    let steps: Vec<Step> = std::iter::once(hello).chain(steps).collect();
    let n = steps.len();
    {
        let mut all = app.checks.all();
        if all.get(&name).is_some_and(|report| report.running) {
            return Err(ApiError::conflict("it is being checked; look again in a moment"));
        }
        if all.len() >= KEPT {
            all.retain(|_, report| report.running);
        }
        all.insert(name.clone(), Report { running: true, steps });
    }
    tokio::spawn(async move {
        for (idx, planned) in (1..).zip(&plan) {
            let step = carry_out(&app, &name, planned, &who).await;
            let goes_on = step.passed == Some(true);
            app.checks.change(&name, |report| report.steps[idx] = step);
            if !goes_on {
                break;
            }
        }
        app.checks.change(&name, |report| report.running = false);
    });
    Ok(with_cookie((StatusCode::ACCEPTED, Json(json!({ "steps": n }))).into_response(), cookie))
}

/// All steps: every game on the first and the last seat, then, in the first game, a large board and a game gone on with.
fn plan(games: Option<&[String]>) -> Vec<Planned> {
    let plays = |name: &str| games.is_none_or(|games| games.iter().any(|game| game == name));
    let mut steps = vec![];
    for known in CATALOG.iter().filter(|known| plays(known.name())) {
        let Some(n_seats) = n_seats(known.name()) else { continue };
        let step =
            |name: String, game: String, seat: usize, start| Planned { name, game, seat, n_seats, start };
        for seat in [0, n_seats - 1] {
            let name = format!("plays {} on seat {}", known.title(), seat + 1);
            steps.push(step(name, known.name().to_owned(), seat, None));
        }
    }
    let Some(first) = CATALOG.iter().find(|known| plays(known.name())) else { return steps };
    if let Some((large, n_seats)) =
        first.benches().into_iter().next().and_then(|spec| n_seats(&spec).map(|n_seats| (spec, n_seats)))
    {
        let name = format!("plays on a large board, {large}");
        steps.push(Planned { name, game: large, seat: 0, n_seats, start: None });
    }
    if let Some(n_seats) = n_seats(first.name()) {
        let start = Some(Start { position: None, moves: opening(first.name()) });
        let name = "goes on with a game that was begun".to_owned();
        steps.push(Planned { name, game: first.name().to_owned(), seat: 0, n_seats, start });
    }
    steps
}

fn n_seats(spec: &str) -> Option<usize> {
    let spec = GameSpec::parse(spec).ok()?;
    Some(game(&spec.game).ok()?.seat_labels(&spec).ok()?.len())
}

/// The first moves of a game in which everybody plays its first move.
fn opening(name: &str) -> Vec<String> {
    let spec = GameSpec { game: name.to_owned(), options: vec![] };
    let Some(mut position) = game(name).ok().and_then(|game| game.start(&spec).ok()) else { return vec![] };
    let mut moves = vec![];
    while moves.len() < OPENING {
        let Some(mv) = position.moves().into_iter().next() else { break };
        let mut next = position.boxed_clone();
        if next.play(&mv).is_err() || next.moves().is_empty() {
            break;
        }
        position = next;
        moves.push(mv);
    }
    moves
}

/// Plays one match, and says what was seen.
async fn carry_out(app: &Arc<App>, bot: &str, planned: &Planned, who: &Identity) -> Step {
    let step = Step { name: planned.name.clone(), ..Step::default() };
    let seat = |seat: usize| {
        NewSeat::Spec(if seat == planned.seat { format!("@{bot}") } else { "random".to_owned() })
    };
    let mut wanted = NewMatch::new(planned.game.clone(), (0..planned.n_seats).map(seat).collect());
    (wanted.time, wanted.casual) = (Some(TIME.to_owned()), Some(true));
    (wanted.max_turns, wanted.start) = (Some(MAX_TURNS), planned.start.clone());
    let failed = |why: String| Step { passed: Some(false), seen: Some(why), ..step.clone() };
    let wanted = match wanted.read(&who.name) {
        Ok(wanted) => wanted,
        Err(error) => return failed(error.message),
    };
    let mut tries = 0;
    let made = loop {
        // It comes home from its last match a moment after that is over.
        match app.hub.make(wanted.clone(), who).await {
            Ok(made) => break made,
            Err(error) if tries >= PATIENCE.1 => return failed(error.message),
            Err(_) => tokio::time::sleep(PATIENCE.0).await,
        }
        tries += 1;
    };
    let id = Some(made.table.id().to_string());
    let Some(live) = made.table.match_() else { return failed("the match did not begin".to_owned()) };
    let played = live.played().await;
    let End::Verdict(verdict) = &played.end else { return failed("the server stops".to_owned()) };
    match fault(verdict, planned.seat) {
        None => {
            let seen = format!("{} moves, {}", verdict.plies, verdict.ending.cause);
            Step { passed: Some(true), seen: Some(seen), id, ..step }
        }
        Some((offence, evidence)) => Step {
            passed: Some(false),
            seen: Some(words::offence(offence, &evidence)),
            sent: evidence.sent.clone(),
            expected: evidence.expected.clone(),
            hint: usual_reason(offence, &evidence, evidence.sent.as_deref()),
            id,
            ..step
        },
    }
}

/// What the bot did wrong.
fn fault(verdict: &Verdict, seat: usize) -> Option<(Offence, Evidence)> {
    let mut endings = verdict.removed.iter().chain([&verdict.ending]);
    let ending = endings
        .find(|ending| ending.blame() == Some(Blame::Player) && ending.seat.map(Seat::index) == Some(seat))?;
    let offence = match ending.cause {
        Cause::Offence(offence) => offence,
        _ => Offence::Malformed,
    };
    let mut evidence = *ending.evidence.clone().unwrap_or_default();
    // What a program wrote to its standard error is for its owner alone, and is on the page of the match.
    evidence.stderr = None;
    Some((offence, evidence))
}
