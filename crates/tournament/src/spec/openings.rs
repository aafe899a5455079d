//! Where games begin: openings, alone or in sets that have a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{MAX_LISTED, MAX_TITLE, SpecError, TournamentSpec, meant};

/// The most moves of an opening.
const MAX_MOVES: usize = 1000;

/// Where games begin: a position and moves made before, of one game or of all.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// What the set is called that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// What it is called itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The game spec it belongs to, one of those of the tournament; any if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The position, as text; the game spec's own if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Moves from there, made before the match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// A set of openings as a file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpeningSet {
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    positions: Vec<String>,
    /// Moves with spaces between them.
    #[serde(default)]
    lines: Vec<String>,
}

impl OpeningSet {
    fn openings(self, set: String) -> impl Iterator<Item = Opening> {
        let of_set = Opening { set: Some(set), game: self.game, ..Opening::default() };
        let positions = self.positions.into_iter().map(|position| (Some(position), vec![]));
        let moves = |line: String| line.split_whitespace().map(str::to_owned).collect();
        let lines = self.lines.into_iter().map(move |line| (None, moves(line)));
        positions.chain(lines).map(move |(position, moves)| Opening { position, moves, ..of_set.clone() })
    }
}

/// Openings one after the other, or sets by name.
pub(super) fn openings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Opening>, D::Error> {
    from.deserialize_any(Openings)
}

struct Openings;

impl<'de> Visitor<'de> for Openings {
    type Value = Vec<Opening>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of openings, or a table of sets, each with `positions` or `lines`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let sets: BTreeMap<String, OpeningSet> = Deserialize::deserialize(MapAccessDeserializer::new(map))?;
        Ok(sets.into_iter().flat_map(|(name, set)| set.openings(name)).collect())
    }
}

/// A file that has openings and nothing else, as a tournament's own file has them.
///
/// ```
/// use rookery_tournament::OpeningFile;
///
/// let text = r#"{"openings": {"wing": {"lines": ["a1-a2", "c1-c2 a3-a2"]}}}"#;
/// let OpeningFile { openings } = serde_json::from_str(text)?;
/// assert_eq!(openings[1].moves, ["c1-c2", "a3-a2"]);
/// assert_eq!(openings[1].set.as_deref(), Some("wing"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningFile {
    /// All of them, in order; of several sets in the order of their names.
    #[serde(deserialize_with = "openings")]
    pub openings: Vec<Opening>,
}

impl TournamentSpec {
    /// Only the sets that were chosen stay, if any were.
    pub fn choose_openings(&mut self) -> Result<(), SpecError> {
        let chosen = std::mem::take(&mut self.opening_sets);
        if chosen.is_empty() {
            return Ok(());
        }
        let sets = self.openings.iter().filter_map(|opening| opening.set.as_deref());
        let known: Vec<&str> = sets.collect::<BTreeSet<_>>().into_iter().collect();
        for set in &chosen {
            if !known.contains(&set.as_str()) {
                let there = if known.is_empty() {
                    "no opening belongs to a set".to_owned()
                } else {
                    format!("there are {}", known.join(", "))
                };
                return Err(SpecError(format!(
                    "`opening_sets`: no set is called {set:?}; {there}{}",
                    meant(set, &known)
                )));
            }
        }
        self.openings.retain(|opening| opening.set.as_ref().is_some_and(|set| chosen.contains(set)));
        Ok(())
    }

    /// What one of the openings is called, for records and tables: by its set, and its name or its number in the set.
    pub fn opening_label(&self, opening: &Opening) -> String {
        let number = || {
            let of_set = self.openings.iter().filter(|other| other.set == opening.set);
            of_set.take_while(|other| !std::ptr::eq(*other, opening)).count() + 1
        };
        let Opening { set, name, .. } = opening;
        label(set.as_deref(), name.as_deref(), if name.is_none() { number() } else { 0 })
    }

    /// The same of all openings, in their order.
    pub fn opening_labels(&self) -> Vec<String> {
        let mut counts: BTreeMap<&Option<String>, usize> = BTreeMap::new();
        let labels = self.openings.iter().map(|Opening { set, name, .. }| {
            let number = counts.entry(set).and_modify(|count| *count += 1).or_insert(1);
            label(set.as_deref(), name.as_deref(), *number)
        });
        labels.collect()
    }

    pub(super) fn check_openings(&self) -> Result<(), SpecError> {
        if self.openings.len() > MAX_LISTED {
            let n = self.openings.len();
            return Err(SpecError(format!("`openings`: {n} of them; expected at most {MAX_LISTED}")));
        }
        let mut names = BTreeSet::new();
        for (number, opening) in (1..).zip(&self.openings) {
            let error = |what: String| Err(SpecError(format!("`openings`, number {number}: {what}")));
            for (key, name) in [("set", &opening.set), ("name", &opening.name)] {
                if name.as_ref().is_some_and(|name| !is_title(name)) {
                    return error(format!(
                        "`{key}`: expected 1 to {MAX_TITLE} characters, none of them a control character"
                    ));
                }
            }
            if let Some(name) = &opening.name
                && !names.insert((&opening.set, name))
            {
                return error(format!("another one is called {name:?} too; give each a name of its own"));
            }
            if opening.moves.len() > MAX_MOVES {
                return error(format!("{} moves; expected at most {MAX_MOVES}", opening.moves.len()));
            }
            let known: Vec<&str> = self.games.iter().map(String::as_str).collect();
            match &opening.game {
                Some(game) if !self.games.contains(game) => {
                    return error(format!("{game:?} is none of `games`{}", meant(game, &known)));
                }
                None if self.games.len() > 1 => {
                    return error("expected `game`, one of `games`, since there are several".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What an opening is called that has this number in its set.
fn label(set: Option<&str>, name: Option<&str>, number: usize) -> String {
    match (set, name) {
        (Some(set), Some(name)) => format!("{set}: {name}"),
        (None, Some(name)) => name.to_owned(),
        (Some(set), None) => format!("{set} {number}"),
        (None, None) => format!("opening {number}"),
    }
}

fn is_title(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= MAX_TITLE && !text.chars().any(char::is_control)
}
