//! Cells, hops and turns, and their text.

use std::fmt;
use std::str::FromStr;

use rookery_rules::ParseMoveError;

/// The most files and ranks a board may have; every board lies in the lower left of this frame.
pub(super) const FRAME: u8 = 11;

/// A cell of the board. Its text is the file `a` to `k`, from the left, and the rank `1` to `11`, from the bottom
/// where player 1 begins.
///
/// Cells are ordered as one reads: from the top rank to the bottom, in a rank from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(u8);

impl Cell {
    /// The cell on a file and a rank, both counted from 0 and below 11.
    ///
    /// ```
    /// use rookery_games::renpaarden::Cell;
    /// assert_eq!(Cell::new(1, 0).to_string(), "b1");
    /// ```
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Self {
        assert!(file < FRAME && rank < FRAME, "a board has at most 11 files and 11 ranks");
        Self((FRAME - 1 - rank) * FRAME + file)
    }

    /// The file, from 0 at the left.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % FRAME
    }

    /// The rank, from 0 at the bottom.
    #[inline]
    pub const fn rank(self) -> u8 {
        FRAME - 1 - self.0 / FRAME
    }

    /// A number below 121 of its own, in reading order on the largest board.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell of a bit of a mask.
    #[inline]
    pub(super) const fn of_bit(bit: u32) -> Self {
        Self(bit as u8)
    }

    /// The index in tables of 128 entries.
    #[inline]
    pub(super) const fn bit(self) -> usize {
        (self.0 & 127) as usize
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl FromStr for Cell {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        read_cell(text).ok_or_else(|| ParseMoveError::new(text, "a cell `b1`"))
    }
}

/// One hop of one piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the piece stands.
    pub from: Cell,
    /// Where it lands.
    pub to: Cell,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        let cells = text.split_once('-').and_then(|(from, to)| Some((read_cell(from)?, read_cell(to)?)));
        let (from, to) = cells.ok_or_else(|| ParseMoveError::new(text, "a hop `b1-c3`"))?;
        Ok(Self { from, to })
    }
}

/// A whole turn of one piece, whatever way it takes: where it starts and where it ends. With both equal it is a
/// null turn: onto an enemy piece and back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Turn {
    /// Where the piece stands.
    pub from: Cell,
    /// Where it ends its turn.
    pub to: Cell,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.from, self.to)
    }
}

impl FromStr for Turn {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        let cells = text.split_once('>').and_then(|(from, to)| Some((read_cell(from)?, read_cell(to)?)));
        let (from, to) = cells.ok_or_else(|| ParseMoveError::new(text, "a turn `b1>d5`"))?;
        Ok(Self { from, to })
    }
}

/// Cuts the text of a chain, `b1-c3-d5`, into its hops. They need not be legal.
///
/// ```
/// use rookery_games::renpaarden::split_chain;
/// let hops = split_chain("b1-c3-d5")?;
/// assert_eq!(hops.iter().map(ToString::to_string).collect::<Vec<_>>(), ["b1-c3", "c3-d5"]);
/// # Ok::<(), rookery_rules::ParseMoveError>(())
/// ```
pub fn split_chain(text: &str) -> Result<Vec<Move>, ParseMoveError> {
    let cells: Option<Vec<Cell>> = text.split('-').map(read_cell).collect();
    match cells {
        Some(cells) if cells.len() >= 2 => {
            Ok(cells.windows(2).map(|pair| Move { from: pair[0], to: pair[1] }).collect())
        }
        _ => Err(ParseMoveError::new(text, "a chain of hops `b1-c3-d5`")),
    }
}

pub(super) fn read_cell(text: &str) -> Option<Cell> {
    let (&file @ b'a'..=b'k', rank) = text.as_bytes().split_first()? else { return None };
    let rank = match rank {
        [digit @ b'1'..=b'9'] => digit - b'0',
        [b'1', digit @ b'0'..=b'1'] => 10 + digit - b'0',
        _ => return None,
    };
    Some(Cell::new(file - b'a', rank - 1))
}
