//! Strategies that know their game: the players of the original programs, and what search needs to play well.

pub(crate) mod fish;
pub(crate) mod hexapawn;
pub(crate) mod matchbox;
pub(crate) mod renpaarden;
pub(crate) mod stones;
