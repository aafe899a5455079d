//! Strategies that know their game: the players of the original programs, and what search needs to play well.

pub(crate) mod fish;
mod fish_endgame;
mod fish_hard;
pub(crate) mod hexapawn;
mod hexapawn_levels;
pub(crate) mod level;
pub(crate) mod matchbox;
pub(crate) mod renpaarden;
mod renpaarden_race;
pub(crate) mod renpaarden_search;
pub(crate) mod stones;
pub(crate) mod stones_search;
