//! Moves by number, and the board as planes.

use rookery_rules::{Frame, Learnable, Position as _, Seat, to_byte};

use super::position::{SEATS, Stage};
use super::{Eliminate, Move, Position, Square};

impl Position {
    /// Steps and captures between two neighbouring rows, in one direction.
    const fn steps_between_rows(&self) -> usize {
        3 * self.cols as usize - 2
    }

    fn n_steps(&self) -> usize {
        2 * (usize::from(self.rows) - 1) * self.steps_between_rows()
    }
}

impl Learnable for Position {
    /// For each two neighbouring rows the moves up the ranks, then those down, each from file a on; removals of each
    /// square, since a position may begin with pawns anywhere; choices.
    fn all_moves(&self) -> Vec<Move> {
        let (rows, cols) = (self.rows, self.cols);
        let between = |from: u8, to: u8| {
            (0..cols).flat_map(move |col| {
                (col.saturating_sub(1)..=(col + 1).min(cols - 1)).map(move |target| Move::Pawn {
                    from: Square::new(from, col),
                    to: Square::new(to, target),
                })
            })
        };
        let steps = (1..rows).flat_map(|row| between(row - 1, row).chain(between(row, row - 1)));
        let removals = (0..rows).flat_map(|row| (0..cols).map(move |col| Move::Off(Square::new(row, col))));
        steps.chain(removals).chain((0..=Eliminate::limit(cols)).map(Move::Choose)).collect()
    }

    #[inline]
    fn number(&self, mv: Move) -> Option<usize> {
        Some(match mv {
            Move::Pawn { from, to } => {
                let (lower, down) = (from.row().min(to.row()), usize::from(to.row() < from.row()));
                let start = (2 * usize::from(lower) + down) * self.steps_between_rows();
                start + 2 * usize::from(from.col()) + usize::from(to.col())
            }
            Move::Off(square) => {
                self.n_steps()
                    + usize::from(square.row()) * usize::from(self.cols)
                    + usize::from(square.col())
            }
            Move::Choose(k) => {
                self.n_steps() + usize::from(self.rows) * usize::from(self.cols) + usize::from(k)
            }
        })
    }

    fn frame(&self) -> Frame {
        Frame::new(self.rows.into(), self.cols.into(), 2, Self::KINDS, &["pawns still to be taken off"])
    }

    #[inline]
    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.clear(self.to_move() == Some(viewer), planes);
        let (plane, cols) = (frame.plane(), frame.cols);
        for seat in SEATS {
            let mut pawns = if seat == self.to_move { self.mine } else { self.theirs };
            let own = &mut planes[frame.of_seat(viewer, seat) * plane..][..plane];
            while pawns != 0 {
                let bit = pawns.trailing_zeros() as usize;
                pawns &= pawns - 1;
                own[bit / 8 * cols + bit % 8] = 1;
            }
        }
        let left = match self.stage {
            // More than can be taken off: how many is still to be said.
            Stage::Choosing => u8::MAX,
            Stage::Eliminating(left) => to_byte(left.into()),
            _ => return,
        };
        planes[4 * plane..].fill(left);
    }
}
