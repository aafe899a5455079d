//! The players of Fish that search.

use rookery_games::fish::{Cell, Move, Phase, Position};
use rookery_rules::{Position as _, Rng, Seat, below};
use rookery_search::{Budget, Evaluation, Lasting, Mcts, Playout, Strategy};

use super::fish_endgame::undisturbed_move;
use super::level::{Level, Searcher};

/// The most seats.
const MAX_SEATS: usize = 4;
/// A fish in the net.
const CAUGHT: i32 = 100;
/// A fish on a tile that a seat reaches before all others.
const OWN_WATER: i32 = 50;
/// A fish on a tile that somebody reaches just as soon.
const SHARED_WATER: i32 = 20;

/// Fish in the net, and the fish that each seat reaches first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Territory;

impl Evaluation<Position> for Territory {
    fn value(&self, position: &Position, seat: Seat) -> i32 {
        let worth = worths(position);
        let others =
            Seat::all(position.n_seats()).filter(|&other| other != seat && !position.is_removed(other));
        let best_other = others.map(|other| worth[other.index()]).max().unwrap_or(0);
        worth[seat.index()] - best_other
    }
}

/// What each seat has and may hope for. All penguins spread at the same time, one slide a round.
fn worths(position: &Position) -> [i32; MAX_SEATS] {
    let board = position.board();
    let n_seats = position.n_seats().min(MAX_SEATS);
    let mut worth = [0; MAX_SEATS];
    let mut edges = [0u128; MAX_SEATS];
    for seat in Seat::all(n_seats) {
        worth[seat.index()] = position.score(seat) as i32 * CAUGHT;
        edges[seat.index()] = position.penguin_tiles(seat);
    }
    let free = position.free_tiles();
    let mut open = free;
    while open != 0 && edges != [0; MAX_SEATS] {
        let mut next = [0u128; MAX_SEATS];
        for (next, &edge) in next.iter_mut().zip(&edges[..n_seats]) {
            let mut left = edge;
            while left != 0 {
                *next |= board.slides(left.trailing_zeros(), free) & open;
                left &= left - 1;
            }
        }
        for idx in 0..n_seats {
            let others = (0..n_seats).filter(|&other| other != idx).fold(0, |all, other| all | next[other]);
            let mut left = next[idx];
            while left != 0 {
                let bit = left.trailing_zeros();
                let share = if others >> bit & 1 == 0 { OWN_WATER } else { SHARED_WATER };
                worth[idx] += share * i32::from(board.fish_at(bit));
                left &= left - 1;
            }
        }
        open &= !next.iter().fold(0, |all, next| all | next);
        edges = next;
    }
    worth
}

/// Random games in which the fuller of two tiles is often preferred.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hungry;

/// The number of a cell among the bits of a board.
fn bit(position: &Position, cell: Cell) -> u32 {
    u32::from(cell.row) * u32::from(position.board().cols()) + u32::from(cell.col)
}

/// How much a move promises at first sight.
#[inline]
fn appetite(position: &Position, mv: Move) -> i32 {
    let board = position.board();
    match mv {
        Move::Slide { from, to } => {
            2 * i32::from(board.fish_at(bit(position, from)))
                + 3 * i32::from(board.fish_at(bit(position, to)))
        }
        Move::Place(cell) => {
            let bit = bit(position, cell);
            let reach = board.slides(bit, position.free_tiles());
            reach.count_ones() as i32 + 3 * i32::from(board.fish_at(bit))
        }
    }
}

impl Playout<Position> for Hungry {
    fn play_out(&self, position: &mut Position, rng: &mut Rng) {
        while let Some(mut mv) = position.random_move(rng) {
            if below(rng, 4) != 0
                && let Some(other) = position.random_move(rng)
                && appetite(position, other) > appetite(position, mv)
            {
                mv = other;
            }
            position.play_unchecked(mv);
        }
    }

    fn bias(&self, position: &Position, mv: Move) -> f32 {
        match mv {
            Move::Place(_) => appetite(position, mv) as f32 * 0.02,
            Move::Slide { .. } => appetite(position, mv) as f32 * 0.04,
        }
    }
}

/// Tree search; exact as soon as nobody disturbs its penguins any more.
#[derive(Debug)]
pub(crate) struct Angler<S> {
    strategy: S,
    /// The most positions that the exact search looks at.
    max_nodes: u64,
}

impl<S: Strategy<Position>> Strategy<Position> for Angler<S> {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        if position.phase() == Phase::Moving {
            // If it finds nothing there is still time for the other search.
            let half = budget.deadline.map(|deadline| {
                let now = std::time::Instant::now();
                now + deadline.saturating_duration_since(now) / 2
            });
            let exact = Budget { deadline: half, ..budget.clone() };
            if let Some(mv) = undisturbed_move(position, self.max_nodes, &exact) {
                return mv;
            }
        }
        self.strategy.choose(position, budget)
    }
}

/// One of the players, by name.
pub(crate) fn strategy(name: &str, depth: u32, table_bytes: usize) -> Option<Box<dyn Strategy<Position>>> {
    const SMALL: usize = 1 << 18;
    let mcts = |playouts| Mcts { playouts, exploration: 0.7, policy: Hungry };
    Some(match name {
        "greedy" => Box::new(Searcher::new(Territory, 0, 1, true, SMALL)),
        "easy" => Box::new(Searcher::new(Territory, 300, 1, true, SMALL)),
        "medium" => Box::new(Level { strategy: mcts(200), work: 200, at_most: true }),
        "hard" => Box::new(Angler { strategy: Lasting::new(mcts(5000)), max_nodes: 50_000 }),
        "alphabeta" => Box::new(Searcher::new(Territory, 0, depth, false, table_bytes)),
        _ => return None,
    })
}
