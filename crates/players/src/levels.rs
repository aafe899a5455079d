//! The levels 1 to 8 that any game has: one search at eight strengths. It is alpha-beta where the game has an
//! evaluation, else tree search.

use rookery_rules::{Game, Keyed, Position, PositionOf, Rng, Seat, Seed};
use rookery_search::{Budget, Cut, Evaluation, LIMIT, Lasting, Mcts, Playout, Strategy};

use crate::care::{Alert, allows_loss, careless_moves};
use crate::strength::{Holes, Searcher, Strength};

/// Levels that have a name of their own, and the level that each is.
pub const LEVEL_NAMES: [(&str, &str); 3] = [("easy", "level:2"), ("medium", "level:5"), ("hard", "level:8")];

/// A level, from 1 to 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

impl Level {
    /// The strongest.
    pub const TOP: Self = Self(8);
    /// All of them, the weakest first.
    pub const ALL: [Self; 8] = [Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7), Self::TOP];

    /// The level of this name: `level:1` to `level:8`, or one of [`LEVEL_NAMES`].
    pub fn of_name(name: &str) -> Option<Self> {
        let own = LEVEL_NAMES.iter().find(|(own, _)| *own == name);
        let number = own.map_or(name, |(_, level)| level).strip_prefix("level:")?;
        Self::ALL.into_iter().find(|level| level.0.to_string() == number)
    }

    /// Its place among all of them, from 0.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// Whether it never allows a loss in one move that can be avoided.
    pub(crate) const fn is_careful(self) -> bool {
        self.0 >= 3
    }
}

/// One strength for each level, or for the first ones.
pub(crate) type Ladder<const N: usize = 8> = [Strength; N];

/// A strength for each level: positions, blur, overlooked moves of a thousand. From the third on they are careful, so that
/// the third may do with less than the second; the eighth is open.
pub(crate) const fn ladder<const N: usize>(steps: [(u64, i32, u32); N]) -> Ladder<N> {
    let mut ladder = [Strength::new(1, 0, 0); N];
    let mut idx = 0;
    while idx < N {
        let (nodes, blur, overlooks) = steps[idx];
        let strength = Strength::new(nodes, blur, overlooks);
        let strength = if Level::ALL[idx].is_careful() { strength.careful() } else { strength };
        ladder[idx] = if idx == Level::TOP.index() { strength.open() } else { strength };
        idx += 1;
    }
    ladder
}

/// For games of which nothing is known but an evaluation: the levels below those of [`JUDGED_PLAYOUTS`].
const GENERAL: Ladder<6> =
    ladder([(20, 92, 710), (88, 38, 380), (34, 66, 560), (265, 20, 228), (1_100, 9, 76), (4_000, 3, 16)]);

/// For games of which nothing is known: random games, overlooked moves of a thousand.
const BY_PLAYOUTS: [(u64, u32); 8] =
    [(12, 500), (30, 400), (60, 300), (140, 200), (380, 120), (1_300, 50), (6_000, 10), (20_000, 0)];

/// Where there is an evaluation, the two strongest levels play so many random games, which are left after so many moves and
/// judged, with this value for three games of four. On the board of Four in a row that beats random games played to their
/// end, and alpha-beta, in the same time.
const JUDGED_PLAYOUTS: [u64; 2] = [3_700, 8_000];
const JUDGED_AFTER: u32 = 6;
const JUDGED_BY: i32 = 100;
const JUDGED_EXPLORATION: f32 = 0.5;

/// The most random moves for an answer without a clock, whatever the game: a fraction of a second.
const MOST_MOVES: u64 = 4_000_000;

/// How far evaluations stay from those of a certain win, so that an error of judgement never looks like one.
const MARGIN: i32 = 1_000;

/// The value with which three games of four are won, between players of some strength.
const THREE_OF_FOUR: i32 = 300;

/// How well a seat stands, by the game's own evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded<P>(pub(crate) fn(&P, Seat) -> i32);

impl<P: Position> Evaluation<P> for Bounded<P> {
    fn value(&self, position: &P, seat: Seat) -> i32 {
        self.0(position, seat).clamp(MARGIN - LIMIT, LIMIT - MARGIN)
    }

    fn three_of_four(&self) -> i32 {
        THREE_OF_FOUR
    }
}

/// A level of a game that has none of its own.
pub(crate) fn level<G: Game>(level: Level) -> Box<dyn Strategy<PositionOf<G>>> {
    if let Some(value) = G::EVALUATION {
        return match GENERAL.get(level.index()) {
            Some(&strength) => Box::new(Searcher::new(Bounded(value), strength)),
            None => Box::new(Alert(judging::<G>(value, level))),
        };
    }
    let (playouts, overlooks) = BY_PLAYOUTS[level.index()];
    let policy = Cut::<Evaluate<G>>::long_games(None, 1);
    let exploration = Mcts::new(1).exploration;
    if level == Level::TOP {
        return Box::new(Alert(Grower::top(policy, playouts, exploration)));
    }
    Box::new(Alert(Grower::new(policy, playouts, exploration, overlooks, level.is_careful())))
}

pub(crate) type Evaluate<G> = fn(&PositionOf<G>, Seat) -> i32;

/// The tree search of the strongest levels of a game that has an evaluation and nothing else.
pub(crate) fn judged<G: Game>(value: Evaluate<G>, playouts: u64) -> Mcts<Cut<Evaluate<G>>> {
    let policy = Cut { value: Some(value), three_of_four: JUDGED_BY, long: 0, after: JUDGED_AFTER };
    Mcts { playouts, exploration: JUDGED_EXPLORATION, policy }
}

/// One of the two strongest levels of such a game.
fn judging<G: Game>(value: Evaluate<G>, level: Level) -> Grower<PositionOf<G>, Cut<Evaluate<G>>> {
    let is_top = level == Level::TOP;
    let Mcts { policy, playouts, exploration } = judged::<G>(value, JUDGED_PLAYOUTS[usize::from(is_top)]);
    if is_top {
        Grower::top(policy, playouts, exploration)
    } else {
        Grower::new(policy, playouts, exploration, 0, true)
    }
}

/// Tree search at some strength.
#[derive(Debug)]
pub(crate) struct Grower<P: Position, O> {
    mcts: Mcts<Glance<P, O>>,
    careful: bool,
    /// The strongest level takes all the time it gets; with a clock it keeps its tree and uses all threads.
    lasting: Option<Lasting<P, O>>,
}

/// Random games of somebody who overlooks moves.
#[derive(Clone, Debug)]
struct Glance<P: Position, O> {
    policy: O,
    holes: Holes,
    /// Own moves that are not to be made.
    banned: Vec<P::Move>,
}

impl<P: Keyed, O: Playout<P>> Playout<P> for Glance<P, O> {
    #[inline]
    fn play_out(&self, position: &mut P, rng: &mut Rng) {
        self.policy.play_out(position, rng);
    }

    #[inline]
    fn hope(&self, position: &P, seat: Seat) -> f32 {
        self.policy.hope(position, seat)
    }

    fn longest(&self, position: &P) -> u64 {
        self.policy.longest(position)
    }

    #[inline]
    fn bias(&self, position: &P, mv: P::Move) -> f32 {
        self.policy.bias(position, mv)
    }

    #[inline]
    fn sees(&self, position: &P, mv: P::Move, ply: u32) -> bool {
        let is_banned = ply == 0 && self.banned.contains(&mv);
        !(is_banned || self.holes.hide(position.key(), mv, ply))
    }
}

impl<P: Keyed, O: Playout<P> + Copy> Grower<P, O> {
    /// So many random games, and so many of a thousand moves overlooked.
    pub(crate) fn new(policy: O, playouts: u64, exploration: f32, overlooks: u32, careful: bool) -> Self {
        let holes = Holes { per_mille: overlooks, seed: Seed(0) };
        let mcts = Mcts { playouts, exploration, policy: Glance { policy, holes, banned: vec![] } };
        Self { mcts, careful, lasting: None }
    }

    /// As strong as time allows: these random games are for a match without a clock.
    pub(crate) fn top(policy: O, playouts: u64, exploration: f32) -> Self {
        let lasting = Some(Lasting::new(Mcts { playouts, exploration, policy }));
        Self { lasting, ..Self::new(policy, playouts, exploration, 0, true) }
    }
}

impl<P: Keyed, O: Playout<P> + Copy> Strategy<P> for Grower<P, O> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let affordable = MOST_MOVES / self.mcts.policy.longest(position).max(1);
        let own = self.mcts.playouts.min(affordable);
        let mut budget = budget.clone();
        if self.lasting.is_none() || budget.deadline.is_none() && budget.work.is_none() {
            budget.work = Some(budget.work.map_or(own, |work| work.min(own)));
        }
        self.mcts.policy.holes.seed = budget.seed.derive(2);
        let mv = match &mut self.lasting {
            Some(lasting) if budget.deadline.is_some() => lasting.choose(position, &budget),
            _ => self.mcts.choose(position, &budget),
        };
        if !self.careful || !allows_loss(position, mv) {
            return mv;
        }
        let banned = careless_moves(position);
        if banned.is_empty() {
            return mv;
        }
        // It has seen the danger, and looks at all there is to do about it.
        let holes = Holes { per_mille: 0, ..self.mcts.policy.holes };
        let policy = Glance { banned, holes, policy: self.mcts.policy.policy };
        Mcts { policy, playouts: own, exploration: self.mcts.exploration }.choose(position, &budget)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use rookery_games::hexapawn::{Position as Hexapawn, Setup};
    use rookery_rules::Setup as _;

    use super::*;

    /// Counts random games of which each could have so many moves.
    #[derive(Clone, Copy)]
    struct Counted(&'static AtomicU64, u64);

    impl Playout<Hexapawn> for Counted {
        fn play_out(&self, position: &mut Hexapawn, rng: &mut Rng) {
            self.0.fetch_add(1, Ordering::Relaxed);
            rookery_rules::playout(position, rng);
        }

        fn longest(&self, _: &Hexapawn) -> u64 {
            self.1
        }
    }

    #[test]
    fn without_a_clock_long_games_are_fewer() {
        let start = Setup::parse("rows=8,cols=8").unwrap().start();
        for (longest, expected) in [(100, 2_000), (10_000, 400)] {
            let count: &'static AtomicU64 = Box::leak(Box::default());
            Grower::top(Counted(count, longest), 2_000, 0.7).choose(&start, &Budget::default());
            assert_eq!(count.load(Ordering::Relaxed), expected, "games of up to {longest} moves");
        }
    }
}
