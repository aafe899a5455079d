//! What an exact search wants to know: a code without doubt, symmetry, and races that are already won.

use rookery_rules::{Solvable, Worth};

use super::Position;
use super::position::Stage;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// For eight bits of a row: each bit as a digit of base three.
static TERNARY: [u16; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut col, mut unit) = (0, 1);
        while col < 8 {
            if bits >> col & 1 == 1 {
                table[bits] += unit;
            }
            unit *= 3;
            col += 1;
        }
        bits += 1;
    }
    table
};

/// Powers of three.
static POWERS: [u64; 33] = {
    let mut powers = [1; 33];
    let mut n = 1;
    while n < 33 {
        powers[n] = 3 * powers[n - 1];
        n += 1;
    }
    powers
};

/// Rows turned upside down.
#[inline]
const fn upside_down(mask: u64, rows: u8) -> u64 {
    mask.swap_bytes() >> (8 * (8 - rows))
}

/// Columns from right to left.
#[inline]
const fn mirrored(mask: u64, cols: u8) -> u64 {
    mask.reverse_bits().swap_bytes() >> (8 - cols)
}

impl Position {
    /// The pawns of the player to move and of the other one, turned so that the player to move goes towards higher
    /// rows.
    #[inline]
    fn turned(&self) -> (u64, u64) {
        if self.to_move.index() == 0 {
            (self.mine, self.theirs)
        } else {
            (upside_down(self.mine, self.rows), upside_down(self.theirs, self.rows))
        }
    }

    /// The bits of a code of pawns that move: nobody stands on his far row, so a cell of the first or the last row has
    /// two states and any other three.
    const fn pawn_bits(&self) -> u32 {
        let inner = (self.rows as u32 - 2) * self.cols as u32;
        2 * self.cols as u32 + (3u128.pow(inner)).ilog2() + 1
    }

    /// Positions before play have a number of their own, 1 to 7, above the bits of the pawns.
    const fn stage_code(&self) -> u128 {
        match self.stage {
            Stage::Choosing => 7,
            Stage::Eliminating(left) => left as u128,
            Stage::Playing | Stage::Reached(_) | Stage::Left(_) => 0,
        }
    }
}

/// A board, its mirror image, and either of them with the colours and the turn changed are one position.
impl Solvable for Position {
    const EXACT: bool = true;

    #[inline]
    fn code(&self) -> u128 {
        let (mine, theirs) = self.turned();
        let image = (mirrored(mine, self.cols), mirrored(theirs, self.cols));
        let (mine, theirs) = if image < (mine, theirs) { image } else { (mine, theirs) };
        let inner_rows = u32::from(self.rows) - 2;
        let row_states = POWERS[usize::from(self.cols)];
        let digit = |row: u32| {
            let bits = |mask: u64| (mask >> (8 * row)) as usize & 0xff;
            u64::from(TERNARY[bits(mine)]) + 2 * u64::from(TERNARY[bits(theirs)])
        };
        // Three rows of eight cells fit a word with room to spare.
        let low_rows = inner_rows.min(3);
        let low = (1..=low_rows).fold(0, |code, row| code * row_states + digit(row));
        let high = (low_rows + 1..=inner_rows).fold(0, |code, row| code * row_states + digit(row));
        let inner = u128::from(high) * u128::from(POWERS[usize::from(self.cols) * low_rows as usize])
            + u128::from(low);
        let edges = (mine & 0xff) << self.cols | (theirs >> (8 * (self.rows - 1)));
        let pawns = inner << (2 * self.cols) | u128::from(edges);
        if self.stage == Stage::Playing { pawns } else { self.stage_code() << self.pawn_bits() | pawns }
    }

    fn family(&self) -> u64 {
        u64::from(self.rows) << 8 | u64::from(self.cols)
    }

    fn code_bits(&self) -> u32 {
        self.pawn_bits() + if self.stage == Stage::Playing { 0 } else { 3 }
    }

    /// A pawn that nobody can stop, and that is on the far row before any enemy pawn can be, has won.
    #[inline]
    fn foresee(&self) -> (Worth, Worth) {
        if self.stage != Stage::Playing {
            return (Worth::LEAST, Worth::MOST);
        }
        let (mine, theirs) = self.turned();
        let steps = unstoppable(mine, theirs, self.rows);
        // Rows that the foremost enemy pawn has still to go, whatever stands in its way.
        let enemy_steps = theirs.trailing_zeros() / 8;
        match steps {
            Some(steps) if steps <= enemy_steps => (Worth::win(2 * steps - 1), Worth::MOST),
            _ => (Worth::LEAST, Worth::MOST),
        }
    }

    /// Pawns count most. An enemy pawn far ahead of its own is one that can be met. The weights were found by trying.
    #[inline]
    fn promise(&self) -> i32 {
        let (mine, theirs) = self.turned();
        let pawns = mine.count_ones() as i32 - theirs.count_ones() as i32;
        let enemy_rows = i32::from(self.rows) - 1 - (theirs.trailing_zeros() / 8) as i32;
        8 * pawns + 4 * enemy_rows
    }
}

/// How many steps the foremost unstoppable pawn needs to the far row, moving upwards and first.
///
/// Such a pawn has nothing ahead in its own file, and in the files beside it no enemy pawn two or more rows ahead and no
/// own pawn ahead: an enemy pawn changes files only by taking, so none can come into those files as long as nothing
/// there moves but this pawn.
#[inline]
fn unstoppable(mine: u64, theirs: u64, rows: u8) -> Option<u32> {
    let beside = |mask: u64| (mask & !FILE_A) >> 1 | (mask & !FILE_H) << 1;
    let below = |mut mask: u64| {
        mask |= mask >> 8;
        mask |= mask >> 16;
        mask | mask >> 32
    };
    // All squares strictly behind a pawn in its own file.
    let own_file = below((mine | theirs) >> 8);
    let by_own = below(beside(mine) >> 8);
    let by_enemy = below(beside(theirs) >> 16);
    let free = mine & !(own_file | by_own | by_enemy);
    (free != 0).then(|| u32::from(rows) - 1 - free.ilog2() / 8)
}
