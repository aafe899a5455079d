//! The same game with whole turns as moves.

use std::fmt;

use rookery_rules::{Keyed, Notation, ParseMoveError, ParsePositionError, Seat, Status};

use super::{Position, Turn};

/// A [`Position`] whose moves are whole turns: a piece and the cell where it ends. However many ways lead there,
/// it is one move; [`Position::path`] gives a shortest one.
///
/// Within a chain the moves are what is left of the turn.
///
/// ```
/// use rookery_games::renpaarden::{Setup, TurnPosition};
/// use rookery_rules::{Setup as _, perft_all};
///
/// let start = TurnPosition::from(Setup::parse("width=5,height=5,null-turn=no")?.start());
/// assert_eq!(perft_all(&start, 3), [29, 986, 31634]);
/// # Ok::<(), rookery_rules::SetupError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnPosition(Position);

impl TurnPosition {
    /// The position hop by hop.
    pub fn hops(&self) -> &Position {
        &self.0
    }
}

impl From<Position> for TurnPosition {
    fn from(position: Position) -> Self {
        Self(position)
    }
}

impl rookery_rules::Position for TurnPosition {
    type Move = Turn;

    fn n_seats(&self) -> usize {
        self.0.n_seats()
    }

    fn status(&self) -> Status {
        self.0.status()
    }

    /// By piece, in reading order from the top left; for one piece by the cell where it ends, in the same order.
    fn legal_moves(&self) -> impl Iterator<Item = Turn> {
        let pieces = self.0.candidates().cells();
        pieces.flat_map(|from| self.0.turn_ends(from).cells().map(move |to| Turn { from, to }))
    }

    #[inline]
    fn play_unchecked(&mut self, turn: Turn) {
        self.0.advance_turn(turn);
    }

    fn remove(&mut self, seat: Seat) {
        self.0.remove(seat);
    }

    fn max_plies(&self) -> u64 {
        if self.to_move().is_some() { u64::from(self.0.setup().max_turns - self.0.turn()) } else { 0 }
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        self.0.to_move()
    }

    fn is_legal(&self, turn: Turn) -> bool {
        self.0.may_leave(turn.from) && self.0.turn_ends(turn.from).has(turn.to)
    }

    fn count_moves(&self) -> usize {
        self.0.candidates().cells().map(|cell| self.0.turn_ends(cell).len() as usize).sum()
    }

    fn reason(&self, turn: Turn) -> String {
        if let Some(chain) = self.0.chain().filter(|&chain| chain != turn.from) {
            format!("the turn goes on with the piece on {chain}")
        } else if self.0.may_leave(turn.from) {
            format!("no chain of hops from {} can end on {}", turn.from, turn.to)
        } else {
            format!("{} has no piece on {}", super::label(self.0.to_move), turn.from)
        }
    }
}

impl Keyed for TurnPosition {
    #[inline]
    fn key(&self) -> u64 {
        self.0.key()
    }

    fn full_key(&self) -> u64 {
        self.0.full_key()
    }
}

impl Notation for TurnPosition {
    fn to_text(&self) -> String {
        self.0.to_text()
    }

    fn from_text(text: &str) -> Result<Self, ParsePositionError> {
        Position::from_text(text).map(Self)
    }

    fn parse_move(&self, text: &str) -> Result<Turn, ParseMoveError> {
        text.parse()
    }
}

impl fmt::Display for TurnPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
