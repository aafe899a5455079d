//! Players of Renpaarden that think in whole turns.

use std::collections::VecDeque;

use rookery_games::renpaarden::{Move, Position, TurnPosition};
use rookery_rules::{Keyed as _, Position as _};
use rookery_search::{Budget, Strategy};

use crate::care::winning_move;

/// A strategy for whole turns, which are then played hop by hop. Who thought hop by hop could put off a loss in a chain
/// that never ends.
#[derive(Debug)]
pub(crate) struct ByTurns<S> {
    strategy: S,
    /// The hops that are left of the turn, and the key of the position in which the first of them is due.
    plan: VecDeque<Move>,
    due: u64,
}

impl<S: Strategy<TurnPosition>> ByTurns<S> {
    pub(crate) fn new(strategy: S) -> Self {
        Self { strategy, plan: VecDeque::new(), due: 0 }
    }

    /// The next hop of the plan, if this is the position it was made for.
    fn planned(&mut self, position: &Position) -> Option<Move> {
        position.chain()?;
        let next = self.plan.pop_front()?;
        (self.due == position.key() && position.is_legal(next)).then_some(next)
    }

    fn make_plan(&mut self, position: &Position, budget: &Budget) -> Move {
        // A game may end in the midst of a chain.
        if let Some(hop) = winning_move(position) {
            self.plan.clear();
            return hop;
        }
        let turn = self.strategy.choose(&TurnPosition::from(position.clone()), budget);
        let path = position.path(turn).expect("the strategy chose a legal turn");
        self.plan = path.hops().collect();
        self.plan.pop_front().expect("a turn has a hop")
    }
}

impl<S: Strategy<TurnPosition>> Strategy<Position> for ByTurns<S> {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let mv = self.planned(position).unwrap_or_else(|| self.make_plan(position, budget));
        let mut child = position.clone();
        child.play_unchecked(mv);
        self.due = child.key();
        mv
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::renpaarden::Renpaarden;
    use rookery_rules::{Notation as _, Seed};

    use super::*;

    /// Hop by hop it went to and fro between two enemy pieces a thousand times, which is a draw.
    #[test]
    fn who_is_lost_does_not_flee_into_an_endless_chain() {
        let player = "mcts:playouts=2000".parse().unwrap();
        let (mut mcts, _) = crate::strategy::<Renpaarden>(&crate::renpaarden::EXPERTISE, &player).unwrap();
        for seed in 0..4 {
            let mut position = Position::from_text("p2 ooooo/ooxoo/xxxxo/x.xx./x...x turn=29").unwrap();
            let me = position.to_move();
            let mut n_hops = 0;
            while position.to_move() == me {
                let budget = Budget { seed: Seed(seed).derive(n_hops), ..Budget::default() };
                position.play(mcts.choose(&position, &budget)).unwrap();
                n_hops += 1;
                assert!(n_hops < 25, "a shortest way has fewer hops than the board has cells");
            }
        }
    }
}
