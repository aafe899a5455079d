//! Pawns on squares, without a turn.
//!
//! One bit a square, eight bits a row whatever the width, so that a step is a shift by 8 and a capture one by 7
//! or 9, and listing the pawns from the highest bit gives the original's order: last row first, last column first.

use std::fmt;

use rookery_rules::Seat;

use super::{Move, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const ROW: u64 = 0xff;

/// What stands on a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// A pawn of player 1.
    P1,
    /// A pawn of player 2.
    P2,
    /// Nothing.
    Empty,
}

impl Cell {
    /// The cell's sign in every text of this game.
    pub const fn sign(self) -> char {
        match self {
            Self::P1 => '1',
            Self::P2 => '2',
            Self::Empty => '.',
        }
    }

    /// Reads [`sign`](Cell::sign).
    pub(super) const fn of_sign(sign: char) -> Option<Self> {
        match sign {
            '1' => Some(Self::P1),
            '2' => Some(Self::P2),
            '.' => Some(Self::Empty),
            _ => None,
        }
    }
}

/// Pawns on squares. It has no turn and may be any arrangement, also one that no game reaches.
///
/// ```
/// use rookery_games::hexapawn::{Board, Cell, Square};
///
/// let board = Board::init(5, 5).set(Cell::Empty, Square::new(0, 4)).set(Cell::P1, Square::new(1, 4));
/// assert_eq!(board.show().lines().nth(2), Some("| . . . . 1 |"));
/// assert!(!board.analyse().finished[0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    pawns: [u64; 2],
    rows: u8,
    cols: u8,
}

/// What [`Board::analyse`] finds out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Situation {
    /// For each player, whether one of its pawns stands on the far row.
    pub finished: [bool; 2],
    /// For each player, its moves as if it had the turn, in the order of [`Board::valid_moves_for`].
    pub moves: [Vec<Move>; 2],
}

impl Board {
    /// No pawns.
    ///
    /// # Panics
    /// If there are not 2 to 8 rows and 1 to 8 columns.
    pub(super) const fn empty(rows: u8, cols: u8) -> Self {
        assert!(
            2 <= rows && rows <= 8 && 1 <= cols && cols <= 8,
            "a board has 2 to 8 rows and 1 to 8 columns"
        );
        Self { pawns: [0, 0], rows, cols }
    }

    /// The first row full of player 1's pawns, the last row full of player 2's.
    ///
    /// # Panics
    /// If there are not 2 to 8 rows and 1 to 8 columns.
    pub const fn init(rows: u8, cols: u8) -> Self {
        let home = ROW >> (8 - cols);
        Self { pawns: [home, home << (8 * (rows - 1))], ..Self::empty(rows, cols) }
    }

    /// Rows of the board.
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns of the board.
    pub const fn cols(&self) -> u8 {
        self.cols
    }

    /// Whether a square lies on the board.
    pub const fn contains(&self, square: Square) -> bool {
        square.row() < self.rows && square.col() < self.cols
    }

    /// What stands on a square; nothing outside the board.
    pub const fn get(&self, square: Square) -> Cell {
        if self.pawns[0] & square.mask() != 0 {
            Cell::P1
        } else if self.pawns[1] & square.mask() != 0 {
            Cell::P2
        } else {
            Cell::Empty
        }
    }

    /// The board with one square changed; the same board if the square lies outside.
    #[must_use]
    pub const fn set(mut self, cell: Cell, square: Square) -> Self {
        if self.contains(square) {
            self.pawns[0] &= !square.mask();
            self.pawns[1] &= !square.mask();
            match cell {
                Cell::P1 => self.pawns[0] |= square.mask(),
                Cell::P2 => self.pawns[1] |= square.mask(),
                Cell::Empty => {}
            }
        }
        self
    }

    /// The cells row by row, from row 1, left to right.
    pub fn to_list(&self) -> Vec<Vec<Cell>> {
        (0..self.rows)
            .map(|row| (0..self.cols).map(|col| self.get(Square::new(row, col))).collect())
            .collect()
    }

    /// The board in a frame, as the original printed it, without a newline at the end.
    pub fn show(&self) -> String {
        let border = format!("+{}+", "-".repeat(2 * usize::from(self.cols) + 1));
        let mut lines = vec![border.clone()];
        for row in self.to_list() {
            let cells: Vec<String> = row.iter().map(|cell| cell.sign().to_string()).collect();
            lines.push(format!("| {} |", cells.join(" ")));
        }
        lines.push(border);
        lines.join("\n")
    }

    /// The moves of a player as if it had the turn: rows from the last, in a row columns from the last, for each
    /// pawn the capture towards higher columns, the capture towards lower ones, the step.
    pub fn valid_moves_for(&self, player: Seat) -> impl Iterator<Item = Move> + use<> {
        self.movers(player).list()
    }

    /// Who stands on the far row, and each player's moves. It names no winner: that depends on the turn.
    pub fn analyse(&self) -> Situation {
        Situation {
            finished: [0, 1].map(|index| self.has_reached(Seat::new(index))),
            moves: [0, 1].map(|index| self.valid_moves_for(Seat::new(index)).collect()),
        }
    }

    /// The pawns of one player.
    #[inline]
    pub(super) const fn pawns(&self, player: Seat) -> u64 {
        self.pawns[player.index() & 1]
    }

    /// Moves a pawn, legal or not, and takes what stands on the target. Says whether an enemy stood there.
    #[inline]
    pub(super) const fn shift(&mut self, player: Seat, from: Square, to: Square) -> bool {
        let me = player.index() & 1;
        let taken = self.pawns[me ^ 1] & to.mask();
        self.pawns[me] ^= from.mask() | to.mask();
        self.pawns[me ^ 1] ^= taken;
        taken != 0
    }

    /// Takes a pawn of the player off the board.
    #[inline]
    pub(super) const fn take_off(&mut self, player: Seat, square: Square) {
        self.pawns[player.index() & 1] &= !square.mask();
    }

    /// Whether a pawn of the player stands on its far row.
    #[inline]
    pub(super) const fn has_reached(&self, player: Seat) -> bool {
        let far = if player.index() == 0 { ROW << (8 * (self.rows - 1)) } else { ROW };
        self.pawns(player) & far != 0
    }

    /// The pawns of a player that can move, by kind of move.
    #[inline]
    pub(super) const fn movers(&self, player: Seat) -> Movers {
        let (own, enemy) = (self.pawns[player.index() & 1], self.pawns[player.index() & 1 ^ 1]);
        // Bits outside the columns count as empty, which does no harm: no pawn stands behind them.
        let empty = (!0 >> (8 * (8 - self.rows))) & !(own | enemy);
        if player.index() == 0 {
            Movers {
                right: own & !FILE_H & (enemy >> 9),
                left: own & !FILE_A & (enemy >> 7),
                ahead: own & (empty >> 8),
                deltas: [9, 7, 8],
            }
        } else {
            Movers {
                right: own & !FILE_H & (enemy << 7),
                left: own & !FILE_A & (enemy << 9),
                ahead: own & (empty << 8),
                deltas: [-7, -9, -8],
            }
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  ")?;
        for col in 0..self.cols {
            write!(f, " {}", char::from(b'a' + col))?;
        }
        for (idx, row) in self.to_list().iter().enumerate() {
            write!(f, "\n{:2}", idx + 1)?;
            for cell in row {
                write!(f, " {}", cell.sign())?;
            }
        }
        Ok(())
    }
}

/// The pawns of one player that can move, by kind of move: three masks of squares of departure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Movers {
    right: u64,
    left: u64,
    ahead: u64,
    /// How far the target lies from the square of departure, for right, left, ahead.
    deltas: [i8; 3],
}

impl Movers {
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.right | self.left | self.ahead == 0
    }

    #[inline]
    pub(super) const fn count(&self) -> u32 {
        self.right.count_ones() + self.left.count_ones() + self.ahead.count_ones()
    }

    /// Move number `n` in some fixed order, for `n` below [`count`](Movers::count).
    #[inline]
    pub(super) fn nth(&self, n: u32) -> Move {
        let (n_ahead, n_right) = (self.ahead.count_ones(), self.right.count_ones());
        let (mask, n, kind) = if n < n_ahead {
            (self.ahead, n, 2)
        } else if n < n_ahead + n_right {
            (self.right, n - n_ahead, 0)
        } else {
            (self.left, n - n_ahead - n_right, 1)
        };
        self.mv(nth_bit(mask, n), kind)
    }

    #[inline]
    fn mv(&self, from: u32, kind: usize) -> Move {
        let to = from.wrapping_add_signed(i32::from(self.deltas[kind]));
        Move::Pawn { from: Square::of_bit(from), to: Square::of_bit(to) }
    }

    fn list(self) -> impl Iterator<Item = Move> {
        let mut pawns = self.right | self.left | self.ahead;
        let mut from = 0;
        let mut kinds = 0u64;
        std::iter::from_fn(move || {
            if kinds == 0 {
                if pawns == 0 {
                    return None;
                }
                from = pawns.ilog2();
                pawns ^= 1 << from;
                kinds =
                    (self.right >> from & 1) | (self.left >> from & 1) << 1 | (self.ahead >> from & 1) << 2;
            }
            let kind = kinds.trailing_zeros() as usize;
            kinds &= kinds - 1;
            Some(self.mv(from, kind))
        })
    }
}

/// The index of set bit number `n` of a mask, from the lowest.
#[inline]
const fn nth_bit(mut mask: u64, mut n: u32) -> u32 {
    while n > 0 {
        mask &= mask - 1;
        n -= 1;
    }
    mask.trailing_zeros()
}
