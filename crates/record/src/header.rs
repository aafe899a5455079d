//! The first line: what was agreed before the match began.

use rookery_referee::MatchSpec;
use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::line::syntax;

/// The version of the format. A reader refuses every other.
pub const FORMAT_VERSION: u64 = 2;

/// The program that writes records.
pub const SOFTWARE: &str = concat!("rookery ", env!("CARGO_PKG_VERSION"));

/// The first line. There are no dates in it, and nothing about the machine unless clocks depend on it: the same match gives the same file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT_VERSION`].
    pub version: u64,
    /// What was agreed.
    #[serde(rename = "match")]
    pub spec: MatchSpec,
    /// The position in which play begins, as text. It follows from the spec, and is here for readers that know no rules.
    pub position: String,
    /// Who wrote the record.
    pub software: String,
}

impl Header {
    /// The header of a match that begins in this position.
    pub fn new(spec: MatchSpec, position: String) -> Self {
        Self { version: FORMAT_VERSION, spec, position, software: SOFTWARE.to_owned() }
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
                _ => Err(syntax(&error, "a header line {\"record\":{\"version\":2,..}}")),
            },
        }
    }
}
