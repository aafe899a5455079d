//! Where penguins can go on a board of a given size: masks made once for each size.
//!
//! A cell's bit is its number in row-major order. Along each of the three straight lines through a cell the rows,
//! and so the bits, rise steadily from one end to the other. That is all the *obstruction difference* needs: it
//! finds the nearest obstacles on both sides of a cell with one subtraction, without walking.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Not};
use std::sync::OnceLock;

use rookery_rules::{Rng, below};

use super::steps::Steps;
use super::{Cell, Direction};

/// The most cells a board may have.
pub const MAX_CELLS: usize = 128;

/// A set of cells: 64 bits where they suffice, since 128 take about twice the time.
pub(super) trait Word:
    Copy
    + Eq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + 'static
{
    const NONE: Self;
    fn of(mask: u128) -> Self;
    fn n_cells(self) -> u32;
    fn lowest(self) -> u32;
    fn without_lowest(self) -> Self;
    /// `self` minus the highest bit of `low`, or minus one if `low` is empty.
    fn minus_highest(self, low: Self) -> Self;
    fn nth_bit(self, n: u32) -> u32;
}

macro_rules! word {
    ($word:ty, $nth_bit:expr) => {
        impl Word for $word {
            const NONE: Self = 0;

            #[inline]
            fn of(mask: u128) -> Self {
                mask as Self
            }

            #[inline]
            fn n_cells(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline]
            fn minus_highest(self, low: Self) -> Self {
                self.wrapping_sub(1 << (low | 1).ilog2())
            }

            #[inline]
            fn nth_bit(self, n: u32) -> u32 {
                $nth_bit(self, n)
            }
        }
    };
}
word!(u64, nth_bit);
word!(u128, |mask: u128, n: u32| {
    let (low, n_low) = (mask as u64, (mask as u64).count_ones());
    if n < n_low { nth_bit(low, n) } else { 64 + nth_bit((mask >> 64) as u64, n - n_low) }
});

/// The index of set bit number `n` of a mask, from the lowest. Without branches, which would mostly be guessed wrong:
/// the bytes are counted side by side, the right one is found by comparing all, and a table has the bit in it.
#[inline]
fn nth_bit(mask: u64, n: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = mask - (mask >> 1 & (ONES * 0x55));
    let nibbles = (pairs & (ONES * 0x33)) + (pairs >> 2 & (ONES * 0x33));
    let counts = (nibbles + (nibbles >> 4)) & (ONES * 0x0f);
    // In each byte, how many bits are set in it and in the lower ones; at most 64, so the top bit is spare.
    let sums = counts.wrapping_mul(ONES);
    let passed = (((u64::from(n) * ONES) | (ONES << 7)) - sums) >> 7 & ONES;
    let start = passed.wrapping_mul(ONES) >> 56 << 3;
    let left = u64::from(n) - (sums << 8 >> start & 0xff);
    let byte = mask >> (start & 63) & 0xff;
    start as u32 + u32::from(BIT_IN_BYTE[(left << 8 | byte) as usize % BIT_IN_BYTE.len()])
}

/// By the number of a set bit and the byte, the index of the bit.
static BIT_IN_BYTE: [u8; 8 * 256] = {
    let mut table = [0; 8 * 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[n << 8 | byte] = bit;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The numbers of the bits that are set, from the lowest.
#[inline]
pub fn bits(mask: u128) -> impl Iterator<Item = u32> {
    // By halves: most boards need only the lower one, and 128 bits at once take about twice the time.
    let (mut low, mut high) = (mask as u64, (mask >> 64) as u64);
    std::iter::from_fn(move || {
        let (half, first) = if low == 0 { (&mut high, 64) } else { (&mut low, 0) };
        let bit = half.trailing_zeros();
        *half &= half.wrapping_sub(1);
        (bit < 64).then_some(first + bit)
    })
}

/// The set of each single cell; a shift by a variable number of bits is dear in 128 of them.
pub(super) static MASKS: [u128; MAX_CELLS] = {
    let mut masks = [0; MAX_CELLS];
    let mut bit = 0;
    while bit < MAX_CELLS {
        masks[bit] = 1 << bit;
        bit += 1;
    }
    masks
};

/// The three lines through a cell: north-south, northeast-southwest, northwest-southeast.
///
/// Aligned so that a narrow one lies in a single cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Star<W> {
    /// The cells of each line above this one: with lower bits.
    above: [W; 3],
    /// The cells of each line below it: with higher bits.
    below: [W; 3],
    /// The cells next to it.
    near: W,
}

impl<W: Word> Star<W> {
    const EMPTY: Self = Self { above: [W::NONE; 3], below: [W::NONE; 3], near: W::NONE };

    fn new(rays: &[u128; 6], near: u128) -> Self {
        let [n, ne, se, s, sw, nw] = rays.map(W::of);
        Self { above: [n, ne, nw], below: [s, sw, se], near: W::of(near) }
    }

    /// The cells a penguin here can slide to.
    #[inline]
    fn targets(&self, free: W) -> W {
        let blocked = !free;
        let mut seen = W::NONE;
        for (above, below) in self.above.into_iter().zip(self.below) {
            let obstacles = blocked & below;
            // The subtraction changes all bits from the last obstacle above to the first one below.
            let between = obstacles ^ obstacles.minus_highest(blocked & above);
            seen = seen | (between & (above | below));
        }
        seen & free
    }
}

/// Tables for one size, in words that fit it.
enum Stars {
    Narrow(Box<[Star<u64>; 64]>),
    Wide(Box<[Star<u128>; MAX_CELLS]>),
}

/// How many boards there are with each smaller number of rows, from one row on, and last how many there are in all: with
/// so many rows there can be one column, two, and so on.
const FIRST_SIZE: [usize; MAX_CELLS + 1] = {
    let mut first = [0; MAX_CELLS + 1];
    let mut rows = 1;
    while rows <= MAX_CELLS {
        first[rows] = first[rows - 1] + MAX_CELLS / rows;
        rows += 1;
    }
    first
};
const N_SIZES: usize = FIRST_SIZE[MAX_CELLS];

/// The size of a board and all that follows from it.
pub(super) struct Shape {
    pub(super) rows: u8,
    pub(super) cols: u8,
    cells: [Cell; MAX_CELLS],
    /// For each cell the cells in each of the six directions, up to the edge.
    rays: Box<[[u128; 6]; MAX_CELLS]>,
    stars: Stars,
    /// How a whole set of cells steps outwards, where a word of 64 bits holds the board.
    steps: Option<Steps>,
}

/// Runs the same lines with the words that fit a shape.
macro_rules! with_stars {
    ($shape:expr, $stars:ident => $body:expr) => {
        match &$shape.stars {
            Stars::Narrow($stars) => $body,
            Stars::Wide($stars) => $body,
        }
    };
}

impl Shape {
    /// The shape of a size. Only one of each is kept, for good: there are some 650 sizes, so this is bounded, and
    /// positions share it without counting references.
    ///
    /// # Panics
    /// If there is no row, no column or more than [`MAX_CELLS`] cells.
    pub(super) fn of(rows: u8, cols: u8) -> &'static Self {
        static ALL: [OnceLock<Box<Shape>>; N_SIZES] = [const { OnceLock::new() }; N_SIZES];
        assert!(
            rows > 0 && cols > 0 && usize::from(rows) * usize::from(cols) <= MAX_CELLS,
            "a board has 1 to 128 cells"
        );
        let kept = &ALL[FIRST_SIZE[usize::from(rows) - 1] + usize::from(cols) - 1];
        // Made before it is kept, by everybody who misses it, and without a lock: whoever is forked while another thread
        // makes it would wait for that thread for ever.
        kept.get().unwrap_or_else(|| {
            let made = Box::new(Self::new(rows, cols));
            kept.get_or_init(|| made)
        })
    }

    fn new(rows: u8, cols: u8) -> Self {
        let n_cells = usize::from(rows) * usize::from(cols);
        let mut shape = Self {
            rows,
            cols,
            cells: [Cell::new(0, 0); MAX_CELLS],
            rays: Box::new([[0; 6]; MAX_CELLS]),
            stars: Stars::Wide(Box::new([Star::EMPTY; MAX_CELLS])),
            steps: Steps::new(rows, cols),
        };
        let mut near = [0; MAX_CELLS];
        for (bit, near) in near[..n_cells].iter_mut().enumerate() {
            let start = Cell::new((bit / usize::from(cols)) as u8, (bit % usize::from(cols)) as u8);
            shape.cells[bit] = start;
            for (idx, direction) in Direction::ALL.into_iter().enumerate() {
                let step = |cell: &Cell| cell.neighbour(direction).filter(|&next| shape.contains(next));
                let first = step(&start);
                *near |= first.map_or(0, |cell| shape.mask(cell));
                let ray = std::iter::successors(first, step).fold(0, |ray, cell| ray | shape.mask(cell));
                shape.rays[bit][idx] = ray;
            }
        }
        shape.stars = if n_cells <= 64 {
            Stars::Narrow(Box::new(std::array::from_fn(|bit| Star::new(&shape.rays[bit], near[bit]))))
        } else {
            Stars::Wide(Box::new(std::array::from_fn(|bit| Star::new(&shape.rays[bit], near[bit]))))
        };
        shape
    }

    #[inline]
    pub(super) const fn contains(&self, cell: Cell) -> bool {
        cell.row < self.rows && cell.col < self.cols
    }

    /// The number of a cell of the board.
    #[inline]
    pub(super) const fn bit(&self, cell: Cell) -> usize {
        (cell.row as usize * self.cols as usize + cell.col as usize) % MAX_CELLS
    }

    /// The set with just this cell of the board.
    #[inline]
    pub(super) fn mask(&self, cell: Cell) -> u128 {
        MASKS[self.bit(cell)]
    }

    #[inline]
    pub(super) const fn cell(&self, bit: u32) -> Cell {
        self.cells[bit as usize % MAX_CELLS]
    }

    /// The cells of a set, in row-major order.
    pub(super) fn cells(&self, mask: u128) -> impl Iterator<Item = Cell> {
        bits(mask).map(|bit| self.cell(bit))
    }

    /// The cells next to cell number `bit`.
    #[inline]
    pub(super) fn near(&self, bit: u32) -> u128 {
        match &self.stars {
            Stars::Narrow(stars) => u128::from(stars[bit as usize % 64].near),
            Stars::Wide(stars) => stars[bit as usize % MAX_CELLS].near,
        }
    }

    /// The cells next to any of these.
    #[inline]
    pub(super) fn around(&self, cells: u128) -> u128 {
        match &self.steps {
            Some(steps) => u128::from(steps.around(cells as u64)),
            None => bits(cells).fold(0, |around, bit| around | self.near(bit)),
        }
    }

    /// The free cells that a penguin on cell number `bit` can slide to.
    #[inline]
    pub(super) fn targets(&self, bit: u32, free: u128) -> u128 {
        match &self.stars {
            Stars::Narrow(stars) => u128::from(stars[bit as usize % 64].targets(free as u64)),
            Stars::Wide(stars) => stars[bit as usize % MAX_CELLS].targets(free),
        }
    }

    /// The same cells one by one: by direction in the order of [`Direction::ALL`], then by distance.
    pub(super) fn list_targets(&self, bit: u32, free: u128) -> impl Iterator<Item = Cell> {
        let targets = self.targets(bit, free);
        self.rays[bit as usize % MAX_CELLS].iter().zip(Direction::ALL).flat_map(move |(ray, direction)| {
            let mut left = targets & ray;
            let upwards = matches!(direction, Direction::North | Direction::NorthEast | Direction::NorthWest);
            std::iter::from_fn(move || {
                let nearest = if upwards { left.checked_ilog2()? } else { left.trailing_zeros() };
                if nearest == 128 {
                    return None;
                }
                left ^= 1 << nearest;
                Some(self.cell(nearest))
            })
        })
    }

    /// Whether one of the penguins has a free cell next to it.
    #[inline]
    pub(super) fn can_move(&self, penguins: u128, free: u128) -> bool {
        with_stars!(self, stars => can_move(stars, Word::of(penguins), Word::of(free)))
    }

    /// How many slides the penguins have.
    #[inline]
    pub(super) fn count_slides(&self, penguins: u128, free: u128) -> u32 {
        with_stars!(self, stars => count_slides(stars, Word::of(penguins), Word::of(free)))
    }

    /// One of the cells of a set that is not empty, each equally likely.
    #[inline]
    pub(super) fn random_cell(&self, mask: u128, rng: &mut Rng) -> Cell {
        let bit = match self.stars {
            Stars::Narrow(_) => random_bit(mask as u64, rng),
            Stars::Wide(_) => random_bit(mask, rng),
        };
        self.cell(bit)
    }

    /// One of the slides of the penguins, each equally likely. `None` if there are none, or too many penguins.
    #[inline]
    pub(super) fn random_slide(&self, penguins: u128, free: u128, rng: &mut Rng) -> Option<(Cell, Cell)> {
        let (from, to) =
            with_stars!(self, stars => random_slide(stars, Word::of(penguins), Word::of(free), rng))?;
        Some((self.cell(from), self.cell(to)))
    }
}

#[inline]
fn can_move<W: Word, const N: usize>(stars: &[Star<W>; N], mut penguins: W, free: W) -> bool {
    let mut near = W::NONE;
    while penguins != W::NONE {
        near = near | stars[penguins.lowest() as usize % N].near;
        penguins = penguins.without_lowest();
    }
    near & free != W::NONE
}

#[inline]
fn count_slides<W: Word, const N: usize>(stars: &[Star<W>; N], mut penguins: W, free: W) -> u32 {
    let mut n = 0;
    while penguins != W::NONE {
        n += stars[penguins.lowest() as usize % N].targets(free).n_cells();
        penguins = penguins.without_lowest();
    }
    n
}

#[inline]
fn random_bit<W: Word>(mask: W, rng: &mut Rng) -> u32 {
    mask.nth_bit(below(rng, mask.n_cells()))
}

/// Penguins for which [`random_slide`] has room: as many as a player can have in a game.
const ROOM: usize = 5;

/// `None` if there are more penguins than it has room for, or if they have no slide.
#[inline]
fn random_slide<W: Word, const N: usize>(
    stars: &[Star<W>; N],
    mut penguins: W,
    free: W,
    rng: &mut Rng,
) -> Option<(u32, u32)> {
    // For each penguin where it stands, where it can go, and how many slides those before it have.
    let mut found = [(0, W::NONE, 0); ROOM];
    let (mut n_penguins, mut total) = (0, 0);
    while penguins != W::NONE {
        let from = penguins.lowest();
        penguins = penguins.without_lowest();
        let targets = stars[from as usize % N].targets(free);
        *found.get_mut(n_penguins)? = (from, targets, total);
        n_penguins += 1;
        total += targets.n_cells();
    }
    if total == 0 {
        return None;
    }
    let drawn = below(rng, total);
    let reached = found[..n_penguins].iter().filter(|&&(_, _, before)| before <= drawn).count();
    let (from, targets, before) = *found.get(reached.wrapping_sub(1))?;
    Some((from, targets.nth_bit(drawn - before)))
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.cols) == (other.rows, other.cols)
    }
}

impl Eq for Shape {}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.rows, self.cols)
    }
}
