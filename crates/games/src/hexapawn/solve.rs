//! What an exact search wants to know: a code without doubt, symmetry, and races that are already won.

use rookery_rules::{Solvable, Worth};

use super::position::Stage;
use super::race::Race;
use super::{Position, code, prospects};

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

    /// Positions before play have a number of their own, 1 to 7.
    const fn stage_code(&self) -> u64 {
        match self.stage {
            Stage::Choosing => 7,
            Stage::Eliminating(left) => left as u64,
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
        code::code(mine, upside_down(theirs, self.rows), self.rows, self.cols, self.stage_code())
    }

    fn family(&self) -> u64 {
        u64::from(self.rows) << 8 | u64::from(self.cols)
    }

    fn code_bits(&self) -> u32 {
        let pawns = self.mine.count_ones().max(self.theirs.count_ones());
        code::bits(pawns, self.rows, self.cols, self.stage != Stage::Playing)
    }

    /// A pawn that nobody can stop, and that is on the far row before any enemy pawn can be, decides the game.
    #[inline]
    fn foresee(&self) -> (Worth, Worth) {
        if self.stage != Stage::Playing {
            return (Worth::LEAST, Worth::MOST);
        }
        let (mine, theirs) = self.turned();
        if let Some(turns) = Race::new(mine, theirs, self.rows).moving_first() {
            return (Worth::win(2 * turns - 1), Worth::MOST);
        }
        let race = Race::new(upside_down(theirs, self.rows), upside_down(mine, self.rows), self.rows);
        match race.moving_second() {
            Some(turns) => (Worth::LEAST, Worth::loss(2 * turns)),
            None => (Worth::LEAST, Worth::MOST),
        }
    }

    #[inline]
    fn promise(&self) -> i32 {
        let (mine, theirs) = self.turned();
        prospects::promise(mine, theirs, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use rookery_rules::Notation as _;

    use super::*;

    #[test]
    fn races_are_foreseen_for_both_sides() {
        let (nothing, won, lost) = (Worth::LEAST, Worth::win, Worth::loss);
        for (text, low, high) in [
            ("p1 1../.../.../.../..2", won(7), Worth::MOST),
            ("p2 1../.../.../.../..2", won(7), Worth::MOST),
            // The other side is one step ahead.
            ("p1 1../.../.../..2/...", nothing, lost(6)),
            // An enemy beside the way would take the runner, unless it has already passed.
            ("p1 1../.../.../.../.2.", nothing, Worth::MOST),
            ("p1 .../.../1../.2./...", won(3), Worth::MOST),
            // An enemy that is blocked for good stops nobody and comes nowhere.
            ("p1 ....1/1..../2..../...../.....", won(7), Worth::MOST),
            // Taking opens the way, or is the last step.
            ("p1 ..../1.../22../....", won(3), Worth::MOST),
            ("p1 .../1../22.", won(1), Worth::MOST),
        ] {
            assert_eq!(Position::from_text(text).unwrap().foresee(), (low, high), "{text}");
        }
    }
}
