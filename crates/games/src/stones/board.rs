//! Stones on tiles, without a turn.
//!
//! The tiles are kept with a wall around them, so that a step never needs to ask for the edge, and each tile says
//! who stands there and at which place of the list of stones. Drawing a stone, moving it and taking it away are
//! then a handful of instructions each.

use std::fmt;

use rookery_rules::{MAX_SEATS, Rng, Seat, below};

use super::{MAX_SIDE, Move, Tile};

/// Which tiles are adjacent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neighbours {
    /// Straight only.
    Four,
    /// Straight or diagonal.
    Eight,
}

/// From one row of the walled board to the next: one wall between two rows serves both.
const STRIDE: usize = MAX_SIDE as usize + 1;
const N_CELLS: usize = (MAX_SIDE as usize + 2) * STRIDE + 1;
const N_STONES: usize = MAX_SIDE as usize * MAX_SIDE as usize;

/// A cell holds, in its low byte, the bit of the player who stands there, and in its high byte the place of the
/// stone in the list. A wall has the bits of all players, so nobody finds it free of own stones.
const EMPTY: u16 = 0;
const WALL: u16 = 0xff;

/// One direction: what it adds to the index of the cell north-west of a tile, so that it is never negative, and to
/// the number of the tile, where it wraps around.
#[derive(Clone, Copy)]
struct Step {
    cell: u8,
    tile: u8,
}

/// The steps in the order of their targets, row by row. Four directions are there twice, so that eight can be
/// drawn from either way.
static STEPS: [[Step; 8]; 2] = {
    const fn step(row: i16, col: i16) -> Step {
        Step { cell: ((row + 1) * STRIDE as i16 + col + 1) as u8, tile: (row * MAX_SIDE as i16 + col) as u8 }
    }
    let (north, west, east, south) = (step(-1, 0), step(0, -1), step(0, 1), step(1, 0));
    [
        [north, west, east, south, north, west, east, south],
        [step(-1, -1), north, step(-1, 1), west, east, step(1, -1), south, step(1, 1)],
    ]
};

/// The index of the cell north-west of a tile.
#[inline]
const fn corner_index(tile_number: u8) -> usize {
    tile_number as usize + (tile_number / MAX_SIDE) as usize
}

/// The index of a tile's own cell.
#[inline]
const fn cell_index(tile_number: u8) -> usize {
    corner_index(tile_number) + STRIDE + 1
}

/// The low byte of the cells of a player.
#[inline]
const fn bit_of(seat: Seat) -> u16 {
    1 << (seat.index() % MAX_SEATS)
}

/// Stones on tiles.
///
/// ```
/// use rookery_games::stones::{Position, Tile};
/// use rookery_rules::{Notation, Seat};
///
/// let position = Position::from_text("0 0.0/.1./1.0")?;
/// let board = position.board();
/// assert_eq!(board.count(Seat::new(0)), 3);
/// assert_eq!(board.get(Tile::new(1, 1)), Some(Seat::new(1)));
/// assert_eq!(board.stones(Seat::new(1)).collect::<Vec<_>>(), [Tile::new(1, 1), Tile::new(2, 0)]);
/// assert_eq!(board.neighbours(Tile::new(0, 1)).count(), 5);
/// # Ok::<(), rookery_rules::ParsePositionError>(())
/// ```
#[derive(Clone)]
pub struct Board {
    cells: [u16; N_CELLS],
    /// The tiles with a stone, as numbers: one stretch for each player, which only gets shorter.
    stones: [u8; N_STONES],
    /// Where each player's stretch begins.
    first: [u8; MAX_SEATS],
    /// How long it is.
    counts: [u16; MAX_SEATS],
    rows: u8,
    cols: u8,
    neighbours: Neighbours,
}

impl Board {
    /// A board with stones, row by row, `None` for a free tile.
    ///
    /// # Panics
    /// If there are not 1 to 16 rows of the same 1 to 16 columns.
    pub(super) fn new(tiles: &[Vec<Option<Seat>>], neighbours: Neighbours) -> Self {
        let cols = tiles[0].len();
        let sides = 1..=usize::from(MAX_SIDE);
        assert!(
            sides.contains(&tiles.len())
                && sides.contains(&cols)
                && tiles.iter().all(|row| row.len() == cols),
            "a board has 1 to 16 equal rows of 1 to 16 tiles"
        );
        let mut board = Self {
            cells: [WALL; N_CELLS],
            stones: [0; N_STONES],
            first: [0; MAX_SEATS],
            counts: [0; MAX_SEATS],
            rows: tiles.len() as u8,
            cols: cols as u8,
            neighbours,
        };
        for tile in board.tiles() {
            board.cells[cell_index(tile.number())] = EMPTY;
        }
        let mut next = 0;
        for seat in Seat::all(MAX_SEATS) {
            board.first[seat.index()] = next as u8;
            for tile in board.tiles() {
                if tiles[usize::from(tile.row)][usize::from(tile.col)] == Some(seat) {
                    board.cells[cell_index(tile.number())] = bit_of(seat) | next << 8;
                    board.stones[usize::from(next)] = tile.number();
                    board.counts[seat.index()] += 1;
                    next += 1;
                }
            }
        }
        board
    }

    /// Rows of the board.
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns of the board.
    pub const fn cols(&self) -> u8 {
        self.cols
    }

    /// Which tiles are adjacent.
    pub const fn adjacency(&self) -> Neighbours {
        self.neighbours
    }

    /// Whether a tile lies on the board.
    #[inline]
    pub const fn contains(&self, tile: Tile) -> bool {
        tile.row < self.rows && tile.col < self.cols
    }

    /// Who stands on a tile; nobody outside the board.
    #[inline]
    pub const fn get(&self, tile: Tile) -> Option<Seat> {
        if !self.contains(tile) {
            return None;
        }
        match self.cells[cell_index(tile.number())] {
            EMPTY => None,
            cell => Some(owner(cell)),
        }
    }

    /// How many stones a player has.
    #[inline]
    pub const fn count(&self, seat: Seat) -> usize {
        self.counts[seat.index() % MAX_SEATS] as usize
    }

    /// All tiles, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        let (rows, cols) = (self.rows, self.cols);
        (0..rows).flat_map(move |row| (0..cols).map(move |col| Tile { row, col }))
    }

    /// The stones of a player, row by row.
    pub fn stones(&self, seat: Seat) -> impl Iterator<Item = Tile> {
        (0..self.rows).flat_map(move |row| {
            let mut columns = self.columns(row, seat);
            std::iter::from_fn(move || {
                let col = columns.trailing_zeros() as u8;
                columns &= columns.wrapping_sub(1);
                (col < MAX_SIDE).then_some(Tile { row, col })
            })
        })
    }

    /// The columns of a row in which a player has stones, one bit each.
    #[inline]
    fn columns(&self, row: u8, seat: Seat) -> u32 {
        let begin = cell_index(Tile { row, col: 0 }.number());
        let cells = &self.cells[begin..begin + usize::from(self.cols)];
        let shift = seat.index() % MAX_SEATS;
        cells.iter().rev().fold(0, |columns, &cell| columns << 1 | u32::from(cell >> shift & 1))
    }

    /// The tiles of the board adjacent to one of its tiles, row by row: north-west, north, north-east, west, east,
    /// south-west, south, south-east; or north, west, east, south.
    ///
    /// # Panics
    /// May panic if the tile lies outside the board.
    pub fn neighbours(&self, tile: Tile) -> impl Iterator<Item = Tile> {
        self.steps_onto(tile, |cell| cell != WALL)
    }

    /// Where a stone of the player could go from a tile of the board, in the order of
    /// [`neighbours`](Board::neighbours).
    pub(super) fn targets(&self, seat: Seat, from: Tile) -> impl Iterator<Item = Tile> {
        let own = bit_of(seat);
        self.steps_onto(from, move |cell| cell & own == 0)
    }

    #[inline]
    fn steps_onto(&self, from: Tile, admit: impl Fn(u16) -> bool) -> impl Iterator<Item = Tile> {
        let number = from.number();
        let corner = corner_index(number);
        self.steps()
            .iter()
            .filter(move |step| admit(self.cells[corner + usize::from(step.cell)]))
            .map(move |step| Tile::of_number(number.wrapping_add(step.tile)))
    }

    #[inline]
    fn steps(&self) -> &'static [Step] {
        match self.neighbours {
            Neighbours::Four => &STEPS[0][..4],
            Neighbours::Eight => &STEPS[1],
        }
    }

    /// Whether two tiles are adjacent.
    #[inline]
    pub const fn are_adjacent(&self, a: Tile, b: Tile) -> bool {
        let (rows, cols) = (a.row.abs_diff(b.row), a.col.abs_diff(b.col));
        match self.neighbours {
            Neighbours::Four => rows as u32 + cols as u32 == 1,
            Neighbours::Eight => rows <= 1 && cols <= 1 && rows + cols > 0,
        }
    }

    /// How many moves a player would have if it had the turn.
    #[inline]
    pub(super) fn count_moves(&self, seat: Seat) -> usize {
        let own = bit_of(seat);
        let mut n_moves = 0;
        for &number in self.list(seat) {
            let corner = corner_index(number);
            for step in self.steps() {
                let cell = self.cells[corner + usize::from(step.cell)];
                n_moves += usize::from(cell & own == 0);
            }
        }
        n_moves
    }

    /// The stones of a player, as numbers of tiles in no order.
    #[inline]
    pub(super) fn list(&self, seat: Seat) -> &[u8] {
        let begin = usize::from(self.first[seat.index() % MAX_SEATS]);
        &self.stones[begin..begin + self.count(seat)]
    }

    /// One of the moves of a player who has one, each equally likely: stones and directions are drawn until they go
    /// together. Every pair is equally likely, so every pair that passes is too.
    #[inline]
    pub(super) fn random_move(&self, seat: Seat, rng: &mut Rng) -> Move {
        let own = bit_of(seat);
        let first = self.first[seat.index() % MAX_SEATS];
        let n_pairs = u32::from(self.counts[seat.index() % MAX_SEATS]) * 8;
        let steps = &STEPS[self.neighbours as usize];
        loop {
            let pair = below(rng, n_pairs);
            let number = self.stones[usize::from(first.wrapping_add((pair / 8) as u8))];
            let step = steps[(pair % 8) as usize];
            let target = self.cells[corner_index(number) + usize::from(step.cell)];
            if target & own == 0 {
                let to = number.wrapping_add(step.tile);
                return Move { from: Tile::of_number(number), to: Tile::of_number(to) };
            }
        }
    }

    /// Moves a stone, and takes the enemy stone it finds there. Says whose that was.
    #[inline]
    pub(super) fn shift(&mut self, from: u8, to: u8) -> Option<Seat> {
        let (from_cell, to_cell) = (cell_index(from), cell_index(to));
        let hit = self.cells[to_cell];
        if hit != EMPTY {
            self.unlist(hit);
        }
        let stone = self.cells[from_cell];
        self.cells[from_cell] = EMPTY;
        self.cells[to_cell] = stone;
        self.stones[usize::from(stone >> 8)] = to;
        if hit == EMPTY { None } else { Some(owner(hit)) }
    }

    /// Takes a stone out of the list; the last stone of its owner takes its place there.
    #[inline(never)]
    fn unlist(&mut self, cell: u16) {
        let seat = owner(cell).index() % MAX_SEATS;
        self.counts[seat] -= 1;
        let last = self.stones[usize::from(self.first[seat]) + usize::from(self.counts[seat])];
        self.stones[usize::from(cell >> 8)] = last;
        self.cells[cell_index(last)] = cell;
    }

    /// Takes all stones of a player off the board.
    pub(super) fn clear(&mut self, seat: Seat) {
        let index = seat.index() % MAX_SEATS;
        for place in 0..usize::from(self.counts[index]) {
            let number = self.stones[usize::from(self.first[index]) + place];
            self.cells[cell_index(number)] = EMPTY;
        }
        self.counts[index] = 0;
    }
}

/// Who stands on a cell that is not empty.
#[inline]
const fn owner(cell: u16) -> Seat {
    Seat::new((cell.trailing_zeros() % MAX_SEATS as u32) as u8)
}

/// Two boards are equal when the same stones stand on the same tiles, in whatever order they are listed.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.cols, self.neighbours, self.counts)
            == (other.rows, other.cols, other.neighbours, other.counts)
            && self.cells.iter().zip(&other.cells).all(|(a, b)| a & 0xff == b & 0xff)
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.neighbours, self.to_rows())
    }
}
