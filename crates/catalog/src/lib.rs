//! All games by name.
//!
//! Below this crate every game has its own types; above it a game is a name and a position is text. The step is
//! taken once, here: [`Game`] describes a game with its types, [`AnyGame`], [`AnyPosition`] and [`AnyReplay`] are the same
//! without them, and [`CATALOG`] lists all games. Nothing outside this crate asks for a game by its name.
//!
//! ```
//! use rookery_catalog::start;
//!
//! let mut position = start("hexapawn:rows=3,cols=3")?;
//! position.play("b2")?;
//! assert_eq!(position.moves(), ["c3xb2", "c3-c2", "a3xb2", "a3-a2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ai;
mod any;
mod drill;
mod games;
mod matches;
mod players;
mod replay;
mod seat_spec;
mod sitting;
mod solve;

pub use ai::matchbox::{Course, Lesson, Matchbox};
pub use any::{AnyAnalysis, AnyGame, AnyPosition, Game, PlayError};
pub use drill::{DrillCase, DrillError, DrillOrder};
pub use games::{Fish, Hexapawn, Renpaarden, Stones};
pub use matches::{MatchOrder, OrderError, Played, PositionOf, RecordTarget};
pub use players::{GENERAL, Named, PlayerError, PlayerInfo, PlayerSpec, seat, strategy};
pub use replay::{AnyReplay, replay, verify, verify_lines};
pub use seat_spec::{SeatSpec, SeatSpecError};
pub use sitting::{
    AnySitting, Entry, Hint, HintQuestion, PERSON, Question, Sitter, SittingError, Thought, free_path,
    load_sitting, sit,
};

pub use rookery_search::{Progress, Stop, Want};
pub use solve::{SolveError, SolveOrder, Solved, Value};

use rookery_rules::{GameSpec, SetupError};

/// Every game, in the order it is listed for people.
pub static CATALOG: &[&dyn AnyGame] = &[&games::Fish, &games::Hexapawn, &games::Renpaarden, &games::Stones];

/// The game of this name.
///
/// ```
/// let error = rookery_catalog::game("hexpawn").err().expect("there is no such game");
/// assert!(error.to_string().contains("did you mean `hexapawn`?"));
/// ```
pub fn game(name: &str) -> Result<&'static dyn AnyGame, SetupError> {
    let found = CATALOG.iter().copied().find(|game| game.name() == name);
    found.ok_or_else(|| SetupError::unknown_game(name, CATALOG.iter().map(|game| game.name()).collect()))
}

/// The first position of a game spec, `hexapawn:rows=4,cols=5`.
pub fn start(spec: &str) -> Result<Box<dyn AnyPosition>, SetupError> {
    let spec = GameSpec::parse(spec)?;
    game(&spec.game)?.start(&spec)
}
