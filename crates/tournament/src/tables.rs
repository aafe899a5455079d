//! Rounds of tables at which everybody meets everybody as equally as can be.

use rookery_rules::{Rng, Seed, below};

/// One round: the players of each table, and who rests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Draw {
    pub(crate) tables: Vec<Vec<usize>>,
    pub(crate) resting: Vec<usize>,
}

/// Rounds of tables of these sizes, with `rests` players left over in each. By design where there is one (lines of an
/// affine plane, shifted classes), else by a search that starts from the same seed everywhere. `apart` are pairs that
/// should not sit together.
pub(crate) fn draw(sizes: &[usize], rests: usize, rounds: usize, apart: &[(usize, usize)]) -> Vec<Draw> {
    let players = sizes.iter().sum::<usize>() + rests;
    let equal = sizes.first().filter(|&&size| rests == 0 && sizes.iter().all(|&other| other == size));
    let design = equal.and_then(|&size| affine(players, size).or_else(|| shifted(players, size)));
    let bound = bound(sizes, rests, rounds);
    let mut best: Option<Search> = None;
    let designed = usize::from(design.is_some());
    for attempt in 0..designed + ATTEMPTS {
        let mut rng = Seed(players as u64).derive(attempt as u64).rng();
        let first = match &design {
            Some(design) if attempt == 0 => design.iter().cloned().cycle().take(rounds).collect(),
            _ => (0..rounds).map(|_| shuffled(sizes, players, &mut rng)).collect(),
        };
        let mut search = Search::new(players, sizes.len(), first, apart);
        if attempt > 0 || design.is_none() {
            search.improve(bound, &mut rng);
        }
        if best.as_ref().is_none_or(|best| search.cost < best.cost) {
            best = Some(search);
        }
        if best.as_ref().is_some_and(|best| best.cost <= bound) {
            break;
        }
    }
    best.map_or_else(Vec::new, Search::into_rounds)
}

/// How often the search starts anew.
const ATTEMPTS: usize = 4;
/// What a rest is worth beside a meeting.
const REST: i64 = 8;
/// How often those count as having met before who should not meet.
const APART: i64 = 1000;

/// The least that the squares of meetings can sum up to: meetings that differ by at most one; and what any two rounds
/// have to share.
fn bound(sizes: &[usize], rests: usize, rounds: usize) -> i64 {
    let (players, rounds) = ((sizes.iter().sum::<usize>() + rests) as i64, rounds as i64);
    let together = |size: i64| size * (size - 1) / 2;
    let evenly = |all: i64, over: i64| {
        let (each, more) = (all / over, all % over);
        (over - more) * each * each + more * (each + 1) * (each + 1)
    };
    let meetings = rounds * sizes.iter().map(|&size| together(size as i64)).sum::<i64>();
    let even = evenly(meetings, together(players).max(1));
    let rested = REST * evenly(rounds * rests as i64, players.max(1));
    if rests > 0 {
        return even + rested;
    }
    let tables = sizes.len().max(1) as i64;
    let shared: i64 = sizes
        .iter()
        .map(|&size| {
            let (each, more) = (size as i64 / tables, size as i64 % tables);
            (tables - more) * together(each) + more * together(each + 1)
        })
        .sum();
    even.max(meetings + rounds * (rounds - 1) * shared)
}

/// The lines of the affine plane over the field of `q` elements: `q * q` players at tables of `q`, `q + 1` rounds, and
/// everybody meets everybody once.
fn affine(players: usize, q: usize) -> Option<Vec<Vec<Vec<usize>>>> {
    if players != q * q || ![3, 4, 5, 7, 8].contains(&q) {
        return None;
    }
    let times = |a: usize, b: usize| match q {
        4 => carryless(a, b, 0b111),
        8 => carryless(a, b, 0b1011),
        _ => a * b % q,
    };
    let plus = |a: usize, b: usize| if q.is_multiple_of(2) { a ^ b } else { (a + b) % q };
    let line = |slope, height| (0..q).map(|x| x * q + plus(times(slope, x), height)).collect();
    let mut rounds: Vec<Vec<Vec<usize>>> =
        (0..q).map(|slope| (0..q).map(|height| line(slope, height)).collect()).collect();
    rounds.push((0..q).map(|x| (0..q).map(|y| x * q + y).collect()).collect());
    Some(rounds)
}

/// The product of two polynomials over the field of two elements, below a polynomial of degree 2 or 3.
fn carryless(a: usize, b: usize, modulus: usize) -> usize {
    let product = (0..3).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ a << bit);
    let degree = modulus.ilog2() as usize;
    (degree..6)
        .rev()
        .fold(product, |left, bit| if left >> bit & 1 == 1 { left ^ modulus << (bit - degree) } else { left })
}

/// `size` classes of `m` players each, `m` prime and not below `size`: in round `h` class `j` is shifted by `j * h`. In
/// `m` rounds all but classmates meet once.
fn shifted(players: usize, size: usize) -> Option<Vec<Vec<Vec<usize>>>> {
    let m = players / size;
    if players != m * size || m < size || (2..m).any(|divisor| m.is_multiple_of(divisor)) {
        return None;
    }
    let table = |h: usize, t: usize| (0..size).map(|j| j * m + (t + j * h) % m).collect();
    Some((0..m).map(|h| (0..m).map(|t| table(h, t)).collect()).collect())
}

/// Tables of these sizes, then who rests, at random.
fn shuffled(sizes: &[usize], players: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let mut all: Vec<usize> = (0..players).collect();
    for idx in (1..players).rev() {
        all.swap(idx, below(rng, idx as u32 + 1) as usize);
    }
    let mut left = &all[..];
    let mut groups: Vec<Vec<usize>> = vec![];
    for &size in sizes {
        let (table, rest) = left.split_at(size);
        groups.push(table.to_vec());
        left = rest;
    }
    if !left.is_empty() {
        groups.push(left.to_vec());
    }
    groups
}

/// Rounds on their way to better ones.
struct Search {
    players: usize,
    /// The groups from this one on rest.
    tables: usize,
    rounds: Vec<Vec<Vec<usize>>>,
    /// How often two have met, by one and the other.
    met: Vec<i64>,
    rested: Vec<i64>,
    /// The squares, summed.
    cost: i64,
}

impl Search {
    fn new(players: usize, tables: usize, rounds: Vec<Vec<Vec<usize>>>, apart: &[(usize, usize)]) -> Self {
        let mut met = vec![0; players * players];
        let mut rested = vec![0; players];
        for &(one, other) in apart {
            met[one * players + other] = APART;
            met[other * players + one] = APART;
        }
        for (number, group) in rounds.iter().flat_map(|round| round.iter().enumerate()) {
            for (idx, &one) in group.iter().enumerate() {
                if number >= tables {
                    rested[one] += 1;
                    continue;
                }
                for &other in &group[idx + 1..] {
                    met[one * players + other] += 1;
                    met[other * players + one] += 1;
                }
            }
        }
        let before = apart.len() as i64 * APART * APART;
        let squares = met.iter().map(|met| met * met).sum::<i64>() / 2 - before;
        let rests: i64 = rested.iter().map(|rested| rested * rested).sum();
        Self { players, tables, rounds, met, rested, cost: squares + REST * rests }
    }

    /// Exchanges players within rounds, at first also for the worse, until nothing gets better.
    fn improve(&mut self, bound: i64, rng: &mut Rng) {
        let seats = self.rounds.len() * self.players;
        let steps = (seats as u64 * 3000).clamp(50_000, 2_000_000);
        for step in 0..steps {
            if self.cost <= bound {
                return;
            }
            // Half as likely for every further `heat` that an exchange costs, in 1/256.
            let heat = 3 * 256 * (steps - step) / steps;
            let round = below(rng, self.rounds.len() as u32) as usize;
            let groups = self.rounds[round].len() as u32;
            let (s, t) = (below(rng, groups) as usize, below(rng, groups) as usize);
            if s == t {
                continue;
            }
            let i = below(rng, self.rounds[round][s].len() as u32) as usize;
            let j = below(rng, self.rounds[round][t].len() as u32) as usize;
            let change = self.change(round, (s, i), (t, j));
            let halvings = u64::from(below(rng, 1 << 16).trailing_zeros());
            if change <= 0 || change as u64 * 256 <= halvings * heat {
                self.exchange(round, (s, i), (t, j));
                self.cost += change;
            }
        }
    }

    /// By how much the cost changes when these two exchange their places.
    fn change(&self, round: usize, one: (usize, usize), other: (usize, usize)) -> i64 {
        let groups = &self.rounds[round];
        let (a, b) = (groups[one.0][one.1], groups[other.0][other.1]);
        let moves = |group: usize, goes: usize, comes: usize| -> i64 {
            if group >= self.tables {
                return REST * (2 * (self.rested[comes] - self.rested[goes]) + 2);
            }
            let others = groups[group].iter().filter(|&&player| player != goes);
            let each = |&player: &usize| {
                let met = |of: usize| self.met[of * self.players + player];
                2 * (met(comes) - met(goes)) + 2
            };
            others.map(each).sum()
        };
        moves(one.0, a, b) + moves(other.0, b, a)
    }

    fn exchange(&mut self, round: usize, one: (usize, usize), other: (usize, usize)) {
        let (a, b) = (self.rounds[round][one.0][one.1], self.rounds[round][other.0][other.1]);
        for (group, goes, comes) in [(one.0, a, b), (other.0, b, a)] {
            if group >= self.tables {
                self.rested[goes] -= 1;
                self.rested[comes] += 1;
                continue;
            }
            for &player in self.rounds[round][group].iter().filter(|&&player| player != goes) {
                for (of, by) in [(goes, -1), (comes, 1)] {
                    self.met[of * self.players + player] += by;
                    self.met[player * self.players + of] += by;
                }
            }
        }
        self.rounds[round][one.0][one.1] = b;
        self.rounds[round][other.0][other.1] = a;
    }

    fn into_rounds(self) -> Vec<Draw> {
        let tables = self.tables;
        let into_draw = |mut groups: Vec<Vec<usize>>| {
            for group in &mut groups {
                group.sort_unstable();
            }
            let resting = groups.split_off(tables).concat();
            groups.sort_unstable();
            Draw { tables: groups, resting }
        };
        self.rounds.into_iter().map(into_draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meetings(players: usize, rounds: &[Draw]) -> Vec<usize> {
        let together = |one: usize, other: usize| {
            let at = |table: &&Vec<usize>| table.contains(&one) && table.contains(&other);
            rounds.iter().flat_map(|round| &round.tables).filter(at).count()
        };
        (0..players).flat_map(|one| (0..one).map(move |other| together(one, other))).collect()
    }

    #[test]
    fn every_plane_lets_everybody_meet_everybody_once() {
        for q in [3, 4, 5, 7, 8] {
            let rounds = draw(&vec![q; q], 0, q + 1, &[]);
            assert!(meetings(q * q, &rounds).iter().all(|&met| met == 1), "order {q}");
        }
    }

    #[test]
    fn rests_are_shared_evenly_and_everybody_is_somewhere() {
        for (players, size, rounds) in [(7, 3, 7), (10, 4, 5), (11, 5, 11)] {
            let tables = players / size;
            let drawn = draw(&vec![size; tables], players % size, rounds, &[]);
            let mut rested = vec![0; players];
            for round in &drawn {
                let mut all = [round.tables.concat(), round.resting.clone()].concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..players));
                round.resting.iter().for_each(|&player| rested[player] += 1);
            }
            let (least, most) = (rested.iter().min().unwrap(), rested.iter().max().unwrap());
            assert!(most - least <= 1, "{rested:?}");
        }
    }

    #[test]
    fn who_should_stay_apart_does() {
        let rounds = draw(&[3, 3, 3], 0, 4, &[(0, 1), (4, 8)]);
        for round in &rounds {
            let both = |table: &Vec<usize>| {
                table.contains(&0) && table.contains(&1) || table.contains(&4) && table.contains(&8)
            };
            assert!(!round.tables.iter().any(both), "{round:?}");
        }
    }
}
