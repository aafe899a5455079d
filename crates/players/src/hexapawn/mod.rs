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
use crate::{Expertise, PlayerInfo, solve};

/// The players of Hexapawn, and its solver.
pub const EXPERTISE: Expertise<Position> = Expertise {
    players: PLAYERS,
    strategy,
    solve: |position, order| solve::solve_position(<Hexapawn as Game>::Setup::GAME, position, order),
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

fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    match name {
        "heuristic" => Some(Box::new(heuristic::Heuristic)),
        "matchbox" => Some(Box::new(matchbox::Trained::new(options.number("games")))),
        "perfect" => perfect(levels::strategy("hard", options), options),
        _ => levels::strategy(name, options),
    }
}
