//! What the catalog says about each game, beside its rules.

use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_referee::Conduct;
use rookery_rules::{Key, Kind, Options, Setup as _, Solvable};
use rookery_search::{Goal, Perfect, Strategy};

use crate::ai::level::{ALPHABETA_KEYS, Strength};
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
    summary: "never gives away what is won: solves the position, and where that takes too long plays as hard does",
    quick: false,
};

/// Memory for the table of a perfect player; little, so that it is quickly enlarged where the time is short.
const PERFECT_BYTES: usize = 64 << 20;

/// Where the solver does not reach, the strongest player of the game answers.
fn perfect<P: Solvable>(hard: Option<Box<dyn Strategy<P>>>, options: &Options<'_>) -> Box<dyn Strategy<P>> {
    let hard = hard.expect("every game has a player of this name");
    Box::new(Perfect::new(hard, Goal::Length, options.number("nodes"), PERFECT_BYTES))
}

/// Fish.
#[derive(Debug)]
pub struct Fish;

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
        PlayerInfo {
            name: "greedy",
            keys: &[],
            summary: "the move after which it has, and reaches first, the most fish",
            quick: true,
        },
        PlayerInfo {
            name: "easy",
            keys: &[],
            summary: "like greedy, but with a poor eye: for children",
            quick: true,
        },
        PlayerInfo {
            name: "medium",
            keys: &[],
            summary: "a small tree of random games: for people who know the game",
            quick: false,
        },
        PlayerInfo {
            name: "hard",
            keys: &[],
            summary: "a large tree on all cores, and exact paths once its penguins are alone: the strongest here",
            quick: false,
        },
        PlayerInfo {
            name: "alphabeta",
            keys: ALPHABETA_KEYS,
            summary: "looks ahead with a count of the fish that each player reaches first",
            quick: false,
        },
        PERFECT,
    ];

    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<fish::Position>> {
        match name {
            "minimax" => return Box::new(ai::fish::Minimax { depth: options.number("depth") }),
            "perfect" => return perfect(ai::fish::strategy("hard", options), options),
            _ => {}
        }
        ai::fish::strategy(name, options)
            .unwrap_or_else(|| unreachable!("{name} is no player of this game alone"))
    }

    fn solve(position: &fish::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve(Self::Setup::GAME, position, order)
    }
}

/// Hexapawn.
#[derive(Debug)]
pub struct Hexapawn;

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
        PlayerInfo {
            name: "matchbox",
            keys: &[Key {
                name: "games",
                kind: Kind::Number(0, 1_000_000),
                default: "500",
                help: "games against random that it learns from before its first move",
            }],
            summary: "a machine of matchboxes that has learned by losing (`rookery hexapawn learn` shows how); for small boards",
            quick: false,
        },
        PlayerInfo {
            name: "greedy",
            keys: &[],
            summary: "the move after which its pawns stand best",
            quick: true,
        },
        PlayerInfo {
            name: "easy",
            keys: &[],
            summary: "two moves ahead with a poor eye: for children",
            quick: true,
        },
        PlayerInfo {
            name: "medium",
            keys: &[],
            summary: "five moves ahead: for people who know the game",
            quick: false,
        },
        PlayerInfo {
            name: "hard",
            keys: &[],
            summary: "as deep as time allows, to the end on small boards: the strongest here",
            quick: false,
        },
        PlayerInfo {
            name: "alphabeta",
            keys: ALPHABETA_KEYS,
            summary: "looks ahead with an evaluation of pawns and races",
            quick: false,
        },
        PERFECT,
    ];

    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<hexapawn::Position>> {
        match name {
            "heuristic" => return Box::new(ai::hexapawn::Heuristic),
            "matchbox" => return Box::new(ai::matchbox::Trained::new(options.number("games"))),
            "perfect" => return perfect(ai::hexapawn::strategy("hard", options), options),
            _ => {}
        }
        ai::hexapawn::strategy(name, options)
            .unwrap_or_else(|| unreachable!("{name} is no player of this game alone"))
    }

    fn solve(position: &hexapawn::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve(Self::Setup::GAME, position, order)
    }
}

/// Renpaarden.
#[derive(Debug)]
pub struct Renpaarden;

impl Game for Renpaarden {
    type Setup = renpaarden::Setup;
    const TITLE: &'static str = "Renpaarden";
    const SUMMARY: &'static str = "a race of knights that hop on from enemy to enemy into the opposite home";
    const SEATS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../docs/rules/renpaarden.md");
    const CONDUCT: Conduct = Conduct::removing().until_deadline();
    const BENCHES: &'static [&'static str] = &["max-turns=1000", "width=5,height=5,max-turns=1000"];
    const PLAYERS: &'static [PlayerInfo] = &[
        PlayerInfo {
            name: "homing",
            keys: &[],
            summary: "random, but pieces that have reached the goal stay there",
            quick: true,
        },
        PlayerInfo {
            name: "greedy",
            keys: &[],
            summary: "the hop that brings its own pieces furthest; it plans no chains",
            quick: true,
        },
        PlayerInfo {
            name: "easy",
            keys: &[],
            summary: "whole turns, one at a time, with a poor eye for the race; for a first game",
            quick: true,
        },
        PlayerInfo {
            name: "medium",
            keys: &[],
            summary: "whole turns, one at a time, judged well",
            quick: true,
        },
        PlayerInfo {
            name: "hard",
            keys: &[],
            summary: "searches turns of both players as deep as the budget allows",
            quick: false,
        },
        PlayerInfo {
            name: "alphabeta",
            keys: ALPHABETA_KEYS,
            summary: "looks ahead turn by turn, with the lead in the race as its evaluation",
            quick: false,
        },
    ];

    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<renpaarden::Position>> {
        match name {
            "alphabeta" => Box::new(ai::renpaarden_search::Searcher::new(Strength::from_options(options))),
            "homing" => Box::new(ai::renpaarden::Homing),
            "greedy" => Box::new(ai::renpaarden_search::Greedy),
            "easy" => Box::new(ai::renpaarden_search::Searcher::new(ai::renpaarden_search::EASY)),
            "medium" => Box::new(ai::renpaarden_search::Searcher::new(ai::renpaarden_search::MEDIUM)),
            "hard" => Box::new(ai::renpaarden_search::Searcher::new(ai::renpaarden_search::HARD)),
            _ => unreachable!("{name} is no player of this game alone"),
        }
    }

    fn solve(position: &renpaarden::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve_recurring(position, order)
    }
}

/// Stones.
#[derive(Debug)]
pub struct Stones;

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
        PlayerInfo {
            name: "greedy",
            keys: &[],
            summary: "takes a stone if it can, else comes nearer; it does not ask what the others do then",
            quick: true,
        },
        PlayerInfo {
            name: "easy",
            keys: &[],
            summary: "takes what is offered, but steps into danger; for a first game",
            quick: true,
        },
        PlayerInfo {
            name: "medium",
            keys: &[],
            summary: "sees the next answer and what is taken after it",
            quick: false,
        },
        PlayerInfo {
            name: "hard",
            keys: &[],
            summary: "searches as deep as the budget allows and plays exchanges to their end",
            quick: false,
        },
        PlayerInfo {
            name: "alphabeta",
            keys: ALPHABETA_KEYS,
            summary: "looks ahead with a count of stones and how they stand",
            quick: false,
        },
    ];

    fn strategy(name: &str, options: &Options<'_>) -> Box<dyn Strategy<stones::Position>> {
        match name {
            "alphabeta" => Box::new(ai::stones_search::Searcher::new(Strength::from_options(options))),
            "aggressive" => Box::new(ai::stones::Aggressive),
            "cautious" => Box::new(ai::stones::Cautious),
            "greedy" => Box::new(ai::stones_search::Searcher::new(ai::stones_search::GREEDY)),
            "easy" => Box::new(ai::stones_search::Searcher::new(ai::stones_search::EASY)),
            "medium" => Box::new(ai::stones_search::Searcher::new(ai::stones_search::MEDIUM)),
            "hard" => Box::new(ai::stones_search::Searcher::new(ai::stones_search::HARD)),
            _ => unreachable!("{name} is no player of this game alone"),
        }
    }

    fn solve(position: &stones::Position, order: &SolveOrder) -> Result<Solved, SolveError> {
        solve::solve_recurring(position, order)
    }
}
