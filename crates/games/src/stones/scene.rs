//! A position as a picture.

use rookery_rules::scene::{Cell, Move as SceneMove, Scene};
use rookery_rules::{Picture, Position as _, Seat};

use super::Position;

impl Picture for Position {
    fn scene(&self) -> Scene {
        let board = self.board();
        let status = self.status();
        let mut scene = Scene::new("Stones", "slate", "stone");
        for tile in board.tiles() {
            scene.cells.push(Cell::square(tile.to_string(), tile.row, tile.col));
            if let Some(seat) = board.get(tile) {
                let label = format!("stone of {}", super::label(seat));
                scene.add_piece(tile.to_string(), seat, seat.index().to_string(), label);
            }
        }
        scene.number_edges(
            (0..board.rows()).map(|row| row.to_string()),
            (0..board.cols()).map(|col| col.to_string()),
        );
        for mv in self.legal_moves() {
            let between = SceneMove::between(mv.to_string(), mv.from.to_string(), mv.to.to_string());
            scene.moves.push(match board.get(mv.to) {
                None => between,
                Some(enemy) => {
                    let label = format!("{} hits {} on {}", mv.from, super::label(enemy), mv.to);
                    SceneMove { label, ..between }
                }
            });
        }
        scene.say_status(&status, |seat| super::label(seat).to_string());
        for seat in Seat::all(self.n_seats()) {
            let is_out = !self.playing().contains(seat);
            let text = match board.count(seat) {
                _ if is_out => format!("{}: out", super::label(seat)),
                1 => format!("{}: 1 stone", super::label(seat)),
                n => format!("{}: {n} stones", super::label(seat)),
            };
            scene.say_seat(seat, text, &status, is_out);
        }
        scene
    }
}
