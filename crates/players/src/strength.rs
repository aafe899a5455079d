//! How strong a player is that searches: the same search for all levels, limited, blurred and with holes.

use std::time::{Duration, Instant};

use rookery_rules::{Key, Keyed, Kind, Options, Position, Seat, Seed, mix};
use rookery_search::{AlphaBeta, Analysis, Budget, Evaluation, Found, Strategy, mark};

use crate::care::{allows_loss, careless_moves, only_move, winning_move};

/// One strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strength {
    /// At most so many moves ahead.
    pub(crate) depth: u32,
    /// At most so many positions.
    pub(crate) nodes: u64,
    /// Whether a clock or a number of positions from outside counts instead of its own number.
    pub(crate) open: bool,
    /// How far its judgement of a position may be off, in either direction.
    pub(crate) blur: i32,
    /// How many of a thousand moves it overlooks.
    pub(crate) overlooks: u32,
    /// Whether it never allows a loss in one move that can be avoided.
    pub(crate) careful: bool,
    /// At most so long, whatever the match allows.
    time: Option<Duration>,
    /// Bytes for positions it has seen.
    table: usize,
}

/// Deeper than any search gets.
const NO_DEPTH: u32 = 64;
/// Memory of a search that goes as deep as it gets.
const MAX_TABLE: usize = 16 << 20;

impl Strength {
    /// So many positions at most, judgement off by so much, and so many of a thousand moves overlooked.
    pub(crate) const fn new(nodes: u64, blur: i32, overlooks: u32) -> Self {
        let wanted = nodes as usize * 64;
        let table = if wanted < MAX_TABLE { wanted } else { MAX_TABLE };
        Self { depth: NO_DEPTH, nodes, open: false, blur, overlooks, careful: false, time: None, table }
    }

    /// So many moves ahead at most.
    pub(crate) const fn with_depth(self, depth: u32) -> Self {
        Self { depth, ..self }
    }

    /// As strong as time allows: these positions are for a match without a clock.
    pub(crate) const fn open(self) -> Self {
        Self { open: true, table: MAX_TABLE, ..self }
    }

    /// Never allows a loss in one move that can be avoided.
    pub(crate) const fn careful(self) -> Self {
        Self { careful: true, ..self }
    }

    /// What the options of an alpha-beta player ask for.
    pub(crate) fn from_options(options: &Options<'_>) -> Self {
        // A depth that was asked for is reached.
        let nodes = if options.given("depth").is_some() && options.given("nodes").is_none() {
            u64::MAX
        } else {
            options.number("nodes")
        };
        Self {
            depth: options.number("depth"),
            nodes,
            open: true,
            blur: options.number("blur"),
            // Asked for in a hundred.
            overlooks: 10 * options.number::<u32>("overlooks"),
            careful: false,
            time: options.time("time"),
            table: options.bytes("tt"),
        }
    }

    /// What is left of a budget at this strength. Without a clock and without a number of positions it is the level's
    /// own number, so that its answers can be had again; a level that is not the strongest never takes more.
    pub(crate) fn limit(&self, budget: &Budget) -> Budget {
        let now = Instant::now();
        // A tenth of the time is left, for a machine that has other things to do as well.
        let given = budget.deadline.map(|end| now + end.saturating_duration_since(now) * 9 / 10);
        let own = self.time.map(|time| now + time);
        let deadline = [given, own].into_iter().flatten().min();
        let work = match (budget.work, deadline) {
            (None, Some(_)) if self.open => None,
            (Some(work), _) if self.open => Some(work),
            (work, _) => Some(work.map_or(self.nodes, |work| work.min(self.nodes))),
        };
        let depth = budget.depth.map_or(self.depth, |depth| depth.min(self.depth));
        // What is not to depend on the machine is found by one thread.
        let threads = if self.open { budget.threads } else { 1 };
        Budget { work, depth: Some(depth), deadline, threads, ..budget.clone() }
    }
}

/// The keys of an alpha-beta player.
pub(crate) const ALPHABETA_KEYS: &[Key] = &[
    Key {
        name: "depth",
        kind: Kind::Number(1, NO_DEPTH as u64),
        default: "64",
        help: "at most so many moves ahead",
    },
    Key {
        name: "nodes",
        kind: Kind::Number(1, 1_000_000_000),
        default: "100000",
        help: "positions it may look at, when neither time nor --nodes nor a depth limits it",
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
    Key {
        name: "overlooks",
        kind: Kind::Number(0, 100),
        default: "0",
        help: "so many of a hundred moves it does not see, and more of those further ahead",
    },
    Key {
        name: "blur",
        kind: Kind::Number(0, 100_000),
        default: "0",
        help: "how far its judgement of a position may be off, where a hundred is about a piece",
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
    #[inline]
    pub(crate) fn of(self, key: u64) -> i32 {
        let range = 2 * self.most.unsigned_abs() + 1;
        (mix(key ^ self.seed.0) % u64::from(range)) as i32 - self.most
    }
}

/// Moves that are not seen: others in each position, the same as long as the same question is thought about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holes {
    /// How many of a thousand replies are overlooked; half as many own moves, and more of what comes later.
    pub(crate) per_mille: u32,
    pub(crate) seed: Seed,
}

impl Holes {
    /// However weak a player, it sees some of what comes later.
    const MOST: u32 = 900;

    #[inline]
    pub(crate) fn hide<M: std::hash::Hash>(self, key: u64, mv: M, ply: u32) -> bool {
        let per_mille = match ply {
            0 => self.per_mille / 2,
            1 => self.per_mille,
            _ => self.per_mille * 3 / 2,
        };
        per_mille > 0
            && mix(key ^ self.seed.0 ^ mix(u64::from(mark(mv)))) % 1000 < u64::from(per_mille.min(Self::MOST))
    }
}

/// An evaluation with errors and holes.
#[derive(Clone, Debug)]
pub(crate) struct Mind<P: Position, E> {
    pub(crate) evaluation: E,
    blur: Blur,
    holes: Holes,
    /// Own moves that are not to be made.
    banned: Vec<P::Move>,
}

impl<P: Keyed, E: Evaluation<P>> Evaluation<P> for Mind<P, E> {
    #[inline]
    fn value(&self, position: &P, seat: Seat) -> i32 {
        self.evaluation.value(position, seat) + self.blur.of(position.key())
    }

    #[inline]
    fn rank(&self, position: &P, mv: P::Move) -> i32 {
        self.evaluation.rank(position, mv)
    }

    #[inline]
    fn is_loud(&self, position: &P, mv: P::Move) -> bool {
        self.evaluation.is_loud(position, mv)
    }

    #[inline]
    fn sees(&self, position: &P, mv: P::Move, ply: u32) -> bool {
        if ply == 0 && self.banned.contains(&mv) {
            return false;
        }
        // Who is about to make a loud move sees it.
        self.holes.per_mille == 0
            || ply == 0 && self.evaluation.is_loud(position, mv)
            || !self.holes.hide(position.key(), mv, ply)
    }

    fn three_of_four(&self) -> i32 {
        self.evaluation.three_of_four()
    }
}

/// Alpha-beta with an evaluation, at some strength.
#[derive(Debug)]
pub(crate) struct Searcher<P: Position, E> {
    search: AlphaBeta<Mind<P, E>>,
    pub(crate) strength: Strength,
}

impl<P: Keyed, E: Evaluation<P>> Searcher<P, E> {
    pub(crate) fn new(evaluation: E, strength: Strength) -> Self {
        let Strength { depth, blur, overlooks, table, .. } = strength;
        let mind = Mind {
            evaluation,
            blur: Blur { most: blur, seed: Seed(0) },
            holes: Holes { per_mille: overlooks, seed: Seed(0) },
            banned: vec![],
        };
        Self { search: AlphaBeta::new(mind, depth, table).reducing(), strength }
    }

    /// What it judges by.
    pub(crate) fn evaluation_mut(&mut self) -> &mut E {
        &mut self.search.evaluation_mut().evaluation
    }

    /// From here on its judgement of a position may be off by so much.
    pub(crate) fn set_blur(&mut self, most: i32) {
        self.search.evaluation_mut().blur.most = most;
    }

    /// The best of what it sees.
    pub(crate) fn find(&mut self, position: &P, budget: &Budget) -> Found<P::Move> {
        let mind = self.search.evaluation_mut();
        mind.banned.clear();
        mind.blur.seed = budget.seed;
        mind.holes.seed = budget.seed.derive(2);
        self.search.search(position, &self.strength.limit(budget))
    }

    /// A careful player does not make a move that allows a loss in one if it can be helped.
    pub(crate) fn care(&mut self, position: &P, mv: P::Move, budget: &Budget) -> P::Move {
        if !self.strength.careful || !allows_loss(position, mv) {
            return mv;
        }
        let banned = careless_moves(position);
        if banned.is_empty() {
            return mv;
        }
        let mind = self.search.evaluation_mut();
        // It has seen the danger, and looks at all there is to do about it.
        let per_mille = std::mem::replace(&mut mind.holes.per_mille, 0);
        mind.banned = banned;
        let found = self.search.search(position, &self.strength.limit(budget));
        self.search.evaluation_mut().holes.per_mille = per_mille;
        found.mv
    }
}

impl<P: Keyed, E: Evaluation<P>> Strategy<P> for Searcher<P, E> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        if let Some(mv) = only_move(position).or_else(|| winning_move(position)) {
            return mv;
        }
        let found = self.find(position, budget);
        self.care(position, found.mv, budget)
    }
}

/// The best moves of a position by alpha-beta with this evaluation, again and again while it searches deeper.
pub(crate) fn lines<P: Keyed, E: Evaluation<P>>(
    evaluation: E,
    position: &P,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Analysis<P::Move>),
) {
    AlphaBeta::new(evaluation, NO_DEPTH, MAX_TABLE).reducing().lines(position, budget, max_lines, report);
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
