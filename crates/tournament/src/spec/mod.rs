//! Everything that is agreed before a tournament: what flags and files become, and what a store keeps.

mod balanced;
mod formats;
mod openings;
mod short;
mod trials;

use std::collections::BTreeSet;
use std::fmt;

use rookery_referee::{Conduct, Limits, SeatSpec, TimeControl, as_text, seed_text};
use rookery_rules::{MAX_SEATS, Seed, nearest};
use serde::{Deserialize, Serialize};

pub use balanced::Balanced;
pub use formats::{FormatSpec, GroupsSpec, SprtSpec};
pub use openings::{Opening, OpeningFile};
pub use trials::{TrialNote, TrialOutcome};

use crate::{
    ByeRule, Entrants, Format, FormatOptions, Next, Pairing, PointRule, Seating, Sprt, TableSize, TieBreak,
    TieBreaks,
};

/// The most entrants of a tournament.
pub const MAX_ENTRANTS: usize = 4096;
/// How many games in a row a program fails before it is suspended, where nothing else was agreed.
pub const MAX_FAULTS: u32 = 10;
/// The most characters of a tournament's name or an entrant's version.
const MAX_TITLE: usize = 100;
/// The most games, openings, or forbidden pairs that are listed.
const MAX_LISTED: usize = 100_000;
/// The words of the sandbox for how much a program may do.
const LEVELS: [&str; 3] = ["auto", "full", "none"];

/// Everything that is agreed before a tournament. No secrets, no folders, no dates: the same spec gives the same pairings.
///
/// ```
/// use rookery_tournament::TournamentSpec;
///
/// let spec: TournamentSpec = serde_json::from_str(
///     r#"{
///         "name": "evening", "games": ["hexapawn"], "seed": "7",
///         "format": {"kind": "round-robin", "games": 4},
///         "entrants": [{"name": "Ann", "player": "cmd:./ann.py"}, {"name": "level3", "player": "level:3"}]
///     }"#,
/// )?;
/// let plan = spec.plan()?;
/// assert_eq!((plan.games, plan.exact, plan.rounds), (Some(4), true, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentSpec {
    /// What it is called.
    pub name: String,
    /// Game specs. With several, every start has the next one ([`TournamentSpec::board`]).
    pub games: Vec<String>,
    /// How many sit at a table. All games have so many seats.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub seats: usize,
    /// How few may sit at a table where the numbers do not divide, if the games can be played by fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_seats: Option<usize>,
    /// Who plays whom; a form that needs nothing more may be just its word.
    #[serde(deserialize_with = "short::format")]
    pub format: FormatSpec,
    /// Who takes part, the best first where the format seeds them; each may be written as on the command line (`mine=hard`).
    #[serde(deserialize_with = "short::entrants")]
    pub entrants: Vec<EntrantSpec>,
    /// Where all randomness comes from. Text, because many readers of JSON lose digits.
    #[serde(default = "zero", with = "seed_text")]
    pub seed: Seed,
    /// How much time the players have.
    #[serde(default = "untimed", with = "as_text")]
    pub time: TimeControl,
    /// The speed of a machine that `time` is meant for, as workers measure it: one of another speed scales it. Without it nothing
    /// is scaled, unless whoever coordinates workers says so for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_time: Option<u32>,
    /// How much the built-in players may work for an answer.
    #[serde(default, skip_serializing_if = "Limits::is_none")]
    pub limits: Limits,
    /// What misconduct costs, if not what the game says.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "optional_text")]
    pub conduct: Option<Conduct>,
    /// A game is drawn after so many moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Where games begin, one after the other; without any where the game spec says.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "openings::openings")]
    pub openings: Vec<Opening>,
    /// The sets of them that are played, by name; all without any. Whoever begins it keeps these alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opening_sets: Vec<String>,
    /// Openings that are found before the first game, and are in their place then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced: Option<Balanced>,
    /// Entrants that never meet, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<[String; 2]>,
    /// What tells equal points apart, in order; without it what suits the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_breaks: Option<Vec<TieBreak>>,
    /// How a bye counts in tie-breaks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub byes: ByeRule,
    /// What a game is worth.
    #[serde(default, skip_serializing_if = "is_default")]
    pub points: PointRule,
    /// Who fails so many games in a row is suspended; with 0 nobody is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_faults: Option<u32>,
    /// Whether a game ends once its result is proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudicate: Option<Adjudication>,
    /// How programs are confined: the level, in the words of the sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Who has not passed the games before the first round. Whoever holds the tournament writes it, and no file does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<TrialNote>,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntrantSpec {
    /// Its name, unlike that of any other.
    pub name: String,
    /// Who it is: a built-in, a program, somebody who signs up.
    #[serde(with = "as_text")]
    pub player: SeatSpec,
    /// Which version of it; another version is another player in ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// When a game ends before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjudication {
    /// Once a solver knows its result.
    Proved,
}

/// Which game a pairing plays, and where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board<'a> {
    /// The game spec.
    pub game: &'a str,
    /// Where it begins, if not where the game spec says.
    pub opening: Option<&'a Opening>,
}

/// What a tournament will be, before anything is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many games; `None` if it goes on until it is stopped.
    pub games: Option<u64>,
    /// Whether there are exactly so many if nobody leaves, or at most.
    pub exact: bool,
    /// How many rounds, at most, if the format has rounds.
    pub rounds: Option<u32>,
    /// The first pairings, with their reasons.
    pub first: Vec<Pairing>,
}

/// How many pairings a plan shows.
const FIRST: usize = 20;

impl TournamentSpec {
    /// The names of all, if everything fits together.
    pub fn check(&self) -> Result<Entrants, SpecError> {
        let error = |what: String| Err(SpecError(what));
        if self.name.is_empty()
            || self.name.chars().count() > MAX_TITLE
            || self.name.chars().any(char::is_control)
        {
            return error(format!(
                "`name`: expected 1 to {MAX_TITLE} characters, none of them a control character"
            ));
        }
        if self.games.is_empty() || self.games.len() > MAX_LISTED {
            return error("`games`: expected at least one game spec, such as \"hexapawn\"".to_owned());
        }
        let seats = self.table_size();
        if !seats.is_valid() {
            return error(format!(
                "`seats` = {}, `min_seats` = {}: expected 2 to {MAX_SEATS} seats, and no more at least than at most",
                seats.max, seats.min
            ));
        }
        if self.scale_time == Some(0) {
            return error("`scale_time` = 0: expected the speed of a machine, 1 or more".to_owned());
        }
        let entrants = self.check_entrants()?;
        self.check_openings()?;
        self.check_trials()?;
        if let Some(balanced) = self.balanced {
            balanced.check(seats, !self.openings.is_empty())?;
        }
        if self.forbidden.len() > MAX_LISTED {
            return error(format!(
                "`forbidden`: {} pairs; expected at most {MAX_LISTED}",
                self.forbidden.len()
            ));
        }
        for [one, other] in &self.forbidden {
            for name in [one, other] {
                if entrants.find(name).is_none() {
                    let known: Vec<&str> = entrants.all().map(|entrant| entrants.name(entrant)).collect();
                    return error(format!("`forbidden`: nobody is called {name:?}{}", meant(name, &known)));
                }
            }
            if one == other {
                return error(format!("`forbidden`: {one:?} never meets itself anyway; give two names"));
            }
        }
        if self.max_turns == Some(0) {
            return error("`max_turns`: expected 1 or more; leave it out for no limit".to_owned());
        }
        if let Some(level) = self.sandbox.as_deref().filter(|level| !LEVELS.contains(level)) {
            return error(format!("`sandbox`: {level:?} is no level; expected {}", LEVELS.join(", ")));
        }
        if let Some(order) = &self.tie_breaks {
            let distinct: BTreeSet<&TieBreak> = order.iter().collect();
            if distinct.len() < order.len() {
                return error("`tie_breaks`: one is named twice; name each once".to_owned());
            }
        }
        if entrants.len() < seats.min {
            return error(format!(
                "`entrants`: {} of them for a table of {}; expected at least as many as there are seats",
                entrants.len(),
                seats.min
            ));
        }
        self.format.check(entrants.len(), seats)?;
        Ok(entrants)
    }

    fn check_entrants(&self) -> Result<Entrants, SpecError> {
        if !(2..=MAX_ENTRANTS).contains(&self.entrants.len()) {
            let n = self.entrants.len();
            return Err(SpecError(format!("`entrants`: {n} of them; expected 2 to {MAX_ENTRANTS}")));
        }
        for EntrantSpec { name, version, .. } in &self.entrants {
            // Names of one's own are short; those made of a player spec are numbered (`hard#2`).
            if name.is_empty() || name.chars().count() > MAX_TITLE || name.chars().any(char::is_control) {
                return Err(SpecError(format!(
                    "`entrants`: {name:?} is no name; expected 1 to {MAX_TITLE} characters, none of them a control character"
                )));
            }
            if version.as_ref().is_some_and(|version| version.chars().count() > MAX_TITLE) {
                return Err(SpecError(format!(
                    "`version` of {name:?}: expected at most {MAX_TITLE} characters"
                )));
            }
        }
        let names = self.entrants.iter().map(|entrant| entrant.name.clone());
        Entrants::new(names).map_err(|error| SpecError(format!("`entrants`: {error}")))
    }

    fn table_size(&self) -> TableSize {
        TableSize { min: self.min_seats.unwrap_or(self.seats), max: self.seats }
    }

    /// What all formats are told.
    fn options(&self, entrants: &Entrants) -> FormatOptions {
        let mut options = FormatOptions {
            size: self.table_size(),
            games: self.format.games(),
            points: self.points,
            max_faults: self.suspends_after(),
            ..FormatOptions::default()
        };
        for [one, other] in &self.forbidden {
            if let (Some(one), Some(other)) = (entrants.find(one), entrants.find(other)) {
                options.forbid(one, other);
            }
        }
        options
    }

    /// Where programs take part and nothing else was agreed, who fails [`MAX_FAULTS`] games in a row is suspended. It is
    /// written down when a tournament is made, so that one of an older version goes on as it began.
    ///
    /// ```
    /// use rookery_tournament::{MAX_FAULTS, TournamentSpec};
    ///
    /// let mut spec: TournamentSpec = serde_json::from_str(
    ///     r#"{"name":"evening","games":["hexapawn"],"format":{"kind":"round-robin"},
    ///         "entrants":[{"name":"a","player":"cmd:./bot"},{"name":"b","player":"easy"}],"seed":"7"}"#,
    /// )?;
    /// spec.suspend_as_usual();
    /// assert_eq!(spec.max_faults, Some(MAX_FAULTS));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn suspend_as_usual(&mut self) {
        if self.max_faults.is_none() && self.entrants.iter().any(|entrant| entrant.player.is_program()) {
            self.max_faults = Some(MAX_FAULTS);
        }
    }

    /// After how many games failed in a row somebody is suspended, if anybody is.
    fn suspends_after(&self) -> Option<u32> {
        self.max_faults.filter(|most| *most > 0)
    }

    /// The format, before the first result.
    pub fn format(&self) -> Result<Box<dyn Format>, SpecError> {
        self.format_before(0)
    }

    /// The same before the last so many of the entrants came.
    pub fn format_before(&self, n_late: usize) -> Result<Box<dyn Format>, SpecError> {
        let entrants = self.check()?;
        let n_first = entrants.len().saturating_sub(n_late);
        self.format.check(n_first, self.table_size())?;
        Ok(self.format.build(n_first, &self.options(&entrants)))
    }

    /// The test that ends it, before the first result, if one does.
    pub fn test(&self) -> Option<Sprt> {
        match &self.format {
            FormatSpec::Sprt(test) => test.series(self.entrants.len()),
            _ => None,
        }
    }

    /// Whether all entrants sit at one table in every game.
    pub const fn is_series(&self) -> bool {
        matches!(self.format, FormatSpec::Series { .. } | FormatSpec::Sprt(_))
    }

    /// The tie-breaks of its table.
    pub fn tie_breaks(&self) -> TieBreaks {
        let order = self.tie_breaks.clone().unwrap_or_else(|| self.format.tie_breaks());
        let meeting = self.format.games().unwrap_or_else(|| Seating::block_games(self.seats));
        TieBreaks { order, byes: self.byes, meeting, rounds: self.format.rounds().unwrap_or(0) }
    }

    /// Which game a pairing plays and where it begins: every start has the next game spec, and when all had their turn
    /// the next opening.
    pub fn board(&self, pairing: &Pairing) -> Board<'_> {
        let n_games = self.games.len().max(1) as u64;
        let Some(game) = self.games.get((pairing.start % n_games) as usize) else {
            return Board { game: "", opening: None };
        };
        let is_of_game = |opening: &&Opening| opening.game.as_ref().is_none_or(|of| of == game);
        let fitting = self.openings.iter().filter(is_of_game).count() as u64;
        let turn = if fitting > 0 { pairing.start / n_games % fitting } else { 0 };
        Board { game, opening: self.openings.iter().filter(is_of_game).nth(turn as usize) }
    }

    /// What it will be: for `--dry-run`.
    pub fn plan(&self) -> Result<Plan, SpecError> {
        let entrants = self.check()?;
        let options = self.options(&entrants);
        let first = match self.format.build(entrants.len(), &options).next(FIRST) {
            Next::Play(pairings) => pairings,
            Next::Wait | Next::End => vec![],
        };
        let (games, rounds) = self.format.size(entrants.len(), &options);
        let exact =
            self.suspends_after().is_none() && self.forbidden.is_empty() && self.format.is_exact(&options);
        Ok(Plan { games, exact, rounds, first })
    }
}

/// Something about a tournament that cannot be: what was wrong, what was expected, what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError(String);

impl SpecError {
    /// What a reader of TOML or JSON has found, with the key that was probably meant.
    ///
    /// ```
    /// use rookery_tournament::SpecError;
    ///
    /// let found = "unknown field `rouds`, expected one of `rounds`, `games`";
    /// assert_eq!(
    ///     SpecError::reading(found).to_string(),
    ///     "unknown field `rouds`, expected one of `rounds`, `games`; did you mean `rounds`?",
    /// );
    /// ```
    pub fn reading(found: impl fmt::Display) -> Self {
        let found = found.to_string();
        let about = found.find("unknown field ").or_else(|| found.find("unknown variant "));
        let mut quoted = found[about.unwrap_or(found.len())..].split('`').skip(1).step_by(2);
        let wrong = quoted.next().unwrap_or("");
        let known: Vec<&str> = quoted.collect();
        let hint = nearest(wrong, &known).map(|word| format!("; did you mean `{word}`?"));
        Self(format!("{found}{}", hint.unwrap_or_default()))
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpecError {}

/// `; did you mean …?`, if something like it is known.
fn meant(mistyped: &str, known: &[&str]) -> String {
    nearest(mistyped, known).map_or_else(String::new, |word| format!("; did you mean {word:?}?"))
}

const fn two() -> usize {
    2
}

const fn zero() -> Seed {
    Seed(0)
}

const fn untimed() -> TimeControl {
    TimeControl::Untimed
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_two(number: &usize) -> bool {
    *number == 2
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Values that have a text of their own and may be missing.
mod optional_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::ref_option, reason = "serde asks so")]
    pub(super) fn serialize<T: Display, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
