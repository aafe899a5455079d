//! Tiles with fish, without penguins.

use std::fmt;

use super::shape::{MAX_CELLS, Shape};
use super::{Cell, Direction};

/// Tiles with fish, one to five by the rules, and holes, on a field of hexagons. It knows of no penguins.
///
/// ```
/// use rookery_games::fish::{Board, Cell};
///
/// let board: Board = "123/405/11".parse()?;
/// assert_eq!((board.rows(), board.cols()), (3, 3));
/// assert_eq!(board.fish(Cell::new(1, 2)), 5);
/// assert_eq!(board.fish(Cell::new(2, 2)), 0, "short rows end in holes");
/// assert_eq!(board.reachable(Cell::new(2, 1)).collect::<Vec<_>>(), [Cell::new(0, 1), Cell::new(1, 0), Cell::new(0, 0)]);
/// # Ok::<(), rookery_games::fish::Invalid>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    pub(super) shape: &'static Shape,
    /// By the number of the cell; 0 is a hole, or outside.
    pub(super) fish: [u8; MAX_CELLS],
}

/// Why something is no board or no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// What is wrong: a clause without a full stop.
    pub problem: String,
}

impl Invalid {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into() }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Invalid {}

impl Board {
    /// The most fish on a tile by the rules.
    pub const MAX_FISH: u8 = 5;

    /// The most fish on a tile that can be written: one digit. Test cases from elsewhere have tiles of six fish,
    /// and nothing but the setup depends on the limit.
    pub const MAX_DIGIT: u8 = 9;

    /// The board with these rows of fish, 0 for a hole. Rows shorter than the longest end in holes.
    pub fn from_rows<R: AsRef<[u8]>>(rows: &[R]) -> Result<Self, Invalid> {
        let cols = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
        // Each factor is checked first, so that the product cannot overflow.
        let fits = |n: usize| (1..=MAX_CELLS).contains(&n);
        if !fits(rows.len()) || !fits(cols) || !fits(rows.len() * cols) {
            return Err(Invalid::new(format!(
                "a board has 1 to {MAX_CELLS} cells, so not {} rows and {cols} columns",
                rows.len()
            )));
        }
        let shape = Shape::of(rows.len() as u8, cols as u8);
        let mut fish = [0; MAX_CELLS];
        for (row, values) in rows.iter().enumerate() {
            for (col, &value) in values.as_ref().iter().enumerate() {
                let cell = Cell::new(row as u8, col as u8);
                if value > Self::MAX_DIGIT {
                    return Err(Invalid::new(format!(
                        "a tile holds 1 to {} fish, so not {value} on {cell}",
                        Self::MAX_DIGIT
                    )));
                }
                fish[shape.bit(cell)] = value;
            }
        }
        Ok(Self { shape, fish })
    }

    /// The fish row by row; all rows have the same length.
    pub fn to_rows(&self) -> Vec<Vec<u8>> {
        let cols = usize::from(self.cols());
        let n_cells = usize::from(self.rows()) * cols;
        self.fish[..n_cells].chunks(cols).map(<[u8]>::to_vec).collect()
    }

    /// How many rows there are.
    pub fn rows(&self) -> u8 {
        self.shape.rows
    }

    /// How many columns there are.
    pub fn cols(&self) -> u8 {
        self.shape.cols
    }

    /// Whether a cell lies on the board, as a tile or a hole.
    pub fn contains(&self, cell: Cell) -> bool {
        self.shape.contains(cell)
    }

    /// The fish on a tile; 0 for a hole and outside the board.
    pub fn fish(&self, cell: Cell) -> u8 {
        if self.contains(cell) { self.fish[self.shape.bit(cell)] } else { 0 }
    }

    /// Every cell of the board, tile or hole, in row-major order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let cols = self.cols();
        (0..self.rows()).flat_map(move |row| (0..cols).map(move |col| Cell::new(row, col)))
    }

    /// The cell next to another, if it lies on the board.
    pub fn neighbour(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        cell.neighbour(direction).filter(|&next| self.contains(next))
    }

    /// The tiles in a straight line from a cell, with no hole between: by direction in the order of
    /// [`Direction::ALL`], then by distance. The cell itself may be a hole.
    pub fn reachable(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        let start = self.contains(cell).then(|| self.shape.bit(cell) as u32);
        let tiles = self.tiles();
        start.into_iter().flat_map(move |bit| self.shape.list_targets(bit, tiles))
    }

    /// The cells of a set that a penguin on cell number `bit` could slide to if just these were free, as bits.
    #[inline]
    pub fn slides(&self, bit: u32, free: u128) -> u128 {
        self.shape.targets(bit, free)
    }

    /// The cells next to cell number `bit`, tile or hole, as bits.
    #[inline]
    pub fn near(&self, bit: u32) -> u128 {
        self.shape.near(bit)
    }

    /// The cells next to any of these, tile or hole, as bits.
    #[inline]
    pub fn around(&self, cells: u128) -> u128 {
        self.shape.around(cells)
    }

    /// The fish on cell number `bit`, counted in row-major order; 0 for a hole.
    #[inline]
    pub fn fish_at(&self, bit: u32) -> u8 {
        self.fish[bit as usize % MAX_CELLS]
    }

    /// The set of the tiles.
    pub(super) fn tiles(&self) -> u128 {
        self.fish
            .iter()
            .enumerate()
            .filter(|&(_, &fish)| fish > 0)
            .fold(0, |tiles, (bit, _)| tiles | 1 << bit)
    }
}

impl std::str::FromStr for Board {
    type Err = Invalid;

    /// Reads rows of digits joined by `/`.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut rows: Vec<Vec<u8>> = vec![];
        for row in text.split('/') {
            let digits = row.chars().map(|sign| {
                let digit = sign.to_digit(10).map(|digit| digit as u8);
                digit.ok_or_else(|| Invalid::new(format!("a row is made of digits, not of {sign:?}")))
            });
            rows.push(digits.collect::<Result<_, _>>()?);
        }
        Self::from_rows(&rows)
    }
}

impl fmt::Display for Board {
    /// Rows of digits joined by `/`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, row) in self.to_rows().iter().enumerate() {
            f.write_str(if idx == 0 { "" } else { "/" })?;
            row.iter().try_for_each(|fish| write!(f, "{fish}"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}
