//! Renpaarden ("race horses"): a race of knights on any board from 3 x 5 to 11 x 11.
//!
//! Each player has two rows of pieces that all move like a chess knight, and wants to fill the two rows where the
//! other one began. A piece may land on an enemy piece; then it must jump on, in the same turn, until it reaches an
//! empty cell. Nothing is ever captured. `docs/rules/renpaarden.md` has the rules for people, with every doubtful
//! point resolved.
//!
//! How the module is cut:
//! - [`Cell`], [`Move`], [`Turn`]: a cell `b1`, one hop `b1-c3`, and a whole turn `b1>d5`;
//! - [`Setup`]: the size of the board and the optional rules;
//! - [`Position`]: one moment of a game, hop by hop: a player who stands on an enemy piece is to move again;
//! - [`TurnPosition`]: the same game with whole turns as moves;
//! - `geometry`, `search`, `roster`, `history`: knight's hops of a board, where a chain of hops can end, lists of
//!   pieces, past positions.

mod game;
mod geometry;
mod history;
mod learn;
mod moves;
mod notation;
mod position;
mod reasons;
mod roster;
mod scene;
mod search;
mod setup;
mod turns;

pub use game::Renpaarden;
pub use moves::{Cell, Move, Turn, split_chain};
pub use position::Position;
pub use search::Path;
pub use setup::{Setup, WinTest};
pub use turns::TurnPosition;

/// What this game's texts call a seat.
const fn label(seat: rookery_rules::Seat) -> rookery_rules::Counted {
    seat.counted_from(1)
}
