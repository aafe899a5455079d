//! A series that ends when a test has decided.

use std::collections::BTreeMap;

use rookery_ratings::blocks::block_half_points;
use rookery_ratings::sprt::{Run, Sprt as Test};
use rookery_rules::Seat;

use crate::{Entrant, Format, GameResult, Next, Series};

/// A [`Series`] that ends when a sequential test between its first two entrants has decided, or after all its games. The
/// blocks that are complete decide in their order, up to the first one that is not: so the decision follows from the results
/// and not from how fast games were. What was given beyond the deciding block is not needed any more, and changes nothing.
///
/// ```
/// use rookery_ratings::sprt::{Decision, Model, Sprt as Test};
/// use rookery_referee::Cause;
/// use rookery_rules::{Outcome, Seat};
/// use rookery_tournament::{Entrant, Format, GameResult, Next, Sprt};
///
/// let mut format = Sprt::new(2, 1000, Test::new(Model::Logistic, 0.0, 100.0, 0.05, 0.05)?);
/// while let Next::Play(pairings) = format.next(1) {
///     // The first one always wins.
///     let seat = if pairings[0].entrants[0] == Entrant(0) { 0 } else { 1 };
///     let outcome = Outcome::win(2, Seat::new(seat));
///     format.take(&GameResult::new(&pairings[0], Some(outcome), Cause::Normal));
/// }
/// assert_eq!((format.run().decision(), format.run().games()), (Some(Decision::H1), 24));
/// # Ok::<(), rookery_ratings::sprt::SprtError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Sprt {
    series: Series,
    run: Run,
    /// How many blocks the test was told of.
    blocks: u64,
    /// The games of blocks behind these.
    open: BTreeMap<u64, GameResult>,
}

impl Sprt {
    /// At most so many games, rounded up to whole blocks.
    ///
    /// # Panics
    /// If there are no entrants, or more than a table has seats.
    pub fn new(n_entrants: usize, games: u64, test: Test) -> Self {
        let series = Series::new(n_entrants, games);
        let run =
            Run::new(test, series.block_games() as usize).expect("a block of a table is one of the test");
        Self { series, run, blocks: 0, open: BTreeMap::new() }
    }

    /// How far the test is.
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// How many games there are at most.
    pub const fn games(&self) -> u64 {
        self.series.games()
    }

    fn is_decided(&self) -> bool {
        self.run.decision().is_some()
    }

    /// Whether the game of a pairing counts: it is in a whole block, and so is every game before it, up to the block that
    /// decides.
    pub const fn counts(&self, pairing: u64) -> bool {
        pairing < self.blocks * self.series.block_games()
    }

    /// Takes a result, and says which games count from now on: those of whole blocks, in their order. `None` if it is no
    /// game of this series.
    pub fn count(&mut self, result: &GameResult) -> Option<Vec<GameResult>> {
        let block = self.series.block_games();
        let pairing = self.series.pairing(result.pairing)?;
        let n_seats = result.outcome.as_ref().map(|outcome| outcome.scores.n_seats());
        if pairing.entrants != result.entrants || n_seats.is_some_and(|seats| seats != result.entrants.len())
        {
            return None;
        }
        if self.is_decided() || self.counts(result.pairing) {
            return Some(vec![]);
        }
        self.series.take(result);
        self.open.entry(result.pairing).or_insert_with(|| result.clone());
        let mut counting = vec![];
        while !self.is_decided() && self.has_block() {
            let rest = self.open.split_off(&((self.blocks + 1) * block));
            let games: Vec<GameResult> = std::mem::replace(&mut self.open, rest).into_values().collect();
            let places: Option<Vec<Vec<usize>>> = games.iter().map(places).collect();
            let half_points = places.and_then(|places| block_half_points(&places, 0, 1));
            self.run.take(self.blocks, half_points).expect("the run was made for blocks of this series");
            self.blocks += 1;
            counting.extend(games);
        }
        if self.is_decided() {
            self.open.clear();
        }
        Some(counting)
    }

    /// Whether all games of the next block are there.
    fn has_block(&self) -> bool {
        let block = self.series.block_games();
        let first = self.blocks * block;
        (first..first.saturating_add(block)).all(|game| self.open.contains_key(&game))
    }
}

impl Format for Sprt {
    fn n_entrants(&self) -> usize {
        self.series.n_entrants()
    }

    fn take(&mut self, result: &GameResult) {
        self.count(result);
    }

    fn leave(&mut self, entrant: Entrant) {
        self.series.leave(entrant);
    }

    fn next(&mut self, room: usize) -> Next {
        if self.is_decided() { Next::End } else { self.series.next(room) }
    }
}

/// The place of every entrant, by number; `None` if the game was aborted, or if nobody has won because everybody was removed:
/// that says nothing about who is stronger.
fn places(result: &GameResult) -> Option<Vec<usize>> {
    let outcome = result.outcome.as_ref().filter(|outcome| !outcome.winners.is_empty())?;
    let of_seats = outcome.places();
    let mut places = vec![0; result.entrants.len()];
    for (seat, entrant) in Seat::all(result.entrants.len()).zip(&result.entrants) {
        *places.get_mut(entrant.index())? = of_seats[seat];
    }
    Some(places)
}
