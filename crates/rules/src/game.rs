//! A whole game, in the words that people read about it.

use crate::{Keyed, Learnable, Notation, Position, Seat, Setup};

/// What is known of a game beside its rules: how it begins and what to tell people. A unit struct in the game's folder
/// implements it; with one word in the catalog's list every command knows the game.
pub trait Game: Sized + Send + Sync + 'static {
    /// How it begins.
    type Setup: Setup<Position: Keyed + Notation + Learnable>;
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
    /// What speaks for a legal move, in the words of the game, if it has words of its own. General reasons (it wins, it
    /// takes, it threatens) are found without.
    const REASONS: Option<Reasons<PositionOf<Self>>> = None;
}

/// What speaks for a legal move of a position, the strongest reason first; nothing if nothing does.
pub type Reasons<P> = fn(&P, <P as Position>::Move) -> Vec<Reason>;

/// Why somebody might make a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// Its kind, one word for programs: `takes`, `blocks`, `cuts-off`.
    pub kind: &'static str,
    /// The same for people, as the end of a sentence that begins with the move: `takes a pawn`.
    pub text: String,
}

impl Reason {
    /// A reason of a kind.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// The position type of a game.
pub type PositionOf<G> = <<G as Game>::Setup as Setup>::Position;
