//! The simplest player that thinks: random games from each move, and the move with the best results.

use rookery_rules::Position;

use crate::mcts::Shares;
use crate::{Budget, Playout, Strategy, Uniform};

/// Plays random games after each legal move in turn and chooses the move after which they went best for the seat to
/// move. A budget's work counts random games.
#[derive(Clone, Copy, Debug)]
pub struct Playouts<O = Uniform> {
    /// How many random games, if the budget sets no limit at all.
    pub games: u64,
    /// How they are played.
    pub policy: O,
}

impl<P: Position, O: Playout<P>> Strategy<P> for Playouts<O> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let seat = position.to_move().expect("a strategy is asked only while the game goes on");
        let mut rng = budget.seed.rng();
        let mut candidates: Vec<(P::Move, f64)> = position.legal_moves().map(|mv| (mv, 0.0)).collect();
        let limit = if budget.deadline.is_some() { u64::MAX } else { self.games };
        let mut done = 0;
        // Whole rounds only, so that every move has been tried equally often.
        while candidates.len() > 1 && done < limit && !budget.is_spent(done) {
            for (mv, points) in &mut candidates {
                let mut child = position.clone();
                child.play_unchecked(*mv);
                *points += f64::from(Shares::of_playout(&self.policy, &mut child, &mut rng).of(seat));
                done += 1;
            }
        }
        // The first of the best, so that the answer does not depend on anything but the results.
        let best =
            candidates.iter().fold(candidates[0], |best, &next| if next.1 > best.1 { next } else { best });
        best.0
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::Position;
    use rookery_rules::{Notation, Seed};

    use super::*;

    #[test]
    fn finds_the_move_that_wins_at_once() {
        let position = Position::from_text("p1 1.../..1./2..2/2...").unwrap();
        let budget = Budget { work: Some(400), seed: Seed(5), ..Budget::default() };
        let mv = Playouts { games: 100, policy: Uniform }.choose(&position, &budget);
        assert_eq!(mv.to_string(), "c2xd3");
    }
}
