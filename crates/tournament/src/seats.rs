//! Who sits where at a table, so that everybody gets around.

use crate::Entrant;

/// Seats these so that, added up over seats, they have sat as rarely as can be where they sit now: least squares of the
/// counts, found by going through the subsets. `had` says how often an entrant had a seat. Equals keep their order.
pub(crate) fn seat(table: &[Entrant], had: impl Fn(Entrant, usize) -> u64) -> Vec<Entrant> {
    let n = table.len();
    // The least cost of seating a subset on the first seats, and who is seated last there.
    let mut best: Vec<Option<(u64, usize)>> = vec![None; 1 << n];
    best[0] = Some((0, 0));
    for subset in 0..1_usize << n {
        let Some((cost, _)) = best[subset] else { continue };
        let seat = subset.count_ones() as usize;
        for (idx, &entrant) in table.iter().enumerate().filter(|(idx, _)| subset >> idx & 1 == 0) {
            let count = had(entrant, seat);
            let cost = cost + 2 * count + 1;
            let with = &mut best[subset | 1 << idx];
            if with
                .is_none_or(|(least, last)| (cost, std::cmp::Reverse(idx)) < (least, std::cmp::Reverse(last)))
            {
                *with = Some((cost, idx));
            }
        }
    }
    let mut seated = vec![];
    let mut subset = (1_usize << n) - 1;
    while let (true, Some((_, idx))) = (subset > 0, best[subset]) {
        seated.push(table[idx]);
        subset &= !(1 << idx);
    }
    seated.reverse();
    seated
}

/// How often everybody sat where.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct SeatCounts(std::collections::BTreeMap<(Entrant, usize), u64>);

impl SeatCounts {
    pub(crate) fn had(&self, entrant: Entrant, seat: usize) -> u64 {
        self.0.get(&(entrant, seat)).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, seated: &[Entrant]) {
        for (seat, &entrant) in seated.iter().enumerate() {
            *self.0.entry((entrant, seat)).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_gets_around() {
        let table: Vec<Entrant> = Entrant::all(5).collect();
        let mut counts = SeatCounts::default();
        assert_eq!(seat(&table, |_, _| 0), table, "who has had no seat sits in order");
        for _ in 0..10 {
            counts.add(&seat(&table, |entrant, at| counts.had(entrant, at)));
        }
        for &entrant in &table {
            assert!((0..5).all(|at| counts.had(entrant, at) == 2), "{counts:?}");
        }
    }
}
