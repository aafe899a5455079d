//! Oz values as text, as far as records on a wire need them.
//!
//! What is read: integers (`12`, `~1`), atoms (`p1`, `'two words'`), strings (`"abc"`), lists (`[a b]`, `a|b|nil`,
//! `nil`), tuples and records with features in any order (`f(1 2)`, `r(other:nil request:size)`). Everything else of
//! the language, such as variables, floats and `#`, is refused. A text has at most [`MAX_BYTES`] bytes and at most
//! [`MAX_DEPTH`] brackets inside each other.
//!
//! ```
//! use rookery_originals::hexapawn::oz::Value;
//!
//! let mv: Value = "move(f(1 5) t(2 5))".parse()?;
//! assert_eq!(mv, Value::tuple("move", [Value::tuple("f", [1, 5]), Value::tuple("t", [2, 5])]));
//! assert_eq!("r( request:size  other:nil )".parse::<Value>()?, "r(other:nil request:size)".parse()?);
//! assert_eq!("a | ~1 | nil".parse::<Value>()?.to_string(), "[a ~1]");
//! # Ok::<(), rookery_originals::hexapawn::oz::OzError>(())
//! ```

mod read;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

pub use read::{MAX_BYTES, MAX_DEPTH, OzError};

/// A value. The names `true`, `false` and `unit` count as atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// An integer; beyond 64 bits it is refused.
    Int(i64),
    /// An atom: a name without fields. The empty list is the atom `nil`.
    Atom(String),
    /// A string. It is kept apart from the list of its characters, which Oz takes for the same.
    Text(String),
    /// A list with at least one element.
    List(Vec<Value>),
    /// A tuple or a record, with at least one field.
    Record(Record),
}

/// A label and fields. Two records are equal if they have the same fields, in whatever order.
#[derive(Clone, Eq, Debug)]
pub struct Record {
    label: String,
    fields: Vec<(Feature, Value)>,
}

/// The name of a field: a number for those that are written without a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Feature {
    /// A number; the fields of a tuple are numbered from 1.
    Int(i64),
    /// A name.
    Atom(String),
}

impl Value {
    /// An atom.
    pub fn atom(name: impl Into<String>) -> Self {
        Self::Atom(name.into())
    }

    /// The empty list.
    pub fn nil() -> Self {
        Self::atom("nil")
    }

    /// A tuple, or the atom if it has no fields.
    pub fn tuple<V: Into<Self>>(label: &str, fields: impl IntoIterator<Item = V>) -> Self {
        Self::from_fields(label, (1..).map(Feature::Int).zip(fields.into_iter().map(Into::into)).collect())
    }

    /// A record whose fields have names, or the atom if it has no fields.
    ///
    /// # Panics
    /// If a name comes twice.
    pub fn record<V: Into<Self>>(label: &str, fields: impl IntoIterator<Item = (&'static str, V)>) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (Feature::Atom(name.to_owned()), value.into()));
        let fields: Vec<_> = fields.collect();
        assert!(repeated(&fields).is_none(), "a record has each feature once");
        Self::from_fields(label, fields)
    }

    /// The label of a record and its fields, or an atom without any.
    fn from_fields(label: &str, fields: Vec<(Feature, Self)>) -> Self {
        let label = label.to_owned();
        if fields.is_empty() { Self::Atom(label) } else { Self::Record(Record { label, fields }) }
    }

    /// The fields of a tuple with this label and so many fields.
    pub fn as_tuple<const N: usize>(&self, label: &str) -> Option<[&Self; N]> {
        let Self::Record(record) = self else { return None };
        let whole = record.label == label && record.fields.len() == N;
        let mut found = [self; N];
        for (number, place) in (1..).zip(&mut found) {
            *place = record.get(&Feature::Int(number))?;
        }
        whole.then_some(found)
    }

    /// The fields of a record with this label and exactly these names, in their order.
    pub fn as_record<const N: usize>(&self, label: &str, names: [&str; N]) -> Option<[&Self; N]> {
        let Self::Record(record) = self else { return None };
        let whole = record.label == label && record.fields.len() == N;
        let mut found = [self; N];
        for (name, place) in names.into_iter().zip(&mut found) {
            *place = record.get(&Feature::Atom(name.to_owned()))?;
        }
        whole.then_some(found)
    }

    /// The fields of a tuple with this label, however many there are.
    pub fn tuple_fields(&self, label: &str) -> Option<Vec<&Self>> {
        let Self::Record(record) = self else { return None };
        let numbers = 1..=record.fields.len() as i64;
        if record.label != label {
            return None;
        }
        numbers.map(|number| record.get(&Feature::Int(number))).collect()
    }

    /// The integer.
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    /// The name of the atom.
    pub fn as_atom(&self) -> Option<&str> {
        if let Self::Atom(name) = self { Some(name) } else { None }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl Record {
    fn get(&self, feature: &Feature) -> Option<&Value> {
        // The fields of a tuple nearly always stand in their order.
        if let Feature::Int(number @ 1..) = feature
            && let Some((name, value)) = self.fields.get(*number as usize - 1)
            && name == feature
        {
            return Some(value);
        }
        self.fields.iter().find(|(name, _)| name == feature).map(|(_, value)| value)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.label == other.label
            && self.fields.len() == other.fields.len()
            && self.fields.iter().all(|(feature, value)| other.get(feature) == Some(value))
    }
}

/// The first feature that comes a second time.
fn repeated(fields: &[(Feature, Value)]) -> Option<&Feature> {
    let mut seen = HashSet::with_capacity(fields.len());
    fields.iter().map(|(feature, _)| feature).find(|feature| !seen.insert(*feature))
}

impl FromStr for Value {
    type Err = OzError;

    fn from_str(text: &str) -> Result<Self, OzError> {
        read::read(text.as_bytes())
    }
}

impl TryFrom<&[u8]> for Value {
    type Error = OzError;

    fn try_from(text: &[u8]) -> Result<Self, OzError> {
        read::read(text)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write_int(f, *number),
            Self::Atom(name) => write_atom(f, name),
            Self::Text(text) => write_quoted(f, text, '"'),
            Self::List(elements) => {
                f.write_str("[")?;
                for (idx, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if idx == 0 { "" } else { " " })?;
                }
                f.write_str("]")
            }
            Self::Record(record) => record.fmt(f),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_atom(f, &self.label)?;
        // A field is written without its number where the reader would count to the same.
        let mut number = 1;
        for (idx, (feature, value)) in self.fields.iter().enumerate() {
            f.write_str(if idx == 0 { "(" } else { " " })?;
            match feature {
                Feature::Int(feature) if *feature == number => number += 1,
                Feature::Int(feature) => {
                    write_int(f, *feature)?;
                    f.write_str(":")?;
                }
                Feature::Atom(name) => {
                    write_atom(f, name)?;
                    f.write_str(":")?;
                }
            }
            value.fmt(f)?;
        }
        f.write_str(")")
    }
}

fn write_int(f: &mut fmt::Formatter<'_>, number: i64) -> fmt::Result {
    write!(f, "{}{}", if number < 0 { "~" } else { "" }, number.unsigned_abs())
}

fn write_atom(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let mut bytes = name.bytes();
    let plain =
        bytes.next().is_some_and(|b| b.is_ascii_lowercase()) && bytes.all(read::in_word) && !is_keyword(name);
    if plain { f.write_str(name) } else { write_quoted(f, name, '\'') }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str, quote: char) -> fmt::Result {
    write!(f, "{quote}")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\\' => f.write_str("\\\\")?,
            _ if c == quote => write!(f, "\\{c}")?,
            _ if c.is_control() => write!(f, "\\x{:02x}", u32::from(c))?,
            _ => write!(f, "{c}")?,
        }
    }
    write!(f, "{quote}")
}

/// The words of the language that are no atoms unless quoted.
fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 47] = [
        "andthen", "at", "attr", "case", "catch", "choice", "class", "cond", "declare", "define", "dis",
        "div", "do", "else", "elsecase", "elseif", "elseof", "end", "export", "fail", "feat", "finally",
        "from", "fun", "functor", "if", "import", "in", "local", "lock", "meth", "mod", "not", "of", "or",
        "orelse", "prepare", "proc", "prop", "raise", "require", "self", "skip", "then", "thread", "try",
        "while",
    ];
    KEYWORDS.contains(&name)
}
