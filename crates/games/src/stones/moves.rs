//! Tiles and moves, and their text.

use std::fmt;
use std::str::FromStr;

use rookery_rules::ParseMoveError;

use super::MAX_SIDE;

/// A tile: its row and its column, both from 0. A tile may lie outside every board, so that a move which leads
/// there can be expressed, and refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tile {
    /// The row, from 0 at the top.
    pub row: u8,
    /// The column, from 0 at the left.
    pub col: u8,
}

impl Tile {
    /// The tile in a row and a column.
    #[inline]
    pub const fn new(row: u8, col: u8) -> Self {
        Self { row, col }
    }

    /// The number of the tile on the largest board; only for tiles of a board.
    #[inline]
    pub(super) const fn number(self) -> u8 {
        self.row.wrapping_mul(MAX_SIDE).wrapping_add(self.col)
    }

    /// The tile of a [`number`](Tile::number).
    #[inline]
    pub(super) const fn of_number(number: u8) -> Self {
        Self { row: number / MAX_SIDE, col: number % MAX_SIDE }
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.row, self.col)
    }
}

/// A stone goes from one tile to another and takes the enemy stone it finds there.
///
/// ```
/// use rookery_games::stones::{Move, Tile};
///
/// let mv: Move = "0.1-1.0".parse()?;
/// assert_eq!(mv, Move { from: Tile::new(0, 1), to: Tile::new(1, 0) });
/// assert_eq!("(0,1)x(1,0)".parse(), Ok(mv));
/// # Ok::<(), rookery_rules::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the stone stands.
    pub from: Tile,
    /// Where it goes.
    pub to: Tile,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads `0.1-1.0`, and `(0,1)-(1,0)` or `(0,1)x(1,0)` too. The sign in the middle is not checked: a move does
    /// not know what stands on its target.
    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        read(text).ok_or_else(|| {
            ParseMoveError::new(
                text,
                "two tiles, each a row and a column from 0: `0.1-1.0`, or `(0,1)-(1,0)`, or `(0,1)x(1,0)`",
            )
        })
    }
}

fn read(text: &str) -> Option<Move> {
    let (from, to) = text.split_once(['-', 'x'])?;
    Some(Move { from: read_tile(from)?, to: read_tile(to)? })
}

fn read_tile(text: &str) -> Option<Tile> {
    let (row, col) = match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => inside.split_once(',')?,
        None => text.split_once('.')?,
    };
    Some(Tile { row: read_number(row)?, col: read_number(col)? })
}

/// Digits without a sign and without needless zeros, up to 255.
fn read_number(text: &str) -> Option<u8> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}
