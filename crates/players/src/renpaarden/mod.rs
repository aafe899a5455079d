//! What is known of Renpaarden beyond its rules.

mod homing;
mod levels;
mod race;

use rookery_games::renpaarden::Position;
use rookery_rules::Options;
use rookery_search::Strategy;

use crate::strength::{ALPHABETA_KEYS, Strength};
use crate::{Expertise, PlayerInfo, solve};

/// The players of Renpaarden, and its solver.
pub const EXPERTISE: Expertise<Position> =
    Expertise { players: PLAYERS, strategy, solve: solve::solve_recurring };

const PLAYERS: &[PlayerInfo] = &[
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
    PlayerInfo { name: "medium", keys: &[], summary: "whole turns, one at a time, judged well", quick: true },
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

fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    Some(match name {
        "homing" => Box::new(homing::Homing),
        "greedy" => Box::new(levels::Greedy),
        "easy" => Box::new(levels::Searcher::new(levels::EASY)),
        "medium" => Box::new(levels::Searcher::new(levels::MEDIUM)),
        "hard" => Box::new(levels::Searcher::new(levels::HARD)),
        "alphabeta" => Box::new(levels::Searcher::new(Strength::from_options(options))),
        _ => return None,
    })
}
