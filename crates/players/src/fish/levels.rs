//! The players of Fish that search.

use rookery_games::fish::{Cell, Move, Phase, Position};
use rookery_rules::{Options, Position as _, Rng, Seat, below};
use rookery_search::{Budget, Evaluation, Lasting, Mcts, Playout, Strategy};

use super::endgame::undisturbed_move;
use crate::levels::AtMost;
use crate::strength::{Searcher, Strength};

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

/// The move after which it has, and reaches first, the most fish.
const GREEDY: Strength = Strength::new(1, 2_000, 0);
/// The same with a poor eye.
const EASY: Strength = Strength::new(1, 2_000, 700);
/// Random games for each answer of a player for people who know the game.
const MEDIUM_PLAYOUTS: u64 = 300;

/// One of the players, by name.
pub(crate) fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    let mcts = |playouts| Mcts { playouts, exploration: 0.7, policy: Hungry };
    Some(match name {
        "greedy" => Box::new(Searcher::new(Territory, GREEDY)),
        "easy" => Box::new(Searcher::new(Territory, EASY)),
        "medium" => Box::new(AtMost { strategy: mcts(MEDIUM_PLAYOUTS), work: MEDIUM_PLAYOUTS }),
        "hard" => Box::new(Angler { strategy: Lasting::new(mcts(5000)), max_nodes: 50_000 }),
        "alphabeta" => Box::new(Searcher::new(Territory, Strength::from_options(options))),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rookery_games::fish::Setup;
    use rookery_rules::{Setup as _, Status};

    use super::*;
    use crate::fish::minimax::Minimax;
    use crate::strength::tests::{check_reproducible, points};

    fn player(name: &str) -> Box<dyn Strategy<Position>> {
        let player: crate::PlayerSpec = name.parse().unwrap();
        crate::strategy::<rookery_games::fish::Fish>(&crate::fish::EXPERTISE, &player).unwrap().0
    }

    #[test]
    fn every_level_is_legal_and_reproducible() {
        for options in ["rows=5,cols=5", "rows=4,cols=4,players=4", "rows=3,cols=3,holes=2,players=3"] {
            for name in ["greedy", "easy", "medium", "hard", "alphabeta"] {
                check_reproducible(&Setup::parse(options).unwrap().start(), || player(name), 40);
            }
        }
    }

    #[test]
    fn hard_beats_the_house_player_with_little_work() {
        let start = |seed| Setup::parse(&format!("rows=5,cols=5,fish=random,seed={seed}")).unwrap().start();
        let won = points(start, &mut *player("hard"), &mut Minimax { depth: 2 }, 500, 8);
        assert!(won >= 6.0, "{won} of 8");
    }

    #[test]
    fn greedy_beats_random() {
        let start = |seed| Setup::parse(&format!("rows=5,cols=5,fish=random,seed={seed}")).unwrap().start();
        let won = points(start, &mut *player("greedy"), &mut rookery_search::Random, 1, 20);
        assert!(won >= 15.0, "{won} of 20");
    }

    #[test]
    fn territory_counts_what_is_reached_first() {
        // Two lone penguins at the ends of a row of tiles: each reaches its half of it.
        let position: Position = rookery_rules::Notation::from_text("p1 1a/1/1/1/1/1b 0,0").unwrap();
        assert!(matches!(position.status(), Status::ToMove(_)));
        let value = |seat| Territory.value(&position, Seat::new(seat));
        assert_eq!(value(0), -value(1), "one's gain is the other's loss");
    }
}
