//! What stands before the board for a while: a text, a question, a choice, a line to type.

use ratatui::crossterm::event::KeyCode;

use crate::command::MAX_INPUT;
use crate::reading::Reader;

/// Something in front of the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Popup {
    /// A text to read.
    Text { title: &'static str, reader: Reader },
    /// Yes or no.
    Ask { question: &'static str, action: Action },
    /// One of several moves: its id, and what there is to say about it.
    Choice { title: &'static str, items: Vec<(String, String)>, at: usize },
    /// The name of a file: what is typed, and what is taken if nothing is.
    File { purpose: Purpose, text: String, offered: String },
}

/// What is done after a yes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Quit,
    Resign,
    Draw,
    Restart,
}

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Save,
    Load,
}

impl Purpose {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Save => "Save a copy of the record as",
            Self::Load => "Go on with the record in",
        }
    }
}

/// What a key means to a popup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    /// It stays.
    Stay,
    /// It goes.
    Close,
    /// It goes, and this is done.
    Do(Action),
    /// It goes, and the move with this id is meant.
    Choose(String),
    /// Moves are tried in this position.
    Try(String),
    /// It goes, and this file is meant.
    File(Purpose, String),
}

impl Popup {
    /// What a key does here.
    pub(crate) fn key(&mut self, key: KeyCode) -> Reply {
        match self {
            _ if key == KeyCode::Esc => Reply::Close,
            Self::Text { reader, .. } => reader.key(key),
            Self::Ask { action, .. } => match key {
                KeyCode::Char('y' | 'Y') | KeyCode::Enter => Reply::Do(*action),
                KeyCode::Char('n' | 'N' | 'q') => Reply::Close,
                _ => Reply::Stay,
            },
            Self::Choice { items, at, .. } => {
                match key {
                    KeyCode::Up | KeyCode::BackTab => *at = at.checked_sub(1).unwrap_or(items.len() - 1),
                    KeyCode::Down | KeyCode::Tab => *at = (*at + 1) % items.len(),
                    KeyCode::Enter | KeyCode::Char(' ') => return Reply::Choose(items[*at].0.clone()),
                    KeyCode::Char(c) => {
                        let number = c.to_digit(10).and_then(|n| (n as usize).checked_sub(1));
                        if let Some((id, _)) = number.and_then(|number| items.get(number)) {
                            return Reply::Choose(id.clone());
                        }
                    }
                    _ => {}
                }
                Reply::Stay
            }
            Self::File { purpose, text, offered } => {
                match key {
                    KeyCode::Enter => {
                        let name = if text.trim().is_empty() { offered.as_str() } else { text.trim() };
                        return if name.is_empty() {
                            Reply::Close
                        } else {
                            Reply::File(*purpose, name.to_owned())
                        };
                    }
                    KeyCode::Tab | KeyCode::Right if text.is_empty() => text.clone_from(offered),
                    key => edit(text, key),
                }
                Reply::Stay
            }
        }
    }
}

/// Types into a line.
pub(crate) fn edit(text: &mut String, key: KeyCode) {
    match key {
        KeyCode::Char(c) if !c.is_control() && text.len() + c.len_utf8() <= MAX_INPUT => text.push(c),
        KeyCode::Backspace => {
            text.pop();
        }
        _ => {}
    }
}
