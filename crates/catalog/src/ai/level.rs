//! What the levels of all games share.

use rookery_rules::{Keyed, Position, Seat, Seed};
use rookery_search::{AlphaBeta, Budget, Evaluation, Strategy};

use super::strength::Blur;

/// A strategy that does so much work where nothing else is said.
#[derive(Debug)]
pub(crate) struct Level<S> {
    pub(crate) strategy: S,
    /// How much work without a time control.
    pub(crate) work: u64,
    /// Whether that is also the most it ever does, so that it is no stronger on a fast machine.
    pub(crate) at_most: bool,
}

impl<P: Position, S: Strategy<P>> Strategy<P> for Level<S> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let work = match budget.work {
            Some(work) if self.at_most => Some(work.min(self.work)),
            Some(work) => Some(work),
            None if self.at_most || budget.deadline.is_none() => Some(self.work),
            None => None,
        };
        self.strategy.choose(position, &Budget { work, ..budget.clone() })
    }
}

/// An evaluation blurred by up to so much in both directions, always the same way for one seed and position. A little
/// makes games differ, much makes a weak player that yet sees what lies in front of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blurred<E> {
    pub(crate) evaluation: E,
    pub(crate) blur: Blur,
}

impl<P: Keyed, E: Evaluation<P>> Evaluation<P> for Blurred<E> {
    #[inline]
    fn value(&self, position: &P, seat: Seat) -> i32 {
        self.evaluation.value(position, seat) + self.blur.of(position.key())
    }
}

/// Alpha-beta that plays differently in every game, with a depth it does not exceed.
#[derive(Debug)]
pub(crate) struct Searcher<E> {
    search: AlphaBeta<Blurred<E>>,
    max_depth: Option<u32>,
}

impl<E> Searcher<E> {
    /// Looks `depth` moves ahead: by default, or if it is `fixed` at most.
    pub(crate) fn new(evaluation: E, blur: i32, depth: u32, fixed: bool, table_bytes: usize) -> Self {
        let evaluation = Blurred { evaluation, blur: Blur { most: blur, seed: Seed(0) } };
        let search = AlphaBeta::new(evaluation, depth, table_bytes);
        Self { search, max_depth: fixed.then_some(depth) }
    }
}

impl<P: Keyed, E: Evaluation<P>> Strategy<P> for Searcher<E> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let mut moves = position.legal_moves();
        if let (Some(only), None) = (moves.next(), moves.next()) {
            return only;
        }
        drop(moves);
        self.search.evaluation_mut().blur.seed = budget.seed;
        let depth = [budget.depth, self.max_depth].into_iter().flatten().min();
        self.search.choose(position, &Budget { depth, ..budget.clone() })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use rookery_rules::Status;

    use super::*;

    /// Plays a game with this much work an answer; `strategies[seat % 2]` moves for a seat.
    fn play<P: Position>(
        mut position: P,
        strategies: &mut [&mut dyn Strategy<P>; 2],
        work: u64,
        seed: Seed,
    ) -> (P, Vec<P::Move>) {
        let mut moves = vec![];
        while let Some(seat) = position.to_move() {
            let budget =
                Budget { work: Some(work), seed: seed.derive(moves.len() as u64), ..Budget::default() };
            let mv = strategies[seat.index() % 2].choose(&position, &budget);
            position.play(mv).expect("a strategy's moves are legal");
            moves.push(mv);
        }
        (position, moves)
    }

    /// What a strategy wins against another in so many games of two seats, on both seats by turns.
    pub(crate) fn points<P: Position>(
        start: impl Fn(u64) -> P,
        strategy: &mut dyn Strategy<P>,
        other: &mut dyn Strategy<P>,
        work: u64,
        n_games: u64,
    ) -> f64 {
        let mut sum = 0.0;
        for game in 0..n_games {
            let me = (game % 2) as usize;
            let mut seats: [&mut dyn Strategy<P>; 2] =
                if me == 0 { [&mut *strategy, &mut *other] } else { [&mut *other, &mut *strategy] };
            let (end, _) = play(start(game / 2), &mut seats, work, Seed(game));
            let Status::Over(outcome) = end.status() else { panic!("the game has an end") };
            if outcome.winners.contains(Seat::new(me as u8)) {
                sum += 1.0 / outcome.winners.len() as f64;
            }
        }
        sum
    }

    /// Two new strategies with the same seeds play the same legal game, whatever they have played before.
    pub(crate) fn check_reproducible<P: Position>(
        start: &P,
        strategy: impl Fn() -> Box<dyn Strategy<P>>,
        work: u64,
    ) {
        let (mut one, mut two) = (strategy(), strategy());
        let first = play(start.clone(), &mut [&mut *one, &mut *two], work, Seed(5)).1;
        let again = play(start.clone(), &mut [&mut *two, &mut *one], work, Seed(5)).1;
        assert_eq!(first, again, "on {start}");
    }
}
