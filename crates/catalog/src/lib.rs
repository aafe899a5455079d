//! All games by name.
//!
//! Below this crate every game has its own types; above it a game is a name and a position is text. The step is
//! taken once, here: [`Game`] describes a game with its types, [`AnyGame`] and [`AnyPosition`] are the same without them,
//! [`CATALOG`] lists all games, and [`visit`] hands any crate the types of a game that it knows by name.
//!
//! ```
//! use rookery_catalog::start;
//!
//! let mut position = start("hexapawn:rows=3,cols=3")?;
//! position.play("b2")?;
//! assert_eq!(position.moves(), ["c3xb2", "c3-c2", "a3xb2", "a3-a2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agree;
mod any;
mod batch;
mod game;
mod games;
mod state;

pub use agree::{AgreeError, agree};
pub use any::{AnyGame, AnyPosition, PlayError};
pub use batch::{AnyBatch, BatchError, NoBatch, Rows, Sizes, batch};
pub use game::{Game, Visit, strategy};
pub use games::{CATALOG, game, visit};
pub use state::{AnyState, State, state, state_from_text};

pub use rookery_games::{fish::Fish, hexapawn::Hexapawn, renpaarden::Renpaarden, stones::Stones};
pub use rookery_players::{GENERAL, LEVEL_NAMES, PlayerError, PlayerInfo, PlayerSpec};
pub use rookery_search::Stop;

use rookery_rules::{GameSpec, SetupError};

/// The first position of a game spec, `hexapawn:rows=4,cols=5`.
pub fn start(spec: &str) -> Result<Box<dyn AnyPosition>, SetupError> {
    let spec = GameSpec::parse(spec)?;
    game(&spec.game)?.start(&spec)
}
