//! The heaviest matching of a graph: who is paired with whom so that the weights sum up to the most.
//!
//! Edmonds' algorithm with dual variables on a dense graph, in cubic time. A vertex or a blossom (an odd cycle that is
//! treated as one vertex) is a *node*. Written here because weights have hundreds of bits, which no kept crate offers.
//!
//! Inside, where there is no edge there is one of no weight, and with an odd number of vertices there is one more: then
//! everybody has a mate, and the duals may begin wherever they leave no edge with a slack below zero. They begin as low
//! as they can, so that most vertices have their mate before the first tree grows.

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

/// The mate of each of `n` vertices in a heaviest matching. An edge without a weight is no edge. Asks once for each two
/// vertices, the lower one first.
pub(super) fn heaviest<const N: usize>(
    n: usize,
    mut weight: impl FnMut(usize, usize) -> Option<Wide<N>>,
) -> Vec<Option<usize>> {
    let mut is_edge = vec![false; n * n];
    let mut graph = Graph::new(n.next_multiple_of(2), |u, v| {
        let weight = if v < n { weight(u, v) } else { None };
        if let Some(weight) = weight {
            is_edge[u * n + v] = true;
            return weight;
        }
        Wide::ZERO
    });
    graph.begin();
    while graph.augment() {}
    let mate = |u: usize| {
        let mate = graph.mate[u];
        (mate < n && is_edge[u.min(mate) * n + u.max(mate)]).then_some(mate)
    };
    (0..n).map(mate).collect()
}

struct Graph<const N: usize> {
    /// How many vertices there are, an even number.
    n: usize,
    /// How many nodes there can be.
    nodes: usize,
    /// Four times the weights, by one vertex and the other: labels are even then at first, and whatever is halved is even.
    weight: Vec<Wide<N>>,
    /// By blossom and node: the vertices of the edge between them that has the least slack, the first one in the blossom.
    edge: Vec<Vec<(usize, usize)>>,
    /// The dual variables.
    label: Vec<Wide<N>>,
    /// The vertex at the other end of a node's matching edge.
    mate: Vec<usize>,
    /// For a node: the even vertex from which the edge with the least slack leads to it.
    nearest: Vec<usize>,
    /// The slack of that edge.
    distance: Vec<Wide<N>>,
    /// The outermost node that a node is in; `NONE` for a blossom that is not used.
    outer: Vec<usize>,
    /// The vertex from which the tree has reached a node.
    parent: Vec<usize>,
    /// The nodes of a blossom, around the cycle from its base.
    cycle: Vec<Vec<usize>>,
    /// By blossom and vertex: the node of the cycle that the vertex is in.
    within: Vec<Vec<usize>>,
    side: Vec<Side>,
    seen: Vec<usize>,
    search: usize,
    queue: Vec<usize>,
}

impl<const N: usize> Graph<N> {
    fn new(n: usize, mut weight: impl FnMut(usize, usize) -> Wide<N>) -> Self {
        // Blossoms have at least three nodes, so there are never more than half as many as vertices.
        let nodes = n + n / 2 + 1;
        let mut graph = Self {
            n,
            nodes,
            weight: vec![Wide::ZERO; n * n],
            edge: vec![vec![]; nodes - n],
            label: vec![Wide::ZERO; nodes],
            mate: vec![NONE; nodes],
            nearest: vec![NONE; nodes],
            distance: vec![Wide::ZERO; nodes],
            outer: (0..nodes).map(|node| if node < n { node } else { NONE }).collect(),
            parent: vec![NONE; nodes],
            cycle: vec![vec![]; nodes],
            within: vec![vec![]; nodes - n],
            side: vec![Side::Outside; nodes],
            seen: vec![0; nodes],
            search: 0,
            queue: vec![],
        };
        for u in 0..n {
            for v in u + 1..n {
                let twice = weight(u, v).doubled();
                for vertex in [u, v] {
                    if graph.label[vertex] < twice {
                        graph.label[vertex] = twice;
                    }
                }
                graph.weight[u * n + v] = twice.doubled();
                graph.weight[v * n + u] = twice.doubled();
            }
        }
        graph
    }

    /// Lowers the labels one by one as far as they go, and pairs who then has an edge without slack to somebody who is free.
    fn begin(&mut self) {
        for u in 0..self.n {
            if self.mate[u] != NONE {
                continue;
            }
            let others = || (0..self.n).filter(|&v| v != u);
            let Some(least) = others().map(|v| self.slack((u, v))).min() else { return };
            self.label[u] = self.label[u].minus(&least);
            let free = others().find(|&v| self.mate[v] == NONE && self.slack((u, v)).is_zero());
            if let Some(v) = free {
                self.mate[u] = v;
                self.mate[v] = u;
            }
        }
    }

    /// How far the duals are from letting an edge be used; zero is not at all.
    fn slack(&self, (u, v): (usize, usize)) -> Wide<N> {
        Wide::sum_less(&self.label[u], &self.label[v], &self.weight[u * self.n + v])
    }

    /// The edge between two nodes that has the least slack, its vertex in the first one first.
    fn edge(&self, one: usize, other: usize) -> Option<(usize, usize)> {
        let edge = match (one.checked_sub(self.n), other.checked_sub(self.n)) {
            (None, None) => return (one != other).then_some((one, other)),
            (Some(blossom), _) => *self.edge[blossom].get(other)?,
            (None, Some(blossom)) => {
                let (v, u) = *self.edge[blossom].get(one)?;
                (u, v)
            }
        };
        (edge.0 != NONE).then_some(edge)
    }

    /// The node of a blossom's cycle, or the vertex itself, in which this vertex of it is.
    fn within(&self, node: usize, vertex: usize) -> usize {
        node.checked_sub(self.n).map_or(vertex, |blossom| self.within[blossom][vertex])
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
        if let Some(edge) = self.edge(u, node) {
            self.offer_at(u, node, self.slack(edge));
        }
    }

    fn offer_at(&mut self, u: usize, node: usize, slack: Wide<N>) {
        if self.nearest[node] == NONE || slack < self.distance[node] {
            self.nearest[node] = u;
            self.distance[node] = slack;
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
        let entry = self.within(node, u);
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
        let mut within = vec![NONE; self.n];
        let mut edges = vec![(NONE, NONE); self.nodes];
        // What an earlier blossom of this number was to others is over.
        self.edge
            .iter_mut()
            .filter(|edges| !edges.is_empty())
            .for_each(|edges| edges[blossom] = (NONE, NONE));
        let mut least = vec![Wide::ZERO; self.nodes];
        for &part in &cycle {
            // Also to nodes that are parts of others now: they may come out again.
            for node in (0..self.nodes).filter(|&node| node != blossom && self.outer[node] != NONE) {
                let Some(edge) = self.edge(part, node) else { continue };
                let slack = self.slack(edge);
                if edges[node].0 == NONE || slack < least[node] {
                    (edges[node], least[node]) = (edge, slack);
                }
            }
            for (vertex, node) in within.iter_mut().enumerate() {
                let is_in = if part < self.n { part == vertex } else { self.within(part, vertex) != NONE };
                if is_in {
                    *node = part;
                }
            }
        }
        for (other, &(inner, outer)) in self.edge.iter_mut().zip(&edges[self.n..]) {
            if inner != NONE {
                other[blossom] = (outer, inner);
            }
        }
        self.within[blossom - self.n] = within;
        self.edge[blossom - self.n] = edges;
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
        let entry = self.within(blossom, u);
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
                    && self.distance[node].is_zero()
                    && let Some(edge) = self.edge(nearest, node)
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
                let node = self.outer[v];
                if self.outer[u] == node || self.side[node] == Side::Odd {
                    continue;
                }
                let slack = self.slack((u, v));
                if slack.is_zero() {
                    if self.use_edge((u, v)) {
                        return true;
                    }
                } else if node == v {
                    self.offer_at(u, v, slack);
                } else {
                    self.offer(u, node);
                }
            }
        }
        false
    }

    /// How far the duals can move until an edge loses its slack or an odd blossom its dual. `None` would mean that
    /// somebody cannot have a mate, which cannot be where everybody has an edge to everybody.
    fn step(&self) -> Option<Wide<N>> {
        let blossoms = (self.n..self.nodes)
            .filter(|&node| self.outer[node] == node && self.side[node] == Side::Odd)
            .map(|node| self.label[node].halved());
        let edges = (0..self.nodes).filter_map(|node| {
            if self.outer[node] != node || self.nearest[node] == NONE {
                return None;
            }
            match self.side[node] {
                Side::Outside => Some(self.distance[node]),
                Side::Even => Some(self.distance[node].halved()),
                Side::Odd => None,
            }
        });
        blossoms.chain(edges).min()
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
        for node in 0..self.nodes {
            let is_blossom = node >= self.n;
            match self.side[node] {
                _ if self.outer[node] != node => {}
                Side::Even => {
                    if is_blossom {
                        self.label[node] = self.label[node].plus(&twice);
                    }
                    self.distance[node] = self.distance[node].minus(&twice);
                }
                Side::Odd if is_blossom => self.label[node] = self.label[node].minus(&twice),
                Side::Odd => {}
                Side::Outside => self.distance[node] = self.distance[node].minus(step),
            }
        }
    }
}

#[cfg(test)]
mod tests;
