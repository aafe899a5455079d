//! What a search thinks of a position, while it thinks.

use std::time::{Duration, Instant};

use rookery_rules::Position;

use crate::mcts::{Mcts, Playout, Tree};
use crate::{Budget, Stop};

/// What is known of one move.
#[derive(Clone, PartialEq, Debug)]
pub struct Line<M> {
    /// The move, and how the game would go on from it.
    pub moves: Vec<M>,
    /// The share of a win that the seat to move gets from it, 0 to 1.
    pub value: f32,
    /// Whether the value is certain.
    pub proven: bool,
    /// Within how many moves the game is over then, if alpha-beta has found out that the value is certain.
    pub plies: Option<u32>,
    /// In how many random games it was tried; 0 if there were none.
    pub visits: u32,
}

/// What is known of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis<M> {
    /// The best moves, the best first.
    pub lines: Vec<Line<M>>,
    /// Random games played; 0 for alpha-beta.
    pub playouts: u64,
    /// Positions that alpha-beta has looked at; 0 for tree search.
    pub nodes: u64,
    /// How many moves ahead alpha-beta has looked; 0 for tree search.
    pub depth: u32,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether it is the last report.
    pub done: bool,
}

/// Reports come after so many random games, and then ever more seldom.
const FIRST_REPORT: u64 = 1000;

impl<O> Mcts<O> {
    /// Searches until the budget is spent or the result is certain, and reports again and again on the way; the last
    /// report is the result. A report comes whenever the number of random games has grown by a half.
    pub fn analyse<P: Position>(
        &self,
        position: &P,
        budget: &Budget,
        max_lines: usize,
        report: &mut dyn FnMut(&Analysis<P::Move>),
    ) where
        O: Playout<P>,
    {
        let Some(first) = position.legal_moves().next() else { return };
        let start = Instant::now();
        let limit = self.limit(budget);
        let mut tree = Tree::new(first);
        let mut rng = budget.seed.rng();
        let (mut playouts, mut chunk) = (0, FIRST_REPORT);
        // The work is counted here, over all rounds.
        let rounds = Budget { work: None, stop: Stop::clone(&budget.stop), ..budget.clone() };
        loop {
            playouts += self.grow(&mut tree, position, &mut rng, &rounds, chunk.min(limit - playouts));
            let done = playouts >= limit || tree.is_proven() || rounds.is_spent(0);
            let lines = tree.lines(max_lines);
            report(&Analysis { lines, playouts, nodes: 0, depth: 0, elapsed: start.elapsed(), done });
            if done {
                return;
            }
            chunk = (playouts / 2).max(FIRST_REPORT);
        }
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::Position as Hexapawn;
    use rookery_rules::Notation;

    use super::*;

    #[test]
    fn the_last_report_knows_the_winning_move_and_lines_are_legal() {
        let position = Hexapawn::from_text("p1 111./..../...1/222.").unwrap();
        let budget = Budget { work: Some(5000), ..Budget::default() };
        let mut reports = vec![];
        Mcts::new(1).analyse(&position, &budget, 3, &mut |analysis| reports.push(analysis.clone()));
        let last = reports.last().unwrap();
        assert!(last.done && reports.iter().filter(|report| report.done).count() == 1);
        assert!(last.lines.len() <= 3 && last.playouts <= 5000);
        assert_eq!((last.lines[0].moves[0].to_string().as_str(), last.lines[0].value), ("d3xc4", 1.0));
        for line in &last.lines {
            let mut position = position.clone();
            for &mv in &line.moves {
                position.play(mv).unwrap();
            }
        }
    }
}
