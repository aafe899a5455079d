//! A position as a picture.

use rookery_rules::scene::{Cell as SceneCell, Move as SceneMove, Scene};
use rookery_rules::{Picture, Position as _, Seat, Status};

use super::position::{Position, SEATS};
use super::{Cell, TurnPosition};

impl Picture for Position {
    /// Player 1 begins at the bottom. Where a piece stands on an enemy piece, the lower one has the class `covered`.
    fn scene(&self) -> Scene {
        let (width, height) = (self.setup().width, self.setup().height);
        let status = self.status();
        let mut scene = Scene::new("Renpaarden", "turf", "horse");
        for row in 0..height {
            for col in 0..width {
                let cell = Cell::new(col, height - 1 - row);
                let mut square = SceneCell::square(cell.to_string(), row, col);
                if row < 2 || row >= height - 2 {
                    let owner = SEATS[usize::from(row < 2)];
                    square.classes.push(if row < 2 { "home-2" } else { "home-1" });
                    square.label = format!("{cell}, home of {owner}", owner = super::label(owner));
                }
                scene.cells.push(square);
                add_pieces(&mut scene, self, cell);
            }
        }
        scene.number_edges(
            (1..=height).rev().map(|rank| rank.to_string()),
            (0..width).map(|file| char::from(b'a' + file).to_string()),
        );
        for mv in self.legal_moves() {
            let between = SceneMove::between(mv.to_string(), mv.from.to_string(), mv.to.to_string());
            let onto_enemy = self.top(mv.to).is_some();
            let label = format!("{} onto the enemy on {}", mv.from, mv.to);
            scene.moves.push(if onto_enemy { SceneMove { label, ..between } } else { between });
        }
        say(&mut scene, self, &status);
        scene
    }
}

impl Picture for TurnPosition {
    /// As hop by hop, with whole turns as moves.
    fn scene(&self) -> Scene {
        let mut scene = self.hops().scene();
        scene.moves = self
            .legal_moves()
            .map(|turn| SceneMove::between(turn.to_string(), turn.from.to_string(), turn.to.to_string()))
            .collect();
        scene
    }
}

fn add_pieces(scene: &mut Scene, position: &Position, cell: Cell) {
    let Some(top) = position.top(cell) else { return };
    let mut add = |seat: Seat| {
        let mark = (seat.index() + 1).to_string();
        scene.add_piece(cell.to_string(), seat, mark, format!("horse of {seat}", seat = super::label(seat)));
    };
    if position.chain() == Some(cell) {
        add(top.next(2));
        add(top);
        let covered = scene.pieces.len() - 2;
        scene.pieces[covered].classes.push("covered");
        scene.pieces[covered].label += ", covered";
    } else {
        add(top);
    }
}

fn say(scene: &mut Scene, position: &Position, status: &Status) {
    match (status, position.chain()) {
        (Status::ToMove(seat), Some(cell)) => {
            scene.say(format!("{seat} must jump on from {cell}", seat = super::label(*seat)));
        }
        _ => scene.say_status(status, |seat| super::label(seat).to_string()),
    }
    for seat in SEATS {
        let in_goal = position.in_goal(seat);
        let text = format!(
            "{seat}: {in_goal} of {} in goal",
            position.setup().n_pieces(),
            seat = super::label(seat)
        );
        scene.say_seat(seat, text, status, false);
    }
}
