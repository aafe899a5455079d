//! Formats that play round by round: the next one begins when all results of the last one are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use crate::meeting::{self, MAX_ROUNDS, Meeting};
use crate::ranges::Ranges;
use crate::{Bye, Change, Entrant, Format, GameResult, Next, Pairing, PointRule, Points, Reason, Round};

/// What tells one such format from another.
pub trait RoundRule: Clone + PartialEq + Debug + Send {
    /// Whether there is no further round among these.
    fn is_over(&self, round: u32, present: &[Entrant]) -> bool;

    /// The tables of a round, and what the rule wants to remember until it ends. It is not over.
    fn begin(&mut self, round: u32, present: &[Entrant]) -> Vec<NewTable>;

    /// How many more games a table plays whose games are over.
    fn more(&self, table: &Table) -> u64 {
        let _ = table;
        0
    }

    /// The round is over.
    fn finish(&mut self, round: u32, tables: &[Table]);

    /// Why a game is played; both count from 0.
    fn reason(&self, table: &Table, game: u64) -> Reason;

    /// Whether somebody may come late, from this round on.
    fn may_join(&self, round: u32) -> bool {
        let _ = round;
        false
    }

    /// Who had points without a game.
    fn byes(&self) -> Vec<Bye> {
        vec![]
    }

    /// Who has won, once it is over.
    fn winners(&self) -> Vec<Entrant> {
        vec![]
    }

    /// The places that are decided.
    fn ranking(&self) -> Vec<Vec<Entrant>> {
        vec![]
    }
}

/// A table that a rule wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTable {
    /// By their seats in the first game.
    pub(crate) entrants: Vec<Entrant>,
    pub(crate) games: u64,
    /// The number of the first start.
    pub(crate) start: u64,
}

/// A table of the round that is being played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub(crate) meeting: Meeting,
    pub(crate) games: u64,
    /// What each has so far, in the order of the meeting.
    pub(crate) points: Vec<Points>,
    /// How many games have a result that counts.
    pub(crate) counted: u64,
    given: u64,
    done: Ranges,
    /// Who failed, by game.
    failed: BTreeMap<u64, Vec<Entrant>>,
}

impl Table {
    fn is_done(&self) -> bool {
        self.done.missing_from(0) >= self.games
    }

    /// The points of an entrant of this table.
    pub(crate) fn points_of(&self, entrant: Entrant) -> Points {
        let at = self.meeting.entrants.iter().position(|&other| other == entrant);
        at.map_or(Points::ZERO, |at| self.points[at])
    }

    fn take(&mut self, game: u64, result: &GameResult, rule: PointRule) {
        if self.meeting.seated(game) != result.entrants || !self.done.insert(game) {
            return;
        }
        if !result.failed.is_empty() {
            self.failed.insert(game, result.failed.clone());
        }
        let Some(outcome) = &result.outcome else { return };
        if outcome.scores.n_seats() != result.entrants.len() {
            return;
        }
        self.counted += 1;
        for (entrant, points) in self.meeting.entrants.iter().zip(&mut self.points) {
            if let Some(seat) = result.seat_of(*entrant) {
                *points += rule.points(outcome, seat);
            }
        }
    }
}

/// A format that plays round by round, by a rule.
///
/// Who leaves when a round has begun still has its seat in it, empty, and none in the next one; who comes late plays from
/// the next round on. Who has failed `max_faults` games in a row, in the order of rounds, tables and games, is suspended
/// when the round ends. A round begins when its first game is given, or has a result of an earlier run.
#[derive(Clone, PartialEq, Debug)]
pub struct Rounds<R> {
    rule: R,
    points: PointRule,
    max_faults: Option<u32>,
    n_entrants: usize,
    changes: Vec<Change>,
    suspended: BTreeSet<Entrant>,
    /// How many games each has failed in a row.
    faults: BTreeMap<Entrant, u32>,
    /// The last round that began; 0 before the first.
    round: u32,
    playing: bool,
    tables: Vec<Table>,
    /// Results of what is to come: an archive is read in any order.
    early: BTreeMap<u64, GameResult>,
}

impl<R: RoundRule> Rounds<R> {
    pub(crate) fn by_rule(n_entrants: usize, rule: R, points: PointRule, max_faults: Option<u32>) -> Self {
        Self {
            rule,
            points,
            max_faults,
            n_entrants,
            changes: vec![],
            suspended: BTreeSet::new(),
            faults: BTreeMap::new(),
            round: 0,
            playing: false,
            tables: vec![],
            early: BTreeMap::new(),
        }
    }

    /// Who plays a round that has not begun.
    fn present(&self, round: u32) -> Vec<Entrant> {
        let begins = meeting::id(round, 0, 0);
        let is_there = |entrant: &Entrant| {
            !self.suspended.contains(entrant)
                && self.changes.iter().all(|change| match change {
                    Change::Join { entrant: other, from } => other != entrant || *from <= begins,
                    Change::Leave { entrant: other, from } => other != entrant || *from > begins,
                })
        };
        Entrant::all(self.n_entrants).filter(is_there).collect()
    }

    fn is_over(&self) -> bool {
        let next = self.round + 1;
        !self.playing && (next > MAX_ROUNDS || self.rule.is_over(next, &self.present(next)))
    }

    /// Begins the next round, which there is.
    fn begin(&mut self) {
        self.round += 1;
        self.playing = true;
        let round = self.round;
        let present = self.present(round);
        let tables = self.rule.begin(round, &present);
        let table = |(table, new): (usize, NewTable)| Table {
            points: vec![Points::ZERO; new.entrants.len()],
            meeting: Meeting { round, table, entrants: new.entrants, start: new.start },
            games: new.games,
            counted: 0,
            given: 0,
            done: Ranges::default(),
            failed: BTreeMap::new(),
        };
        self.tables = tables.into_iter().enumerate().map(table).collect();
        let first = meeting::id(round, 0, 0);
        // What fits no table now never will.
        self.early = self.early.split_off(&first);
        for number in 0..self.tables.len() {
            self.catch_up(number);
        }
        self.finish_if_done();
    }

    /// Takes what came early for a table, as far as it has these games by now.
    fn catch_up(&mut self, number: usize) {
        let table = &mut self.tables[number];
        loop {
            let (from, to) = (table.meeting_id(0), table.meeting_id(table.games));
            let now: Vec<u64> = self.early.range(from..to).map(|(&id, _)| id).collect();
            for id in now {
                if let Some(result) = self.early.remove(&id) {
                    table.take(meeting::parts(id).2, &result, self.points);
                }
            }
            let more = if table.is_done() { self.rule.more(table) } else { 0 };
            if more == 0 {
                return;
            }
            table.games += more;
        }
    }

    fn finish_if_done(&mut self) {
        if !self.playing || !self.tables.iter().all(Table::is_done) {
            return;
        }
        self.playing = false;
        self.count_faults();
        self.rule.finish(self.round, &self.tables);
    }

    fn count_faults(&mut self) {
        let Some(max_faults) = self.max_faults else { return };
        for table in &self.tables {
            for game in 0..table.games {
                let failed = table.failed.get(&game);
                for entrant in &table.meeting.entrants {
                    let fails = failed.is_some_and(|failed| failed.contains(entrant));
                    let faults = self.faults.entry(*entrant).or_default();
                    *faults = if fails { *faults + 1 } else { 0 };
                    if *faults >= max_faults {
                        self.suspended.insert(*entrant);
                    }
                }
            }
        }
    }

    /// Begins rounds whose games were played before.
    fn follow(&mut self) {
        while !self.playing {
            let next = meeting::id(self.round + 1, 0, 0);
            let Some((&id, _)) = self.early.range(next..).next() else { return };
            if self.is_over() {
                self.early.clear();
                return;
            }
            if meeting::parts(id).0 != u64::from(self.round) + 1 {
                return;
            }
            self.begin();
        }
    }

    fn is_present(&self, entrant: Entrant) -> bool {
        self.present(self.round + 1).contains(&entrant)
    }
}

impl Table {
    fn meeting_id(&self, game: u64) -> u64 {
        meeting::id(self.meeting.round, self.meeting.table, game)
    }
}

impl<R: RoundRule> Format for Rounds<R> {
    fn n_entrants(&self) -> usize {
        self.n_entrants
    }

    fn take(&mut self, result: &GameResult) {
        let (round, table, game) = meeting::parts(result.pairing);
        let is_now = self.playing && round == u64::from(self.round);
        if is_now && let Some(known) = self.tables.get_mut(table) {
            if game >= known.games {
                self.early.entry(result.pairing).or_insert_with(|| result.clone());
                return;
            }
            known.take(game, result, self.points);
            self.catch_up(table);
            self.finish_if_done();
        } else if round > u64::from(self.round) && !self.is_over() {
            self.early.entry(result.pairing).or_insert_with(|| result.clone());
        }
        self.follow();
    }

    fn leave(&mut self, entrant: Entrant) {
        self.change(&Change::Leave { entrant, from: meeting::id(self.round + 1, 0, 0) });
    }

    fn next(&mut self, room: usize) -> Next {
        // A round of nothing but byes ends when it begins.
        while !self.playing {
            if self.is_over() {
                self.early.clear();
                return Next::End;
            }
            if room == 0 {
                return Next::Wait;
            }
            self.begin();
        }
        let mut pairings: Vec<Pairing> = vec![];
        for table in &mut self.tables {
            while pairings.len() < room {
                let game = table.done.missing_from(table.given);
                if game >= table.games {
                    break;
                }
                table.given = game + 1;
                pairings.push(table.meeting.pairing(game, self.rule.reason(table, game)));
            }
        }
        if pairings.is_empty() { Next::Wait } else { Next::Play(pairings) }
    }

    fn follows_results(&self) -> bool {
        true
    }

    fn join(&mut self) -> Option<Entrant> {
        let next = self.round + 1;
        if self.is_over() || !self.rule.may_join(next) {
            return None;
        }
        let entrant = Entrant(self.n_entrants as u32);
        self.change(&Change::Join { entrant, from: meeting::id(next, 0, 0) });
        Some(entrant)
    }

    fn changes(&self) -> Vec<Change> {
        self.changes.clone()
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Join { entrant, .. } if entrant.index() == self.n_entrants => self.n_entrants += 1,
            Change::Leave { entrant, .. } if entrant.index() < self.n_entrants => {
                let left = |other: &Change| matches!(other, Change::Leave { entrant: other, .. } if other == entrant);
                if self.changes.iter().any(left) {
                    return;
                }
            }
            _ => return,
        }
        self.changes.push(change.clone());
    }

    fn round(&self) -> Option<Round> {
        let tables = || self.tables.iter().map(|table| table.meeting.entrants.clone()).collect();
        (self.round > 0).then(|| Round { number: self.round, tables: tables() })
    }

    fn byes(&self) -> Vec<Bye> {
        self.rule.byes()
    }

    fn suspended(&self) -> Vec<Entrant> {
        self.suspended.iter().copied().collect()
    }

    fn ranking(&self) -> Vec<Vec<Entrant>> {
        self.rule.ranking()
    }

    fn winners(&self) -> Vec<Entrant> {
        let won = if self.is_over() { self.rule.winners() } else { vec![] };
        won.into_iter().filter(|&entrant| self.is_present(entrant)).collect()
    }
}
