//! Watching: a match that goes on by itself, at a speed of one's choice.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;

use crate::App;

/// How a match is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    /// Between two moves.
    pub(crate) delay: Duration,
    pub(crate) paused: bool,
    /// Whether computers play on at the end of what there is.
    pub(crate) live: bool,
    next: Instant,
}

/// The shortest and the longest delay between two moves.
const FASTEST: Duration = Duration::from_millis(20);
const SLOWEST: Duration = Duration::from_secs(20);

impl Watch {
    pub(crate) fn new(delay: Duration, live: bool, now: Instant) -> Self {
        Self { delay: delay.clamp(FASTEST, SLOWEST), paused: false, live, next: now + delay }
    }
}

impl App {
    pub(crate) fn tick_watch(&mut self) {
        let Some(watch) = self.watch.filter(|watch| !watch.paused && self.now >= watch.next) else { return };
        if self.table.sitting().can_redo() {
            self.step_watch(true);
            self.schedule_watch();
        } else if watch.live {
            self.table.attend(self.now);
        }
    }

    /// The next move comes after the delay.
    pub(crate) fn schedule_watch(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.next = self.now + watch.delay;
        }
    }

    fn step_watch(&mut self, forward: bool) {
        if self.table.step(forward, self.now) {
            self.message.1.clear();
            self.refresh();
        } else if forward && self.watch.is_some_and(|watch| watch.live) {
            self.table.attend(self.now);
        }
    }

    /// What a key does while watching. Whether it was one of those.
    pub(crate) fn watch_key(&mut self, key: KeyCode) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        match key {
            KeyCode::Char(' ') => watch.paused = !watch.paused,
            KeyCode::Char('+' | '=') => watch.delay = (watch.delay * 2 / 3).max(FASTEST),
            KeyCode::Char('-') => watch.delay = (watch.delay * 3 / 2).min(SLOWEST),
            KeyCode::Right | KeyCode::Left => {
                watch.paused = true;
                self.step_watch(key == KeyCode::Right);
            }
            KeyCode::Home | KeyCode::End => {
                watch.paused = true;
                while self.table.step(key == KeyCode::End, self.now) {}
                self.refresh();
            }
            _ => return false,
        }
        self.schedule_watch();
        true
    }
}
