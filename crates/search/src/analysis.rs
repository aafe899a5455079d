//! What a search thinks of a position, while it thinks.

use std::cmp::Reverse;
use std::thread;
use std::time::{Duration, Instant};

use rookery_rules::{Position, Rng};

use crate::mcts::{Mcts, Tree};
use crate::{Budget, Playout, Stop};

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
/// More trees of one position add little, and each takes memory.
const MAX_TREES: usize = 8;

impl<O> Mcts<O> {
    /// Searches until the budget is spent or the result is certain, and reports again and again on the way; the last
    /// report is the result. A report comes whenever the number of random games has grown by a half. With a deadline each
    /// thread of the budget grows a tree of its own.
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
        // Without a clock one thread works, so that the same budget gives the same answer.
        let n_trees = if budget.deadline.is_some() { budget.threads.clamp(1, MAX_TREES) } else { 1 };
        let seeds =
            (0..n_trees as u64).map(|part| if part == 0 { budget.seed } else { budget.seed.derive(part) });
        let mut trees: Vec<(Tree<P::Move>, Rng)> = seeds.map(|seed| (Tree::new(first), seed.rng())).collect();
        let (mut playouts, mut chunk) = (0, FIRST_REPORT);
        // The work is counted here, over all rounds.
        let rounds = Budget { work: None, stop: Stop::clone(&budget.stop), ..budget.clone() };
        loop {
            playouts += self.grow_all(&mut trees, position, &rounds, chunk.min(limit - playouts));
            let is_proven = trees.iter().any(|(tree, _)| tree.is_proven());
            let done = playouts >= limit || is_proven || rounds.is_spent(0);
            let lines = lines(&trees, max_lines);
            report(&Analysis { lines, playouts, nodes: 0, depth: 0, elapsed: start.elapsed(), done });
            if done {
                return;
            }
            chunk = (playouts / 2).max(FIRST_REPORT);
        }
    }

    /// Plays about so many random games, each tree in a thread of its own; says how many.
    fn grow_all<P: Position>(
        &self,
        trees: &mut [(Tree<P::Move>, Rng)],
        position: &P,
        budget: &Budget,
        limit: u64,
    ) -> u64
    where
        O: Playout<P>,
    {
        let each = limit.div_ceil(trees.len() as u64);
        let Some(((tree, rng), others)) = trees.split_first_mut() else { return 0 };
        thread::scope(|scope| {
            let helpers: Vec<_> = others
                .iter_mut()
                .map(|(tree, rng)| scope.spawn(move || self.grow(tree, position, rng, budget, each)))
                .collect();
            let own = self.grow(tree, position, rng, budget, each);
            own + helpers.into_iter().map(|helper| helper.join().expect("it does not panic")).sum::<u64>()
        })
    }
}

/// The best moves by what all trees of a position know of them.
fn lines<M: Copy + Eq>(trees: &[(Tree<M>, Rng)], max_lines: usize) -> Vec<Line<M>> {
    if let [(tree, _)] = trees {
        return tree.lines(max_lines);
    }
    let mut sum: Vec<Line<M>> = vec![];
    for line in trees.iter().flat_map(|(tree, _)| tree.lines(usize::MAX)) {
        match sum.iter_mut().find(|known| known.moves[0] == line.moves[0]) {
            Some(known) => add(known, line),
            None => sum.push(line),
        }
    }
    sum.sort_by_key(|line| {
        let class = match line.value {
            value if line.proven && value >= 1.0 => 2,
            value if line.proven && value <= 0.0 => 0,
            _ => 1,
        };
        Reverse((class, line.visits))
    });
    sum.truncate(max_lines);
    sum
}

/// Adds what another tree knows of the same move. What one has proven is certain in all.
fn add<M>(known: &mut Line<M>, other: Line<M>) {
    let visits = known.visits.saturating_add(other.visits);
    let rewards = known.value * known.visits as f32 + other.value * other.visits as f32;
    if !known.proven {
        let value = if other.proven { other.value } else { rewards / (visits as f32).max(1.0) };
        if other.proven || other.visits > known.visits {
            *known = other;
        }
        known.value = value;
    }
    known.visits = visits;
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::Position as Hexapawn;
    use rookery_rules::Notation;

    use super::*;

    #[test]
    fn with_a_clock_every_thread_grows_a_tree_and_all_of_them_count() {
        let position = Hexapawn::from_text("p1 11111/...../...../...../22222").unwrap();
        let deadline = Some(Instant::now() + Duration::from_mins(1));
        let budget = Budget { deadline, work: Some(1500), threads: 3, ..Budget::default() };
        let mut last = None;
        Mcts::new(1).analyse(&position, &budget, 2, &mut |analysis| last = Some(analysis.clone()));
        let last = last.unwrap();
        let visits: u32 = last.lines.iter().map(|line| line.visits).sum();
        // A single tree has tried no move as often as that.
        assert!(last.done && last.playouts >= 1500 && visits > 500, "{last:?}");
        assert!(last.lines.len() == 2 && last.lines[0].moves[0] != last.lines[1].moves[0]);
        assert!(last.lines.iter().all(|line| (0.0..=1.0).contains(&line.value)));
    }

    #[test]
    fn what_one_tree_has_proven_is_certain() {
        let line = |value, proven, visits| Line { moves: vec!['a'], value, proven, plies: None, visits };
        let mut known = line(0.5, false, 30);
        add(&mut known, line(0.8, false, 10));
        assert!((known.value - 0.575).abs() < 1e-6 && known.visits == 40, "{known:?}");
        add(&mut known, line(0.0, true, 5));
        assert_eq!((known.value, known.proven, known.visits), (0.0, true, 45));
        add(&mut known, line(0.7, false, 5));
        assert_eq!((known.value, known.proven, known.visits), (0.0, true, 50));
    }

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
