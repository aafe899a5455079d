//! What is known of one game alone.

use rookery_rules::{Key, Kind, Options, Position, Solvable};
use rookery_search::{Goal, Perfect, Strategy};

use crate::{PlayerInfo, SolveError, SolveOrder, Solved};

/// A strategy by its name, with its options; `None` if there is none of this name.
pub type ByName<P> = fn(&str, &Options<'_>) -> Option<Box<dyn Strategy<P>>>;

/// Players that know only this game, and a way to solve it.
#[derive(Clone, Copy, Debug)]
pub struct Expertise<P: Position> {
    /// The players, from weak to strong where that is clear.
    pub players: &'static [PlayerInfo],
    /// One of them, by name.
    pub strategy: ByName<P>,
    /// Finds out what a position is worth with best play, or says why it cannot.
    pub solve: fn(&P, &SolveOrder) -> Result<Solved, SolveError>,
}

impl<P: Position> Expertise<P> {
    /// For a game that has general players only and cannot be solved.
    pub const NONE: Self = Self {
        players: &[],
        strategy: |_, _| None,
        solve: |_, _| Err(SolveError::Refused("there is no solver for this game".to_owned())),
    };
}

/// The player that solves what it can, for games that the solver reaches.
pub(crate) const PERFECT: PlayerInfo = PlayerInfo {
    name: "perfect",
    keys: &[Key {
        name: "nodes",
        kind: Kind::Number(1, 1_000_000_000),
        default: "2000000",
        help: "positions it may look at to solve one, when neither time nor --nodes limits it",
    }],
    summary: "never gives away what is won: solves the position, and where that takes too long plays as hard does",
    quick: false,
};

/// Memory for the table of a perfect player; little, so that it is quickly enlarged where the time is short.
const PERFECT_BYTES: usize = 64 << 20;

/// Where the solver does not reach, the strongest player of the game answers.
pub(crate) fn perfect<P: Solvable>(
    hard: Option<Box<dyn Strategy<P>>>,
    options: &Options<'_>,
) -> Option<Box<dyn Strategy<P>>> {
    Some(Box::new(Perfect::new(hard?, Goal::Length, options.number("nodes"), PERFECT_BYTES)))
}
