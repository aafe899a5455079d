//! Matches and tournaments between specs and functions of Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use rookery_arena::PlayedGame;
use rookery_catalog::{Game, State, Visit};
use rookery_live::{Guest, drawn_seed};
use rookery_referee::{
    Answering, Conduct, Evidence, Failure, Fault, Invitation, Offence, Player, Question, TimeControl, words,
};
use rookery_report::{RatingOptions, test_json};
use rookery_rules::{Notation as _, PositionOf};
use rookery_search::n_cores;
use rookery_tournament::{Entrant, GameResult, TournamentSpec};
use serde_json::{Value, json};

use crate::apart::{look_for_ctrl_c, work_apart};
use crate::errors::value;
use crate::gate;
use crate::holding::{Event, Held, Order, check_entrants, has_programs};
use crate::moves::{Move, read_move};
use crate::position::Position;
use crate::results::{elo, evaluation, fit, standings};

/// What a player of Python answers to give up.
const RESIGN: &str = "resign";

/// What is called of somebody who sits in Python: to choose a move, when a game begins, when it is over.
pub(crate) type Calls = (Py<PyAny>, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// What ends everything, not only the game of whoever raised it: Ctrl-C, `sys.exit`.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// An exception that is somebody's own; one that ends everything is kept, and nothing is left of it.
pub(crate) fn rest_of(py: Python<'_>, error: PyErr, raised: &Raised) -> Option<PyErr> {
    if error.is_instance_of::<PyException>(py) {
        return Some(error);
    }
    raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    None
}

fn interrupted() -> Failure {
    Failure::Platform("interrupted".to_owned())
}

/// Somebody who sits in Python.
struct Caller<G: Game> {
    calls: Arc<Calls>,
    raised: Raised,
    /// What went wrong when the game began.
    begun: Result<(), Failure>,
    /// What positions of this match have in common; made with the first one.
    state: Option<State<G>>,
}

impl<G: Game> Caller<G> {
    /// An exception as what speaks for the loss of whoever raised it.
    fn failure(&self, py: Python<'_>, error: PyErr) -> Failure {
        let Some(error) = rest_of(py, error, &self.raised) else { return interrupted() };
        let lines = py
            .import("traceback")
            .and_then(|module| {
                let raised = (error.get_type(py), error.value(py), error.traceback(py));
                module.call_method1("format_exception", raised)
            })
            .and_then(|lines| lines.extract::<Vec<String>>());
        let evidence = Evidence {
            note: error.to_string(),
            stderr: lines.ok().map(|lines| lines.concat()),
            ..Evidence::default()
        };
        Failure::Fault(Fault::with(Offence::Crashed, evidence))
    }

    fn read(&self, answer: &Bound<'_, PyAny>, state: &State<G>) -> Result<MoveOf<G>, Failure> {
        let malformed =
            |note: String, sent: String| Failure::Fault(Fault::new(Offence::Malformed, note).sent(sent));
        match read_move(answer) {
            Ok(Move::Text(text)) if text == RESIGN => Err(Failure::Resigned),
            Ok(Move::Text(text)) => {
                state.position.parse_move(&text).map_err(|error| malformed(error.to_string(), text))
            }
            Ok(Move::Action(action)) => state
                .actions()
                .get(action)
                .ok_or_else(|| malformed("there is no such action".to_owned(), action.to_string())),
            Err(error) => {
                let Some(error) = rest_of(answer.py(), error, &self.raised) else {
                    return Err(interrupted());
                };
                let sent = answer.repr().map_or_else(|_| "?".to_owned(), |repr| repr.to_string());
                Err(malformed(error.to_string(), sent))
            }
        }
    }
}

type MoveOf<G> = <PositionOf<G> as rookery_rules::Position>::Move;

impl<G: Game> Player<PositionOf<G>> for Caller<G> {
    fn seated(&mut self, invitation: &Invitation<'_, PositionOf<G>>) {
        let Some(begin) = &self.calls.1 else { return };
        // The referee hears of what goes wrong when the player is asked for a move.
        self.begun = Python::attach(|py| {
            let told = (invitation.seat.index(), &invitation.spec.game);
            let called = gate::call(py, || begin.call1(py, told));
            called.map(|_| ()).map_err(|error| self.failure(py, error))
        });
    }

    fn choose<'a>(&'a mut self, question: Question<'a, PositionOf<G>>) -> Answering<'a, MoveOf<G>> {
        let state = match &self.state {
            Some(state) => state.with(question.position.clone()),
            None => State::new(question.position.clone()),
        };
        self.state = Some(state.with(question.position.clone()));
        if self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return Answering::Now(Err(interrupted()));
        }
        if let Err(failure) = std::mem::replace(&mut self.begun, Ok(())) {
            return Answering::Now(Err(failure));
        }
        Answering::Now(Python::attach(|py| {
            if let Err(error) = py.check_signals() {
                return Err(self.failure(py, error));
            }
            let asked = Position::of(Box::new(state.with(question.position.clone())));
            match gate::call(py, || self.calls.0.call1(py, (asked,))) {
                Ok(answer) => self.read(answer.bind(py), &state),
                Err(error) => Err(self.failure(py, error)),
            }
        }))
    }
}

/// Makes the guest of a function, for the game of a match.
pub(crate) struct Seat(pub(crate) Arc<Calls>, pub(crate) Raised);

impl Visit for Seat {
    type Out = Guest;
    fn visit<G: Game>(self) -> Guest {
        Guest::own(Caller::<G> { calls: self.0, raised: self.1, begun: Ok(()), state: None })
    }
}

/// What came of a game, as data.
pub(crate) fn told(game: &PlayedGame) -> Value {
    let who = |seat| game.spec.who(seat);
    let ending = |ending: &rookery_referee::Ending| {
        json!({
            "cause": ending.cause.word(), "seat": ending.seat.map(rookery_rules::Seat::index),
            "text": words::ending(ending, &who), "evidence": ending.evidence,
        })
    };
    let verdict = &game.verdict;
    json!({
        "game": game.spec.game,
        "players": game.spec.seats.iter().map(|seat| &seat.name).collect::<Vec<_>>(),
        "winners": verdict.outcome.as_ref().map(|all| all.winners.iter().map(rookery_rules::Seat::index).collect::<Vec<_>>()),
        "scores": verdict.outcome.as_ref().map(|all| all.scores.as_slice().to_vec()),
        "plies": verdict.plies, "ending": ending(&verdict.ending),
        "removed": verdict.removed.iter().map(ending).collect::<Vec<_>>(),
        "text": words::verdict(verdict, &who), "round": game.pairing.round,
        "record": game.record.as_ref().map(|path| path.display().to_string()),
    })
}

/// Holds what a tournament spec (JSON) says; `players` has what is called of those who sit in Python. The games, how everybody
/// stands, what a test has decided, the seed and the id in the store, as JSON.
#[pyfunction]
#[pyo3(signature = (spec, players, record = None, store = None, concurrency = None))]
fn _hold(
    py: Python<'_>,
    spec: &str,
    players: Vec<Option<Calls>>,
    record: Option<PathBuf>,
    store: Option<PathBuf>,
    concurrency: Option<usize>,
) -> PyResult<String> {
    let wanted = Wanted { record, store, concurrency };
    apart(py, |py, raised| hold(py, spec, players, wanted, raised))
}

/// Goes on with a tournament of a store that nobody of Python plays in; the answer is that of `_hold`, but for the games: those
/// that are played now.
#[pyfunction]
#[pyo3(signature = (store, id, concurrency = None))]
fn _resume(py: Python<'_>, store: PathBuf, id: &str, concurrency: Option<usize>) -> PyResult<String> {
    apart(py, |py, raised| {
        let event = Event::opened(py, &store, id)?;
        let callers = vec![None; event.spec().entrants.len()];
        let order = Order { event, callers, concurrency: at_a_time(concurrency), raised };
        order.check()?;
        kept(py, &order)
    })
}

/// Holds an event on this thread, or on another one where this one holds an event already: a player may hold a match of its
/// own while it is asked for a move, and a thread runs one event at a time.
fn apart(
    py: Python<'_>,
    hold: impl FnOnce(Python<'_>, Raised) -> PyResult<String> + Send,
) -> PyResult<String> {
    let raised = Raised::default();
    if tokio::runtime::Handle::try_current().is_err() {
        return hold(py, raised);
    }
    let told = Arc::clone(&raised);
    let tell = move |interrupted| {
        told.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(interrupted);
    };
    work_apart(py, look_for_ctrl_c, tell, || Python::attach(|py| hold(py, raised)))?
}

/// How an event is held and kept.
struct Wanted {
    record: Option<PathBuf>,
    store: Option<PathBuf>,
    concurrency: Option<usize>,
}

fn at_a_time(concurrency: Option<usize>) -> usize {
    concurrency.unwrap_or_else(n_cores).clamp(1, 1024)
}

fn hold(
    py: Python<'_>,
    spec: &str,
    players: Vec<Option<Calls>>,
    wanted: Wanted,
    raised: Raised,
) -> PyResult<String> {
    let Wanted { record, store, concurrency } = wanted;
    // Python writes it, so that only what it holds can be wrong, and nobody knows of its lines and columns.
    let told: Value = serde_json::from_str(spec).map_err(|_| {
        value(
            "this cannot be held: a text has half a character in it (a surrogate), a number is too large, or lists are \
             nested too deeply",
        )
    })?;
    if let Some(time) = told["time"].as_str() {
        let read = time.parse::<TimeControl>();
        read.map_err(|error| value(format!("there is no time control {time:?}: {error}")))?;
    }
    let mut spec: TournamentSpec = serde_json::from_value(told.clone())
        .map_err(|error| value(format!("this cannot be held: {error}")))?;
    spec.check().map_err(value)?;
    // An offence costs the game of whoever commits it, and never the game of all.
    spec.conduct.get_or_insert(Conduct::removing());
    let callers: Vec<Option<Arc<Calls>>> = players.into_iter().map(|calls| calls.map(Arc::new)).collect();
    if callers.iter().any(Option::is_some) && spec.time != TimeControl::Untimed {
        return Err(value(
            "`time`: a time control needs players that are specs: a function cannot be stopped in time",
        ));
    }
    check_entrants(&spec, &callers)?;
    // Who knows the seed knows what the computers play, and the seeds of the other seats; no program may.
    if told.get("seed").is_none() && has_programs(&spec, &callers) {
        spec.seed = drawn_seed();
    }
    let event = match (store, record) {
        (Some(_), Some(_)) => {
            return Err(value("games are kept in a `store` or as records (`record`), not in both"));
        }
        (Some(store), None) => Event::stored(py, &store, spec)?,
        (None, record) => Event::new(spec, record)?,
    };
    let order = Order { event, callers, concurrency: at_a_time(concurrency), raised };
    match &order.event {
        Event::Stored(..) => kept(py, &order),
        Event::Passing { spec, .. } => {
            let (games, scheduler) = order.hold(py, spec.format().map_err(value)?)?;
            let results: Vec<_> = games.iter().map(PlayedGame::result).collect();
            Ok(outcome(&order, &games, &results, &scheduler.format().ranking()))
        }
    }
}

/// Holds an event that a store keeps.
fn kept(py: Python<'_>, order: &Order) -> PyResult<String> {
    let Held { games, results, ranking } = order.hold_stored(py)?;
    Ok(outcome(order, &games, &results, &ranking))
}

/// What came of an event, as JSON: the games that were played now, and what all results say.
fn outcome(order: &Order, games: &[PlayedGame], results: &[GameResult], ranking: &[Vec<Entrant>]) -> String {
    let spec = order.spec();
    let evaluation = evaluation(spec, results);
    let told = json!({
        "games": games.iter().map(told).collect::<Vec<_>>(),
        "standings": standings(&evaluation, ranking),
        "elo": elo(&evaluation, results),
        "ratings": fit(&evaluation, &RatingOptions::default()).unwrap_or(Value::Null),
        "sprt": evaluation.test().map(test_json),
        "seed": spec.seed.0,
        "id": order.id(),
    });
    told.to_string()
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RESIGN", RESIGN)?;
    module.add_function(wrap_pyfunction!(_hold, module)?)?;
    module.add_function(wrap_pyfunction!(_resume, module)?)
}
