//! What the catalog says about each game, beside its rules.

use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_referee::Conduct;
use rookery_rules::{Key, Kind, Options, Setup as _, Solvable};
use rookery_search::{Mcts, Perfect, Strategy};

use crate::solve::{self, SolveError, SolveOrder, Solved};
use crate::{Game, PlayerInfo, ai};

/// The player that solves what it can, for games that the solver reaches.
const PERFECT: PlayerInfo = PlayerInfo {
    name: "perfect",
    keys: &[Key {
        name: "nodes",
        kind: Kind::Number(1, 1_000_000_000),
        default: "2000000",
        help: "positions it may look at to solve one, when neither time nor --nodes limits it",
    }],
    summary: "never gives away what is won: solves the position, and where that takes too long plays as mcts does",
    quick: false,
};

/// Memory for the table of a perfect player; little, so that it is quickly enlarged where the time is short.
const PERFECT_BYTES: usize = 64 << 20;

fn perfect<P: Solvable>(options: &Options<'_>) -> Box<dyn Strategy<P>> {
    Box::new(Perfect::new(Mcts::new(10_000), options.number("nodes"), PERFECT_BYTES))
}

/// Fish.
#[derive(Debug)]
pub(crate) struct Fish;

impl Game for Fish {
    type Setup = fish::Setup;
    const TITLE: &'static str = "Fish";
    const SUMMARY: &'static str =
        "penguins on melting ice floes: collect the most fish before you are stranded";
    const SEATS: &'static str = "2 to 4";
    const RULES: &'static str = include_str!("../../../docs/rules/fish.md");
    const CONDUCT: Conduct = Conduct::removing();
    const BENCHES: &'static [&'static str] =
        &["rows=8,cols=8", "rows=8,cols=8,players=4", "board=classic", "rows=5,cols=5,fish=2"];
    const PLAYERS: &'static [PlayerInfo] = &[
        PlayerInfo {
            name: "minimax",
            keys: &[Key {
                name: "depth",
                kind: Kind::Number(1, 8),
                default: "2",
                help: "its own turns that it looks ahead",
            }],
            summary: "the house player of the original: its own fish a few turns ahead, and the first free tile to place on",
            quick: false,
        },
        PERFECT,
    ];

    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<fish::Position>> {
        match name {
            "perfect" => perfect(options),
            "minimax" => Box::new(ai::fish::Minimax { depth: options.number("depth") }),
            _ => unreachable!("{name} is no player of this game alone"),
        }
    }

    fn solve(position: &fish::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve(Self::Setup::GAME, position, order)
    }
}

/// Hexapawn.
#[derive(Debug)]
pub(crate) struct Hexapawn;

impl Game for Hexapawn {
    type Setup = hexapawn::Setup;
    const TITLE: &'static str = "Hexapawn";
    const SUMMARY: &'static str = "pawns only: reach the far row or leave the other side without a move";
    const SEATS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../docs/rules/hexapawn.md");
    const CONDUCT: Conduct = Conduct::removing().with_retries(1);
    const BENCHES: &'static [&'static str] = &["rows=8,cols=8", "rows=6,cols=6", "rows=5,cols=5"];
    const PLAYERS: &'static [PlayerInfo] = &[
        PlayerInfo {
            name: "heuristic",
            keys: &[],
            summary: "scores each move alone: distance, captures, danger, a free way",
            quick: true,
        },
        PERFECT,
    ];

    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<hexapawn::Position>> {
        match name {
            "heuristic" => Box::new(ai::hexapawn::Heuristic),
            "perfect" => perfect(options),
            _ => unreachable!("{name} is no player of this game alone"),
        }
    }

    fn solve(position: &hexapawn::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve(Self::Setup::GAME, position, order)
    }
}

/// Renpaarden.
#[derive(Debug)]
pub(crate) struct Renpaarden;

impl Game for Renpaarden {
    type Setup = renpaarden::Setup;
    const TITLE: &'static str = "Renpaarden";
    const SUMMARY: &'static str = "a race of knights that hop on from enemy to enemy into the opposite home";
    const SEATS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../docs/rules/renpaarden.md");
    const CONDUCT: Conduct = Conduct::removing().until_deadline();
    const BENCHES: &'static [&'static str] = &["max-turns=1000", "width=5,height=5,max-turns=1000"];
    const PLAYERS: &'static [PlayerInfo] = &[PlayerInfo {
        name: "homing",
        keys: &[],
        summary: "random, but pieces that have reached the goal stay there",
        quick: true,
    }];

    fn strategy(name: &str, _: &Options<'_>) -> Box<dyn Strategy<renpaarden::Position>> {
        match name {
            "homing" => Box::new(ai::renpaarden::Homing),
            _ => unreachable!("{name} is no player of this game alone"),
        }
    }

    fn solve(position: &renpaarden::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve_recurring(position, order)
    }
}

/// Stones.
#[derive(Debug)]
pub(crate) struct Stones;

impl Game for Stones {
    type Setup = stones::Setup;
    const TITLE: &'static str = "Stones";
    const SUMMARY: &'static str = "step onto an enemy stone to take it; the last one standing wins";
    const SEATS: &'static str = "2 to 8";
    const RULES: &'static str = include_str!("../../../docs/rules/stones.md");
    const CONDUCT: Conduct = Conduct::aborting();
    const BENCHES: &'static [&'static str] =
        &["rows=8,cols=8", "rows=8,cols=8,players=4,stones=6", "rows=5,cols=5"];
    const PLAYERS: &'static [PlayerInfo] = &[
        PlayerInfo {
            name: "aggressive",
            keys: &[],
            summary: "the shortest way to any enemy stone",
            quick: true,
        },
        PlayerInfo {
            name: "cautious",
            keys: &[],
            summary: "the same, but not onto a tile beside an enemy if it can be helped",
            quick: true,
        },
    ];

    fn strategy(name: &str, _: &Options<'_>) -> Box<dyn Strategy<stones::Position>> {
        match name {
            "aggressive" => Box::new(ai::stones::Aggressive),
            "cautious" => Box::new(ai::stones::Cautious),
            _ => unreachable!("{name} is no player of this game alone"),
        }
    }

    fn solve(position: &stones::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve_recurring(position, order)
    }
}
