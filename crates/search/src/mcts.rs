//! Monte Carlo tree search: UCT for any number of seats, with proofs of what is decided.
//!
//! Every node remembers the reward of the seat that moved into it, so extra turns, skipped turns and more than two
//! seats need no special case: nothing is ever negated. A node whose result is certain is *proven*; proofs travel
//! towards the root, and a proven win is played at once.

use rookery_rules::{MAX_SEATS, Position, Rng, Seat, Seats, Status};

use crate::{Budget, Line, Playout, Strategy, Uniform};

/// What a seat gets when these win: the winners share 1.
#[inline]
fn reward(winners: Seats, seat: Seat) -> f32 {
    if winners.contains(seat) { 1.0 / winners.len() as f32 } else { 0.0 }
}

/// What each seat gets from a game that was played to its end or judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares([f32; MAX_SEATS]);

impl Shares {
    #[inline]
    fn of_winners(winners: Seats) -> Self {
        let mut shares = [0.0; MAX_SEATS];
        let share = 1.0 / winners.len().max(1) as f32;
        winners.iter().for_each(|seat| shares[seat.index()] = share);
        Self(shares)
    }

    /// Plays a random game from a position.
    #[inline]
    pub(crate) fn of_playout<P: Position>(policy: &impl Playout<P>, position: &mut P, rng: &mut Rng) -> Self {
        policy.play_out(position, rng);
        if let Status::Over(outcome) = position.status() {
            return Self::of_winners(outcome.winners);
        }
        let mut shares = [0.0; MAX_SEATS];
        for seat in Seat::all(position.n_seats()) {
            shares[seat.index()] = policy.hope(position, seat);
        }
        Self(shares)
    }

    #[inline]
    pub(crate) const fn of(&self, seat: Seat) -> f32 {
        self.0[seat.index()]
    }
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

/// More than any value of a move that was tried, and yet small enough that a bias still tells.
const UNTRIED: f32 = 1000.0;

/// How often the clock is looked at, in playouts.
const CLOCK_EVERY: u64 = 32;

#[derive(Debug)]
struct Node<M> {
    mv: M,
    /// The seat that moved into this node.
    mover: Seat,
    visits: u32,
    /// The mover's rewards, added up.
    reward: f32,
    /// What the mover hopes from it before it is tried.
    bias: f32,
    /// Its children are neighbours in the arena.
    first_child: u32,
    n_children: u32,
    /// Who wins, once that is certain.
    proven: Option<Seats>,
}

impl<M> Node<M> {
    const fn new(mv: M, mover: Seat, bias: f32) -> Self {
        Self { mv, mover, visits: 0, reward: 0.0, bias, first_child: 0, n_children: 0, proven: None }
    }
}

#[derive(Debug)]
pub(crate) struct Tree<M> {
    nodes: Vec<Node<M>>,
    /// The way of the current playout.
    path: Vec<u32>,
}

impl<M: Copy + Eq> Tree<M> {
    /// A tree that knows nothing; `any` is some move.
    pub(crate) fn new(any: M) -> Self {
        Self { nodes: vec![Node::new(any, Seat::new(0), 0.0)], path: vec![] }
    }

    pub(crate) fn is_proven(&self) -> bool {
        self.nodes[0].proven.is_some()
    }

    /// The part below a node, as a tree of its own.
    pub(crate) fn below(&self, node: u32) -> Self {
        let root = &self.nodes[node as usize];
        let mut nodes = vec![Node { ..*root }];
        let mut idx = 0;
        // Nodes still have the numbers of the old tree until their children follow.
        while let Some(&Node { first_child, n_children, .. }) = nodes.get(idx) {
            nodes[idx].first_child = nodes.len() as u32;
            let children = &self.nodes[first_child as usize..(first_child + n_children) as usize];
            nodes.extend(children.iter().map(|child| Node { ..*child }));
            idx += 1;
        }
        Self { nodes, path: vec![] }
    }

    /// The best moves of the root, the best first, with what would follow.
    pub(crate) fn lines(&self, max_lines: usize) -> Vec<Line<M>> {
        let by_rank = |&idx: &u32| std::cmp::Reverse(rank(&self.nodes[idx as usize]));
        let mut children: Vec<u32> = self.children(0).collect();
        children.sort_by_key(by_rank);
        children.truncate(max_lines);
        let line = |&first: &u32| {
            let node = &self.nodes[first as usize];
            let next = |&idx: &u32| {
                let known = |idx: &u32| {
                    let child = &self.nodes[*idx as usize];
                    child.visits > 0 || child.proven.is_some()
                };
                // Of equals the first, as everywhere.
                self.children(idx).filter(known).min_by_key(by_rank)
            };
            let moves = std::iter::successors(Some(first), next).map(|idx| self.nodes[idx as usize].mv);
            Line {
                moves: moves.collect(),
                value: match node.proven {
                    Some(winners) => reward(winners, node.mover),
                    None => node.reward / (node.visits as f32).max(1.0),
                },
                proven: node.proven.is_some(),
                plies: None,
                visits: node.visits,
            }
        };
        children.iter().map(line).collect()
    }

    /// The node a move leads to, if it has been tried.
    pub(crate) fn child(&self, node: u32, mv: M) -> Option<u32> {
        self.children(node).find(|&idx| self.nodes[idx as usize].mv == mv)
    }

    /// The moves from a node that have moves of their own below them.
    pub(crate) fn grown(&self, node: u32) -> impl Iterator<Item = (u32, M)> {
        let grown = self.children(node).filter(|&idx| self.nodes[idx as usize].n_children > 0);
        grown.map(|idx| (idx, self.nodes[idx as usize].mv))
    }

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
                // Every move is tried once, promising ones first.
                None if child.visits == 0 => UNTRIED + child.bias,
                None => {
                    let visits = child.visits as f32;
                    (child.reward + child.bias) / visits + exploration * (log_visits / visits).sqrt()
                }
            };
            if value > best.0 {
                best = (value, idx);
            }
        }
        best.1
    }

    /// Proves a node if one child wins for the seat to move, or all are proven and the best of them have the same winner.
    fn try_to_prove(&mut self, node: u32) {
        let mut best: Option<(f32, Seats)> = None;
        let (mut all, mut clear) = (true, true);
        for idx in self.children(node) {
            let child = &self.nodes[idx as usize];
            match child.proven {
                None => all = false,
                Some(winners) => {
                    let reward = reward(winners, child.mover);
                    match best {
                        Some((known, _)) if reward < known => {}
                        Some((known, same)) if reward <= known => clear &= winners == same,
                        _ => (best, clear) = (Some((reward, winners)), true),
                    }
                }
            }
        }
        if let Some((reward, winners)) = best
            && (all && clear || reward >= 1.0)
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
        let shares = match proven {
            Some(winners) => Shares::of_winners(winners),
            None => self.expand(tree, node, &mut position, rng),
        };
        for depth in (0..tree.path.len()).rev() {
            let idx = tree.path[depth];
            if tree.nodes[idx as usize].proven.is_none() && tree.nodes[idx as usize].n_children > 0 {
                tree.try_to_prove(idx);
            }
            let node = &mut tree.nodes[idx as usize];
            node.visits += 1;
            node.reward += shares.of(node.mover);
        }
    }

    /// Gives a leaf its children and plays a random game from it; a finished game is proven instead.
    fn expand<P: Position>(
        &self,
        tree: &mut Tree<P::Move>,
        node: u32,
        position: &mut P,
        rng: &mut Rng,
    ) -> Shares
    where
        O: Playout<P>,
    {
        match position.status() {
            Status::Over(outcome) => {
                tree.nodes[node as usize].proven = Some(outcome.winners);
                Shares::of_winners(outcome.winners)
            }
            Status::ToMove(seat) => {
                // A leaf is worth children once it has been visited before, so memory goes where visits go.
                if tree.nodes.len() < MAX_NODES && (node == 0 || tree.nodes[node as usize].visits > 0) {
                    let first_child = tree.nodes.len() as u32;
                    let ply = tree.path.len() as u32 - 1;
                    let untried = |mv| Node::new(mv, seat, self.policy.bias(position, mv));
                    let seen = position.legal_moves().filter(|&mv| self.policy.sees(position, mv, ply));
                    tree.nodes.extend(seen.map(untried));
                    if tree.nodes.len() as u32 == first_child {
                        // Somebody who sees no move at all looks again.
                        tree.nodes.extend(position.legal_moves().map(untried));
                    }
                    tree.nodes[node as usize].first_child = first_child;
                    tree.nodes[node as usize].n_children = tree.nodes.len() as u32 - first_child;
                }
                Shares::of_playout(&self.policy, position, rng)
            }
        }
    }
}

impl<O> Mcts<O> {
    /// Plays random games until the budget is spent, there were `limit` of them, or all is proven; says how many.
    pub(crate) fn grow<P: Position>(
        &self,
        tree: &mut Tree<P::Move>,
        position: &P,
        rng: &mut Rng,
        budget: &Budget,
        limit: u64,
    ) -> u64
    where
        O: Playout<P>,
    {
        let mut done = 0;
        while done < limit && !tree.is_proven() {
            if done.is_multiple_of(CLOCK_EVERY) && done > 0 && budget.is_spent(done) {
                break;
            }
            self.iterate(tree, position, rng);
            done += 1;
        }
        done
    }

    /// How many random games a budget allows.
    pub(crate) fn limit(&self, budget: &Budget) -> u64 {
        budget.work.unwrap_or(if budget.deadline.is_some() { u64::MAX } else { self.playouts })
    }
}

impl<O> Mcts<O> {
    /// The move to play, and how many random games it took to find it.
    pub fn search<P: Position>(&self, position: &P, budget: &Budget) -> (P::Move, u64)
    where
        O: Playout<P>,
    {
        let first = position.legal_moves().next().expect("a search begins while the game goes on");
        let mut tree = Tree::new(first);
        let done = self.grow(&mut tree, position, &mut budget.seed.rng(), budget, self.limit(budget));
        (best_move(&[tree]).unwrap_or(first), done)
    }
}

impl<P: Position, O: Playout<P>> Strategy<P> for Mcts<O> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        self.search(position, budget).0
    }
}

/// How good a node is for its mover: a proven win, else by visits; proven losses last.
fn rank<M>(node: &Node<M>) -> (u32, u32) {
    let class = match node.proven {
        Some(winners) if reward(winners, node.mover) >= 1.0 => 2,
        Some(winners) if !winners.contains(node.mover) => 0,
        _ => 1,
    };
    (class, node.visits)
}

/// The move to play after trees of the same position were grown: a proven win, else the most visited move that is not
/// a proven loss; of equals the first.
pub(crate) fn best_move<M: Copy + Eq>(trees: &[Tree<M>]) -> Option<M> {
    let (first, others) = trees.split_first()?;
    let mut best: Option<((u32, u32), M)> = None;
    for idx in first.children(0) {
        let mv = first.nodes[idx as usize].mv;
        let also = others.iter().filter_map(|tree| tree.child(0, mv).map(|idx| &tree.nodes[idx as usize]));
        let nodes = std::iter::once(&first.nodes[idx as usize]).chain(also);
        let sum = nodes.map(rank).fold((1, 0), |(class, visits), (node_class, node_visits)| {
            // What one tree has proven is certain in all.
            (if node_class == 1 { class } else { node_class }, visits + node_visits)
        });
        if best.is_none_or(|(known, _)| sum > known) {
            best = Some((sum, mv));
        }
    }
    best.map(|(_, mv)| mv)
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

    #[test]
    fn who_cannot_win_proves_nothing_while_it_may_choose_the_winner() {
        let of = |seat| Some(Seats::only(Seat::new(seat)));
        let node = |proven, n_children| Node {
            proven,
            n_children,
            first_child: 1,
            ..Node::new('a', Seat::new(0), 0.0)
        };
        for ([one, two], expected) in [([1, 2], None), ([1, 1], of(1)), ([1, 0], of(0))] {
            let nodes = vec![node(None, 2), node(of(one), 0), node(of(two), 0)];
            let mut tree = Tree { nodes, path: vec![] };
            tree.try_to_prove(0);
            assert_eq!(tree.nodes[0].proven, expected, "won by {one} or {two}");
        }
    }
}
