//! Moves, and their text.

use std::fmt;
use std::str::FromStr;

use rookery_rules::ParseMoveError;

pub(super) const EXPECTED: &str = "the letter of a column, or the cell where the stone lands, such as `d1`";

/// A stone is dropped into a column. Its text is the column's letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(u8);

impl Move {
    /// The move into a column, counted from 0 and below 8.
    ///
    /// ```
    /// use rookery_games::four::Move;
    /// assert_eq!(Move::new(3).to_string(), "d");
    /// ```
    #[inline]
    pub const fn new(col: u8) -> Self {
        assert!(col < 8, "a board has at most 8 columns");
        Self(col)
    }

    /// The column, from 0.
    #[inline]
    pub const fn col(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.0))
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        match text.as_bytes() {
            [letter @ b'a'..=b'h'] => Ok(Self(letter - b'a')),
            _ => Err(ParseMoveError::new(text, EXPECTED)),
        }
    }
}
