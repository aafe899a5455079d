//! The first line: what was decided before the match began.

use std::fmt::Display;
use std::str::FromStr;

use rookery_referee::{Conduct, TimeControl};
use rookery_rules::{Notation, Seed, Setup};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Problem;
use crate::line::syntax;

/// The version of the format. A reader refuses every other.
pub const FORMAT_VERSION: u64 = 1;

/// The program that writes records.
pub const SOFTWARE: &str = concat!("rookery ", env!("CARGO_PKG_VERSION"));

/// The first line. There are no dates and nothing about the machine in it: the same match gives the same file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT_VERSION`].
    pub version: u64,
    /// The game spec.
    pub game: String,
    /// The first position, as text.
    pub start: String,
    /// Whether the first position is another than the game spec's.
    #[serde(default, skip_serializing_if = "is_false")]
    pub custom_start: bool,
    /// Who sits where, in turn order.
    pub seats: Vec<SeatEntry>,
    /// Where all randomness of the match came from.
    pub seed: u64,
    /// How much time the players had.
    #[serde(with = "as_text")]
    pub time: TimeControl,
    /// How much the built-in players might work for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What misconduct cost.
    #[serde(with = "as_text")]
    pub conduct: Conduct,
    /// The match was drawn after so many moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Which game of a longer match it was, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Who wrote the record.
    pub software: String,
}

/// Whoever sits at a seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatEntry {
    /// Its name for people.
    pub name: String,
    /// The text it was made from: a built-in, a program.
    pub player: String,
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
}

impl Header {
    /// An untimed match in which misconduct costs the game, until the fields say otherwise. `seats` are pairs of name
    /// and player.
    pub fn new<S, N, T>(
        setup: &S,
        start: &S::Position,
        seats: impl IntoIterator<Item = (N, T)>,
        seed: Seed,
    ) -> Self
    where
        S: Setup<Position: Notation>,
        N: Into<String>,
        T: Into<String>,
    {
        let seats =
            seats.into_iter().map(|(name, player)| SeatEntry { name: name.into(), player: player.into() });
        Self {
            version: FORMAT_VERSION,
            game: setup.spec(),
            start: start.to_text(),
            custom_start: *start != setup.start(),
            seats: seats.collect(),
            seed: seed.0,
            time: TimeControl::Untimed,
            limits: None,
            conduct: Conduct::removing(),
            max_turns: None,
            number: None,
            software: SOFTWARE.to_owned(),
        }
    }

    /// Reads the first line of a record.
    pub fn parse(line: &[u8]) -> Result<Self, Problem> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct First {
            record: Header,
        }
        // A later version may look quite different: its number is what to complain about, not the first strange field.
        #[derive(Deserialize)]
        struct AnyFirst {
            record: AnyVersion,
        }
        #[derive(Deserialize)]
        struct AnyVersion {
            version: u64,
        }
        let version_of = |line| serde_json::from_slice::<AnyFirst>(line).map(|first| first.record.version);
        match serde_json::from_slice::<First>(line) {
            Ok(First { record }) if record.version == FORMAT_VERSION => Ok(record),
            Ok(First { record }) => Err(Problem::Version(record.version)),
            Err(error) => match version_of(line) {
                Ok(version) if version != FORMAT_VERSION => Err(Problem::Version(version)),
                _ => Err(syntax(&error, "a header line {\"record\":{\"version\":1,..}}")),
            },
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Values that have a text of their own.
mod as_text {
    use std::borrow::Cow;

    use serde::de::Error as _;

    use super::{Deserialize, Deserializer, Display, FromStr, Serializer};

    pub(super) fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Cow::<str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}
