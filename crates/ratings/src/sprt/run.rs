//! A test while games are played.

use std::collections::BTreeMap;

use super::{Decision, Sprt};
use crate::elo::{SampleError, games_of_kinds, is_unit};

/// The ratio after some of the counted blocks, for a plot: evenly spaced, and never more than [`Trace::MAX_POINTS`].
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    every: u64,
    points: Vec<f64>,
}

impl Trace {
    /// Twice as many as a plot has columns.
    pub const MAX_POINTS: usize = 2048;

    fn new() -> Self {
        Self { every: 1, points: vec![] }
    }

    /// After so many counted blocks.
    fn push(&mut self, blocks: u64, llr: f64) {
        if !blocks.is_multiple_of(self.every) {
            return;
        }
        if self.points.len() == Self::MAX_POINTS {
            let mut idx = 0;
            self.points.retain(|_| {
                idx += 1;
                idx % 2 == 0
            });
            self.every *= 2;
        }
        if blocks.is_multiple_of(self.every) {
            self.points.push(llr);
        }
    }

    /// The number of counted blocks and the ratio after them.
    pub fn points(&self) -> impl Iterator<Item = (u64, f64)> {
        (1..).zip(&self.points).map(|(nth, &llr)| (nth * self.every, llr))
    }
}

/// A test that is fed block by block.
///
/// Blocks may end in any order, but count in the order of their numbers: those before the first one that is missing.
/// So where the test ends follows from the results and not from how fast games were played. After that nothing counts
/// any more.
///
/// ```
/// use rookery_ratings::sprt::{Decision, Model, Run, Sprt};
///
/// let test = Sprt::new(Model::Logistic, 0.0, 100.0, 0.05, 0.05)?;
/// let mut run = Run::new(test, 2)?;
/// run.take(1, Some(4))?;
/// assert_eq!(run.blocks(), 0, "block 0 still runs");
/// run.take(0, None)?; // a game of it was aborted
/// assert_eq!((run.blocks(), run.dropped()), (1, 1));
/// for block in 2..14 {
///     run.take(block, Some(4))?;
/// }
/// assert_eq!((run.decision(), run.blocks()), (Some(Decision::H1), 12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    test: Sprt,
    counts: Vec<u64>,
    dropped: u64,
    next: u64,
    waiting: BTreeMap<u64, Option<usize>>,
    llr: f64,
    decision: Option<Decision>,
    trace: Trace,
}

impl Run {
    /// Of blocks of so many games.
    pub fn new(test: Sprt, games: usize) -> Result<Self, SampleError> {
        if !is_unit(games) {
            return Err(SampleError::Games(games));
        }
        Ok(Self {
            test,
            counts: vec![0; 2 * games + 1],
            dropped: 0,
            next: 0,
            waiting: BTreeMap::new(),
            llr: 0.0,
            decision: None,
            trace: Trace::new(),
        })
    }

    /// A block has ended, numbered from 0 without gaps: the half points of the first side, or `None` if one of its games
    /// was aborted. Says whether it is news: not if the block was taken before, or if the test has ended.
    pub fn take(&mut self, block: u64, half_points: Option<usize>) -> Result<bool, SampleError> {
        if let Some(points) = half_points.filter(|&points| points >= self.counts.len()) {
            return Err(SampleError::Score(points as f64 / (self.counts.len() - 1) as f64));
        }
        if self.decision.is_some() || block < self.next || self.waiting.contains_key(&block) {
            return Ok(false);
        }
        self.waiting.insert(block, half_points);
        while self.decision.is_none()
            && let Some(half_points) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            match half_points {
                Some(points) => self.count(points)?,
                None => self.dropped += 1,
            }
        }
        if self.decision.is_some() {
            self.waiting.clear();
        }
        Ok(true)
    }

    fn count(&mut self, half_points: usize) -> Result<(), SampleError> {
        self.counts[half_points] += 1;
        self.llr = self.test.llr(&self.counts)?;
        self.decision = self.test.decision(self.llr);
        self.trace.push(self.blocks(), self.llr);
        Ok(())
    }

    /// The test.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// What it has found, if it has ended.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The logarithm of the likelihood ratio.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// How many blocks were counted with 0, 1, 2 … half points.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many blocks were counted.
    pub fn blocks(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many games were counted.
    pub fn games(&self) -> u64 {
        self.blocks() * games_of_kinds(self.counts.len()).map_or(0, |games| games as u64)
    }

    /// How many blocks were left out because a game was aborted.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The ratio on its way.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::Model;

    fn test() -> Sprt {
        Sprt::new(Model::Logistic, 0.0, 60.0, 0.05, 0.05).unwrap()
    }

    #[test]
    fn the_order_of_arrival_changes_nothing() {
        // This one reaches a bound at block 17, and what follows would lead away from it.
        let points: Vec<Option<usize>> =
            "2212222122223222244444444".bytes().map(|digit| Some(usize::from(digit - b'0'))).collect();
        let mut in_order = Run::new(test(), 2).unwrap();
        for (block, &points) in (0..).zip(&points) {
            in_order.take(block, points).unwrap();
        }
        assert_eq!((in_order.decision(), in_order.blocks(), in_order.games()), (Some(Decision::H0), 17, 34));
        assert_eq!(in_order.take(25, Some(4)), Ok(false), "it has ended");
        for stride in [2, 3, 7, 12, 24] {
            let mut run = Run::new(test(), 2).unwrap();
            for idx in 0..points.len() {
                let block = idx * stride % points.len();
                run.take(block as u64, points[block]).unwrap();
            }
            // 25 blocks, so strides without common factor with it reach each of them.
            assert_eq!(run, in_order, "stride {stride}");
        }
    }

    #[test]
    fn blocks_count_once_and_aborted_ones_do_not() {
        let mut run = Run::new(test(), 2).unwrap();
        assert_eq!(run.take(0, Some(3)), Ok(true));
        assert_eq!(run.take(0, Some(1)), Ok(false));
        assert_eq!(run.take(2, Some(3)), Ok(true));
        assert_eq!(run.take(2, Some(0)), Ok(false));
        assert_eq!(run.take(1, None), Ok(true));
        assert_eq!((run.counts(), run.dropped()), (&[0, 0, 0, 2, 0][..], 1));
        assert_eq!(run.take(3, Some(5)), Err(SampleError::Score(1.25)));
        assert_eq!(run.take(u64::MAX, Some(4)), Ok(true), "it waits for ever");
    }

    #[test]
    fn a_trace_is_thinned_out_and_stays_even() {
        let mut trace = Trace::new();
        for blocks in 1..=100_000 {
            trace.push(blocks, blocks as f64);
        }
        let points: Vec<(u64, f64)> = trace.points().collect();
        assert!((Trace::MAX_POINTS / 2..=Trace::MAX_POINTS).contains(&points.len()), "{}", points.len());
        assert!(points.iter().all(|&(blocks, llr)| (blocks as f64 - llr).abs() < 0.5));
        assert!(points.last().is_some_and(|&(blocks, _)| blocks > 99_900));
    }
}
