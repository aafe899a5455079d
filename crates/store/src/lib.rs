//! A store that loses nothing: entrants, tournaments, games and ratings, in one SQLite file or in PostgreSQL.
//!
//! [`Store`] is the one handle: cheap to clone, shared by all threads. Reading and most writing blocks for as long as the
//! disk needs; who runs tasks calls it where blocking is allowed. A finished game is handed over by
//! [`Store::put_game`], and its [`Receipt`] comes only when it is committed: nobody may see a result before.
//!
//! Everything is bound to the record of a game: what lists show is read from it, its SHA-256 is kept beside it, and each
//! game is chained to the one before, so that damage which the database does not see is found ([`Store::check`]).
//!
//! The format is specified in `docs/store.md`.
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_record::random_record;
//! use rookery_rules::Seed;
//! use rookery_store::{GameFilter, NewGame, Options, Page, Store};
//!
//! # let folder = rookery_testkit::TempFolder::new("store-example");
//! # let file = folder.join("games.db");
//! let store = Store::open(file.to_str().expect("a plain path"), &Options::default())?;
//! let record = random_record(&hexapawn::Setup::default(), Seed(7));
//! let stored = store.put_game(NewGame::free(record.clone())).wait()?;
//! assert_eq!(store.record(stored.id)?, record);
//! assert_eq!(store.games(&GameFilter::default(), Page::default())?.len(), 1);
//! # Ok::<(), rookery_store::StoreError>(())
//! ```

mod accounts;
mod backup;
mod bundles;
mod chain;
mod check;
mod course;
mod engine;
mod entrants;
mod error;
mod facts;
mod games;
mod ids;
mod import;
mod jobs;
mod late;
mod location;
mod measures;
mod migrate;
mod pairings;
#[cfg(feature = "cluster")]
mod postgres;
mod put;
mod ratings;
mod results;
mod sql;
mod sqlite;
mod store;
mod tables;
mod tournaments;
mod writer;

pub mod bench;

pub use accounts::{AuditEntry, NewToken, Person, Purpose, Token, is_given_up};
pub use backup::restore;
pub use bundles::{BundleFilter, BundleState, MAX_BUNDLES, NewBundle, StoredBundle};
pub use check::{BadGame, CheckOrder, CheckReport};
pub use engine::Space;
pub use entrants::{EntrantFilter, EntrantKind, StoredEntrant, Version};
pub use error::StoreError;
pub use facts::{MAX_RECORD, pack};
pub use games::{FailedSeat, GameFilter, GameKey, NewGame, Page, Stored, StoredGame};
pub use ids::{EntrantId, GameId, Hash, TournamentId};
pub use import::Imported;
pub use jobs::{EndedAttempt, JobChange, JobRow, JobState};
pub use location::Location;
pub use measures::Measure;
pub use migrate::SCHEMA_VERSION;
pub use pairings::{PairingState, StoredPairing};
pub use ratings::{Rating, StoredRating};
pub use results::{Results, StoredResult};
pub use store::{Access, Durability, Options, Reserve, Store};
pub use tournaments::{
    NewEntrant, NewTournament, Round, StoredTournament, TournamentEntrant, TournamentFilter, TournamentState,
};
pub use writer::{Health, Receipt};
