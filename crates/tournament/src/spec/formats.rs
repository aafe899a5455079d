//! Formats as they are written in files.

use rookery_ratings::sprt::{Model, Sprt as Test, SprtError};
use rookery_referee::{Cause, as_text};
use rookery_rules::{MAX_SEATS, Outcome};
use serde::{Deserialize, Serialize};

use super::{SpecError, is_default};
use crate::meeting::MAX_ROUNDS;
use crate::{
    Cup, CupOptions, Format, FormatOptions, GameResult, Gauntlet, Groups, KnockOut, Ladder, Next, Reason,
    RoundRobin, Seating, Series, Sprt, Swiss, TableSize, TieBreak,
};

/// The most games of a series, a ladder or a test.
const MAX_LONG: u64 = 100_000_000;
/// The most games of a pairing in a round.
const MAX_OF_PAIRING: u64 = 100_000;
/// The most meetings of a round robin: all of them are known beforehand.
const MAX_MEETINGS: usize = 1_000_000;
/// The most extra blocks of a meeting.
const MAX_EXTRA: u32 = 1000;

/// Who plays whom. `games` is how many a pairing has in one round, but for a series, a ladder and a test, where it is all
/// games: without it 2 at tables of two, with swapped seats from one start, and one block at larger tables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FormatSpec {
    /// All entrants at one table ([`Series`]).
    Series {
        /// All games, rounded up to whole blocks; one block unless told.
        #[serde(default = "one_block")]
        games: u64,
    },
    /// Everybody meets everybody ([`RoundRobin`]).
    RoundRobin {
        /// In two cycles.
        #[serde(default, skip_serializing_if = "is_default")]
        double: bool,
        /// How many rounds, at tables of more than two.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rounds: Option<u32>,
        /// Of each pairing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        games: Option<u64>,
    },
    /// Against those with about the same points ([`Swiss`]).
    Swiss {
        /// How many rounds.
        rounds: u32,
        /// Of each pairing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        games: Option<u64>,
    },
    /// Who loses is out ([`Cup`]).
    KnockOut {
        /// How many games a meeting has, an even number; `games` means the same, as in the other formats.
        #[serde(default, alias = "games", skip_serializing_if = "Option::is_none")]
        best_of: Option<u64>,
        /// How many blocks more a tied meeting plays at most; 3 unless told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        extra_blocks: Option<u32>,
        /// Whether the third place is played for.
        #[serde(default, skip_serializing_if = "is_default")]
        bronze: bool,
        /// Groups before it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        groups: Option<GroupsSpec>,
        /// How many of a table of more than two go on; 1 unless told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        advance: Option<usize>,
    },
    /// The rule of the original Fish tournaments ([`KnockOut`]).
    FishKnockOut {},
    /// The first entrants against all others ([`Gauntlet`]).
    Gauntlet {
        /// How many of them; 1 unless told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        challengers: Option<usize>,
        /// Of each pairing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        games: Option<u64>,
    },
    /// Whoever is known least plays next ([`Ladder`]).
    Ladder {
        /// All games; without it, until it is stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        games: Option<u64>,
    },
    /// All entrants at one table until a test between the first two has decided ([`Sprt`]).
    Sprt(SprtSpec),
}

/// A sequential test: when a series ends.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SprtSpec {
    /// The difference in Elo that H0 stands for.
    pub elo0: f64,
    /// The difference in Elo that H1 stands for.
    pub elo1: f64,
    /// How often H1 may be accepted although H0 is true.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 is true.
    pub beta: f64,
    /// What the differences mean.
    #[serde(with = "as_text")]
    pub model: Model,
    /// The most games.
    pub games: u64,
}

impl Default for SprtSpec {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: Model::Logistic, games: 1_000_000 }
    }
}

impl SprtSpec {
    /// The test, before any game.
    pub fn test(&self) -> Result<Test, SprtError> {
        Test::new(self.model, self.elo0, self.elo1, self.alpha, self.beta)
    }

    /// The series of so many that it ends.
    pub(super) fn series(&self, n_entrants: usize) -> Option<Sprt> {
        let fits = (1..=MAX_SEATS).contains(&n_entrants);
        self.test().ok().filter(|_| fits).map(|test| Sprt::new(n_entrants, self.games, test))
    }
}

/// Groups before a knock-out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupsSpec {
    /// How many are in a group, at most.
    pub size: usize,
    /// How many of each go on.
    pub advance: usize,
}

impl FormatSpec {
    /// The words of all kinds.
    pub const KINDS: [&str; 8] =
        ["series", "round-robin", "swiss", "knock-out", "fish-knock-out", "gauntlet", "ladder", "sprt"];

    /// How many games a pairing has, if it was said.
    pub(super) fn games(&self) -> Option<u64> {
        match self {
            Self::RoundRobin { games, .. } | Self::Swiss { games, .. } | Self::Gauntlet { games, .. } => {
                *games
            }
            Self::KnockOut { best_of, .. } => *best_of,
            Self::FishKnockOut {} => Some(1),
            Self::Series { .. } | Self::Ladder { .. } | Self::Sprt(_) => None,
        }
    }

    pub(super) fn rounds(&self) -> Option<u32> {
        match self {
            Self::RoundRobin { rounds, .. } => *rounds,
            Self::Swiss { rounds, .. } => Some(*rounds),
            _ => None,
        }
    }

    fn cup(&self) -> CupOptions {
        let Self::KnockOut { extra_blocks, bronze, groups, advance, .. } = self else {
            return CupOptions::default();
        };
        let usual = CupOptions::default();
        CupOptions {
            bronze: *bronze,
            groups: groups.map(|GroupsSpec { size, advance }| Groups { size, advance }),
            extra_blocks: extra_blocks.unwrap_or(usual.extra_blocks),
            advance: advance.unwrap_or(usual.advance),
        }
    }

    /// The format of so many, for which it was checked.
    pub(super) fn build(&self, n: usize, options: &FormatOptions) -> Box<dyn Format> {
        match *self {
            Self::Series { games } => Box::new(Series::new(n, games)),
            Self::RoundRobin { double, rounds, .. } => Box::new(RoundRobin::new(n, options, double, rounds)),
            Self::Swiss { rounds, .. } => Box::new(Swiss::new(n, options, rounds)),
            Self::KnockOut { .. } => Box::new(Cup::new(n, options, &self.cup())),
            Self::FishKnockOut {} => Box::new(KnockOut::new(n)),
            Self::Gauntlet { challengers, .. } => {
                Box::new(Gauntlet::new(n, challengers.unwrap_or(1), options))
            }
            Self::Ladder { games } => Box::new(Ladder::new(n, options, games.unwrap_or(u64::MAX))),
            Self::Sprt(spec) => Box::new(spec.series(n).expect("it was checked")),
        }
    }

    /// How many games and rounds there are, at most.
    pub(super) fn size(&self, n: usize, options: &FormatOptions) -> (Option<u64>, Option<u32>) {
        match *self {
            Self::Series { games } | Self::Sprt(SprtSpec { games, .. }) => {
                (Some(Series::new(n, games).games()), None)
            }
            Self::RoundRobin { double, rounds, .. } => {
                let format = RoundRobin::new(n, options, double, rounds);
                (Some(format.games()), Some(format.rounds()))
            }
            Self::Swiss { rounds, .. } => {
                let tables = options.size.sizes(n).0;
                let games: u64 = tables.iter().map(|&seats| options.games_at(seats)).sum();
                (Some(games * u64::from(rounds)), Some(rounds))
            }
            Self::KnockOut { .. } => {
                let (games, rounds) = longest(n, options, &self.cup());
                (Some(games), Some(rounds))
            }
            // Every round but the last has other winners than the one before, so at least one fewer.
            Self::FishKnockOut {} => {
                (Some((2..=n as u64).map(|left| left.div_ceil(2)).sum()), Some(n as u32))
            }
            Self::Gauntlet { challengers, .. } => {
                (Some(Gauntlet::new(n, challengers.unwrap_or(1), options).games()), None)
            }
            Self::Ladder { games } => {
                let meeting = options.games_at(options.size.max);
                (games.map(|games| games.next_multiple_of(meeting)), None)
            }
        }
    }

    /// Whether there are exactly so many games, as long as nobody leaves.
    pub(super) fn is_exact(&self, options: &FormatOptions) -> bool {
        match self {
            Self::KnockOut { .. } => options.size.max > 2 || self.cup().extra_blocks == 0,
            Self::FishKnockOut {} | Self::Sprt(_) => false,
            Self::Ladder { .. } => options.size.min == options.size.max,
            _ => true,
        }
    }

    /// What tells equal points apart if nobody has said.
    pub(super) fn tie_breaks(&self) -> Vec<TieBreak> {
        match self {
            Self::RoundRobin { .. } => {
                vec![TieBreak::DirectEncounter, TieBreak::SonnebornBerger, TieBreak::Wins]
            }
            Self::Swiss { .. } => vec![
                TieBreak::BuchholzCut1,
                TieBreak::Buchholz,
                TieBreak::SonnebornBerger,
                TieBreak::DirectEncounter,
                TieBreak::Wins,
            ],
            _ => vec![TieBreak::Wins],
        }
    }

    pub(super) fn check(&self, n_entrants: usize, size: TableSize) -> Result<(), SpecError> {
        if let Some(games) = self.games() {
            within("games", games, MAX_OF_PAIRING)?;
        }
        if let Some(rounds) = self.rounds() {
            within("rounds", u64::from(rounds), u64::from(MAX_ROUNDS / 2))?;
        }
        match *self {
            Self::Series { games } => check_series(n_entrants, games, size),
            Self::Sprt(spec) => {
                spec.test().map_err(|error| SpecError(format!("`format`: {error}")))?;
                check_series(n_entrants, spec.games, size)
            }
            Self::RoundRobin { double, rounds, .. } => {
                let cycles = 1 + usize::from(double);
                let each = if size.max == 2 { n_entrants } else { rounds.map_or(n_entrants, |n| n as usize) };
                if n_entrants * each / 2 * cycles > MAX_MEETINGS {
                    return refuse(&format!(
                        "everybody against everybody is too much for {n_entrants}; try kind = \"swiss\""
                    ));
                }
                Ok(())
            }
            Self::Ladder { games: Some(games) } => within("games", games, MAX_LONG),
            Self::Swiss { .. } if n_entrants > Swiss::MAX_ENTRANTS => refuse(&format!(
                "{n_entrants} entrants; a Swiss tournament has at most {}",
                Swiss::MAX_ENTRANTS
            )),
            Self::KnockOut { .. } => self.check_cup(size),
            Self::FishKnockOut {} => check_fish(n_entrants, size),
            Self::Gauntlet { challengers, .. } => {
                let challengers = challengers.unwrap_or(1);
                if size.max != 2 {
                    return refuse("a gauntlet is played at tables of two; set seats = 2");
                }
                if !(1..n_entrants).contains(&challengers) {
                    let most = n_entrants - 1;
                    return refuse(&format!(
                        "challengers = {challengers}; expected 1 to {most}, since somebody must be left to meet"
                    ));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn check_cup(&self, size: TableSize) -> Result<(), SpecError> {
        let Self::KnockOut { best_of, extra_blocks, bronze, groups, advance } = *self else { return Ok(()) };
        let block = Seating::block_games(2);
        if size.max == 2 && best_of.is_some_and(|games| games % block != 0) {
            return refuse(&format!(
                "best_of = {}; expected an even number, so that both sit equally often on each seat; a meeting that is \
                 level goes on by two games",
                best_of.unwrap_or(0)
            ));
        }
        if extra_blocks.is_some_and(|blocks| blocks > MAX_EXTRA) {
            return refuse(&format!("extra_blocks: expected at most {MAX_EXTRA}"));
        }
        if size.max > 2 && (bronze || groups.is_some()) {
            return refuse("`bronze` and `groups` are for tables of two; leave them out");
        }
        if let Some(GroupsSpec { size, advance }) = groups
            && !(size >= 2 && (1..size).contains(&advance))
        {
            return refuse(&format!(
                "groups of {size} of whom {advance} go on; expected groups of at least 2, and that some go on and some do not"
            ));
        }
        if !(1..size.min).contains(&advance.unwrap_or(1)) {
            let most = size.min - 1;
            return refuse(&format!(
                "advance: expected 1 to {most}, since somebody of each table must be out"
            ));
        }
        Ok(())
    }
}

/// All entrants sit at one table.
fn check_series(n_entrants: usize, games: u64, size: TableSize) -> Result<(), SpecError> {
    if n_entrants > MAX_SEATS {
        return refuse(&format!(
            "a series has one table of at most {MAX_SEATS} entrants, not {n_entrants}; try kind = \"round-robin\""
        ));
    }
    if !(size.min..=size.max).contains(&n_entrants) {
        return refuse(&format!(
            "all {n_entrants} entrants sit at one table, which has seats = {}; try as many entrants, or kind = \"round-robin\"",
            size.max
        ));
    }
    within("games", games, MAX_LONG)
}

/// Fish's own rule makes tables of four, three and two, whoever wins.
fn check_fish(n_entrants: usize, size: TableSize) -> Result<(), SpecError> {
    let largest = KnockOut::largest_table(n_entrants);
    if size.min == 2 && size.max >= largest {
        return Ok(());
    }
    let seats = |least: usize, most: usize| format!("seats = {most} and min_seats = {least}");
    refuse(&format!(
        "fish-knock-out has tables of 2 to {largest}; expected {}, not {}, and games for so many players",
        seats(2, largest),
        seats(size.min, size.max)
    ))
}

/// How many games a series has if nobody has said: they are rounded up to a block.
const fn one_block() -> u64 {
    1
}

/// How many games and rounds a knock-out has if all its meetings are tied, which is the longest there is.
fn longest(n: usize, options: &FormatOptions, cup: &CupOptions) -> (u64, u32) {
    // One game stands for a meeting.
    let once = FormatOptions { games: Some(1), max_faults: None, ..options.clone() };
    let mut format = Cup::new(n, &once, &CupOptions { extra_blocks: 0, ..cup.clone() });
    let extra = u64::from(cup.extra_blocks) * Seating::block_games(2);
    let mut games = 0;
    while let Next::Play(pairings) = format.next(usize::MAX) {
        for pairing in &pairings {
            let seats = pairing.entrants.len();
            let may_tie = matches!(pairing.reason, Reason::Cup { .. });
            games += options.games_at(seats) + if may_tie { extra } else { 0 };
            format.take(&GameResult::new(pairing, Some(Outcome::draw(seats)), Cause::Normal));
        }
    }
    (games, format.round().map_or(0, |round| round.number))
}

fn within(key: &str, value: u64, most: u64) -> Result<(), SpecError> {
    if (1..=most).contains(&value) {
        Ok(())
    } else {
        refuse(&format!("{key} = {value}; expected 1 to {most}"))
    }
}

fn refuse(what: &str) -> Result<(), SpecError> {
    Err(SpecError(format!("`format`: {what}")))
}
