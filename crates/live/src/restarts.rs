//! Programs that crash again and again: each waits longer before it is started once more, and nobody waits for it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// So many crashes in a row are forgiven: somebody may have bad luck.
const FORGIVEN: u32 = 2;
/// The longest wait, as a multiple of the first.
const MOST: u32 = 30;

/// Who has crashed lately, by the name of the player.
#[derive(Debug, Default)]
pub(crate) struct Restarts(Mutex<HashMap<String, Crashes>>);

/// Of one player, in a row.
#[derive(Debug)]
struct Crashes {
    count: u32,
    last: Instant,
}

/// How long the wait is after so many crashes in a row.
fn wait_after(count: u32, first: Duration) -> Duration {
    match count.checked_sub(FORGIVEN + 1) {
        None => Duration::ZERO,
        Some(doublings) => first * 2_u32.saturating_pow(doublings).min(MOST),
    }
}

impl Restarts {
    fn crashes(&self) -> MutexGuard<'_, HashMap<String, Crashes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A game of this player is over; whether its program has crashed in it.
    pub(crate) fn note(&self, name: &str, has_crashed: bool) {
        let mut all = self.crashes();
        if has_crashed {
            let crashes =
                all.entry(name.to_owned()).or_insert_with(|| Crashes { count: 0, last: Instant::now() });
            *crashes = Crashes { count: crashes.count.saturating_add(1), last: Instant::now() };
        } else {
            all.remove(name);
        }
    }

    /// Waits until the programs of all these may be started; `first` is how long the first wait is.
    pub(crate) async fn wait(&self, names: impl Iterator<Item = &str>, first: Duration) {
        let until = {
            let all = self.crashes();
            let until = |name| all.get(name).map(|c: &Crashes| c.last + wait_after(c.count, first));
            names.filter_map(until).max()
        };
        if let Some(until) = until {
            sleep_until(until).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn fault_c03_after_three_crashes_in_a_row_a_program_waits_and_nobody_else_does() {
        let restarts = Restarts::default();
        let waited = async |names: &[&str]| {
            let begin = Instant::now();
            restarts.wait(names.iter().copied(), Duration::from_secs(1)).await;
            begin.elapsed().as_secs()
        };
        for expected in [0, 0, 1, 2, 4, 8, 16, 30, 30, 30] {
            restarts.note("bad", true);
            assert_eq!(waited(&["good", "other"]).await, 0, "nobody else waits");
            assert_eq!(waited(&["good", "bad"]).await, expected);
            assert_eq!(waited(&["bad"]).await, 0, "the time that has passed counts");
        }
        restarts.note("bad", false);
        restarts.note("bad", true);
        assert_eq!(waited(&["bad"]).await, 0, "a game without a crash is a new beginning");
    }

    #[test]
    fn fault_c03_no_wait_is_too_long_to_be_reckoned() {
        assert_eq!(wait_after(u32::MAX, Duration::from_secs(1)), Duration::from_secs(30));
        assert_eq!(wait_after(u32::MAX, Duration::ZERO), Duration::ZERO);
    }
}
