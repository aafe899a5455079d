//! Questions about a position, and what an action means in it.

use rookery_games::fish::{Cell, Color, Move, Phase, Position};
use rookery_rules::{Position as _, Seat};

/// All that can follow a position. Each node is made only when it is looked at, so the tree costs nothing before.
///
/// ```
/// use rookery_games::fish::Position;
/// use rookery_originals::fish::api::Tree;
/// use rookery_rules::Notation;
///
/// let tree = Tree::new(Position::from_text("p1 1a1/1b1/11 0,0")?);
/// assert_eq!(tree.next().count(), 1);
/// let (mv, after) = tree.next().next().expect("there is a move");
/// assert_eq!(mv.to_string(), "0.0-2.0");
/// assert_eq!(after.next().count(), 2);
/// # Ok::<(), rookery_rules::ParsePositionError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree(Position);

impl Tree {
    /// What follows this position.
    pub fn new(position: Position) -> Self {
        Self(position)
    }

    /// The position at the root.
    pub fn position(&self) -> &Position {
        &self.0
    }

    /// Every legal move with the tree behind it.
    pub fn next(&self) -> impl Iterator<Item = (Move, Self)> {
        self.0.legal_moves().map(|mv| {
            let mut next = self.0.clone();
            next.play_unchecked(mv);
            (mv, Self(next))
        })
    }
}

/// What a player does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Place(Cell),
    Move(Cell, Cell),
    Pass,
}

/// What an action means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// The player's move, legal or not.
    Move(Move),
    /// A pass of a player that cannot move. The rules have passed over it already, so nothing changes.
    Passed,
    /// A pass of a player that can.
    NoPass,
    /// Another one is to move.
    OutOfTurn,
}

/// What the action of a seat means in a position.
pub(super) fn meaning(position: &Position, seat: Seat, action: Action) -> Meaning {
    let mv = match action {
        Action::Pass if is_stuck(position, seat) => return Meaning::Passed,
        _ if position.to_move() != Some(seat) => return Meaning::OutOfTurn,
        Action::Pass => return Meaning::NoPass,
        Action::Place(cell) => Move::Place(cell),
        Action::Move(from, to) => Move::Slide { from, to },
    };
    Meaning::Move(mv)
}

fn is_stuck(position: &Position, seat: Seat) -> bool {
    position.phase() == Phase::Moving && !position.is_removed(seat) && !position.can_move(seat)
}

/// The seat of a colour, if somebody plays it.
fn seat_of(position: &Position, color: Color) -> Option<Seat> {
    let mut seats = Seat::all(position.n_seats());
    seats.find(|&seat| position.color(seat) == color && !position.is_removed(seat))
}

/// The position after a move of a colour, if it is that colour's turn and the move is legal.
pub(super) fn move_legal(position: &Position, color: Color, from: Cell, to: Cell) -> Option<Position> {
    let seat = seat_of(position, color)?;
    let mv = Move::Slide { from, to };
    if position.to_move() != Some(seat) || !position.is_legal(mv) {
        return None;
    }
    let mut next = position.clone();
    next.play_unchecked(mv);
    Some(next)
}

/// The position after a pass of a colour, if it cannot move.
pub(super) fn pass_legal(position: &Position, color: Color) -> Option<Position> {
    let seat = seat_of(position, color)?;
    is_stuck(position, seat).then(|| position.clone())
}
