//! Minimax that counts only its own turns.

use rookery_rules::{Position, Seat};

use crate::{Budget, Strategy};

/// What a seat has to show for itself in a position, finished or not.
pub trait Gauge<P: Position>: Send {
    /// How much; more is better.
    fn read(&self, position: &P, seat: Seat) -> i32;
}

impl<P: Position, F: Fn(&P, Seat) -> i32 + Send> Gauge<P> for F {
    fn read(&self, position: &P, seat: Seat) -> i32 {
        self(position, seat)
    }
}

/// Looks so many of its own turns ahead, with every other seat playing to keep its gauge low, and stops right after
/// its own last one. A turn in which it has to pass counts as its own. Of equally good moves it plays the smallest. If
/// time or work runs out, the answer is that of the last number of turns it got through.
#[derive(Clone, Copy, Debug)]
pub struct OwnTurns<G> {
    /// Its own turns; at least one.
    pub turns: u32,
    /// What it wants to be high.
    pub gauge: G,
}

/// One search: who searches with what, and whether it has run out of time.
struct Look<'a, G> {
    gauge: &'a G,
    me: Seat,
    budget: &'a Budget,
    nodes: u64,
    stopped: bool,
}

/// How often the clock is looked at, in positions.
const CLOCK_EVERY: u64 = 256;

impl<G> Look<'_, G> {
    /// The best value the seat can be sure of, between `alpha` and `beta`, with so many own turns to go. Without
    /// meaning once it has stopped.
    fn value<P: Position>(&mut self, position: &P, turns: u32, mut alpha: i32, mut beta: i32) -> i32
    where
        G: Gauge<P>,
    {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CLOCK_EVERY) && self.budget.is_spent(self.nodes) {
            self.stopped = true;
        }
        let mover = match position.to_move() {
            Some(mover) if turns > 0 && !self.stopped => mover,
            _ => return self.gauge.read(position, self.me),
        };
        let maximising = mover == self.me;
        let mut best = if maximising { i32::MIN } else { i32::MAX };
        for mv in position.legal_moves() {
            let mut child = position.clone();
            child.play_unchecked(mv);
            let turns = turns - own_turns(mover, child.to_move(), self.me, position.n_seats());
            let value = self.value(&child, turns, alpha, beta);
            if maximising {
                best = best.max(value);
                alpha = alpha.max(value);
            } else {
                best = best.min(value);
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The first of these moves with the best value.
    fn best<P: Position>(&mut self, position: &P, moves: &[P::Move], turns: u32) -> P::Move
    where
        G: Gauge<P>,
    {
        let mut best = (i32::MIN, moves[0]);
        for &mv in moves {
            let mut child = position.clone();
            child.play_unchecked(mv);
            // A move that is only as good as an earlier one is never chosen, so the window may exclude it.
            let value = self.value(&child, turns - 1, best.0, i32::MAX);
            if value > best.0 {
                best = (value, mv);
            }
        }
        best.1
    }
}

/// How many of its turns `me` has used when the turn goes from `mover` to `next`: its own move, or being passed over.
fn own_turns(mover: Seat, next: Option<Seat>, me: Seat, n_seats: usize) -> u32 {
    if mover == me {
        return 1;
    }
    let Some(next) = next else { return 0 };
    let mut passed = mover.next(n_seats);
    while passed != next {
        if passed == me {
            return 1;
        }
        passed = passed.next(n_seats);
    }
    0
}

impl<P: Position, G: Gauge<P>> Strategy<P> for OwnTurns<G> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let me = position.to_move().expect("a strategy is asked only while the game goes on");
        let turns = budget.depth.unwrap_or(self.turns).max(1);
        let mut moves: Vec<P::Move> = position.legal_moves().collect();
        moves.sort_unstable();
        let mut look = Look { gauge: &self.gauge, me, budget, nodes: 0, stopped: false };
        // With a limit it looks further and further, so that there is an answer when it runs out.
        let limited = budget.deadline.is_some() || budget.work.is_some();
        let mut chosen = moves[0];
        for turns in if limited { 1..=turns } else { turns..=turns } {
            let best = look.best(position, &moves, turns);
            if look.stopped {
                break;
            }
            chosen = best;
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn being_passed_over_is_a_turn() {
        let seats = [0, 1, 2, 3].map(Seat::new);
        assert_eq!(own_turns(seats[0], Some(seats[1]), seats[0], 4), 1, "its own move");
        assert_eq!(own_turns(seats[1], Some(seats[2]), seats[0], 4), 0, "others move");
        assert_eq!(own_turns(seats[3], Some(seats[1]), seats[0], 4), 1, "passed over");
        assert_eq!(own_turns(seats[1], Some(seats[1]), seats[0], 4), 1, "everybody else is passed over");
        assert_eq!(own_turns(seats[3], Some(seats[0]), seats[0], 4), 0, "it is asked");
        assert_eq!(own_turns(seats[3], None, seats[0], 4), 0, "the end");
    }
}
