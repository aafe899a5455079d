//! Lines of stones. A set of cells is a mask: cell (row, col), both from 0 and row 0 at the bottom, is bit 8 * row + col.

/// The first column.
pub(super) const FIRST_COL: u64 = 0x0101_0101_0101_0101;
const LAST_COL: u64 = FIRST_COL << 7;

/// A direction in which lines run; the opposite one has the same lines.
#[derive(Clone, Copy)]
struct Direction {
    /// How many bits the next cell lies ahead.
    step: u32,
    /// The cells whose next cell is not beyond the left or right edge.
    has_next: u64,
}

/// Right, up, up and right, up and left.
const DIRECTIONS: [Direction; 4] = [
    Direction { step: 1, has_next: !LAST_COL },
    Direction { step: 8, has_next: u64::MAX },
    Direction { step: 9, has_next: !LAST_COL },
    Direction { step: 7, has_next: !FIRST_COL },
];

impl Direction {
    /// The cells whose next cell is in the mask.
    #[inline]
    const fn before(self, mask: u64) -> u64 {
        mask >> self.step & self.has_next
    }

    /// The cells from which a line of this length lies in the mask.
    #[inline]
    fn starts(self, mask: u64, length: u8) -> u64 {
        (1..length).fold(mask, |starts, _| mask & self.before(starts))
    }
}

/// Whether there is a line of this length.
#[inline]
pub(super) fn has_line(stones: u64, length: u8) -> bool {
    DIRECTIONS.iter().any(|direction| direction.starts(stones, length) != 0)
}

/// What an open line is worth that lacks one stone, two stones and so on.
const WORTH: [i32; 5] = [60, 12, 3, 1, 1];

/// What the lines are worth that can still be filled: those of `own` stones and cells of `free` alone. The more of its
/// stones are there, the better.
pub(super) fn open_lines(own: u64, free: u64, length: u8) -> i32 {
    let worth = |direction: Direction| {
        let open = direction.starts(own | free, length);
        // The number of own stones in the line from each cell: a sum of three bits a cell, for all cells at once.
        let (mut ones, mut twos, mut fours) = (0, 0, 0);
        let mut stones = own;
        for _ in 0..length {
            let two = ones & stones;
            ones ^= stones;
            fours ^= twos & two;
            twos ^= two;
            stones = direction.before(stones);
        }
        let lines_with = |n: u8| {
            let bit = |sum: u64, value: u8| if n & value == 0 { !sum } else { sum };
            (open & bit(ones, 1) & bit(twos, 2) & bit(fours, 4)).count_ones() as i32
        };
        (1..length).rev().zip(WORTH).map(|(n, worth)| worth * lines_with(n)).sum::<i32>()
    };
    DIRECTIONS.into_iter().map(worth).sum()
}
