//! What every board game has in common, and nothing about any one of them.
//!
//! A game is a type that implements [`Position`]: it knows whose turn it is, lists the legal moves, plays one,
//! and can take a player off the board. Everything else in Rookery (the referee, the search, the tournaments)
//! is written against that trait. [`Setup`] says how the game begins, [`Game`] what people are told about it.
//!
//! # A game by hand
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_rules::{Notation, Position, Setup, Status};
//!
//! let mut position = hexapawn::Setup::parse("rows=3,cols=3")?.start();
//! for text in ["b2", "axb2", "cxb2", "c2", "a2", "c1"] {
//!     let mv = position.parse_move(text)?;
//!     position.play(mv)?;
//! }
//! let Status::Over(outcome) = position.status() else { panic!("a pawn stands on the far row") };
//! assert_eq!(outcome.winners.iter().map(|seat| seat.index()).collect::<Vec<_>>(), [1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Counting positions
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_rules::{Setup, perft};
//!
//! let start = hexapawn::Setup::parse("rows=3,cols=3")?.start();
//! assert_eq!(perft(&start, 4), 56);
//! # Ok::<(), rookery_rules::SetupError>(())
//! ```
//!
//! # A player leaves
//!
//! ```
//! use rookery_games::hexapawn;
//! use rookery_rules::{Position, Seat, Setup, Status};
//!
//! let mut position = hexapawn::Setup::default().start();
//! position.remove(Seat::new(0));
//! let Status::Over(outcome) = position.status() else { panic!("nobody is left to play against") };
//! assert!(outcome.winners.contains(Seat::new(1)));
//! ```

mod duration;
mod game;
mod learnable;
mod outcome;
mod perft;
mod position;
mod random;
pub mod scene;
mod seat;
mod setup;
mod solvable;
pub mod text;

pub use duration::{ParseDurationError, parse_duration, parse_duration_or_zero, write_duration};
pub use game::{Game, PositionOf, Reason, Reasons};
pub use learnable::{Actions, Frame, Learnable, to_byte};
pub use outcome::{Outcome, Status};
pub use perft::{perft, perft_all};
pub use position::{IllegalMove, Keyed, Notation, ParseMoveError, ParsePositionError, Position};
pub use random::{Rng, Seed, below, mix, playout};
pub use scene::{Picture, Scene};
pub use seat::{BySeat, Counted, MAX_SEATS, Seat, Seats};
pub use setup::{GameSpec, Key, Kind, Options, Setup, SetupError, nearest};
pub use solvable::{Recurring, Solvable, Worth};
