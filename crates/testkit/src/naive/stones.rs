//! Stones with a grid of numbers.

use rookery_games::stones::{self, Layout, Limits, Move, Neighbours, Setup, Tile};
use rookery_rules::{Outcome, Seat, Seats, Status};

use super::Naive;
use crate::conceivable::Conceivable;

/// A grid of players, -1 for a free tile.
#[derive(Clone, Debug)]
pub struct Stones {
    grid: Vec<Vec<i32>>,
    player: i32,
    n_players: i32,
    diagonal: bool,
    turn: u32,
    quiet: u32,
    limits: Limits,
    /// Who is out, in order.
    out: Vec<i32>,
}

impl Stones {
    fn rows(&self) -> i32 {
        self.grid.len() as i32
    }

    fn cols(&self) -> i32 {
        self.grid[0].len() as i32
    }

    fn is_inside(&self, row: i32, col: i32) -> bool {
        row >= 0 && row < self.rows() && col >= 0 && col < self.cols()
    }

    fn count(&self, player: i32) -> i32 {
        self.grid.iter().flatten().filter(|&&tile| tile == player).count() as i32
    }

    fn is_over(&self) -> bool {
        self.out.len() as i32 == self.n_players - 1
            || self.turn >= self.limits.turns
            || self.quiet >= self.limits.quiet
    }

    /// The smallest id above the current one that is not out, else the smallest of all.
    fn next_player(&self) -> i32 {
        let left = |player: &i32| !self.out.contains(player);
        let later = (self.player + 1..self.n_players).find(left);
        later.or_else(|| (0..self.n_players).find(left)).expect("somebody is left")
    }
}

impl Naive for Stones {
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        Self {
            grid: start_grid(setup),
            player: 0,
            n_players: i32::from(setup.players()),
            diagonal: setup.neighbours() == Neighbours::Eight,
            turn: 0,
            quiet: 0,
            limits: setup.limits(),
            out: vec![],
        }
    }

    fn status(&self) -> Status {
        if !self.is_over() {
            return Status::ToMove(Seat::new(self.player as u8));
        }
        let n_out = self.out.len() as i32;
        let place = |player: i32| self.out.iter().position(|&out| out == player);
        let score = |player: i32| place(player).map_or(n_out + self.count(player), |place| place as i32);
        let left = (0..self.n_players).filter(|&player| place(player).is_none());
        let winners: Seats = left.map(|player| Seat::new(player as u8)).collect();
        Status::Over(Outcome { scores: (0..self.n_players).map(score).collect(), winners })
    }

    fn legal_moves(&self) -> Vec<Move> {
        let mut moves = vec![];
        if self.is_over() {
            return moves;
        }
        for row in 0..self.rows() {
            for col in 0..self.cols() {
                if self.grid[row as usize][col as usize] != self.player {
                    continue;
                }
                for to_row in row - 1..=row + 1 {
                    for to_col in col - 1..=col + 1 {
                        let straight = to_row == row || to_col == col;
                        if self.is_inside(to_row, to_col)
                            && (straight || self.diagonal)
                            && self.grid[to_row as usize][to_col as usize] != self.player
                        {
                            let tile = |row: i32, col: i32| Tile { row: row as u8, col: col as u8 };
                            moves.push(Move { from: tile(row, col), to: tile(to_row, to_col) });
                        }
                    }
                }
            }
        }
        moves
    }

    fn play(&mut self, mv: Move) {
        let hit = self.grid[usize::from(mv.to.row)][usize::from(mv.to.col)];
        self.grid[usize::from(mv.from.row)][usize::from(mv.from.col)] = -1;
        self.grid[usize::from(mv.to.row)][usize::from(mv.to.col)] = self.player;
        self.turn += 1;
        self.quiet += 1;
        if hit != -1 {
            self.quiet = 0;
            if self.count(hit) == 0 {
                self.out.push(hit);
            }
        }
        self.player = self.next_player();
    }

    fn remove(&mut self, seat: Seat) {
        let gone = seat.index() as i32;
        if self.is_over() || self.out.contains(&gone) {
            return;
        }
        for tile in self.grid.iter_mut().flatten() {
            if *tile == gone {
                *tile = -1;
            }
        }
        self.out.push(gone);
        if self.player == gone {
            self.player = self.next_player();
        }
    }

    fn to_text(&self) -> String {
        let sign = |&tile: &i32| if tile == -1 { ".".to_owned() } else { tile.to_string() };
        let rows: Vec<String> = self.grid.iter().map(|row| row.iter().map(sign).collect()).collect();
        let mut words = vec![self.player.to_string(), rows.join("/")];
        if !self.diagonal {
            words.push("neighbours=4".to_owned());
        }
        if self.limits.turns != 10_000 {
            words.push(format!("turn={}/{}", self.turn, self.limits.turns));
        } else if self.turn != 0 {
            words.push(format!("turn={}", self.turn));
        }
        if self.limits.quiet != 1000 {
            words.push(format!("quiet={}/{}", self.quiet, self.limits.quiet));
        } else if self.quiet != 0 {
            words.push(format!("quiet={}", self.quiet));
        }
        if !self.out.is_empty() {
            let out: Vec<String> = self.out.iter().map(i32::to_string).collect();
            words.push(format!("out={}", out.join(",")));
        }
        words.join(" ")
    }
}

fn start_grid(setup: &Setup) -> Vec<Vec<i32>> {
    let (rows, cols) = (i32::from(setup.rows()), i32::from(setup.cols()));
    let players = i32::from(setup.players());
    let mut grid = vec![vec![-1; cols as usize]; rows as usize];
    match setup.layout() {
        Layout::Given(text) => {
            for (row, line) in text.split('/').enumerate() {
                for (col, sign) in line.chars().enumerate() {
                    grid[row][col] = sign.to_digit(10).map_or(-1, |digit| digit as i32);
                }
            }
        }
        Layout::Rows => {
            let stones = setup.stones().map_or(cols, i32::from);
            for player in 0..players {
                let share = f64::from(player) / f64::from(players - 1);
                let row = (share * f64::from(rows - 1) + 1e-9).round() as usize;
                for stone in 0..stones {
                    grid[row][((cols - stones) / 2 + stone) as usize] = player;
                }
            }
        }
        Layout::Corners => {
            let stones = setup.stones().map_or((rows * cols / 4 / players).max(1), i32::from);
            for _ in 0..stones {
                for player in 0..players {
                    let (row, col) = nearest_free(&grid, anchor(rows, cols, players, player));
                    grid[row][col] = player;
                }
            }
        }
        Layout::Ring => {
            let border = walk_around(rows, cols);
            let stones = setup.stones().map_or((border.len() as i32 / players / 2).max(1), i32::from);
            for stone in 0..stones * players {
                let (row, col) = border[(stone * border.len() as i32 / (stones * players)) as usize];
                grid[row as usize][col as usize] = stone % players;
            }
        }
    }
    grid
}

/// The corner of a player, or the middle of an edge, clockwise from the top left.
fn anchor(rows: i32, cols: i32, players: i32, player: i32) -> (i32, i32) {
    let (middle_row, middle_col) = ((rows - 1) / 2, (cols - 1) / 2);
    let mut all = vec![(0, 0)];
    if players >= 5 {
        all.push((0, middle_col));
    }
    if players >= 3 {
        all.push((0, cols - 1));
    }
    if players >= 7 {
        all.push((middle_row, cols - 1));
    }
    all.push((rows - 1, cols - 1));
    if players >= 6 {
        all.push((rows - 1, middle_col));
    }
    if players >= 4 {
        all.push((rows - 1, 0));
    }
    if players >= 8 {
        all.push((middle_row, 0));
    }
    all[player as usize]
}

/// The free tile at the smallest distance: the first one row by row, or the last for a place in the last row.
fn nearest_free(grid: &[Vec<i32>], (row, col): (i32, i32)) -> (usize, usize) {
    let mut best = None;
    for (r, line) in grid.iter().enumerate() {
        for (c, &tile) in line.iter().enumerate() {
            let distance = (r as i32 - row).pow(2) + (c as i32 - col).pow(2);
            let last_row = row == grid.len() as i32 - 1;
            let is_better = |smallest: i32| distance < smallest || (last_row && distance == smallest);
            if tile == -1 && best.is_none_or(|(smallest, _)| is_better(smallest)) {
                best = Some((distance, (r, c)));
            }
        }
    }
    best.expect("a tile is free").1
}

/// The tiles of the border: right, down, left and up again, turning wherever it goes no further.
fn walk_around(rows: i32, cols: i32) -> Vec<(i32, i32)> {
    let mut border: Vec<(i32, i32)> = vec![];
    let (mut row, mut col) = (0, 0);
    for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
        loop {
            if !border.contains(&(row, col)) {
                border.push((row, col));
            }
            let (next_row, next_col) = (row + down, col + right);
            if next_row < 0 || next_row >= rows || next_col < 0 || next_col >= cols {
                break;
            }
            (row, col) = (next_row, next_col);
        }
    }
    border
}

impl Conceivable for stones::Position {
    fn conceivable_moves(&self) -> Vec<Move> {
        let (rows, cols) = (self.board().rows() + 1, self.board().cols() + 1);
        let tiles: Vec<Tile> =
            (0..rows).flat_map(|row| (0..cols).map(move |col| Tile { row, col })).collect();
        tiles.iter().flat_map(|&from| tiles.iter().map(move |&to| Move { from, to })).collect()
    }
}
