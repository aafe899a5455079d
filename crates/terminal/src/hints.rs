//! Hints, each thought of in a thread of its own, and better ones while one looks.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rookery_catalog::{AnyPosition, Stop};
use rookery_study::{Hint, HintQuestion};

/// The first word of a search is not worth much; what comes by then is.
const FIRST: Duration = Duration::from_millis(300);
/// Nobody reads faster than this.
const BETWEEN: Duration = Duration::from_millis(500);

/// One answer, and whether it is the last one.
struct Answer {
    /// To which question.
    number: u64,
    hint: Option<Hint>,
    is_last: bool,
}

/// The hint that is being thought of.
#[derive(Debug)]
pub(crate) struct Hints {
    /// Raised to end the thinking, as long as there is some.
    thinking: Option<Stop>,
    /// The best hint so far for the position that stands.
    best: Option<Hint>,
    /// How many were asked for, to know the last from those before it.
    number: u64,
    sender: Sender<Answer>,
    answers: Receiver<Answer>,
}

impl Hints {
    pub(crate) fn new() -> Self {
        let (sender, answers) = channel();
        Self { thinking: None, best: None, number: 0, sender, answers }
    }

    /// Begins to think about a hint, for so long at the most.
    pub(crate) fn ask(&mut self, game: &str, position: Arc<dyn AnyPosition>, time: Duration) {
        if self.thinking.is_some() {
            return;
        }
        let question = HintQuestion::new(game, position, time);
        self.thinking = Some(question.stop());
        self.best = None;
        self.number += 1;
        let (sender, number) = (self.sender.clone(), self.number);
        thread::spawn(move || {
            let mut due = Instant::now() + FIRST;
            let mut told = String::new();
            let hint = question.think(&mut |hint| {
                let is_news = hint.reason != told && (Instant::now() >= due || hint.is_proved());
                if is_news {
                    due = Instant::now() + BETWEEN;
                    told.clone_from(&hint.reason);
                    // Nobody waits any more if the screen is gone.
                    let _ = sender.send(Answer { number, hint: Some(hint.clone()), is_last: false });
                }
            });
            let _ = sender.send(Answer { number, hint, is_last: true });
        });
    }

    /// Whether a better hint may come.
    pub(crate) fn is_thinking(&self) -> bool {
        self.thinking.is_some()
    }

    /// Whether the first hint has not come yet.
    pub(crate) fn is_awaited(&self) -> bool {
        self.thinking.is_some() && self.best.is_none()
    }

    /// The best hint so far.
    pub(crate) fn best(&self) -> Option<&Hint> {
        self.best.as_ref()
    }

    /// A better hint, if it has come.
    pub(crate) fn take(&mut self) -> Option<Hint> {
        self.wait(Duration::ZERO)
    }

    /// A better hint, if it comes in time.
    pub(crate) fn wait(&mut self, time: Duration) -> Option<Hint> {
        let Answer { number, hint, is_last } = self.answers.recv_timeout(time).ok()?;
        if number != self.number || self.thinking.is_none() {
            return None;
        }
        if is_last {
            self.thinking = None;
        }
        let hint = hint.filter(|hint| self.best.as_ref().is_none_or(|best| best.reason != hint.reason))?;
        self.best = Some(hint.clone());
        Some(hint)
    }

    /// What is known is to be told at once.
    pub(crate) fn hurry(&self) {
        if let Some(stop) = &self.thinking {
            stop.set();
        }
    }

    /// It is no longer wanted: the position is another one.
    pub(crate) fn forget(&mut self) {
        self.hurry();
        self.thinking = None;
        self.best = None;
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        self.hurry();
    }
}
