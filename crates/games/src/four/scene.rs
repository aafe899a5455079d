//! A position as a picture.

use rookery_rules::scene::{Cell, Move as SceneMove, Scene};
use rookery_rules::{Picture, Position as _};

use super::notation::cell_name;
use super::position::SEATS;
use super::{Move, Position};

impl Picture for Position {
    /// Row 1 is at the bottom, where the stones fall. A move is shown on the cell where its stone lands.
    fn scene(&self) -> Scene {
        let (rows, cols) = (self.setup.rows, self.setup.cols);
        let status = self.status();
        let mut scene = Scene::new("Four in a row", "slate", "stone");
        for row in (0..rows).rev() {
            for col in 0..cols {
                let cell = cell_name(row, col);
                scene.cells.push(Cell::square(cell.clone(), rows - 1 - row, col));
                if let Some(seat) = self.owner(row, col) {
                    let mark = (seat.index() + 1).to_string();
                    scene.add_piece(cell, seat, mark, format!("stone of {}", super::label(seat)));
                }
            }
        }
        scene.number_edges(
            (1..=rows).rev().map(|row| row.to_string()),
            (0..cols).map(|col| Move::new(col).to_string()),
        );
        for mv in self.legal_moves() {
            let cell = cell_name((self.landing(mv) / 8) as u8, mv.col());
            let label = format!("drop into {mv}, onto {cell}");
            scene.moves.push(SceneMove { id: mv.to_string(), from: None, to: Some(cell), label });
        }
        scene.say_status(&status, |seat| super::label(seat).to_string());
        for seat in SEATS {
            let n_stones = self.stones(seat).count_ones();
            let stones = if n_stones == 1 { "stone" } else { "stones" };
            scene.say_seat(seat, format!("{}: {n_stones} {stones}", super::label(seat)), &status, false);
        }
        scene
    }
}
