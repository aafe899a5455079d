//! Meetings that are known beforehand: the inside of round robins and gauntlets.

use std::collections::{BTreeMap, BTreeSet};

use crate::meeting::{self, Meeting};
use crate::ranges::Ranges;
use crate::{Change, Entrant, GameResult, Next, Pairing, Reason, Round};

/// How far ahead of the first game without a result games are looked for, where faults may suspend somebody.
const WINDOW: u64 = 4096;

/// Meetings in a fixed order. Their games are given in this order as fast as there is room, without waiting for rounds.
///
/// Who leaves plays none of the games that were not given yet. Who fails `max_faults` games in a row, in the order of the
/// schedule, is suspended, and plays none of the games behind. For this to follow from the results alone, a game is only
/// given when nothing that is still running can suspend one of its players before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Schedule {
    n_entrants: usize,
    max_faults: Option<u32>,
    meetings: Vec<Meeting>,
    /// The first meeting of each round, and the end.
    rounds: Vec<usize>,
    /// The number of each meeting's first game among all games, and their end.
    firsts: Vec<u64>,
    /// Games by their number among all: given, with a result, and not to be played.
    given: Ranges,
    done: Ranges,
    void: Ranges,
    /// The games before this one are done or void.
    settled: u64,
    /// Who failed in the games behind that are done.
    failed: BTreeMap<u64, Vec<Entrant>>,
    /// How many games each has failed in a row before `settled`.
    faults: Vec<u32>,
    suspended: BTreeSet<Entrant>,
    changes: Vec<Change>,
    /// The last game that was given or done.
    last: Option<u64>,
}

impl Schedule {
    /// Rounds of tables, each with so many games.
    pub(crate) fn new(n_entrants: usize, max_faults: Option<u32>) -> Self {
        Self {
            n_entrants,
            max_faults,
            meetings: vec![],
            rounds: vec![0],
            firsts: vec![0],
            given: Ranges::default(),
            done: Ranges::default(),
            void: Ranges::default(),
            settled: 0,
            failed: BTreeMap::new(),
            faults: vec![0; n_entrants],
            suspended: BTreeSet::new(),
            changes: vec![],
            last: None,
        }
    }

    /// Adds a round: tables with their first start and the number of their games. A table without games is left out.
    pub(crate) fn add_round(&mut self, tables: impl IntoIterator<Item = (Vec<Entrant>, u64, u64)>) {
        let round = self.rounds.len() as u32;
        for (entrants, start, games) in tables {
            let table = self.meetings.len() - self.rounds[round as usize - 1];
            self.meetings.push(Meeting { round, table, entrants, start });
            self.firsts.push(self.n_games() + games);
        }
        self.rounds.push(self.meetings.len());
    }

    pub(crate) fn n_games(&self) -> u64 {
        self.firsts.last().copied().unwrap_or(0)
    }

    pub(crate) fn n_rounds(&self) -> u32 {
        self.rounds.len() as u32 - 1
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    pub(crate) fn n_entrants(&self) -> usize {
        self.n_entrants
    }

    /// Who is suspended follows from results, and nothing else does.
    pub(crate) fn follows_results(&self) -> bool {
        self.max_faults.is_some()
    }

    /// The meeting of a game, and which of its games it is.
    fn meeting_of(&self, game: u64) -> (usize, u64) {
        let meeting = self.firsts.partition_point(|&first| first <= game) - 1;
        (meeting, game - self.firsts[meeting])
    }

    /// The number among all games of the pairing with this id.
    fn game_of(&self, id: u64) -> Option<u64> {
        let (round, table, game) = meeting::parts(id);
        let round = usize::try_from(round).ok()?.checked_sub(1)?;
        let (&first, &end) = (self.rounds.get(round)?, self.rounds.get(round + 1)?);
        let meeting = first + table;
        let number = self.firsts[..].get(meeting)? + game;
        (meeting < end && number < self.firsts[meeting + 1]).then_some(number)
    }

    /// The first game from here on that is neither done nor void.
    fn open_from(&self, mut game: u64) -> u64 {
        loop {
            let next = self.void.missing_from(self.done.missing_from(game));
            if next == game {
                return game;
            }
            game = next;
        }
    }

    pub(crate) fn take(&mut self, result: &GameResult) {
        let Some(game) = self.game_of(result.pairing) else { return };
        let (meeting, number) = self.meeting_of(game);
        if self.meetings[meeting].seated(number) != result.entrants || !self.done.insert(game) {
            return;
        }
        self.last = self.last.max(Some(game));
        if self.max_faults.is_some() && game >= self.settled {
            self.failed.insert(game, result.failed.clone());
        }
        self.settle();
    }

    /// Moves on to the first game that is open, and suspends whoever has failed too often on the way.
    fn settle(&mut self) {
        let Some(max_faults) = self.max_faults else {
            self.settled = self.open_from(self.settled);
            return;
        };
        while self.open_from(self.settled) > self.settled {
            let game = self.settled;
            self.settled += 1;
            // A game that is void says nothing about anybody.
            let Some(failed) = self.failed.remove(&game) else { continue };
            for entrant in self.meetings[self.meeting_of(game).0].entrants.clone() {
                let faults = &mut self.faults[entrant.index()];
                *faults = if failed.contains(&entrant) { *faults + 1 } else { 0 };
                if *faults >= max_faults && self.suspended.insert(entrant) {
                    self.cancel(entrant, game + 1);
                }
            }
        }
    }

    /// An entrant plays none of the games from this one on.
    fn cancel(&mut self, entrant: Entrant, from: u64) {
        for (idx, meeting) in self.meetings.iter().enumerate() {
            if meeting.entrants.contains(&entrant) {
                self.void.insert_range(self.firsts[idx].max(from)..self.firsts[idx + 1]);
            }
        }
    }

    /// The first game of an entrant that was not given.
    fn first_free(&self, entrant: Entrant) -> Option<u64> {
        let games =
            self.meetings.iter().enumerate().filter(|(_, meeting)| meeting.entrants.contains(&entrant));
        let mut free = games.filter_map(|(idx, _)| {
            let mut game = self.firsts[idx];
            while self.given.contains(game) || self.done.contains(game) {
                game = self.given.missing_from(self.done.missing_from(game));
            }
            (game < self.firsts[idx + 1]).then_some(game)
        });
        free.next()
    }

    pub(crate) fn leave(&mut self, entrant: Entrant) {
        if entrant.index() < self.n_entrants
            && let Some(game) = self.first_free(entrant)
        {
            let (meeting, number) = self.meeting_of(game);
            let Meeting { round, table, .. } = self.meetings[meeting];
            self.change(Change::Leave { entrant, from: meeting::id(round, table, number) });
        }
    }

    /// What happened in an earlier run, or now.
    pub(crate) fn change(&mut self, change: Change) {
        let Change::Leave { entrant, from } = change else { return };
        let gone =
            |other: &Change| matches!(other, Change::Leave { entrant: other, .. } if *other == entrant);
        if entrant.index() >= self.n_entrants || self.changes.iter().any(gone) {
            return;
        }
        // The id of a game that there is not stands before the next one that there is.
        let id_of = |game: u64| {
            let (meeting, number) = self.meeting_of(game);
            meeting::id(self.meetings[meeting].round, self.meetings[meeting].table, number)
        };
        let first = self.game_of(from).unwrap_or_else(|| {
            let mut range = (0, self.n_games());
            while range.0 < range.1 {
                let middle = u64::midpoint(range.0, range.1);
                if id_of(middle) < from { range.0 = middle + 1 } else { range.1 = middle }
            }
            range.0
        });
        self.changes.push(change);
        self.cancel(entrant, first);
        self.settle();
    }

    /// A newcomer, who plays in the rounds that are added from now on.
    pub(crate) fn join(&mut self) -> Entrant {
        let entrant = Entrant(self.n_entrants as u32);
        self.n_entrants += 1;
        self.faults.push(0);
        self.changes.push(Change::Join { entrant, from: meeting::id(self.n_rounds() + 1, 0, 0) });
        entrant
    }

    /// Those who have left or are suspended play no game of the rounds that were added now.
    pub(crate) fn cancel_those_gone(&mut self, from: u64) {
        let left = |change: &Change| match change {
            Change::Leave { entrant, .. } => Some(*entrant),
            Change::Join { .. } => None,
        };
        let gone: Vec<Entrant> =
            self.changes.iter().filter_map(left).chain(self.suspended.iter().copied()).collect();
        for entrant in gone {
            self.cancel(entrant, from);
        }
    }

    pub(crate) fn next(&mut self, room: usize, reason: impl Fn(&Meeting, u64) -> Reason) -> Next {
        if self.settled == self.n_games() {
            return Next::End;
        }
        let games = if self.max_faults.is_some() { self.certain(room) } else { self.free(room) };
        let pairing = |&game: &u64| {
            let (meeting, number) = self.meeting_of(game);
            let meeting = &self.meetings[meeting];
            meeting.pairing(number, reason(meeting, number))
        };
        let pairings: Vec<Pairing> = games.iter().map(pairing).collect();
        for game in games {
            self.given.insert(game);
            self.last = self.last.max(Some(game));
        }
        if pairings.is_empty() { Next::Wait } else { Next::Play(pairings) }
    }

    /// The first games that were not given.
    fn free(&self, room: usize) -> Vec<u64> {
        let mut games = vec![];
        let mut game = self.settled;
        while games.len() < room {
            let next = self.open_from(self.given.missing_from(game));
            if next >= self.n_games() {
                break;
            }
            game = next;
            if !self.given.contains(game) {
                games.push(game);
                game += 1;
            }
        }
        games
    }

    /// The first games that were not given and will be played whatever those that are running come to.
    fn certain(&self, room: usize) -> Vec<u64> {
        let max_faults = self.max_faults.unwrap_or(u32::MAX);
        let mut worst = self.faults.clone();
        let mut games = vec![];
        for game in self.settled..self.n_games().min(self.settled + WINDOW + room as u64) {
            if games.len() == room {
                break;
            }
            let entrants = &self.meetings[self.meeting_of(game).0].entrants;
            let is_open = !self.done.contains(game);
            if is_open && self.void.contains(game) {
                continue;
            }
            if is_open
                && !self.given.contains(game)
                && entrants.iter().all(|entrant| worst[entrant.index()] < max_faults)
            {
                games.push(game);
            }
            for entrant in entrants {
                let worst = &mut worst[entrant.index()];
                // Who may be suspended by now stays so, whatever is known of the games behind.
                let fails = is_open || *worst >= max_faults || self.failed[&game].contains(entrant);
                *worst = if fails { worst.saturating_add(1) } else { 0 };
            }
        }
        games
    }

    pub(crate) fn round(&self) -> Option<Round> {
        let last = self.meeting_of(self.last?).0;
        let number = self.meetings[last].round;
        let (first, end) = (self.rounds[number as usize - 1], self.rounds[number as usize]);
        let tables = self.meetings[first..end].iter().map(|meeting| meeting.entrants.clone()).collect();
        Some(Round { number, tables })
    }

    /// Who is suspended.
    pub(crate) fn suspended(&self) -> Vec<Entrant> {
        self.suspended.iter().copied().collect()
    }
}
