//! Who is connected with whom by results.

use std::collections::BTreeSet;

/// How results connect players. A fit without a prior needs one single strong part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// The players of a part have each won or drawn, directly or by others, against each other. A part comes after those
    /// it only lost to.
    pub strong: Vec<Vec<usize>>,
    /// The players of a part have met, directly or by others; those of different parts cannot be compared.
    pub weak: Vec<Vec<usize>>,
}

impl Parts {
    /// Of players `0..n_players`, by pairs of which the first one won or drew against the second.
    pub(crate) fn new(n_players: usize, beaten: &BTreeSet<(usize, usize)>) -> Self {
        let mut wins = vec![vec![]; n_players];
        let mut losses = vec![vec![]; n_players];
        let mut met = vec![vec![]; n_players];
        for &(winner, loser) in beaten {
            wins[winner].push(loser);
            losses[loser].push(winner);
            met[winner].push(loser);
            met[loser].push(winner);
        }
        let weak = reached(&met, 0..n_players);
        // Whoever is left last wins, in the end, against all that it was reached from: backwards from there, the
        // reached are the strong part.
        let order: Vec<usize> = left_last(&wins);
        let strong = by_dominance(&reached(&losses, order.into_iter().rev()), &wins);
        Self { strong, weak }
    }

    /// Whether two players have met, directly or by others.
    pub fn have_met(&self, one: usize, other: usize) -> bool {
        self.weak.iter().any(|part| part.contains(&one) && part.contains(&other))
    }
}

/// Parts of those who reach each other, begun from each of `from` that is not yet in one.
fn reached(edges: &[Vec<usize>], from: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut seen = vec![false; edges.len()];
    let mut parts = vec![];
    for start in from {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let (mut part, mut open) = (vec![], vec![start]);
        while let Some(player) = open.pop() {
            part.push(player);
            for &next in &edges[player] {
                if !seen[next] {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Everybody in the order in which a search in depth leaves them.
fn left_last(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut order = vec![];
    for start in 0..edges.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        // A player and how many of its edges were followed.
        let mut path = vec![(start, 0)];
        while let Some((player, followed)) = path.last_mut() {
            if let Some(&next) = edges[*player].get(*followed) {
                *followed += 1;
                if !seen[next] {
                    seen[next] = true;
                    path.push((next, 0));
                }
            } else {
                order.push(*player);
                path.pop();
            }
        }
    }
    order
}

/// Winners before losers; of those that neither won nor lost, the one with the first player.
fn by_dominance(parts: &[Vec<usize>], wins: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut part_of = vec![0; wins.len()];
    for (idx, part) in parts.iter().enumerate() {
        for &player in part {
            part_of[player] = idx;
        }
    }
    let beaten = |idx: usize| -> BTreeSet<usize> {
        let losers = parts[idx].iter().flat_map(|&player| &wins[player]);
        losers.map(|&loser| part_of[loser]).filter(|&other| other != idx).collect()
    };
    let beaten: Vec<BTreeSet<usize>> = (0..parts.len()).map(beaten).collect();
    let mut above = vec![0; parts.len()];
    for &loser in beaten.iter().flatten() {
        above[loser] += 1;
    }
    let mut ready: BTreeSet<(usize, usize)> =
        (0..parts.len()).filter(|&idx| above[idx] == 0).map(|idx| (parts[idx][0], idx)).collect();
    let mut ordered = vec![];
    while let Some((_, idx)) = ready.pop_first() {
        ordered.push(parts[idx].clone());
        for &loser in &beaten[idx] {
            above[loser] -= 1;
            if above[loser] == 0 {
                ready.insert((parts[loser][0], loser));
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strong(n_players: usize, beaten: &[(usize, usize)]) -> Vec<Vec<usize>> {
        Parts::new(n_players, &beaten.iter().copied().collect()).strong
    }

    #[test]
    fn parts_in_order_of_dominance() {
        assert_eq!(strong(3, &[(2, 1), (1, 0)]), [[2], [1], [0]]);
        assert_eq!(strong(3, &[(0, 1), (1, 2), (2, 0)]), [[0, 1, 2]]);
        assert_eq!(
            strong(5, &[(3, 4), (4, 3), (3, 0), (0, 1), (1, 0), (2, 1)]),
            [vec![2], vec![3, 4], vec![0, 1]]
        );
        assert_eq!(strong(2, &[]), [[0], [1]]);
        assert!(strong(0, &[]).is_empty());
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let n = 200_000;
        let beaten: BTreeSet<(usize, usize)> = (1..n).map(|player| (player - 1, player)).collect();
        let parts = Parts::new(n, &beaten);
        assert_eq!((parts.strong.len(), parts.weak.len()), (n, 1));
        assert!(parts.have_met(0, n - 1));
        assert!(!parts.have_met(0, n));
    }
}
