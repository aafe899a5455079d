//! What results say about strength: numbers in, numbers out.
//!
//! - [`elo`]: Elo from a score, with its error.
//! - [`sprt`]: play no more games than needed to tell two differences apart.
//! - [`blocks`]: scores of seat-rotation blocks, which are the unit of both.
//! - [`bradley_terry`] and [`plackett_luce`]: ratings of everybody from all games at once, for two and for more players.
//! - [`tables`]: the same for tables of any size, seen as games of two between all who sit there, from sums by block.
//! - [`weng_lin`] and [`glicko2`]: ratings that change game by game, or from one period to the next.
//!
//! docs/ratings.md says which of them we show, and why. Nothing here reads, writes or asks for the time, and the same
//! results give the same bits on any machine, in whatever order they are added.

pub mod blocks;
pub mod bradley_terry;
pub mod elo;
mod fit;
pub mod glicko2;
mod math;
pub mod plackett_luce;
mod ratings;
pub mod sprt;
pub mod tables;
pub mod weng_lin;

pub use math::Z95;
pub use ratings::{Errors, GameError, NoFit, Parts, Ratings};
