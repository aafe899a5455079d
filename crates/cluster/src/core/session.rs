//! Whose name it is. All that a worker says and hears goes by its name, so two programs of one name would take each other's games and
//! give them back: one of them at a time has the name.
//!
//! Each start of a worker has a session, a word by chance. Its spool keeps the last ones, so that whoever begins again after a crash is
//! known as the same worker and has its name at once. Anybody else waits until nothing was heard of the one before for the time of a
//! lease (of three greetings at least), or until that one has said that it ends.

use std::sync::Arc;

use super::coordinator::MOST_WORKERS;
use super::{Coordinator, JobKey, Name};

/// How often a worker greets, in milliseconds of its own clock.
pub const HELLO: u64 = 3_000;
/// For how many greetings that do not come a name is kept at least, where leases are short.
const MISSED: u64 = 3;

/// How a start of a worker stands with its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// It does not know yet whether the name is its own, or was refused.
    Waits,
    /// It takes games.
    Works,
    /// It needs the name no more.
    Ended,
}

/// One start of a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    /// A word of its own.
    pub own: Arc<str>,
    /// Those of the starts before it on the same spool.
    pub before: Vec<Arc<str>>,
    /// How it stands with its name.
    pub stage: Stage,
}

/// What a coordinator says to whoever wants a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It has the name, as before.
    Known,
    /// It has the name from now on.
    New,
    /// Somebody else has it.
    Refused,
}

/// For how long a name is kept for a worker that says nothing.
pub(super) fn kept(lease: u64) -> u64 {
    lease.max(MISSED * HELLO)
}

impl<K: JobKey> Coordinator<K> {
    /// Whether the name is that of this start of a worker. Whoever is refused may still say something of the games that it holds.
    pub fn admit(&mut self, worker: &Name, session: &Session, now: u64) -> Admission {
        let Session { own, before, stage } = session;
        let known = self.sessions.get(worker);
        let is_its = known.is_some_and(|(has, _)| has == own);
        let is_anothers =
            known.is_some_and(|(has, at)| !before.contains(has) && *at + kept(self.terms.lease) >= now);
        match stage {
            _ if is_anothers && !is_its => return Admission::Refused,
            Stage::Ended if is_its => {
                self.sessions.remove(worker);
                if let Some(seen) = self.workers.remove(worker) {
                    self.slots = self.slots.saturating_sub(seen.slots as usize);
                }
            }
            // The coordinator of another store has refused it. Both would keep a name from each other for ever if it stayed its
            // own here.
            Stage::Waits if is_its => {}
            Stage::Ended => {}
            // The table is full: it is treated like a worker that says nothing of sessions.
            Stage::Works | Stage::Waits if known.is_none() && self.sessions.len() >= MOST_WORKERS => {
                return Admission::Known;
            }
            Stage::Works | Stage::Waits => drop(self.sessions.insert(worker.clone(), (own.clone(), now))),
        }
        if is_its || *stage == Stage::Ended { Admission::Known } else { Admission::New }
    }

    /// The start of a worker that has this name.
    pub fn session_of(&self, worker: &Name) -> Option<&Arc<str>> {
        self.sessions.get(worker).map(|(session, _)| session)
    }
}

/// What a worker knows of its right to its name. Times are of its own clock.
#[derive(Debug)]
pub struct Standing {
    own: Arc<str>,
    before: Vec<Arc<str>>,
    /// How long it waits for a word at the start, and after it was refused.
    first: u64,
    again: u64,
    /// Until when it waits, and whether because it was refused; none once it takes games.
    waits: Option<(u64, bool)>,
}

impl Standing {
    /// Begins. Without an answer it goes on after `patience`, and after twice the time between its greetings and `patience` if it was
    /// refused: there may be no coordinator, or one that knows nothing of sessions.
    pub fn new(own: Arc<str>, before: Vec<Arc<str>>, patience: u64, hello: u64, now: u64) -> Self {
        let again = 2 * hello + patience;
        Self { own, before, first: patience, again, waits: Some((now + patience, false)) }
    }

    /// What it says of itself.
    pub fn session(&self) -> Session {
        let stage = if self.may_play() { Stage::Works } else { Stage::Waits };
        Session { own: self.own.clone(), before: self.before.clone(), stage }
    }

    /// Whether it takes games.
    pub fn may_play(&self) -> bool {
        self.waits.is_none()
    }

    /// Whether something that is addressed to this session, if to any, is for us.
    pub fn is_for_us(&self, session: Option<&str>) -> bool {
        session.is_none_or(|session| session == &*self.own)
    }

    /// Somebody else has the name. Whether that is news.
    pub fn refused(&mut self, now: u64) -> bool {
        let before = self.waits.replace((now + self.again, true));
        !matches!(before, Some((_, true)))
    }

    /// The name is its own. Whether it was refused before.
    pub fn admitted(&mut self) -> bool {
        matches!(self.waits.take(), Some((_, true)))
    }

    /// Time has passed. Nobody can answer without a way to the broker.
    pub fn tick(&mut self, connected: bool, now: u64) {
        match &mut self.waits {
            Some((until, was_refused)) if !connected => {
                *until = now + if *was_refused { self.again } else { self.first };
            }
            Some((until, _)) if *until <= now => self.waits = None,
            _ => {}
        }
    }
}
