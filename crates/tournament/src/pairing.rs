//! A game that is to be played, and why.

use std::fmt;

use crate::{Entrant, Points, Relaxed};

/// One game of a tournament: who plays, where they sit, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// No other pairing of the tournament has this number, and the same pairing has it in every run.
    pub id: u64,
    /// Who plays, by seat.
    pub entrants: Vec<Entrant>,
    /// Games of one block share a start, boards and random choices included.
    pub block: u64,
    /// The number of the start, from 0. Where a tournament has several games or openings it says which of them this is;
    /// pairings of one round that are not of one block may have the same number.
    pub start: u64,
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
    /// Everybody meets everybody.
    RoundRobin {
        /// The round.
        round: u32,
        /// How many there are.
        of: u32,
        /// The game of this table.
        game: u64,
        /// How many it plays.
        games: u64,
    },
    /// Those meet who have about the same points.
    Swiss {
        /// The round.
        round: u32,
        /// How many there are.
        of: u32,
        /// The table, the best first.
        table: u32,
        /// The most points that one of them has.
        highest: Points,
        /// The fewest.
        lowest: Points,
        /// What had to be allowed in this round, because there was no pairing without it.
        relaxed: Relaxed,
        /// The game of this table.
        game: u64,
        /// How many it plays.
        games: u64,
    },
    /// The bracket of a knock-out puts them together.
    Cup {
        /// How many slots the bracket has left: 2 in the final; 0 if they play for the third place.
        left: u32,
        /// Their seeds, the best first.
        seeds: Vec<u32>,
        /// The game of this meeting.
        game: u64,
        /// How many it plays unless it is tied.
        games: u64,
    },
    /// They are in one group before a knock-out.
    CupGroup {
        /// The group.
        group: u32,
        /// The round.
        round: u32,
        /// How many rounds the groups play.
        of: u32,
        /// The game of this meeting.
        game: u64,
        /// How many it plays.
        games: u64,
    },
    /// The best of this table go on.
    CupTable {
        /// The round.
        round: u32,
        /// The table.
        table: u32,
        /// How many are left in the tournament.
        left: u32,
        /// The game of this table.
        game: u64,
        /// How many it plays.
        games: u64,
    },
    /// Somebody's rating is known least.
    Ladder {
        /// The number of the game.
        game: u64,
        /// How many there are.
        of: u64,
        /// Whose.
        first: u32,
        /// Against whom a game says most.
        others: Vec<u32>,
    },
    /// A challenger meets one of the others.
    Gauntlet {
        /// Which challenger.
        challenger: u32,
        /// How many there are.
        challengers: u32,
        /// Which of the others.
        opponent: u32,
        /// How many there are.
        opponents: u32,
        /// The game of these two.
        game: u64,
        /// How many they play.
        games: u64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rotation { game, of, turn, turns } => {
                let start = game.div_ceil((*turns).max(1));
                write!(f, "game {game} of {of}: seating {turn} of {turns} from start {start}")
            }
            Self::Group { round, of: 1, .. } => write!(f, "round {round}, the only table"),
            Self::Group { round, table, of } => write!(f, "round {round}, table {table} of {of}"),
            Self::RoundRobin { round, of, game, games } => {
                write!(f, "round {round} of {of}, in which everybody meets everybody: game {game} of {games}")
            }
            Self::Swiss { round, of, table, highest, lowest, relaxed, game, games } => {
                write!(f, "round {round} of {of}, table {table}: ")?;
                if highest == lowest {
                    write!(f, "all have {highest} points")?;
                } else {
                    write!(f, "{highest} and {lowest} points are the nearest that may meet")?;
                }
                if *relaxed > Relaxed::Nothing {
                    write!(f, " ({relaxed})")?;
                }
                write!(f, ": game {game} of {games}")
            }
            Self::Cup { left, seeds, game, games } => {
                match left {
                    0 => f.write_str("for the third place")?,
                    2 => f.write_str("final")?,
                    4 => f.write_str("semi-final")?,
                    8 => f.write_str("quarter-final")?,
                    _ => write!(f, "round of the last {left}")?,
                }
                let seeds: Vec<String> = seeds.iter().map(|seed| format!("seed {seed}")).collect();
                write!(f, ": {}: ", seeds.join(" meets "))?;
                if game <= games {
                    write!(f, "game {game} of {games}")
                } else {
                    write!(f, "game {game}, since they were level after {games}")
                }
            }
            Self::CupGroup { group, round, of, game, games } => write!(
                f,
                "group {group}, round {round} of {of}, in which everybody meets everybody: game {game} of {games}"
            ),
            Self::CupTable { round, table, left, game, games } => write!(
                f,
                "round {round}, table {table} of the last {left}, whose best go on: game {game} of {games}"
            ),
            Self::Ladder { game, of, first, others } => {
                let others: Vec<String> = others.iter().map(|other| format!("entrant {other}")).collect();
                write!(
                    f,
                    "game {game} of {of}: entrant {first} is known least, and learns most from {}",
                    others.join(" and ")
                )
            }
            Self::Gauntlet { challenger, challengers, opponent, opponents, game, games } => write!(
                f,
                "challenger {challenger} of {challengers} meets opponent {opponent} of {opponents}: \
                 game {game} of {games}"
            ),
        }
    }
}
