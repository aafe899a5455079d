//! Whether workers could be heard at all: a silence that was ours, or the broker's, ends no lease.

use std::time::{Duration, Instant};

use async_nats::Message;

use crate::broker::is_connected;
use crate::server::Server;

/// The word for what we say to ourselves by way of the broker.
pub(crate) const ECHO: &str = "echo";
/// How often we do, at most.
const PACE: Duration = Duration::from_secs(1);

/// When we last came round, and what we said to ourselves by way of the broker.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// So that nobody hears the echo of another coordinator.
    session: u64,
    /// What counts as a standstill.
    limit: Duration,
    turned_at: Instant,
    number: u64,
    said_at: Instant,
    /// The first that has not come back, and when it was said.
    out: Option<(u64, Instant)>,
    /// Whether one ever came back: without the right to say it nothing is known.
    works: bool,
}

impl Liveness {
    pub(crate) fn new(session: u64, limit: Duration) -> Self {
        let now = Instant::now();
        Self { session, limit, turned_at: now, number: 0, said_at: now, out: None, works: false }
    }

    /// Whether nothing could be heard for long: the process did not run, waited for something else, or the broker carries nothing.
    pub(crate) fn stood_still(&mut self) -> bool {
        let turned_at = std::mem::replace(&mut self.turned_at, Instant::now());
        let is_late = |since: Instant| self.turned_at - since > self.limit;
        is_late(turned_at) || self.works && self.out.is_some_and(|(_, said_at)| is_late(said_at))
    }

    /// What to say now, if anything.
    fn next(&mut self) -> Option<Vec<u8>> {
        if self.said_at.elapsed() < PACE.min(self.limit / 2) {
            return None;
        }
        (self.number, self.said_at) = (self.number + 1, Instant::now());
        self.out.get_or_insert((self.number, self.said_at));
        Some(format!("{} {}", self.session, self.number).into_bytes())
    }

    /// Something has come round. An old one says nothing of what was said after it.
    pub(crate) fn heard(&mut self, echo: &Message) {
        self.came_back(&echo.payload);
    }

    fn came_back(&mut self, payload: &[u8]) {
        let text = std::str::from_utf8(payload).unwrap_or_default();
        let Some((session, number)) = text.split_once(' ') else { return };
        let is_ours = session.parse() == Ok(self.session);
        if is_ours
            && self.out.is_some_and(|(first, _)| number.parse().is_ok_and(|number: u64| number >= first))
        {
            (self.out, self.works) = (None, true);
        }
    }

    /// The broker is away, which is told otherwise.
    pub(crate) fn lost(&mut self) {
        self.out = None;
    }
}

impl Server {
    /// Says something to ourselves by way of the broker.
    pub(crate) async fn send_echo(&mut self) {
        if is_connected(&self.client)
            && let Some(word) = self.liveness.next()
        {
            self.send(self.subjects().operator(ECHO), word).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_q02_a_standstill_of_our_own_or_of_the_broker_is_noticed() {
        let limit = Duration::from_millis(40);
        let mut liveness = Liveness::new(7, limit);
        assert!(!liveness.stood_still());
        std::thread::sleep(2 * limit);
        assert!(liveness.stood_still(), "we have not come round for long");
        let first = liveness.next().expect("it is time to say something");
        std::thread::sleep(2 * limit);
        liveness.stood_still();
        assert!(!liveness.stood_still(), "who never heard an echo knows nothing of the broker");
        liveness.came_back(b"8 1");
        assert!(!liveness.works, "an echo of another coordinator");
        liveness.came_back(&first);
        std::thread::sleep(2 * limit);
        liveness.next().expect("it is time again");
        liveness.stood_still();
        assert!(!liveness.stood_still());
        std::thread::sleep(2 * limit);
        liveness.stood_still();
        assert!(liveness.stood_still(), "nothing comes back from the broker");
        let later = liveness.next().expect("it is said again");
        liveness.came_back(&first);
        assert!(liveness.stood_still(), "an old echo");
        liveness.came_back(&later);
        assert!(!liveness.stood_still());
    }
}
