//! Four in a row with columns that are lists of stones.

use rookery_games::four::{Move, Position, Setup};
use rookery_rules::{Outcome, Seat, Status};

use super::Naive;
use crate::conceivable::Conceivable;

/// Columns of `1` and `2`, from the bottom.
#[derive(Debug)]
pub struct Four {
    columns: Vec<Vec<char>>,
    rows: usize,
    line: usize,
    left: Option<usize>,
}

impl Four {
    fn n_stones(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    /// 0 or 1.
    fn player(&self) -> usize {
        self.n_stones() % 2
    }

    fn at(&self, col: i32, row: i32) -> char {
        let column = usize::try_from(col).ok().and_then(|col| self.columns.get(col));
        let stone = column.and_then(|column| column.get(usize::try_from(row).ok()?));
        stone.copied().unwrap_or('.')
    }

    /// Whether a line of these stones begins at any cell, in any of eight directions.
    fn has_line(&self, stone: char) -> bool {
        for col in 0..8 {
            for row in 0..8 {
                for (right, up) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
                    if (0..self.line as i32).all(|n| self.at(col + n * right, row + n * up) == stone) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn outcome(&self) -> Option<Outcome> {
        let win = |player: usize| Some(Outcome::win(2, Seat::new(player as u8)));
        if let Some(left) = self.left {
            win(1 - left)
        } else if self.has_line('1') {
            win(0)
        } else if self.has_line('2') {
            win(1)
        } else if self.n_stones() == self.rows * self.columns.len() {
            Some(Outcome::draw(2))
        } else {
            None
        }
    }
}

impl Naive for Four {
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        let columns = vec![vec![]; usize::from(setup.cols)];
        Self { columns, rows: setup.rows.into(), line: setup.line.into(), left: None }
    }

    fn status(&self) -> Status {
        match self.outcome() {
            Some(outcome) => Status::Over(outcome),
            None => Status::ToMove(Seat::new(self.player() as u8)),
        }
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.outcome().is_some() {
            return vec![];
        }
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, column)| column.len() < self.rows).map(|(col, _)| Move::new(col as u8)).collect()
    }

    fn play(&mut self, mv: Move) {
        let stone = ['1', '2'][self.player()];
        self.columns[usize::from(mv.col())].push(stone);
    }

    fn remove(&mut self, seat: Seat) {
        if self.outcome().is_none() {
            self.left = Some(seat.index());
        }
    }

    fn to_text(&self) -> String {
        let row = |row| (0..self.columns.len()).map(|col| self.at(col as i32, row)).collect();
        let rows: Vec<String> = (0..self.rows as i32).rev().map(row).collect();
        let line = if self.line == 4 { String::new() } else { format!(" line={}", self.line) };
        let left = self.left.map(|left| format!(" left=p{}", left + 1)).unwrap_or_default();
        format!("p{} {}{line}{left}", self.player() + 1, rows.join("/"))
    }
}

impl Conceivable for Position {
    /// All columns that have a letter, also on boards that are narrower.
    fn conceivable_moves(&self) -> Vec<Move> {
        (0..8).map(Move::new).collect()
    }
}
