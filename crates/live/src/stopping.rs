//! One way to stop, everywhere: the first request takes no new game and gives the running ones a grace, the second, or the
//! end of the grace, stops them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long running games may go on after the first request, unless told otherwise.
pub const GRACE: Duration = Duration::from_secs(10);

/// Requests to stop, as they come. Copies hear the same.
///
/// ```
/// use std::time::Duration;
/// use rookery_live::{Signal, Stopping};
///
/// let stopping = Stopping::new(Duration::from_secs(1));
/// assert!(!stopping.is_requested());
/// stopping.request(Signal::Terminate);
/// assert!(stopping.is_requested() && !stopping.is_urgent());
/// stopping.request(Signal::Interrupt);
/// assert!(stopping.is_urgent());
/// assert_eq!(stopping.exit_code(), Some(143), "by the first");
/// ```
#[derive(Clone)]
pub struct Stopping {
    grace: Duration,
    state: Arc<watch::Sender<State>>,
}

#[derive(Clone, Copy, Default)]
struct State {
    first: Option<(Signal, Instant)>,
    /// Whether there was a second.
    urgent: bool,
}

/// Who wants us to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// Ctrl-C, or the end of the terminal.
    Interrupt,
    /// The system, or somebody with `kill`.
    Terminate,
}

impl Stopping {
    /// Running games get so much time after the first request; none at all if it is zero.
    pub fn new(grace: Duration) -> Self {
        Self { grace, state: Arc::new(watch::Sender::new(State::default())) }
    }

    /// How much time running games get.
    pub fn grace(&self) -> Duration {
        self.grace
    }

    /// Somebody wants us to stop. Whether it is the first time.
    pub fn request(&self, signal: Signal) -> bool {
        let mut first = false;
        self.state.send_modify(|state| match state.first {
            None => {
                state.first = Some((signal, Instant::now()));
                first = true;
            }
            Some(_) => state.urgent = true,
        });
        first
    }

    /// Whether no new game is to begin.
    pub fn is_requested(&self) -> bool {
        self.state.borrow().first.is_some()
    }

    /// Whether running games are to stop: the grace is over, or somebody has asked twice.
    pub fn is_urgent(&self) -> bool {
        let state = *self.state.borrow();
        state.urgent || state.first.is_some_and(|(_, at)| Instant::now() >= at + self.grace)
    }

    /// The exit code of a program that was stopped: 130 by Ctrl-C, 143 by the system. `None` if nobody has asked.
    pub fn exit_code(&self) -> Option<u8> {
        let (signal, _) = self.state.borrow().first?;
        Some(match signal {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        })
    }

    /// Waits for the first request.
    pub async fn requested(&self) {
        let mut state = self.state.subscribe();
        // The sender is ours, so that it is not gone.
        let _ = state.wait_for(|state| state.first.is_some()).await;
    }

    /// Waits until running games are to stop.
    pub async fn urgent(&self) {
        self.requested().await;
        let Some((_, at)) = self.state.borrow().first else { return };
        let mut state = self.state.subscribe();
        tokio::select! {
            _ = state.wait_for(|state| state.urgent) => {}
            () = sleep_until(at + self.grace) => {}
        }
    }
}

impl fmt::Debug for Stopping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stopping(requested: {}, urgent: {})", self.is_requested(), self.is_urgent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn fault_s14_running_games_get_their_grace_and_a_second_request_ends_it() {
        let stopping = Stopping::new(Duration::from_secs(5));
        let begin = Instant::now();
        stopping.request(Signal::Interrupt);
        stopping.urgent().await;
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
        assert!(stopping.is_urgent());

        let stopping = Stopping::new(Duration::from_secs(5));
        let begin = Instant::now();
        let other = stopping.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(other.request(Signal::Terminate));
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(!other.request(Signal::Interrupt));
        });
        stopping.requested().await;
        assert!(!stopping.is_urgent());
        stopping.urgent().await;
        assert_eq!(begin.elapsed(), Duration::from_secs(2));
        assert_eq!(stopping.exit_code(), Some(143));
    }
}
