//! Parts of a tournament spec in short: an entrant as on the command line (`hard`, `mine=cmd:./bot`), a form by its word.

use std::fmt;
use std::marker::PhantomData;

use rookery_referee::{Entry, SeatSpec};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{EntrantSpec, FormatSpec};

/// Something that is written in full as a table, and in short as a text.
trait Short: DeserializeOwned {
    /// What is expected where it is neither.
    const EXPECTED: &'static str;

    fn of_text<E: Error>(text: &str) -> Result<Self, E>;
}

impl Short for EntrantSpec {
    const EXPECTED: &'static str = "a player (`hard`, `mine=cmd:./bot`) or a table with `name` and `player`";

    fn of_text<E: Error>(text: &str) -> Result<Self, E> {
        let entry: Entry = text.parse().map_err(E::custom)?;
        let name = match (&entry.name, &entry.seat) {
            (None, SeatSpec::Remote(name)) => Some(name.clone()),
            _ => Entry::names(std::slice::from_ref(&entry)).pop(),
        };
        let name = name.expect("one entry has one name");
        Ok(Self { name, player: entry.seat, version: None })
    }
}

impl Short for FormatSpec {
    const EXPECTED: &'static str = "a form (`round-robin`) or a table with its `kind`";

    fn of_text<E: Error>(text: &str) -> Result<Self, E> {
        Self::deserialize(MapDeserializer::new(std::iter::once(("kind", text))))
    }
}

/// Reads either.
struct Either<T>(PhantomData<T>);

impl<'de, T: Short> Visitor<'de> for Either<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::of_text(text)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// A wrapper for lists, whose items serde reads by their type.
struct Item<T>(T);

impl<'de, T: Short> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Either(PhantomData)).map(Self)
    }
}

pub(super) fn format<'de, D: Deserializer<'de>>(from: D) -> Result<FormatSpec, D::Error> {
    Item::deserialize(from).map(|Item(format)| format)
}

pub(super) fn entrants<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<EntrantSpec>, D::Error> {
    let items: Vec<Item<EntrantSpec>> = Vec::deserialize(from)?;
    Ok(items.into_iter().map(|Item(entrant)| entrant).collect())
}
