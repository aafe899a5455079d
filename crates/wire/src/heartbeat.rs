//! Whether somebody who says nothing is still there.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// How long a peer is silent before it is asked for a sign of life, and asked again.
const EVERY: Duration = Duration::from_secs(10);
/// So many questions without an answer, and it is gone. After [`EVERY`] each, that is half a minute of silence.
const TRIES: u32 = 2;

/// Counts questions and not the time alone: while our own process was stopped nobody was asked, and nobody is to blame.
pub(crate) struct Heartbeat {
    /// When it is next looked whether something was heard.
    timer: Pin<Box<Sleep>>,
    /// The last sign of life.
    heard: Instant,
    /// Questions since then.
    n_asked: u32,
    /// Whether silence means that it is gone. Who is asked for a move may be too busy for anything else, and has a clock.
    is_idle: bool,
}

/// What is to be done about somebody who says nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// It is asked for a sign of life.
    Ask,
    /// It is gone.
    Gone,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { timer: Box::pin(sleep(EVERY)), heard: Instant::now(), n_asked: 0, is_idle: true }
    }
}

impl Heartbeat {
    /// How long somebody is silent until it is gone.
    pub(crate) const SILENCE: Duration = Duration::from_secs(EVERY.as_secs() * (TRIES as u64 + 1));

    /// There was a sign of life.
    pub(crate) fn heard(&mut self) {
        self.heard = Instant::now();
        self.n_asked = 0;
    }

    /// Whether nothing else is expected of it than to be there.
    pub(crate) fn set_idle(&mut self, idle: bool) {
        if idle && !self.is_idle {
            // What it did not answer while it was busy does not count.
            self.heard();
        }
        self.is_idle = idle;
    }

    /// Ready when there is something to do.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Due> {
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            let next = self.heard + EVERY;
            if self.n_asked == 0 && now < next {
                self.timer.as_mut().reset(next);
                continue;
            }
            if self.is_idle && self.n_asked >= TRIES {
                return Poll::Ready(Due::Gone);
            }
            self.n_asked = self.n_asked.saturating_add(1);
            self.timer.as_mut().reset(now + EVERY);
            return Poll::Ready(Due::Ask);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Waker;

    use tokio::time::advance;

    use super::*;

    async fn next(heartbeat: &mut Heartbeat) -> (Due, u64) {
        let begin = Instant::now();
        let due = poll_fn(|cx| heartbeat.poll(cx)).await;
        (due, begin.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn fault_t04_who_is_silent_is_asked_after_10_s_and_gone_after_30_s() {
        let mut heartbeat = Heartbeat::default();
        assert_eq!(Heartbeat::SILENCE, Duration::from_secs(30));
        assert_eq!(next(&mut heartbeat).await, (Due::Ask, 10));
        assert_eq!(next(&mut heartbeat).await, (Due::Ask, 10));
        heartbeat.heard();
        for due in [Due::Ask, Due::Ask, Due::Gone] {
            assert_eq!(next(&mut heartbeat).await, (due, 10));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn fault_t04_who_speaks_now_and_then_is_not_asked() {
        let mut heartbeat = Heartbeat::default();
        for _ in 0..10 {
            advance(Duration::from_secs(7)).await;
            heartbeat.heard();
            assert!(heartbeat.poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!(next(&mut heartbeat).await, (Due::Ask, 10));
    }

    #[tokio::test(start_paused = true)]
    async fn fault_t04_who_thinks_about_a_move_need_not_answer() {
        let mut heartbeat = Heartbeat::default();
        heartbeat.set_idle(false);
        for _ in 0..20 {
            assert_eq!(
                next(&mut heartbeat).await,
                (Due::Ask, 10),
                "it is asked, so that nobody cuts the line"
            );
        }
        heartbeat.set_idle(true);
        for due in [Due::Ask, Due::Ask, Due::Gone] {
            assert_eq!(next(&mut heartbeat).await.0, due);
        }
    }

    /// The same holds for a process that was stopped: nobody was asked meanwhile.
    #[tokio::test(start_paused = true)]
    async fn fault_t02_nobody_is_gone_because_we_slept() {
        let mut heartbeat = Heartbeat::default();
        for _ in 0..TRIES {
            advance(Duration::from_hours(1)).await;
            assert_eq!(next(&mut heartbeat).await.0, Due::Ask);
        }
        heartbeat.heard();
        advance(Duration::from_hours(1)).await;
        assert_eq!(next(&mut heartbeat).await.0, Due::Ask);
    }
}
