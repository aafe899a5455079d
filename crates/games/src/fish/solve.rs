//! What an exact search wants to know of Fish.

use rookery_rules::{Keyed, Position as _, Solvable, Worth};

use super::Position;
use super::key::KEYS;
use super::shape::bits;

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

    /// A lead that all fish within reach of the other seat cannot undo is a win.
    fn foresee(&self) -> (Worth, Worth) {
        if self.n_seats() != 2 || self.penguins_each().is_some() {
            return (Worth::LEAST, Worth::MOST);
        }
        let me = self.to_move.index() & 1;
        let lead = i64::from(self.scores[me]) - i64::from(self.scores[1 - me]);
        let longest = self.max_plies().min(u64::from(Worth::MAX_PLIES)) as u32;
        if lead > 0 && lead > self.in_reach(1 - me) {
            (Worth::win(longest), Worth::MOST)
        } else if lead < 0 && -lead > self.in_reach(me) {
            (Worth::LEAST, Worth::loss(longest))
        } else {
            (Worth::LEAST, Worth::MOST)
        }
    }
}

impl Position {
    /// No play brings this seat more fish: all that its penguins can ever come to, less what they end on.
    fn in_reach(&self, seat: usize) -> i64 {
        let fish = |cells: u128| bits(cells).map(|bit| i64::from(self.board.fish_at(bit))).sum::<i64>();
        let around = |cells: u128| self.board.around(cells);
        // To be next to is mutual.
        let movable = self.penguins[seat] & around(self.free);
        let mut reach = 0;
        let mut edge = around(movable) & self.free;
        while edge != 0 {
            reach |= edge;
            edge = around(edge) & self.free & !reach;
        }
        // Each tile has a fish at least.
        fish(movable | reach) - i64::from(movable.count_ones())
    }
}
