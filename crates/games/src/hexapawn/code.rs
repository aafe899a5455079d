//! A number for an arrangement of pawns, different for any two.
//!
//! The sets of k squares out of n are numbered one by one, behind all smaller sets: a set's number is the sum of
//! `choose(square, i)` over its squares in ascending order, i = 1 to k. Eight pawns on the 56 squares where they can
//! stand have numbers below 2^31, so a position of an ordinary game takes at most 62 bits. Anything larger comes only
//! from positions that somebody made up.

/// Squares where the pawns of a side can stand: on its far row the game is over.
const MAX_SQUARES: usize = 56;

/// `CHOOSE[k][n]`: the number of sets of k out of n squares.
static CHOOSE: [[u64; MAX_SQUARES + 1]; MAX_SQUARES + 1] = {
    let mut table = [[0; MAX_SQUARES + 1]; MAX_SQUARES + 1];
    let mut n = 0;
    while n <= MAX_SQUARES {
        table[0][n] = 1;
        let mut k = 1;
        while k <= n {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// `SMALLER[k][n]`: the number of sets of fewer than k out of n squares.
static SMALLER: [[u64; MAX_SQUARES + 1]; MAX_SQUARES + 2] = {
    let mut table = [[0; MAX_SQUARES + 1]; MAX_SQUARES + 2];
    let mut k = 0;
    while k <= MAX_SQUARES {
        let mut n = 0;
        while n <= MAX_SQUARES {
            table[k + 1][n] = table[k][n] + CHOOSE[k][n];
            n += 1;
        }
        k += 1;
    }
    table
};

/// Bits of an ordinary number, and of the part of a larger one above them.
const LOW_BITS: u32 = 31;
const HIGH_BITS: u32 = 25;
/// Bits for the stage before play.
const STAGE_BITS: u32 = 3;

/// The code of two sets of pawns, each seen by its own side, and of the stage of the game.
#[inline]
pub(super) fn code(mine: u64, theirs: u64, rows: u8, cols: u8, stage: u64) -> u128 {
    let (mine, theirs) = (number(mine, rows, cols), number(theirs, rows, cols));
    let low = |number: u64| number & ((1 << LOW_BITS) - 1);
    let high = |number: u64| u128::from(number >> LOW_BITS);
    let ordinary = u128::from(low(mine) | low(theirs) << LOW_BITS) | u128::from(stage) << (2 * LOW_BITS);
    ordinary | (high(mine) | high(theirs) << HIGH_BITS) << (2 * LOW_BITS + STAGE_BITS)
}

/// The bits that a code takes when neither side has more than so many pawns.
pub(super) fn bits(pawns: u32, rows: u8, cols: u8, has_stage: bool) -> u32 {
    let largest = SMALLER[pawns as usize + 1][n_squares(rows, cols)] - 1;
    let bits = largest.checked_ilog2().map_or(0, |bit| bit + 1);
    if bits > LOW_BITS {
        2 * LOW_BITS + STAGE_BITS + HIGH_BITS + bits - LOW_BITS
    } else if has_stage {
        2 * LOW_BITS + STAGE_BITS
    } else {
        LOW_BITS + bits
    }
}

const fn n_squares(rows: u8, cols: u8) -> usize {
    (rows as usize - 1) * cols as usize
}

/// The number of a set of pawns that move towards higher rows.
#[inline]
fn number(mut pawns: u64, rows: u8, cols: u8) -> u64 {
    let mut number = SMALLER[pawns.count_ones() as usize][n_squares(rows, cols)];
    for choose in &CHOOSE[1..] {
        if pawns == 0 {
            break;
        }
        let bit = pawns.trailing_zeros();
        pawns &= pawns - 1;
        number += choose[((bit >> 3) * u32::from(cols) + (bit & 7)) as usize];
    }
    number
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn sets_are_numbered_one_by_one() {
        let (rows, cols) = (4, 3);
        let boards = (0..1u64 << 9).map(|set| (set & 7) | (set >> 3 & 7) << 8 | (set >> 6 & 7) << 16);
        let numbers: Vec<(u32, u64)> =
            boards.map(|set| (set.count_ones(), number(set, rows, cols))).collect();
        let distinct: HashSet<u64> = numbers.iter().map(|&(_, number)| number).collect();
        assert_eq!(distinct.len(), 1 << 9);
        for pawns in 0..=9 {
            let largest =
                numbers.iter().filter(|&&(n, _)| n <= pawns).map(|&(_, number)| number).max().unwrap();
            assert_eq!(bits(pawns, rows, cols, false), LOW_BITS + (largest + 1).next_power_of_two().ilog2());
        }
    }

    #[test]
    fn an_ordinary_board_takes_62_bits_and_a_full_one_fits() {
        assert_eq!(bits(8, 8, 8, false), 62);
        assert_eq!(bits(8, 8, 8, true), 65);
        let full = (1 << 56) - 1;
        let code = code(full, full, 8, 8, 7);
        assert!(code >> bits(56, 8, 8, true) == 0 && bits(56, 8, 8, true) <= 128);
    }
}
