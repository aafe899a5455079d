//! Strategies that know their game: the players of the original programs, and what search needs to play well.

pub(crate) mod fish;
mod fish_endgame;
mod fish_hard;
pub(crate) mod hexapawn;
mod hexapawn_levels;
mod level;
pub(crate) mod renpaarden;
pub(crate) mod stones;
