//! What can be wrong with a record.

use std::{fmt, io};

use crate::FORMAT_VERSION;

/// The first line of a record that is wrong, and why.
#[derive(Debug)]
pub struct RecordError {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Debug)]
pub enum Problem {
    /// It could not be read.
    Io(io::Error),
    /// There is nothing in the file.
    Empty,
    /// The file ends within the first line: the match was cut off before it began.
    TornHeader,
    /// The line, or the file, is longer than we read.
    TooLong(String),
    /// The record is of another version of the format.
    Version(u64),
    /// It is not the JSON of any line, and what was expected.
    Syntax(String),
    /// It says what cannot have happened, and what was expected.
    Wrong(String),
    /// The match is over, so that nothing is left to go on with.
    Finished,
}

impl Problem {
    pub(crate) fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "it cannot be read: {error}"),
            Self::Empty => f.write_str("the file is empty; expected a record, whose first line is a header"),
            Self::TornHeader => f.write_str(
                "the file ends within its first line: nothing was played yet; play the match anew",
            ),
            Self::Version(found) => write!(
                f,
                "the record has version {found} of the format, and this program reads version {FORMAT_VERSION}; \
                 use the version of rookery that wrote it, or a later one"
            ),
            Self::TooLong(text) | Self::Syntax(text) | Self::Wrong(text) => f.write_str(text),
            Self::Finished => f.write_str("the match is over; there is nothing to go on with"),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}
