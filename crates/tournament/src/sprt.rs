//! A series that ends when a test has decided.

use std::collections::BTreeMap;

use crate::{Entrant, Format, GameResult, Next, Series};

/// A sequential test: is told of whole blocks, in their order, and says when it has decided.
pub trait Decide: Send {
    /// The next block, in the order of its games. Whether the test has decided, after which it is told no more. What it
    /// does with a block that has an aborted game is its own rule; seats are not balanced in it.
    fn block(&mut self, games: &[GameResult]) -> bool;
}

/// A [`Series`] that ends when a test has decided, or after all its games. The blocks that are complete decide in their
/// order, up to the first one that is not: so the decision follows from the results and not from how fast games were. What
/// was given beyond the deciding block is not needed any more, and changes nothing.
///
/// ```
/// use rookery_tournament::{Decide, Format, GameResult, Next, Sprt};
///
/// /// Decides after two blocks.
/// #[derive(Clone, Debug)]
/// struct Two(u32);
///
/// impl Decide for Two {
///     fn block(&mut self, games: &[GameResult]) -> bool {
///         self.0 += 1;
///         self.0 == 2
///     }
/// }
///
/// # use rookery_referee::Cause;
/// # use rookery_rules::Outcome;
/// let mut format = Sprt::new(2, 1000, Two(0));
/// while let Next::Play(pairings) = format.next(1) {
///     format.take(&GameResult::new(&pairings[0], Some(Outcome::draw(2)), Cause::Normal));
/// }
/// assert_eq!((format.is_decided(), format.blocks()), (true, 2));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sprt<T> {
    series: Series,
    test: T,
    /// How many blocks the test was told of.
    blocks: u64,
    decided: bool,
    /// The games of blocks behind these.
    open: BTreeMap<u64, GameResult>,
}

impl<T: Decide> Sprt<T> {
    /// At most so many games, rounded up to whole blocks.
    ///
    /// # Panics
    /// If there are no entrants, or more than a table has seats.
    pub fn new(n_entrants: usize, games: u64, test: T) -> Self {
        let series = Series::new(n_entrants, games);
        Self { series, test, blocks: 0, decided: false, open: BTreeMap::new() }
    }

    /// The test, with everything it was told.
    pub const fn test(&self) -> &T {
        &self.test
    }

    /// How many blocks it was told of.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Whether it has decided.
    pub const fn is_decided(&self) -> bool {
        self.decided
    }

    /// Whether all games of the next block are there.
    fn has_block(&self) -> bool {
        let block = self.series.block_games();
        let first = self.blocks * block;
        (first..first.saturating_add(block)).all(|game| self.open.contains_key(&game))
    }

    /// How many games there are at most.
    pub const fn games(&self) -> u64 {
        self.series.games()
    }
}

impl<T: Decide> Format for Sprt<T> {
    fn n_entrants(&self) -> usize {
        self.series.n_entrants()
    }

    fn take(&mut self, result: &GameResult) {
        let block = self.series.block_games();
        let fits =
            self.series.pairing(result.pairing).is_some_and(|pairing| pairing.entrants == result.entrants);
        if self.decided || !fits || result.pairing / block < self.blocks {
            return;
        }
        self.series.take(result);
        self.open.entry(result.pairing).or_insert_with(|| result.clone());
        while !self.decided && self.has_block() {
            let rest = self.open.split_off(&((self.blocks + 1) * block));
            let games: Vec<GameResult> = std::mem::replace(&mut self.open, rest).into_values().collect();
            self.blocks += 1;
            self.decided = self.test.block(&games);
        }
        if self.decided {
            self.open.clear();
        }
    }

    fn leave(&mut self, entrant: Entrant) {
        self.series.leave(entrant);
    }

    fn next(&mut self, room: usize) -> Next {
        if self.decided { Next::End } else { self.series.next(room) }
    }
}
