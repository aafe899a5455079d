//! Fish with lists of lists, walking from hexagon to hexagon.

use rookery_games::fish::{Cell, Move, Position, Setup};
use rookery_rules::{Outcome, Seat, Seats, Status};

use super::Naive;
use crate::conceivable::Conceivable;

/// A place of the board: row and column.
type Place = (i32, i32);

/// Fish by place, and players with lists of penguins.
#[derive(Debug)]
pub struct Fish {
    tiles: Vec<Vec<u8>>,
    players: Vec<Player>,
    turn: usize,
    /// How many penguins each player gets; 0 once all are placed.
    each: usize,
    anything_placed: bool,
}

#[derive(Debug)]
struct Player {
    score: i32,
    penguins: Vec<Place>,
    removed: bool,
}

/// The six places around one, clockwise from the north.
fn around((row, col): Place) -> [Place; 6] {
    if row % 2 == 0 {
        [
            (row - 2, col),
            (row - 1, col),
            (row + 1, col),
            (row + 2, col),
            (row + 1, col - 1),
            (row - 1, col - 1),
        ]
    } else {
        [
            (row - 2, col),
            (row - 1, col + 1),
            (row + 1, col + 1),
            (row + 2, col),
            (row + 1, col),
            (row - 1, col),
        ]
    }
}

fn cell((row, col): Place) -> Cell {
    Cell::new(row as u8, col as u8)
}

fn place(cell: Cell) -> Place {
    (i32::from(cell.row), i32::from(cell.col))
}

impl Fish {
    fn at(&self, (row, col): Place) -> u8 {
        let (rows, cols) = (self.tiles.len() as i32, self.tiles[0].len() as i32);
        let inside = (0..rows).contains(&row) && (0..cols).contains(&col);
        if inside { self.tiles[row as usize][col as usize] } else { 0 }
    }

    fn owner(&self, place: Place) -> Option<usize> {
        self.players.iter().position(|player| player.penguins.contains(&place))
    }

    fn is_free(&self, place: Place) -> bool {
        self.at(place) > 0 && self.owner(place).is_none()
    }

    fn places(&self) -> Vec<Place> {
        let mut places = vec![];
        for row in 0..self.tiles.len() {
            for col in 0..self.tiles[0].len() {
                places.push((row as i32, col as i32));
            }
        }
        places
    }

    fn slides(&self, player: usize) -> Vec<Move> {
        let mut slides = vec![];
        for from in self.places() {
            if self.owner(from) != Some(player) {
                continue;
            }
            for direction in 0..6 {
                let mut to = around(from)[direction];
                while self.is_free(to) {
                    slides.push(Move::Slide { from: cell(from), to: cell(to) });
                    to = around(to)[direction];
                }
            }
        }
        slides
    }

    fn n_playing(&self) -> usize {
        self.players.iter().filter(|player| !player.removed).count()
    }

    fn next_turn(&mut self) {
        self.turn = (self.turn + 1) % self.players.len();
    }

    fn throw_out(&mut self, player: usize) {
        self.players[player] = Player { score: 0, penguins: vec![], removed: true };
        if !self.anything_placed {
            self.each = 6 - self.n_playing();
        }
    }

    fn has_to_place(&self, player: usize) -> bool {
        let player = &self.players[player];
        !player.removed && player.penguins.len() < self.each
    }

    /// Passes the turn on until somebody can use it, or stops at the first player when nobody can.
    fn find_turn(&mut self) {
        while (0..self.players.len()).any(|player| self.has_to_place(player)) {
            if !self.has_to_place(self.turn) {
                self.next_turn();
            } else if self.places().into_iter().any(|place| self.is_free(place)) {
                return;
            } else {
                self.throw_out(self.turn);
            }
        }
        self.each = 0;
        for _ in 0..self.players.len() {
            if !self.slides(self.turn).is_empty() {
                return;
            }
            self.next_turn();
        }
        self.turn = 0;
    }

    fn is_over(&self) -> bool {
        self.legal_moves_now().is_empty()
    }

    fn legal_moves_now(&self) -> Vec<Move> {
        if self.each > 0 {
            let free = self.places().into_iter().filter(|&place| self.is_free(place));
            free.map(|place| Move::Place(cell(place))).collect()
        } else {
            self.slides(self.turn)
        }
    }
}

impl Naive for Fish {
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        let n_players = usize::from(setup.players);
        let players = (0..n_players).map(|_| Player { score: 0, penguins: vec![], removed: false }).collect();
        Self { tiles: setup.board().to_rows(), players, turn: 0, each: 6 - n_players, anything_placed: false }
    }

    fn status(&self) -> Status {
        if !self.is_over() {
            return Status::ToMove(Seat::new(self.turn as u8));
        }
        let scores: Vec<i32> =
            self.players.iter().map(|player| if player.removed { -1 } else { player.score }).collect();
        let mut winners = Seats::NONE;
        for (idx, player) in self.players.iter().enumerate() {
            if !player.removed && scores.iter().all(|&score| score <= scores[idx]) {
                winners.put_in(Seat::new(idx as u8));
            }
        }
        Status::Over(Outcome { scores: scores.into_iter().collect(), winners })
    }

    fn legal_moves(&self) -> Vec<Move> {
        self.legal_moves_now()
    }

    fn play(&mut self, mv: Move) {
        let player = &mut self.players[self.turn];
        match mv {
            Move::Place(cell) => {
                player.penguins.push(place(cell));
                self.anything_placed = true;
            }
            Move::Slide { from, to } => {
                player.penguins.retain(|&penguin| penguin != place(from));
                player.penguins.push(place(to));
                let left = &mut self.tiles[usize::from(from.row)][usize::from(from.col)];
                player.score += i32::from(*left);
                *left = 0;
            }
        }
        self.next_turn();
        self.find_turn();
    }

    fn remove(&mut self, seat: Seat) {
        if !self.is_over() && !self.players[seat.index()].removed {
            self.throw_out(seat.index());
            self.find_turn();
        }
    }

    fn to_text(&self) -> String {
        let mut text = if self.is_over() { "-".to_owned() } else { format!("p{}", self.turn + 1) };
        for (row, col) in self.places() {
            if col == 0 {
                text.push(if row == 0 { ' ' } else { '/' });
            }
            text += &self.at((row, col)).to_string();
            if let Some(owner) = self.owner((row, col)) {
                text.push(['a', 'b', 'c', 'd'][owner]);
            }
        }
        let scores: Vec<String> = self
            .players
            .iter()
            .map(|player| if player.removed { "-".to_owned() } else { player.score.to_string() })
            .collect();
        let place = if self.each > 0 { format!(" place={}", self.each) } else { String::new() };
        format!("{text} {}{place}", scores.join(","))
    }
}

impl Conceivable for Position {
    fn conceivable_moves(&self) -> Vec<Move> {
        let (rows, cols) = (self.board().rows() + 1, self.board().cols() + 1);
        let cells: Vec<Cell> =
            (0..rows).flat_map(|row| (0..cols).map(move |col| Cell::new(row, col))).collect();
        let slides = cells.iter().flat_map(|&from| cells.iter().map(move |&to| Move::Slide { from, to }));
        cells.iter().map(|&cell| Move::Place(cell)).chain(slides).collect()
    }
}
