//! A player of Renpaarden that hardly thinks.

use rookery_games::renpaarden::{Cell, Move, Position};
use rookery_rules::{Position as _, Seat, below};
use rookery_search::{Budget, Random, Strategy};

/// Random, but pieces that stand in the goal stay there; so its games end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Homing;

impl Strategy<Position> for Homing {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let seat = position.to_move().expect("a strategy is asked only while the game goes on");
        // A chain has to go on, wherever its piece stands.
        let may_leave = |mv: &Move| position.chain().is_some() || !in_goal(position, seat, mv.from);
        let n = position.legal_moves().filter(may_leave).count();
        if n == 0 {
            return Random.choose(position, budget);
        }
        let nth = below(&mut budget.seed.rng(), n as u32) as usize;
        position.legal_moves().filter(may_leave).nth(nth).expect("it was counted")
    }
}

/// Whether a cell lies in the two rows that a seat wants to fill: the top ones for the first player.
fn in_goal(position: &Position, seat: Seat, cell: Cell) -> bool {
    let (_, y) = position.x_y(cell);
    if seat.index() == 0 { y < 2 } else { y >= position.setup().height - 2 }
}

#[cfg(test)]
mod tests {
    use rookery_games::renpaarden::Setup;
    use rookery_rules::{Seed, Setup as _, Status};

    use super::*;

    #[test]
    fn its_games_end_as_fast_as_the_originals() {
        // Mean turns of the original's filter: 5 x 5 109, 6 x 6 232.
        for (options, mean, n_games) in [("width=5,height=5", 109.0, 300), ("width=6,height=6", 232.0, 150)] {
            let setup = Setup::parse(options).unwrap();
            let mut turns = 0;
            for game in 0..n_games {
                let mut position = setup.start();
                for ply in 0.. {
                    if position.to_move().is_none() {
                        break;
                    }
                    let budget = Budget { seed: Seed(game).derive(ply), ..Budget::default() };
                    let mv = Homing.choose(&position, &budget);
                    position.play_unchecked(mv);
                }
                let Status::Over(outcome) = position.status() else { panic!("it has an end") };
                assert_eq!(outcome.winners.len(), 1, "somebody wins");
                turns += position.turn();
            }
            let seen = f64::from(turns) / n_games as f64;
            assert!((seen / mean - 1.0).abs() < 0.1, "{options}: {seen} turns on average, not {mean}");
        }
    }
}
