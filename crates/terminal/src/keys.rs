//! What keys and clicks do.

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use crate::App;
use crate::app::{Hot, Leave, Tone};
use crate::command::Command;
use crate::plan::{Way, neighbour};
use crate::popup::{Popup, Reply, edit};

/// In Markdown, as the rules that follow.
pub(crate) const PLAY_HELP: &str = "\
| Key | What it does |
|---|---|
| arrows | to a neighbouring cell; Tab: where something can be done |
| Enter, space | choose a piece, then where it goes; a click does the same |
| letter, digit | type a move, then Enter; short forms will do |
| PgUp, PgDn, <, > | another part of a board that is larger than the window |
| : | type a move or a word: undo, hint, moves, save FILE, load FILE |
| u | undo: back to your last decision |
| [, ] | look at earlier positions; Home: the first one; Esc: the present |
| h | a hint, and why |
| m | the legal moves, to choose from |
| g | explain each step, or no more |
| n | a new match of the same kind |
| r | when it is over: the review, with what would have been better |
| c | say something to the others here; `Bob: text` speaks for Bob |
| s, l | save a copy of the record, load a record |
| R, D | resign; agree on a draw |
| Esc | not this; while a computer thinks: move now |
| q | leave; Ctrl-C leaves at once, Ctrl-Z for a while. The record is kept |
";

pub(crate) const WATCH_HELP: &str = "\
| Key | What it does |
|---|---|
| space | stop and go on |
| right, left | one move forth or back |
| Home, End | to the first and the last move |
| PgUp, PgDn, <, > | another part of a board that is larger than the window |
| +, - | faster, slower |
| s | save a copy of the record |
| r | the review: what was good and bad, and what would have been better |
| q | leave |
";

pub(crate) const REVIEW_HELP: &str = "\
| Key | What it does |
|---|---|
| right, left | the next move, the one before |
| Tab, Shift-Tab | the next mistake, the one before |
| Home, End | the first move, the end of the match |
| m | all mistakes, the largest first |
| p | play on from here: a new match from this position |
| Esc | back to the match |
| q | leave |

The board shows the position before the move: `' '` marks what was played, `{ }` where the better move leads. A value is the share \
of a win that the player could hope for. `?!` gave a little away, `?` much, `??` about everything; `!` is the only good move.
";

/// The keys that are commands, with the words that are the same.
fn command(key: char) -> Option<(Command, &'static str, &'static str)> {
    Some(match key {
        'u' => (Command::Undo, "undo", "your last move back"),
        'h' => (Command::Hint, "hint", "a hint"),
        '?' => (Command::Rules, "rules", "the rules"),
        'g' => (Command::Guide, "guide", "explanations"),
        'm' => (Command::Moves, "moves", "the legal moves"),
        'n' => (Command::Restart, "restart", "a new match"),
        'r' => (Command::Review, "review", "the review"),
        'c' => (Command::Chat, "chat", "a line to the others"),
        's' => (Command::Save(None), "save", "a copy of the record"),
        'l' => (Command::Load(None), "load", "another record"),
        'R' => (Command::Resign, "resign", "giving up"),
        'D' => (Command::Draw, "draw", "a draw"),
        'q' => (Command::Quit, "quit", "leaving"),
        _ => return None,
    })
}

impl App {
    /// Something was pressed, clicked or resized.
    pub fn update(&mut self, event: &Event) {
        if let Some(trial) = &mut self.trial {
            trial.update(event);
            match trial.leave() {
                Some(Leave::Interrupted) => self.leave = Some(Leave::Interrupted),
                Some(Leave::Quit) => self.trial = None,
                None => {}
            }
            return;
        }
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(*key),
            Event::Mouse(mouse) => self.mouse(*mouse),
            _ => {}
        }
    }

    fn key(&mut self, key: KeyEvent) {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            if key.code == KeyCode::Char('c') {
                self.leave = Some(Leave::Interrupted);
            }
            return;
        }
        // To a terminal, Escape and a key soon after it look like one key with Alt.
        if key.modifiers.contains(KeyModifiers::ALT) {
            self.press(KeyCode::Esc);
        }
        self.press(key.code);
    }

    fn press(&mut self, key: KeyCode) {
        if let Some(popup) = &mut self.popup {
            let reply = popup.key(key);
            self.reply(reply);
        } else if self.input.is_some() {
            self.type_key(key);
        } else if !self.review_key(key) && !self.watch_key(key) && !self.back_key(key) {
            self.board_key(key);
        }
    }

    fn board_key(&mut self, key: KeyCode) {
        match key {
            KeyCode::Left => self.go(Way::Left),
            KeyCode::Right => self.go(Way::Right),
            KeyCode::Up => self.go(Way::Up),
            KeyCode::Down => self.go(Way::Down),
            KeyCode::PageUp => self.pan(Way::Up),
            KeyCode::PageDown => self.pan(Way::Down),
            KeyCode::Char('<') => self.pan(Way::Left),
            KeyCode::Char('>') => self.pan(Way::Right),
            KeyCode::Tab => self.jump(false),
            KeyCode::BackTab => self.jump(true),
            KeyCode::Enter | KeyCode::Char(' ') => self.choose_cell(),
            KeyCode::F(1) => drop(self.obey(Command::Rules)),
            KeyCode::Esc if self.selected.is_some() => self.selected = None,
            KeyCode::Esc if self.is_trial => self.leave = Some(Leave::Quit),
            KeyCode::Esc => self.table.hurry(),
            KeyCode::Char(':' | '/') if self.watch.is_none() => {
                self.return_to_present();
                self.input = Some(String::new());
            }
            KeyCode::Char(c) => self.letter(c),
            _ => {}
        }
    }

    fn go(&mut self, way: Way) {
        if !self.scene.cells.is_empty() {
            self.cursor = neighbour(&self.scene, self.cursor, way);
        }
    }

    /// Shows another part of a board that is larger than the window.
    fn pan(&mut self, way: Way) {
        if let Some(plan) = &self.plan {
            self.view.offset = plan.further(self.view.offset, way);
        }
    }

    /// A letter is a command, or begins a move. One that may be both waits for what follows.
    fn letter(&mut self, c: char) {
        let watching = self.watch.is_some();
        let begins_move =
            self.table.person_to_move().is_some() && self.scene.moves.iter().any(|mv| mv.id.starts_with(c));
        match command(c) {
            Some((_, word, what)) if begins_move && !watching => {
                let text = if self.is_move(&c.to_string()) {
                    format!("Press Enter to play {c}, or type {word} for {what}.")
                } else {
                    format!("Go on with the move, or press Enter for {what}.")
                };
                self.input = Some(c.to_string());
                self.say(Tone::Calm, text);
            }
            Some((Command::Rules | Command::Quit | Command::Save(_) | Command::Review, ..)) | None
                if watching =>
            {
                if let Some((command, ..)) = command(c) {
                    self.obey(command);
                }
            }
            Some((command, ..)) if !watching => {
                self.obey(command);
            }
            None if c.is_alphanumeric() => {
                self.return_to_present();
                self.input = Some(c.to_string());
            }
            _ => {}
        }
    }

    /// Whether a text is a whole move that can be played now; then it is no command.
    fn is_move(&self, text: &str) -> bool {
        self.table.person_to_move().is_some() && self.scene.find_move(text).is_some()
    }

    fn type_key(&mut self, key: KeyCode) {
        let Some(input) = &mut self.input else { return };
        match key {
            KeyCode::Esc => {
                self.input = None;
                self.message.1.clear();
            }
            KeyCode::Backspace if input.is_empty() => self.input = None,
            KeyCode::Enter => {
                let text = input.clone();
                let mut letters = text.chars();
                let only = letters.next().filter(|_| letters.next().is_none() && !self.is_move(&text));
                let command =
                    only.and_then(command).map_or_else(|| Command::parse(&text), |(command, ..)| command);
                self.message.1.clear();
                if self.obey(command) {
                    self.input = None;
                }
            }
            key => edit(input, key),
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) {
        match mouse.kind {
            MouseEventKind::ScrollUp if self.popup.is_some() => self.press(KeyCode::Up),
            MouseEventKind::ScrollDown if self.popup.is_some() => self.press(KeyCode::Down),
            MouseEventKind::ScrollUp if self.input.is_none() => self.pan(Way::Up),
            MouseEventKind::ScrollDown if self.input.is_none() => self.pan(Way::Down),
            MouseEventKind::ScrollLeft if self.popup.is_none() => self.pan(Way::Left),
            MouseEventKind::ScrollRight if self.popup.is_none() => self.pan(Way::Right),
            MouseEventKind::Down(MouseButton::Left) => self.click(mouse.column, mouse.row),
            _ => {}
        }
    }

    fn click(&mut self, x: u16, y: u16) {
        let at = Position { x, y };
        if let Some(&(_, hot)) = self.hot.iter().rev().find(|(area, _)| area.contains(at)) {
            match hot {
                Hot::Key(key) => self.press(key),
                Hot::Row(row) => {
                    let reply = match &self.popup {
                        Some(Popup::Choice { items, .. }) => {
                            items.get(row).map(|(id, _)| Reply::Choose(id.clone()))
                        }
                        Some(Popup::Text { reader, .. }) => {
                            reader.position(row).map(|position| Reply::Try(position.to_owned()))
                        }
                        _ => None,
                    };
                    if let Some(reply) = reply {
                        self.reply(reply);
                    }
                }
            }
        } else if self.popup.is_none()
            && self.watch.is_none()
            && let Some(cell) = self.plan.as_ref().and_then(|plan| plan.cell_at(x, y))
        {
            if self.reviewed().is_some() {
                return;
            }
            if self.looks_back() {
                return self.return_to_present();
            }
            self.input = None;
            self.cursor = cell;
            self.choose_cell();
        }
    }
}
