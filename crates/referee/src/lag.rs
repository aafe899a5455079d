//! How late our own loop runs, so that no player pays for it.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout, timeout_at};

/// How often the probe looks at the clock.
const TICK: Duration = Duration::from_millis(10);
/// Lateness of a tick that is normal for timers and no sign of trouble.
const TOLERATED: Duration = Duration::from_millis(5);
/// When a time is up: what the probe needs to note that we stood still, and what was sent meanwhile to be read.
pub(crate) const GRACE: Duration = Duration::from_millis(25);

/// Adds up the time during which this process did not get to run: a task asks to be woken every 10 ms and notes by how
/// much it was woken too late. A stopped process, a stolen core and a blocked runtime all show up here.
///
/// The default probe has no task and always says zero, until [`add`](LagProbe::add) is called.
#[derive(Clone, Default)]
pub struct LagProbe {
    total_us: Arc<AtomicU64>,
    task: Option<Arc<OnDrop>>,
}

struct OnDrop(AbortHandle);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl LagProbe {
    /// Starts probing the runtime this is called in; it ends with the last copy of the probe.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start() -> Self {
        let probe = Self::default();
        let counter = probe.clone();
        let task = tokio::spawn(async move {
            loop {
                let due = Instant::now() + TICK;
                tokio::time::sleep_until(due).await;
                let late = Instant::now().saturating_duration_since(due);
                if late > TOLERATED {
                    counter.add(late);
                }
            }
        });
        Self { task: Some(Arc::new(OnDrop(task.abort_handle()))), ..probe }
    }

    /// Whether somebody looks at the clock, here or in another copy of the probe.
    pub fn is_running(&self) -> bool {
        self.task.is_some()
    }

    /// Waits for something, but not longer than so; the time in which we stood still does not count. `None` when the
    /// time is up.
    pub async fn within<T>(&self, time: Duration, awaited: impl Future<Output = T>) -> Option<T> {
        let mut awaited = pin!(awaited);
        let (start, lag_at_start) = (Instant::now(), self.total());
        let mut due = start + time;
        while Instant::now() <= due {
            if let Ok(done) = timeout_at(due, &mut awaited).await {
                return Some(done);
            }
            if let Ok(done) = timeout(GRACE, &mut awaited).await {
                return Some(done);
            }
            due = start + time + self.total().saturating_sub(lag_at_start);
        }
        None
    }

    /// Notes a delay.
    pub fn add(&self, late: Duration) {
        self.total_us.fetch_add(late.as_micros() as u64, Ordering::Relaxed);
    }

    /// All delays since the start.
    pub fn total(&self) -> Duration {
        Duration::from_micros(self.total_us.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for LagProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LagProbe({:?}, running: {})", self.total(), self.task.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn fault_t02_time_in_which_we_stood_still_does_not_count() {
        let probe = LagProbe::default();
        let time = Duration::from_secs(1);
        let after = |time| async move { tokio::time::sleep(time).await };
        assert_eq!(probe.within(time, after(Duration::from_millis(900))).await, Some(()));
        assert_eq!(probe.within(time, after(Duration::from_millis(1200))).await, None);
        let stalled = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            probe.add(Duration::from_millis(400));
            tokio::time::sleep(Duration::from_millis(700)).await;
        };
        assert_eq!(probe.within(time, stalled).await, Some(()));
    }
}
