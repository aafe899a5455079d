//! The Dutch system: pairs of a Swiss round, by the rules of FIDE's handbook C.04.3 in the text of 2025.
//!
//! Brackets are paired from the top: the players of one score and those who were moved down to it. In each bracket the
//! pairing is the best by the criteria in their order, found by a heaviest matching whose weights have one digit for each
//! criterion. The order of players, the last criterion, is decided in three steps: whom those meet who were moved down;
//! which of the others are in the upper half; whom these meet.
//!
//! A bracket is first tried alone, then with the next one, for what it moves down must be good there. That is right if the
//! players below can still be paired; else all of them are part of the matching.

use std::collections::BTreeSet;
use std::fmt;

use super::bracket::{Bracket, Scope};
use super::card::{Card, PastRound, Strength};
use super::matching::heaviest;
use super::wide::{Digit, Digits, Wide};
use crate::Points;

/// Who plays whom in a round of two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DutchRound {
    /// By seats, the first board first.
    pub pairs: Vec<[usize; 2]>,
    /// Who has no game: at most one, but where forbidden pairs leave no other way.
    pub byes: Vec<usize>,
    /// What had to be allowed.
    pub relaxed: Relaxed,
}

/// What had to be allowed because there was no pairing without it, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Relaxed {
    /// Nothing.
    #[default]
    Nothing,
    /// That two meet who both must have the same seat.
    Seats,
    /// A second bye as well.
    SecondBye,
    /// That two meet again as well.
    Rematch,
    /// That more than one rests as well: forbidden pairs leave no other way.
    Rests,
}

impl fmt::Display for Relaxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "by all rules",
            Self::Seats => "no pairing was left in which nobody has a seat too often",
            Self::SecondBye => "no pairing was left without a second bye for somebody",
            Self::Rematch => "no pairing was left in which nobody meets again",
            Self::Rests => "forbidden pairs leave no pairing for everybody",
        })
    }
}

/// Everything that a round depends on.
#[derive(Clone, Copy, Debug)]
pub struct DutchRules<'a> {
    /// What everybody did in each round so far, by number: the lowest number is the highest seed.
    pub past: &'a [Vec<PastRound>],
    /// Who plays this round.
    pub present: &'a [usize],
    /// The most points that a round can bring.
    pub full: Points,
    /// Whether this is the last round.
    pub last: bool,
    /// Who must not meet, the lower number first.
    pub forbidden: &'a BTreeSet<(usize, usize)>,
}

/// Pairs a round.
///
/// ```
/// use std::collections::BTreeSet;
/// use rookery_tournament::{DutchRules, Points, dutch};
///
/// let round = dutch(DutchRules {
///     past: &vec![vec![]; 5],
///     present: &[0, 1, 2, 3, 4],
///     full: Points::ONE,
///     last: false,
///     forbidden: &BTreeSet::new(),
/// });
/// assert_eq!((round.pairs, round.byes), (vec![[0, 2], [3, 1]], vec![4]));
/// ```
pub fn dutch(rules: DutchRules<'_>) -> DutchRound {
    let cards = Card::all(rules.past);
    let n_rounds = rules.past.iter().map(Vec::len).max().unwrap_or(0) as u64;
    let mut order: Vec<usize> = rules.present.to_vec();
    order.sort_by_key(|&player| (std::cmp::Reverse(cards[player].score), player));
    for relaxed in [Relaxed::Nothing, Relaxed::Seats, Relaxed::SecondBye, Relaxed::Rematch] {
        let mut field = Field {
            cards: &cards,
            forbidden: rules.forbidden,
            relaxed,
            last: rules.last,
            half: Points::HALF * n_rounds * (rules.full.parts() / Points::ONE.parts()).max(1) as u64,
            bye: None,
        };
        if order.len() % 2 == 1 {
            let scores: BTreeSet<Points> = order.iter().map(|&player| cards[player].score).collect();
            field.bye = scores.into_iter().find(|&score| {
                field.bye = Some(score);
                field.completes(&order)
            });
            if field.bye.is_none() {
                continue;
            }
        } else if !field.completes(&order) {
            continue;
        }
        let (pairs, byes) =
            field.pair(&order, |current, moved, next, rest| field.pair_bracket(current, moved, next, rest));
        return DutchRound { pairs: field.seat(pairs), byes, relaxed };
    }
    let field = Field {
        cards: &cards,
        forbidden: rules.forbidden,
        relaxed: Relaxed::Rests,
        last: rules.last,
        half: Points::ZERO,
        bye: None,
    };
    let (pairs, byes) = field.most(&order);
    DutchRound { pairs: field.seat(pairs), byes, relaxed: Relaxed::Rests }
}

/// The players, and what is allowed.
pub(super) struct Field<'a> {
    pub(super) cards: &'a [Card],
    forbidden: &'a BTreeSet<(usize, usize)>,
    relaxed: Relaxed,
    last: bool,
    /// Half of all points that were to be had.
    half: Points,
    /// The score of whoever has the bye.
    pub(super) bye: Option<Points>,
}

impl Field<'_> {
    /// Whether two may meet.
    pub(super) fn may_meet(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.cards[one], &self.cards[other]);
        let both_absolute = a.strength == Strength::Absolute && b.strength == Strength::Absolute;
        let top = self.last && (a.score > self.half || b.score > self.half);
        !self.forbidden.contains(&(one.min(other), one.max(other)))
            && (self.relaxed >= Relaxed::Rematch || !a.met.contains(&other))
            && (self.relaxed >= Relaxed::Seats || top || !(both_absolute && a.clashes(b)))
    }

    /// Whether a player may have the bye.
    pub(super) fn may_rest(&self, player: usize) -> bool {
        let card = &self.cards[player];
        self.bye == Some(card.score) && (self.relaxed >= Relaxed::SecondBye || !card.had_bye)
    }

    /// Whether all of these can be paired, with the bye if they are an odd number.
    pub(super) fn completes(&self, players: &[usize]) -> bool {
        let n = players.len().next_multiple_of(2);
        let fits = |u: usize, v: usize| {
            let (u, v) = (u.min(v), u.max(v));
            if v == players.len() { self.may_rest(players[u]) } else { self.may_meet(players[u], players[v]) }
        };
        if pairs_at_once(n, fits).is_some() {
            return true;
        }
        let mut digits = Digits::default();
        digits.push(n as u64);
        let one: Wide<2> = digits.weight(&[Digit::Number(1)]);
        heaviest(n, |u, v| fits(u, v).then_some(one)).iter().all(Option::is_some)
    }

    /// As many pairs as possible, and who is left.
    fn most(&self, order: &[usize]) -> (Vec<(usize, usize)>, Vec<usize>) {
        let mut digits = Digits::default();
        digits.push(order.len() as u64);
        let one: Wide<2> = digits.weight(&[Digit::Number(1)]);
        let mates = heaviest(order.len(), |u, v| self.may_meet(order[u], order[v]).then_some(one));
        let pairs =
            (0..order.len()).filter_map(|u| mates[u].filter(|&v| u < v).map(|v| (order[u], order[v])));
        let byes = (0..order.len()).filter(|&u| mates[u].is_none()).map(|u| order[u]);
        (pairs.collect(), byes.collect())
    }

    /// Pairs players who can be paired, bracket by bracket: of each is told who is in it, how many of these were moved
    /// down, who has the next score, and who is below.
    fn pair(
        &self,
        order: &[usize],
        pair_bracket: impl Fn(&[usize], usize, &[usize], &[usize]) -> Vec<(usize, usize)>,
    ) -> (Vec<(usize, usize)>, Vec<usize>) {
        let groups: Vec<&[usize]> =
            order.chunk_by(|&one, &other| self.cards[one].score == self.cards[other].score).collect();
        let mut pairs = vec![];
        let mut moved: Vec<usize> = vec![];
        for (idx, group) in groups.iter().enumerate() {
            let current = [&moved[..], group].concat();
            let next = groups.get(idx + 1).copied().unwrap_or(&[]);
            let rest = groups.get(idx + 2..).unwrap_or(&[]).concat();
            let made = pair_bracket(&current, moved.len(), next, &rest);
            moved = current
                .into_iter()
                .filter(|player| !made.iter().any(|&(one, other)| one == *player || other == *player))
                .collect();
            pairs.extend(made);
        }
        (pairs, moved)
    }

    fn pair_bracket(
        &self,
        current: &[usize],
        moved: usize,
        next: &[usize],
        rest: &[usize],
    ) -> Vec<(usize, usize)> {
        let below = [next, rest].concat();
        let bracket = |scope| Bracket::new(self, current, moved, scope);
        if current.len().is_multiple_of(2) {
            let made = bracket(Scope::Alone).pair();
            if made.inside.len() == current.len() / 2 && self.completes(&below) {
                return made.inside;
            }
        }
        let lowest_is_below = |score| next.last().is_some_and(|&player| score < self.cards[player].score);
        if !rest.is_empty() && self.bye.is_none_or(lowest_is_below) {
            let made = bracket(Scope::Next(next)).pair();
            if self.completes(&[&made.left[..], rest].concat()) {
                return made.inside;
            }
        }
        bracket(Scope::All(next, rest)).pair().inside
    }

    /// Seats the pairs, and puts them in the order of boards.
    fn seat(&self, pairs: Vec<(usize, usize)>) -> Vec<[usize; 2]> {
        let rank = |player: usize| (std::cmp::Reverse(self.cards[player].score), player);
        let mut boards: Vec<(usize, usize)> = pairs
            .into_iter()
            .map(|(one, other)| if rank(one) < rank(other) { (one, other) } else { (other, one) })
            .collect();
        boards.sort_by_key(|&(higher, lower)| {
            let (one, other) = (self.cards[higher].score, self.cards[lower].score);
            (std::cmp::Reverse(one), std::cmp::Reverse(one + other), higher.min(lower))
        });
        let seated = |(higher, lower): (usize, usize)| {
            let (one, other) = (&self.cards[higher], &self.cards[lower]);
            // Numbers of people count from 1, so an odd one is even here.
            if one.sits_first(other, higher % 2 == 0) { [higher, lower] } else { [lower, higher] }
        };
        boards.into_iter().map(seated).collect()
    }
}

/// A mate for everybody of an even number, by taking the first who fits and, where nobody is left, by breaking up one pair.
/// It finds one nearly always when there is one.
pub(super) fn pairs_at_once(n: usize, fits: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let mut mates: Vec<Option<usize>> = vec![None; n];
    let mut left = vec![];
    for u in 0..n {
        if mates[u].is_some() {
            continue;
        }
        match (u + 1..n).find(|&v| mates[v].is_none() && fits(u, v)) {
            Some(v) => (mates[u], mates[v]) = (Some(v), Some(u)),
            None => left.push(u),
        }
    }
    // An even number is left, for pairs were taken out of an even number.
    for two in left.chunks_exact(2) {
        let (one, other) = (two[0], two[1]);
        let u = (0..n).find(|&u| mates[u].is_some_and(|v| fits(one, u) && fits(other, v)))?;
        let v = mates[u]?;
        for (a, b) in [(one, u), (other, v)] {
            (mates[a], mates[b]) = (Some(b), Some(a));
        }
    }
    mates.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use rookery_rules::{Seed, below};

    use super::*;

    /// A bracket alone, or with the next one, is paired as it is among all who are left.
    #[test]
    fn looking_at_few_comes_to_the_same_as_looking_at_all() {
        for seed in 0..40 {
            let rng = &mut Seed(seed).rng();
            let n = 11 + below(rng, 14) as usize;
            let mut past: Vec<Vec<PastRound>> = vec![vec![]; n];
            let present: Vec<usize> = (0..n).collect();
            for round in 1..=6 {
                let forbidden = BTreeSet::new();
                let last = round == 6;
                let rules = DutchRules {
                    past: &past,
                    present: &present,
                    full: Points::ONE,
                    last,
                    forbidden: &forbidden,
                };
                let made = dutch(rules);
                if made.relaxed == Relaxed::Nothing {
                    let cards = Card::all(&past);
                    let mut order = present.clone();
                    order.sort_by_key(|&player| (std::cmp::Reverse(cards[player].score), player));
                    let bye = made.byes.first().map(|&player| cards[player].score);
                    let half = Points::HALF * (round - 1);
                    let field = Field {
                        cards: &cards,
                        forbidden: &forbidden,
                        relaxed: made.relaxed,
                        last,
                        half,
                        bye,
                    };
                    let (pairs, byes) = field.pair(&order, |current, moved, next, rest| {
                        Bracket::new(&field, current, moved, Scope::All(next, rest)).pair().inside
                    });
                    assert_eq!(
                        (field.seat(pairs), byes),
                        (made.pairs.clone(), made.byes.clone()),
                        "seed {seed}"
                    );
                }
                for &player in &made.byes {
                    past[player].push(PastRound::Bye { points: Points::ONE });
                }
                for &[one, other] in &made.pairs {
                    let points =
                        [[Points::ONE, Points::ZERO], [Points::HALF; 2], [Points::ZERO, Points::ONE]]
                            [below(rng, 3) as usize];
                    past[one].push(PastRound::Met { opponent: other, first: Some(true), points: points[0] });
                    past[other].push(PastRound::Met { opponent: one, first: Some(false), points: points[1] });
                }
            }
        }
    }
}
