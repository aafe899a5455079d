//! A whole game, in the words that people read about it.

use crate::{Keyed, Notation, Picture, Seat, Setup};

/// What is known of a game beside its rules: how it begins and what to tell people. A unit struct in the game's folder
/// implements it; with one word in the catalog's list every command knows the game.
pub trait Game: Sized + Send + Sync + 'static {
    /// How it begins.
    type Setup: Setup<Position: Keyed + Notation + Picture>;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it is about, in one line.
    const SUMMARY: &'static str;
    /// How many can play.
    const SEATS: &'static str;
    /// Its rules, in Markdown.
    const RULES: &'static str;
    /// The setups whose speed is measured, as options of a game spec; the first must be the most usual.
    const BENCHES: &'static [&'static str] = &[""];
    /// How well a seat stands in a position that is not over, if the game knows: the levels that any game has then look
    /// ahead instead of playing random games. Higher is better for the seat; a hundred is about what one piece is
    /// worth, and nothing is worth more than a million in either direction.
    const EVALUATION: Option<fn(&PositionOf<Self>, Seat) -> i32> = None;
}

/// The position type of a game.
pub type PositionOf<G> = <<G as Game>::Setup as Setup>::Position;
