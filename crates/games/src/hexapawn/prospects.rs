//! Which positions an exact search looks at first.

use super::race::{attacked_down, attacked_up};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// A position at first sight: `mine` is to move, towards higher rows.
///
/// The weights were found by trying which of them let the solver settle some twenty positions of all sizes with the
/// least work. They do not tell who is better. Moves that keep the game small come first, because what
/// follows from them is soon settled and met again: the mover of a moment ago stays back, loses no pawn and leaves the
/// other side few safe moves.
pub(super) struct Prospects {
    mine: u64,
    theirs: u64,
    rows: i32,
}

impl Prospects {
    #[inline]
    pub(super) const fn new(mine: u64, theirs: u64, rows: u8) -> Self {
        Self { mine, theirs, rows: rows as i32 }
    }

    /// How much it promises the side to move.
    #[inline]
    pub(super) fn sum(&self) -> i32 {
        let (mine, theirs) = (self.mine, self.theirs);
        let occupied = mine | theirs;
        let (under_mine, under_theirs) = (attacked_up(mine), attacked_down(theirs));

        let steps = mine & !(occupied >> 8);
        let takes = count(mine & !FILE_A & theirs >> 7) + count(mine & !FILE_H & theirs >> 9);
        let their_steps = theirs & !(occupied << 8);
        let their_takes = count(theirs & !FILE_A & mine << 9) + count(theirs & !FILE_H & mine << 7);

        let advance = rows_of(mine);
        let their_advance = (self.rows - 1) * count(theirs) - rows_of(theirs);
        let foremost = mine.checked_ilog2().map_or(0, |bit| bit as i32 / 8);
        let their_foremost = self.rows - 1 - theirs.trailing_zeros() as i32 / 8;

        // Pawns with no enemy ahead in their file, and those of them with none in the files beside it either.
        let (ahead, their_ahead) = (fill_down(theirs >> 8), fill_up(mine << 8));
        let (open, their_open) = (mine & !ahead, theirs & !their_ahead);
        let (passed, their_passed) = (open & !beside(ahead), their_open & !beside(their_ahead));

        6 * (count(steps) + takes) + 10 * (count(their_steps) + their_takes) + 35 * count(mine)
            - 50 * count(theirs)
            + 18 * foremost
            + 23 * their_foremost
            + 7 * advance
            + 11 * their_advance
            + 2 * takes
            - 10 * their_takes
            - 6 * count(mine & under_theirs & !under_mine)
            + 23 * count(theirs & under_mine & !under_theirs)
            - 11 * count(mine & under_mine)
            + 5 * count(open)
            - 13 * count(their_open)
            + 16 * count(passed)
            - 24 * count(their_passed)
            + 4 * count(their_steps >> 8 & !under_mine)
            + 2 * self.spare_steps(under_theirs)
    }

    /// The steps of all pawns to squares that the enemy does not attack, one after the other.
    #[inline]
    fn spare_steps(&self, attacked: u64) -> i32 {
        let barred = self.mine | self.theirs | attacked;
        let mut steps = 0;
        let mut pawns = self.mine << 8 & !barred;
        while pawns != 0 {
            steps += count(pawns);
            pawns = pawns << 8 & !barred;
        }
        steps
    }
}

#[inline]
const fn count(mask: u64) -> i32 {
    mask.count_ones() as i32
}

/// The squares to the left and to the right of these.
#[inline]
const fn beside(mask: u64) -> u64 {
    (mask & !FILE_A) >> 1 | (mask & !FILE_H) << 1
}

/// These squares and all below them.
#[inline]
const fn fill_down(mut mask: u64) -> u64 {
    mask |= mask >> 8;
    mask |= mask >> 16;
    mask | mask >> 32
}

/// These squares and all above them.
#[inline]
const fn fill_up(mut mask: u64) -> u64 {
    mask |= mask << 8;
    mask |= mask << 16;
    mask | mask << 32
}

/// The sum of the rows of these pawns, from 0.
#[inline]
const fn rows_of(pawns: u64) -> i32 {
    // Each bit of a row's number is a mask of rows.
    count(pawns & 0xff00_ff00_ff00_ff00)
        + 2 * count(pawns & 0xffff_0000_ffff_0000)
        + 4 * count(pawns & 0xffff_ffff_0000_0000)
}
