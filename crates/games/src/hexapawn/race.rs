//! Pawns that nobody can stop any more.
//!
//! All masks are seen from a side whose pawns move towards higher rows; the other side's pawns move towards lower ones.

use super::board::{FILE_A, FILE_H, ROW};

/// Squares that pawns moving up attack.
#[inline]
pub(super) const fn attacked_up(pawns: u64) -> u64 {
    (pawns & !FILE_A) << 7 | (pawns & !FILE_H) << 9
}

/// Squares that pawns moving down attack.
#[inline]
pub(super) const fn attacked_down(pawns: u64) -> u64 {
    (pawns & !FILE_A) >> 9 | (pawns & !FILE_H) >> 7
}

/// A race of the pawns `own` to the far row, while the rest of them stand still.
///
/// A pawn that runs has only steps to make, one a turn. So it is enough to know where an enemy pawn can be after so many
/// turns: ahead where no pawn of `own` stands in the way, aside only where it takes one. That is more than they can
/// really do, since they have one move a turn for all of them and stand in each other's way. The square from which the
/// runner started counts as held: an enemy that came to it from above would have met the runner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Race {
    own: u64,
    enemy: u64,
    far_row: u64,
}

impl Race {
    #[inline]
    pub(super) const fn new(own: u64, enemy: u64, rows: u8) -> Self {
        Self { own, enemy, far_row: ROW << (8 * (rows - 1)) }
    }

    /// In how many turns some pawn is on the far row for certain, if it is `own`'s turn.
    #[inline]
    pub(super) fn moving_first(&self) -> Option<u32> {
        let left = self.own & !FILE_A & self.enemy >> 7;
        let right = self.own & !FILE_H & self.enemy >> 9;
        let takers = left | right;
        let taken = left << 7 | right << 9;
        if taken & self.far_row != 0 {
            return Some(1);
        }
        self.run(self.own, self.enemy, self.own, 0).or_else(|| {
            // A pawn that takes leaves its file open behind it.
            let obstacles = self.own & !takers;
            let (runners, reach) = self.answered(taken, self.enemy, obstacles);
            self.run(runners, reach, obstacles, 1)
        })
    }

    /// In how many turns some pawn is on the far row for certain, if it is the enemy's turn.
    #[inline]
    pub(super) fn moving_second(&self) -> Option<u32> {
        let (runners, reach) = self.answered(self.own, self.enemy, self.own);
        self.run(runners, reach, self.own, 0)
    }

    /// The runners that an enemy cannot take at once, and where enemies can be after their turn.
    #[inline]
    const fn answered(&self, runners: u64, reach: u64, obstacles: u64) -> (u64, u64) {
        let attacked = attacked_down(reach);
        (runners & !attacked, reach | reach >> 8 & !obstacles | attacked & self.own)
    }

    /// The turns until the first of the runners is through, `turns` having passed; `reach` is where enemies can be.
    #[inline]
    fn run(&self, mut runners: u64, mut reach: u64, obstacles: u64, mut turns: u32) -> Option<u32> {
        while runners != 0 && reach & ROW == 0 {
            turns += 1;
            runners = runners << 8 & !(self.own | reach);
            if runners & self.far_row != 0 {
                return Some(turns);
            }
            (runners, reach) = self.answered(runners, reach, obstacles);
        }
        None
    }
}
