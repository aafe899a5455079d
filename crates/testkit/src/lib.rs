//! What every game must obey, checked on random games.
//!
//! - [`laws`]: the promises of the traits of `rookery-rules`;
//! - [`naive`]: a second, slow and obvious implementation of each game, and the comparison with the fast one;
//! - [`evil`]: a bot that does what no bot should, one thing at a time;
//! - [`nats`]: a broker of the test's own;
//! - [`perft_file`]: numbers of move sequences, from a file;
//! - [`players`]: players that misbehave on purpose;
//! - [`postgres`]: a PostgreSQL of the test's own;
//! - [`replay`]: a match played again from its events;
//! - [`sim`]: thousands of matches with seeded faults, over pipes and a clock that jumps;
//! - [`trial`]: a tournament over many machines on one, parts of which are killed;
//! - [`transcript`]: events as lines;
//! - [`scenes`]: what pictures promise;
//! - [`tensors`]: what numbered moves and planes promise;
//! - [`golden`]: a whole game with everything that can be seen of it, compared with a file;
//! - [`protocol_schema`]: the schema of the bot protocol, as strict as tests want it;
//! - [`reference_data`]: where the cases and numbers of other systems are;
//! - [`skip`]: what is not tested on this machine, and told;
//! - [`TempFolder`]: a folder for the files of a test, which leaves nothing behind.
//!
//! A failed check panics with the setup and the seed that show it again.

pub mod conceivable;
#[cfg(target_os = "linux")]
pub mod evil;
pub mod golden;
pub mod laws;
pub mod naive;
#[cfg(target_os = "linux")]
pub mod nats;
pub mod perft_file;
pub mod players;
#[cfg(target_os = "linux")]
pub mod postgres;
mod reference_data;
pub mod replay;
pub mod scenes;
mod schema;
pub mod sim;
mod skipped;
mod temp_folder;
pub mod tensors;
pub mod transcript;
#[cfg(target_os = "linux")]
pub mod trial;

pub use reference_data::reference_data;
pub use schema::protocol_schema;
pub use skipped::{SKIPPED, skip, tell_skipped, tell_skipped_by};
pub use temp_folder::TempFolder;
