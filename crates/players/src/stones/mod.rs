//! What is known of Stones beyond its rules.

mod hunters;
mod levels;

use rookery_games::stones::Position;
use rookery_rules::Options;
use rookery_search::Strategy;

use crate::strength::{ALPHABETA_KEYS, Strength};
use crate::{Expertise, PlayerInfo, solve};

/// The players of Stones, and its solver.
pub const EXPERTISE: Expertise<Position> = Expertise {
    players: PLAYERS,
    strategy,
    level: Some(levels::level),
    analyse: Some(levels::analyse),
    judge: Some((levels::judge, levels::THREE_OF_FOUR)),
    solve: solve::solve_recurring,
    solving: Some(solve::solving_recurring),
    puzzles: &[
        "rows=3,cols=3",
        "rows=3,cols=4,stones=2",
        "rows=4,cols=3,stones=2",
        "rows=3,cols=5,stones=2",
        "rows=4,cols=4,stones=2",
    ],
};

const PLAYERS: &[PlayerInfo] = &[
    PlayerInfo { name: "aggressive", keys: &[], summary: "the shortest way to any enemy stone", quick: true },
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
        name: "alphabeta",
        keys: ALPHABETA_KEYS,
        summary: "looks ahead with a count of stones and how they stand",
        quick: false,
    },
];

fn strategy(name: &str, options: &Options<'_>) -> Option<Box<dyn Strategy<Position>>> {
    Some(match name {
        "aggressive" => Box::new(hunters::Aggressive),
        "cautious" => Box::new(hunters::Cautious),
        "greedy" => levels::greedy(),
        "alphabeta" => levels::alphabeta(Strength::from_options(options)),
        _ => return None,
    })
}
