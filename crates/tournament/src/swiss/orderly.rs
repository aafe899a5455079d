//! Pairings of a bracket that can be seen without a search.
//!
//! Most brackets can be paired as the order of players likes it best, or nearly so: who was moved down meets the highest
//! others, and of the rest the upper half meets the lower half. If such a pairing is also as good as any by all criteria
//! before the order, it is the pairing, and the search for it is saved.

use super::bracket::{Bracket, Digit, Fate};
use super::dutch::pairs_at_once;

/// The pairs of a bracket that the order of players likes best, all of them without a fault, and who is left.
struct Orderly {
    pairs: Vec<(usize, usize)>,
    left: Vec<usize>,
}

impl Bracket<'_> {
    /// A pairing that is the best by every criterion at once: everybody but at most one has a pair without a fault, and who
    /// is left was not moved down of late and can be paired in the next bracket with as many as possible there.
    pub(super) fn ideal(&self) -> Option<Vec<Option<usize>>> {
        if self.whole {
            return None;
        }
        let Orderly { mut pairs, left } = self.orderly(self.n_current / 2)?;
        if let Some(&leaver) = left.first() {
            let places: Vec<usize> = std::iter::once(leaver).chain(self.n_current..self.next_end).collect();
            if places.len() == 1 || self.card(leaver).down.contains(&true) {
                return None;
            }
            let fits = |one: usize, other: usize| {
                let pair = [one, other].map(|idx| self.players[places[idx]]);
                self.field.may_meet(pair[0], pair[1])
            };
            // With an odd number the last one may be left: it is of the next bracket, where all have the same score.
            let n = places.len() / 2 * 2;
            let mates = pairs_at_once(n, fits)?;
            let pair = |(one, &other): (usize, &usize)| (one < other).then(|| (places[one], places[other]));
            pairs.extend(mates.iter().enumerate().filter_map(pair));
        }
        Some(self.mates(&pairs, self.players.len()))
    }

    /// The pairing that the order of players likes best, if by all other criteria it is as good as this best one.
    pub(super) fn plain(&self, best: &[Option<usize>]) -> Option<Vec<Option<usize>>> {
        let is_inside = |place: usize| best[place].is_some_and(|mate| mate < self.n_current);
        let n_pairs = (0..self.n_current).filter(|&place| is_inside(place)).count() / 2;
        let Orderly { mut pairs, left } = self.orderly(n_pairs)?;
        // Who leaves the bracket takes the places of those who leave it in the other pairing.
        let leave = (0..self.n_current).filter(|&place| !is_inside(place)).map(|place| best[place]);
        let leavers: Vec<(usize, usize)> =
            left.into_iter().zip(leave).filter_map(|(place, mate)| Some((place, mate?))).collect();
        let fates = vec![Fate::Open; self.n_current];
        if !leavers.iter().all(|&(place, mate)| self.is_edge(place, mate, &fates)) {
            return None;
        }
        pairs.extend(leavers);
        let beyond = |place: usize| Some((place, best[place].filter(|&mate| mate > place)?));
        pairs.extend((self.n_current..best.len()).filter_map(beyond));
        let plain = self.mates(&pairs, best.len());
        (self.tally(&plain) == self.tally(best)).then_some(plain)
    }

    fn mates(&self, pairs: &[(usize, usize)], n: usize) -> Vec<Option<usize>> {
        debug_assert!(n >= self.players.len(), "everybody has a place");
        let mut mates = vec![None; n];
        for &(one, other) in pairs {
            mates[one] = Some(other);
            mates[other] = Some(one);
        }
        mates
    }

    /// So many pairs without a fault in the order of players, everybody who was moved down among them. Nothing without a
    /// fault comes before it in that order, since each in turn has the first one that leaves somebody to all others of the
    /// upper half; who was moved down has the very first.
    fn orderly(&self, n_pairs: usize) -> Option<Orderly> {
        let n_halves = n_pairs.checked_sub(self.moved)?;
        let mut pairs = vec![];
        let mut others: Vec<usize> = (self.moved..self.n_current).collect();
        for place in 0..self.moved {
            let is_new =
                |&&other: &&usize| !self.card(other).up.contains(&true) && self.is_clean(place, other);
            let at = others.iter().position(|other| is_new(&other))?;
            pairs.push((place, others.remove(at)));
        }
        let (upper, lower) = others.split_at(n_halves);
        let with =
            first_mates(upper.len(), lower.len(), |one, other| self.is_clean(upper[one], lower[other]))?;
        pairs.extend(upper.iter().zip(&with).map(|(&one, &other)| (one, lower[other])));
        let left = (0..lower.len()).filter(|idx| !with.contains(idx)).map(|idx| lower[idx]).collect();
        Some(Orderly { pairs, left })
    }

    fn is_clean(&self, one: usize, other: usize) -> bool {
        self.field.may_meet(self.players[one], self.players[other])
            && !self.defects(one, other).contains(&true)
    }

    /// How good a pairing is by each criterion but the order.
    fn tally(&self, mates: &[Option<usize>]) -> Vec<u64> {
        let criteria = self.criteria();
        let (mut tally, mut values) = (vec![], vec![]);
        for (place, mate) in mates.iter().enumerate() {
            let Some(mate) = mate.filter(|&mate| place < mate) else { continue };
            values.clear();
            criteria.values(self, place, mate, &mut values);
            tally.resize(values.len(), 0);
            for (sum, value) in tally.iter_mut().zip(&values) {
                if let Digit::Number(number) = value {
                    *sum += number;
                }
            }
        }
        tally
    }
}

/// The first pairing of all of one side with some of the other, in the order of those they are paired with, that has only
/// pairs that fit.
fn first_mates(n: usize, n_others: usize, fits: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let mut paired = Paired { with: vec![None; n], of: vec![None; n_others] };
    for one in 0..n {
        // Whoever came before keeps its mate if it can.
        if !paired.find(one, &mut vec![false; n_others], &fits) {
            return None;
        }
    }
    for one in 0..n {
        let now = paired.with[one]?;
        for wanted in 0..now {
            let displaced = paired.of[wanted];
            if displaced.is_some_and(|other| other < one) || !fits(one, wanted) {
                continue;
            }
            paired.of[now] = None;
            (paired.of[wanted], paired.with[one]) = (Some(one), Some(wanted));
            // Those before, and this one, are settled.
            let mut seen: Vec<bool> =
                paired.of.iter().map(|of| of.is_some_and(|other| other <= one)).collect();
            if displaced.is_none_or(|other| paired.find(other, &mut seen, &fits)) {
                break;
            }
            // What finds nobody has changed nothing.
            (paired.of[wanted], paired.with[one]) = (displaced, Some(now));
            paired.of[now] = Some(one);
        }
    }
    paired.with.into_iter().collect()
}

struct Paired {
    with: Vec<Option<usize>>,
    of: Vec<Option<usize>>,
}

impl Paired {
    /// Finds a mate for somebody, by moving others on if need be; else all stays as it was.
    fn find(&mut self, one: usize, seen: &mut [bool], fits: &impl Fn(usize, usize) -> bool) -> bool {
        for other in 0..self.of.len() {
            if seen[other] || !fits(one, other) {
                continue;
            }
            seen[other] = true;
            if self.of[other].is_none_or(|before| self.find(before, seen, fits)) {
                (self.of[other], self.with[one]) = (Some(one), Some(other));
                return true;
            }
        }
        false
    }
}
