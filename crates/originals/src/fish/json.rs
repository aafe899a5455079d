//! The data of the remote calls and of the test harnesses, as they are written in JSON.

use rookery_games::fish::{self, Board, Cell, Color, Invalid};
use rookery_rules::{Position as _, Seat};
use serde::{Deserialize, Serialize};

/// A place on the board: `[row, column]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Place(pub u8, pub u8);

impl From<Cell> for Place {
    fn from(cell: Cell) -> Self {
        Self(cell.row, cell.col)
    }
}

impl From<Place> for Cell {
    fn from(Place(row, col): Place) -> Self {
        Self::new(row, col)
    }
}

/// A penguin's way: `[from, to]`.
pub type Action = (Place, Place);

/// A colour by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorName {
    /// The first to move.
    Red,
    /// The second.
    White,
    /// The third.
    Brown,
    /// The fourth.
    Black,
}

impl From<Color> for ColorName {
    fn from(color: Color) -> Self {
        match color {
            Color::Red => Self::Red,
            Color::White => Self::White,
            Color::Brown => Self::Brown,
            Color::Black => Self::Black,
        }
    }
}

impl From<ColorName> for Color {
    fn from(name: ColorName) -> Self {
        match name {
            ColorName::Red => Self::Red,
            ColorName::White => Self::White,
            ColorName::Brown => Self::Brown,
            ColorName::Black => Self::Black,
        }
    }
}

/// A player in a state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerState {
    /// Its colour.
    pub color: ColorName,
    /// Its fish.
    pub score: u32,
    /// Its penguins; the order means nothing, but is kept.
    pub places: Vec<Place>,
}

/// A state: the players from the one whose turn it is, and the board with 0 for a hole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// In turn order; who was removed is not there.
    pub players: Vec<PlayerState>,
    /// Row by row; a short row goes on with holes.
    pub board: Vec<Vec<u8>>,
}

impl State {
    /// What a position looks like for a seat: itself first.
    pub fn seen_from(position: &fish::Position, first: Seat) -> Self {
        let n_seats = position.n_seats();
        let seats = (0..n_seats).map(|idx| Seat::new(((first.index() + idx) % n_seats) as u8));
        let playing = seats.filter(|&seat| !position.is_removed(seat));
        let players = playing.map(|seat| PlayerState {
            color: position.color(seat).into(),
            score: position.score(seat),
            places: position.penguins(seat).map(Place::from).collect(),
        });
        Self { players: players.collect(), board: position.board().to_rows() }
    }

    /// The position, with the players at the seats in the order of the state; `placing` as in
    /// [`fish::Position::set_up`]. Colours are not kept: a seat's colour is that of its number.
    pub fn position(&self, placing: Option<u8>) -> Result<fish::Position, Invalid> {
        let players = self.players.iter().map(|player| {
            let penguins = player.places.iter().map(|&place| place.into()).collect();
            Some(fish::Player { score: player.score, penguins })
        });
        let players: Vec<_> = players.collect();
        fish::Position::set_up(Board::from_rows(&self.board)?, &players, Seat::new(0), placing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_back_and_starts_with_the_one_who_looks() {
        let text = r#"{"players":[{"color":"red","score":3,"places":[[0,0]]},{"color":"white","score":0,"places":[[1,0],[2,1]]}],"board":[[1,2],[3],[4,5]]}"#;
        let state: State = serde_json::from_str(text).expect("it is well-formed");
        assert_eq!(serde_json::to_string(&state).expect("it can be written"), text);
        let position = state.position(None).expect("it is possible");
        let seen = State::seen_from(&position, Seat::new(1));
        assert_eq!(seen.players[0].color, ColorName::White);
        assert_eq!(seen.board, [[1, 2], [3, 0], [4, 5]]);
    }

    #[test]
    fn fault_t11_numbers_that_are_no_small_integers_are_refused() {
        for bad in
            ["[-1,0]", "[0,1.0]", "[0,1e0]", "[0,256]", "[0,1e999]", "[0]", "[0,1,2]", "[01,1]", "{\"0\":1}"]
        {
            assert!(serde_json::from_str::<Place>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn fault_t12_unknown_missing_and_doubled_fields_are_refused() {
        for bad in [
            r#"{"players":[],"board":[],"more":1}"#,
            r#"{"players":[]}"#,
            r#"{"players":[],"board":[],"board":[]}"#,
        ] {
            assert!(serde_json::from_str::<State>(bad).is_err(), "{bad}");
        }
    }
}
