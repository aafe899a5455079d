//! The levels that any game has: tree search, or alpha-beta where the game has an evaluation.

use rookery_rules::{Game, Position, PositionOf, Seat, below};
use rookery_search::{Budget, LIMIT, Lasting, Mcts, Random, Strategy};

use crate::strength::{Searcher, Strength};

/// Sees the answer to its move, with a poor eye.
const EASY: Strength = Strength::new(2, 20_000, 120);
/// Sees some moves ahead.
const MEDIUM: Strength = Strength::new(4, 100_000, 15);
/// As deep as the budget goes; a little blurred, so that games differ.
const HARD: Strength = Strength::deep(300_000, 3);

/// Random games for each answer where there is no evaluation.
const EASY_PLAYOUTS: u64 = 40;
const MEDIUM_PLAYOUTS: u64 = 1_000;
const HARD_PLAYOUTS: u64 = 20_000;

/// How often in a hundred the easy level plays any move.
const EASY_SLIPS: u32 = 20;

/// How far evaluations stay from those of a certain win, so that an error of judgement never looks like one.
const MARGIN: i32 = 1_000;

/// A level of a game that has none of this name of its own.
pub(crate) fn level<G: Game>(name: &str) -> Option<Box<dyn Strategy<PositionOf<G>>>> {
    let at_most = |playouts| AtMost { strategy: Mcts::new(playouts), work: playouts };
    let Some(evaluation) = G::EVALUATION else {
        return Some(match name {
            "easy" => Box::new(Careless { strategy: at_most(EASY_PLAYOUTS), slips: EASY_SLIPS }),
            "medium" => Box::new(at_most(MEDIUM_PLAYOUTS)),
            "hard" => Box::new(Lasting::new(Mcts::new(HARD_PLAYOUTS))),
            _ => return None,
        });
    };
    let bounded = move |position: &PositionOf<G>, seat: Seat| {
        evaluation(position, seat).clamp(MARGIN - LIMIT, LIMIT - MARGIN)
    };
    Some(match name {
        "easy" => Box::new(Careless { strategy: Searcher::new(bounded, EASY), slips: EASY_SLIPS }),
        "medium" => Box::new(Searcher::new(bounded, MEDIUM)),
        "hard" => Box::new(Searcher::new(bounded, HARD)),
        _ => return None,
    })
}

/// A strategy that does at most so much work, so that it is no stronger on a fast machine.
#[derive(Debug)]
pub(crate) struct AtMost<S> {
    pub(crate) strategy: S,
    pub(crate) work: u64,
}

impl<P: Position, S: Strategy<P>> Strategy<P> for AtMost<S> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let work = budget.work.map_or(self.work, |work| work.min(self.work));
        self.strategy.choose(position, &Budget { work: Some(work), ..budget.clone() })
    }
}

/// A strategy that now and then plays any move.
#[derive(Debug)]
struct Careless<S> {
    strategy: S,
    /// How often in a hundred.
    slips: u32,
}

impl<P: Position, S: Strategy<P>> Strategy<P> for Careless<S> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        if below(&mut budget.seed.derive(1).rng(), 100) < self.slips {
            Random.choose(position, budget)
        } else {
            self.strategy.choose(position, budget)
        }
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::four::{self, Four};
    use rookery_games::hexapawn::{Hexapawn, Position, Setup};
    use rookery_rules::Setup as _;

    use super::*;
    use crate::strength::tests::{check_reproducible, points};

    /// Hexapawn for somebody who counts pawns.
    struct Counted;

    impl Game for Counted {
        type Setup = Setup;
        const TITLE: &'static str = Hexapawn::TITLE;
        const SUMMARY: &'static str = Hexapawn::SUMMARY;
        const SEATS: &'static str = Hexapawn::SEATS;
        const RULES: &'static str = Hexapawn::RULES;
        const EVALUATION: Option<fn(&Position, Seat) -> i32> = Some(|position, seat| {
            let pawns = |seat| position.board().pawns(seat).count_ones() as i32;
            100 * (pawns(seat) - pawns(seat.next(2)))
        });
    }

    fn check_levels<G: Game<Setup = Setup>>() {
        let player = |name| level::<G>(name).unwrap();
        let start = |_| Setup::parse("rows=5,cols=5").unwrap().start();
        for name in ["easy", "medium", "hard"] {
            check_reproducible(&start(0), || player(name), 200);
        }
        assert!(level::<G>("harder").is_none());
        let won = points(start, &mut *player("easy"), &mut Random, u64::MAX, 20);
        assert!(won >= 13.0, "easy wins {won} of 20 against random");
        let won = points(start, &mut *player("medium"), &mut *player("easy"), u64::MAX, 20);
        assert!(won >= 14.0, "medium wins {won} of 20 against easy");
    }

    #[test]
    fn levels_without_an_evaluation_get_stronger() {
        check_levels::<Hexapawn>();
    }

    #[test]
    fn levels_with_an_evaluation_get_stronger() {
        check_levels::<Counted>();
    }

    #[test]
    fn levels_of_a_game_that_brings_only_an_evaluation() {
        let player = |name| level::<Four>(name).unwrap();
        let start = |_| four::Setup::default().start();
        let won = points(start, &mut *player("hard"), &mut Random, 2_000, 20);
        assert!(won >= 20.0, "hard wins {won} of 20 against random");
        let won = points(start, &mut *player("medium"), &mut *player("easy"), 2_000, 20);
        assert!(won >= 14.0, "medium wins {won} of 20 against easy");
    }
}
