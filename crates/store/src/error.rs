//! What can go wrong with a store, in sentences that say what to do.

use std::fmt;

use crate::{CheckReport, Hash};

/// Why a store could not do what it was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The text is no place of a store.
    Location(String),
    /// Another program writes there.
    Locked {
        /// The store.
        location: String,
        /// What is known of the other program.
        holder: String,
    },
    /// Another program has taken the store over from us.
    TakenOver(String),
    /// Somebody else holds the database for too long.
    Busy(String),
    /// A later version of the program has written it.
    Newer {
        /// The store.
        location: String,
        /// Its version of the tables.
        found: u32,
        /// The newest we know.
        known: u32,
    },
    /// The tables are of an earlier version, and the store was opened for reading only.
    Older {
        /// The store.
        location: String,
        /// Its version of the tables.
        found: u32,
        /// The one we read.
        known: u32,
    },
    /// It is something else than a store.
    Foreign {
        /// The place.
        location: String,
        /// What was found.
        found: String,
    },
    /// What is stored is not what was written.
    Damaged {
        /// The store.
        location: String,
        /// What was found.
        report: Box<CheckReport>,
    },
    /// The system refuses to read or write.
    Io {
        /// The store.
        location: String,
        /// What it says.
        problem: String,
    },
    /// There is too little room on the disk.
    Full {
        /// The store.
        location: String,
        /// What there is, in bytes, if it is known.
        free: Option<u64>,
        /// What there should be.
        needed: u64,
    },
    /// The store was opened for reading only.
    ReadOnly(String),
    /// Nothing of this name is stored.
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// By which name.
        name: String,
    },
    /// A result is stored for this game already, and it is another one.
    Conflict {
        /// The game.
        game: String,
        /// The hash of the record that is stored.
        stored: Hash,
        /// The hash of the one that came now.
        given: Hash,
    },
    /// The result is of an attempt that does not count any more.
    Stale {
        /// The pairing.
        pairing: u64,
        /// The attempt it came from.
        attempt: u32,
        /// The one that counts.
        current: u32,
    },
    /// Somebody else has the name.
    NameTaken {
        /// The name.
        name: String,
        /// Who has it: a person, a bot, a built-in player.
        kind: &'static str,
    },
    /// What was given cannot be stored: what is wrong, and what was expected.
    Refused(String),
}

impl StoreError {
    /// With which code a program ends that cannot go on because of it (those of `sysexits.h`).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Newer { .. }
            | Self::Older { .. }
            | Self::Foreign { .. }
            | Self::Damaged { .. }
            | Self::Conflict { .. } => 65,
            Self::Io { .. } | Self::Full { .. } => 74,
            Self::Locked { .. } | Self::TakenOver(_) | Self::Busy(_) => 75,
            Self::Location(_) => 2,
            Self::ReadOnly(_)
            | Self::Unknown { .. }
            | Self::Stale { .. }
            | Self::NameTaken { .. }
            | Self::Refused(_) => 1,
        }
    }

    pub(crate) fn unknown(what: &'static str, name: impl fmt::Display) -> Self {
        Self::Unknown { what, name: name.to_string() }
    }

    pub(crate) fn refused(what: impl Into<String>) -> Self {
        Self::Refused(what.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Location(text) | Self::Refused(text) => f.write_str(text),
            Self::Locked { location, holder } => write!(
                f,
                "{location}: {holder} writes there already; wait until it has ended, or choose another store"
            ),
            Self::TakenOver(location) => {
                write!(
                    f,
                    "{location}: another program has taken the store over; nothing more is written here"
                )
            }
            Self::Busy(location) => write!(
                f,
                "{location}: another program holds the database; end it, or try again when it has finished"
            ),
            Self::Newer { location, found, known } => write!(
                f,
                "{location}: the store has version {found} of the tables, and this program knows up to {known}; \
                 use the version of rookery that wrote it, or a later one"
            ),
            Self::Older { location, found, known } => write!(
                f,
                "{location}: the store has version {found} of the tables, and this program reads {known}; \
                 `rookery db migrate` brings it up to date, after a copy"
            ),
            Self::Foreign { location, found } => {
                write!(
                    f,
                    "{location}: {found}, and no store of rookery; nothing was changed, choose another place"
                )
            }
            Self::Damaged { location, report } => write!(
                f,
                "{location}: the store is damaged: {report}; nothing was changed; reading is still possible, and \
                 `rookery db restore` brings back a backup"
            ),
            Self::Io { location, problem } => {
                write!(
                    f,
                    "{location}: cannot be read or written: {problem}; see to the disk, then start again"
                )
            }
            Self::Full { location, free, needed } => {
                write!(f, "{location}: the disk is too full: ")?;
                if let Some(free) = free {
                    write!(f, "{} MiB are free, ", free >> 20)?;
                }
                write!(f, "{} MiB are needed; make room", needed.div_ceil(1 << 20))
            }
            Self::ReadOnly(location) => write!(f, "{location}: was opened for reading only"),
            Self::Unknown { what, name } => write!(f, "there is no {what} {name:?} in the store"),
            Self::Conflict { game, stored, given } => write!(
                f,
                "game {game:?} is stored already with another record ({stored}, now came {given}); the first one \
                 stays; find out who played it twice"
            ),
            Self::Stale { pairing, attempt, current } => write!(
                f,
                "pairing {pairing}: attempt {attempt} does not count any more, attempt {current} does; drop the result"
            ),
            Self::NameTaken { name, kind } => {
                write!(f, "the name {name:?} belongs to a {kind} already; choose another one")
            }
        }
    }
}

impl std::error::Error for StoreError {}
