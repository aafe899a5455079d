//! What a program says about its move: bounded, recorded, and without any effect on the game.

use serde::{Deserialize, Serialize};

/// The most moves of a line that a program expects.
pub const MAX_INFO_LINE: usize = 32;
/// The most characters of each text.
pub const MAX_INFO_CHARS: usize = 200;

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
        self
    }

    /// Whether it is within the bounds.
    pub fn is_bounded(&self) -> bool {
        self.clone().bounded() == *self
    }
}
