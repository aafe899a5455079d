//! A position as a picture.

use rookery_rules::scene::{Cell as SceneCell, Move as SceneMove, Point, Scene, Shape, Viewbox};
use rookery_rules::{Picture, Position as _, Seat, Status};

use super::{Cell, Move, Phase, Position};

/// Half the width of a hexagon, which is also the length of its edges.
const HALF_WIDTH: i32 = 60;
/// Half its height: the width times the root of three quarters, rounded.
const HALF_HEIGHT: i32 = 52;
/// From a tile's centre down to its coordinates.
const NUMBER_DOWN: i32 = 40;
/// The sea around the floe.
const MARGIN: i32 = 30;

impl Picture for Position {
    /// Hexagons with flat tops, each row half a hexagon below the one before it, odd rows shifted to the right.
    fn scene(&self) -> Scene {
        let status = self.status();
        let mut scene = Scene::new("Fish", "sea", "penguin");
        for cell in self.board().cells() {
            let tile = scene_cell(cell, self.board().fish(cell));
            if tile.value.is_some() {
                let at = Point::new(tile.centre.x, tile.centre.y + NUMBER_DOWN);
                scene.number(at, tile.id.clone());
            }
            scene.cells.push(tile);
            if let Some(seat) = self.penguin_at(cell) {
                let label = format!("{} penguin of {seat}", self.color(seat), seat = super::label(seat));
                scene.add_piece(cell.to_string(), seat, (seat.index() + 1).to_string(), label);
            }
        }
        scene.viewbox = viewbox(self.board().rows(), self.board().cols());
        scene.moves = self.legal_moves().map(scene_move).collect();
        match (&status, self.phase()) {
            (Status::ToMove(seat), Phase::Placing) => {
                scene.say(format!("{seat} places a penguin", seat = super::label(*seat)));
            }
            _ => scene.say_status(&status, |seat| super::label(seat).to_string()),
        }
        for seat in Seat::all(self.n_seats()) {
            let is_out = self.is_removed(seat);
            let fish = if is_out { "removed".to_owned() } else { format!("{} fish", self.score(seat)) };
            scene.say_seat(
                seat,
                format!("{seat}, {}: {fish}", self.color(seat), seat = super::label(seat)),
                &status,
                is_out,
            );
        }
        scene
    }
}

fn centre(cell: Cell) -> Point {
    let (row, col) = (i32::from(cell.row), i32::from(cell.col));
    // A hexagon in the same row begins where the two edges of the one between them end.
    Point::new(HALF_WIDTH + (3 * col) * HALF_WIDTH + (row % 2) * HALF_WIDTH * 3 / 2, HALF_HEIGHT * (row + 1))
}

fn hexagon() -> Shape {
    let (wide, high) = (HALF_WIDTH, HALF_HEIGHT);
    Shape::Polygon(vec![
        Point::new(-wide, 0),
        Point::new(-wide / 2, -high),
        Point::new(wide / 2, -high),
        Point::new(wide, 0),
        Point::new(wide / 2, high),
        Point::new(-wide / 2, high),
    ])
}

fn scene_cell(cell: Cell, fish: u8) -> SceneCell {
    SceneCell {
        id: cell.to_string(),
        centre: centre(cell),
        shape: hexagon(),
        label: if fish == 0 { format!("{cell}, water") } else { format!("{cell}, {fish} fish") },
        classes: vec![if fish == 0 { "hole" } else { "floe" }],
        value: (fish > 0).then(|| fish.into()),
    }
}

fn scene_move(mv: Move) -> SceneMove {
    let id = mv.to_string();
    match mv {
        Move::Place(cell) => {
            SceneMove { id, from: None, to: Some(cell.to_string()), label: format!("a penguin onto {cell}") }
        }
        Move::Slide { from, to } => SceneMove::between(id, from.to_string(), to.to_string()),
    }
}

fn viewbox(rows: u8, cols: u8) -> Viewbox {
    // A second row reaches further to the right than the first.
    let last = centre(Cell::new(u8::from(rows > 1), cols - 1));
    let width = last.x + HALF_WIDTH;
    let height = HALF_HEIGHT * (i32::from(rows) + 1);
    Viewbox { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN }
}
