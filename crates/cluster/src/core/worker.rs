//! The side that plays.

use std::collections::BTreeMap;

use super::{Answer, Ask, Claim, JobKey};

/// How many beats a lease has room for.
pub(super) const BEATS: u64 = 3;
/// How often a claim is repeated before its notification is forgotten.
const TRIES: u32 = 3;
/// How many finished games are sent at a time without an answer, beside those that have just ended.
const WINDOW: usize = 64;
/// How many times longer than the first the longest pause is before a finished game is sent again. Not more: whoever begins to
/// coordinate waits for the time of one lease.
const LONGEST_PAUSE: u64 = 4;

/// How long a worker waits, in milliseconds of its own clock; only ever as a length of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkerTerms {
    /// How many games at a time.
    pub slots: usize,
    /// How many finished games may wait for their delivery before no new one begins.
    pub spool: usize,
    /// After how long a question without an answer is asked again.
    pub patience: u64,
}

/// What a worker is to do, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act<K, R> {
    /// Say this to the coordinator.
    Say(Ask<K>),
    /// Play this.
    Play(Claim<K>),
    /// Stop playing this.
    Abandon(Claim<K>),
    /// Keep this so that it survives the end of the process.
    Keep(Claim<K>, R),
    /// Send this to the coordinator.
    Send(Claim<K>, R),
    /// It is not needed any more.
    Forget(Claim<K>),
}

/// A finished game that is not delivered yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spooled<R> {
    /// The record.
    pub record: R,
    sent_at: u64,
    /// After how long without an answer it is sent again; not sent yet at 0.
    pause: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Slot {
    Asking { attempt: u32, asked_at: u64, tries: u32 },
    Playing { attempt: u32, fence: u64, progress: u64, told: u64, beats: u64, beat_at: u64, pace: u64 },
}

/// The games of a worker.
#[derive(Debug)]
pub struct Worker<K, R> {
    terms: WorkerTerms,
    slots: BTreeMap<K, Slot>,
    spool: BTreeMap<(K, u32, u64), Spooled<R>>,
    draining: bool,
    /// Whether its name may be that of somebody else.
    held_back: bool,
}

impl<K: JobKey, R: Clone> Worker<K, R> {
    /// Begins with what an earlier run has kept and not delivered.
    pub fn new(terms: WorkerTerms, kept: impl IntoIterator<Item = (Claim<K>, R)>) -> Self {
        let spooled = |(claim, record): (Claim<K>, R)| {
            ((claim.key, claim.attempt, claim.fence), Spooled { record, sent_at: 0, pause: 0 })
        };
        Self {
            terms,
            slots: BTreeMap::new(),
            spool: kept.into_iter().map(spooled).collect(),
            draining: false,
            held_back: false,
        }
    }

    /// How many more games it wants to hear of.
    pub fn free(&self) -> usize {
        if self.draining || self.held_back || self.spool.len() >= self.terms.spool {
            return 0;
        }
        self.terms.slots.saturating_sub(self.slots.len())
    }

    /// How many games are being played.
    pub fn playing(&self) -> usize {
        self.slots.values().filter(|slot| matches!(slot, Slot::Playing { .. })).count()
    }

    /// How many finished games are not delivered yet.
    pub fn undelivered(&self) -> usize {
        self.spool.len()
    }

    /// Takes no new game from now on.
    pub fn drain(&mut self) {
        self.draining = true;
        self.ask_for_nothing();
    }

    /// Takes no new game while its name may be that of somebody else.
    pub fn hold_back(&mut self, held_back: bool) {
        self.held_back = held_back;
        if held_back {
            self.ask_for_nothing();
        }
    }

    fn ask_for_nothing(&mut self) {
        self.slots.retain(|_, slot| matches!(slot, Slot::Playing { .. }));
    }

    /// Whether it has claimed this game and waits for the answer.
    pub fn is_asking(&self, key: &K) -> bool {
        matches!(self.slots.get(key), Some(Slot::Asking { .. }))
    }

    /// Whether it takes no new game.
    pub fn is_draining(&self) -> bool {
        self.draining
    }

    /// Gives back what is being played.
    pub fn release(&mut self) -> Vec<Act<K, R>> {
        let mut acts = vec![];
        for (key, slot) in std::mem::take(&mut self.slots) {
            if let Slot::Playing { attempt, fence, .. } = slot {
                let claim = Claim { key, attempt, fence };
                acts.push(Act::Abandon(claim.clone()));
                acts.push(Act::Say(Ask::Release(claim)));
            }
        }
        acts
    }

    /// There is something to play.
    pub fn notified(&mut self, key: K, attempt: u32, now: u64) -> Vec<Act<K, R>> {
        let mut acts = vec![];
        match self.slots.get(&key) {
            // What we play is not what counts any more.
            Some(&Slot::Playing { attempt: old, fence, .. }) if old < attempt => {
                self.slots.remove(&key);
                acts.push(Act::Abandon(Claim { key: key.clone(), attempt: old, fence }));
            }
            Some(_) => return acts,
            None => {}
        }
        // Who has no room says nothing: it is sent again.
        if self.free() > 0 {
            acts.push(Act::Say(Ask::Take { key: key.clone(), attempt }));
            self.slots.insert(key, Slot::Asking { attempt, asked_at: now, tries: 1 });
        }
        acts
    }

    /// The coordinator has answered.
    pub fn hear(&mut self, answer: Answer<K>, now: u64) -> Vec<Act<K, R>> {
        match answer {
            Answer::Granted { claim, lease } => self.granted(claim, lease / BEATS, now),
            Answer::Refused { key, attempt, .. } => {
                if matches!(self.slots.get(&key), Some(Slot::Asking { attempt: asked, .. }) if *asked == attempt)
                {
                    self.slots.remove(&key);
                }
                vec![]
            }
            Answer::Stop(claim) => {
                if self.plays(&claim) {
                    self.slots.remove(&claim.key);
                    return vec![Act::Abandon(claim)];
                }
                vec![]
            }
            Answer::Stored(claim) | Answer::Dropped { claim, .. } => {
                let key = (claim.key.clone(), claim.attempt, claim.fence);
                self.spool.remove(&key).map_or(vec![], |_| vec![Act::Forget(claim)])
            }
        }
    }

    fn plays(&self, claim: &Claim<K>) -> bool {
        matches!(self.slots.get(&claim.key), Some(Slot::Playing { attempt, fence, .. })
            if (*attempt, *fence) == (claim.attempt, claim.fence))
    }

    fn granted(&mut self, claim: Claim<K>, pace: u64, now: u64) -> Vec<Act<K, R>> {
        match self.slots.get(&claim.key) {
            Some(Slot::Asking { attempt, .. }) if *attempt == claim.attempt => {
                let Claim { attempt, fence, .. } = claim;
                let slot =
                    Slot::Playing { attempt, fence, progress: 0, told: 0, beats: 0, beat_at: now, pace };
                self.slots.insert(claim.key.clone(), slot);
                vec![Act::Play(claim)]
            }
            Some(_) => vec![],
            None if self.spool.contains_key(&(claim.key.clone(), claim.attempt, claim.fence)) => vec![],
            // We have forgotten that we asked: somebody else may have it at once.
            None => vec![Act::Say(Ask::Release(claim))],
        }
    }

    /// A game has come so far: a count that only grows while something happens in it.
    pub fn progressed(&mut self, key: &K, to: u64) {
        if let Some(Slot::Playing { progress, .. }) = self.slots.get_mut(key) {
            *progress = (*progress).max(to);
        }
    }

    /// A game is over.
    pub fn finished(&mut self, claim: Claim<K>, record: R, now: u64) -> Vec<Act<K, R>> {
        if !self.plays(&claim) {
            return vec![];
        }
        self.slots.remove(&claim.key);
        let key = (claim.key.clone(), claim.attempt, claim.fence);
        let pause = self.terms.patience;
        self.spool.insert(key, Spooled { record: record.clone(), sent_at: now, pause });
        vec![Act::Keep(claim.clone(), record.clone()), Act::Send(claim, record)]
    }

    /// A game cannot be played here.
    pub fn failed(&mut self, claim: Claim<K>, why: String) -> Vec<Act<K, R>> {
        if !self.plays(&claim) {
            return vec![];
        }
        self.slots.remove(&claim.key);
        vec![Act::Say(Ask::Fail { claim, why })]
    }

    /// Time has passed: says which games go on, and asks and sends again what got no answer.
    pub fn tick(&mut self, now: u64) -> Vec<Act<K, R>> {
        let mut acts = vec![];
        let patience = self.terms.patience;
        self.slots.retain(|key, slot| match slot {
            Slot::Asking { tries, asked_at, .. } if *tries >= TRIES => *asked_at + patience > now,
            Slot::Asking { attempt, asked_at, tries } => {
                if *asked_at + patience <= now {
                    (*asked_at, *tries) = (now, *tries + 1);
                    acts.push(Act::Say(Ask::Take { key: key.clone(), attempt: *attempt }));
                }
                true
            }
            Slot::Playing { attempt, fence, progress, told, beats, beat_at, pace } => {
                if *beat_at + *pace <= now && progress > told {
                    (*told, *beats, *beat_at) = (*progress, *beats + 1, now);
                    let claim = Claim { key: key.clone(), attempt: *attempt, fence: *fence };
                    acts.push(Act::Say(Ask::Beat { claim, beat: *beats }));
                } else if *beat_at + (BEATS + 1) * *pace <= now {
                    // It is stuck. Its lease is over by now, and nobody would say so: only a beat is answered.
                    acts.push(Act::Abandon(Claim { key: key.clone(), attempt: *attempt, fence: *fence }));
                    return false;
                }
                true
            }
        });
        self.send_again(now, &mut acts);
        acts
    }

    /// Sends what got no answer, those that wait longest first, and no more than there is room for on the way.
    fn send_again(&mut self, now: u64, acts: &mut Vec<Act<K, R>>) {
        let (mut due, out): (Vec<_>, Vec<_>) =
            self.spool.iter_mut().partition(|(_, spooled)| spooled.sent_at + spooled.pause <= now);
        due.sort_by_key(|(_, spooled)| spooled.sent_at);
        for ((key, attempt, fence), spooled) in due.into_iter().take(WINDOW.saturating_sub(out.len())) {
            let patience = self.terms.patience;
            spooled.sent_at = now;
            spooled.pause = (2 * spooled.pause).clamp(patience, LONGEST_PAUSE * patience);
            let claim = Claim { key: key.clone(), attempt: *attempt, fence: *fence };
            acts.push(Act::Send(claim, spooled.record.clone()));
        }
    }

    /// A finished game can never be sent: it is as if it could not be played.
    pub fn undeliverable(&mut self, claim: Claim<K>, why: String) -> Vec<Act<K, R>> {
        let key = (claim.key.clone(), claim.attempt, claim.fence);
        if self.spool.remove(&key).is_none() {
            return vec![];
        }
        vec![Act::Say(Ask::Fail { claim: claim.clone(), why }), Act::Forget(claim)]
    }
}
