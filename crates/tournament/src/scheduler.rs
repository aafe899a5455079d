//! Keeps games running: what may begin now, given what a format wants and who is free.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use rookery_referee::Cause;

use crate::{Change, Entrant, Format, GameResult, Next, Pairing, Round};

/// A tournament in progress, without I/O: asks a [`Format`] for pairings and says which of them begin now. At most
/// `room` of them run at a time.
///
/// To go on with an earlier run, tell it who came and went ([`change`](Self::change), or [`leave`](Self::leave) for a
/// format that keeps no changes) and what was played
/// ([`earlier`](Self::earlier)) before anything else.
///
/// ```
/// use rookery_referee::Cause;
/// use rookery_rules::Outcome;
/// use rookery_tournament::{Entrant, GameResult, Scheduler, Series};
///
/// // The second player is a connection, and has one match at a time.
/// let mut scheduler = Scheduler::new(Series::new(2, 2), 4).with_exclusive([Entrant(1)]);
/// while !scheduler.is_over() {
///     let ready = scheduler.ready()?;
///     assert!(ready.len() <= 1);
///     for pairing in &ready {
///         scheduler.finished(&GameResult::new(pairing, Some(Outcome::draw(2)), Cause::Normal))?;
///     }
/// }
/// # Ok::<(), rookery_tournament::ScheduleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scheduler<F> {
    format: F,
    room: usize,
    exclusive: BTreeSet<Entrant>,
    /// Those of the exclusive ones who play.
    busy: BTreeSet<Entrant>,
    /// Given by the format; somebody who is busy has to play.
    waiting: Vec<Pairing>,
    running: BTreeMap<u64, Pairing>,
    /// Who left.
    left: BTreeSet<Entrant>,
    /// Who failed in some game; most formats let them go on.
    failed: BTreeSet<Entrant>,
    draining: bool,
    /// What failed because of us is played in another run.
    replays: bool,
    /// How many games are left to that run.
    owed: usize,
    /// The format has said so.
    ended: bool,
    /// How far [`hold`](crate::hold) has come.
    pub(crate) stage: Stage,
}

/// How far a tournament is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    New,
    Beginning,
    /// Watchers were told of this round.
    Playing(u32),
    Ending,
    Over,
}

impl<F: Format> Scheduler<F> {
    /// Runs at most `room` games at a time, and always one.
    pub fn new(format: F, room: usize) -> Self {
        Self {
            format,
            room: room.max(1),
            exclusive: BTreeSet::new(),
            busy: BTreeSet::new(),
            waiting: vec![],
            running: BTreeMap::new(),
            left: BTreeSet::new(),
            failed: BTreeSet::new(),
            draining: false,
            replays: false,
            owed: 0,
            ended: false,
            stage: Stage::New,
        }
    }

    /// These play one game at a time, as a connection does. All others play any number.
    #[must_use]
    pub fn with_exclusive(mut self, entrants: impl IntoIterator<Item = Entrant>) -> Self {
        self.exclusive.extend(entrants);
        self
    }

    /// A game that failed because of us is played once more in another run. A format whose pairings follow from results
    /// ([`Format::follows_results`]) is then not told that it failed: what it would pair on that, it would pair otherwise
    /// once the game has a result. What does not depend on it is played; the rest is left to the other run.
    #[must_use]
    pub fn with_replays(mut self) -> Self {
        self.replays = true;
        self
    }

    /// How many games are left to another run because they failed.
    pub const fn owed(&self) -> usize {
        self.owed
    }

    /// Takes the result of a game of an earlier run.
    pub fn earlier(&mut self, result: &GameResult) {
        let n_entrants = self.format.n_entrants();
        self.failed.extend(result.failed.iter().filter(|failed| failed.index() < n_entrants));
        self.format.take(result);
    }

    /// The games that begin now, which from here on are running. Empty if games must end first, or if it is over.
    pub fn ready(&mut self) -> Result<Vec<Pairing>, ScheduleError> {
        // First of all, because then those who wait for somebody are not needed any more.
        self.ended |= self.format.next(0) == Next::End;
        if self.ended || self.draining {
            self.waiting.clear();
            return Ok(vec![]);
        }
        let mut ready = self.start_waiting();
        // Those who wait for somebody are not many, so that others may play meanwhile, and memory stays small.
        while self.running.len() < self.room && self.waiting.len() < self.room {
            let room = (self.room - self.running.len()).min(self.room - self.waiting.len());
            let Next::Play(pairings) = self.format.next(room) else { break };
            if pairings.is_empty() {
                break;
            }
            self.waiting.extend(pairings);
            ready.extend(self.start_waiting());
        }
        // With nothing running everybody is free, so nothing is waiting either.
        if self.running.is_empty() {
            if self.owed == 0 {
                return Err(ScheduleError::Stuck);
            }
            self.drain();
        }
        Ok(ready)
    }

    /// Starts the first of those who wait that can be played, as many as there is room for.
    fn start_waiting(&mut self) -> Vec<Pairing> {
        let mut ready = vec![];
        let mut still_waiting = vec![];
        for pairing in std::mem::take(&mut self.waiting) {
            let free = !pairing.entrants.iter().any(|entrant| self.busy.contains(entrant));
            if free && self.running.len() < self.room {
                self.busy.extend(pairing.entrants.iter().filter(|entrant| self.exclusive.contains(entrant)));
                self.running.insert(pairing.id, pairing.clone());
                ready.push(pairing);
            } else {
                still_waiting.push(pairing);
            }
        }
        self.waiting = still_waiting;
        ready
    }

    /// A game that was running has ended, and its record is where it belongs: the format may forget it.
    pub fn finished(&mut self, result: &GameResult) -> Result<(), ScheduleError> {
        let pairing =
            self.running.remove(&result.pairing).ok_or(ScheduleError::NotRunning(result.pairing))?;
        if pairing.entrants != result.entrants {
            self.running.insert(pairing.id, pairing);
            return Err(ScheduleError::OtherEntrants(result.pairing));
        }
        self.free(&pairing);
        if self.replays && result.cause == Cause::PlatformAbort && self.format.follows_results() {
            self.owed += 1;
        } else {
            self.earlier(result);
        }
        Ok(())
    }

    /// A game that was to run is not begun any more: the format has ended.
    pub fn withdrawn(&mut self, pairing: u64) -> Result<(), ScheduleError> {
        let pairing = self.running.remove(&pairing).ok_or(ScheduleError::NotRunning(pairing))?;
        self.free(&pairing);
        Ok(())
    }

    /// Those who played it may play another one.
    fn free(&mut self, pairing: &Pairing) {
        for entrant in &pairing.entrants {
            self.busy.remove(entrant);
        }
    }

    /// An entrant takes no further part. A game of it that is running goes on, with an empty seat.
    pub fn leave(&mut self, entrant: Entrant) {
        if entrant.index() < self.format.n_entrants() {
            self.left.insert(entrant);
            self.format.leave(entrant);
        }
    }

    /// Somebody comes late; `None` if the format takes nobody any more.
    pub fn join(&mut self) -> Option<Entrant> {
        if self.ended { None } else { self.format.join() }
    }

    /// Somebody came or went in an earlier run ([`Format::changes`]); to be told before its results.
    pub fn change(&mut self, change: &Change) {
        if let Change::Leave { entrant, .. } = change {
            self.left.insert(*entrant);
        }
        self.format.change(change);
    }

    /// From now on no game begins; those that are running may end.
    pub fn drain(&mut self) {
        self.draining = true;
    }

    /// Whether [`drain`](Self::drain) was called.
    pub const fn is_draining(&self) -> bool {
        self.draining
    }

    /// The games that are running, in the order of their ids.
    pub fn running(&self) -> impl ExactSizeIterator<Item = &Pairing> {
        self.running.values()
    }

    /// Whether nothing runs and nothing more begins, as [`ready`](Self::ready) has found.
    pub fn is_over(&self) -> bool {
        self.running.is_empty() && (self.ended || self.draining)
    }

    /// Whether the format has all results it wanted. If not, and it is over, it was drained and can go on in another run.
    pub const fn is_complete(&self) -> bool {
        self.ended
    }

    /// Who has failed in some game or left, in order.
    pub fn failed_or_left(&self) -> impl Iterator<Item = Entrant> {
        self.failed.union(&self.left).copied()
    }

    /// Who takes part, in order: everybody who has neither left nor been suspended by the format. Who fails a game goes
    /// on, unless the format says otherwise.
    pub fn present(&self) -> Vec<Entrant> {
        let suspended = self.format.suspended();
        let is_there = |entrant: &Entrant| !self.left.contains(entrant) && !suspended.contains(entrant);
        Entrant::all(self.format.n_entrants()).filter(is_there).collect()
    }

    /// The format.
    pub const fn format(&self) -> &F {
        &self.format
    }

    /// The round of the format, if it is later than the one with this number.
    pub(crate) fn round_after(&self, number: u32) -> Option<Round> {
        self.format.round().filter(|round| round.number > number)
    }
}

/// Why a tournament cannot go on: a mistake of a format or of whoever plays the games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScheduleError {
    /// The format waits, and no game is running whose result it could wait for.
    Stuck,
    /// A game ended that was not running.
    NotRunning(u64),
    /// A game ended with other entrants than it was to have.
    OtherEntrants(u64),
    /// Whoever plays the games has no more results, with this many games running.
    Lost(usize),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stuck => f.write_str("the tournament's format waits for a result, but no game is running"),
            Self::NotRunning(id) => write!(f, "pairing {id} has ended, but it was not running"),
            Self::OtherEntrants(id) => {
                write!(f, "pairing {id} was played by others than those who were paired")
            }
            Self::Lost(n) => write!(f, "{n} games were begun and never ended"),
        }
    }
}

impl Error for ScheduleError {}
