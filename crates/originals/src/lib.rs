//! The originals: what only one game has, because the system it comes from had it. Programs that were written for those
//! systems can play here, and ours there.
//!
//! - [`fish`]: remote calls in JSON over TCP, a knock-out tournament, test harnesses, an interface for players that drive;
//! - [`hexapawn`]: players and a referee that talk through ports, and the same records as text;
//! - [`renpaarden`]: the dialogue of a game at the terminal;
//! - [`stones`]: a player that is told messages, and the same as JSON lines.
//!
//! Each has its subcommand: arguments, and a `run` that writes to what it is handed.

mod command;
pub mod fish;
pub mod hexapawn;
mod keyboard;
pub mod renpaarden;
mod running;
pub mod stones;

pub use command::{ErrorOutput, UsageError, open_trace, write_json};
pub use running::StopArgs;

use rookery_wire::Protocols;

/// Registers the protocols of all originals, so that programs written for them can play in every command.
pub fn register(into: &mut Protocols) {
    fish::protocols(into);
    hexapawn::protocols(into);
    stones::protocols(into);
}
