//! Hexapawn on any board from 2 x 1 to 8 x 8.
//!
//! Player 1 has a pawn on each square of row 1 and moves towards the last row; player 2 starts on the last row and
//! moves towards row 1. A pawn steps straight ahead onto an empty square, or takes an enemy pawn diagonally ahead.
//! Who reaches the far row wins; who cannot move when it is its turn loses. `docs/rules/hexapawn.md` has the
//! rules for people, with every doubtful point resolved.
//!
//! How the module is cut:
//! - [`Board`]: pawns on squares, without a turn: the functions of the original's `Board`;
//! - [`Position`]: a board with a turn and the removal of pawns before play;
//! - [`Setup`]: sizes and the removal rule;
//! - [`Move`], [`Square`]: what a player decides, as text `b1-b2`, `a1xb2`, `off=b1`, `k=2`.

mod board;
mod code;
mod game;
mod learn;
mod moves;
mod position;
mod prospects;
mod race;
mod reasons;
mod scene;
mod setup;
mod solve;

pub use board::{Board, Cell};
pub use game::Hexapawn;
pub use moves::{Move, Square};
pub use position::Position;
pub use setup::{Eliminate, Setup};

/// What this game's texts call a seat.
const fn label(seat: rookery_rules::Seat) -> rookery_rules::Counted {
    seat.counted_from(1)
}
