//! Stones that fall down columns: who first has four of them in a row wins.
//!
//! `docs/rules/four.md` has the rules for people, with every doubtful point resolved.
//!
//! How the module is cut:
//! - [`Position`]: the stones, whose turn it is, and whether it is over; `lines.rs` finds lines in it;
//! - [`Setup`]: rows, columns, and how long a line must be;
//! - [`Move`]: a column, as text `d`.

mod game;
mod learn;
mod lines;
mod moves;
mod notation;
mod position;
mod scene;
mod setup;

pub use game::Four;
pub use moves::Move;
pub use position::Position;
pub use setup::Setup;

/// What this game's texts call a seat.
const fn label(seat: rookery_rules::Seat) -> rookery_rules::Counted {
    seat.counted_from(1)
}
