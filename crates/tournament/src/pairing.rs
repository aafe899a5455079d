//! A game that is to be played, and why.

use std::fmt;

use crate::Entrant;

/// One game of a tournament: who plays, where they sit, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// No other pairing of the tournament has this number, and the same pairing has it in every run.
    pub id: u64,
    /// Who plays, by seat.
    pub entrants: Vec<Entrant>,
    /// Games of one block share a start.
    pub block: u64,
    /// The round it belongs to, from 1, if the format has rounds.
    pub round: Option<u32>,
    /// Why it was made.
    pub reason: Reason,
}

/// Why a pairing was made. Everything counts from 1.
///
/// ```
/// use rookery_tournament::Reason;
///
/// let reason = Reason::Rotation { game: 5, of: 200, turn: 1, turns: 2 };
/// assert_eq!(reason.to_string(), "game 5 of 200: seating 1 of 2 from start 3");
/// assert_eq!(Reason::Group { round: 2, table: 1, of: 3 }.to_string(), "round 2, table 1 of 3");
/// assert_eq!(Reason::Group { round: 3, table: 1, of: 1 }.to_string(), "round 3, the only table");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Everybody sits on every seat of a start once.
    Rotation {
        /// The number of the game.
        game: u64,
        /// How many there are.
        of: u64,
        /// Which of the seatings of its start this is.
        turn: u64,
        /// How many each start has.
        turns: u64,
    },
    /// Those who are left are put to tables in their order.
    Group {
        /// The round.
        round: u32,
        /// The table.
        table: u32,
        /// How many tables the round has.
        of: u32,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Rotation { game, of, turn, turns } => {
                let start = game.div_ceil(turns.max(1));
                write!(f, "game {game} of {of}: seating {turn} of {turns} from start {start}")
            }
            Self::Group { round, of: 1, .. } => write!(f, "round {round}, the only table"),
            Self::Group { round, table, of } => write!(f, "round {round}, table {table} of {of}"),
        }
    }
}
