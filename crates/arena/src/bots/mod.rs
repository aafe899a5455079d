//! Folders of bots: one bot in each subfolder, found, built and tried before anything counts.
//!
//! - [`BotFolder::read`] finds the bots. What is wrong with one of them is told about it and stops no other.
//! - [`Building::build`] builds those that have to be built, once for the same contents.
//! - [`Validation::validate`] lets each play a short game of each game of the tournament, and any other program as well.
//! - [`FoundBot::entrant`] and [`FoundBot::place`] are what a tournament needs to seat it.
//! - [`Bundles`] does the same for bots that come as archives from a store.
//!
//! Whoever writes such a bot has written its commands too, so that programs of a folder are started in a sandbox that shows
//! them their own folder and nothing that a command line names: [`foreign`]. docs/bots-folder.md is the page for people.

mod build;
mod bundle;
pub mod check;
mod command;
mod compiler;
mod contents;
mod folder;
mod found;
mod manifest;
mod reasons;
mod validate;

pub use build::{BuildError, BuildLimits, Building, Built};
pub use bundle::{BUNDLE_LEVEL, BundleCache, BundleError, BundleLimits, Bundles, InUse, TakenIn, pack};
pub use folder::{BotFolder, FolderError, MAX_BOTS};
pub use found::{BotProblem, FoundBot, LEVEL, Progress, foreign};
pub use reasons::usual_reason;
pub use validate::{Candidate, Failing, TrialGame, Validated, Validation, Validity};
