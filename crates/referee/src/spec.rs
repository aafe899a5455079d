//! Everything that is agreed before a match: the first line of its record, what flags and files become, what workers
//! are sent.

use std::fmt;
use std::time::Duration;

use rookery_rules::{Notation, Seat, Seed};
use serde::{Deserialize, Serialize};

use crate::{Conduct, Entry, SeatSpec, TimeControl};

/// The most moves of an opening.
pub const MAX_OPENING: usize = 10_000;
/// The most characters of what an opening is called.
const MAX_OPENING_NAME: usize = 220;

/// Everything that is agreed before a match. No secrets, no folders, no dates: the same spec gives the same match.
///
/// ```
/// use rookery_referee::MatchSpec;
/// use rookery_rules::{Seat, Seed};
///
/// let spec = MatchSpec::new("hexapawn", ["mine=hard", "random"], Seed(7)).expect("two seats");
/// assert_eq!(spec.who(Seat::new(0)), "player 1 (mine)");
/// assert_eq!(spec.seats[1].name, "random");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchSpec {
    /// The game spec.
    pub game: String,
    /// Where it begins, if not where the game spec says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Who sits where, in turn order.
    pub seats: Vec<SeatEntry>,
    /// Where all randomness of the match comes from. Text, because many readers of JSON lose digits.
    #[serde(with = "seed_text")]
    pub seed: Seed,
    /// How much time the players have.
    #[serde(with = "as_text")]
    pub time: TimeControl,
    /// By how much `time` was scaled for the speed of the machine that plays, in thousandths; nothing if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<u32>,
    /// How fast the machine is that plays with a clock, as a worker measures it; nothing if nobody has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<u32>,
    /// How much the built-in players may work for an answer.
    #[serde(default, skip_serializing_if = "Limits::is_none")]
    pub limits: Limits,
    /// What misconduct costs.
    #[serde(with = "as_text")]
    pub conduct: Conduct,
    /// Whether it is for fun: hints and take-backs are possible.
    #[serde(default, skip_serializing_if = "is_false")]
    pub casual: bool,
    /// The match is drawn after so many moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Which game of a longer event it is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// Where a match begins: a position and moves made before. Openings, puzzles and "play on from here" are one thing.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// What it is called where openings have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// The position, as text; the game spec's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Moves from there, made before the match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// Whoever sits at a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatEntry {
    /// Its name, unlike that of any other seat.
    pub name: String,
    /// How the game calls the seat: `player 1`, `red`.
    pub label: String,
    /// The text it is made from: a person, a built-in, a program.
    #[serde(with = "as_text")]
    pub player: SeatSpec,
}

/// How much the built-in players may work for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Positions searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Random games played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playouts: Option<u64>,
    /// Moves looked ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Time, beside the clock.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time_text")]
    pub think: Option<Duration>,
}

impl Limits {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The limit of work, in whatever a strategy counts.
    pub fn work(&self) -> Option<u64> {
        self.nodes.or(self.playouts)
    }
}

impl MatchSpec {
    /// An untimed match in which misconduct costs the game, until the fields say otherwise. The seats are labelled
    /// `player 1`, `player 2` and so on.
    pub fn new<'a>(
        game: &str,
        players: impl IntoIterator<Item = &'a str>,
        seed: Seed,
    ) -> Result<Self, crate::SeatSpecError> {
        let entries = players.into_iter().map(str::parse).collect::<Result<Vec<Entry>, _>>()?;
        Ok(Self::of_entries(game, &entries, seed))
    }

    /// The same from entries that were read already.
    pub fn of_entries(game: &str, entries: &[Entry], seed: Seed) -> Self {
        let seats = (1..).zip(entries).zip(Entry::names(entries)).map(|((number, entry), name)| SeatEntry {
            name,
            label: format!("player {number}"),
            player: entry.seat.clone(),
        });
        Self {
            game: game.to_owned(),
            start: None,
            seats: seats.collect(),
            seed,
            time: TimeControl::Untimed,
            scale: None,
            speed: None,
            limits: Limits::default(),
            conduct: Conduct::removing(),
            casual: false,
            max_turns: None,
            number: None,
        }
    }

    /// How many seats there are.
    pub fn n_seats(&self) -> usize {
        self.seats.len()
    }

    /// How a seat is called in a sentence: its label, with its name where that says more.
    pub fn who(&self, seat: Seat) -> String {
        match self.seats.get(seat.index()) {
            Some(entry) if entry.name == entry.label => entry.label.clone(),
            Some(entry) => format!("{} ({})", entry.label, entry.name),
            None => format!("seat {}", seat.index()),
        }
    }

    /// The seed of one seat, from which no other can be told.
    pub fn seat_seed(&self, seat: Seat) -> Seed {
        self.seed.derive(seat.index() as u64)
    }

    /// No two seats have the same name: tables, records and pictures tell players apart by it.
    fn check_names(&self) -> Result<(), StartError> {
        let twice = self.seats.iter().enumerate().find(|&(idx, entry)| {
            let same = |other: &SeatEntry| other.name == entry.name;
            entry.name.is_empty() || self.seats[..idx].iter().any(same)
        });
        match twice {
            None => Ok(()),
            Some((idx, SeatEntry { name, .. })) => Err(StartError(format!(
                "`seats`: the name {name:?} of seat {idx} does not do; expected a name for each seat, each another one"
            ))),
        }
    }

    /// The position in which play begins, with the opening's moves; `first` is the game spec's own.
    pub fn first_position<P: Notation>(&self, first: P) -> Result<(P, Vec<P::Move>), StartError> {
        self.check_names()?;
        let Some(start) = &self.start else { return Ok((first, vec![])) };
        let mut position = match &start.position {
            Some(text) => P::from_text(text).map_err(|error| StartError(format!("`start`: {error}")))?,
            None => first,
        };
        if start.opening.as_ref().is_some_and(|name| name.chars().count() > MAX_OPENING_NAME) {
            return Err(StartError(format!(
                "`start`: `opening` is too long; expected at most {MAX_OPENING_NAME} characters"
            )));
        }
        if start.moves.len() > MAX_OPENING {
            let n = start.moves.len();
            return Err(StartError(format!("`start` has {n} moves; expected at most {MAX_OPENING}")));
        }
        let mut moves = Vec::with_capacity(start.moves.len());
        for (number, text) in (1..).zip(&start.moves) {
            let problem = |error: &dyn fmt::Display| StartError(format!("`start`, move {number}: {error}"));
            let mv = position.parse_move(text).map_err(|error| problem(&error))?;
            position.play(mv).map_err(|error| problem(&error))?;
            moves.push(mv);
        }
        Ok((position, moves))
    }
}

/// A start that does not exist: a text that is no position, or an illegal move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartError(String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StartError {}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Values that have a text of their own, for `serde(with)`.
pub mod as_text {
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes it.
    pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Reads it.
    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Cow::<str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Seeds, as decimal digits, for `serde(with)`.
pub mod seed_text {
    use std::borrow::Cow;

    use rookery_rules::Seed;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes it.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
    pub fn serialize<S: Serializer>(seed: &Seed, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&seed.0)
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Seed, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| plain);
        number.map(Seed).ok_or_else(|| {
            D::Error::custom("expected a seed as a text of digits, \"0\" to \"18446744073709551615\"")
        })
    }
}

/// Times that may be missing.
mod time_text {
    use std::borrow::Cow;
    use std::time::Duration;

    use rookery_rules::{parse_duration, write_duration};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::ref_option, reason = "serde asks so")]
    pub(super) fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.serialize_str(&write_duration(*time)),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<Cow<'_, str>>::deserialize(from)?;
        text.map(|text| parse_duration(&text).map_err(D::Error::custom)).transpose()
    }
}
