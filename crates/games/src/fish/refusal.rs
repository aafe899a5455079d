//! Why a move is not legal, in words.

use super::position::Stage;
use super::{Cell, Direction, Move, Position};

impl Position {
    /// As [`reason`](rookery_rules::Position::reason).
    pub(super) fn refusal(&self, mv: Move) -> String {
        let me = self.to_move;
        let occupied = |cell: Cell| match self.penguin_at(cell) {
            Some(seat) => format!("a penguin of {seat} stands on {cell}", seat = super::label(seat)),
            None => format!("{cell} is a hole"),
        };
        let outside = |cell: Cell| {
            let (rows, cols) = (self.board.rows(), self.board.cols());
            format!("{cell} lies outside the board of {rows} rows and {cols} columns")
        };
        match (mv, self.stage) {
            (_, Stage::Over) => "the game is over".to_owned(),
            (Move::Place(cell), Stage::Placing(_)) if !self.board.contains(cell) => outside(cell),
            (Move::Place(cell), Stage::Placing(_)) => occupied(cell),
            (Move::Slide { .. }, Stage::Placing(_)) => {
                format!("{me} places a penguin first, for example `2.3`", me = super::label(me))
            }
            (Move::Place(_), Stage::Moving) => {
                "all penguins are placed; a move is from tile to tile, for example `2.3-4.3`".to_owned()
            }
            (Move::Slide { from, to }, Stage::Moving) => {
                if !self.board.contains(from) {
                    outside(from)
                } else if self.penguin_at(from) != Some(me) {
                    format!("{me} has no penguin on {from}", me = super::label(me))
                } else if !self.board.contains(to) {
                    outside(to)
                } else if from == to {
                    "a penguin slides at least one tile".to_owned()
                } else if self.free & self.board.shape.mask(to) == 0 {
                    occupied(to)
                } else {
                    self.obstacle(from, to)
                }
            }
        }
    }

    /// Why a penguin cannot slide to a tile that is free.
    fn obstacle(&self, from: Cell, to: Cell) -> String {
        for direction in Direction::ALL {
            let mut cell = from;
            let mut in_the_way = None;
            while let Some(next) = self.board.neighbour(cell, direction) {
                cell = next;
                if cell == to {
                    return match in_the_way {
                        Some(cell) => match self.penguin_at(cell) {
                            Some(seat) => format!(
                                "a penguin of {seat} on {cell} is in the way",
                                seat = super::label(seat)
                            ),
                            None => format!("the hole at {cell} is in the way"),
                        },
                        None => format!("nothing is in the way from {from} to {to}"),
                    };
                }
                if self.free & self.board.shape.mask(cell) == 0 {
                    in_the_way = in_the_way.or(Some(cell));
                }
            }
        }
        format!("a penguin slides in a straight line, and {to} is in none of the six from {from}")
    }
}
