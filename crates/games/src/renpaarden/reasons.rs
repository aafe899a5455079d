//! What speaks for a hop, in the words of the game.

use rookery_rules::{Position as _, Reason, Seat};

use super::{Cell, Move, Position};

/// The longest chain that is looked for.
const LONGEST: u32 = 5;

/// See [`rookery_rules::Game::REASONS`].
pub(super) fn reasons(position: &Position, mv: Move) -> Vec<Reason> {
    let Some(seat) = position.to_move() else { return vec![] };
    let mut after = position.clone();
    after.play_unchecked(mv);
    let mut found = vec![];
    if after.in_goal(seat) > position.in_goal(seat) {
        found.push(Reason::new(
            "arrives",
            format!("brings a horse to its goal, {} there now", after.in_goal(seat)),
        ));
    }
    let hops = 1 + chain(&after, seat, LONGEST);
    if hops > 1 {
        let count = ["no", "one", "two", "three", "four", "five", "six"];
        let count = count.get(hops as usize).copied().unwrap_or("many");
        found.push(Reason::new("chains", format!("opens a chain of {count} hops")));
    }
    let (before, now) = (ranks_to_go(position, seat, mv.from), ranks_to_go(position, seat, mv.to));
    if found.is_empty() && now < before {
        let rows = before - now;
        found.push(Reason::new(
            "advances",
            format!("goes {rows} {} ahead", if rows == 1 { "row" } else { "rows" }),
        ));
    }
    found
}

/// How many more hops of the same turn are possible at the most.
fn chain(position: &Position, seat: Seat, most: u32) -> u32 {
    if position.chain().is_none() || position.to_move() != Some(seat) || most == 0 {
        return 0;
    }
    let after = |mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        1 + chain(&next, seat, most - 1)
    };
    position.legal_moves().map(after).max().unwrap_or(0)
}

/// The rows between a cell and the far end of the board.
fn ranks_to_go(position: &Position, seat: Seat, cell: Cell) -> u8 {
    let height = position.setup().height;
    if seat == Seat::new(0) { height - 1 - cell.rank() } else { cell.rank() }
}
