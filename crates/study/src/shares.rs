//! How a win is shared among all seats of a position.

use rookery_catalog::{AnyPosition, Game, Visit, visit};
use rookery_rules::{Notation as _, Position, PositionOf, Seat, Seed, Status, playout};

use crate::Advised;

/// How many random games say how the others stand.
const GAMES: u32 = 200;

/// The share of a win that each seat has, all of them 1 together: that of whoever is to move is the value of its best line, and
/// the others have the rest, as random games from the end of that line share it. Between two it needs none. `None` if the game
/// is over.
///
/// # Panics
/// If there is no game of this name, or the position is not one of its own.
pub fn shares(game: &str, position: &dyn AnyPosition, best: &Advised, n_seats: usize) -> Option<Vec<f32>> {
    let Status::ToMove(seat) = position.status() else { return None };
    let mut later = position.boxed_clone();
    for mv in &best.moves {
        if later.play(mv).is_err() {
            break;
        }
    }
    let others = if n_seats > 2 {
        let sharing = Sharing { text: later.text(), n_seats };
        visit(game, sharing).expect("the caller names a game of the catalog")
    } else {
        vec![1.0; n_seats]
    };
    let rest: f32 =
        others.iter().enumerate().filter(|(idx, _)| *idx != seat.index()).map(|(_, share)| share).sum();
    let share = |(idx, share): (usize, &f32)| {
        if idx == seat.index() {
            best.value
        } else if rest > 0.0 {
            (1.0 - best.value) * share / rest
        } else {
            (1.0 - best.value) / (n_seats - 1) as f32
        }
    };
    Some(others.iter().enumerate().map(share).collect())
}

struct Sharing {
    text: String,
    n_seats: usize,
}

impl Visit for Sharing {
    type Out = Vec<f32>;

    fn visit<G: Game>(self) -> Vec<f32> {
        let start = PositionOf::<G>::from_text(&self.text).expect("the position is one of this game");
        let mut won = vec![0.0; self.n_seats];
        let mut rng = Seed(0).rng();
        for _ in 0..GAMES {
            let mut position = start.clone();
            playout(&mut position, &mut rng);
            let Status::Over(outcome) = Position::status(&position) else { continue };
            for seat in Seat::all(self.n_seats).filter(|seat| outcome.winners.contains(*seat)) {
                won[seat.index()] += 1.0 / outcome.winners.len() as f32;
            }
        }
        won
    }
}

#[cfg(test)]
mod tests {
    use rookery_catalog::game;
    use rookery_rules::GameSpec;

    use crate::{Order, advise};

    use super::*;

    #[test]
    fn everybody_has_a_share_and_all_of_them_are_one() {
        for (spec, n_seats) in [("fish:rows=4,cols=4,players=3", 3), ("hexapawn:rows=4,cols=4", 2)] {
            let spec = GameSpec::parse(spec).unwrap();
            let position = game(&spec.game).unwrap().start(&spec).unwrap();
            let order =
                Order { time: std::time::Duration::from_millis(50), max_lines: 1, ..Order::default() };
            let advice = advise(&spec.game, &*position, &order, &mut |_| {}).unwrap();
            let all = shares(&spec.game, &*position, &advice.lines[0], n_seats).unwrap();
            assert_eq!(all.len(), n_seats);
            assert!((all.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{all:?}");
            assert!((all[0] - advice.lines[0].value).abs() < 1e-6, "{all:?}");
            assert!(all.iter().all(|share| (0.0..=1.0).contains(share)), "{all:?}");
        }
    }
}
