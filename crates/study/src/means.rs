//! The means by which moves are judged: a proof and a search at the same time, and whichever says more.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rookery_catalog::Game;
use rookery_players::{KeepingMove, SolveOrder, Solved, Value, analyse, random_games};
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
/// it is stopped. The last report, and only that, is done.
pub(crate) fn find<G: Game>(
    position: &PositionOf<G>,
    order: &Order,
    report: &mut dyn FnMut(&Found<'_, MoveOf<G>>),
) {
    let deadline = Instant::now() + order.time;
    let (search_stop, solver_stop, progress) = (Stop::default(), Stop::default(), Progress::default());
    let (solver_ended, solver_news) = channel();
    let (search_ended, search_news) = channel::<()>();
    let (keeper, kept) = channel();
    let (solved, searched) = thread::scope(|scope| {
        let (search_stop, solver_stop, progress) = (&search_stop, &solver_stop, &progress);
        let wanted = SolveOrder {
            want: Want::Moves,
            // The other half is for the search, which has all of them where nothing can be solved.
            threads: (order.threads / 2).max(1),
            look_up: true,
            memory: MEMORY,
            stop: solver_stop.clone(),
            progress: progress.clone(),
            keeper: Some(keeper),
            ..SolveOrder::default()
        };
        scope.spawn(move || {
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
        let threads = match early {
            Ok(_) => order.threads,
            Err(_) => order.threads - order.threads / 2,
        };
        let budget = Budget {
            deadline: Some(deadline),
            threads,
            stop: search_stop.clone(),
            seed: order.seed,
            ..Budget::default()
        };
        let searched = match early {
            Ok(Some(_)) => None,
            _ => search::<G>(position, &budget, order.max_lines, &kept, report),
        };
        drop(search_ended);
        (early.unwrap_or_else(|_| solver_news.recv().ok().flatten()), searched)
    });
    let (analysis, errors) = match (solved, searched) {
        (Some(solved), _) => {
            let analysis = proven::<G>(position, &solved, order.max_lines, progress.nodes());
            let errors = vec![0.0; analysis.lines.len()];
            (analysis, errors)
        }
        (None, Some(searched)) => searched,
        (None, None) => return,
    };
    report(&Found { analysis: &analysis, errors: &errors, done: true });
}

/// What a search has found, and how far each of its values may be off.
type Searched<M> = (Analysis<M>, Vec<f32>);

/// Reports all that it finds but the last, which it returns: a solver may still be about to say more. A move that a solver
/// says to keep the result comes first.
fn search<G: Game>(
    position: &PositionOf<G>,
    budget: &Budget,
    max_lines: usize,
    kept: &Receiver<KeepingMove>,
    report: &mut dyn FnMut(&Found<'_, MoveOf<G>>),
) -> Option<Searched<MoveOf<G>>> {
    let n_playing = position.playing().len();
    let mut before: Vec<Line<MoveOf<G>>> = vec![];
    let (mut keeping, mut last) = (None, None);
    analyse::<G>(&G::EXPERTISE, position, budget, max_lines, &mut |found| {
        keeping = keeping.or_else(|| {
            let KeepingMove { mv, wins } = kept.try_recv().ok()?;
            Some((mv.parse::<MoveOf<G>>().ok()?, wins))
        });
        let mut analysis = found.clone();
        if let Some((mv, wins)) = keeping {
            put_first(&mut analysis.lines, mv, wins, max_lines);
        }
        let errors = analysis.lines.iter().map(|line| error(line, &before, n_playing)).collect::<Vec<f32>>();
        before.clone_from(&analysis.lines);
        if found.done {
            last = Some((analysis, errors));
        } else {
            report(&Found { analysis: &analysis, errors: &errors, done: false });
        }
    });
    last
}

/// Puts a move first that is known to win, or to keep a draw where nothing wins, unless the search has proved as much.
fn put_first<M: Copy + PartialEq>(lines: &mut Vec<Line<M>>, mv: M, wins: bool, max_lines: usize) {
    let worth = if wins { 1.0 } else { 0.5 };
    if lines.first().is_some_and(|best| best.proven && best.value >= worth) {
        return;
    }
    let found = lines.iter().position(|line| line.moves.first() == Some(&mv)).map(|idx| lines.remove(idx));
    let moves = found.map_or_else(|| vec![mv], |line| line.moves);
    for line in &mut *lines {
        // Nothing is better than what the position is worth.
        line.value = line.value.min(worth);
    }
    lines.insert(0, Line { moves, value: worth, proven: true, plies: None, visits: 0 });
    lines.truncate(max_lines.max(1));
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
        let n_playing = position.playing().len();
        let errors: Vec<f32> = analysis.lines.iter().map(|line| error(line, &[], n_playing)).collect();
        report(&Found { analysis, errors: &errors, done: analysis.done });
    });
}

/// How far a value may be off: by chance where it comes from random games, else by as much as it changed when the search
/// last looked further.
fn error<M: PartialEq>(line: &Line<M>, before: &[Line<M>], n_playing: usize) -> f32 {
    if line.proven {
        return 0.0;
    }
    if line.visits > 0 {
        let chance = (line.value * (1.0 - line.value) / line.visits as f32).sqrt();
        return (2.0 * chance).max(LEAST_ERROR);
    }
    if line.value <= 0.0 {
        // All others together can prevent a win, but hardly all of them will want to: each has its own game.
        return 1.0 / n_playing.max(1) as f32;
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
