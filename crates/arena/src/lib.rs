//! Tournaments and series held in this process.
//!
//! [`Games::hold`] plays what a format wants, in threads of this process: built-in players think there, programs are brought
//! and waited for, records go where the archive says. `match` and `tournament` differ only in what is agreed before a game
//! and in what is done with its result.

mod affinity;
mod balance;
mod boards;
pub mod bots;
mod elsewhere;
mod error;
mod game;
mod kept;
pub mod people;
mod pool;
mod proved;
mod single;
mod tournament;
mod worker;

pub use boards::Boards;
pub use elsewhere::{Arrived, Elsewhere, Order};
pub use error::ArenaError;
pub use game::PlayedGame;
pub use pool::{Games, Seen, fewer_games};
pub use single::SingleGame;
pub use tournament::{Holding, Tournament};
