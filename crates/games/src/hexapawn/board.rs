//! Pawns on squares, without a turn.
//!
//! One bit a square, eight bits a row whatever the width, so that a step is a shift by 8 and a capture one by 7
//! or 9, and listing the pawns from the highest bit gives the original's order: last row first, last column first.

use std::fmt;

use rookery_rules::{Rng, Seat, below};

use super::{Move, Square};

/// The first column, the last of eight, and the first row.
pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(super) const FILE_H: u64 = FILE_A << 7;
pub(super) const ROW: u64 = 0xff;

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
/// use rookery_rules::Seat;
///
/// let board = Board::init(5, 5).set(Cell::Empty, Square::new(0, 4)).set(Cell::P1, Square::new(1, 4));
/// assert_eq!(board.to_string().lines().nth(2), Some(" 2 . . . . 1"));
/// assert!(!board.has_reached(Seat::new(0)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    pawns: [u64; 2],
    rows: u8,
    cols: u8,
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

    /// The moves of a player as if it had the turn: rows from the last, in a row columns from the last, for each
    /// pawn the capture towards higher columns, the capture towards lower ones, the step.
    pub fn valid_moves_for(&self, player: Seat) -> impl Iterator<Item = Move> + use<> {
        self.movers(player).list()
    }

    /// The board with these pawns.
    pub(super) const fn with_pawns(rows: u8, cols: u8, pawns: [u64; 2]) -> Self {
        Self { pawns, ..Self::empty(rows, cols) }
    }

    /// The pawns of one player, one bit a square: bit `8 * row + column`.
    #[inline]
    pub const fn pawns(&self, player: Seat) -> u64 {
        self.pawns[player.index() & 1]
    }

    /// The first and the last row. A pawn that comes there has reached the far side, since nobody moves backwards.
    pub(super) const fn edges(&self) -> u64 {
        ROW | ROW << (8 * (self.rows - 1))
    }

    /// Whether a pawn of the player stands on its far row.
    pub const fn has_reached(&self, player: Seat) -> bool {
        self.pawns(player) & self.far_row(player) != 0
    }

    const fn far_row(&self, player: Seat) -> u64 {
        let row = if player.index() == 0 { self.rows - 1 } else { 0 };
        ROW << (8 * row)
    }

    /// The pawns of a player that can move, by kind of move.
    pub(super) const fn movers(&self, player: Seat) -> Movers {
        let (own, enemy) = (self.pawns(player), self.pawns(player.next(2)));
        Movers::new(own, enemy, ahead(player)).without(self.far_row(player))
    }
}

/// From a square to the one ahead: player 1 moves 8 bits up, player 2 moves 8 bits down, which is 56 up around the
/// end of the word, so that one rotation serves both without a branch.
#[inline]
pub(super) const fn ahead(player: Seat) -> u32 {
    if player.index() == 0 { 8 } else { 56 }
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
    left: u64,
    ahead: u64,
    right: u64,
    /// From a square to the one ahead, modulo 64.
    distance: u32,
}

/// A kind of move: towards lower columns, straight ahead, towards higher columns.
const LEFT: u32 = 0;
const AHEAD: u32 = 1;
const RIGHT: u32 = 2;

impl Movers {
    /// What the pawns `own` can do against the pawns `enemy`, none of `own` being on its far row: there, where the
    /// rotation brings squares from the other end of the board, it would find moves that do not exist.
    #[inline]
    pub(super) const fn new(own: u64, enemy: u64, ahead: u32) -> Self {
        Self {
            left: own & !FILE_A & enemy.rotate_right(ahead - 1),
            ahead: own & !(own | enemy).rotate_right(ahead),
            right: own & !FILE_H & enemy.rotate_right(ahead + 1),
            distance: ahead,
        }
    }

    const fn without(mut self, squares: u64) -> Self {
        self.left &= !squares;
        self.ahead &= !squares;
        self.right &= !squares;
        self
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.left | self.ahead | self.right == 0
    }

    /// Whether a pawn can go from one square to another.
    #[inline]
    pub(super) const fn allows(&self, from: Square, to: Square) -> bool {
        let steps = (to.bit() as u32).wrapping_sub(from.bit() as u32);
        let kind = steps.wrapping_sub(self.distance).wrapping_add(AHEAD) & 63;
        let movers = match kind {
            LEFT => self.left,
            AHEAD => self.ahead,
            RIGHT => self.right,
            _ => 0,
        };
        movers & from.mask() != 0
    }

    #[inline]
    pub(super) const fn count(&self) -> u32 {
        self.left.count_ones() + self.ahead.count_ones() + self.right.count_ones()
    }

    /// A move, each equally likely, if there is one.
    #[inline]
    pub(super) fn random(&self, rng: &mut Rng) -> Option<Move> {
        if self.left | self.right != 0 {
            return Some(self.random_with_captures(rng));
        }
        if self.ahead == 0 {
            return None;
        }
        let ranks = bits_by_byte(self.ahead).wrapping_mul(FILE_A);
        let (shift, n) = find_byte(ranks, below(rng, (ranks >> 56) as u32));
        let row = self.ahead >> shift & ROW;
        Some(self.mv(shift + u32::from(NTH_BIT_OF_BYTE[n as usize & 7][row as usize]), AHEAD))
    }

    /// First the row is drawn, then the move in the row, both from one random number and without a branch on it: a
    /// wrong guess of the processor costs as much as all the rest.
    #[inline]
    fn random_with_captures(&self, rng: &mut Rng) -> Move {
        let odd = self.left ^ self.ahead ^ self.right;
        let two = (self.left & self.right) | (self.ahead & (self.left ^ self.right));
        let ranks = (bits_by_byte(odd) + 2 * bits_by_byte(two)).wrapping_mul(FILE_A);
        let (shift, n) = find_byte(ranks, below(rng, (ranks >> 56) as u32));

        let [left, ahead, right] =
            [self.left, self.ahead, self.right].map(|mask| (mask >> shift & ROW) as u32);
        let n_left = u32::from(BITS_OF_BYTE[left as usize]);
        let n_ahead = u32::from(BITS_OF_BYTE[ahead as usize]);
        let (beyond_left, beyond_ahead) = (u32::from(n >= n_left), u32::from(n >= n_left + n_ahead));
        let kind = beyond_left + beyond_ahead;
        let n = n - (n_left & beyond_left.wrapping_neg()) - (n_ahead & beyond_ahead.wrapping_neg());
        let row = (left | ahead << 8 | right << 16) >> (8 * kind) & 0xff;
        self.mv(shift + u32::from(NTH_BIT_OF_BYTE[n as usize & 7][row as usize]), kind)
    }

    #[inline]
    fn mv(&self, from: u32, kind: u32) -> Move {
        let to = (from + self.distance + kind - AHEAD) & 63;
        Move::Pawn { from: Square::of_bit(from), to: Square::of_bit(to) }
    }

    /// Calls `mark` with the square of departure of each move, and the columns it goes to the right: -1, 0 or 1. In no order
    /// of any meaning.
    #[inline]
    pub(super) fn mark(&self, mut mark: impl FnMut(usize, isize)) {
        for (movers, sideways) in [(self.left, -1), (self.ahead, 0), (self.right, 1)] {
            let mut pawns = movers;
            while pawns != 0 {
                mark(pawns.trailing_zeros() as usize, sideways);
                pawns &= pawns - 1;
            }
        }
    }

    /// The same in the order of [`list`](Movers::list).
    #[inline]
    pub(super) fn each(&self, mut take: impl FnMut(usize, isize)) {
        let mut pawns = self.left | self.ahead | self.right;
        while pawns != 0 {
            let from = pawns.ilog2() as usize;
            let pawn = 1 << from;
            pawns ^= pawn;
            for (movers, sideways) in [(self.right, 1), (self.left, -1), (self.ahead, 0)] {
                if movers & pawn != 0 {
                    take(from, sideways);
                }
            }
        }
    }

    /// The moves in the order of [`Board::valid_moves_for`].
    #[inline]
    pub(super) fn list(self) -> impl Iterator<Item = Move> {
        let mut pawns = self.left | self.ahead | self.right;
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
            let kind = [RIGHT, LEFT, AHEAD][kinds.trailing_zeros() as usize];
            kinds &= kinds - 1;
            Some(self.mv(from, kind))
        })
    }
}

/// How many bits of each byte of a mask are set, one count a byte.
#[inline]
const fn bits_by_byte(mask: u64) -> u64 {
    let pairs = mask - (mask >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Finds the byte with item number `n`, where byte i of `ranks` counts the items in the bytes 0 to i. Says where
/// the byte begins, in bits, and which of its items it is.
#[inline]
const fn find_byte(ranks: u64, n: u32) -> (u32, u32) {
    // The top bit of a byte of `passed` is set where the ranks up to there do not reach beyond n.
    let passed = (((n as u64 * FILE_A) | FILE_H) - ranks) & FILE_H;
    let shift = ((passed >> 7).wrapping_mul(FILE_A) >> 56) as u32 * 8;
    (shift, n - ((ranks << 8) >> shift & ROW) as u32)
}

/// How many bits of a byte are set.
static BITS_OF_BYTE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0usize;
    while byte < 256 {
        table[byte] = byte.count_ones() as u8;
        byte += 1;
    }
    table
};

/// The index of set bit number `n` of a byte.
static NTH_BIT_OF_BYTE: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[n][byte] = bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};
