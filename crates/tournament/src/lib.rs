//! Many matches: who sits where ([`Seating`]), and what the results say ([`Summary`]); tournaments of any [`Format`],
//! such as [`KnockOut`], which [`hold`] holds with whatever entrants a [`Host`] has.
//!
//! ```
//! use rookery_rules::Seed;
//! use rookery_tournament::{GameResult, Seating, Summary};
//!
//! // Two players, swapped pairs on the same start.
//! assert_eq!(Seating::of_game(0, 2).players, [0, 1]);
//! assert_eq!(Seating::of_game(1, 2).players, [1, 0]);
//! assert_eq!(Seating::of_game(0, 2).block, Seating::of_game(1, 2).block);
//!
//! let won = |game, winner| GameResult {
//!     seating: Seating::of_game(game, 2),
//!     outcome: Some(rookery_rules::Outcome::win(2, rookery_rules::Seat::new(winner))),
//! };
//! // Player 0 wins from both seats.
//! let summary = Summary::new(2, &[won(0, 0), won(1, 1)]);
//! assert_eq!(summary.players[0].total.wins, 2);
//! # let _ = Seed(0);
//! ```

mod event;
mod knock_out;
mod manager;
mod seating;
mod summary;

pub use event::{TournamentEvent, Watcher};
pub use knock_out::KnockOut;
pub use manager::{Format, GroupResult, Host, Round, Step, TournamentOutcome, hold};
pub use seating::Seating;
pub use summary::{Elo, Estimate, GameResult, PlayerSummary, Summary, Tally};
