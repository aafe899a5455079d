//! Moves by number, and the board as planes.

use rookery_rules::{Frame, Learnable, Position as _, Seat};

use super::position::SEATS;
use super::{Move, Position};

impl Learnable for Position {
    /// The columns from the left.
    fn all_moves(&self) -> Vec<Move> {
        (0..self.setup.cols).map(Move::new).collect()
    }

    #[inline]
    fn number(&self, mv: Move) -> Option<usize> {
        Some(mv.col().into())
    }

    fn frame(&self) -> Frame {
        Frame::new(self.setup.rows.into(), self.setup.cols.into(), 2, Self::KINDS, &[])
    }

    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.clear(self.to_move() == Some(viewer), planes);
        for seat in SEATS {
            let start = frame.of_seat(viewer, seat) * frame.plane();
            let mut stones = self.stones(seat);
            while stones != 0 {
                let bit = stones.trailing_zeros() as usize;
                stones &= stones - 1;
                // Row 1 is the lowest one.
                planes[start + (frame.rows - 1 - bit / 8) * frame.cols + bit % 8] = 1;
            }
        }
    }
}
