//! What is known of Renpaarden beyond its rules.

mod by_turns;
mod homing;
mod levels;
mod race;

use by_turns::ByTurns;
use rookery_games::renpaarden::{Position, TurnPosition};
use rookery_rules::{Key, Options, Seat};
use rookery_search::{Cut, Lasting, Mcts, Strategy};

use crate::named::{MCTS, PLAYOUTS};
use crate::strength::{ALPHABETA_KEYS, Strength};
use crate::{Expertise, PlayerInfo, solve};

/// The players of Renpaarden, and its solver.
pub const EXPERTISE: Expertise<Position> = Expertise {
    players: PLAYERS,
    strategy,
    level: Some(levels::level),
    analyse: Some(levels::analyse),
    judge: Some((race::lead, race::THREE_OF_FOUR)),
    solve: solve::solve_recurring,
    solving: Some(solve::solving_recurring),
    puzzles: &[],
};

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
        // Turns have many hops and take long: so many random games are about a second on the board of 9 x 9.
        keys: &[Key { default: "3000", ..PLAYOUTS }],
        summary: "grows a tree of the most promising turns by random games, and proves what it can",
        ..MCTS
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
        "mcts" => Box::new(mcts(options.number("playouts"))),
        "alphabeta" => Box::new(levels::Runner::hopping(Strength::from_options(options))),
        _ => return None,
    })
}

/// So many random games of whole turns, left early and judged.
fn mcts(playouts: u64) -> impl Strategy<Position> {
    let lead = |turns: &TurnPosition, seat: Seat| race::lead(turns.hops(), seat);
    let policy = Cut::long_games(Some(lead), race::THREE_OF_FOUR);
    ByTurns::new(Lasting::new(Mcts { playouts, exploration: Mcts::new(1).exploration, policy }))
}
