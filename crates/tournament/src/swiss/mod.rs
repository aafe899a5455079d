//! Swiss tournaments: everybody plays every round, against those who have about the same points.

mod bracket;
mod card;
mod dutch;
mod groups;
mod matching;
mod orderly;
mod wide;

use std::collections::{BTreeMap, BTreeSet};

pub use card::PastRound;
pub use dutch::{DutchRound, DutchRules, Relaxed, dutch};
pub use groups::swiss_tables;

use crate::meeting::MAX_ROUNDS;
use crate::rounds::{NewTable, RoundRule, Rounds, Table};
use crate::seats::{SeatCounts, seat};
use crate::{Bye, Entrant, FormatOptions, Points, Reason};

/// Everybody plays every round, against those who have about the same points and were not met yet.
///
/// - Tables of two follow the Dutch system ([`dutch`]): no rematch, no second bye, balanced seats; the bye goes to the
///   lowest score that lets everybody else be paired. Where no such pairing is left, it is allowed in this order, and
///   said, that a seat is had too often, that somebody has a second bye, and that two meet again.
/// - Larger tables ([`swiss_tables`]): as few as possible meet again, then the points at a table differ as little as can
///   be; seats go to those who had them least. Where the numbers do not divide, those rest who rested least, of these
///   those with the fewest points.
/// - The entrants' order is their seeding. A bye is worth as much as winning every game of the round.
/// - With an even number of games at a table of two both sit equally often on each seat, and seats decide nothing.
///
/// Who comes late has no points for the rounds before, and plays from the next one on. Who leaves plays its round out.
/// Points decide, so it names no winner; [`Standings`](crate::Standings) tells them apart.
///
/// ```
/// use rookery_tournament::{Entrant, Format, FormatOptions, Next, Swiss};
///
/// let options = FormatOptions { games: Some(1), ..FormatOptions::default() };
/// let mut format = Swiss::new(5, &options, 3);
/// let Next::Play(pairings) = format.next(10) else { panic!("two games are to be played") };
/// assert_eq!(pairings[0].entrants, [Entrant(0), Entrant(2)]);
/// assert_eq!(pairings[0].reason.to_string(), "round 1 of 3, table 1: all have 0 points: game 1 of 1");
/// assert_eq!(format.next(10), Next::Wait, "the next round needs all results of this one");
/// ```
pub type Swiss = Rounds<SwissRule>;

/// The rule of [`Swiss`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwissRule {
    options: FormatOptions,
    rounds: u32,
    past: Vec<Vec<PastRound>>,
    byes: Vec<Bye>,
    /// How often two sat at one table.
    met: BTreeMap<(Entrant, Entrant), u64>,
    seats: SeatCounts,
    /// Of the round that is being played.
    resting: Vec<Entrant>,
    relaxed: Relaxed,
}

impl Swiss {
    /// The most that can take part, late entries included.
    pub const MAX_ENTRANTS: usize = bracket::MAX_PLAYERS;

    /// Of so many entrants, the best first, with so many rounds.
    ///
    /// # Panics
    /// If there are more than [`Swiss::MAX_ENTRANTS`], a table has fewer than two or more than eight seats, or there are
    /// more rounds than can be numbered.
    pub fn new(n_entrants: usize, options: &FormatOptions, rounds: u32) -> Self {
        options.check();
        assert!(n_entrants <= Self::MAX_ENTRANTS, "weights of pairings have a limit");
        assert!((1..=MAX_ROUNDS).contains(&rounds), "there are no more rounds than can be numbered");
        let rule = SwissRule {
            options: options.clone(),
            rounds,
            past: vec![],
            byes: vec![],
            met: BTreeMap::new(),
            seats: SeatCounts::default(),
            resting: vec![],
            relaxed: Relaxed::Nothing,
        };
        Self::by_rule(n_entrants, rule, options.points, options.max_faults)
    }
}

impl SwissRule {
    fn points(&self, entrant: Entrant) -> Points {
        self.past.get(entrant.index()).into_iter().flatten().map(PastRound::points).sum()
    }

    /// What a round can bring.
    fn full(&self) -> Points {
        Points::ONE * self.options.games_at(self.options.size.max)
    }

    /// Everybody has a past of all rounds, also who came late.
    fn fill(&mut self, round: u32, n_entrants: usize) {
        self.past.resize(self.past.len().max(n_entrants), vec![]);
        self.past.iter_mut().for_each(|past| past.resize(round as usize - 1, PastRound::Absent));
    }

    fn pairs(&mut self, round: u32, present: &[Entrant]) -> Vec<Vec<Entrant>> {
        let index = |&(one, other): &(Entrant, Entrant)| (one.index(), other.index());
        let forbidden: BTreeSet<(usize, usize)> = self.options.forbidden.iter().map(index).collect();
        let present: Vec<usize> = present.iter().map(|entrant| entrant.index()).collect();
        let made = dutch(DutchRules {
            past: &self.past,
            present: &present,
            full: self.full(),
            last: round == self.rounds,
            forbidden: &forbidden,
        });
        let entrant = |player: usize| Entrant(player as u32);
        self.relaxed = made.relaxed;
        self.resting = made.byes.into_iter().map(entrant).collect();
        made.pairs.into_iter().map(|pair| pair.map(entrant).to_vec()).collect()
    }

    fn tables(&mut self, present: &[Entrant]) -> Vec<Vec<Entrant>> {
        let (sizes, rests) = self.options.size.sizes(present.len());
        let rested = |entrant: Entrant| self.byes.iter().filter(|bye| bye.entrant == entrant).count();
        let mut by_rest = present.to_vec();
        by_rest.sort_by_key(|&entrant| (rested(entrant), self.points(entrant), std::cmp::Reverse(entrant)));
        let mut playing = by_rest.split_off(rests);
        playing.sort_unstable();
        by_rest.sort_unstable();
        let points: Vec<i64> = playing.iter().map(|&entrant| self.points(entrant).parts()).collect();
        // A forbidden pair counts as so many meetings that any others are better.
        let met = |one: usize, other: usize| {
            let pair = (playing[one], playing[other]);
            let forbidden = u64::from(self.options.forbidden.contains(&pair)) << 32;
            self.met.get(&pair).copied().unwrap_or(0) + forbidden
        };
        let tables = swiss_tables(&points, met, &sizes);
        let again = |table: &Vec<usize>| {
            table.iter().enumerate().any(|(at, &one)| {
                table[at + 1..].iter().any(|&other| met(one.min(other), one.max(other)) > 0)
            })
        };
        self.relaxed = if tables.iter().any(again) { Relaxed::Rematch } else { Relaxed::Nothing };
        self.resting = by_rest;
        let seated = |table: Vec<usize>| {
            let table: Vec<Entrant> = table.into_iter().map(|player| playing[player]).collect();
            seat(&table, |entrant, at| self.seats.had(entrant, at))
        };
        let tables: Vec<Vec<Entrant>> = tables.into_iter().map(seated).collect();
        // Who could not be kept apart rests.
        let (kept, broken): (Vec<_>, Vec<_>) =
            tables.into_iter().partition(|table| !self.options.is_forbidden(table));
        if !broken.is_empty() {
            self.relaxed = Relaxed::Rests;
            self.resting.extend(broken.into_iter().flatten());
        }
        kept
    }
}

impl RoundRule for SwissRule {
    fn is_over(&self, round: u32, present: &[Entrant]) -> bool {
        round > self.rounds || self.options.size.sizes(present.len()).0.is_empty()
    }

    fn begin(&mut self, round: u32, present: &[Entrant]) -> Vec<NewTable> {
        let n_entrants = present.iter().map(|entrant| entrant.index() + 1).max().unwrap_or(0);
        self.fill(round, n_entrants);
        let tables =
            if self.options.size.max == 2 { self.pairs(round, present) } else { self.tables(present) };
        let start = u64::from(round - 1) * self.options.starts();
        let new = |entrants: Vec<Entrant>| {
            let games = self.options.games_at(entrants.len());
            NewTable { entrants, games, start }
        };
        tables.into_iter().map(new).collect()
    }

    fn finish(&mut self, round: u32, tables: &[Table]) {
        let mut did: BTreeMap<Entrant, PastRound> = BTreeMap::new();
        for table in tables {
            let entrants = &table.meeting.entrants;
            (0..table.games).for_each(|game| self.seats.add(&table.meeting.seated(game)));
            for (at, &entrant) in entrants.iter().enumerate() {
                let first = (table.games % 2 == 1).then_some(at == 0);
                // The opponent is what pairs are told by; larger tables keep their own count.
                let opponent = entrants[usize::from(at == 0)].index();
                did.insert(entrant, PastRound::Met { opponent, first, points: table.points[at] });
                for &other in &entrants[at + 1..] {
                    *self.met.entry((entrant.min(other), entrant.max(other))).or_default() += 1;
                }
            }
        }
        for entrant in std::mem::take(&mut self.resting) {
            let (points, before) = (self.full(), self.points(entrant));
            did.insert(entrant, PastRound::Bye { points });
            self.byes.push(Bye { entrant, round, points, before });
        }
        for (entrant, past) in Entrant::all(self.past.len()).zip(&mut self.past) {
            past.push(did.remove(&entrant).unwrap_or(PastRound::Absent));
        }
    }

    fn reason(&self, table: &Table, game: u64) -> Reason {
        let points = || table.meeting.entrants.iter().map(|&entrant| self.points(entrant));
        Reason::Swiss {
            round: table.meeting.round,
            of: self.rounds,
            table: table.meeting.table as u32 + 1,
            highest: points().max().unwrap_or_default(),
            lowest: points().min().unwrap_or_default(),
            relaxed: self.relaxed,
            game: game + 1,
            games: table.games,
        }
    }

    fn may_join(&self, round: u32) -> bool {
        round <= self.rounds && self.past.len() < Swiss::MAX_ENTRANTS
    }

    fn byes(&self) -> Vec<Bye> {
        self.byes.clone()
    }
}
