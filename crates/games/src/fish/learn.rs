//! Moves by number, and the board as planes.

use rookery_rules::{Frame, Learnable, Position as _, Seat, to_byte};

use super::shape::Shape;
use super::{Cell, Move, Position};

/// What no cell shows, for each seat from the viewer on.
const MORE: [&str; 8] = [
    "fish of the viewer",
    "fish of the next seat",
    "fish of the seat 2 turns on",
    "fish of the seat 3 turns on",
    "penguins still to be placed by the viewer",
    "penguins still to be placed by the next seat",
    "penguins still to be placed by the seat 2 turns on",
    "penguins still to be placed by the seat 3 turns on",
];

impl Learnable for Position {
    /// Placements on each cell, then slides from each cell to each one in a straight line, all in reading order.
    fn all_moves(&self) -> Vec<Move> {
        let board = self.board();
        let shape = Shape::of(board.rows(), board.cols());
        let slides_from = |from: Cell| {
            let mut targets: Vec<Cell> = shape.list_targets(shape.bit(from) as u32, u128::MAX).collect();
            targets.sort_unstable();
            targets.into_iter().map(move |to| Move::Slide { from, to })
        };
        board.cells().map(Move::Place).chain(board.cells().flat_map(slides_from)).collect()
    }

    fn frame(&self) -> Frame {
        let n_seats = self.n_seats();
        let more = [&MORE[..n_seats], &MORE[4..4 + n_seats]].concat();
        Frame::new(self.board().rows().into(), self.board().cols().into(), n_seats, Self::KINDS, &more)
    }

    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.clear(self.to_move() == Some(viewer), planes);
        let (plane, n_seats) = (frame.plane(), self.n_seats());
        let at = |cell: Cell| usize::from(cell.row) * frame.cols + usize::from(cell.col);
        for cell in self.board().cells() {
            planes[n_seats * plane + at(cell)] = self.board().fish(cell);
        }
        for seat in Seat::all(n_seats) {
            let turns = frame.of_seat(viewer, seat);
            for cell in self.penguins(seat) {
                planes[turns * plane + at(cell)] = 1;
            }
            let mut fill = |number: usize, value: u32| {
                planes[number * plane..(number + 1) * plane].fill(to_byte(value));
            };
            fill(n_seats + 2 + turns, self.score(seat));
            fill(2 * n_seats + 2 + turns, self.to_place(seat));
        }
    }
}
