//! Tables of more than two in a Swiss round: near in points, and few who met before.

use rookery_rules::{Seed, below};

/// What a partition costs: repeated meetings first, then squared differences of points.
type Cost = (u64, u128);

/// The most partitions that are all looked at.
const ALL: u64 = 50_000;
/// How often everybody is tried against everybody, at most.
const PASSES: usize = 50;
/// How many exchanges are looked at, at most, so that nobody meets again; and how many are made.
const LOOKS: usize = 4_000_000;
const MOVES: usize = 20_000;
/// For how many exchanges nobody comes back to a table it left, at least.
const AWAY: usize = 4;

/// Who sits together: tables of these sizes of players with these points, the players of a table in their order. First as
/// few as possible meet again (`met` says how often two have met), then the sum of squared differences of points at the
/// tables is least: exactly where there are few ways, else as good as a search of bounded length and exchanges can make it.
///
/// ```
/// use rookery_tournament::swiss_tables;
///
/// // 0 and 1 have met, so have 2 and 3.
/// let met = |one: usize, other: usize| u64::from((one < 2) == (other < 2) && one.max(other) < 4);
/// assert_eq!(swiss_tables(&[3, 3, 2, 2, 0, 0], met, &[3, 3]), [[0, 2, 4], [1, 3, 5]]);
/// ```
pub fn swiss_tables(points: &[i64], met: impl Fn(usize, usize) -> u64, sizes: &[usize]) -> Vec<Vec<usize>> {
    let n = points.len();
    let mut pairs = vec![(0, 0); n * n];
    for one in 0..n {
        for other in (0..n).filter(|&other| other != one) {
            let difference = u128::from(points[one].abs_diff(points[other]));
            pairs[one * n + other] = (met(one.min(other), one.max(other)), difference * difference);
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&player| (std::cmp::Reverse(points[player]), player));
    let search = Search { n, pairs };
    let mut tables = cut(&order, sizes);
    if partitions(sizes) <= ALL {
        let mut found = Found { tables: vec![], least: search.cost(&tables), best: tables };
        search.all(&order, &mut sizes.to_vec(), &mut found, (0, 0));
        tables = found.best;
    } else {
        search.exchange(&mut tables);
        if search.cost(&tables).0 > 0 {
            search.separate(&mut tables);
            search.exchange(&mut tables);
        }
    }
    for table in &mut tables {
        table.sort_by_key(|&player| (std::cmp::Reverse(points[player]), player));
    }
    let rank = |table: &Vec<usize>| order.iter().position(|player| table.contains(player));
    tables.sort_by_key(rank);
    tables
}

/// In how many ways players can be put to tables of these sizes; no more than matters.
fn partitions(sizes: &[usize]) -> u64 {
    let mut left: usize = sizes.iter().sum();
    let mut ways: u64 = 1;
    for (idx, &size) in sizes.iter().enumerate() {
        for seat in 0..size as u64 {
            ways = ways.saturating_mul((left as u64).saturating_sub(seat)) / (seat + 1);
            if ways > u64::MAX / 1024 {
                return u64::MAX;
            }
        }
        left -= size;
        let equal = sizes[..=idx].iter().filter(|&&other| other == size).count() as u64;
        ways /= equal;
    }
    ways
}

/// In their order, one table after the other.
fn cut(order: &[usize], sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut from = 0;
    let table = |&size: &usize| {
        from += size;
        order[from - size..from].to_vec()
    };
    sizes.iter().map(table).collect()
}

/// The tables so far, and the best that were found.
struct Found {
    tables: Vec<Vec<usize>>,
    least: Cost,
    best: Vec<Vec<usize>>,
}

struct Search {
    n: usize,
    /// What it costs that two sit together.
    pairs: Vec<Cost>,
}

fn plus(one: Cost, other: Cost) -> Cost {
    (one.0 + other.0, one.1 + other.1)
}

impl Search {
    fn with(&self, player: usize, table: &[usize]) -> Cost {
        table.iter().fold((0, 0), |cost, &other| plus(cost, self.pairs[player * self.n + other]))
    }

    fn cost(&self, tables: &[Vec<usize>]) -> Cost {
        let of_table = |table: &Vec<usize>| {
            (1..table.len()).fold((0, 0), |cost, idx| plus(cost, self.with(table[idx], &table[..idx])))
        };
        tables.iter().fold((0, 0), |cost, table| plus(cost, of_table(table)))
    }

    /// Goes through all partitions: the first who is left sits at the next table, with any others.
    fn all(&self, left: &[usize], sizes: &mut Vec<usize>, found: &mut Found, cost: Cost) {
        if cost >= found.least {
            return;
        }
        let Some((&first, others)) = left.split_first() else {
            found.least = cost;
            found.best.clone_from(&found.tables);
            return;
        };
        let mut tried = vec![];
        for idx in 0..sizes.len() {
            if tried.contains(&sizes[idx]) {
                continue;
            }
            let size = sizes.remove(idx);
            tried.push(size);
            found.tables.push(vec![first]);
            self.fill((others, 0), size, sizes, found, cost);
            found.tables.pop();
            sizes.insert(idx, size);
        }
    }

    /// Fills the last table with any of the others from one of them on.
    fn fill(
        &self,
        (others, from): (&[usize], usize),
        size: usize,
        sizes: &mut Vec<usize>,
        found: &mut Found,
        cost: Cost,
    ) {
        let at = found.tables.len() - 1;
        if cost >= found.least {
            return;
        }
        if found.tables[at].len() == size {
            let table = &found.tables[at];
            let left: Vec<usize> = others.iter().copied().filter(|player| !table.contains(player)).collect();
            self.all(&left, sizes, found, cost);
            return;
        }
        for idx in from..others.len() {
            let more = plus(cost, self.with(others[idx], &found.tables[at]));
            found.tables[at].push(others[idx]);
            self.fill((others, idx + 1), size, sizes, found, more);
            found.tables[at].pop();
        }
    }

    /// Exchanges players of different tables while that makes it better.
    fn exchange(&self, tables: &mut [Vec<usize>]) {
        for _ in 0..PASSES {
            let mut better = false;
            for s in 0..tables.len() {
                for t in s + 1..tables.len() {
                    for i in 0..tables[s].len() {
                        for j in 0..tables[t].len() {
                            better |= self.exchange_if_better(tables, (s, i), (t, j));
                        }
                    }
                }
            }
            if !better {
                return;
            }
        }
    }

    /// Looks further for tables at which fewer meet again. Somebody who does takes the best place elsewhere, even if that is
    /// none better, and does not come back at once: so the search gets out of where no single exchange helps. Always the
    /// same, because its chance begins with the same seed.
    fn separate(&self, tables: &mut Vec<Vec<usize>>) {
        let rng = &mut Seed(self.n as u64).rng();
        let mut now = self.cost(tables).0;
        let (mut least, mut best) = (now, tables.clone());
        // From which exchange on a player may come to a table again.
        let mut away = vec![0; self.n * tables.len()];
        for step in 1..=(LOOKS / self.n).min(MOVES) {
            if least == 0 {
                break;
            }
            let meets_again = |table: &[usize], player: usize| self.with(player, table).0 > 0;
            let again: Vec<(usize, usize)> = (0..tables.len())
                .flat_map(|s| (0..tables[s].len()).map(move |i| (s, i)))
                .filter(|&(s, i)| meets_again(&tables[s], tables[s][i]))
                .collect();
            let from = again[below(rng, again.len() as u32) as usize];
            let goes = tables[from.0][from.1];
            let mut chosen: Option<(u64, (usize, usize))> = None;
            let mut equals = 0;
            for table in (0..tables.len()).filter(|&table| table != from.0) {
                for at in 0..tables[table].len() {
                    let (before, after) = self.exchanged(tables, from, (table, at));
                    let then = now - before.0 + after.0;
                    let comes = tables[table][at];
                    let kept_away = away[goes * tables.len() + table] > step
                        || away[comes * tables.len() + from.0] > step;
                    if kept_away && then >= least {
                        continue;
                    }
                    match chosen {
                        Some((so_far, _)) if so_far < then => continue,
                        Some((so_far, _)) if so_far == then => equals += 1,
                        _ => equals = 1,
                    }
                    if below(rng, equals) == 0 {
                        chosen = Some((then, (table, at)));
                    }
                }
            }
            let Some((then, to)) = chosen else { continue };
            let comes = tables[to.0][to.1];
            (tables[from.0][from.1], tables[to.0][to.1]) = (comes, goes);
            for (player, left) in [(goes, from.0), (comes, to.0)] {
                away[player * tables.len() + left] = step + AWAY + below(rng, 2 * AWAY as u32) as usize;
            }
            now = then;
            if now < least {
                (least, best) = (now, tables.clone());
            }
        }
        *tables = best;
    }

    /// What two players of different tables cost there, now and if they exchanged their places.
    fn exchanged(&self, tables: &[Vec<usize>], one: (usize, usize), other: (usize, usize)) -> (Cost, Cost) {
        let (a, b) = (tables[one.0][one.1], tables[other.0][other.1]);
        let without = |table: &Vec<usize>, player: usize, skip: usize| {
            let others = table.iter().filter(|&&other| other != skip);
            others.fold((0, 0), |cost, &other| plus(cost, self.pairs[player * self.n + other]))
        };
        let now = plus(without(&tables[one.0], a, a), without(&tables[other.0], b, b));
        let then = plus(without(&tables[one.0], b, a), without(&tables[other.0], a, b));
        (now, then)
    }

    fn exchange_if_better(
        &self,
        tables: &mut [Vec<usize>],
        one: (usize, usize),
        other: (usize, usize),
    ) -> bool {
        let (now, then) = self.exchanged(tables, one, other);
        if then < now {
            let (a, b) = (tables[one.0][one.1], tables[other.0][other.1]);
            tables[one.0][one.1] = b;
            tables[other.0][other.1] = a;
        }
        then < now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_counted_as_by_the_closed_form() {
        for (sizes, ways) in
            [(&[3, 3][..], 10), (&[3, 3, 3], 280), (&[4, 3, 3], 2100), (&[4, 4, 4], 5775), (&[5, 4], 126)]
        {
            assert_eq!(partitions(sizes), ways, "{sizes:?}");
        }
        assert_eq!(partitions(&[4; 50]), u64::MAX);
    }
}
