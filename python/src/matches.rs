//! Matches and tournaments between specs and functions of Python.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use rookery_arena::{Boards, Games, PlayedGame};
use rookery_catalog::{Game, State, Visit, visit};
use rookery_live::{Guest, Opening, Programs, Signal, Stopping, Wanted, open, prepare};
use rookery_record::{Archive, Folder, Key};
use rookery_referee::{
    Answering, Conduct, End, Evidence, Failure, Fault, Invitation, MatchSpec, Offence, Player, Question,
    SeatSpec, TimeControl, words,
};
use rookery_rules::{GameSpec, Notation as _, PositionOf};
use rookery_search::n_cores;
use rookery_tournament::{Dispatcher, Format, Pairing, Report, Scheduler, TournamentSpec, hold};
use rookery_wire::Protocols;
use serde_json::{Value, json};

use crate::errors::value;
use crate::position::{Move, Position, read_move};
use crate::results::{Deciding, standings};

/// What a player of Python answers to give up.
const RESIGN: &str = "resign";

/// What is called of somebody who sits in Python: to choose a move, when a game begins, when it is over.
type Calls = (Py<PyAny>, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// What ends everything, not only the game of whoever raised it: Ctrl-C, `sys.exit`.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// Somebody who sits in Python.
struct Caller<G: Game> {
    calls: Arc<Calls>,
    raised: Raised,
    /// What positions of this match have in common; made with the first one.
    state: Option<State<G>>,
}

impl<G: Game> Caller<G> {
    /// An exception as what speaks for the loss of whoever raised it.
    fn failure(&self, py: Python<'_>, error: PyErr) -> Failure {
        if !error.is_instance_of::<PyException>(py) {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            return Failure::Platform("interrupted".to_owned());
        }
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

    fn read(answer: &Bound<'_, PyAny>, state: &State<G>) -> Result<MoveOf<G>, Failure> {
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
        Python::attach(|py| {
            let called = begin.call1(py, (invitation.seat.index(), &invitation.spec.game));
            // What goes wrong here shows when the player is asked for a move.
            if let Err(error) = called {
                self.failure(py, error);
            }
        });
    }

    fn choose<'a>(&'a mut self, question: Question<'a, PositionOf<G>>) -> Answering<'a, MoveOf<G>> {
        let state = match &self.state {
            Some(state) => state.with(question.position.clone()),
            None => State::new(question.position.clone()),
        };
        self.state = Some(state.with(question.position.clone()));
        Answering::Now(Python::attach(|py| {
            if let Err(error) = py.check_signals() {
                return Err(self.failure(py, error));
            }
            let asked = Position::of(Box::new(state.with(question.position.clone())));
            match self.calls.0.call1(py, (asked,)) {
                Ok(answer) => Self::read(answer.bind(py), &state),
                Err(error) => Err(self.failure(py, error)),
            }
        }))
    }
}

/// Makes the guest of a function, for the game of a match.
struct Seat(Arc<Calls>, Raised);

impl Visit for Seat {
    type Out = Guest;
    fn visit<G: Game>(self) -> Guest {
        Guest::own(Caller::<G> { calls: self.0, raised: self.1, state: None })
    }
}

/// Everything that is agreed before.
struct Order {
    spec: TournamentSpec,
    boards: Boards,
    callers: Vec<Option<Arc<Calls>>>,
    archive: Option<Folder>,
    raised: Raised,
}

impl Order {
    fn match_spec(&self, pairing: &Pairing) -> Result<MatchSpec, rookery_arena::ArenaError> {
        self.boards.match_spec(&self.spec, pairing)
    }

    fn interrupted(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Plays one game on this thread, where Python's functions are called.
    async fn play(&self, pairing: Pairing) -> Result<PlayedGame, String> {
        let spec = self.match_spec(&pairing).map_err(|error| error.to_string())?;
        let game = GameSpec::parse(&spec.game).map_err(|error| error.to_string())?.game;
        let is_program = |seat: &SeatSpec| seat.is_program() && !matches!(seat, SeatSpec::Remote(_));
        let wanted: Vec<Wanted<'_>> = spec
            .seats
            .iter()
            .filter(|entry| is_program(&entry.player))
            .map(|entry| Wanted { seat: &entry.player, name: &entry.name, protocol: rookery_bots::PROTOCOL })
            .collect();
        let opened =
            open(&wanted, &Opening::default(), &mut |_, _| {}).await.map_err(|error| error.to_string())?;
        let mut came = opened.guests.into_iter();
        let mut guests = Vec::with_capacity(spec.seats.len());
        for (entry, entrant) in spec.seats.iter().zip(&pairing.entrants) {
            guests.push(match (&self.callers[entrant.index()], &entry.player) {
                (Some(calls), _) => {
                    let seat = Seat(Arc::clone(calls), Arc::clone(&self.raised));
                    visit(&game, seat).map_err(|error| error.to_string())?
                }
                (None, SeatSpec::BuiltIn(player)) => Guest::BuiltIn(player.clone()),
                (None, _) => came.next().ok_or("a player did not come")?,
            });
        }
        let key = Key { pairing: pairing.id + 1, attempt: 1 };
        let slot = self.archive.as_ref().map(|archive| archive.open(&key)).transpose();
        let slot = slot.map_err(|error| error.to_string())?;
        let record = self.archive.as_ref().and_then(|archive| archive.path(&key));
        let played =
            prepare(spec.clone(), guests, &Protocols::default(), slot).map_err(|error| error.to_string())?;
        let played = played.run().await;
        opened.closing.done().await;
        if let Some(receipt) = played.receipt {
            receipt.await.map_err(|error| error.to_string())?;
        }
        let over = |entrant: &rookery_tournament::Entrant| self.callers[entrant.index()].as_ref()?.2.as_ref();
        let End::Verdict(verdict) = played.end else { return Err("the game was stopped".to_owned()) };
        let game = PlayedGame { pairing, spec, verdict, record, cut: None };
        let told = told(&game);
        for end in game.pairing.entrants.iter().filter_map(over) {
            Python::attach(|py| {
                // Nobody can be blamed any more: the game is over.
                if let Err(error) = end.call1(py, (PyString::new(py, &told.to_string()),)) {
                    error.write_unraisable(py, None);
                }
            });
        }
        Ok(game)
    }
}

/// Plays games one after the other, on the thread that asks.
struct Here<'a> {
    order: &'a Order,
    waiting: VecDeque<Pairing>,
    games: Vec<PlayedGame>,
    failure: Option<String>,
}

impl Dispatcher for Here<'_> {
    fn dispatch(&mut self, pairing: Pairing) {
        self.waiting.push_back(pairing);
    }

    async fn next_report(&mut self) -> Option<Report> {
        let pairing = self.waiting.pop_front()?;
        match self.order.play(pairing).await {
            Ok(game) => {
                let stopped = self.order.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some();
                let result = game.result();
                self.games.push(game);
                (!stopped).then_some(Report::Finished(result))
            }
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }
}

/// What came of a game, as data.
fn told(game: &PlayedGame) -> Value {
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

/// Lets a format be held by whoever can: functions of Python on this thread, all others on threads of their own.
fn hold_format<F: Format + Send>(
    py: Python<'_>,
    order: &Order,
    mut scheduler: Scheduler<F>,
    concurrency: usize,
) -> PyResult<(Vec<PlayedGame>, Scheduler<F>)> {
    let failed = |error: String| PyRuntimeError::new_err(error);
    if order.callers.iter().any(Option::is_some) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut here = Here { order, waiting: VecDeque::new(), games: vec![], failure: None };
        let held = py.detach(|| runtime.block_on(hold(&mut scheduler, &mut here, &mut ())));
        if let Some(error) = order.interrupted() {
            return Err(error);
        }
        if let Some(failure) = here.failure {
            return Err(failed(failure));
        }
        held.map_err(|error| failed(error.to_string()))?;
        return Ok((here.games, scheduler));
    }
    let programs =
        order.spec.entrants.iter().any(|entrant| entrant.player.is_program()).then(Programs::default);
    let protocols = Protocols::default();
    let stopping = Stopping::new(rookery_live::GRACE);
    let mut played = vec![];
    let held = py.detach(|| {
        std::thread::scope(|scope| {
            let (stopping, scheduler, played) = (&stopping, &mut scheduler, &mut played);
            let working = scope.spawn(move || {
                let games = Games {
                    spec_of: &|pairing| order.match_spec(pairing),
                    archive: order.archive.as_ref().map(|archive| archive as &dyn Archive),
                    programs: programs.as_ref(),
                    protocols: &protocols,
                    concurrency,
                    timed: order.spec.time != TimeControl::Untimed,
                    retries: 0,
                    until_proved: false,
                    affinity: false,
                    announce: &|_, _| {},
                };
                games.hold(scheduler, stopping, &mut (), &mut |game| -> io::Result<()> {
                    played.push(game.clone());
                    Ok(())
                })
            });
            while !working.is_finished() {
                std::thread::sleep(std::time::Duration::from_millis(5));
                if let Err(interrupted) = crate::search::look_for_ctrl_c() {
                    // The second request stops games where they are.
                    stopping.request(Signal::Interrupt);
                    stopping.request(Signal::Interrupt);
                    let _ = working.join();
                    return Err(interrupted);
                }
            }
            working.join().map_err(|_| failed("the games could not be played".to_owned()))?.map_err(value)
        })
    });
    held?;
    played.sort_by_key(|game| game.pairing.id);
    Ok((played, scheduler))
}

/// Holds what a tournament spec (JSON) says; `players` has what is called of those who sit in Python. The games, how everybody
/// stands and what a test has decided, as JSON.
#[pyfunction]
#[pyo3(signature = (spec, players, record = None, concurrency = None, sprt = None))]
fn _hold(
    py: Python<'_>,
    spec: &str,
    players: Vec<Option<Calls>>,
    record: Option<PathBuf>,
    concurrency: Option<usize>,
    sprt: Option<(f64, f64, f64, f64)>,
) -> PyResult<String> {
    let mut spec: TournamentSpec =
        serde_json::from_str(spec).map_err(|error| value(format!("this cannot be held: {error}")))?;
    spec.check().map_err(value)?;
    // An offence costs the game of whoever commits it, and never the game of all.
    spec.conduct.get_or_insert(Conduct::removing());
    let callers: Vec<Option<Arc<Calls>>> = players.into_iter().map(|calls| calls.map(Arc::new)).collect();
    if callers.iter().any(Option::is_some) && spec.time != TimeControl::Untimed {
        return Err(value(
            "a time control needs players that are specs: a function cannot be stopped in time",
        ));
    }
    let boards = Boards::new(&spec).map_err(value)?;
    let concurrency = concurrency.unwrap_or_else(n_cores).clamp(1, 1024);
    let plan = spec.plan().map_err(value)?;
    let archive = match &record {
        Some(folder) => Some(Folder::open(folder, plan.games.unwrap_or(9999), false).map_err(value)?),
        None => None,
    };
    let order = Order { spec, boards, callers, archive, raised: Raised::default() };
    let (games, decided, ranking) = match sprt {
        None => {
            let scheduler = Scheduler::new(order.spec.format().map_err(value)?, concurrency);
            let (games, scheduler) = hold_format(py, &order, scheduler, concurrency)?;
            (games, Value::Null, scheduler.format().ranking())
        }
        Some(test) => {
            let n_players = order.spec.entrants.len();
            let format = Deciding::format(n_players, plan.games.unwrap_or(0), test)?;
            let (games, scheduler) =
                hold_format(py, &order, Scheduler::new(format, concurrency), concurrency)?;
            (games, scheduler.format().test().told(), vec![])
        }
    };
    let results: Vec<_> = games.iter().map(PlayedGame::result).collect();
    let told = json!({
        "games": games.iter().map(told).collect::<Vec<_>>(),
        "standings": standings(&order.spec, &results, &ranking),
        "elo": crate::results::elo(&order.spec, &results),
        "ratings": crate::results::ratings_of(&order.spec, &results),
        "sprt": decided,
    });
    Ok(told.to_string())
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RESIGN", RESIGN)?;
    module.add_function(wrap_pyfunction!(_hold, module)?)
}
