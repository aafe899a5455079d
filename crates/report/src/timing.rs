//! How long everybody thinks.

use std::collections::BTreeMap;

use rookery_tournament::Entrant;

/// Four for each doubling of time, up to some weeks.
const BUCKETS: usize = 1 + 4 * 32;

/// The times of all moves, kept up to date move by move. In which order they come changes nothing, and it needs memory
/// for entrants, not for moves.
///
/// ```
/// use rookery_report::Timing;
/// use rookery_tournament::Entrant;
///
/// let mut timing = Timing::default();
/// (0..100).for_each(|ms| timing.add(Entrant(0), ms));
/// let times = timing.of(Entrant(0)).expect("it has moved");
/// assert_eq!((times.moves(), times.max_ms(), times.mean_ms()), (100, 99, 49.5));
/// assert_eq!(times.quantile_ms(0.5), 55, "half of its moves took no longer, to a fifth of it");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Timing {
    by_entrant: BTreeMap<Entrant, Times>,
}

/// The times of one entrant, in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    moves: u64,
    total_ms: u64,
    max_ms: u64,
    buckets: Vec<u64>,
}

impl Timing {
    /// A move took so long.
    pub fn add(&mut self, entrant: Entrant, ms: u64) {
        let times = self.by_entrant.entry(entrant).or_insert_with(|| Times {
            moves: 0,
            total_ms: 0,
            max_ms: 0,
            buckets: vec![0; BUCKETS],
        });
        times.moves += 1;
        times.total_ms = times.total_ms.saturating_add(ms);
        times.max_ms = times.max_ms.max(ms);
        times.buckets[bucket(ms)] += 1;
    }

    /// The times of an entrant, if it has made a move.
    pub fn of(&self, entrant: Entrant) -> Option<&Times> {
        self.by_entrant.get(&entrant)
    }
}

impl Times {
    /// How many moves.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// All of them together.
    pub const fn total_ms(&self) -> u64 {
        self.total_ms
    }

    /// The longest.
    pub const fn max_ms(&self) -> u64 {
        self.max_ms
    }

    /// The mean.
    pub fn mean_ms(&self) -> f64 {
        self.total_ms as f64 / self.moves as f64
    }

    /// The time that this share of all moves did not exceed, 0 to 1; up to a fifth too long.
    pub fn quantile_ms(&self, share: f64) -> u64 {
        let mut left = (share * self.moves as f64).ceil().max(1.0) as u64;
        for (idx, &count) in self.buckets.iter().enumerate() {
            left = left.saturating_sub(count);
            if left == 0 {
                return last_of(idx).min(self.max_ms);
            }
        }
        self.max_ms
    }
}

fn bucket(ms: u64) -> usize {
    let Some(doublings) = ms.checked_ilog2() else { return 0 };
    if doublings > 31 {
        return BUCKETS - 1;
    }
    // The two digits behind the first one.
    let quarter = (ms << 2 >> doublings & 3) as usize;
    1 + 4 * doublings as usize + quarter
}

/// The longest time of a bucket.
const fn last_of(bucket: usize) -> u64 {
    let Some(behind) = bucket.checked_sub(1) else { return 0 };
    let (doublings, quarter) = (behind / 4, behind as u64 % 4);
    ((5 + quarter) << doublings).div_ceil(4) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_bucket_that_ends_soon_after_it() {
        let times = (0..5000)
            .chain((5..40).flat_map(|doublings| [(1 << doublings) - 1, 1 << doublings, 3 << doublings]));
        for ms in times.chain([u64::MAX]) {
            let (idx, last) = (bucket(ms), last_of(bucket(ms)));
            assert!(ms >= 1 << 32 || ms <= last && last <= ms + ms / 4, "{ms} until {last}");
            assert_eq!(idx, bucket(last.min(ms)), "{ms}");
        }
    }

    #[test]
    fn shares_of_moves() {
        let mut timing = Timing::default();
        for ms in [10, 10, 10, 10, 10, 10, 10, 10, 10, 5000] {
            timing.add(Entrant(3), ms);
        }
        let times = timing.of(Entrant(3)).unwrap();
        assert_eq!((times.quantile_ms(0.0), times.quantile_ms(0.9)), (11, 11));
        assert_eq!((times.quantile_ms(0.95), times.quantile_ms(1.0)), (5000, 5000));
        assert_eq!(timing.of(Entrant(0)), None);
    }
}
