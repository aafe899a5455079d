//! Monte Carlo tree search against a clock: what was learnt is kept for the next move, and several threads work.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use rookery_rules::Position;

use crate::mcts::{Mcts, Tree, best_move};
use crate::{Budget, Playout, Stop, Strategy, Uniform};

/// An [`Mcts`] that, where there is a deadline, goes on with the tree of its last answer and grows one tree on each
/// thread of the budget. Without a deadline it is the same as [`Mcts`]: the answer follows from the position and the seed alone, so that
/// a match that is resumed from its record goes on as it would have.
#[derive(Debug)]
pub struct Lasting<P: Position, O = Uniform> {
    mcts: Mcts<O>,
    kept: Option<Kept<P>>,
}

impl<P: Position, O> Lasting<P, O> {
    /// Searches with these settings.
    pub const fn new(mcts: Mcts<O>) -> Self {
        Self { mcts, kept: None }
    }
}

/// The position of the last answer, the answer, and the trees it came from.
type Kept<P> = (P, <P as Position>::Move, Vec<Tree<<P as Position>::Move>>);

/// More trees of one position add little, and each takes memory.
const MAX_THREADS: usize = 16;

/// So much earlier than the deadline the helping threads stop, since the answer waits for all of them.
const HELPERS_EARLIER: Duration = Duration::from_millis(2);

/// At most so many positions are compared to find the new one in the old tree.
const MAX_COMPARED: u32 = 4000;

impl<P: Position, O: Playout<P>> Strategy<P> for Lasting<P, O> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let Some(deadline) = budget.deadline else {
            self.kept = None;
            return self.mcts.choose(position, budget);
        };
        let mut moves = position.legal_moves();
        let first = moves.next().expect("a strategy is asked only while the game goes on");
        if moves.next().is_none() {
            // The only move needs no thought, and the tree stays for the next one.
            return first;
        }
        drop(moves);
        let mut trees = self.kept.take().map(|kept| carry_over(kept, position)).unwrap_or_default();
        let n_threads = budget.threads.clamp(1, MAX_THREADS);
        trees.resize_with(n_threads, || Tree::new(first));
        let limit = self.mcts.limit(budget).div_ceil(n_threads as u64);
        // They stop when the main thread does, for whatever reason.
        let helpers = Budget {
            deadline: deadline.checked_sub(HELPERS_EARLIER).or(Some(Instant::now())),
            stop: Stop::default(),
            ..budget.clone()
        };
        let mcts = &self.mcts;
        let (main, others) = trees.split_first_mut().expect("there is at least one thread");
        thread::scope(|scope| {
            for (tree, part) in others.iter_mut().zip(1..) {
                let (helpers, mut rng) = (&helpers, budget.seed.derive(part).rng());
                scope.spawn(move || mcts.grow(tree, position, &mut rng, helpers, limit));
            }
            mcts.grow(main, position, &mut budget.seed.rng(), budget, limit);
            // Where only work is limited the helpers do their share, so that the result does not depend on luck.
            if main.is_proven() || budget.is_spent(0) {
                helpers.stop.set();
            }
        });
        let chosen = best_move(&trees).unwrap_or(first);
        self.kept = Some((position.clone(), chosen, trees));
        chosen
    }
}

/// The trees below the new position, if it can be found below the old one.
fn carry_over<P: Position>((old, chosen, trees): Kept<P>, position: &P) -> Vec<Tree<P::Move>> {
    let Some(way) = trees.first().and_then(|tree| find(tree, &old, chosen, position)) else { return vec![] };
    let below = |tree: &Tree<P::Move>| {
        let node = way.iter().try_fold(0, |node, &mv| tree.child(node, mv))?;
        Some(tree.below(node))
    };
    trees.iter().filter_map(below).collect()
}

/// The moves from the old position to the new one: the answer, then whatever the others played.
fn find<P: Position>(tree: &Tree<P::Move>, old: &P, chosen: P::Move, position: &P) -> Option<Vec<P::Move>> {
    let mut start = old.clone();
    start.play_unchecked(chosen);
    let mut waiting = VecDeque::from([(tree.child(0, chosen)?, start, vec![chosen])]);
    let mut compared = 0;
    while let Some((node, here, way)) = waiting.pop_front() {
        if here == *position {
            return Some(way);
        }
        for (child, mv) in tree.grown(node) {
            compared += 1;
            if compared > MAX_COMPARED {
                return None;
            }
            let mut next = here.clone();
            next.play_unchecked(mv);
            waiting.push_back((child, next, [way.as_slice(), &[mv]].concat()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::{Position as Hexapawn, Setup as HexapawnSetup};
    use rookery_rules::{Seed, Setup};

    use super::*;

    fn budget(work: u64, seed: u64) -> Budget {
        let deadline = Some(Instant::now() + Duration::from_mins(1));
        Budget { deadline, work: Some(work), seed: Seed(seed), ..Budget::default() }
    }

    /// A game of a lasting tree against itself: one strategy for each seat.
    fn game(options: &str, n_threads: usize, seed: u64) -> Vec<String> {
        let mut position: Hexapawn = HexapawnSetup::parse(options).unwrap().start();
        let mut seats = [0, 1].map(|_| Lasting::new(Mcts::new(100)));
        let mut moves = vec![];
        while let Some(seat) = position.to_move() {
            let budget = Budget { threads: n_threads, ..budget(200, seed + moves.len() as u64) };
            let mv = seats[seat.index()].choose(&position, &budget);
            position.play(mv).expect("a kept tree holds only legal moves");
            moves.push(mv.to_string());
        }
        moves
    }

    #[test]
    fn games_with_a_kept_tree_are_legal_and_replay() {
        for seed in 0..20 {
            assert_eq!(game("rows=5,cols=5", 1, seed), game("rows=5,cols=5", 1, seed));
            // Who proves first is luck where several threads search, but all they play is legal.
            game("rows=5,cols=5", 3, seed);
        }
    }

    #[test]
    fn the_tree_is_found_again_and_keeps_its_visits() {
        let mut position: Hexapawn = HexapawnSetup::parse("rows=6,cols=6").unwrap().start();
        let mut strategy = Lasting::new(Mcts::new(100));
        let mv = strategy.choose(&position, &budget(3000, 1));
        position.play(mv).unwrap();
        let reply = position.legal_moves().next().unwrap();
        position.play(reply).unwrap();
        let kept = strategy.kept.take().expect("a search keeps its tree");
        let trees = carry_over(kept, &position);
        assert_eq!(trees.len(), 1);
        assert!(trees[0].grown(0).count() > 0, "the reply was searched");
    }

    #[test]
    fn without_a_clock_the_past_does_not_matter() {
        let position: Hexapawn = HexapawnSetup::parse("rows=6,cols=6").unwrap().start();
        let untimed = Budget { work: Some(300), seed: Seed(4), ..Budget::default() };
        let mut used = Lasting::new(Mcts::new(100));
        used.choose(&position, &budget(500, 9));
        assert_eq!(used.choose(&position, &untimed), Mcts::new(100).choose(&position, &untimed));
    }

    #[test]
    fn keeps_to_the_clock() {
        let position: Hexapawn = HexapawnSetup::parse("rows=8,cols=8").unwrap().start();
        let mut strategy = Lasting::new(Mcts::new(100));
        let start = Instant::now();
        let deadline = Some(start + Duration::from_millis(50));
        strategy.choose(&position, &Budget { deadline, ..Budget::default() });
        // Far more than it takes, since the machine may be busy.
        assert!(start.elapsed() < Duration::from_millis(500));
    }
}
