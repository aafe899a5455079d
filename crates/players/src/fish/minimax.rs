//! The house player of Fish.

use rookery_games::fish::{Phase, Position};
use rookery_rules::{Position as _, Seat};
use rookery_search::{Budget, First, OwnTurns, Strategy};

/// The house player of the original: places on the first free tile, row by row, and then looks a number of its own
/// turns ahead, for its own fish only. Among equally good moves it takes the one with the smallest start, then the
/// smallest end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minimax {
    /// Its own turns.
    pub(crate) depth: u32,
}

impl Strategy<Position> for Minimax {
    fn choose(&mut self, position: &Position, budget: &Budget) -> rookery_games::fish::Move {
        match position.phase() {
            // Placements are listed row by row.
            Phase::Placing => First.choose(position, budget),
            Phase::Moving | Phase::Over => {
                OwnTurns { turns: self.depth, gauge: fish }.choose(position, budget)
            }
        }
    }
}

fn fish(position: &Position, seat: Seat) -> i32 {
    debug_assert!(seat.index() < position.n_seats(), "the seat is at this table");
    position.score(seat) as i32
}

#[cfg(test)]
mod tests {
    use rookery_games::fish::Setup;
    use rookery_rules::{Setup as _, Status};

    use super::*;

    /// Plays a game between house players of these depths.
    fn play(options: &str, depths: &[u32]) -> Position {
        let mut position = Setup::parse(options).unwrap().start();
        while let Some(seat) = position.to_move() {
            let mv = Minimax { depth: depths[seat.index()] }.choose(&position, &Budget::default());
            position.play(mv).unwrap();
        }
        position
    }

    #[test]
    fn scores_of_equal_house_players_on_the_tournament_board() {
        for (depth, scores) in [
            (1, vec![18, 16]),
            (1, vec![12, 10, 10]),
            (1, vec![10, 6, 8, 10]),
            (2, vec![18, 16]),
            (2, vec![12, 10, 10]),
            (2, vec![10, 6, 10, 8]),
        ] {
            let end = play(&format!("fish=2,players={}", scores.len()), &vec![depth; scores.len()]);
            let Status::Over(outcome) = end.status() else { panic!("the game has an end") };
            assert_eq!(outcome.scores.as_slice(), scores, "depth {depth}");
        }
    }
}
