//! Monte Carlo tree search: UCT for any number of seats, with proofs of what is decided.
//!
//! Every node remembers the reward of the seat that moved into it, so extra turns, skipped turns and more than two
//! seats need no special case: nothing is ever negated. A node whose result is certain is *proven*; proofs travel
//! towards the root, and a proven win is played at once.

use rookery_rules::{Position, Rng, Seat, Seats, Status};

use crate::{Budget, Strategy};

/// How one random game is played from a position to its end.
pub trait Playout<P: Position>: Send {
    /// Plays on until the game is over.
    fn play_out(&self, position: &mut P, rng: &mut Rng);
}

/// Random moves, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl<P: Position> Playout<P> for Uniform {
    #[inline]
    fn play_out(&self, position: &mut P, rng: &mut Rng) {
        rookery_rules::playout(position, rng);
    }
}

/// What a seat gets when these win: the winners share 1.
#[inline]
fn reward(winners: Seats, seat: Seat) -> f32 {
    if winners.contains(seat) { 1.0 / winners.len() as f32 } else { 0.0 }
}

/// The strategy. A budget's work counts playouts.
#[derive(Clone, Copy, Debug)]
pub struct Mcts<O = Uniform> {
    /// How many playouts, if the budget sets no limit at all.
    pub playouts: u64,
    /// How much an untried way is worth against a good one; 0.7 is usual for rewards between 0 and 1.
    pub exploration: f32,
    /// How the random games are played.
    pub policy: O,
}

impl Mcts {
    /// With uniform playouts.
    pub const fn new(playouts: u64) -> Self {
        Self { playouts, exploration: 0.7, policy: Uniform }
    }
}

/// The most nodes of a tree; then it only deepens its statistics. About 100 MB for moves of a few bytes.
const MAX_NODES: usize = 2_000_000;

/// How often the clock is looked at, in playouts.
const CLOCK_EVERY: u64 = 32;

struct Node<M> {
    mv: M,
    /// The seat that moved into this node.
    mover: Seat,
    visits: u32,
    /// The mover's rewards, added up.
    reward: f32,
    /// Its children are neighbours in the arena.
    first_child: u32,
    n_children: u32,
    /// Who wins, once that is certain.
    proven: Option<Seats>,
}

struct Tree<M> {
    nodes: Vec<Node<M>>,
    /// The way of the current playout.
    path: Vec<u32>,
}

impl<M: Copy> Tree<M> {
    fn children(&self, node: u32) -> std::ops::Range<u32> {
        let node = &self.nodes[node as usize];
        node.first_child..node.first_child + node.n_children
    }

    /// The child with the highest upper bound for the seat to move; proven children count as what they are.
    fn select(&self, node: u32, exploration: f32) -> u32 {
        let log_visits = (self.nodes[node as usize].visits as f32 + 1.0).ln();
        let mut best = (f32::NEG_INFINITY, u32::MAX);
        for idx in self.children(node) {
            let child = &self.nodes[idx as usize];
            let value = match child.proven {
                // A certain result needs no visits; it is chosen only if nothing promises more.
                Some(winners) => reward(winners, child.mover),
                None if child.visits == 0 => f32::INFINITY,
                None => {
                    let visits = child.visits as f32;
                    child.reward / visits + exploration * (log_visits / visits).sqrt()
                }
            };
            if value > best.0 {
                best = (value, idx);
            }
        }
        best.1
    }

    /// Proves a node if its children prove it: one wins for the seat to move, or all are proven.
    fn try_to_prove(&mut self, node: u32) {
        let mut best: Option<(f32, Seats)> = None;
        let mut all = true;
        for idx in self.children(node) {
            let child = &self.nodes[idx as usize];
            match child.proven {
                None => all = false,
                Some(winners) => {
                    let reward = reward(winners, child.mover);
                    if best.is_none_or(|(known, _)| reward > known) {
                        best = Some((reward, winners));
                    }
                }
            }
        }
        if let Some((reward, winners)) = best
            && (all || reward >= 1.0)
        {
            self.nodes[node as usize].proven = Some(winners);
        }
    }
}

impl<O> Mcts<O> {
    /// One playout: down the tree, a new node, a random game, and back with the result.
    fn iterate<P: Position>(&self, tree: &mut Tree<P::Move>, root: &P, rng: &mut Rng)
    where
        O: Playout<P>,
    {
        let mut position = root.clone();
        let mut node = 0u32;
        tree.path.clear();
        tree.path.push(node);
        while tree.nodes[node as usize].n_children > 0 && tree.nodes[node as usize].proven.is_none() {
            node = tree.select(node, self.exploration);
            tree.path.push(node);
            position.play_unchecked(tree.nodes[node as usize].mv);
        }
        let proven = tree.nodes[node as usize].proven;
        let winners = proven.unwrap_or_else(|| self.expand(tree, node, &mut position, rng));
        for depth in (0..tree.path.len()).rev() {
            let idx = tree.path[depth];
            if tree.nodes[idx as usize].proven.is_none() && tree.nodes[idx as usize].n_children > 0 {
                tree.try_to_prove(idx);
            }
            let node = &mut tree.nodes[idx as usize];
            node.visits += 1;
            node.reward += reward(winners, node.mover);
        }
    }

    /// Gives a leaf its children and plays a random game from it; a finished game is proven instead.
    fn expand<P: Position>(
        &self,
        tree: &mut Tree<P::Move>,
        node: u32,
        position: &mut P,
        rng: &mut Rng,
    ) -> Seats
    where
        O: Playout<P>,
    {
        match position.status() {
            Status::Over(outcome) => {
                tree.nodes[node as usize].proven = Some(outcome.winners);
                outcome.winners
            }
            Status::ToMove(seat) => {
                // A leaf is worth children once it has been visited before, so memory goes where visits go.
                if tree.nodes.len() < MAX_NODES && (node == 0 || tree.nodes[node as usize].visits > 0) {
                    let first_child = tree.nodes.len() as u32;
                    tree.nodes.extend(position.legal_moves().map(|mv| Node {
                        mv,
                        mover: seat,
                        visits: 0,
                        reward: 0.0,
                        first_child: 0,
                        n_children: 0,
                        proven: None,
                    }));
                    tree.nodes[node as usize].first_child = first_child;
                    tree.nodes[node as usize].n_children = tree.nodes.len() as u32 - first_child;
                }
                self.policy.play_out(position, rng);
                let Status::Over(outcome) = position.status() else {
                    unreachable!("a playout ends with the game")
                };
                outcome.winners
            }
        }
    }
}

impl<P: Position, O: Playout<P>> Strategy<P> for Mcts<O> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        let first = position.legal_moves().next().expect("a strategy is asked only while the game goes on");
        let root = Node {
            mv: first,
            mover: Seat::new(0),
            visits: 0,
            reward: 0.0,
            first_child: 0,
            n_children: 0,
            proven: None,
        };
        let mut tree = Tree { nodes: vec![root], path: vec![] };
        let mut rng = budget.seed.rng();
        let limit = if budget.deadline.is_some() { u64::MAX } else { budget.work.unwrap_or(self.playouts) };
        let mut done = 0;
        while done < limit && tree.nodes[0].proven.is_none() {
            if done.is_multiple_of(CLOCK_EVERY) && done > 0 && budget.is_spent(done) {
                break;
            }
            self.iterate(&mut tree, position, &mut rng);
            done += 1;
        }
        best_move(&tree).unwrap_or(first)
    }
}

/// The move to play: a proven win, else the most visited move that is not a proven loss; of equals the first.
fn best_move<M: Copy>(tree: &Tree<M>) -> Option<M> {
    let rank = |node: &Node<M>| match node.proven {
        Some(winners) if reward(winners, node.mover) >= 1.0 => (2, 0),
        Some(winners) if !winners.contains(node.mover) => (0, node.visits),
        _ => (1, node.visits),
    };
    let mut best: Option<&Node<M>> = None;
    for idx in tree.children(0) {
        let node = &tree.nodes[idx as usize];
        if best.is_none_or(|known| rank(node) > rank(known)) {
            best = Some(node);
        }
    }
    best.map(|node| node.mv)
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn::{Position as Hexapawn, Setup as HexapawnSetup};
    use rookery_rules::{Notation, Seed, Setup};

    use super::*;

    fn choose(position: &Hexapawn, playouts: u64, seed: u64) -> String {
        let budget = Budget { work: Some(playouts), seed: Seed(seed), ..Budget::default() };
        Mcts::new(playouts).choose(position, &budget).to_string()
    }

    #[test]
    fn finds_the_move_that_wins_at_once() {
        let position = Hexapawn::from_text("p1 1.../..1./2..2/2...").unwrap();
        assert_eq!(choose(&position, 50, 1), "c2xd3");
    }

    #[test]
    fn same_seed_same_move() {
        let position = HexapawnSetup::parse("rows=6,cols=6").unwrap().start();
        assert_eq!(choose(&position, 300, 9), choose(&position, 300, 9));
    }

    #[test]
    fn proves_the_small_board_and_plays_it_perfectly() {
        // 3 x 4 is won for the first player by the outer pawns only.
        let position = HexapawnSetup::parse("rows=3,cols=4").unwrap().start();
        for seed in 0..20 {
            let mv = choose(&position, 20_000, seed);
            assert!(["a1-a2", "d1-d2"].contains(&mv.as_str()), "{mv} with seed {seed}");
        }
    }
}
