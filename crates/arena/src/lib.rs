//! Tournaments and series held in this process.
//!
//! [`Games::hold`] plays what a format wants, in threads of this process: built-in players think there, programs are brought
//! and waited for, records go where the archive says. `match` and `tournament` differ only in what is agreed before a game
//! and in what is done with its result.

pub mod affinity;
mod balance;
mod boards;
pub mod bots;
mod elsewhere;
mod error;
mod figure;
mod gallery;
mod game;
mod holding;
mod kept;
mod paired;
pub mod people;
mod pool;
mod proved;
mod queue;
pub mod rated;
mod single;
mod storing;
mod tournament;
mod worker;

pub use boards::{Boards, check_openings};
pub use elsewhere::{Arrived, Elsewhere, Order, OrderedBots};
pub use error::ArenaError;
pub use figure::Figure;
pub use gallery::Gallery;
pub use game::PlayedGame;
pub use holding::{Holding, Then};
pub use pool::{Games, Seen, fewer_games};
pub use single::SingleGame;
pub use storing::Storing;
pub use tournament::{Tournament, check_with_some, one_at_a_time};
