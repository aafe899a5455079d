//! How everybody stands, from the results of any format.

use std::collections::BTreeMap;

use rookery_referee::Cause;
use rookery_rules::{Outcome, Seat};

use crate::tie_breaks::SHARE;
use crate::{Bye, Entrant, GameResult, PointRule, Points, Tally, TieBreaks};

/// What one entrant has of its games against another one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Versus {
    /// Who was placed before whom: wins are games in which the other one was placed behind.
    pub tally: Tally,
    /// 1 for each of these wins, ½ for each draw.
    pub points: Points,
    /// The games, each with the opponent's share of it.
    pub(crate) weight: i64,
    /// The points, each with the same share.
    pub(crate) weighed: i64,
}

/// One line of a table of results.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Who it is about.
    pub entrant: Entrant,
    /// From 1. Who is equal in everything shares a place.
    pub place: usize,
    /// All points, with those of byes.
    pub points: Points,
    /// All games that count.
    pub games: u64,
    /// First places alone and shared, and all others.
    pub total: Tally,
    /// The same by seat, as far as one has sat somewhere.
    pub by_seat: Vec<Tally>,
    /// By opponent.
    pub versus: BTreeMap<Entrant, Versus>,
    /// How often it was removed for what: the words of causes.
    pub faults: BTreeMap<&'static str, u64>,
    /// Games that were stopped and do not count.
    pub aborted: u64,
    /// Rounds with points but without games.
    pub byes: u64,
    /// The values of the tie-breaks, in their order.
    pub tie_breaks: Vec<f64>,
}

/// How everybody stands: results go in, in any order, each once, and a table comes out that is the same to the last digit.
/// Needs memory for entrants and those they met, not for games.
///
/// ```
/// use rookery_referee::Cause;
/// use rookery_rules::{Outcome, Seat};
/// use rookery_tournament::{Entrant, Format, FormatOptions, GameResult, Next, PointRule, RoundRobin, Standings, TieBreaks};
///
/// let mut format = RoundRobin::new(3, &FormatOptions::default(), false, None);
/// let mut standings = Standings::new(3, PointRule::Places);
/// let Next::Play(pairings) = format.next(100) else { panic!("six games are to be played") };
/// for pairing in &pairings {
///     // The highest number wins.
///     let best = pairing.entrants.iter().max().expect("two play");
///     let seat = pairing.entrants.iter().position(|entrant| entrant == best).expect("it sits there");
///     let outcome = Outcome::win(2, Seat::new(seat as u8));
///     standings.add(&GameResult::new(pairing, Some(outcome), Cause::Normal));
/// }
/// let table = standings.table(&TieBreaks::default(), &[]);
/// assert_eq!(table[0].entrant, Entrant(2));
/// assert_eq!((table[0].points.value(), table[2].points.value()), (4.0, 0.0));
/// assert_eq!(table[0].versus[&Entrant(1)].tally.wins, 2);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    rule: PointRule,
    records: Vec<Record>,
    games: u64,
    aborted: u64,
}

/// What one entrant has to show for itself.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Record {
    pub(crate) points: Points,
    by_seat: Vec<Tally>,
    pub(crate) versus: BTreeMap<Entrant, Versus>,
    faults: BTreeMap<&'static str, u64>,
    aborted: u64,
    pub(crate) byes: Vec<Bye>,
}

impl Record {
    pub(crate) fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.by_seat.iter().for_each(|tally| total.merge(tally));
        total
    }

    /// How many seats behind the first one it sat, summed over games.
    pub(crate) fn seats_behind(&self) -> i128 {
        (0..).zip(&self.by_seat).map(|(seat, tally)| seat * i128::from(tally.games())).sum()
    }
}

impl Standings {
    /// Of so many, before the first game.
    pub fn new(n_entrants: usize, rule: PointRule) -> Self {
        Self { rule, records: vec![Record::default(); n_entrants], games: 0, aborted: 0 }
    }

    /// Somebody came late.
    pub fn join(&mut self) {
        self.records.push(Record::default());
    }

    /// Adds a game, once. `false` if it cannot be one of these entrants; then nothing has changed.
    pub fn add(&mut self, result: &GameResult) -> bool {
        let GameResult { entrants, outcome, .. } = result;
        let is_in = |(idx, entrant): (usize, &Entrant)| {
            entrant.index() < self.records.len() && !entrants[..idx].contains(entrant)
        };
        let fits = outcome.as_ref().is_none_or(|outcome| outcome.scores.n_seats() == entrants.len());
        if !fits || !entrants.iter().enumerate().all(is_in) {
            return false;
        }
        self.games += 1;
        self.add_faults(result);
        if let Some(outcome) = outcome {
            for seat in Seat::all(entrants.len()) {
                self.add_seat(entrants, outcome, seat);
            }
        } else {
            self.aborted += 1;
            for entrant in entrants {
                self.records[entrant.index()].aborted += 1;
            }
        }
        true
    }

    /// Adds a bye, once; the same rules hold.
    pub fn add_bye(&mut self, bye: &Bye) -> bool {
        let Some(record) = self.records.get_mut(bye.entrant.index()) else { return false };
        record.points += bye.points;
        record.byes.push(bye.clone());
        // So that the order of coming does not matter.
        record.byes.sort_by_key(|bye| bye.round);
        true
    }

    fn add_faults(&mut self, result: &GameResult) {
        for failed in result.failed.iter().filter(|failed| result.entrants.contains(failed)) {
            let known = result.faults.iter().find(|(entrant, _)| entrant == failed);
            let word = match (known, result.cause) {
                (Some((_, offence)), _) => offence.word(),
                (None, Cause::Offence(offence)) => offence.word(),
                (None, _) => "removed",
            };
            *self.records[failed.index()].faults.entry(word).or_default() += 1;
        }
    }

    fn add_seat(&mut self, entrants: &[Entrant], outcome: &Outcome, seat: Seat) {
        let record = &mut self.records[entrants[seat.index()].index()];
        record.points += self.rule.points(outcome, seat);
        if record.by_seat.len() < entrants.len() {
            record.by_seat.resize(entrants.len(), Tally::default());
        }
        record.by_seat[seat.index()].add(outcome, seat);
        let places = outcome.places();
        let share = SHARE / (entrants.len() as i64 - 1).max(1);
        for (other, entrant) in Seat::all(entrants.len()).zip(entrants).filter(|&(other, _)| other != seat) {
            let versus = record.versus.entry(*entrant).or_default();
            let points = match places[seat].cmp(&places[other]) {
                // Where all were removed nobody has beaten or drawn with anybody.
                _ if outcome.winners.is_empty() => (Points::ZERO, &mut versus.tally.losses),
                std::cmp::Ordering::Less => (Points::ONE, &mut versus.tally.wins),
                std::cmp::Ordering::Equal => (Points::HALF, &mut versus.tally.draws),
                std::cmp::Ordering::Greater => (Points::ZERO, &mut versus.tally.losses),
            };
            *points.1 += 1;
            let points = points.0;
            versus.points += points;
            versus.weight += share;
            versus.weighed += share * points.parts();
        }
    }

    pub(crate) fn record(&self, entrant: Entrant) -> &Record {
        &self.records[entrant.index()]
    }

    /// All games, with those that were stopped.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// How many of these were stopped and do not count.
    pub const fn aborted(&self) -> u64 {
        self.aborted
    }

    /// The points of an entrant.
    pub fn points(&self, entrant: Entrant) -> Points {
        self.records.get(entrant.index()).map_or(Points::ZERO, |record| record.points)
    }

    /// The table, from the first place: by what the format itself has decided
    /// ([`Format::ranking`](crate::Format::ranking)), by points, by the tie-breaks in their order, and at last by number,
    /// which makes no places.
    pub fn table(&self, tie_breaks: &TieBreaks, ranking: &[Vec<Entrant>]) -> Vec<Standing> {
        let rank = |entrant: &Entrant| {
            ranking.iter().position(|equals| equals.contains(entrant)).unwrap_or(ranking.len())
        };
        let by_points = |entrant: &Entrant| (rank(entrant), std::cmp::Reverse(self.points(*entrant)));
        let mut groups: Vec<Vec<Entrant>> = vec![];
        let mut all: Vec<Entrant> = Entrant::all(self.records.len()).collect();
        all.sort_by_key(by_points);
        for entrant in all {
            match groups.last_mut() {
                Some(group) if by_points(&group[0]) == by_points(&entrant) => group.push(entrant),
                _ => groups.push(vec![entrant]),
            }
        }
        let mut values: Vec<Vec<f64>> = vec![vec![]; self.records.len()];
        for &tie_break in &tie_breaks.order {
            let mut split = vec![];
            for group in groups {
                let (parts, unit) = tie_breaks.values(tie_break, &group, self);
                let mut ordered: Vec<(i128, Entrant)> = parts.into_iter().zip(group).collect();
                ordered.sort_by_key(|&(value, entrant)| (std::cmp::Reverse(value), entrant));
                for &(value, entrant) in &ordered {
                    values[entrant.index()].push(value as f64 / unit);
                }
                split.extend(
                    ordered
                        .chunk_by(|one, other| one.0 == other.0)
                        .map(|equal| equal.iter().map(|&(_, entrant)| entrant).collect::<Vec<_>>()),
                );
            }
            groups = split;
        }
        let mut table = vec![];
        for group in groups {
            let place = table.len() + 1;
            table.extend(group.into_iter().map(|entrant| self.standing(entrant, place, &mut values)));
        }
        table
    }

    fn standing(&self, entrant: Entrant, place: usize, values: &mut [Vec<f64>]) -> Standing {
        let record = self.record(entrant);
        let total = record.total();
        Standing {
            entrant,
            place,
            points: record.points,
            games: total.games(),
            total,
            by_seat: record.by_seat.clone(),
            versus: record.versus.clone(),
            faults: record.faults.clone(),
            aborted: record.aborted,
            byes: record.byes.len() as u64,
            tie_breaks: std::mem::take(&mut values[entrant.index()]),
        }
    }
}
