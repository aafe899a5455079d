//! Fish: penguins on an ice floe that melts behind them.
//!
//! Two to four players put their penguins on tiles of one to five fish, one after the other. Then they slide them
//! in straight lines; the tile a penguin leaves goes under and its fish are the player's. Who cannot move is
//! passed over; when nobody can, the most fish win. `docs/rules/fish.md` has the rules for people, with every
//! doubtful point resolved.
//!
//! How the module is cut:
//! - [`Cell`], [`Direction`], [`Color`], [`Move`]: what a player decides, as text `2.3` or `2.3-4.3`;
//! - [`Board`]: tiles with fish, without penguins;
//! - [`Position`]: a board with penguins, scores and a turn;
//! - [`Setup`]: how many players, and where the board comes from;
//! - `notation`, `refusal`, `key`: its text and picture, its reasons against a move, its hash;
//! - `solve`: what an exact search wants to know;
//! - `shape`: the tables that tell where penguins can go on a board of a given size.

mod board;
mod cell;
mod game;
mod key;
mod learn;
mod notation;
mod position;
mod reasons;
mod refusal;
mod scene;
mod setup;
mod shape;
mod solve;
mod steps;

pub use board::{Board, Invalid};
pub use cell::{Cell, Color, Direction, Move};
pub use game::Fish;
pub use position::{Phase, Player, Position};
pub use setup::{Setup, Source, Stock};
pub use shape::{MAX_CELLS, bits};

/// What this game's texts call a seat.
const fn label(seat: rookery_rules::Seat) -> rookery_rules::Counted {
    seat.counted_from(1)
}
