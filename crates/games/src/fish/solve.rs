//! What an exact search wants to know of Fish.

use rookery_rules::{Keyed, Position as _, Solvable, Worth};

use super::Position;
use super::key::KEYS;

/// The code is a hash. Who wins depends on the difference of the scores only, so the scores themselves are taken out of
/// the key and the difference is put in.
impl Solvable for Position {
    const EXACT: bool = false;

    fn code(&self) -> u128 {
        let [mine, theirs] = [self.scores[0], self.scores[1]].map(u64::from);
        let key = self
            .key()
            .wrapping_sub(KEYS.score[0].wrapping_mul(mine))
            .wrapping_sub(KEYS.score[1].wrapping_mul(theirs))
            .wrapping_add(KEYS.lead.wrapping_mul(mine.wrapping_sub(theirs)));
        u128::from(key)
    }

    fn family(&self) -> u64 {
        u64::from(self.board.rows()) << 8 | u64::from(self.board.cols())
    }

    fn code_bits(&self) -> u32 {
        64
    }

    /// A lead that all fish still on the ice cannot undo is a win.
    fn foresee(&self) -> (Worth, Worth) {
        if self.n_seats() != 2 || self.penguins_each().is_some() {
            return (Worth::LEAST, Worth::MOST);
        }
        let left: i64 = self.board.fish.iter().map(|&fish| i64::from(fish)).sum();
        let me = self.to_move.index() & 1;
        let lead = i64::from(self.scores[me]) - i64::from(self.scores[1 - me]);
        let longest = self.max_plies().min(u64::from(Worth::MAX_PLIES)) as u32;
        if lead > left {
            (Worth::win(longest), Worth::MOST)
        } else if -lead > left {
            (Worth::LEAST, Worth::loss(longest))
        } else {
            (Worth::LEAST, Worth::MOST)
        }
    }
}
