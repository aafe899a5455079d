//! Moves by number, and the board as planes.

use rookery_rules::{Frame, Learnable, Position as _, Seat};

use super::{Move, Position};

impl Learnable for Position {
    /// From each tile to each adjacent one, both in reading order.
    fn all_moves(&self) -> Vec<Move> {
        let board = self.board();
        let mut moves: Vec<Move> =
            board.tiles().flat_map(|from| board.neighbours(from).map(move |to| Move { from, to })).collect();
        moves.sort_unstable();
        moves
    }

    fn frame(&self) -> Frame {
        let (rows, cols) = (self.board().rows().into(), self.board().cols().into());
        Frame::new(rows, cols, self.n_seats(), Self::KINDS, &[])
    }

    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.clear(self.to_move() == Some(viewer), planes);
        for seat in Seat::all(self.n_seats()) {
            let start = frame.of_seat(viewer, seat) * frame.plane();
            for tile in self.board().stones(seat) {
                planes[start + usize::from(tile.row) * frame.cols + usize::from(tile.col)] = 1;
            }
        }
    }
}
