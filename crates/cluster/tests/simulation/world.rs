//! The world around the protocol: a database, a broker, machines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rookery_cluster::core::{
    Answer, Ask, Claim, Coordinator, Digest, Done, Effect, Job, JobKey, Lost, Name, Session, State, Terms,
    law,
};

use crate::faults::{Faults, Rng, Told};
use crate::machines::{Machine, WORKER};

pub(crate) const TERMS: Terms = Terms { lease: 30_000, attempts: 3, window: 4 };
/// Until when things go wrong, and until when everything must be over after that.
const TROUBLE: u64 = 600_000;
const PEACE: u64 = 3_600_000;
/// How long a game can last; all but those that never end are shorter.
const LONGEST: u64 = 3 * TERMS.lease;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key(u8, u8);

impl JobKey for Key {
    type Group = u8;

    fn group(&self) -> u8 {
        self.0
    }
}

/// What a game's record is: the same whoever plays it.
pub(crate) fn record_of(key: &Key) -> u64 {
    Rng(u64::from(key.0) << 8 | u64::from(key.1)).next()
}

fn digest(record: u64) -> Digest {
    let mut digest = [0; 32];
    digest[..8].copy_from_slice(&record.to_le_bytes());
    digest
}

#[derive(Clone, Debug)]
pub(crate) enum Message {
    Notification(Key, u32),
    /// With the session of who asks.
    Ask(usize, Session, Ask<Key>),
    Record(usize, Claim<Key>, u64),
    /// To all of a name, with the session that has it.
    Answer(Name, Option<Arc<str>>, Answer<Key>),
    /// Whether the name is that of this session.
    Named(Name, Arc<str>, bool),
}

pub(crate) struct Server {
    pub(crate) core: Coordinator<Key>,
    pub(crate) epoch: u64,
    begun: u64,
    /// Nobody has told it that another one took over.
    is_zombie: bool,
}

pub(crate) struct World {
    pub(crate) faults: Faults,
    pub(crate) rng: Rng,
    pub(crate) now: u64,
    pub(crate) rows: BTreeMap<Key, Job>,
    pub(crate) games: BTreeMap<(Key, u32), u64>,
    pub(crate) epoch: u64,
    pub(crate) servers: Vec<Server>,
    pub(crate) machines: Vec<Machine>,
    pub(crate) network: Vec<(u64, Message)>,
    pub(crate) old: Vec<Message>,
    notifications: BTreeSet<(Key, u32, u64, u32)>,
    pub(crate) broker_down_until: u64,
    broker_back: u64,
    /// Until when nothing reaches a coordinator, and since when it does again.
    still_until: u64,
    still_ended: u64,
    pub(crate) wanted: Vec<Key>,
    pub(crate) poison: Vec<Key>,
    pub(crate) finished: BTreeMap<Key, Done>,
    pub(crate) told: Told,
}

impl World {
    pub(crate) fn new(seed: u64, faults: Faults) -> Self {
        let mut rng = Rng(seed);
        let groups = 1 + rng.below(2) as u8;
        let wanted: Vec<Key> =
            (0..groups).flat_map(|group| (0..3 + rng.below(5) as u8).map(move |n| Key(group, n))).collect();
        let poison = if faults.poison { wanted.iter().take(1).cloned().collect() } else { vec![] };
        let n_machines = 2 + rng.below(3);
        let mut machines: Vec<Machine> =
            (0..n_machines).map(|idx| Machine::new(idx, idx, faults, &mut rng)).collect();
        if faults.twins {
            machines.push(Machine::new(n_machines, 0, faults, &mut rng));
        }
        let mut world = Self {
            faults,
            rng,
            now: 1_000_000,
            rows: BTreeMap::new(),
            games: BTreeMap::new(),
            epoch: 0,
            servers: vec![],
            machines,
            network: vec![],
            old: vec![],
            notifications: BTreeSet::new(),
            broker_down_until: 0,
            broker_back: 0,
            still_until: 0,
            still_ended: 0,
            wanted,
            poison,
            finished: BTreeMap::new(),
            told: Told::default(),
        };
        world.take_over();
        world
    }

    /// A coordinator begins, from the rows alone; whoever was it may go on without knowing.
    fn take_over(&mut self) {
        self.epoch += 1;
        let zombie = self.rng.chance(50);
        self.servers.retain_mut(|server| {
            server.is_zombie = true;
            zombie
        });
        let core = Coordinator::new(TERMS, self.rows.clone(), self.now);
        self.servers.push(Server { core, epoch: self.epoch, begun: self.now, is_zombie: false });
        let idx = self.servers.len() - 1;
        for key in self.wanted.clone() {
            // What is stored is not asked for again.
            if !self.is_stored(&key) {
                self.servers[idx].core.limit(&key, LONGEST);
                let effects = self.servers[idx].core.enqueue(&key, 1);
                self.commit(idx, effects, None);
            }
        }
    }

    fn is_stored(&self, key: &Key) -> bool {
        self.games.keys().any(|(stored, _)| stored == key)
    }

    pub(crate) fn calm(&self) -> bool {
        self.now > 1_000_000 + TROUBLE
    }

    /// Something is sent: lost, doubled, late, and kept by whoever wants to send it again.
    pub(crate) fn send(&mut self, message: &Message) {
        if self.now < self.broker_down_until {
            return;
        }
        let calm = self.calm();
        let Faults { lost, doubled, late, .. } = if calm { Faults::NONE } else { self.faults };
        if self.old.len() < 200 {
            self.old.push(message.clone());
        }
        if self.rng.chance(lost) {
            return;
        }
        let times = if self.rng.chance(doubled) { 5 } else { 1 };
        for _ in 0..times {
            let delay =
                if self.rng.chance(late) { self.rng.below(3 * TERMS.lease) } else { self.rng.below(50) };
            self.network.push((self.now + delay, message.clone()));
        }
    }

    /// Rows first, in one transaction; then what others hear of it. A coordinator that was replaced commits nothing.
    pub(crate) fn commit(&mut self, idx: usize, effects: Vec<Effect<Key>>, record: Option<u64>) {
        if effects.is_empty() {
            return;
        }
        if self.servers[idx].epoch != self.epoch {
            let writes = |effect: &Effect<Key>| {
                matches!(effect, Effect::Write(..) | Effect::Delete(_) | Effect::Store(_))
            };
            if effects.iter().any(writes) {
                self.told.note("zombie");
                // It hears that it was replaced, and ends.
                self.servers[idx].epoch = 0;
                return;
            }
        }
        if !self.calm()
            && self.rng.chance(self.faults.coordinators.min(3))
            && self.servers[idx].epoch == self.epoch
        {
            // It ends between two steps: before the commit, or after it and before anybody hears.
            if self.rng.chance(50) {
                self.write(&effects, record);
            }
            self.told.note("taken over");
            self.servers[idx].epoch = 0;
            self.servers[idx].is_zombie = true;
            return;
        }
        self.write(&effects, record);
        for effect in effects {
            match effect {
                Effect::Notify { key, attempt, number } => self.notify(idx, key, attempt, number),
                Effect::Answer(worker, answer) => {
                    match &answer {
                        Answer::Granted { claim, .. } => self.expect_held(idx, &worker, claim),
                        Answer::Dropped { why, .. } => {
                            let stale = *why == rookery_cluster::core::Refusal::Stale;
                            self.told.note(if stale { "stale" } else { "dropped" });
                        }
                        Answer::Refused { why: rookery_cluster::core::Refusal::Elsewhere, .. } => {
                            self.told.note("elsewhere");
                        }
                        Answer::Stop(_) => self.told.note("stopped"),
                        _ => {}
                    }
                    let session = self.servers[idx].core.session_of(&worker).cloned();
                    self.send(&Message::Answer(worker, session, answer));
                }
                Effect::Finished(key, done) => {
                    self.told.note(if done == Done::Parked { "parked" } else { "stored" });
                    self.finished.insert(key, done);
                }
                Effect::Alarm { .. } => self.told.note("wrong"),
                Effect::Ended { lost, .. } => {
                    if lost == Lost::Endless {
                        self.told.note("endless");
                    }
                    if lost == Lost::Expired {
                        let blind = self.servers[idx].begun.max(self.broker_back).max(self.still_ended);
                        let blind = blind + TERMS.lease;
                        assert!(self.now >= blind, "a lease is judged whose worker could not say a word");
                        self.told.note("expired");
                    }
                }
                Effect::Write(..) | Effect::Delete(_) | Effect::Store(_) => {}
            }
        }
    }

    /// The broker swallows a notification that it had before, by the same words that the real one is told.
    fn notify(&mut self, idx: usize, key: Key, attempt: u32, number: u32) {
        if number > 1 {
            self.told.note("notified again");
        }
        if self.notifications.insert((key.clone(), attempt, self.servers[idx].epoch, number)) {
            self.send(&Message::Notification(key, attempt));
        }
    }

    fn write(&mut self, effects: &[Effect<Key>], record: Option<u64>) {
        for effect in effects {
            match effect {
                Effect::Write(key, job) => {
                    let before = self.rows.insert(key.clone(), job.clone());
                    if let Some(before) = before {
                        assert_eq!(law::may_become(&before, job), Ok(()), "{key:?}");
                    }
                }
                Effect::Delete(key) => {
                    self.rows.remove(key);
                }
                Effect::Store(claim) => {
                    let record = record.expect("a game is stored with its record");
                    let before = self.games.insert((claim.key.clone(), claim.attempt), record);
                    assert_eq!(before, None, "{claim:?} is stored once");
                }
                _ => {}
            }
        }
    }

    fn arrive(&mut self, message: Message) {
        if let Message::Answer(name, ..) | Message::Named(name, ..) = &message {
            for idx in 0..self.machines.len() {
                if self.machines[idx].name == *name {
                    self.hear(idx, &message);
                }
            }
            return;
        }
        match message {
            Message::Notification(key, attempt) => {
                let n = self.machines.len() as u64;
                let idx = self.rng.below(n) as usize;
                let now = self.now;
                let machine = &mut self.machines[idx];
                if now >= machine.frozen_until {
                    let clock = machine.clock(now);
                    let acts = machine.core.notified(key, attempt, clock);
                    self.act(idx, acts);
                }
            }
            Message::Answer(..) | Message::Named(..) => {}
            Message::Ask(..) | Message::Record(..) if self.now < self.still_until => {
                self.network.push((self.still_until, message));
            }
            Message::Ask(from, session, ask) => {
                let name = self.machines[from].name.clone();
                for idx in 0..self.servers.len() {
                    if self.servers[idx].epoch > 0 && self.admits(idx, &name, &session, &ask) {
                        let effects = self.servers[idx].core.hear(&name, ask.clone(), self.now);
                        self.expect_lawful(idx, &name, ask.claim(), &effects);
                        self.commit(idx, effects, None);
                    }
                }
            }
            Message::Record(from, claim, record) => {
                let name = self.machines[from].name.clone();
                let judged = if record == record_of(&claim.key) {
                    Ok(())
                } else {
                    Err("it breaks the rules".to_owned())
                };
                for idx in 0..self.servers.len() {
                    if self.servers[idx].epoch > 0 {
                        let (core, judged) = (&mut self.servers[idx].core, judged.clone());
                        let effects = core.deliver(&name, claim.clone(), digest(record), judged, self.now);
                        self.expect_lawful(idx, &name, Some(&claim), &effects);
                        self.commit(idx, effects, Some(record));
                    }
                }
            }
        }
    }

    fn go_wrong(&mut self) {
        let unlucky = |rng: &mut Rng, chance: u64| rng.below(10_000) < chance;
        if unlucky(&mut self.rng, self.faults.workers) {
            let idx = self.rng.below(self.machines.len() as u64) as usize;
            if self.rng.chance(50) {
                self.restart(idx);
            } else {
                self.machines[idx].frozen_until = self.now + self.rng.below(3 * TERMS.lease);
            }
        }
        if unlucky(&mut self.rng, self.faults.coordinators) {
            self.told.note("taken over");
            self.take_over();
        }
        if unlucky(&mut self.rng, self.faults.stream) {
            self.told.note("stream lost");
            self.network.retain(|(_, message)| !matches!(message, Message::Notification(..)));
        }
        if unlucky(&mut self.rng, self.faults.broker) && self.now >= self.broker_down_until {
            self.told.note("broker lost");
            self.broker_down_until = self.now + self.rng.below(3 * TERMS.lease);
            self.network.clear();
            self.servers.iter_mut().for_each(|server| server.core.broker_lost());
        }
        if unlucky(&mut self.rng, self.faults.still) && self.now >= self.still_until {
            self.told.note("stood still");
            self.still_until = self.now + self.rng.below(3 * TERMS.lease);
        }
        if self.rng.below(100) < self.faults.replayed && !self.old.is_empty() {
            let idx = self.rng.below(self.old.len() as u64) as usize;
            let message = self.old[idx].clone();
            self.told.note("again");
            self.network.push((self.now, message));
        }
    }

    fn step(&mut self) {
        self.now += 100 + self.rng.below(900);
        if !self.calm() {
            self.go_wrong();
        }
        if self.broker_down_until != 0 && self.now >= self.broker_down_until {
            (self.broker_down_until, self.broker_back) = (0, self.now);
            let now = self.now;
            self.servers.iter_mut().for_each(|server| server.core.broker_back(now, 0));
        }
        if self.still_until != 0 && self.now >= self.still_until {
            (self.still_until, self.still_ended) = (0, self.now);
            let now = self.now;
            self.servers.iter_mut().for_each(|server| server.core.stood_still(now));
        }
        // Whoever was told that it is replaced has ended; somebody is there soon.
        self.servers.retain(|server| server.epoch > 0);
        if self.servers.iter().all(|server| server.epoch != self.epoch) {
            self.take_over();
        }
        let mut due = vec![];
        let now = self.now;
        self.network.retain(|(at, message)| {
            let is_due = *at <= now;
            if is_due {
                due.push(message.clone());
            }
            !is_due
        });
        while !due.is_empty() {
            let idx = self.rng.below(due.len() as u64) as usize;
            let message = due.swap_remove(idx);
            self.arrive(message);
        }
        for idx in 0..self.machines.len() {
            self.work(idx);
        }
        for idx in 0..self.servers.len() {
            if self.servers[idx].epoch > 0 && now >= self.still_until {
                let effects = self.servers[idx].core.tick(now);
                let core = &self.servers[idx].core;
                let out: usize = core.loads().values().map(|load| load.notified).sum();
                // Those that were sent before a worker was lost are still out.
                let most = TERMS.window.max(2 * WORKER.slots * self.machines.len());
                assert!(out <= most, "{out} notifications are out, and {most} were agreed");
                self.commit(idx, effects, None);
            }
        }
        self.retry_parked();
    }

    fn is_over(&self) -> bool {
        self.wanted.iter().all(|key| match self.rows.get(key).map(|job| &job.state) {
            Some(State::Done { .. }) => true,
            Some(State::Parked) => self.poison.contains(key),
            _ => false,
        })
    }

    /// Runs it to the end; what happened, or what is wrong.
    pub(crate) fn run(mut self) -> Result<Told, String> {
        let end = self.now + TROUBLE + PEACE;
        while !(self.is_over() && self.machines.iter().all(|machine| machine.disk.is_empty())) {
            if self.now > end {
                let open: Vec<_> =
                    self.rows.iter().filter(|(_, job)| !matches!(job.state, State::Done { .. })).collect();
                return Err(format!("it does not end: {open:?}, faults {:?}", self.faults));
            }
            self.step();
        }
        for key in &self.wanted {
            let stored: Vec<_> = self.games.iter().filter(|((stored, _), _)| stored == key).collect();
            let expected = usize::from(!self.poison.contains(key));
            let right =
                stored.len() == expected && stored.iter().all(|(_, record)| **record == record_of(key));
            if !right {
                return Err(format!("{key:?}: {stored:?} is stored, faults {:?}", self.faults));
            }
        }
        Ok(self.told)
    }
}
