//! Hints on the full screen, and the rules with boards to try.

use std::time::{Duration, Instant};

use rookery_catalog::game;
use rookery_study::Hint;

use crate::app::Tone;
use crate::matches::game_name;
use crate::popup::Popup;
use crate::reading::Reader;
use crate::{App, Look, Table};

/// So long a hint gets better while somebody looks at it.
const LOOKING: Duration = Duration::from_mins(1);

/// What a hint begins with.
const HINT: &str = "Hint: ";
const LOOKING_FOR: &str = "Looking for a good move ...";

impl App {
    pub(crate) fn ask_hint(&mut self) {
        if let Some(hint) = self.table.best_hint().filter(|_| self.table.is_hinting()).cloned() {
            self.say(Tone::Calm, LOOKING_FOR);
            self.show_hint(&hint);
        } else if self.table.ask_hint(LOOKING) {
            self.say(Tone::Calm, LOOKING_FOR);
        } else {
            self.say(Tone::Wrong, "There is no hint now: it is not your move.");
        }
    }

    /// A hint has come, or a better one.
    pub(crate) fn show_hint(&mut self, hint: &Hint) {
        if self.looks_back() {
            return;
        }
        // Whoever has gone elsewhere since the last hint stays there.
        let is_followed = match &self.hint {
            None => true,
            Some(last) => {
                let cell = last.to.as_ref().or(last.from.as_ref()).and_then(|id| self.cell_number(id));
                cell == Some(self.cursor) && self.input.is_none()
            }
        };
        if let Some(mv) = self.scene.find_move(&hint.mv).cloned() {
            if is_followed {
                let cell = mv.to.as_ref().or(mv.from.as_ref()).and_then(|id| self.cell_number(id));
                self.cursor = cell.unwrap_or(self.cursor);
                self.selected = mv.from.clone().filter(|_| mv.to.is_some());
            }
            self.hint = Some(mv);
        }
        if self.message.1.is_empty() || self.message.1 == LOOKING_FOR || self.message.1.starts_with(HINT) {
            self.say(Tone::Loud, format!("{HINT}{}.", hint.reason));
        }
    }

    pub(crate) fn show_rules(&mut self) {
        let keys = match (self.reviewed(), &self.watch) {
            (Some(_), _) => crate::keys::REVIEW_HELP,
            (None, Some(_)) => crate::keys::WATCH_HELP,
            (None, None) => crate::keys::PLAY_HELP,
        };
        let game = game(&game_name(self.table.spec())).ok();
        self.popup = Some(Popup::Text { title: "Keys and rules", reader: Reader::new(keys, game) });
    }

    /// A board of the rules, to be moved on.
    pub fn trying(table: Table, look: Look, now: Instant) -> Self {
        let mut app = Self::new(table, look, now).guided();
        app.is_trial = true;
        app
    }

    /// Opens a board of the rules.
    pub(crate) fn try_board(&mut self, position: &str) {
        let Some(runner) = self.table.runner() else {
            return self.say(Tone::Wrong, "Boards cannot be tried here; `rookery rules` has them, too.");
        };
        match Table::trial(runner, &game_name(self.table.spec()), position) {
            Ok(table) => self.trial = Some(Box::new(Self::trying(table, self.look, self.now))),
            Err(problem) => self.say_error(&problem),
        }
    }
}
