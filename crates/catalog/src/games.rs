//! What the catalog says about each game, beside its rules.

use rookery_games::hexapawn;

use crate::Game;

/// Hexapawn.
#[derive(Debug)]
pub(crate) struct Hexapawn;

impl Game for Hexapawn {
    type Setup = hexapawn::Setup;
    const TITLE: &'static str = "Hexapawn";
    const SUMMARY: &'static str = "pawns only: reach the far row or leave the other side without a move";
    const PLAYERS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../docs/rules/hexapawn.md");
    const BENCHES: &'static [&'static str] = &["rows=8,cols=8", "rows=6,cols=6", "rows=5,cols=5"];
}
