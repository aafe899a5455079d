//! Alpha-beta for any number of seats.
//!
//! One seat searches, and all others are assumed to play against it (*paranoid*). Values are always those of the
//! searching seat: it maximises on its own moves, everybody else minimises. Nothing is ever negated, so a seat that
//! moves twice in a row, one that is skipped and one that was removed are right by construction.

mod search;
mod table;

use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use rookery_rules::{Keyed, Position, Seat};

use crate::{Analysis, Budget, Line, Stop, Strategy};
use search::Search;
use table::Table;
pub use table::mark;

/// What a position promises a seat before the game is over, between -[`LIMIT`] and [`LIMIT`].
pub trait Evaluation<P: Position>: Send + Sync {
    /// The promise; higher is better for `seat`.
    fn value(&self, position: &P, seat: Seat) -> i32;

    /// How promising a move looks for who makes it, before anything is searched; the highest are tried first.
    fn rank(&self, _position: &P, _mv: P::Move) -> i32 {
        0
    }

    /// Whether a move changes so much that a position where it is possible should not be judged as it stands: at the
    /// end of a search such moves are still looked at.
    fn is_loud(&self, _position: &P, _mv: P::Move) -> bool {
        false
    }

    /// Whether a move is seen at all that could be made after `ply` other moves. Who overlooks some is a weaker player.
    #[inline]
    fn sees(&self, _position: &P, _mv: P::Move, _ply: u32) -> bool {
        true
    }

    /// The promise with which three games of four are won.
    fn three_of_four(&self) -> i32 {
        200
    }
}

impl<P: Position, F: Fn(&P, Seat) -> i32 + Send + Sync> Evaluation<P> for F {
    fn value(&self, position: &P, seat: Seat) -> i32 {
        self(position, seat)
    }
}

/// No evaluation is larger.
pub const LIMIT: i32 = 1_000_000;
/// A win is worth more than any evaluation, and the sooner the more.
const WIN: i32 = 2_000_000;
/// The deepest search, in moves.
const MAX_DEPTH: u32 = 256;
/// More threads of one search than this hardly help each other.
const MAX_THREADS: usize = 32;

/// The strategy. A budget's work counts positions. With a deadline all threads of the budget search, and share what they
/// find out; without one a single thread does, so that the same budget gives the same answer.
#[derive(Debug)]
pub struct AlphaBeta<E> {
    evaluation: E,
    /// How deep, if the budget sets no limit at all.
    depth: u32,
    table: Table,
    reduces: bool,
}

impl<E> AlphaBeta<E> {
    /// Searches with this evaluation, by default so deep, and remembers positions in about `table_bytes` bytes.
    pub fn new(evaluation: E, depth: u32, table_bytes: usize) -> Self {
        Self { evaluation, depth, table: Table::new(table_bytes), reduces: false }
    }

    /// The same, but moves that look bad are searched less deep at first. That finds more in the same time, and values
    /// are no longer those of all moves so many moves ahead; what is called won or lost still is.
    #[must_use]
    pub fn reducing(self) -> Self {
        Self { reduces: true, ..self }
    }

    /// The evaluation, to change what it depends on between two searches.
    pub fn evaluation_mut(&mut self) -> &mut E {
        &mut self.evaluation
    }
}

/// What came of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<M> {
    /// The best move.
    pub mv: M,
    /// Its value for the seat to move.
    pub value: i32,
    /// How deep the search went.
    pub depth: u32,
    /// How many positions it looked at.
    pub nodes: u64,
}

impl<E> AlphaBeta<E> {
    /// Searches deeper and deeper until the budget is spent, the depth is reached or the result is certain.
    pub fn search<P: Keyed>(&mut self, position: &P, budget: &Budget) -> Found<P::Move>
    where
        E: Evaluation<P>,
    {
        let seat = position.to_move().expect("a search begins while the game goes on");
        self.table.forget();
        let (this, finished) = (&*self, Stop::default());
        thread::scope(|scope| {
            this.assist(scope, position, budget, &finished, seat);
            let mut search = this.thread(budget, &finished, seat);
            let moves = search.root_moves(position);
            let found = deepen(&mut search, position, moves, 1, this.max_depth(budget));
            finished.set();
            found
        })
    }

    /// Threads that search the same position and share what they find out with the one that answers, where there is a
    /// clock.
    fn assist<'scope, P: Keyed>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        position: &'scope P,
        budget: &'scope Budget,
        finished: &'scope Stop,
        seat: Seat,
    ) where
        E: Evaluation<P>,
    {
        let n_helpers = if budget.deadline.is_some() { budget.threads.clamp(1, MAX_THREADS) - 1 } else { 0 };
        for late in 1..=n_helpers as u32 {
            scope.spawn(move || {
                let mut search = self.thread(budget, finished, seat);
                let moves = search.root_moves(position);
                // Half of them begin one deeper, so that they do not all do the same at the same time.
                deepen(&mut search, position, moves, 1 + late % 2, self.max_depth(budget));
            });
        }
    }

    /// What several moves are worth, and how the game would go on from each, again and again while it searches deeper,
    /// until the budget is spent, the depth is reached or all of it is certain; the last report is the result. The values
    /// of the best `max_lines` moves are exact for their depth.
    pub fn lines<P: Keyed>(
        &mut self,
        position: &P,
        budget: &Budget,
        max_lines: usize,
        report: &mut dyn FnMut(&Analysis<P::Move>),
    ) where
        E: Evaluation<P>,
    {
        let Some(seat) = position.to_move() else { return };
        self.table.forget();
        let (this, finished) = (&*self, Stop::default());
        let last = thread::scope(|scope| {
            this.assist(scope, position, budget, &finished, seat);
            let mut search = this.thread(budget, &finished, seat);
            let last = this.compare(&mut search, position, max_lines, this.max_depth(budget), report);
            finished.set();
            last
        });
        report(&Analysis { done: true, ..last });
    }

    /// Reports the best lines of each depth but the last, which it returns.
    fn compare<P: Keyed>(
        &self,
        search: &mut Search<'_, P, E>,
        position: &P,
        max_lines: usize,
        max_depth: u32,
        report: &mut dyn FnMut(&Analysis<P::Move>),
    ) -> Analysis<P::Move>
    where
        E: Evaluation<P>,
    {
        let start = Instant::now();
        let standings = Standings::of(&self.evaluation, position);
        let mut moves: Vec<(P::Move, i32)> =
            search.root_moves(position).into_iter().map(|mv| (mv, -WIN)).collect();
        let n_lines = max_lines.clamp(1, moves.len());
        let mut last =
            Analysis { lines: vec![], playouts: 0, nodes: 0, depth: 0, elapsed: Duration::ZERO, done: false };
        for depth in 1..=max_depth {
            // What was best before comes first, so that the others can be refuted quickly.
            let mut values: Vec<i32> = vec![];
            let mut now = Vec::with_capacity(moves.len());
            for &(mv, _) in &moves {
                let alpha = if values.len() < n_lines { -WIN } else { values[n_lines - 1] };
                let value = search.value_of(position, mv, depth, alpha);
                if search.stopped {
                    break;
                }
                values.insert(values.partition_point(|&known| known >= value), value);
                now.push((mv, value));
            }
            if search.stopped {
                break;
            }
            moves = now;
            // Stable: of equals the one that was better before.
            moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
            let best = &moves[..n_lines];
            let line = |&(mv, value)| self.line(search.line(position, mv, depth), value, standings);
            let lines = best.iter().map(line).collect();
            let certain = best.iter().all(|&(_, value)| value.abs() > LIMIT);
            last = Analysis { lines, depth, nodes: search.nodes, elapsed: start.elapsed(), ..last };
            if certain || depth == max_depth {
                break;
            }
            report(&last);
        }
        if last.lines.is_empty() {
            // There was no time for anything: the moves as they are listed.
            let unknown = |&(mv, _): &(P::Move, i32)| self.line(vec![mv], standings.common, standings);
            last.lines = moves.iter().take(n_lines).map(unknown).collect();
        }
        Analysis { nodes: search.nodes, elapsed: start.elapsed(), ..last }
    }

    /// What a value says of the first of these moves.
    fn line<P: Keyed>(&self, moves: Vec<P::Move>, value: i32, standings: Standings) -> Line<P::Move>
    where
        E: Evaluation<P>,
    {
        let plies = (value.abs() > LIMIT).then(|| (WIN - value.abs()) as u32);
        // Nobody can prevent a win that all others together cannot prevent. A loss is certain only if they do play
        // together: if there is but one of them, or nothing left to play.
        let proven = match plies {
            Some(plies) => value > 0 || standings.n_playing <= 2 || plies == 1,
            None => false,
        };
        Line {
            moves,
            value: self.share(value, standings),
            proven,
            plies: plies.filter(|_| proven),
            visits: 0,
        }
    }

    /// A value as the share of a win: an even one if nobody is ahead.
    fn share<P: Keyed>(&self, value: i32, standings: Standings) -> f32
    where
        E: Evaluation<P>,
    {
        match value {
            _ if value > LIMIT => 1.0,
            _ if value < -LIMIT => 0.0,
            _ => {
                let (others, ahead) = (standings.n_playing.max(2) as f32 - 1.0, value - standings.common);
                // Written so that no value, however large, is infinite on both sides of a division.
                1.0 / (1.0 + others * 3f32.powf(-ahead as f32 / self.evaluation.three_of_four() as f32))
            }
        }
    }

    fn max_depth(&self, budget: &Budget) -> u32 {
        let limited = budget.deadline.is_some() || budget.work.is_some();
        budget.depth.unwrap_or(if limited { MAX_DEPTH } else { self.depth }).clamp(1, MAX_DEPTH)
    }

    fn thread<'a, P: Keyed>(&'a self, budget: &'a Budget, finished: &'a Stop, seat: Seat) -> Search<'a, P, E>
    where
        E: Evaluation<P>,
    {
        Search::new(&self.evaluation, &self.table, budget, finished, seat, self.reduces)
    }
}

/// How all seats stand where a search begins.
#[derive(Clone, Copy)]
struct Standings {
    /// So many seats can still win.
    n_playing: usize,
    /// What an evaluation promises each of them on average. Where it compares one with all others together everybody is
    /// behind, which says nothing. Two seats are compared with each other.
    common: i32,
}

impl Standings {
    fn of<P: Position>(evaluation: &impl Evaluation<P>, position: &P) -> Self {
        let (seats, n_playing) = (position.playing(), position.playing().len());
        let sum: i64 = seats.iter().map(|seat| i64::from(evaluation.value(position, seat))).sum();
        let common = if n_playing > 2 { (sum / n_playing as i64) as i32 } else { 0 };
        Self { n_playing, common }
    }
}

/// Searches deeper and deeper, until it is stopped or the result is certain.
fn deepen<P: Keyed, E: Evaluation<P>>(
    search: &mut Search<'_, P, E>,
    position: &P,
    mut moves: Vec<P::Move>,
    first_depth: u32,
    max_depth: u32,
) -> Found<P::Move> {
    let mut found = Found { mv: moves[0], value: 0, depth: 0, nodes: 0 };
    for depth in first_depth.min(max_depth)..=max_depth {
        let value = search.root(position, &mut moves, depth, found.value);
        // Also what an unfinished search has found to be better is.
        found.mv = moves[0];
        if search.stopped {
            break;
        }
        found = Found { value, depth, ..found };
        if value.abs() > LIMIT {
            break;
        }
    }
    found.nodes = search.nodes;
    found
}

impl<P: Keyed, E: Evaluation<P>> Strategy<P> for AlphaBeta<E> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        self.search(position, budget).mv
    }
}
