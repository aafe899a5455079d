//! Built-in players by name.
//!
//! [`GENERAL`] lists the players that know any game, with `level:1` to `level:8` among them. What is known of one game
//! alone stands in its [`Expertise`]: players of its own, which come before general ones of the same name, better levels,
//! and a way to solve it. A game may do without.
//!
//! ```
//! use rookery_games::hexapawn::{Hexapawn, Setup};
//! use rookery_players::{Expertise, hexapawn, strategy};
//! use rookery_rules::Setup as _;
//! use rookery_search::Budget;
//!
//! let start = Setup::default().start();
//! let (mut own, info) = strategy::<Hexapawn>(&hexapawn::EXPERTISE, &"level:5".parse()?)?;
//! assert_eq!(info.name, "level:5");
//! own.choose(&start, &Budget::default());
//! let (mut general, _) = strategy::<Hexapawn>(&Expertise::NONE, &"level:5".parse()?)?;
//! general.choose(&start, &Budget::default());
//! # Ok::<(), rookery_players::PlayerError>(())
//! ```

mod care;
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
mod tables;

pub use care::{allows_loss, winning_move};
pub use drill::{DrillError, winner, won_position};
pub use expertise::{Analyse, ByLevel, ByName, Expertise, Judge};
pub use levels::{LEVEL_NAMES, Level};
pub use named::{
    GENERAL, Named, PlayerError, PlayerInfo, analyse, players, random_games, strategy, strongest,
};
pub use solve::{KeepingMove, SolveError, SolveOrder, Solved, Solving, Value, solve};
pub use tables::{read_table, use_tables};

pub use rookery_search::{PlayerSpec, PlayerSpecError};
