//! What is known of Fish beyond its rules.

mod endgame;
mod floes;
mod levels;
mod minimax;

use rookery_games::fish::{Fish, Position};
use rookery_rules::{Game, Key, Kind, Options, Setup};
use rookery_search::Strategy;

use crate::expertise::{PERFECT, perfect};
use crate::strength::ALPHABETA_KEYS;
use crate::tables::table_at_hand;
use crate::{Expertise, Level, PlayerInfo, solve};

/// The players of Fish, and its solver.
pub const EXPERTISE: Expertise<Position> = Expertise {
    players: PLAYERS,
    strategy,
    level: Some(levels::level),
    analyse: Some(levels::analyse),
    judge: None,
    solve: |position, order| solve::solve_position(<Fish as Game>::Setup::GAME, position, order),
    solving: None,
    puzzles: &["rows=4,cols=4", "rows=5,cols=4", "rows=5,cols=5"],
};

const PLAYERS: &[PlayerInfo] = &[
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
        name: "alphabeta",
        keys: ALPHABETA_KEYS,
        summary: "looks ahead with a count of the fish that each player reaches first",
        quick: false,
    },
    PERFECT,
];

fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    match name {
        "minimax" => Some(Box::new(minimax::Minimax { depth: options.number("depth") })),
        "perfect" => {
            let tables = |position: &Position| table_at_hand(<Fish as Game>::Setup::GAME, position);
            Some(perfect(levels::level(Level::TOP), options, tables))
        }
        _ => levels::strategy(name, options),
    }
}
