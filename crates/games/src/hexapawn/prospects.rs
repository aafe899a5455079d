//! Which positions an exact search looks at first.

use super::board::{FILE_A, FILE_H};
use super::race::{attacked_down, attacked_up};

/// How much a position promises the side `mine`, which is to move, towards higher rows. What no move of the other side
/// changes is left out.
///
/// The weights were found by trying which of them let the solver settle some twenty positions of all sizes with the
/// least work. They do not tell who is better: weights that do, fitted to 700,000 solved positions, took several times
/// the work. What counts is that moves come first after which the game is small and the same positions come again: whoever
/// has just moved stays back, hangs no pawn and leaves the other side few pawns and few safe steps.
#[inline]
pub(super) fn promise(mine: u64, theirs: u64, rows: u8) -> i32 {
    let occupied = mine | theirs;
    let (under_mine, under_theirs) = (attacked_up(mine), attacked_down(theirs));
    let steps = mine & !(occupied >> 8);
    let takes = count(mine & !FILE_A & theirs >> 7) + count(mine & !FILE_H & theirs >> 9);
    let their_steps = theirs & !(occupied << 8);
    let beyond = u64::MAX.checked_shl(8 * u32::from(rows)).unwrap_or(0);
    let their_foremost = i32::from(rows) - 1 - theirs.trailing_zeros() as i32 / 8;

    35 * count(mine)
        + 6 * (count(steps) + takes)
        + 2 * spare_steps(mine, occupied | under_theirs | beyond)
        + 5 * count(open_up(mine, theirs))
        + 10 * count(their_steps)
        + 4 * count(their_steps >> 8 & !under_mine)
        + 23 * their_foremost
        + 23 * count(theirs & under_mine & !under_theirs)
        - 13 * count(open_down(theirs, mine))
}

/// The steps of all pawns to squares that are not barred, one after the other.
#[inline]
const fn spare_steps(pawns: u64, barred: u64) -> i32 {
    let mut steps = 0;
    let mut pawns = pawns << 8 & !barred;
    while pawns != 0 {
        steps += count(pawns);
        pawns = pawns << 8 & !barred;
    }
    steps
}

/// The pawns moving up that have no enemy ahead in their file.
#[inline]
const fn open_up(pawns: u64, enemies: u64) -> u64 {
    let mut behind = enemies >> 8;
    behind |= behind >> 8;
    behind |= behind >> 16;
    pawns & !(behind | behind >> 32)
}

/// The pawns moving down that have no enemy ahead in their file.
#[inline]
const fn open_down(pawns: u64, enemies: u64) -> u64 {
    let mut behind = enemies << 8;
    behind |= behind << 8;
    behind |= behind << 16;
    pawns & !(behind | behind << 32)
}

#[inline]
const fn count(mask: u64) -> i32 {
    mask.count_ones() as i32
}
