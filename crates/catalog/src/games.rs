//! What the catalog says about each game, beside its rules.

use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_referee::Conduct;

use crate::Game;

/// Fish.
#[derive(Debug)]
pub(crate) struct Fish;

impl Game for Fish {
    type Setup = fish::Setup;
    const TITLE: &'static str = "Fish";
    const SUMMARY: &'static str =
        "penguins on melting ice floes: collect the most fish before you are stranded";
    const PLAYERS: &'static str = "2 to 4";
    const RULES: &'static str = include_str!("../../../docs/rules/fish.md");
    const BENCHES: &'static [&'static str] =
        &["rows=8,cols=8", "rows=8,cols=8,players=4", "board=classic", "rows=5,cols=5,fish=2"];
    const CONDUCT: Conduct = Conduct::removing();
}

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
    const CONDUCT: Conduct = Conduct::removing().with_retries(1);
}

/// Renpaarden.
#[derive(Debug)]
pub(crate) struct Renpaarden;

impl Game for Renpaarden {
    type Setup = renpaarden::Setup;
    const TITLE: &'static str = "Renpaarden";
    const SUMMARY: &'static str = "a race of knights that hop on from enemy to enemy into the opposite home";
    const PLAYERS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../docs/rules/renpaarden.md");
    const BENCHES: &'static [&'static str] = &["max-turns=1000", "width=5,height=5,max-turns=1000"];
    const CONDUCT: Conduct = Conduct::removing().until_deadline();
}

/// Stones.
#[derive(Debug)]
pub(crate) struct Stones;

impl Game for Stones {
    type Setup = stones::Setup;
    const TITLE: &'static str = "Stones";
    const SUMMARY: &'static str = "step onto an enemy stone to take it; the last one standing wins";
    const PLAYERS: &'static str = "2 to 8";
    const RULES: &'static str = include_str!("../../../docs/rules/stones.md");
    const BENCHES: &'static [&'static str] =
        &["rows=8,cols=8", "rows=8,cols=8,players=4,stones=6", "rows=5,cols=5"];
    const CONDUCT: Conduct = Conduct::aborting();
}
