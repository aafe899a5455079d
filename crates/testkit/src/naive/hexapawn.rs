//! Hexapawn with a grid of characters.

use rookery_games::hexapawn::{Eliminate, Move, Setup, Square};
use rookery_rules::{Outcome, Seat, Status};

use super::Naive;

/// A grid of `1`, `2` and `.`.
#[derive(Debug)]
pub struct Hexapawn {
    grid: Vec<Vec<char>>,
    /// 0 or 1.
    player: usize,
    choosing: bool,
    to_take_off: u8,
    left: Option<usize>,
}

impl Hexapawn {
    fn rows(&self) -> i32 {
        self.grid.len() as i32
    }

    fn cols(&self) -> i32 {
        self.grid[0].len() as i32
    }

    fn at(&self, row: i32, col: i32) -> Option<char> {
        let inside = (0..self.rows()).contains(&row) && (0..self.cols()).contains(&col);
        inside.then(|| self.grid[row as usize][col as usize])
    }

    fn pawn_moves(&self, player: usize) -> Vec<Move> {
        let (own, enemy, ahead) = if player == 0 { ('1', '2', 1) } else { ('2', '1', -1) };
        let mut moves = vec![];
        for row in (0..self.rows()).rev() {
            for col in (0..self.cols()).rev() {
                if self.at(row, col) != Some(own) {
                    continue;
                }
                for (side, wanted) in [(1, enemy), (-1, enemy), (0, '.')] {
                    if self.at(row + ahead, col + side) == Some(wanted) {
                        let square = |row: i32, col: i32| Square::new(row as u8, col as u8);
                        moves
                            .push(Move::Pawn { from: square(row, col), to: square(row + ahead, col + side) });
                    }
                }
            }
        }
        moves
    }

    fn winner(&self) -> Option<usize> {
        if let Some(left) = self.left {
            return Some(1 - left);
        }
        if self.choosing || self.to_take_off > 0 {
            return None;
        }
        let first_row_has_2 = self.grid[0].contains(&'2');
        let last_row_has_1 = self.grid[self.grid.len() - 1].contains(&'1');
        if last_row_has_1 {
            Some(0)
        } else if first_row_has_2 {
            Some(1)
        } else if self.pawn_moves(self.player).is_empty() {
            Some(1 - self.player)
        } else {
            None
        }
    }
}

impl Naive for Hexapawn {
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        let (rows, cols) = (usize::from(setup.rows), usize::from(setup.cols));
        let mut grid = vec![vec!['.'; cols]; rows];
        grid[0] = vec!['1'; cols];
        grid[rows - 1] = vec!['2'; cols];
        let (choosing, to_take_off) = match setup.eliminate {
            Eliminate::Exactly(k) => (false, 2 * k),
            Eliminate::Choose => (true, 0),
        };
        Self { grid, player: 0, choosing, to_take_off, left: None }
    }

    fn status(&self) -> Status {
        match self.winner() {
            Some(winner) => Status::Over(Outcome::win(2, Seat::new(winner as u8))),
            None => Status::ToMove(Seat::new(self.player as u8)),
        }
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.winner().is_some() {
            vec![]
        } else if self.choosing {
            (0..8).filter(|&k| 2 * i32::from(k) < self.cols()).map(Move::Choose).collect()
        } else if self.to_take_off > 0 {
            let row = if self.player == 0 { 0 } else { self.rows() - 1 };
            let own = if self.player == 0 { '1' } else { '2' };
            let cols = (0..self.cols()).filter(|&col| self.at(row, col) == Some(own));
            cols.map(|col| Move::Off(Square::new(row as u8, col as u8))).collect()
        } else {
            self.pawn_moves(self.player)
        }
    }

    fn play(&mut self, mv: Move) {
        match mv {
            Move::Choose(k) => {
                self.choosing = false;
                self.to_take_off = 2 * k;
                return;
            }
            Move::Off(square) => {
                self.grid[usize::from(square.row())][usize::from(square.col())] = '.';
                self.to_take_off -= 1;
            }
            Move::Pawn { from, to } => {
                let pawn = self.grid[usize::from(from.row())][usize::from(from.col())];
                self.grid[usize::from(from.row())][usize::from(from.col())] = '.';
                self.grid[usize::from(to.row())][usize::from(to.col())] = pawn;
            }
        }
        self.player = 1 - self.player;
    }

    fn remove(&mut self, seat: Seat) {
        if self.winner().is_none() {
            self.left = Some(seat.index());
        }
    }

    fn to_text(&self) -> String {
        let rows: Vec<String> = self.grid.iter().map(|row| row.iter().collect()).collect();
        let stage = match self.left {
            Some(left) => format!(" left=p{}", left + 1),
            None if self.choosing => " choose".to_owned(),
            None if self.to_take_off > 0 => format!(" off={}", self.to_take_off),
            None => String::new(),
        };
        format!("p{} {}{stage}", self.player + 1, rows.join("/"))
    }
}
