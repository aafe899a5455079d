//! A position as a picture.

use rookery_rules::scene::{Cell, Move as SceneMove, Scene};
use rookery_rules::{Picture, Position as _, Seat, Status};

use super::position::SEATS;
use super::{Cell as Pawn, Move, Position, Square};

impl Picture for Position {
    /// Row 1 is at the top, as in every other picture of this game.
    fn scene(&self) -> Scene {
        let board = self.board();
        let status = self.status();
        let mut scene = Scene::new("Hexapawn", "wood", "pawn");
        for row in 0..board.rows() {
            for col in 0..board.cols() {
                let square = Square::new(row, col);
                scene.cells.push(Cell::square(square.to_string(), row, col));
                if let Some(seat) = owner(board.get(square)) {
                    let mark = (seat.index() + 1).to_string();
                    scene.add_piece(
                        square.to_string(),
                        seat,
                        mark,
                        format!("pawn of {seat}", seat = super::label(seat)),
                    );
                }
            }
        }
        scene.number_edges(
            (1..=board.rows()).map(|row| row.to_string()),
            (0..board.cols()).map(|col| char::from(b'a' + col).to_string()),
        );
        scene.moves = self.legal_moves().map(scene_move).collect();
        match (&status, scene.moves.first()) {
            (Status::ToMove(seat), Some(mv)) if mv.to.is_none() && mv.from.is_some() => {
                scene.say(format!("{seat} takes off a pawn", seat = super::label(*seat)));
            }
            (Status::ToMove(seat), Some(mv)) if mv.from.is_none() => {
                scene.say(format!("{seat} chooses how many pawns go", seat = super::label(*seat)));
            }
            _ => scene.say_status(&status, |seat| super::label(seat).to_string()),
        }
        for seat in SEATS {
            let n_pawns = board.pawns(seat).count_ones();
            let pawns = if n_pawns == 1 { "pawn" } else { "pawns" };
            scene.say_seat(
                seat,
                format!("{seat}: {n_pawns} {pawns}", seat = super::label(seat)),
                &status,
                false,
            );
        }
        scene
    }
}

fn owner(cell: Pawn) -> Option<Seat> {
    match cell {
        Pawn::P1 => Some(SEATS[0]),
        Pawn::P2 => Some(SEATS[1]),
        Pawn::Empty => None,
    }
}

fn scene_move(mv: Move) -> SceneMove {
    let id = mv.to_string();
    match mv {
        Move::Pawn { from, to } => {
            let verb = if from.col() == to.col() { "steps to" } else { "takes on" };
            SceneMove {
                label: format!("{from} {verb} {to}"),
                ..SceneMove::between(id, from.to_string(), to.to_string())
            }
        }
        Move::Off(square) => {
            let label = format!("take off the pawn on {square}");
            SceneMove { id, from: Some(square.to_string()), to: None, label }
        }
        Move::Choose(k) => SceneMove { id, from: None, to: None, label: format!("each takes off {k}") },
    }
}
