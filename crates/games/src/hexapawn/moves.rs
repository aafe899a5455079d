//! Squares and moves, and their text.

use std::fmt;
use std::str::FromStr;

use rookery_rules::ParseMoveError;

/// A square of the board. Its text is the file `a` to `h` (the column) and the rank `1` to `8` (the row), with
/// player 1's home on rank 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The square in a row and a column, both counted from 0 and below 8.
    ///
    /// ```
    /// use rookery_games::hexapawn::Square;
    /// assert_eq!(Square::new(0, 1).to_string(), "b1");
    /// ```
    #[inline]
    pub const fn new(row: u8, col: u8) -> Self {
        assert!(row < 8 && col < 8, "a board has at most 8 rows and 8 columns");
        Self(row * 8 + col)
    }

    /// The square of a bit of a board's masks.
    #[inline]
    pub(super) const fn of_bit(bit: u32) -> Self {
        Self(bit as u8)
    }

    /// The mask with just this square.
    #[inline]
    pub(super) const fn mask(self) -> u64 {
        1 << self.0
    }

    /// The index of the bit, below 64.
    #[inline]
    pub(super) const fn bit(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The row, from 0.
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 / 8
    }

    /// The column, from 0.
    #[inline]
    pub const fn col(self) -> u8 {
        self.0 % 8
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.col()), self.row() + 1)
    }
}

/// What a player decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// `b1-b2` or `a1xb2`: a pawn steps ahead or takes.
    Pawn { from: Square, to: Square },
    /// `off=b1`: the player takes one of its own pawns off the board, before play.
    Off(Square),
    /// `k=2`: player 1 chooses how many pawns each player takes off.
    Choose(u8),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pawn { from, to } if from.col() == to.col() => write!(f, "{from}-{to}"),
            Self::Pawn { from, to } => write!(f, "{from}x{to}"),
            Self::Off(square) => write!(f, "off={square}"),
            Self::Choose(k) => write!(f, "k={k}"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        read(text.as_bytes()).ok_or_else(|| {
            ParseMoveError::new(
                text,
                "a step `b1-b2`, a capture `a1xb2`, a removal `off=b1` or a choice `k=2`",
            )
        })
    }
}

fn read(text: &[u8]) -> Option<Move> {
    match text {
        [b'o', b'f', b'f', b'=', square @ ..] => Some(Move::Off(read_square(square)?)),
        [b'k', b'=', digit @ b'0'..=b'9'] => Some(Move::Choose(digit - b'0')),
        [f1, f2, sign @ (b'-' | b'x'), t1, t2] => {
            let (from, to) = (read_square(&[*f1, *f2])?, read_square(&[*t1, *t2])?);
            ((*sign == b'-') == (from.col() == to.col())).then_some(Move::Pawn { from, to })
        }
        _ => None,
    }
}

pub(super) fn read_square(text: &[u8]) -> Option<Square> {
    match text {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Square::new(rank - b'1', file - b'a')),
        _ => None,
    }
}
