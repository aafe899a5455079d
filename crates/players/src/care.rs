//! What every level looks at whatever else it overlooks: a win in one move, and from the third level on a loss in one.

use rookery_rules::{Position, Status};
use rookery_search::{Budget, Strategy};

/// A strategy that need not look for a win in one move itself.
#[derive(Debug)]
pub(crate) struct Alert<S>(pub(crate) S);

impl<P: Position, S: Strategy<P>> Strategy<P> for Alert<S> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        only_move(position)
            .or_else(|| winning_move(position))
            .unwrap_or_else(|| self.0.choose(position, budget))
    }
}

/// The only move, if there is just one: it needs no thought.
pub(crate) fn only_move<P: Position>(position: &P) -> Option<P::Move> {
    let mut moves = position.legal_moves();
    let first = moves.next()?;
    moves.next().is_none().then_some(first)
}

/// A move after which the game is over, and won alone by who made it.
pub fn winning_move<P: Position>(position: &P) -> Option<P::Move> {
    let me = position.to_move()?;
    position.legal_moves().find(|&mv| match after(position, mv).status() {
        Status::Over(outcome) => outcome.winners.contains(me) && outcome.winners.len() == 1,
        Status::ToMove(_) => false,
    })
}

/// Whether a move loses at once, or lets whoever is next end the game with a loss for who made it.
pub fn allows_loss<P: Position>(position: &P, mv: P::Move) -> bool {
    let Some(me) = position.to_move() else { return false };
    let child = after(position, mv);
    let is_lost = |position: &P| match position.status() {
        Status::Over(outcome) => !outcome.winners.contains(me),
        Status::ToMove(_) => false,
    };
    is_lost(&child)
        || child.to_move().is_some_and(|next| next != me)
            && child.legal_moves().any(|reply| is_lost(&after(&child, reply)))
}

/// The moves that allow a loss in one, if there are others; empty if nothing can be done about it.
pub(crate) fn careless_moves<P: Position>(position: &P) -> Vec<P::Move> {
    let careless: Vec<P::Move> = position.legal_moves().filter(|&mv| allows_loss(position, mv)).collect();
    if careless.len() == position.count_moves() { vec![] } else { careless }
}

fn after<P: Position>(position: &P, mv: P::Move) -> P {
    let mut child = position.clone();
    child.play_unchecked(mv);
    child
}
