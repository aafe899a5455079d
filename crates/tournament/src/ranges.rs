//! Numbers that have been, kept as ranges.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of numbers that fills up from below, more or less in order. It needs as much memory as it has gaps, however
/// long a number in the middle is missing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Ranges {
    /// From the first number of a range to the one behind its last. No two of them touch.
    ends: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Puts a number below [`u64::MAX`] in; `false` if it was there.
    pub(crate) fn insert(&mut self, number: u64) -> bool {
        let before = self.ends.range(..=number).next_back().map(|(&start, &end)| (start, end));
        if before.is_some_and(|(_, end)| number < end) {
            return false;
        }
        let end = self.ends.remove(&(number + 1)).unwrap_or(number + 1);
        let start = before.filter(|&(_, end)| end == number).map_or(number, |(start, _)| start);
        self.ends.insert(start, end);
        true
    }

    /// Puts all numbers of a range in.
    pub(crate) fn insert_range(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let touches = |(&start, &end): (&u64, &u64)| (end >= range.start).then_some((start, end));
        let (mut start, mut end) = (range.start, range.end);
        while let Some((other, its_end)) = self.ends.range(..=end).next_back().and_then(touches) {
            self.ends.remove(&other);
            (start, end) = (start.min(other), end.max(its_end));
        }
        self.ends.insert(start, end);
    }

    /// The first number from here on that is missing.
    pub(crate) fn missing_from(&self, number: u64) -> u64 {
        match self.ends.range(..=number).next_back() {
            Some((_, &end)) if number < end => end,
            _ => number,
        }
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.missing_from(number) != number
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rookery_rules::{Seed, below};

    use super::*;

    #[test]
    fn it_is_a_set_whatever_the_order() {
        for seed in 0..50 {
            let mut rng = Seed(seed).rng();
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for _ in 0..120 {
                let number = u64::from(below(&mut rng, 60));
                if below(&mut rng, 10) == 0 {
                    let end = number + u64::from(below(&mut rng, 4));
                    ranges.insert_range(number..end);
                    set.extend(number..end);
                } else {
                    assert_eq!(ranges.insert(number), set.insert(number));
                }
                for probe in 0..66 {
                    assert_eq!(ranges.contains(probe), set.contains(&probe));
                    let missing = (probe..100).find(|number| !set.contains(number));
                    assert_eq!(Some(ranges.missing_from(probe)), missing);
                }
                let n_starts = set.iter().filter(|&&n| n == 0 || !set.contains(&(n - 1))).count();
                assert_eq!(ranges.ends.len(), n_starts, "ranges that touch are one");
            }
        }
    }
}
