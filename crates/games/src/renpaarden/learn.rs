//! Moves by number, and the board as planes.

use rookery_rules::{Frame, Learnable, Position as _, Seat};

use super::{Cell, Move, Position, Turn, TurnPosition};

fn cells(position: &Position) -> Vec<Cell> {
    let (width, height) = (position.setup().width, position.setup().height);
    (0..height).rev().flat_map(|rank| (0..width).map(move |file| Cell::new(file, rank))).collect()
}

fn is_hop(from: Cell, to: Cell) -> bool {
    from.file().abs_diff(to.file()) * from.rank().abs_diff(to.rank()) == 2
}

impl Learnable for Position {
    /// All knight's hops, by where they begin and where they end, in reading order.
    fn all_moves(&self) -> Vec<Move> {
        let cells = cells(self);
        let hops_from = |&from: &Cell| {
            cells.iter().filter(move |&&to| is_hop(from, to)).map(move |&to| Move { from, to })
        };
        cells.iter().flat_map(hops_from).collect()
    }

    fn frame(&self) -> Frame {
        let (rows, cols) = (self.setup().height.into(), self.setup().width.into());
        Frame::new(rows, cols, 2, Self::KINDS, &[])
    }

    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        frame.clear(self.to_move() == Some(viewer), planes);
        let place =
            |cell: Cell| (frame.rows - 1 - usize::from(cell.rank())) * frame.cols + usize::from(cell.file());
        for seat in Seat::all(2) {
            let start = frame.of_seat(viewer, seat) * frame.plane();
            for cell in self.pieces(seat) {
                let is_covered = self.top(cell) != Some(seat);
                planes[start + place(cell)] = if is_covered { 2 } else { 1 };
            }
        }
    }
}

impl Learnable for TurnPosition {
    /// From every cell to every cell, both in reading order.
    fn all_moves(&self) -> Vec<Turn> {
        let cells = cells(self.hops());
        cells.iter().flat_map(|&from| cells.iter().map(move |&to| Turn { from, to })).collect()
    }

    fn frame(&self) -> Frame {
        self.hops().frame()
    }

    fn observe(&self, viewer: Seat, frame: &Frame, planes: &mut [u8]) {
        self.hops().observe(viewer, frame, planes);
    }
}
