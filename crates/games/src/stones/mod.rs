//! Stones for 2 to 8 players on any board from 2 x 1 to 16 x 16.
//!
//! Every player starts with some stones. On its turn a player moves one of them to an adjacent tile that is free or
//! holds an enemy stone, which then leaves the board: a *hit*. Who has no stone left is out; the last player
//! standing wins. Two caps on the number of turns end games that lead nowhere. `docs/rules/stones.md` has the rules
//! for people, with every doubtful point resolved.
//!
//! How the module is cut:
//! - [`Board`]: stones on tiles, without a turn; who counts stones or looks at neighbours asks here;
//! - [`Position`]: a board with a turn, the two counters and the order in which players went out;
//! - [`Setup`], [`Layout`]: sizes, caps, and where the stones stand at the start;
//! - [`Move`], [`Tile`]: what a player decides, as text `0.1-1.0`.

mod board;
mod game;
mod layout;
mod learn;
mod moves;
mod notation;
mod position;
mod reasons;
mod scene;
mod setup;

pub use board::{Board, Neighbours};
pub use game::Stones;
pub use layout::Layout;
pub use moves::{Move, Tile};
pub use position::{Limits, Position, Reason};
pub use setup::Setup;

/// The most rows, and the most columns, of a board.
pub const MAX_SIDE: u8 = 16;

/// What this game's texts call a seat.
const fn label(seat: rookery_rules::Seat) -> rookery_rules::Counted {
    seat.counted_from(0)
}
