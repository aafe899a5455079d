//! What a program says about its move: bounded, recorded, and without any effect on the game.

use serde::{Deserialize, Serialize};

/// The most moves of a line that a program expects.
pub const MAX_INFO_LINE: usize = 32;
/// The most characters of each text.
pub const MAX_INFO_CHARS: usize = 200;
/// The most characters of all moves of a line together.
const MAX_INFO_LINE_CHARS: usize = 1000;

/// What a program says about its move.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Info {
    /// How many moves it looked ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// How good it thinks the position is for itself, in whatever it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i64>,
    /// The moves it expects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Info {
    /// The same within the bounds: what is too long is cut, control characters become spaces.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let clean = |text: &str| -> String {
            text.chars().take(MAX_INFO_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect()
        };
        self.line.truncate(MAX_INFO_LINE);
        for text in self.line.iter_mut().chain(&mut self.text) {
            *text = clean(text);
        }
        let mut chars = 0;
        let fits = |mv: &&String| {
            chars += mv.chars().count();
            chars <= MAX_INFO_LINE_CHARS
        };
        let n = self.line.iter().take_while(fits).count();
        self.line.truncate(n);
        self
    }

    /// Whether it is within the bounds of a record: those of each text, and of their number.
    pub fn is_bounded(&self) -> bool {
        let fits =
            |text: &String| !text.chars().any(char::is_control) && text.chars().count() <= MAX_INFO_CHARS;
        self.line.len() <= MAX_INFO_LINE && self.line.iter().chain(&self.text).all(fits)
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let texts = self.line.iter().chain(&self.text);
        size_of::<Self>() + texts.map(|text| size_of::<String>() + text.len()).sum::<usize>()
    }
}
