//! Why the games of an event cannot go on.

use std::fmt;
use std::io;
use std::path::PathBuf;

use rookery_live::{OpenError, PrepareError};
use rookery_record::{ArchiveError, SyncError};
use rookery_store::StoreError;
use rookery_tournament::{ScheduleError, SpecError};

/// Why the games of an event cannot go on: our own trouble, never a player's.
#[derive(Debug)]
pub enum ArenaError {
    /// A record cannot be kept.
    Archive(ArchiveError),
    /// A record could not be brought to the disk.
    Sync(SyncError),
    /// Somebody stops the event while so many games are over and cannot be saved.
    Unsaved(usize),
    /// So many games are over and could not be saved for as long as is reasonable.
    Hindered(usize),
    /// A port cannot be listened on.
    Open(OpenError),
    /// A match cannot be played as agreed; with its record, if it has one.
    Prepare(Option<PathBuf>, PrepareError),
    /// A record is not whole; with its file, if it has one.
    Record(Option<PathBuf>, String),
    /// The game of this number failed too often because of us.
    Attempts(u64, u32),
    /// This program has a fault: what it said, and in which game, if it was one.
    Panicked(Option<u64>, String),
    /// The format and whoever plays the games do not agree.
    Schedule(ScheduleError),
    /// The store cannot be used.
    Store(StoreError),
    /// What is agreed before a game is wrong.
    Agreed(String),
    /// Anything else that the system refuses.
    Io(String, io::Error),
    /// Whoever is told of a game could not take it.
    Told(io::Error),
}

impl fmt::Display for ArenaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(error) => error.fmt(f),
            Self::Sync(error) => error.fmt(f),
            Self::Unsaved(games) | Self::Hindered(games) => write!(
                f,
                "games that are over and could not be saved: {games}; they are played again when this goes on"
            ),
            Self::Open(error) => error.fmt(f),
            Self::Prepare(None, error) => error.fmt(f),
            Self::Prepare(Some(path), error) => write!(f, "{}: {error}", path.display()),
            Self::Record(Some(path), problem) => write!(f, "{}: {problem}", path.display()),
            Self::Attempts(number, times) => {
                write!(f, "game {number}: it failed {times} times; move its records away to try again")
            }
            Self::Panicked(number, words) => {
                let game = number.map_or_else(String::new, |number| format!("game {number}: "));
                write!(f, "{game}this program failed, which is nobody's loss: {words}")
            }
            Self::Schedule(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::Record(None, problem) | Self::Agreed(problem) => f.write_str(problem),
            Self::Io(what, error) => write!(f, "{what}: {error}"),
            Self::Told(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArenaError {}

impl From<ArchiveError> for ArenaError {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl From<SyncError> for ArenaError {
    fn from(error: SyncError) -> Self {
        Self::Sync(error)
    }
}

impl From<ScheduleError> for ArenaError {
    fn from(error: ScheduleError) -> Self {
        Self::Schedule(error)
    }
}

impl From<OpenError> for ArenaError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<StoreError> for ArenaError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SpecError> for ArenaError {
    fn from(error: SpecError) -> Self {
        Self::Agreed(error.to_string())
    }
}
