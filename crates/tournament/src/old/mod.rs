//! Tournaments that push and summaries of lists, for those who do not use a pulling [`Format`](crate::Format) yet.

mod event;
mod knock_out;
mod manager;
mod summary;

pub use event::{TournamentEvent, Watcher};
pub use knock_out::KnockOut;
pub use manager::{Format, GroupResult, Host, Round, Step, TournamentOutcome, hold};
pub use summary::{Elo, Estimate, GameResult, PlayerSummary, Summary, Tally};
