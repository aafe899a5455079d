//! Searches, counts and random games: without Python's lock, and stopped by Ctrl-C.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rookery_catalog::{Game, State, Visit, strategy, visit};
use rookery_players::{SolveError, SolveOrder, Value, random_games};
use rookery_rules::{Position as _, PositionOf, Rng, Seat, Seed, Status, playout};
use rookery_search::{Analysis, Budget, Mcts, Stop, n_cores};
use rookery_study::{Advice, Order, advise, advise_by_playouts};

use crate::apart::interruptible;
use crate::errors::value;
use crate::position::Position;

/// The most moves of a count, as on the command line.
const MAX_DEPTH: u32 = 1000;
/// The random games of a tree search that nothing else limits.
const USUAL_PLAYOUTS: u64 = 10_000;
/// Random games that share a generator, so that the answer does not depend on the number of threads.
const CHUNK: u64 = 512;

/// Does something with the position of a known game.
trait Ask: Send {
    type Out: Send;
    fn ask<G: Game>(self, state: &State<G>) -> Self::Out;
}

fn ask<A: Ask>(py: Python<'_>, position: &Position, stop: &Stop, what: A) -> PyResult<A::Out> {
    struct Asking<'a, A>(&'a Position, A);

    impl<A: Ask> Visit for Asking<'_, A> {
        type Out = A::Out;
        fn visit<G: Game>(self) -> A::Out {
            self.1.ask(State::<G>::of(&*self.0.state).expect("a state has the type of its game"))
        }
    }

    let name = position.state.game();
    interruptible(py, stop, || visit(name, Asking(position, what)))?.map_err(value)
}

fn goes_on(position: &Position) -> PyResult<()> {
    match position.state.position().status() {
        Status::ToMove(_) => Ok(()),
        Status::Over(_) => Err(value("the game is over: there is nothing to search")),
    }
}

fn seconds(time: f64, what: &str) -> PyResult<Duration> {
    let valid = (0.0..=1e6).contains(&time);
    if valid {
        Ok(Duration::from_secs_f64(time))
    } else {
        Err(value(format!("`{what}` takes 0 to 1000000 seconds")))
    }
}

struct Perft(u32, Stop);

impl Ask for Perft {
    type Out = u64;
    fn ask<G: Game>(self, state: &State<G>) -> u64 {
        count::<G>(&state.position, self.0, &self.1)
    }
}

/// As `rules::perft`, stopping between small counts.
fn count<G: Game>(position: &PositionOf<G>, depth: u32, stop: &Stop) -> u64 {
    if stop.is_set() {
        return 0;
    }
    if depth <= 3 {
        return rookery_rules::perft(position, depth);
    }
    let after = |mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        count::<G>(&next, depth - 1, stop)
    };
    position.legal_moves().map(after).sum()
}

/// How many sequences of `depth` moves there are; `depth` is 0 to 1000.
///
/// >>> import rookery
/// >>> rookery.perft(rookery.load("hexapawn:rows=3,cols=3"), 4)
/// 56
#[pyfunction]
fn perft(py: Python<'_>, position: Position, depth: u32) -> PyResult<u64> {
    if depth > MAX_DEPTH {
        return Err(value(format!("`depth` takes 0 to {MAX_DEPTH} moves, not {depth}")));
    }
    let stop = Stop::default();
    ask(py, &position, &stop, Perft(depth, stop.clone()))
}

/// What came of random games.
#[derive(Clone)]
struct Played {
    plies: u64,
    alone: Vec<u64>,
    shared: Vec<u64>,
}

struct Playouts {
    games: u64,
    seed: Seed,
    threads: usize,
    stop: Stop,
}

impl Playouts {
    fn some<G: Game>(&self, position: &PositionOf<G>, chunks: impl Iterator<Item = u64>) -> Played {
        let n_seats = position.n_seats();
        let mut played = Played { plies: 0, alone: vec![0; n_seats], shared: vec![0; n_seats] };
        for chunk in chunks {
            if self.stop.is_set() {
                break;
            }
            let mut rng: Rng = self.seed.derive(chunk).rng();
            for _ in 0..CHUNK.min(self.games - chunk * CHUNK) {
                let mut game = position.clone();
                played.plies += u64::from(playout(&mut game, &mut rng));
                if let Status::Over(outcome) = game.status() {
                    let alone = outcome.winners.len() == 1;
                    let counts = if alone { &mut played.alone } else { &mut played.shared };
                    outcome.winners.iter().for_each(|seat| counts[seat.index()] += 1);
                }
            }
        }
        played
    }
}

impl Ask for Playouts {
    type Out = Played;
    fn ask<G: Game>(self, state: &State<G>) -> Played {
        let (position, step) = (&state.position, self.threads as u64);
        let chunks = self.games.div_ceil(CHUNK);
        let of_thread = |first: u64| self.some::<G>(position, (first..chunks).step_by(step as usize));
        let parts: Vec<Played> = std::thread::scope(|scope| {
            let start = |first| {
                let thread = std::thread::Builder::new().spawn_scoped(scope, move || of_thread(first));
                (first, thread)
            };
            let others: Vec<_> = (1..step).map(start).collect();
            let own = of_thread(0);
            let joined = others.into_iter().map(|(first, thread)| match thread {
                Ok(part) => part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // The system gives no more threads: what this one was for is done here.
                Err(_) => of_thread(first),
            });
            std::iter::once(own).chain(joined).collect()
        });
        let mut all = parts[0].clone();
        for part in &parts[1..] {
            all.plies += part.plies;
            all.alone.iter_mut().zip(&part.alone).for_each(|(sum, count)| *sum += count);
            all.shared.iter_mut().zip(&part.shared).for_each(|(sum, count)| *sum += count);
        }
        all
    }
}

/// Plays random games from here to their ends: `games`, `plies` in all, and by seat `wins` alone and `draws` (a shared first
/// place). The same seed gives the same games, whatever the number of threads (by default one for each core).
///
/// >>> import rookery
/// >>> result = rookery.playouts(rookery.load("four"), 1000, seed=7)
/// >>> result["games"], sum(result["wins"]) + result["draws"][0]
/// (1000, 1000)
#[pyfunction]
#[pyo3(signature = (position, games, seed = 0, threads = None))]
fn playouts(
    py: Python<'_>,
    position: Position,
    games: u64,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'_, PyDict>> {
    let threads = threads.unwrap_or_else(n_cores).clamp(1, 256);
    let stop = Stop::default();
    let order = Playouts { games, seed: Seed(seed), threads, stop: stop.clone() };
    let played = ask(py, &position, &stop, order)?;
    let result = PyDict::new(py);
    result.set_item("games", games)?;
    result.set_item("plies", played.plies)?;
    result.set_item("wins", played.alone)?;
    result.set_item("draws", played.shared)?;
    Ok(result)
}

struct Choose {
    player: String,
    budget: Budget,
}

impl Ask for Choose {
    type Out = Result<String, String>;
    fn ask<G: Game>(self, state: &State<G>) -> Self::Out {
        let player =
            self.player.parse().map_err(|error: rookery_search::PlayerSpecError| error.to_string())?;
        let (mut player, _) = strategy::<G>(&player).map_err(|error| error.to_string())?;
        Ok(player.choose(&state.position, &self.budget).to_string())
    }
}

/// The move that a built-in player makes: `level` 1 to 8, or the spec of a `player` such as `hard` or `mcts:playouts=500`.
///
/// >>> import rookery
/// >>> rookery.best_move(rookery.Position.from_text("p1 .../1../..2", "hexapawn"), level=8)
/// 'a2-a3'
#[pyfunction]
#[pyo3(signature = (position, level = None, player = None, time = None, seed = 0))]
fn best_move(
    py: Python<'_>,
    position: Position,
    level: Option<i64>,
    player: Option<String>,
    time: Option<f64>,
    seed: u64,
) -> PyResult<String> {
    goes_on(&position)?;
    let player = match (level, player) {
        (Some(_), Some(_)) => return Err(value("name a level or a player, not both")),
        (Some(level), None) if !(1..=8).contains(&level) => {
            return Err(value(format!("there is no level {level}; levels are 1 to 8")));
        }
        (Some(level), None) => format!("level:{level}"),
        (None, Some(player)) => player,
        (None, None) => "hard".to_owned(),
    };
    let stop = Stop::default();
    let deadline = time.map(|time| seconds(time, "time")).transpose()?.map(|time| Instant::now() + time);
    let budget = Budget { deadline, stop: stop.clone(), seed: Seed(seed), ..Budget::default() };
    ask(py, &position, &stop, Choose { player, budget })?.map_err(value)
}

/// What is known of the best moves, the best first: `moves` (how the game would go on), `value` (the share of a win), `proven`,
/// `visits`, `plies`, `reason`; with `nodes`, `playouts` and `depth` of the search.
///
/// By proof where the game can be solved in `time` seconds, else by the strongest search. With `playouts` by so many random
/// games instead, whatever the `time`, which give the same answer on any machine. At most so many moves are told of (`lines`).
///
/// >>> import rookery
/// >>> best = rookery.analyse(rookery.Position.from_text("p1 .../1../..2", "hexapawn"))["lines"][0]
/// >>> best["moves"], best["value"], best["proven"], best["reason"]
/// (['a2-a3'], 1.0, True, 'wins at once')
#[pyfunction]
#[pyo3(signature = (position, time = 1.0, lines = 5, playouts = None, seed = 0))]
fn analyse(
    py: Python<'_>,
    position: Position,
    time: f64,
    lines: usize,
    playouts: Option<u64>,
    seed: u64,
) -> PyResult<Bound<'_, PyDict>> {
    goes_on(&position)?;
    if lines == 0 || playouts == Some(0) {
        return Err(value("`lines` and `playouts` are at least 1"));
    }
    let (time, stop, seed) = (seconds(time, "time")?, Stop::default(), Seed(seed));
    let name = position.state.game();
    let advice = interruptible(py, &stop, || {
        let at = position.state.position();
        if playouts.is_some() {
            let budget = Budget { work: playouts, stop: stop.clone(), seed, ..Budget::default() };
            let mut last = None;
            advise_by_playouts(name, at, &budget, lines, &mut |advice| last = Some(advice.clone()));
            return last;
        }
        let order = Order { time, max_lines: lines, threads: n_cores(), stop: stop.clone(), seed };
        advise(name, at, &order, &mut |_| {})
    })?;
    to_dict(py, advice)
}

fn to_dict(py: Python<'_>, advice: Option<Advice>) -> PyResult<Bound<'_, PyDict>> {
    let advice = advice.ok_or_else(|| value("the search found no move in time; give it more `time`"))?;
    let lines = PyList::empty(py);
    for line in &advice.lines {
        let told = PyDict::new(py);
        told.set_item("moves", &line.moves)?;
        told.set_item("value", line.value)?;
        told.set_item("error", line.error)?;
        told.set_item("proven", line.proven)?;
        told.set_item("plies", line.plies)?;
        told.set_item("visits", line.visits)?;
        told.set_item("reason", line.reason())?;
        lines.append(told)?;
    }
    let result = PyDict::new(py);
    result.set_item("lines", lines)?;
    result.set_item("nodes", advice.nodes)?;
    result.set_item("playouts", advice.playouts)?;
    result.set_item("depth", advice.depth)?;
    result.set_item("elapsed", advice.elapsed.as_secs_f64())?;
    Ok(result)
}

struct Grow {
    exploration: f32,
    budget: Budget,
}

/// The moves of the root with values and visits, and how many random games were played.
type Grown = (Vec<(String, f32, u32, bool)>, u64);

impl Ask for Grow {
    type Out = Grown;
    fn ask<G: Game>(self, state: &State<G>) -> Grown {
        let policy = random_games::<G>(&G::EXPERTISE);
        let mcts = Mcts { exploration: self.exploration, playouts: USUAL_PLAYOUTS, policy };
        let mut grown = (vec![], 0);
        let mut report = |analysis: &Analysis<<PositionOf<G> as rookery_rules::Position>::Move>| {
            if analysis.done {
                let line =
                    |line: &rookery_search::Line<_>| (line.moves[0], line.value, line.visits, line.proven);
                let lines: Vec<_> = analysis.lines.iter().map(line).collect();
                let told = lines
                    .into_iter()
                    .map(|(mv, value, visits, proven)| (format!("{mv}"), value, visits, proven));
                grown = (told.collect(), analysis.playouts);
            }
        };
        mcts.analyse(&state.position, &self.budget, usize::MAX, &mut report);
        grown
    }
}

/// Monte Carlo tree search with random games: `move` (the best), `value` (its share of a win), `playouts`, and for each move of
/// the root `visits` and `values`. It plays so many random games (`playouts`), or as many as `time` seconds allow, or with both
/// whichever ends first; with neither 10,000. Where a game can last more than 400 moves (Renpaarden, Stones), random ones are
/// left after 40 moves and judged.
///
/// >>> import rookery
/// >>> found = rookery.mcts(rookery.Position.from_text("p1 .../1../..2", "hexapawn"), playouts=100)
/// >>> found["move"], found["value"]
/// ('a2-a3', 1.0)
#[pyfunction]
#[pyo3(signature = (position, playouts = None, exploration = 0.7, time = None, seed = 0))]
fn mcts(
    py: Python<'_>,
    position: Position,
    playouts: Option<u64>,
    exploration: f32,
    time: Option<f64>,
    seed: u64,
) -> PyResult<Bound<'_, PyDict>> {
    goes_on(&position)?;
    if playouts == Some(0) || !(0.0..=1000.0).contains(&exploration) {
        return Err(value("`playouts` is at least 1, and `exploration` 0 to 1000"));
    }
    let stop = Stop::default();
    let deadline = time.map(|time| seconds(time, "time")).transpose()?.map(|time| Instant::now() + time);
    let budget =
        Budget { deadline, work: playouts, stop: stop.clone(), seed: Seed(seed), ..Budget::default() };
    let (lines, playouts) = ask(py, &position, &stop, Grow { exploration, budget })?;
    let (visits, values) = (PyDict::new(py), PyDict::new(py));
    for (mv, value, tried, _) in &lines {
        visits.set_item(mv, tried)?;
        values.set_item(mv, value)?;
    }
    let best = lines.first().ok_or_else(|| value("there is no move"))?;
    let result = PyDict::new(py);
    result.set_item("move", &best.0)?;
    result.set_item("value", best.1)?;
    result.set_item("proven", best.3)?;
    result.set_item("playouts", playouts)?;
    result.set_item("visits", visits)?;
    result.set_item("values", values)?;
    Ok(result)
}

struct Solve(SolveOrder, String);

impl Ask for Solve {
    type Out = Result<rookery_players::Solved, SolveError>;
    fn ask<G: Game>(self, _: &State<G>) -> Self::Out {
        rookery_players::solve(&G::EXPERTISE, &self.1, &self.0)
    }
}

/// Who wins with best play: `winner` (a seat, or None for a draw), `plies`, the best `line`, every first move with its winner and
/// plies (`moves`), and `nodes` looked at. A game or a board that is beyond the solver is a ValueError.
///
/// >>> import rookery
/// >>> rookery.solve(rookery.load("hexapawn:rows=3,cols=3"))["winner"]
/// 1
#[pyfunction]
#[pyo3(signature = (position, memory = 1 << 28, threads = None))]
fn solve(
    py: Python<'_>,
    position: Position,
    memory: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'_, PyDict>> {
    let stop = Stop::default();
    let threads = threads.unwrap_or(1).clamp(1, 64);
    let memory = memory.clamp(1 << 20, 1 << 36);
    let order = SolveOrder { threads, memory, stop: stop.clone(), ..SolveOrder::default() };
    let text = position.state.position().text();
    let solved = ask(py, &position, &stop, Solve(order, text))?.map_err(value)?;
    let seat = |value: &Value| value.winner.map(Seat::index);
    let result = PyDict::new(py);
    result.set_item("winner", seat(&solved.value))?;
    result.set_item("plies", solved.value.plies)?;
    result.set_item("line", &solved.line)?;
    let moves = PyDict::new(py);
    for (mv, value) in &solved.first_moves {
        moves.set_item(mv, (seat(value), value.plies))?;
    }
    result.set_item("moves", moves)?;
    result.set_item("nodes", solved.nodes)?;
    Ok(result)
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(perft, module)?)?;
    module.add_function(wrap_pyfunction!(playouts, module)?)?;
    module.add_function(wrap_pyfunction!(best_move, module)?)?;
    module.add_function(wrap_pyfunction!(analyse, module)?)?;
    module.add_function(wrap_pyfunction!(mcts, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)
}
