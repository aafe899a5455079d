//! One bracket of the Dutch system: the best pairing by all criteria.

use std::ops::Range;

use super::card::{Card, Strength};
use super::dutch::Field;
use super::matching::heaviest;
pub(super) use super::wide::Digit;
use super::wide::Digits;
use crate::Points;

/// Who is looked at beside the bracket.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    Alone,
    /// The next score.
    Next(&'a [usize]),
    /// The next score and everybody below: all must be paired.
    All(&'a [usize], &'a [usize]),
}

/// A bracket that is being paired.
pub(super) struct Bracket<'a> {
    pub(super) field: &'a Field<'a>,
    /// The bracket, then whoever else is looked at.
    pub(super) players: Vec<usize>,
    /// How many of them are the bracket.
    pub(super) n_current: usize,
    /// How many of the bracket were moved down to it; they come first.
    pub(super) moved: usize,
    /// The players before this one are of the bracket or the next one.
    pub(super) next_end: usize,
    /// Whether everybody must be paired.
    pub(super) whole: bool,
    /// Whether there is one vertex more, the bye.
    bye: bool,
}

/// What a matching makes of a bracket.
pub(super) struct Made {
    /// The pairs of the bracket.
    pub(super) inside: Vec<(usize, usize)>,
    /// Who else was looked at and has no pair.
    pub(super) left: Vec<usize>,
}

/// How the last criterion, the order of players, is looked at.
enum Order {
    Not,
    /// Which of those who were moved down meet somebody here, and whom some of them do.
    Moved(Range<usize>),
    /// Which of these, by their places in the bracket, are in the upper half, which has so many.
    Halves(Vec<usize>, usize),
    /// Whom some of the upper half meet: the places of both halves.
    Pairs(Vec<usize>, Vec<usize>, Range<usize>),
}

/// What is decided of somebody in the bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Open,
    /// Meets this one.
    Meets(usize),
    /// Meets nobody here.
    Moves,
}

/// The words of the longest weight: two for each player of the largest bracket, in bits, and the other digits.
const MAX_WORDS: usize = 80;
/// The most players that a round can pair.
pub(super) const MAX_PLAYERS: usize = 2000;
/// How many players' opponents are decided at a time: each has a digit, and weights have a limit.
const CHUNK: usize = 48;

fn chunks(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(CHUNK).map(move |from| from..n.min(from + CHUNK))
}

impl Order {
    /// Whether two of the same half would meet, which the step before has decided.
    fn forbids(&self, u: usize, v: usize) -> bool {
        let Self::Pairs(upper, lower, _) = self else { return false };
        [upper, lower].iter().any(|half| half.binary_search(&u).is_ok() && half.binary_search(&v).is_ok())
    }
}

/// Criteria that count what is bad about single pairs.
const DEFECTS: usize = 4;

impl<'a> Bracket<'a> {
    pub(super) fn new(field: &'a Field<'a>, current: &[usize], moved: usize, scope: Scope<'_>) -> Self {
        let (next, rest): (&[usize], &[usize]) = match scope {
            Scope::Alone => (&[], &[]),
            Scope::Next(next) => (next, &[]),
            Scope::All(next, rest) => (next, rest),
        };
        let players = [current, next, rest].concat();
        let whole = matches!(scope, Scope::All(..));
        let bye = whole && players.len() % 2 == 1;
        let next_end = current.len() + next.len();
        Self { field, players, n_current: current.len(), moved, next_end, whole, bye }
    }

    pub(super) fn pair(&self) -> Made {
        if let Some(ideal) = self.ideal() {
            return self.made(&ideal);
        }
        let mut fates = vec![Fate::Open; self.n_current];
        let mut mates = self.solve(&Order::Not, &fates);
        if let Some(plain) = self.plain(&mates) {
            return self.made(&plain);
        }
        for chunk in chunks(self.moved) {
            mates = self.solve(&Order::Moved(chunk.clone()), &fates);
            self.fix(&mut fates, chunk, &mates);
        }
        let others: Vec<usize> =
            (self.moved..self.n_current).filter(|&place| fates[place] == Fate::Open).collect();
        let n_pairs = self.inside(&mates, &others).count();
        if n_pairs > 0 {
            mates = self.solve(&Order::Halves(others.clone(), n_pairs), &fates);
            let upper: Vec<usize> = self.inside(&mates, &others).map(|(higher, _)| higher).collect();
            let lower: Vec<usize> =
                others.iter().copied().filter(|place| upper.binary_search(place).is_err()).collect();
            for chunk in chunks(upper.len()) {
                mates = self.solve(&Order::Pairs(upper.clone(), lower.clone(), chunk.clone()), &fates);
                self.fix(&mut fates, upper[chunk].iter().copied(), &mates);
            }
        }
        self.made(&mates)
    }

    fn made(&self, mates: &[Option<usize>]) -> Made {
        let player = |place: usize| self.players[place];
        let all: Vec<usize> = (0..self.n_current).collect();
        let inside = self.inside(mates, &all).map(|(one, other)| (player(one), player(other)));
        let left = (0..self.players.len()).filter(|&place| mates[place].is_none()).map(player);
        Made { inside: inside.collect(), left: left.collect() }
    }

    /// The pairs of the bracket that some of these have, the higher one first.
    fn inside<'b>(
        &'b self,
        mates: &'b [Option<usize>],
        of: &'b [usize],
    ) -> impl Iterator<Item = (usize, usize)> + 'b {
        let pair = |&place: &usize| {
            let mate = mates[place].filter(|&mate| place < mate && mate < self.n_current)?;
            Some((place, mate))
        };
        of.iter().filter_map(pair)
    }

    /// These keep whom they have, or that they have nobody in the bracket.
    fn fix(&self, fates: &mut [Fate], places: impl IntoIterator<Item = usize>, mates: &[Option<usize>]) {
        for place in places {
            let mate = mates[place].filter(|&mate| mate < self.n_current);
            fates[place] = mate.map_or(Fate::Moves, Fate::Meets);
            if let Some(mate) = mate {
                fates[mate] = Fate::Meets(place);
            }
        }
    }

    /// The mates, by places, in the best matching.
    fn solve(&self, order: &Order, fates: &[Fate]) -> Vec<Option<usize>> {
        let n = self.players.len() + usize::from(self.bye);
        let criteria = self.criteria();
        let mut digits = Digits::default();
        criteria.layout(self, &mut digits);
        self.order_layout(order, &mut digits);
        let edge = |u: usize, v: usize, values: &mut Vec<Digit>| {
            let is_edge = self.is_edge(u, v, fates) && !order.forbids(u, v);
            if is_edge {
                criteria.values(self, u, v, values);
                self.order_values(order, u, v, values);
                debug_assert_eq!(values.len(), digits.len());
            }
            is_edge
        };
        match digits.n_words() {
            ..=2 => matching::<2>(n, &digits, edge),
            3 => matching::<3>(n, &digits, edge),
            4 => matching::<4>(n, &digits, edge),
            5..=6 => matching::<6>(n, &digits, edge),
            7..=10 => matching::<10>(n, &digits, edge),
            11..=20 => matching::<20>(n, &digits, edge),
            _ => matching::<{ MAX_WORDS }>(n, &digits, edge),
        }
    }

    pub(super) fn is_edge(&self, u: usize, v: usize, fates: &[Fate]) -> bool {
        let fate = |place: usize| fates.get(place).copied().unwrap_or(Fate::Open);
        if v == self.players.len() {
            return self.field.may_rest(self.players[u]) && !matches!(fate(u), Fate::Meets(_));
        }
        let agrees = |one: usize, other: usize| match fate(one) {
            Fate::Open => true,
            Fate::Meets(mate) => mate == other,
            Fate::Moves => other >= self.n_current,
        };
        agrees(u, v) && agrees(v, u) && self.field.may_meet(self.players[u], self.players[v])
    }

    pub(super) fn card(&self, place: usize) -> &Card {
        &self.field.cards[self.players[place]]
    }

    fn score(&self, place: usize) -> Points {
        self.card(place).score
    }

    fn is_moved_pair(&self, u: usize, v: usize) -> bool {
        u < self.moved && v >= self.moved && v < self.n_current
    }

    /// The scores of places before this one, the highest first.
    fn levels(&self, end: usize) -> Vec<Points> {
        let mut levels: Vec<Points> = (0..end).map(|place| self.score(place)).collect();
        levels.sort_unstable_by(|one, other| other.cmp(one));
        levels.dedup();
        levels
    }

    pub(super) fn criteria(&self) -> Criteria {
        let moved_levels = self.levels(self.moved);
        let cards = |place: usize| self.card(place);
        let range = 0..self.n_current;
        let residents = self.moved..self.n_current;
        let mut repeats = vec![];
        for back in 0..2 {
            repeats.push((Repeat::Down(back), residents.clone().any(|place| cards(place).down[back])));
            let ups = self.moved > 0 && residents.clone().any(|place| cards(place).up[back]);
            repeats.push((Repeat::Up(back), ups));
        }
        for back in 0..2 {
            for &level in &moved_levels {
                let downs =
                    (0..self.moved).any(|place| self.score(place) == level && cards(place).down[back]);
                repeats.push((Repeat::DownFrom(back, level), downs));
            }
            for &level in &moved_levels {
                let ups = residents.clone().any(|place| cards(place).up[back]);
                repeats.push((Repeat::UpFrom(back, level), ups));
            }
        }
        let wishes = |place: usize| cards(place).strength > Strength::None;
        let defects = if range.clone().any(wishes) { DEFECTS } else { 0 };
        let unplayed = range.map(|place| cards(place).unplayed).max().unwrap_or(0);
        Criteria {
            levels: self.levels(self.n_current),
            next_levels: if self.next_end > self.n_current { self.levels(self.next_end) } else { vec![] },
            defects,
            repeats: repeats.into_iter().filter(|&(_, happens)| happens).map(|(repeat, _)| repeat).collect(),
            unplayed,
        }
    }

    /// What is bad about a pair of the bracket: too many of one seat, three in a row, a wish or a strong wish not met.
    pub(super) fn defects(&self, u: usize, v: usize) -> [bool; DEFECTS] {
        let (one, other) = (&self.field.cards[self.players[u]], &self.field.cards[self.players[v]]);
        if !one.clashes(other) {
            return [false; DEFECTS];
        }
        let both = |strength| one.strength >= strength && other.strength >= strength;
        let (mut beyond, mut thrice) = (false, false);
        if both(Strength::Absolute) {
            let first = one.sits_first(other, self.players[u].is_multiple_of(2));
            for (card, first) in [(one, first), (other, !first)] {
                let strain = card.strain(first);
                beyond |= strain.0;
                thrice |= strain.1;
            }
        }
        [beyond, thrice, true, both(Strength::Strong) && !both(Strength::Absolute)]
    }

    fn order_layout(&self, order: &Order, digits: &mut Digits) {
        match order {
            Order::Not => {}
            Order::Moved(chunk) => {
                (0..self.moved).for_each(|_| digits.push(1));
                chunk.clone().for_each(|_| digits.push(self.n_current as u64));
            }
            Order::Halves(others, n_pairs) => {
                digits.push(*n_pairs as u64);
                digits.push((others.len() * n_pairs) as u64);
                digits.push_bits(n_pairs + 1 + (n_pairs.ilog2() as usize + 1));
                digits.push_bits(others.len() + 1);
            }
            Order::Pairs(_, lower, chunk) => chunk.clone().for_each(|_| digits.push(lower.len() as u64)),
        }
    }

    fn order_values(&self, order: &Order, u: usize, v: usize, values: &mut Vec<Digit>) {
        let number = |flag: bool| Digit::Number(u64::from(flag));
        match order {
            Order::Not => {}
            Order::Moved(chunk) => {
                let is_inside = self.is_moved_pair(u, v);
                values.extend((0..self.moved).map(|place| number(is_inside && place == u)));
                values.extend(chunk.clone().map(|place| {
                    Digit::Number(if is_inside && place == u { (self.n_current - v) as u64 } else { 0 })
                }));
            }
            Order::Halves(others, n_pairs) => {
                let at = |place: usize| others.binary_search(&place).ok();
                let (Some(higher), Some(_)) = (at(u), at(v)) else {
                    values.extend([Digit::Number(0); 4]);
                    return;
                };
                let from_upper = higher < *n_pairs;
                // Few exchanges; small ones; of the lowest of the upper half; with the highest of the lower half.
                values.extend([
                    number(from_upper),
                    Digit::Number((others.len() - higher) as u64),
                    if from_upper {
                        Digit::Ones(higher, *n_pairs)
                    } else {
                        Digit::Ones(*n_pairs, n_pairs + 1)
                    },
                    if from_upper {
                        Digit::Number(0)
                    } else {
                        Digit::Ones(others.len() - higher, others.len() - higher + 1)
                    },
                ]);
            }
            Order::Pairs(upper, lower, chunk) => {
                let at = |list: &[usize], place: usize| list.binary_search(&place).ok();
                let met = at(upper, u).zip(at(lower, v)).or_else(|| at(upper, v).zip(at(lower, u)));
                values.extend(chunk.clone().map(|idx| match met {
                    Some((of, with)) if of == idx => Digit::Number((lower.len() - with) as u64),
                    _ => Digit::Number(0),
                }));
            }
        }
    }
}

/// The mates in the heaviest matching of a graph whose edges say that they are edges, and their digits.
fn matching<const N: usize>(
    n: usize,
    digits: &Digits,
    edge: impl Fn(usize, usize, &mut Vec<Digit>) -> bool,
) -> Vec<Option<usize>> {
    let mut values = Vec::with_capacity(digits.len());
    heaviest::<N>(n, |u, v| {
        values.clear();
        edge(u, v, &mut values).then(|| digits.weight(&values))
    })
}

/// A float that was had before: by which player of a pair, how many rounds back, and from which score.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeat {
    /// A resident is moved down again.
    Down(usize),
    /// A resident meets somebody moved down again.
    Up(usize),
    /// Somebody of this score, moved down again, meets a resident.
    DownFrom(usize, Points),
    /// A resident meets again somebody moved down, who has this score.
    UpFrom(usize, Points),
}

/// The criteria but for the order, as digits.
pub(super) struct Criteria {
    levels: Vec<Points>,
    next_levels: Vec<Points>,
    /// How many digits there are for what is bad about single pairs: none where nobody wishes for a seat.
    defects: usize,
    repeats: Vec<Repeat>,
    unplayed: u64,
}

impl Criteria {
    fn layout(&self, bracket: &Bracket<'_>, digits: &mut Digits) {
        let n = bracket.players.len() as u64 + 1;
        if bracket.whole {
            digits.push(n);
        }
        // Pairs, and who of each score has one; the same of the next bracket.
        (0..=self.levels.len()).for_each(|_| digits.push(n));
        if !self.next_levels.is_empty() {
            (0..=self.next_levels.len()).for_each(|_| digits.push(n));
        }
        if bracket.bye {
            digits.push(self.unplayed);
        }
        (0..self.defects + self.repeats.len()).for_each(|_| digits.push(n));
    }

    pub(super) fn values(&self, bracket: &Bracket<'_>, u: usize, v: usize, values: &mut Vec<Digit>) {
        let number = |flag: bool| Digit::Number(u64::from(flag));
        if bracket.whole {
            values.push(Digit::Number(1));
        }
        let is_bye = v == bracket.players.len();
        let is_inside = v < bracket.n_current;
        let is_next = !is_bye && !is_inside && v < bracket.next_end;
        let of_level = |level: &Points, counts: bool| {
            let is = |place: usize| counts && bracket.score(place) == *level;
            Digit::Number(if counts { u64::from(is(u)) + u64::from(is(v)) } else { 0 })
        };
        values.push(number(is_inside));
        values.extend(self.levels.iter().map(|level| of_level(level, is_inside)));
        if !self.next_levels.is_empty() {
            values.push(number(is_next));
            values.extend(self.next_levels.iter().map(|level| of_level(level, is_next)));
        }
        if bracket.bye {
            let of_current = is_bye && u < bracket.n_current;
            let unplayed = if of_current { bracket.field.cards[bracket.players[u]].unplayed } else { 0 };
            values.push(Digit::Number(if is_bye { self.unplayed - unplayed } else { 0 }));
        }
        if !is_inside {
            values.extend(std::iter::repeat_n(Digit::Number(0), self.defects + self.repeats.len()));
            return;
        }
        if self.defects > 0 {
            values.extend(bracket.defects(u, v).map(|defect| number(!defect)));
        }
        let card = |place: usize| bracket.card(place);
        let is_moved = bracket.is_moved_pair(u, v);
        values.extend(self.repeats.iter().map(|repeat| match *repeat {
            Repeat::Down(back) => {
                let stays = |place: usize| u64::from(place >= bracket.moved && card(place).down[back]);
                Digit::Number(stays(u) + stays(v))
            }
            Repeat::Up(back) => number(!(is_moved && card(v).up[back])),
            // Who is not paired here comes to somebody with fewer points yet, or has the bye.
            Repeat::DownFrom(back, level) => {
                number(is_moved && bracket.score(u) == level && card(u).down[back])
            }
            Repeat::UpFrom(back, level) => {
                number(!(is_moved && bracket.score(u) == level && card(v).up[back]))
            }
        }));
    }
}
