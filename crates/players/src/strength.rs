//! How strong a player is that searches: the same search for all levels, limited and blurred.

use std::time::{Duration, Instant};

use rookery_rules::{Key, Keyed, Kind, Options, Seat, Seed, below, mix};
use rookery_search::{AlphaBeta, Budget, Evaluation, Strategy};

/// One strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strength {
    /// At most so many moves ahead.
    depth: u32,
    /// At most so many positions, if nothing else limits the work.
    nodes: u64,
    /// How far its judgement of a position may be off, in either direction.
    blur: i32,
    /// How often in a hundred it looks no further than its own move.
    slips: u32,
    /// At most so long, whatever the match allows.
    time: Option<Duration>,
    /// Bytes for positions it has seen.
    table: usize,
}

/// Deeper than any search gets.
const NO_DEPTH: u32 = 64;

impl Strength {
    /// So many moves ahead at most; so many positions if nothing else limits the work; judgement off by so much.
    pub(crate) const fn new(depth: u32, nodes: u64, blur: i32) -> Self {
        // Little room for a search that hardly deserves the name.
        let table = if depth <= 2 { 1 << 16 } else { 16 << 20 };
        Self { depth, nodes, blur, slips: 0, time: None, table }
    }

    /// As deep as the budget goes.
    pub(crate) const fn deep(nodes: u64, blur: i32) -> Self {
        Self::new(NO_DEPTH, nodes, blur)
    }

    /// The same, but so often in a hundred it looks no further than its own move.
    pub(crate) const fn with_slips(self, slips: u32) -> Self {
        Self { slips, ..self }
    }

    /// What the options of an alpha-beta player ask for.
    pub(crate) fn from_options(options: &Options<'_>) -> Self {
        let depth = options.number("depth");
        // A depth that was asked for is reached.
        let nodes = if options.given("depth").is_some() { u64::MAX } else { 100_000 };
        let (time, table) = (options.time("time"), options.bytes("tt"));
        Self { time, table, ..Self::new(depth, nodes, 0) }
    }

    /// Whether it looks further than its own move at all.
    pub(crate) const fn looks_ahead(&self) -> bool {
        self.depth > 1
    }

    /// Whether it looks no further than its own move this time.
    pub(crate) fn slips(&self, budget: &Budget) -> bool {
        self.slips > 0 && below(&mut budget.seed.derive(1).rng(), 100) < self.slips
    }

    /// What is left of a budget at this strength. Without a clock and without a number of positions it is the level's
    /// own number, so that its answers can be had again.
    pub(crate) fn limit(&self, budget: &Budget) -> Budget {
        let now = Instant::now();
        // A tenth of the time is left, for a machine that has other things to do as well.
        let given = budget.deadline.map(|end| now + end.saturating_duration_since(now) * 9 / 10);
        let own = self.time.map(|time| now + time);
        let deadline = [given, own].into_iter().flatten().min();
        let work = match (budget.work, deadline) {
            (None, None) => Some(self.nodes),
            (work, _) => work,
        };
        let depth = budget.depth.map_or(self.depth, |depth| depth.min(self.depth));
        Budget { work, depth: Some(depth), deadline, ..budget.clone() }
    }

    /// An alpha-beta search of this strength.
    pub(crate) fn search<E>(&self, evaluation: E) -> AlphaBeta<E> {
        AlphaBeta::new(evaluation, self.depth, self.table)
    }

    /// Its errors of judgement, before it knows the seed.
    pub(crate) const fn blur(&self) -> Blur {
        Blur { most: self.blur, seed: Seed(0) }
    }
}

/// The keys of every game's alpha-beta player.
pub(crate) const ALPHABETA_KEYS: &[Key] = &[
    Key {
        name: "depth",
        kind: Kind::Number(1, NO_DEPTH as u64),
        default: "64",
        help: "at most so many moves ahead",
    },
    Key {
        name: "time",
        kind: Kind::TimeOr(&["none"]),
        default: "none",
        help: "at most so long for each answer, whatever the match allows",
    },
    Key {
        name: "tt",
        kind: Kind::Mebibytes(1, 1024),
        default: "16MiB",
        help: "memory for positions it has seen",
    },
];

/// Errors of judgement: another one for each position, the same whenever the same position is judged with one seed. A
/// little makes games differ, much makes a weak player that yet sees what lies in front of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blur {
    pub(crate) most: i32,
    pub(crate) seed: Seed,
}

impl Blur {
    pub(crate) fn of(self, key: u64) -> i32 {
        let range = 2 * self.most.unsigned_abs() + 1;
        (mix(key ^ self.seed.0) % u64::from(range)) as i32 - self.most
    }
}

/// An evaluation with errors.
#[derive(Clone, Copy, Debug)]
struct Blurred<E> {
    evaluation: E,
    blur: Blur,
}

impl<P: Keyed, E: Evaluation<P>> Evaluation<P> for Blurred<E> {
    #[inline]
    fn value(&self, position: &P, seat: Seat) -> i32 {
        self.evaluation.value(position, seat) + self.blur.of(position.key())
    }
}

/// Alpha-beta with an evaluation, at some strength.
#[derive(Debug)]
pub(crate) struct Searcher<E> {
    search: AlphaBeta<Blurred<E>>,
    strength: Strength,
}

impl<E> Searcher<E> {
    pub(crate) fn new(evaluation: E, strength: Strength) -> Self {
        Self { search: strength.search(Blurred { evaluation, blur: strength.blur() }), strength }
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
        self.search.search(position, &self.strength.limit(budget)).mv
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use rookery_rules::{Position, Status};

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
