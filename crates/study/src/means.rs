//! The means by which moves are judged: a proof and a search at the same time, and whichever says more.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rookery_catalog::Game;
use rookery_players::{SolveOrder, Solved, Value, analyse, random_games};
use rookery_rules::{Position, PositionOf, Seat};
use rookery_search::{Analysis, Budget, Line, Mcts, Progress, Stop, Want};

use crate::advice::Order;

type MoveOf<G> = <PositionOf<G> as Position>::Move;

/// What was found so far.
pub(crate) struct Found<'a, M> {
    pub(crate) analysis: &'a Analysis<M>,
    /// How far the value of each line may be off.
    pub(crate) errors: &'a [f32],
    /// Whether nothing more comes.
    pub(crate) done: bool,
}

/// Memory for the table of the solver.
const MEMORY: usize = 16 << 20;
/// How often it is looked whether to stop.
const TICK: Duration = Duration::from_millis(3);
/// A search never claims to be more certain than this.
const LEAST_ERROR: f32 = 0.03;
/// Where a search has seen nothing yet it knows nothing.
const UNKNOWN: f32 = 0.5;

/// A solver that is done by then needs no search beside it.
const HEAD_START: Duration = Duration::from_millis(40);

/// Lets a solver and, if it takes longer, a search think about the position until the time is over, one of them is certain or
/// it is stopped.
pub(crate) fn find<G: Game>(
    position: &PositionOf<G>,
    order: &Order,
    report: &mut dyn FnMut(&Found<'_, MoveOf<G>>),
) {
    let deadline = Instant::now() + order.time;
    let (search_stop, solver_stop, progress) = (Stop::default(), Stop::default(), Progress::default());
    let (solver_ended, solver_news) = channel();
    let (search_ended, search_news) = channel::<()>();
    let solved = thread::scope(|scope| {
        let (search_stop, solver_stop, progress) = (&search_stop, &solver_stop, &progress);
        scope.spawn(move || {
            let wanted = SolveOrder {
                want: Want::Moves,
                look_up: true,
                memory: MEMORY,
                stop: solver_stop.clone(),
                progress: progress.clone(),
                ..SolveOrder::default()
            };
            let solved = (G::EXPERTISE.solve)(position, &wanted).ok();
            if solved.is_some() {
                search_stop.set();
            }
            // The other end waits as long as this one is there.
            let _ = solver_ended.send(solved);
        });
        scope.spawn(move || {
            // Ends when the search does, since then nobody can send any more.
            while let Err(RecvTimeoutError::Timeout) = search_news.recv_timeout(TICK) {
                if order.stop.is_set() || Instant::now() >= deadline {
                    solver_stop.set();
                    search_stop.set();
                }
            }
            solver_stop.set();
        });
        let early = solver_news.recv_timeout(HEAD_START.min(order.time));
        if !matches!(early, Ok(Some(_))) {
            search::<G>(position, order, deadline, search_stop, report);
        }
        drop(search_ended);
        early.unwrap_or_else(|_| solver_news.recv().ok().flatten())
    });
    if let Some(solved) = solved {
        let analysis = proven::<G>(position, &solved, order.max_lines, progress.nodes());
        let errors = vec![0.0; analysis.lines.len()];
        report(&Found { analysis: &analysis, errors: &errors, done: true });
    }
}

fn search<G: Game>(
    position: &PositionOf<G>,
    order: &Order,
    deadline: Instant,
    stop: &Stop,
    report: &mut dyn FnMut(&Found<'_, MoveOf<G>>),
) {
    let budget = Budget {
        deadline: Some(deadline),
        threads: order.threads,
        stop: stop.clone(),
        seed: order.seed,
        ..Budget::default()
    };
    let mut before: Vec<Line<MoveOf<G>>> = vec![];
    analyse::<G>(&G::EXPERTISE, position, &budget, order.max_lines, &mut |analysis| {
        let errors: Vec<f32> = analysis.lines.iter().map(|line| error(line, &before)).collect();
        // The solver may still be about to say more, but then it says it right away.
        let done = analysis.done && !stop.is_set();
        report(&Found { analysis, errors: &errors, done });
        before.clone_from(&analysis.lines);
    });
}

/// The same by random games alone, as `mcts` plays them.
pub(crate) fn play_out<G: Game>(
    position: &PositionOf<G>,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Found<'_, MoveOf<G>>),
) {
    let Mcts { playouts, exploration, .. } = Mcts::new(0);
    let mcts = Mcts { playouts, exploration, policy: random_games::<G>(&G::EXPERTISE) };
    mcts.analyse(position, budget, max_lines, &mut |analysis| {
        let errors: Vec<f32> = analysis.lines.iter().map(|line| error(line, &[])).collect();
        report(&Found { analysis, errors: &errors, done: analysis.done });
    });
}

/// How far a value may be off: by chance where it comes from random games, else by as much as it changed when the search
/// last looked further.
fn error<M: PartialEq>(line: &Line<M>, before: &[Line<M>]) -> f32 {
    if line.proven {
        return 0.0;
    }
    if line.visits > 0 {
        let chance = (line.value * (1.0 - line.value) / line.visits as f32).sqrt();
        return (2.0 * chance).max(LEAST_ERROR);
    }
    let known = before.iter().find(|known| known.moves.first() == line.moves.first());
    known.map_or(UNKNOWN, |known| (known.value - line.value).abs()).max(LEAST_ERROR)
}

/// What the solver has found, as lines.
fn proven<G: Game>(
    position: &PositionOf<G>,
    solved: &Solved,
    max_lines: usize,
    nodes: u64,
) -> Analysis<MoveOf<G>> {
    let seat = position.to_move().expect("a solved position is not over");
    let parse = |text: &String| text.parse::<MoveOf<G>>().ok();
    let mut lines: Vec<Line<MoveOf<G>>> = solved
        .first_moves
        .iter()
        .filter_map(|(text, value)| {
            let moves = match solved.line.first() {
                Some(first) if first == text => solved.line.iter().map_while(parse).collect(),
                _ => vec![parse(text)?],
            };
            Some(Line { moves, value: share(*value, seat), proven: true, plies: value.plies, visits: 0 })
        })
        .collect();
    // A win soon, a loss late; of equals the one whose way is known, then the first of the list.
    lines.sort_by_key(|line| {
        let plies = line.plies.map_or(i64::MAX, i64::from);
        let haste = if line.value >= 1.0 { plies } else { plies.checked_neg().unwrap_or(0) };
        (std::cmp::Reverse((line.value * 1e6) as i64), haste, std::cmp::Reverse(line.moves.len()))
    });
    lines.truncate(max_lines.max(1));
    Analysis { lines, playouts: 0, nodes, depth: 0, elapsed: solved.elapsed, done: true }
}

/// The share of a win that a certain value is.
fn share(value: Value, seat: Seat) -> f32 {
    match value.winner {
        None => 0.5,
        Some(winner) if winner == seat => 1.0,
        Some(_) => 0.0,
    }
}
