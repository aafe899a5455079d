//! The games Rookery knows. Each module holds one: its position, its setup and its notation.
//!
//! [`four`] is the smallest and is written to be copied; CONTRIBUTING.md tells how to add a game.

pub mod fish;
pub mod four;
pub mod hexapawn;
pub mod renpaarden;
pub mod stones;
