//! The checker's report on the page: a connected bot plays short matches, and what is right and wrong is told step by step.
//!
//! `rookery check` does the same to a program that it starts itself, and so also sees how that ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use rookery_arena::bots::check::{
    CheckGame, Heard, MAX_TURNS, Meddler, Meddling, OPENING, built_in, fault_of, first_moves, play_check,
    times,
};
use rookery_arena::bots::usual_reason;
use rookery_catalog::{CATALOG, game};
use rookery_live::Guest;
use rookery_referee::{End, Evidence, Fault, Start, words, write_duration};
use rookery_rules::{GameSpec, Seed};
use rookery_wire::Lent;
use serde::Serialize;

use super::{guest_of, with_cookie};
use crate::accounts::Identity;
use crate::app::App;
use crate::http::{ApiError, Caller, shape};
use crate::hub::{NewMatch, NewSeat};

/// The time for each move.
const TIME: Duration = Duration::from_secs(5);
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

shape!(Report { running: bool, steps: Vec<Step> });
shape!(Step {
    name: String,
    passed: Option<bool>,
    seen: Option<String>,
    sent: Option<String>,
    expected: Option<String>,
    hint: Option<&'static str>,
    id = "match": Option<String>,
});

/// A check that has begun.
#[derive(Debug, Serialize)]
pub(crate) struct Begun {
    /// How many steps it has.
    steps: usize,
}

shape!(Begun { steps: usize });

/// One match of a check.
struct Planned {
    name: String,
    game: String,
    seat: usize,
    n_seats: usize,
    how: How,
}

/// How it is played.
enum How {
    /// On a board that can be looked at, perhaps after some moves.
    Watched(Option<Start>),
    /// Between the bot and us, who change what travels.
    Apart(Meddling),
    /// The same, and the time of its answers is taken.
    Timed,
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
    Ok(with_cookie((StatusCode::ACCEPTED, Json(Begun { steps: n })).into_response(), cookie))
}

/// All steps: every game on the first and the last seat, then, in the first game, everything else.
fn plan(games: Option<&[String]>) -> Vec<Planned> {
    let plays = |name: &str| games.is_none_or(|games| games.iter().any(|game| game == name));
    let mut steps = vec![];
    let mut add = |name: String, game: &str, is_last: bool, how: How| {
        let Some(n_seats) = n_seats(game) else { return };
        let seat = if is_last { n_seats - 1 } else { 0 };
        steps.push(Planned { name, game: game.to_owned(), seat, n_seats, how });
    };
    for known in CATALOG.iter().filter(|known| plays(known.name())) {
        let last = n_seats(known.name()).unwrap_or_default();
        for (is_last, seat) in [(false, 1), (true, last)] {
            let name = format!("plays {} on seat {seat}", known.title());
            add(name, known.name(), is_last, How::Watched(None));
        }
    }
    let Some(first) = CATALOG.iter().find(|known| plays(known.name())) else { return steps };
    if let Some(large) = first.benches().into_iter().next() {
        add(format!("plays on a large board, {large}"), &large, false, How::Watched(None));
    }
    let spec = GameSpec { game: first.name().to_owned(), options: vec![] };
    let begun = Some(Start { opening: None, position: None, moves: first_moves(&spec, OPENING) });
    let (strange, spoils) =
        (Meddling { strange: true, spoils: false }, Meddling { strange: false, spoils: true });
    for (name, how) in [
        ("ignores fields and messages it does not know", How::Apart(strange)),
        ("answers again after a rejected move", How::Apart(spoils)),
        ("goes on with a game that was begun", How::Watched(begun)),
        ("is in time", How::Timed),
    ] {
        add(name.to_owned(), first.name(), false, how);
    }
    steps
}

fn n_seats(spec: &str) -> Option<usize> {
    let spec = GameSpec::parse(spec).ok()?;
    Some(game(&spec.game).ok()?.seat_labels(&spec).ok()?.len())
}

/// Plays one match, and says what was seen.
async fn carry_out(app: &Arc<App>, bot: &str, planned: &Planned, who: &Identity) -> Step {
    let step = Step { name: planned.name.clone(), ..Step::default() };
    match &planned.how {
        How::Watched(start) => watched(app, bot, planned, start.clone(), who).await,
        How::Apart(meddling) => match apart(app, bot, planned, *meddling).await {
            Ok((seen, _)) => Step { passed: Some(true), seen: Some(seen), ..step },
            Err(fault) => step.failed(&fault),
        },
        How::Timed => match apart(app, bot, planned, Meddling::default()).await {
            Ok((_, heard)) => Step { passed: Some(true), seen: Some(times(&heard, TIME)), ..step },
            Err(fault) => step.failed(&fault),
        },
    }
}

/// Plays a match that nobody sees, with somebody between the bot and us.
async fn apart(
    app: &App,
    bot: &str,
    planned: &Planned,
    meddling: Meddling,
) -> Result<(String, Heard), Fault> {
    let spec = GameSpec::parse(&planned.game).map_err(|error| Fault::ours(error.to_string()))?;
    let patience = PATIENCE.0 * PATIENCE.1;
    let Guest::Bot(lent, greeting) = app.hub.bots().bring(bot, Some(patience)).await.map_err(Fault::ours)?
    else {
        return Err(Fault::ours("it is no bot"));
    };
    let heard = Heard::default();
    let link = Lent::owned(Box::new(Meddler::on_loan(lent, heard.clone(), meddling)));
    let Planned { seat, n_seats, .. } = *planned;
    let game = CheckGame { spec: &spec, seat, n_seats, opening: 0, time: TIME, seed: Seed(0), meddling };
    let verdict = play_check(game.agree(), seat, Guest::Bot(link, greeting), &built_in).await?;
    Ok((format!("{} moves, {}", verdict.plies, verdict.ending.cause.word().replace('_', " ")), heard))
}

/// Plays a match like any other, with the bot against computers.
async fn watched(app: &Arc<App>, bot: &str, planned: &Planned, start: Option<Start>, who: &Identity) -> Step {
    let step = Step { name: planned.name.clone(), ..Step::default() };
    let seat = |seat: usize| {
        NewSeat::Spec(if seat == planned.seat { format!("@{bot}") } else { "random".to_owned() })
    };
    let mut wanted = NewMatch::new(planned.game.clone(), (0..planned.n_seats).map(seat).collect());
    (wanted.time, wanted.casual) = (Some(write_duration(TIME)), Some(true));
    (wanted.max_turns, wanted.start) = (Some(MAX_TURNS), start);
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
    match fault_of(verdict, planned.seat) {
        None => {
            let seen = format!("{} moves, {}", verdict.plies, verdict.ending.cause.word().replace('_', " "));
            Step { passed: Some(true), seen: Some(seen), id, ..step }
        }
        Some(fault) => Step { id, ..step.failed(&fault) },
    }
}

impl Step {
    /// What was wrong. What a program wrote to its standard error is for its owner alone, and is on the page of the match.
    fn failed(self, fault: &Fault) -> Self {
        let Fault { offence, evidence, is_ours } = fault;
        let evidence = &Evidence { stderr: None, ..Evidence::clone(evidence) };
        let seen = if *is_ours { evidence.note.clone() } else { words::offence(*offence, evidence) };
        Self {
            passed: Some(false),
            seen: Some(seen),
            sent: evidence.sent.clone(),
            expected: evidence.expected.clone(),
            hint: usual_reason(*offence, evidence, evidence.sent.as_deref()),
            ..self
        }
    }
}
