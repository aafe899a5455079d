//! Hints, each thought of in a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rookery_catalog::{AnyPosition, Stop};
use rookery_live::{Hint, HintQuestion};

/// The hint that is being thought of.
#[derive(Debug)]
pub(crate) struct Hints {
    wanted: Option<Stop>,
    /// How many were asked for, to know the last from those before it.
    number: u64,
    sender: Sender<(u64, Option<Hint>)>,
    results: Receiver<(u64, Option<Hint>)>,
}

impl Hints {
    pub(crate) fn new() -> Self {
        let (sender, results) = channel();
        Self { wanted: None, number: 0, sender, results }
    }

    /// Begins to think about a hint. Whether there is not one being thought of already.
    pub(crate) fn ask(&mut self, position: Arc<dyn AnyPosition>) -> bool {
        if self.wanted.is_some() {
            return false;
        }
        let question = HintQuestion::new(position);
        self.wanted = Some(question.stop());
        self.number += 1;
        let (sender, number) = (self.sender.clone(), self.number);
        // Nobody waits any more if the screen is gone.
        thread::spawn(move || drop(sender.send((number, question.think()))));
        true
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.is_some()
    }

    /// The hint, if it has come.
    pub(crate) fn take(&mut self) -> Option<Hint> {
        self.wait(Duration::ZERO)
    }

    /// The hint, if it comes in time.
    pub(crate) fn wait(&mut self, time: Duration) -> Option<Hint> {
        let (number, hint) = self.results.recv_timeout(time).ok()?;
        if number != self.number {
            return None;
        }
        self.wanted.take().and(hint)
    }

    /// It is to come at once.
    pub(crate) fn hurry(&self) {
        if let Some(stop) = &self.wanted {
            stop.set();
        }
    }

    /// It is no longer wanted.
    pub(crate) fn forget(&mut self) {
        self.hurry();
        self.wanted = None;
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        self.hurry();
    }
}
