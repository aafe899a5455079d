//! How often something may be done: so many times within a span, by whoever it is counted for.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many are counted at the same time; beyond, who is not known yet has to wait until older counts are over.
const COUNTED: usize = 20_000;

/// Counts what somebody does.
#[derive(Debug)]
pub struct Rates<K> {
    most: u32,
    span: Duration,
    counts: Mutex<HashMap<K, (Instant, u32)>>,
}

impl<K: Hash + Eq> Rates<K> {
    /// At most so often within a span.
    pub fn new(most: u32, span: Duration) -> Self {
        Self { most, span, counts: Mutex::default() }
    }

    /// Counts one more; whether it is still allowed.
    pub fn allow(&self, key: K, now: Instant) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= COUNTED {
            counts.retain(|_, (since, _)| now.saturating_duration_since(*since) < self.span);
            if counts.len() >= COUNTED && !counts.contains_key(&key) {
                return false;
            }
        }
        let (since, n) = counts.entry(key).or_insert((now, 0));
        if now.saturating_duration_since(*since) >= self.span {
            (*since, *n) = (now, 0);
        }
        *n += 1;
        *n <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_begins_anew_after_the_span() {
        let rates = Rates::new(2, Duration::from_mins(1));
        let now = Instant::now();
        assert!(rates.allow("a", now) && rates.allow("a", now) && !rates.allow("a", now));
        assert!(rates.allow("b", now), "others are counted by themselves");
        assert!(rates.allow("a", now + Duration::from_mins(1)));
    }

    #[test]
    fn no_more_than_so_many_are_counted() {
        let rates = Rates::new(2, Duration::from_mins(1));
        let now = Instant::now();
        assert!((0..COUNTED).all(|key| rates.allow(key, now)));
        assert!(!rates.allow(COUNTED, now), "there is no room to count it");
        assert!(rates.allow(0, now), "who is known is counted on");
        assert!(rates.allow(COUNTED, now + Duration::from_mins(1)));
        assert_eq!(rates.counts.lock().unwrap().len(), 1);
    }
}
