//! One thread of a search.

use std::cmp::Reverse;

use rookery_rules::{Keyed, Outcome, Position, Seat, Status};

use super::table::{Bound, Entry, Table, mark};
use super::{Evaluation, LIMIT, MAX_DEPTH, WIN};
use crate::{Budget, Stop};

/// How often the clock is looked at, in positions.
const CLOCK_EVERY: u64 = 64;
/// How many loud moves in a row are looked at beyond the depth.
const MAX_LOUD: u32 = 12;
/// Slots for the history of moves; moves are told apart by a hash.
const HISTORY: usize = 1 << 12;
/// So many moves are searched to the full depth before the others are searched less deep at first.
const FULL_MOVES: usize = 3;
/// Less deep pays only so far from the end of the search.
const MIN_REDUCED: u32 = 3;
/// Ranks beyond this are all the same.
const MAX_RANK: i32 = (1 << 29) - 1;
/// The first window around the last value.
const WINDOW: i32 = 64;

pub(super) struct Search<'a, P: Position, E> {
    evaluation: &'a E,
    table: &'a Table,
    budget: &'a Budget,
    /// Raised when another thread has the answer.
    finished: &'a Stop,
    /// Whether moves that come late are searched less deep, unless that shows them to be good.
    reduces: bool,
    /// The most nodes.
    work: u64,
    /// Who searches.
    seat: Seat,
    pub(super) nodes: u64,
    pub(super) stopped: bool,
    /// By ply: moves that cut off a neighbouring line.
    killers: Vec<[Option<P::Move>; 2]>,
    /// By move: how often, and how deep, it cut off.
    history: Vec<u32>,
    /// By ply: room for the moves with their urgency, so that nothing is allocated once it is warm.
    moves: Vec<Vec<(u64, P::Move)>>,
}

impl<'a, P: Keyed, E: Evaluation<P>> Search<'a, P, E> {
    pub(super) fn new(
        evaluation: &'a E,
        table: &'a Table,
        budget: &'a Budget,
        finished: &'a Stop,
        seat: Seat,
        reduces: bool,
    ) -> Self {
        Self {
            evaluation,
            table,
            budget,
            finished,
            reduces,
            work: budget.work.unwrap_or(u64::MAX),
            seat,
            nodes: 0,
            stopped: false,
            killers: vec![[None; 2]; MAX_DEPTH as usize + 1],
            history: vec![0; HISTORY],
            moves: vec![vec![]; MAX_DEPTH as usize + 1],
        }
    }

    /// The moves of the root that the searching seat sees, promising ones first.
    pub(super) fn root_moves(&self, position: &P) -> Vec<P::Move> {
        let mut moves = vec![];
        self.list(position, 0, None, &mut moves);
        // Stable, so that equals stay in the game's order and the search does not depend on chance.
        moves.sort_by_key(|&(urgency, _)| Reverse(urgency));
        moves.into_iter().map(|(_, mv)| mv).collect()
    }

    /// Searches the root in a narrow window around the last value, and in a wider one if that fails. The best move is
    /// then the first of the moves; also if the search was stopped on the way and has found a better one by then.
    pub(super) fn root(&mut self, position: &P, moves: &mut [P::Move], depth: u32, last: i32) -> i32 {
        let mut margin = WINDOW;
        loop {
            let (alpha, beta) = if depth < 3 {
                (-WIN, WIN)
            } else {
                (last.saturating_sub(margin).max(-WIN), last.saturating_add(margin).min(WIN))
            };
            let value = self.best_of(position, moves, depth, alpha, beta);
            if self.stopped || (value > alpha || alpha <= -WIN) && (value < beta || beta >= WIN) {
                return value;
            }
            margin = margin.saturating_mul(16);
        }
    }

    /// The value of the best of these moves, which comes to the front.
    fn best_of(&mut self, position: &P, moves: &mut [P::Move], depth: u32, mut alpha: i32, beta: i32) -> i32 {
        let mut best = -WIN - 1;
        for idx in 0..moves.len() {
            let value = self.scout(position, moves[idx], (depth, 0), (alpha, beta), true, idx == 0);
            if self.stopped {
                break;
            }
            if value > best {
                best = value;
                if idx == 0 || value > alpha {
                    moves[..=idx].rotate_right(1);
                }
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The value of one move of the root, exact if it lies above `alpha`.
    pub(super) fn value_of(&mut self, position: &P, mv: P::Move, depth: u32, alpha: i32) -> i32 {
        self.scout(position, mv, (depth, 0), (alpha, WIN), true, alpha <= -WIN)
    }

    /// How the game goes on after a move of the root, as far as the table knows, with the move itself.
    pub(super) fn line(&self, position: &P, mv: P::Move, depth: u32) -> Vec<P::Move> {
        let mut line = vec![mv];
        let mut position = position.clone();
        position.play_unchecked(mv);
        while (line.len() as u32) < depth {
            let Some(entry) = self.table.get(self.key(&position)).filter(|entry| entry.bound == Bound::Exact)
            else {
                break;
            };
            let Some(next) = position.legal_moves().find(|&mv| mark(mv) == entry.mark) else { break };
            line.push(next);
            position.play_unchecked(next);
        }
        line
    }

    fn key(&self, position: &P) -> u64 {
        position.key() ^ self.seat.index() as u64
    }

    /// Counts a position, and looks now and then whether to stop.
    fn count(&mut self) {
        self.nodes += 1;
        // Work is counted exactly, so that a small amount of it is possible too.
        if self.nodes >= self.work
            || self.nodes.is_multiple_of(CLOCK_EVERY) && (self.finished.is_set() || self.budget.is_spent(0))
        {
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

    /// The value of a position within a window.
    fn node(&mut self, position: &P, depth: u32, ply: u32, (mut alpha, mut beta): (i32, i32)) -> i32 {
        self.count();
        let mover = match position.status() {
            Status::Over(outcome) => return self.leaf(&outcome, ply),
            Status::ToMove(mover) => mover,
        };
        if self.stopped || ply >= MAX_DEPTH {
            return self.judge(position);
        }
        let maximising = mover == self.seat;
        if depth == 0 {
            return self.settle(position, maximising, MAX_LOUD, ply, (alpha, beta));
        }
        let key = self.key(position);
        let known = self.table.get(key);
        if let Some(entry) = known {
            let value = from_here(entry.value, ply);
            // A forced win or loss that a shallower search has found is one at any depth.
            let (deep, won, lost) = (entry.depth >= depth, value > LIMIT, value < -LIMIT);
            match entry.bound {
                Bound::Exact if deep => return value,
                Bound::AtLeast | Bound::Exact if deep || won => alpha = alpha.max(value),
                Bound::AtMost | Bound::Exact if deep || lost => beta = beta.min(value),
                _ => {}
            }
            if alpha >= beta {
                return value;
            }
        }
        let mark_of_known = known.map(|entry| entry.mark);
        let (best, mv) = self.try_moves(position, maximising, depth, ply, (alpha, beta), mark_of_known);
        if !self.stopped {
            let bound = match best {
                _ if best <= alpha => Bound::AtMost,
                _ if best >= beta => Bound::AtLeast,
                _ => Bound::Exact,
            };
            self.table.put(key, Entry { value: to_here(best, ply), depth, bound, mark: mv.map_or(0, mark) });
        }
        best
    }

    fn judge(&self, position: &P) -> i32 {
        self.evaluation.value(position, self.seat).clamp(-LIMIT, LIMIT)
    }

    /// The moves that are seen from here, each with its urgency; all of them if none is.
    fn list(&self, position: &P, ply: u32, known: Option<u32>, moves: &mut Vec<(u64, P::Move)>) {
        moves.clear();
        let killers = self.killers[ply as usize];
        let urgent = |mv| (self.urgency(position, mv, known, &killers), mv);
        let seen = position.legal_moves().filter(|&mv| self.evaluation.sees(position, mv, ply));
        moves.extend(seen.map(urgent));
        if moves.is_empty() {
            moves.extend(position.legal_moves().map(urgent));
        }
    }

    /// How soon a move is to be tried: the best one of an earlier search first, then what cut off a neighbouring line,
    /// then what looks promising, then what has often cut off anywhere.
    fn urgency(&self, position: &P, mv: P::Move, known: Option<u32>, killers: &[Option<P::Move>; 2]) -> u64 {
        let mark = mark(mv);
        let class = match () {
            () if Some(mark) == known => 2,
            () if killers.contains(&Some(mv)) => 1,
            () => 0,
        };
        let rank = self.evaluation.rank(position, mv).clamp(-MAX_RANK, MAX_RANK) + MAX_RANK;
        class << 62 | (rank as u64) << 32 | u64::from(self.history[history_slot(mark)])
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
        let evaluation = self.evaluation;
        let loud = position
            .legal_moves()
            .filter(|&mv| evaluation.is_loud(position, mv) && evaluation.sees(position, mv, ply));
        moves.extend(loud.map(|mv| (self.urgency(position, mv, None, &[None; 2]), mv)));
        for idx in 0..moves.len() {
            let mv = most_urgent(&mut moves, idx);
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
        self.list(position, ply, known, &mut moves);
        let mut best = (if maximising { -WIN - 1 } else { WIN + 1 }, None);
        for idx in 0..moves.len() {
            let mv = most_urgent(&mut moves, idx);
            let late = self.reduces
                && idx >= FULL_MOVES
                && depth >= MIN_REDUCED
                && !self.evaluation.is_loud(position, mv);
            let mut value = 0;
            let mut is_known = false;
            if late {
                let less = if idx >= 4 * FULL_MOVES && depth > MIN_REDUCED + 2 { 2 } else { 1 };
                let window = if maximising { (alpha, alpha + 1) } else { (beta - 1, beta) };
                value = self.child(position, mv, (depth - less, ply), window);
                is_known = if maximising { value <= alpha } else { value >= beta };
            }
            if !is_known && !self.stopped {
                value = self.scout(position, mv, (depth, ply), (alpha, beta), maximising, idx == 0);
            }
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
        self.moves[ply as usize] = moves;
        best
    }

    /// The value of the position after a move.
    fn child(&mut self, position: &P, mv: P::Move, (depth, ply): (u32, u32), window: (i32, i32)) -> i32 {
        let mut child = position.clone();
        child.play_unchecked(mv);
        self.node(&child, depth - 1, ply + 1, window)
    }

    /// The value of a move. Where others came before it, it is first asked whether it is better at all, which is
    /// answered sooner than how good it is.
    fn scout(
        &mut self,
        position: &P,
        mv: P::Move,
        at: (u32, u32),
        (alpha, beta): (i32, i32),
        maximising: bool,
        is_first: bool,
    ) -> i32 {
        if !is_first && beta - alpha > 1 {
            let window = if maximising { (alpha, alpha + 1) } else { (beta - 1, beta) };
            let value = self.child(position, mv, at, window);
            if self.stopped || value <= alpha || value >= beta {
                return value;
            }
        }
        self.child(position, mv, at, (alpha, beta))
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

/// Brings the most urgent of the moves from `idx` on there; of equals the first. Most positions need few moves, so sorting
/// all of them would be wasted.
fn most_urgent<M: Copy>(moves: &mut [(u64, M)], idx: usize) -> M {
    let mut best = idx;
    for later in idx + 1..moves.len() {
        if moves[later].0 > moves[best].0 {
            best = later;
        }
    }
    moves.swap(idx, best);
    moves[idx].1
}

fn history_slot(mark: u32) -> usize {
    mark as usize % HISTORY
}
