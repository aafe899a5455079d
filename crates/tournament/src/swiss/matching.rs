//! The heaviest matching of a graph: who is paired with whom so that the weights sum up to the most.
//!
//! Edmonds' algorithm with dual variables on a dense graph, in cubic time. A vertex or a blossom (an odd cycle that is
//! treated as one vertex) is a *node*. Written here because weights have hundreds of bits, which no kept crate offers.

use super::wide::Wide;

const NONE: usize = usize::MAX;

/// Where a node is in the alternating trees that grow from nodes without a mate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Outside,
    /// An even number of edges from the root.
    Even,
    Odd,
}

/// The mate of each of `n` vertices in a heaviest matching. An edge without a weight is no edge.
pub(super) fn heaviest<const N: usize>(
    n: usize,
    weight: impl Fn(usize, usize) -> Option<Wide<N>>,
) -> Vec<Option<usize>> {
    let mut graph = Graph::new(n, weight);
    while graph.augment() {}
    graph.mate[..n].iter().map(|&mate| (mate != NONE).then_some(mate)).collect()
}

struct Graph<const N: usize> {
    n: usize,
    /// How many nodes there can be.
    nodes: usize,
    /// Twice the weights, by one vertex and the other.
    weight: Vec<Option<Wide<N>>>,
    /// By two nodes: the vertices of the edge between them that has the least slack. The first one is in the first node.
    edge: Vec<(usize, usize)>,
    /// The dual variables.
    label: Vec<Wide<N>>,
    /// The vertex at the other end of a node's matching edge.
    mate: Vec<usize>,
    /// For a node: the even vertex from which the edge with the least slack leads to it.
    nearest: Vec<usize>,
    /// The outermost node that a node is in; `NONE` for a blossom that is not used.
    outer: Vec<usize>,
    /// The vertex from which the tree has reached a node.
    parent: Vec<usize>,
    /// The nodes of a blossom, around the cycle from its base.
    cycle: Vec<Vec<usize>>,
    /// By node and vertex: the node of the cycle that the vertex is in.
    within: Vec<usize>,
    side: Vec<Side>,
    seen: Vec<usize>,
    search: usize,
    queue: Vec<usize>,
}

impl<const N: usize> Graph<N> {
    fn new(n: usize, weight: impl Fn(usize, usize) -> Option<Wide<N>>) -> Self {
        // Blossoms have at least three nodes, so there are never more than half as many as vertices.
        let nodes = n + n / 2 + 1;
        let mut graph = Self {
            n,
            nodes,
            weight: vec![None; n * n],
            edge: vec![(NONE, NONE); nodes * nodes],
            label: vec![Wide::ZERO; nodes],
            mate: vec![NONE; nodes],
            nearest: vec![NONE; nodes],
            outer: (0..nodes).map(|node| if node < n { node } else { NONE }).collect(),
            parent: vec![NONE; nodes],
            cycle: vec![vec![]; nodes],
            within: vec![NONE; nodes * n],
            side: vec![Side::Outside; nodes],
            seen: vec![0; nodes],
            search: 0,
            queue: vec![],
        };
        let mut heaviest = Wide::ZERO;
        for u in 0..n {
            graph.within[u * n + u] = u;
            for v in (0..n).filter(|&v| v != u) {
                // Taken from one side only, so that both have the same.
                if let Some(weight) = weight(u.min(v), u.max(v)) {
                    graph.weight[u * n + v] = Some(weight.doubled());
                    graph.edge[u * nodes + v] = (u, v);
                    heaviest = heaviest.max(weight);
                }
            }
        }
        graph.label[..n].fill(heaviest);
        graph
    }

    /// How far the duals are from letting an edge be used; zero is not at all.
    fn slack(&self, (u, v): (usize, usize)) -> Wide<N> {
        let weight = self.weight[u * self.n + v].as_ref().expect("only edges have slack");
        self.label[u].plus(&self.label[v]).minus(weight)
    }

    fn edge(&self, one: usize, other: usize) -> Option<(usize, usize)> {
        let edge = self.edge[one * self.nodes + other];
        (edge.0 != NONE).then_some(edge)
    }

    /// The node at the other end of a node's matching edge.
    fn mate_node(&self, node: usize) -> usize {
        let mate = self.mate[node];
        if mate == NONE { NONE } else { self.outer[mate] }
    }

    /// The node from which the tree has reached a node.
    fn parent_node(&self, node: usize) -> usize {
        self.outer[self.parent[node]]
    }

    fn offer(&mut self, u: usize, node: usize) {
        let Some(edge) = self.edge(u, node) else { return };
        let nearest = self.nearest[node];
        let is_nearer = nearest == NONE
            || self.edge(nearest, node).is_none_or(|other| self.slack(edge) < self.slack(other));
        if is_nearer {
            self.nearest[node] = u;
        }
    }

    fn find_nearest(&mut self, node: usize) {
        self.nearest[node] = NONE;
        for u in 0..self.n {
            if self.outer[u] != node && self.side[self.outer[u]] == Side::Even {
                self.offer(u, node);
            }
        }
    }

    /// All vertices of a node are to be looked at.
    fn enqueue(&mut self, node: usize) {
        if node < self.n {
            self.queue.push(node);
        } else {
            for idx in 0..self.cycle[node].len() {
                self.enqueue(self.cycle[node][idx]);
            }
        }
    }

    fn set_outer(&mut self, node: usize, outer: usize) {
        self.outer[node] = outer;
        if node >= self.n {
            for idx in 0..self.cycle[node].len() {
                self.set_outer(self.cycle[node][idx], outer);
            }
        }
    }

    /// How many steps from the base of a blossom a node of its cycle is, in the direction in which that is even.
    fn steps_to(&mut self, blossom: usize, node: usize) -> usize {
        let cycle = &mut self.cycle[blossom];
        let steps = cycle.iter().position(|&other| other == node).expect("the node is in the cycle");
        if steps % 2 == 0 {
            return steps;
        }
        cycle[1..].reverse();
        cycle.len() - steps
    }

    /// Matches a node along its edge to another one, and within it whatever that changes.
    fn set_mate(&mut self, node: usize, other: usize) {
        let (u, v) = self.edge(node, other).expect("nodes are matched along edges");
        self.mate[node] = v;
        if node < self.n {
            return;
        }
        let entry = self.within[node * self.n + u];
        let steps = self.steps_to(node, entry);
        for idx in (0..steps).step_by(2) {
            let (one, other) = (self.cycle[node][idx], self.cycle[node][idx + 1]);
            self.set_mate(one, other);
            self.set_mate(other, one);
        }
        self.set_mate(entry, other);
        self.cycle[node].rotate_left(steps);
    }

    /// Changes the matching on the way from a node up to the root of its tree; the node's new mate is `other`.
    fn flip(&mut self, mut node: usize, mut other: usize) {
        loop {
            let before = self.mate_node(node);
            self.set_mate(node, other);
            if before == NONE {
                return;
            }
            let above = self.parent_node(before);
            self.set_mate(before, above);
            (node, other) = (above, before);
        }
    }

    /// Where the ways from two even nodes to their roots meet; `NONE` if they have different roots.
    fn meeting_point(&mut self, mut one: usize, mut other: usize) -> usize {
        self.search += 1;
        while one != NONE || other != NONE {
            if one != NONE {
                if self.seen[one] == self.search {
                    return one;
                }
                self.seen[one] = self.search;
                let mate = self.mate_node(one);
                one = if mate == NONE { NONE } else { self.parent_node(mate) };
            }
            std::mem::swap(&mut one, &mut other);
        }
        NONE
    }

    /// Makes one node of the cycle that an edge between two even nodes of a tree has closed.
    fn shrink(&mut self, one: usize, base: usize, other: usize) {
        let blossom = (self.n..self.nodes).find(|&node| self.outer[node] == NONE).expect("blossoms are few");
        self.label[blossom] = Wide::ZERO;
        self.side[blossom] = Side::Even;
        self.mate[blossom] = self.mate[base];
        self.parent[blossom] = self.parent[base];
        let mut cycle = vec![base];
        for (from, backwards) in [(one, true), (other, false)] {
            let mut node = from;
            while node != base {
                let mate = self.mate_node(node);
                cycle.extend([node, mate]);
                self.enqueue(mate);
                node = self.parent_node(mate);
            }
            if backwards {
                cycle[1..].reverse();
            }
        }
        self.cycle[blossom].clone_from(&cycle);
        self.set_outer(blossom, blossom);
        self.within[blossom * self.n..(blossom + 1) * self.n].fill(NONE);
        for node in 0..self.nodes {
            self.edge[blossom * self.nodes + node] = (NONE, NONE);
            self.edge[node * self.nodes + blossom] = (NONE, NONE);
        }
        for &part in &cycle {
            // Also to nodes that are parts of others now: they may come out again.
            for node in 0..self.nodes {
                let Some(edge) = self.edge(part, node) else { continue };
                if self.edge(blossom, node).is_none_or(|known| self.slack(edge) < self.slack(known)) {
                    self.edge[blossom * self.nodes + node] = edge;
                    self.edge[node * self.nodes + blossom] = (edge.1, edge.0);
                }
            }
            for vertex in 0..self.n {
                if self.within[part * self.n + vertex] != NONE {
                    self.within[blossom * self.n + vertex] = part;
                }
            }
        }
        self.find_nearest(blossom);
    }

    /// Takes an odd blossom apart whose dual has become zero.
    fn expand(&mut self, blossom: usize) {
        for idx in 0..self.cycle[blossom].len() {
            let part = self.cycle[blossom][idx];
            self.set_outer(part, part);
        }
        let from = self.parent[blossom];
        let (u, _) = self.edge(blossom, from).expect("the tree has reached it along an edge");
        let entry = self.within[blossom * self.n + u];
        let steps = self.steps_to(blossom, entry);
        for idx in (0..steps).step_by(2) {
            let (odd, even) = (self.cycle[blossom][idx], self.cycle[blossom][idx + 1]);
            self.parent[odd] = self.edge(even, odd).expect("neighbours of a cycle have an edge").0;
            self.side[odd] = Side::Odd;
            self.side[even] = Side::Even;
            self.nearest[odd] = NONE;
            self.find_nearest(even);
            self.enqueue(even);
        }
        self.side[entry] = Side::Odd;
        self.parent[entry] = from;
        for idx in steps + 1..self.cycle[blossom].len() {
            let part = self.cycle[blossom][idx];
            self.side[part] = Side::Outside;
            self.find_nearest(part);
        }
        self.outer[blossom] = NONE;
    }

    /// Uses an edge without slack that leads out of an even node. Whether there is one more pair now.
    fn use_edge(&mut self, (u, v): (usize, usize)) -> bool {
        let (one, other) = (self.outer[u], self.outer[v]);
        match self.side[other] {
            Side::Outside => {
                self.parent[other] = u;
                self.side[other] = Side::Odd;
                let mate = self.mate_node(other);
                self.nearest[other] = NONE;
                self.nearest[mate] = NONE;
                self.side[mate] = Side::Even;
                self.enqueue(mate);
                false
            }
            Side::Even => {
                let base = self.meeting_point(one, other);
                if base == NONE {
                    self.flip(one, other);
                    self.flip(other, one);
                    return true;
                }
                self.shrink(one, base, other);
                false
            }
            Side::Odd => false,
        }
    }

    /// Grows trees from all nodes without a mate until there is one more pair, or until that would weigh less.
    fn augment(&mut self) -> bool {
        self.side.fill(Side::Outside);
        self.nearest.fill(NONE);
        self.queue.clear();
        for node in 0..self.nodes {
            if self.outer[node] == node && self.mate[node] == NONE {
                self.parent[node] = NONE;
                self.side[node] = Side::Even;
                self.enqueue(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            if self.grow() {
                return true;
            }
            let Some(step) = self.step() else { return false };
            self.move_duals(&step);
            self.queue.clear();
            for node in 0..self.nodes {
                let nearest = self.nearest[node];
                if self.outer[node] == node
                    && nearest != NONE
                    && self.outer[nearest] != node
                    && let Some(edge) = self.edge(nearest, node)
                    && self.slack(edge).is_zero()
                    && self.use_edge(edge)
                {
                    return true;
                }
            }
            for blossom in self.n..self.nodes {
                if self.outer[blossom] == blossom
                    && self.side[blossom] == Side::Odd
                    && self.label[blossom].is_zero()
                {
                    self.expand(blossom);
                }
            }
        }
    }

    /// Follows all edges without slack from the vertices that are to be looked at.
    fn grow(&mut self) -> bool {
        while let Some(u) = self.queue.pop() {
            if self.side[self.outer[u]] == Side::Odd {
                continue;
            }
            for v in 0..self.n {
                if self.weight[u * self.n + v].is_none() || self.outer[u] == self.outer[v] {
                    continue;
                }
                if !self.slack((u, v)).is_zero() {
                    self.offer(u, self.outer[v]);
                } else if self.use_edge((u, v)) {
                    return true;
                }
            }
        }
        false
    }

    /// How far the duals can move until an edge loses its slack or an odd blossom its dual; `None` if the labels of the
    /// vertices without a mate come to zero before, since then nothing gets heavier.
    fn step(&self) -> Option<Wide<N>> {
        let blossoms = (self.n..self.nodes)
            .filter(|&node| self.outer[node] == node && self.side[node] == Side::Odd)
            .map(|node| self.label[node].halved());
        let edges = (0..self.nodes).filter_map(|node| {
            let nearest = self.nearest[node];
            if self.outer[node] != node || nearest == NONE {
                return None;
            }
            let slack = self.slack(self.edge(nearest, node)?);
            match self.side[node] {
                Side::Outside => Some(slack),
                Side::Even => Some(slack.halved()),
                Side::Odd => None,
            }
        });
        let step = blossoms.chain(edges).min();
        let mut even = (0..self.n).filter(|&u| self.side[self.outer[u]] == Side::Even);
        let ends = even.any(|u| step.is_none_or(|step| self.label[u] <= step));
        if ends { None } else { step }
    }

    fn move_duals(&mut self, step: &Wide<N>) {
        for u in 0..self.n {
            match self.side[self.outer[u]] {
                Side::Even => self.label[u] = self.label[u].minus(step),
                Side::Odd => self.label[u] = self.label[u].plus(step),
                Side::Outside => {}
            }
        }
        let twice = step.doubled();
        for node in self.n..self.nodes {
            match self.side[node] {
                _ if self.outer[node] != node => {}
                Side::Even => self.label[node] = self.label[node].plus(&twice),
                Side::Odd => self.label[node] = self.label[node].minus(&twice),
                Side::Outside => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rookery_rules::{Rng, Seed, below};

    use super::super::wide::{Digit, Digits};
    use super::*;

    /// The most that a matching of the vertices in this set can weigh.
    fn most(n: usize, weights: &[Option<u64>], set: usize, known: &mut Vec<Option<u64>>) -> u64 {
        if set == 0 {
            return 0;
        }
        if let Some(most) = known[set] {
            return most;
        }
        let first = set.trailing_zeros() as usize;
        let rest = set & !(1 << first);
        let mut best = most(n, weights, rest, known);
        for v in (0..n).filter(|v| rest >> v & 1 == 1) {
            if let Some(weight) = weights[first * n + v] {
                best = best.max(weight + most(n, weights, rest & !(1 << v), known));
            }
        }
        known[set] = Some(best);
        best
    }

    fn random_graph(n: usize, rng: &mut Rng) -> Vec<Option<u64>> {
        let (density, largest) = (2 + below(rng, 8), 1 + below(rng, 12));
        let mut weights = vec![None; n * n];
        for u in 0..n {
            for v in u + 1..n {
                if below(rng, 10) < density {
                    let weight = Some(u64::from(1 + below(rng, largest)));
                    weights[u * n + v] = weight;
                    weights[v * n + u] = weight;
                }
            }
        }
        weights
    }

    #[test]
    fn as_heavy_as_the_best_of_all_matchings() {
        let mut digits = Digits::default();
        digits.push(1 << 40);
        for seed in 0..3000 {
            let rng = &mut Seed(seed).rng();
            let n = 1 + below(rng, 12) as usize;
            let weights = random_graph(n, rng);
            let mates = heaviest::<2>(n, |u, v| {
                weights[u * n + v].map(|weight| digits.weight(&[Digit::Number(weight)]))
            });
            let mut sum = 0;
            for (u, mate) in mates.iter().enumerate() {
                let Some(v) = *mate else { continue };
                assert_eq!(mates[v], Some(u), "seed {seed}");
                sum += weights[u * n + v].expect("matched along an edge");
            }
            let expected = most(n, &weights, (1 << n) - 1, &mut vec![None; 1 << n]);
            assert_eq!(sum, 2 * expected, "seed {seed}");
        }
    }
}
