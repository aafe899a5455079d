//! What is known of one game alone.

use rookery_rules::{Key, Kind, Options, Position, Seat, Solvable};
use rookery_search::{Analysis, Budget, FindTable, Goal, Perfect, Strategy};

use crate::{Level, PlayerInfo, SolveError, SolveOrder, Solved, Solving};

/// A strategy by its name, with its options; `None` if there is none of this name.
pub type ByName<P> = fn(&str, &Options<'_>) -> Option<Box<dyn Strategy<P>>>;

/// A level as a strategy.
pub type ByLevel<P> = fn(Level) -> Box<dyn Strategy<P>>;

/// How well a seat stands.
pub type Judge<P> = fn(&P, Seat) -> i32;

/// Finds the best moves of a position within a budget, at most so many, and reports again and again on the way.
pub type Analyse<P> = fn(&P, &Budget, usize, &mut dyn FnMut(&Analysis<<P as Position>::Move>));

/// Players that know only this game, and a way to solve it.
#[derive(Clone, Copy, Debug)]
pub struct Expertise<P: Position> {
    /// The players, from weak to strong where that is clear.
    pub players: &'static [PlayerInfo],
    /// One of them, by name.
    pub strategy: ByName<P>,
    /// The levels, if they are to be better than those that any game has.
    pub level: Option<ByLevel<P>>,
    /// What the moves of a position are worth, if that is to be better than what any game has.
    pub analyse: Option<Analyse<P>>,
    /// How well a seat stands, quickly, where random games hardly end by themselves, and the value with which three games
    /// of four are won.
    pub judge: Option<(Judge<P>, i32)>,
    /// Finds out what a position is worth with best play, or says why it cannot.
    pub solve: fn(&P, &SolveOrder) -> Result<Solved, SolveError>,
    /// The same for many positions of one setup, if something can be remembered from one to the next.
    pub solving: Option<fn() -> Solving<P>>,
    /// Setups whose later positions are solved at once, as options of a game spec: puzzles come from there.
    pub puzzles: &'static [&'static str],
}

impl<P: Position> Expertise<P> {
    /// For a game that has general players only and cannot be solved.
    pub const NONE: Self = Self {
        players: &[],
        strategy: |_, _| None,
        level: None,
        analyse: None,
        judge: None,
        solve: |_, _| Err(SolveError::Refused("there is no solver for this game".to_owned())),
        solving: None,
        puzzles: &[],
    };

    /// Solves many positions of one setup, one after the other.
    pub fn solving(&self) -> Solving<P> {
        self.solving.map_or_else(|| Box::new(self.solve) as Solving<P>, |solving| solving())
    }
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

/// Looks up a table at hand; where the solver does not reach, the strongest player of the game answers.
pub(crate) fn perfect<P: Solvable>(
    hard: Box<dyn Strategy<P>>,
    options: &Options<'_>,
    tables: FindTable<P>,
) -> Box<dyn Strategy<P>> {
    let perfect = Perfect::new(hard, Goal::Length, options.number("nodes"), PERFECT_BYTES);
    Box::new(perfect.with_tables(tables))
}
