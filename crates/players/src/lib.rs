//! Built-in players by name.
//!
//! [`GENERAL`] lists the players that know any game, with the levels `easy`, `medium` and `hard` among them. What is
//! known of one game alone stands in its [`Expertise`]: players of its own, which come before general ones of the same
//! name, and a way to solve it. A game may do without.
//!
//! ```
//! use rookery_games::hexapawn::{Hexapawn, Setup};
//! use rookery_players::{Expertise, hexapawn, strategy};
//! use rookery_rules::Setup as _;
//! use rookery_search::Budget;
//!
//! let start = Setup::default().start();
//! let (mut own, info) = strategy::<Hexapawn>(&hexapawn::EXPERTISE, &"medium".parse()?)?;
//! assert_eq!(info.summary, "five moves ahead: for people who know the game");
//! own.choose(&start, &Budget::default());
//! let (mut general, _) = strategy::<Hexapawn>(&Expertise::NONE, &"medium".parse()?)?;
//! general.choose(&start, &Budget::default());
//! # Ok::<(), rookery_players::PlayerError>(())
//! ```

mod drill;
mod expertise;
pub mod fish;
pub mod hexapawn;
mod levels;
mod named;
pub mod renpaarden;
mod solve;
pub mod stones;
mod strength;

pub use drill::{DrillError, winner, won_position};
pub use expertise::{ByName, Expertise};
pub use named::{GENERAL, Named, PlayerError, PlayerInfo, players, strategy};
pub use solve::{SolveError, SolveOrder, Solved, Value, solve};

pub use rookery_search::{PlayerSpec, PlayerSpecError};
