//! Sets of cells, and everything about a board that only depends on its size.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::OnceLock;

use super::moves::FRAME;
use super::{Cell, Move};

/// A set of cells, one bit each, in two words: with a table index for the word, testing and flipping a bit costs
/// less than in one number of 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mask([u64; 2]);

impl Mask {
    pub(super) const EMPTY: Self = Self([0; 2]);

    #[inline]
    pub(super) fn only(cell: Cell) -> Self {
        let mut mask = Self::EMPTY;
        mask.flip(cell);
        mask
    }

    #[inline]
    pub(super) fn has(&self, cell: Cell) -> bool {
        self.0[cell.bit() / 64] >> (cell.bit() % 64) & 1 != 0
    }

    /// Puts a cell in or takes it out.
    #[inline]
    pub(super) fn flip(&mut self, cell: Cell) {
        self.0[cell.bit() / 64] ^= 1 << (cell.bit() % 64);
    }

    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    #[inline]
    pub(super) const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// The cells in reading order.
    #[inline]
    pub(super) fn cells(self) -> impl Iterator<Item = Cell> {
        let [mut low, mut high] = self.0;
        std::iter::from_fn(move || {
            if low != 0 {
                let bit = low.trailing_zeros();
                low &= low - 1;
                Some(Cell::of_bit(bit))
            } else if high != 0 {
                let bit = high.trailing_zeros();
                high &= high - 1;
                Some(Cell::of_bit(64 + bit))
            } else {
                None
            }
        })
    }
}

impl BitAnd for Mask {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl BitOr for Mask {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl Not for Mask {
    type Output = Self;
    /// Also the bits that are no cell of the board; every use takes an intersection afterwards.
    #[inline]
    fn not(self) -> Self {
        Self([!self.0[0], !self.0[1]])
    }
}

impl FromIterator<Cell> for Mask {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        cells.into_iter().fold(Self::EMPTY, |mask, cell| mask | Self::only(cell))
    }
}

/// The eight hops in the order in which the moves of one piece are listed: files to the right, rows down.
const OFFSETS: [(i8, i8); 8] = [(-1, -2), (-2, -1), (-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2)];

/// Neither player's home rows, as an index of counts.
pub(super) const NO_BASE: u8 = 2;

/// Everything about a board that only depends on its size. There is one for each size, made when it is first needed.
pub(super) struct Geometry {
    width: u8,
    height: u8,
    /// All cells.
    pub(super) board: Mask,
    /// The home rows of each player.
    pub(super) bases: [Mask; 2],
    /// For each cell the player whose home row it is on, or [`NO_BASE`].
    base_of: [u8; 128],
    /// For each cell the cells a knight's hop away.
    near: [Mask; 128],
    /// For each cell the targets in the eight directions; the cell itself for those outside the board.
    jumps: [[Cell; 8]; 128],
    /// All hops on an empty board, by cell of departure in reading order and then in the order of [`OFFSETS`].
    hops: Vec<Move>,
    /// For each cell where its hops begin and end in `hops`.
    ranges: [(u16, u16); 128],
}

impl Geometry {
    /// The geometry of boards of this size, 3 to 11 files and 5 to 11 ranks.
    pub(super) fn of(width: u8, height: u8) -> &'static Self {
        const SIZES: usize = (FRAME as usize + 1) * (FRAME as usize + 1);
        static ALL: [OnceLock<Geometry>; SIZES] = [const { OnceLock::new() }; SIZES];
        assert!(
            (3..=FRAME).contains(&width) && (5..=FRAME).contains(&height),
            "a board has 3 to 11 files and 5 to 11 ranks"
        );
        let kept = &ALL[usize::from(width) * (usize::from(FRAME) + 1) + usize::from(height)];
        // Made before it is kept, by everybody who misses it: whoever is forked while another thread makes it would wait for
        // that thread for ever.
        kept.get().unwrap_or_else(|| {
            let made = Self::new(width, height);
            kept.get_or_init(|| made)
        })
    }

    fn new(width: u8, height: u8) -> Self {
        let cells =
            || (0..height).rev().flat_map(move |rank| (0..width).map(move |file| Cell::new(file, rank)));
        let mut geometry = Self {
            width,
            height,
            board: cells().collect(),
            bases: [
                cells().filter(|cell| cell.rank() < 2).collect(),
                cells().filter(|cell| cell.rank() >= height - 2).collect(),
            ],
            base_of: [NO_BASE; 128],
            near: [Mask::EMPTY; 128],
            jumps: [[Cell::of_bit(0); 8]; 128],
            hops: vec![],
            ranges: [(0, 0); 128],
        };
        for from in cells() {
            if let Some(base) = (0..2).find(|&base| geometry.bases[usize::from(base)].has(from)) {
                geometry.base_of[from.bit()] = base;
            }
            let first = geometry.hops.len() as u16;
            geometry.jumps[from.bit()] = [from; 8];
            for (direction, (right, down)) in OFFSETS.into_iter().enumerate() {
                let file = from.file().checked_add_signed(right).filter(|&file| file < width);
                let rank = from.rank().checked_add_signed(-down).filter(|&rank| rank < height);
                if let (Some(file), Some(rank)) = (file, rank) {
                    let to = Cell::new(file, rank);
                    geometry.near[from.bit()] = geometry.near[from.bit()] | Mask::only(to);
                    geometry.jumps[from.bit()][direction] = to;
                    geometry.hops.push(Move { from, to });
                }
            }
            geometry.ranges[from.bit()] = (first, geometry.hops.len() as u16);
        }
        geometry
    }

    #[inline]
    pub(super) fn base_of(&self, cell: Cell) -> usize {
        usize::from(self.base_of[cell.bit()])
    }

    #[inline]
    pub(super) fn near(&self, cell: Cell) -> Mask {
        self.near[cell.bit()]
    }

    /// Where a hop in one of eight directions leads; the cell itself if that is outside the board.
    #[inline]
    pub(super) fn jump(&self, cell: Cell, direction: u32) -> Cell {
        self.jumps[cell.bit()][(direction % 8) as usize]
    }

    /// The hops from one cell.
    #[inline]
    pub(super) fn hops_from(&self, cell: Cell) -> &[Move] {
        let (first, end) = self.ranges[cell.bit()];
        &self.hops[usize::from(first)..usize::from(end)]
    }
}

impl PartialEq for Geometry {
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.height) == (other.width, other.height)
    }
}

impl Eq for Geometry {}

impl fmt::Debug for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.width, self.height)
    }
}
