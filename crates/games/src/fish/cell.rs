//! Cells, directions and moves, and their text.

use std::fmt;
use std::str::FromStr;

use rookery_rules::{ParseMoveError, Seat};

/// A place of the board, as row and column, both counted from 0; it may hold a tile or be a hole. Its text is
/// `2.3` for row 2, column 3.
///
/// The hexagons have flat tops: each row lies half a hexagon lower than the one before it, and odd rows are
/// shifted to the right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The row, from 0.
    pub row: u8,
    /// The column, from 0.
    pub col: u8,
}

impl Cell {
    /// The cell in a row and a column.
    #[inline]
    pub const fn new(row: u8, col: u8) -> Self {
        Self { row, col }
    }

    /// The cell next to this one, unless it lies above the first row or left of the first column. Whether it lies
    /// on a board is for the board to say.
    ///
    /// ```
    /// use rookery_games::fish::{Cell, Direction};
    /// assert_eq!(Cell::new(2, 1).neighbour(Direction::NorthWest), Some(Cell::new(1, 0)));
    /// assert_eq!(Cell::new(1, 0).neighbour(Direction::NorthWest), Some(Cell::new(0, 0)));
    /// assert_eq!(Cell::new(1, 0).neighbour(Direction::North), None);
    /// ```
    pub const fn neighbour(self, direction: Direction) -> Option<Self> {
        // Odd rows are shifted by half a cell, so a half step to the right changes the column only there.
        let odd = (self.row % 2) as i8;
        let (down, right) = match direction {
            Direction::North => (-2, 0),
            Direction::NorthEast => (-1, odd),
            Direction::SouthEast => (1, odd),
            Direction::South => (2, 0),
            Direction::SouthWest => (1, odd - 1),
            Direction::NorthWest => (-1, odd - 1),
        };
        match (self.row.checked_add_signed(down), self.col.checked_add_signed(right)) {
            (Some(row), Some(col)) => Some(Self { row, col }),
            _ => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.row, self.col)
    }
}

/// The six ways a penguin can go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// Two rows up.
    North,
    /// One row up, to the right.
    NorthEast,
    /// One row down, to the right.
    SouthEast,
    /// Two rows down.
    South,
    /// One row down, to the left.
    SouthWest,
    /// One row up, to the left.
    NorthWest,
}

impl Direction {
    /// All of them, clockwise from north: the order in which everything is tried and listed.
    pub const ALL: [Self; 6] =
        [Self::North, Self::NorthEast, Self::SouthEast, Self::South, Self::SouthWest, Self::NorthWest];
}

/// The colour of a player's penguins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// The first player's.
    Red,
    /// The second player's.
    White,
    /// The third player's.
    Brown,
    /// The fourth player's.
    Black,
}

impl Color {
    /// All of them, in turn order.
    pub const ALL: [Self; 4] = [Self::Red, Self::White, Self::Brown, Self::Black];

    /// The colour given to a seat.
    ///
    /// # Panics
    /// If the seat is not one of the first four.
    pub const fn of(seat: Seat) -> Self {
        Self::ALL[seat.index()]
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Red => "red",
            Self::White => "white",
            Self::Brown => "brown",
            Self::Black => "black",
        })
    }
}

/// What a player decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// `2.3`: a new penguin is put on a tile.
    Place(Cell),
    /// `2.3-4.3`: a penguin slides in a straight line.
    Slide { from: Cell, to: Cell },
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(cell) => write!(f, "{cell}"),
            Self::Slide { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        let mv = match text.split_once('-') {
            None => read_cell(text).map(Self::Place),
            Some((from, to)) => read_cell(from).zip(read_cell(to)).map(|(from, to)| Self::Slide { from, to }),
        };
        mv.ok_or_else(|| {
            ParseMoveError::new(
                text,
                "a placement `2.3` (row.column, from 0) or a slide `2.3-4.3`, numbers below 128",
            )
        })
    }
}

fn read_cell(text: &str) -> Option<Cell> {
    let (row, col) = text.split_once('.')?;
    Some(Cell::new(read_number(row)?, read_number(col)?))
}

/// A number below 128 as it is written, so without a sign or leading zeros.
fn read_number(text: &str) -> Option<u8> {
    let plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|&number| plain && number < 128)
}
