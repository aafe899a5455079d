//! What speaks for a move, in the words of the game.

use rookery_rules::{Position as _, Reason, Seat};

use super::{Cell, Direction, Move, Position};

/// See [`rookery_rules::Game::REASONS`].
pub(super) fn reasons(position: &Position, mv: Move) -> Vec<Reason> {
    let Some(seat) = position.to_move() else { return vec![] };
    let mut after = position.clone();
    after.play_unchecked(mv);
    let mut found = vec![];
    for other in Seat::all(position.n_seats()).filter(|&other| other != seat) {
        let stuck = |position: &Position| {
            position.penguins(other).filter(|&cell| position.reachable(cell).next().is_none()).count()
        };
        let shut_in = stuck(&after).saturating_sub(stuck(position));
        if shut_in > 0 {
            let color = position.color(other);
            let text = match shut_in {
                1 => format!("shuts in a {color} penguin"),
                n => format!("shuts in {n} {color} penguins"),
            };
            found.push(Reason::new("shuts-in", text));
        }
    }
    // As long as penguins are to come nothing is cut off from them.
    let own = if after.penguins_each().is_some() { None } else { alone(&after, seat) };
    // What was shut off before this move is no merit of it.
    if let Some((floes, fish)) = own.filter(|_| alone(position, seat).is_none_or(|before| before.1 < 2)) {
        let floes = if floes == 1 { "one floe".to_owned() } else { format!("{floes} floes") };
        found.push(Reason::new("cuts-off", format!("cuts off {floes} with {fish} fish for itself")));
    }
    match mv {
        Move::Slide { from, to } => {
            let (taken, next) = (position.board().fish(from), position.board().fish(to));
            found.push(Reason::new("collects", format!("takes {taken} fish and stands on {next}")));
        }
        Move::Place(cell) => {
            let fish = position.board().fish(cell);
            let ways = after.reachable(cell).count();
            found.push(Reason::new("collects", format!("stands on {fish} fish with {ways} floes in reach")));
        }
    }
    found
}

/// Floes that only this seat's penguins can ever get to, and the fish on them.
fn alone(position: &Position, seat: Seat) -> Option<(u32, u32)> {
    let others = Seat::all(position.n_seats()).filter(|&other| other != seat);
    let theirs = others.flat_map(|other| shores(position, other)).collect();
    let reached = |start| flood(position, start);
    let (mine, theirs): (Vec<Cell>, Vec<Cell>) = (reached(shores(position, seat)), reached(theirs));
    let own: Vec<&Cell> = mine.iter().filter(|cell| !theirs.contains(cell)).collect();
    let fish = own.iter().map(|&&cell| u32::from(position.board().fish(cell))).sum();
    (!own.is_empty()).then_some((own.len() as u32, fish))
}

fn is_free(position: &Position, cell: Cell) -> bool {
    position.board().fish(cell) > 0 && position.penguin_at(cell).is_none()
}

/// The free floes next to a seat's penguins.
fn shores(position: &Position, seat: Seat) -> Vec<Cell> {
    position.penguins(seat).flat_map(|cell| beside(position, cell)).collect()
}

fn beside(position: &Position, cell: Cell) -> Vec<Cell> {
    let next = Direction::ALL.into_iter().filter_map(|direction| position.board().neighbour(cell, direction));
    next.filter(|&cell| is_free(position, cell)).collect()
}

/// All free floes that hang together with these.
fn flood(position: &Position, mut open: Vec<Cell>) -> Vec<Cell> {
    let mut seen = vec![];
    while let Some(cell) = open.pop() {
        if !seen.contains(&cell) {
            seen.push(cell);
            open.extend(beside(position, cell));
        }
    }
    seen
}
