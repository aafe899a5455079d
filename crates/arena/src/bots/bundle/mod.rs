//! Bundles: bots as archives that never change, in the store of a server or of many workers.
//!
//! A bundle is a `tar.gz` with a `bot.toml` that names its bot; unpacked it is a bot's folder like any other.
//!
//! - [`pack`] makes one of a folder, the same bytes for the same files.
//! - [`BundleCache`] unpacks within bounds, keeps the folders by the hash over their files, and looks at every file again
//!   before each use.
//! - [`Bundles::bring`] is what a worker calls: from the store's row to a bot that can be seated.
//! - [`Bundles::take_in`] and [`Bundles::try_out`] are what happens when somebody pushes one: nothing counts before its
//!   validation games.
//!
//! docs/bundles.md is the page for people.

mod bring;
mod cache;
mod pack;
mod unpack;

use std::fmt;
use std::io;
use std::path::PathBuf;

use rookery_sandbox::Level;
use rookery_store::StoreError;

use super::{BotProblem, BuildError};
use crate::ArenaError;

pub use bring::{Bundles, TakenIn};
pub use cache::{BundleCache, InUse};
pub use pack::pack;
pub use unpack::BundleLimits;

/// How bundles are confined unless the operator lowers it: nobody here knows who wrote them.
pub const BUNDLE_LEVEL: Level = Level::Full;

/// Why a bundle cannot be used.
#[derive(Debug)]
pub enum BundleError {
    /// The archive is not one that we take: what is wrong, and what would be right.
    Archive {
        /// What is wrong.
        problem: String,
        /// What would be right.
        expected: String,
    },
    /// What is in it is no bot, or does not build.
    Bot(Box<BotProblem>),
    /// What came is not what was asked for: it has another hash.
    Other(String),
    /// The cache cannot be used: our own trouble.
    Cache(PathBuf, io::Error),
    /// Nothing can be built now: our own trouble, or we are stopping.
    Build(BuildError),
    /// The store has trouble, or does not want it.
    Store(StoreError),
    /// Its validation games cannot be played: our own trouble.
    Arena(Box<ArenaError>),
}

impl BundleError {
    pub(super) fn archive(problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Archive { problem: problem.into(), expected: expected.into() }
    }

    /// Whether whoever brought the bundle can mend it.
    pub fn is_of_the_bundle(&self) -> bool {
        matches!(self, Self::Archive { .. } | Self::Bot(_))
    }
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive { problem, expected } => write!(f, "the archive: {problem}; expected {expected}"),
            Self::Bot(problem) => {
                problem.fmt(f)?;
                problem.output.as_ref().map_or(Ok(()), |output| write!(f, "\n{output}"))
            }
            Self::Other(what) => write!(f, "{what}; it is not used"),
            Self::Cache(path, error) => {
                write!(f, "{}: {error}; expected a folder for bundles that can be written", path.display())
            }
            Self::Build(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::Arena(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BundleError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cache(_, error) => Some(error),
            Self::Build(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::Arena(error) => Some(error),
            Self::Archive { .. } | Self::Bot(_) | Self::Other(_) => None,
        }
    }
}

impl From<StoreError> for BundleError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BuildError> for BundleError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}
