//! What most formats have in common.

use std::collections::BTreeSet;

use crate::meeting::MAX_GAMES;
use crate::{Entrant, PointRule, Seating, TableSize};

/// What most formats let one choose.
///
/// ```
/// use rookery_tournament::{Entrant, FormatOptions, TableSize};
///
/// let mut options = FormatOptions::default();
/// assert_eq!(options.games_at(2), 2, "both sit once on each seat");
/// options.size = TableSize { min: 3, max: 4 };
/// assert_eq!(options.games_at(4), 8);
/// options.forbid(Entrant(3), Entrant(1));
/// assert!(options.is_forbidden(&[Entrant(1), Entrant(2), Entrant(3)]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatOptions {
    /// How many sit at a table.
    pub size: TableSize,
    /// How many games a table plays in a round; without it one whole block, so that all sit equally often on every seat.
    pub games: Option<u64>,
    /// What a game is worth.
    pub points: PointRule,
    /// Who fails so many games in a row is suspended; without it nobody is.
    pub max_faults: Option<u32>,
    /// Pairs that never sit at one table, the lower number first ([`forbid`](Self::forbid)).
    pub forbidden: BTreeSet<(Entrant, Entrant)>,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            size: TableSize::PAIR,
            games: None,
            points: PointRule::default(),
            max_faults: None,
            forbidden: BTreeSet::new(),
        }
    }
}

impl FormatOptions {
    /// These two never sit at one table.
    pub fn forbid(&mut self, one: Entrant, other: Entrant) {
        self.forbidden.insert((one.min(other), one.max(other)));
    }

    /// Whether two of these must not sit at one table.
    pub fn is_forbidden(&self, table: &[Entrant]) -> bool {
        self.forbidden.iter().any(|(one, other)| table.contains(one) && table.contains(other))
    }

    /// How many games a table of so many plays.
    pub fn games_at(&self, seats: usize) -> u64 {
        self.games.unwrap_or_else(|| Seating::block_games(seats))
    }

    /// How many starts a round needs at most.
    pub(crate) fn starts(&self) -> u64 {
        let starts = |seats| self.games_at(seats).div_ceil(Seating::block_games(seats));
        (self.size.min..=self.size.max).map(starts).max().unwrap_or(1)
    }

    /// # Panics
    /// If a format cannot be made with these.
    pub(crate) fn check(&self) {
        assert!(self.size.is_valid(), "tables have two to eight seats");
        assert!(self.games.is_none_or(|games| (1..=MAX_GAMES).contains(&games)), "a table plays some games");
        assert!(self.max_faults != Some(0), "nobody is suspended before the first fault");
    }
}
