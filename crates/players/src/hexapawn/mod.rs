//! What is known of Hexapawn beyond its rules.

mod heuristic;
mod levels;
mod matchbox;

pub use matchbox::{Course, CourseError, Lesson, Matchbox};

use rookery_games::hexapawn::{Hexapawn, Position};
use rookery_rules::{Game, Key, Kind, Options, Setup};
use rookery_search::Strategy;

use crate::expertise::{PERFECT, perfect};
use crate::strength::ALPHABETA_KEYS;
use crate::tables::table_at_hand;
use crate::{Expertise, Level, PlayerInfo, solve};

/// The players of Hexapawn, and its solver.
pub const EXPERTISE: Expertise<Position> = Expertise {
    players: PLAYERS,
    strategy,
    level: Some(levels::level),
    analyse: Some(levels::analyse),
    judge: None,
    solve: |position, order| solve::solve_position(<Hexapawn as Game>::Setup::GAME, position, order),
    solving: None,
    puzzles: &["rows=4,cols=4", "rows=5,cols=4", "rows=5,cols=5", "rows=6,cols=5"],
};

const PLAYERS: &[PlayerInfo] = &[
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
        name: "alphabeta",
        keys: ALPHABETA_KEYS,
        summary: "looks ahead with an evaluation of pawns and races",
        quick: false,
    },
    PERFECT,
];

fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    match name {
        "heuristic" => Some(Box::new(heuristic::Heuristic)),
        "matchbox" => Some(Box::new(matchbox::Trained::new(options.number("games")))),
        "perfect" => {
            let tables = |position: &Position| table_at_hand(<Hexapawn as Game>::Setup::GAME, position);
            Some(perfect(levels::level(Level::TOP), options, tables))
        }
        _ => levels::strategy(name, options),
    }
}
