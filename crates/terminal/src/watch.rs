//! Watching a match at a speed of one's choice, and looking back in one that is played.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;

use crate::App;
use crate::app::Tone;

/// How a match is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watch {
    /// Between two moves.
    pub(crate) delay: Duration,
    pub(crate) paused: bool,
    next: Instant,
}

/// The shortest and the longest delay between two moves.
const FASTEST: Duration = Duration::from_millis(20);
const SLOWEST: Duration = Duration::from_secs(20);

impl Watch {
    pub(crate) fn new(delay: Duration, now: Instant) -> Self {
        Self { delay: delay.clamp(FASTEST, SLOWEST), paused: false, next: now + delay }
    }
}

impl App {
    /// The match goes on by itself, and may be far ahead of what is shown of it.
    pub(crate) fn tick_watch(&mut self) {
        let is_due = self.watch.is_some_and(|watch| !watch.paused && self.now >= watch.next);
        if is_due && self.step(true) {
            self.schedule_watch();
        }
    }

    /// The next move comes after the delay.
    fn schedule_watch(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.next = self.now + watch.delay;
        }
    }

    fn step(&mut self, forward: bool) -> bool {
        let stepped = self.table.step(forward);
        if stepped {
            self.message.1.clear();
            self.refresh();
        }
        stepped
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
                self.step(key == KeyCode::Right);
            }
            KeyCode::Home | KeyCode::End => {
                watch.paused = true;
                if key == KeyCode::Home {
                    self.table.to_start();
                } else {
                    while self.table.step(true) {}
                }
                self.refresh();
            }
            _ => return false,
        }
        self.schedule_watch();
        true
    }

    /// Whether somebody who plays looks at an earlier position.
    pub(crate) fn looks_back(&self) -> bool {
        self.watch.is_none() && !self.table.is_present()
    }

    /// To the present, where one can play.
    pub(crate) fn return_to_present(&mut self) {
        if self.looks_back() {
            self.table.to_present();
            self.refresh();
        }
    }

    /// What a key does to look back while playing, which changes nothing in the match. Whether it was one of those.
    pub(crate) fn back_key(&mut self, key: KeyCode) -> bool {
        if self.watch.is_some() {
            return false;
        }
        let looks_back = self.looks_back();
        match key {
            KeyCode::Char('[') => self.step_back_or_forth(false),
            KeyCode::Char(']') => self.step_back_or_forth(true),
            KeyCode::Left if looks_back => self.step_back_or_forth(false),
            KeyCode::Right if looks_back => self.step_back_or_forth(true),
            KeyCode::Home => {
                self.table.to_start();
                self.refresh();
            }
            KeyCode::End => self.return_to_present(),
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char(' ') if looks_back => self.return_to_present(),
            _ => return false,
        }
        true
    }

    fn step_back_or_forth(&mut self, forward: bool) {
        if !self.step(forward) {
            let which = if forward { "last" } else { "first" };
            self.say(Tone::Calm, format!("This is the {which} position."));
        }
        if self.table.is_present() {
            self.table.to_present();
        }
    }
}
