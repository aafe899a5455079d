//! Renpaarden against its laws, its naive twin, its perft files and its golden game.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;
use std::path::Path;

use rookery_games::renpaarden::{Cell, Move, Position, Setup, Turn, TurnPosition, split_chain};
use rookery_rules::{
    Notation, Options, Position as _, Rng, Seat, Seed, Setup as _, SetupError, Status, below,
};
use rookery_testkit::{golden, laws, naive, perft_file};

fn setup(options: &str) -> Setup {
    Setup::parse(options).unwrap()
}

fn position(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

fn cell(text: &str) -> Cell {
    text.parse().unwrap()
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

/// The players counted from 1 who won; nobody if the game goes on, both after a draw.
fn winners(position: &Position) -> Vec<usize> {
    match position.status() {
        Status::ToMove(_) => vec![],
        Status::Over(outcome) => outcome.winners.iter().map(|seat| seat.index() + 1).collect(),
    }
}

fn play_all(position: &mut Position, chains: &[&str]) {
    for chain in chains {
        for hop in split_chain(chain).unwrap() {
            position.play(hop).unwrap_or_else(|error| panic!("{chain}: {error}"));
        }
    }
}

/// Optional rules, alone and together.
const RULES: [&str; 14] = [
    "win=turn",
    "null-turn=no",
    "revisit=no",
    "revisit=no,win=turn",
    "repetition=2",
    "repetition=3,null-turn=no",
    "parlett=yes",
    "leave-home=12",
    "return-home=no",
    "return-home=no,null-turn=no",
    "return-home=no,revisit=no,win=turn",
    "leave-home=30,parlett=yes,repetition=2",
    "return-home=no,leave-home=20,parlett=yes,null-turn=no",
    "max-chain=24,win=turn",
];

/// The whole game by turns, so that the laws can be asked about it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct TurnSetup(Setup);

impl rookery_rules::Setup for TurnSetup {
    type Position = TurnPosition;
    const GAME: &'static str = Setup::GAME;
    const KEYS: &'static [rookery_rules::Key] = Setup::KEYS;

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        Setup::from_options(options).map(Self)
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.0.options()
    }

    fn start(&self) -> TurnPosition {
        self.0.start().into()
    }
}

#[test]
fn laws_hold() {
    for width in 3..=11 {
        for height in 5..=11 {
            laws::check(&setup(&format!("width={width},height={height},max-turns=60")), 2, Seed(1));
        }
    }
    for rules in RULES {
        for size in ["width=3,height=5,max-turns=150", "width=5,height=5,max-turns=100", "max-turns=60"] {
            laws::check(&setup(&format!("{size},{rules}")), 4, Seed(2));
        }
    }
    laws::check(&setup("max-turns=200,repetition=128"), 2, Seed(3));
}

#[test]
fn laws_hold_by_turns() {
    for rules in RULES {
        for size in ["width=3,height=5,max-turns=150", "width=5,height=5,max-turns=100", "max-turns=60"] {
            laws::check(&TurnSetup(setup(&format!("{size},{rules}"))), 4, Seed(4));
        }
    }
}

#[test]
fn agrees_with_the_naive_game() {
    type Twin = naive::renpaarden::Renpaarden;
    for (options, n_games) in [
        ("width=3,height=5,max-turns=40", 3000),
        ("width=4,height=6,max-turns=30", 2000),
        ("width=5,height=5,max-turns=30", 1500),
        ("width=11,height=5,max-turns=20", 200),
        ("width=3,height=11,max-turns=30", 300),
        ("width=11,height=11,max-turns=20", 100),
        ("max-turns=60", 100),
    ] {
        naive::compare::<Twin>(&setup(options), n_games, Seed(5));
    }
    for rules in RULES {
        naive::compare::<Twin>(&setup(&format!("width=3,height=5,max-turns=40,{rules}")), 300, Seed(6));
        naive::compare::<Twin>(&setup(&format!("width=4,height=5,max-turns=30,{rules}")), 100, Seed(7));
        naive::compare::<Twin>(&setup(&format!("width=5,height=6,max-turns=20,{rules}")), 20, Seed(8));
    }
}

#[test]
fn perft_by_hops() {
    perft_file::check::<Setup>(&tests_dir().join("renpaarden.perft"));
}

#[test]
fn perft_by_turns() {
    perft_file::check_as::<Setup, _>(&tests_dir().join("renpaarden-turns.perft"), TurnPosition::from);
}

#[test]
fn golden_playthrough() {
    let text = golden::playthrough(&setup("width=4,height=5,max-turns=25,revisit=no"), Seed(9));
    golden::check(&tests_dir().join("playthroughs/renpaarden.txt"), &text);
}
