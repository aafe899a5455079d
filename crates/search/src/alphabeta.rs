//! Alpha-beta for any number of seats.
//!
//! One seat searches, and all others are assumed to play against it (*paranoid*). Values are always those of the
//! searching seat: it maximises on its own moves, everybody else minimises. Nothing is ever negated, so a seat that
//! moves twice in a row, one that is skipped and one that was removed are right by construction.

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};

use rookery_rules::{Keyed, Outcome, Position, Seat, Status, mix};

use crate::{Budget, Strategy};

/// What a position promises a seat before the game is over, between -[`LIMIT`] and [`LIMIT`].
pub trait Evaluation<P: Position>: Send {
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
}

impl<P: Position, F: Fn(&P, Seat) -> i32 + Send> Evaluation<P> for F {
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
/// How often the clock is looked at, in positions.
const CLOCK_EVERY: u64 = 64;
/// How many loud moves in a row are looked at beyond the depth.
const MAX_LOUD: u32 = 12;

/// The strategy. A budget's work counts positions.
#[derive(Debug)]
pub struct AlphaBeta<E> {
    evaluation: E,
    /// How deep, if the budget sets no limit at all.
    depth: u32,
    table: Table,
}

impl<E> AlphaBeta<E> {
    /// Searches with this evaluation, by default so deep, and remembers positions in about `table_bytes` bytes.
    pub fn new(evaluation: E, depth: u32, table_bytes: usize) -> Self {
        Self { evaluation, depth, table: Table::new(table_bytes) }
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
        let first = position.legal_moves().next().expect("who is to move has a move");
        let limited = budget.deadline.is_some() || budget.work.is_some();
        let max_depth = budget.depth.unwrap_or(if limited { MAX_DEPTH } else { self.depth }).min(MAX_DEPTH);
        self.table.forget();
        let mut search = Search {
            evaluation: &self.evaluation,
            table: &mut self.table,
            budget,
            work: budget.work.unwrap_or(u64::MAX),
            seat,
            nodes: 0,
            stopped: false,
            killers: vec![[None; 2]; MAX_DEPTH as usize + 1],
            history: vec![0; HISTORY],
            moves: vec![vec![]; MAX_DEPTH as usize + 1],
        };
        let mut found = Found { mv: first, value: 0, depth: 0, nodes: 0 };
        for depth in 1..=max_depth {
            let value = search.root(position, depth, found.value, &mut found.mv);
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
}

impl<P: Keyed, E: Evaluation<P>> Strategy<P> for AlphaBeta<E> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        self.search(position, budget).mv
    }
}

/// Slots for the history of moves; moves are told apart by a hash.
const HISTORY: usize = 1 << 12;

struct Search<'a, P: Position, E> {
    evaluation: &'a E,
    table: &'a mut Table,
    budget: &'a Budget,
    /// The most nodes.
    work: u64,
    /// Who searches.
    seat: Seat,
    nodes: u64,
    stopped: bool,
    /// By ply: moves that cut off a neighbouring line.
    killers: Vec<[Option<P::Move>; 2]>,
    /// By move: how often, and how deep, it cut off.
    history: Vec<u32>,
    /// By ply: room for the moves, so that nothing is allocated once it is warm.
    moves: Vec<Vec<P::Move>>,
}

impl<P: Keyed, E: Evaluation<P>> Search<'_, P, E> {
    /// Searches the root in a narrow window around the last value, and in a wider one if that fails.
    fn root(&mut self, position: &P, depth: u32, last: i32, best: &mut P::Move) -> i32 {
        let mut margin = 64;
        loop {
            let window = if depth < 3 {
                (-WIN, WIN)
            } else {
                (last.saturating_sub(margin), last.saturating_add(margin))
            };
            let (value, mv) = self.node(position, depth, 0, window.0, window.1);
            if self.stopped {
                return last;
            }
            if (value > window.0 && value < window.1) || window.0 <= -WIN && window.1 >= WIN {
                *best = mv.unwrap_or(*best);
                return value;
            }
            margin = margin.saturating_mul(16);
        }
    }

    /// Counts a position, and looks now and then whether to stop.
    fn count(&mut self) {
        self.nodes += 1;
        // Work is counted exactly, so that a small amount of it is possible too.
        if self.nodes >= self.work || self.nodes.is_multiple_of(CLOCK_EVERY) && self.budget.is_spent(0) {
            self.stopped = true;
        }
    }

    fn leaf(&self, outcome: &Outcome, ply: u32) -> i32 {
        let share =
            if outcome.winners.contains(self.seat) { WIN / outcome.winners.len() as i32 } else { -WIN };
        match share {
            // A full win soon is better than late, a loss late better than soon.
            WIN => WIN - ply as i32,
            share if share == -WIN => -WIN + ply as i32,
            // A shared first place lies between all evaluations and none: a draw.
            _ => 0,
        }
    }

    /// The value of a position within a window, and the move that has it.
    fn node(
        &mut self,
        position: &P,
        depth: u32,
        ply: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> (i32, Option<P::Move>) {
        self.count();
        let mover = match position.status() {
            Status::Over(outcome) => return (self.leaf(&outcome, ply), None),
            Status::ToMove(mover) => mover,
        };
        if self.stopped || ply >= MAX_DEPTH {
            return (self.judge(position), None);
        }
        if depth == 0 {
            return (self.settle(position, mover == self.seat, MAX_LOUD, ply, (alpha, beta)), None);
        }
        let key = position.key() ^ self.seat.index() as u64;
        let known = self.table.get(key);
        if let Some(entry) = known
            && ply > 0
        {
            let value = from_here(entry.value, ply);
            // A forced win or loss that a shallower search has found is one at any depth.
            let (deep, won, lost) = (entry.depth >= depth, value > LIMIT, value < -LIMIT);
            match entry.bound {
                Bound::Exact if deep => return (value, None),
                Bound::AtLeast | Bound::Exact if deep || won => alpha = alpha.max(value),
                Bound::AtMost | Bound::Exact if deep || lost => beta = beta.min(value),
                _ => {}
            }
            if alpha >= beta {
                return (value, None);
            }
        }
        let (best, best_move) = self.try_moves(
            position,
            mover == self.seat,
            depth,
            ply,
            (alpha, beta),
            known.map(|entry| entry.mark),
        );
        if !self.stopped {
            let bound = match best {
                _ if best <= alpha => Bound::AtMost,
                _ if best >= beta => Bound::AtLeast,
                _ => Bound::Exact,
            };
            let mark = best_move.map_or(0, mark);
            self.table.put(key, Entry { value: to_here(best, ply), depth, bound, mark });
        }
        (best, best_move)
    }

    fn judge(&self, position: &P) -> i32 {
        self.evaluation.value(position, self.seat).clamp(-LIMIT, LIMIT)
    }

    /// The value of a position at the end of the search: as it stands, or better for who is to move by loud moves.
    fn settle(
        &mut self,
        position: &P,
        maximising: bool,
        loud_left: u32,
        ply: u32,
        (mut alpha, mut beta): (i32, i32),
    ) -> i32 {
        let mut best = self.judge(position);
        if loud_left == 0 || ply >= MAX_DEPTH {
            return best;
        }
        let mut moves = std::mem::take(&mut self.moves[ply as usize]);
        moves.clear();
        moves.extend(position.legal_moves().filter(|&mv| self.evaluation.is_loud(position, mv)));
        moves.sort_by_cached_key(|&mv| Reverse(self.evaluation.rank(position, mv)));
        for &mv in &moves {
            if maximising {
                alpha = alpha.max(best);
            } else {
                beta = beta.min(best);
            }
            if alpha >= beta || self.stopped {
                break;
            }
            let mut child = position.clone();
            child.play_unchecked(mv);
            self.count();
            let value = match child.status() {
                Status::Over(outcome) => self.leaf(&outcome, ply + 1),
                Status::ToMove(next) => {
                    self.settle(&child, next == self.seat, loud_left - 1, ply + 1, (alpha, beta))
                }
            };
            best = if maximising { best.max(value) } else { best.min(value) };
        }
        self.moves[ply as usize] = moves;
        best
    }

    /// Tries the moves, promising ones first, and returns the best value and its move.
    fn try_moves(
        &mut self,
        position: &P,
        maximising: bool,
        depth: u32,
        ply: u32,
        (mut alpha, mut beta): (i32, i32),
        known: Option<u32>,
    ) -> (i32, Option<P::Move>) {
        let mut moves = std::mem::take(&mut self.moves[ply as usize]);
        moves.clear();
        moves.extend(position.legal_moves());
        let listed = moves.len();
        self.order(position, &mut moves, known, ply);
        let mut best = (if maximising { -WIN - 1 } else { WIN + 1 }, None);
        for &mv in &moves {
            let mut child = position.clone();
            child.play_unchecked(mv);
            let (value, _) = self.node(&child, depth - 1, ply + 1, alpha, beta);
            if self.stopped && best.1.is_some() {
                break;
            }
            if best.1.is_none() || (maximising && value > best.0) || (!maximising && value < best.0) {
                best = (value, Some(mv));
            }
            if maximising {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                self.remember_cut(mv, depth, ply);
                break;
            }
        }
        debug_assert_eq!(moves.len(), listed, "ordering loses no move");
        self.moves[ply as usize] = moves;
        best
    }

    fn order(&self, position: &P, moves: &mut [P::Move], known: Option<u32>, ply: u32) {
        let killers = self.killers[ply as usize];
        // Stable, so that equals stay in the game's order and the search does not depend on chance.
        moves.sort_by_cached_key(|&mv| {
            let mark = mark(mv);
            let class = match () {
                () if Some(mark) == known => 0,
                () if killers.contains(&Some(mv)) => 1,
                () => 2,
            };
            let history = self.history[history_slot(mark)];
            (class, Reverse(self.evaluation.rank(position, mv)), Reverse(history))
        });
    }

    fn remember_cut(&mut self, mv: P::Move, depth: u32, ply: u32) {
        let killers = &mut self.killers[ply as usize];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        let slot = &mut self.history[history_slot(mark(mv))];
        *slot = slot.saturating_add(depth * depth);
    }
}

/// A value for the table: a distance to the end counts from the root, and means nothing in another line unless it is
/// counted from the position itself.
const fn to_here(value: i32, ply: u32) -> i32 {
    match value {
        _ if value > LIMIT => value + ply as i32,
        _ if value < -LIMIT => value - ply as i32,
        _ => value,
    }
}

/// The reverse of [`to_here`].
const fn from_here(value: i32, ply: u32) -> i32 {
    match value {
        _ if value > LIMIT => value - ply as i32,
        _ if value < -LIMIT => value + ply as i32,
        _ => value,
    }
}

fn history_slot(mark: u32) -> usize {
    mark as usize % HISTORY
}

/// A number for a move, the same in every run. Two moves may have the same; then one is tried too early, no more.
fn mark(mv: impl Hash) -> u32 {
    struct Fold(u64);
    impl Hasher for Fold {
        fn write(&mut self, bytes: &[u8]) {
            for &byte in bytes {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        fn finish(&self) -> u64 {
            self.0
        }
    }
    let mut fold = Fold(0xcbf2_9ce4_8422_2325);
    mv.hash(&mut fold);
    (fold.finish() >> 20) as u32
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    value: i32,
    depth: u32,
    bound: Bound,
    /// The [`mark`] of the best move.
    mark: u32,
}

/// Positions seen, by key. A new position takes the place of an old one.
#[derive(Debug)]
struct Table {
    slots: Vec<Option<(u64, Entry)>>,
    /// Mixed into the keys, so that a new search finds nothing of the last one.
    salt: u64,
}

impl Table {
    fn new(bytes: usize) -> Self {
        let n_slots = (bytes / size_of::<Option<(u64, Entry)>>()).max(1024).next_power_of_two() / 2;
        Self { slots: vec![None; n_slots], salt: 0 }
    }

    /// Forgets everything: values of another setup, another seat or another cap on turns are not values here.
    fn forget(&mut self) {
        self.salt = mix(self.salt);
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    fn get(&self, key: u64) -> Option<Entry> {
        let key = key ^ self.salt;
        self.slots[self.slot(key)].and_then(|(known, entry)| (known == key).then_some(entry))
    }

    fn put(&mut self, key: u64, entry: Entry) {
        let key = key ^ self.salt;
        let slot = self.slot(key);
        let keep = self.slots[slot].is_some_and(|(known, old)| known == key && old.depth > entry.depth);
        if !keep {
            self.slots[slot] = Some((key, entry));
        }
    }
}
