//! What workers do: they play, keep, send, end and begin again.

use std::collections::BTreeMap;
use std::sync::Arc;

use rookery_cluster::core::{
    Act, Admission, Answer, Ask, Claim, Name, Session, Standing, Worker, WorkerTerms,
};

use crate::faults::{Faults, Rng};
use crate::world::{Key, Message, TERMS, World, record_of};

pub(crate) struct Game {
    pub(crate) claim: Claim<Key>,
    pub(crate) ends_at: u64,
    pub(crate) stuck: bool,
}

pub(crate) struct Machine {
    pub(crate) name: Name,
    pub(crate) core: Worker<Key, u64>,
    pub(crate) standing: Standing,
    /// Its sessions so far, as its spool keeps them, the last one first.
    pub(crate) sessions: Vec<Arc<str>>,
    /// What is on its disk.
    pub(crate) disk: BTreeMap<(Key, u32, u64), u64>,
    pub(crate) games: Vec<Game>,
    pub(crate) plies: u64,
    pub(crate) frozen_until: u64,
    pub(crate) hello_at: u64,
    /// Its clock is ahead by so much, and runs so fast in percent.
    pub(crate) ahead: u64,
    pub(crate) speed: u64,
    pub(crate) lies: bool,
    pub(crate) endless: bool,
}

/// How many earlier sessions a worker knows.
const SESSIONS: usize = 3;

impl Machine {
    pub(crate) fn new(idx: u64, name: u64, faults: Faults, rng: &mut Rng) -> Self {
        let mut new = Self {
            name: Arc::from(format!("w{name}")),
            core: Worker::new(WORKER, []),
            standing: Standing::new(Arc::from(""), vec![], 0, 0, 0),
            sessions: vec![],
            disk: BTreeMap::new(),
            games: vec![],
            plies: 0,
            frozen_until: 0,
            hello_at: 0,
            ahead: if faults.skewed { rng.below(1 << 40) } else { 0 },
            speed: if faults.skewed { 80 + rng.below(41) } else { 100 },
            lies: faults.liars && idx == 0,
            endless: faults.endless && idx == 1,
        };
        new.begin_session(rng, 0);
        new
    }

    /// A new session, as each start has one.
    pub(crate) fn begin_session(&mut self, rng: &mut Rng, now: u64) {
        let own: Arc<str> = Arc::from(format!("{:x}", rng.next()));
        let clock = self.clock(now);
        self.standing =
            Standing::new(own.clone(), self.sessions.clone(), WORKER.patience, TERMS.lease / 3, clock);
        self.sessions.insert(0, own);
        self.sessions.truncate(SESSIONS);
        self.core.hold_back(true);
    }

    pub(crate) fn clock(&self, now: u64) -> u64 {
        self.ahead + now * self.speed / 100
    }
}

pub(crate) const WORKER: WorkerTerms = WorkerTerms { slots: 2, spool: 4, patience: 4_000 };

impl World {
    pub(crate) fn act(&mut self, idx: usize, acts: Vec<Act<Key, u64>>) {
        for act in acts {
            match act {
                Act::Say(ask) => {
                    if matches!(ask, Ask::Release(_)) {
                        self.told.note("released");
                    }
                    self.ask(idx, ask);
                }
                Act::Play(claim) => {
                    let length = self.rng.below(2 * TERMS.lease);
                    // Also in times of peace: nobody else makes it stop.
                    let ends_at = if self.machines[idx].endless { u64::MAX } else { self.now + length };
                    let stuck = !self.calm() && self.rng.chance(self.faults.stuck);
                    self.machines[idx].games.push(Game { claim, ends_at, stuck });
                }
                Act::Abandon(claim) => self.machines[idx].games.retain(|game| game.claim != claim),
                Act::Keep(claim, record) => {
                    self.machines[idx].disk.insert((claim.key, claim.attempt, claim.fence), record);
                }
                Act::Send(claim, record) => self.send(&Message::Record(idx, claim, record)),
                Act::Forget(claim) => {
                    self.machines[idx].disk.remove(&(claim.key, claim.attempt, claim.fence));
                }
            }
        }
    }

    /// A worker ends and begins again, with what is on its disk.
    pub(crate) fn restart(&mut self, idx: usize) {
        let machine = &mut self.machines[idx];
        if !machine.disk.is_empty() {
            self.told.note("spooled");
        }
        let kept = machine.disk.iter();
        let kept: Vec<_> = kept
            .map(|((key, attempt, fence), record)| {
                (Claim { key: key.clone(), attempt: *attempt, fence: *fence }, *record)
            })
            .collect();
        machine.core = Worker::new(WORKER, kept);
        machine.games.clear();
        machine.hello_at = 0;
        machine.begin_session(&mut self.rng, self.now);
    }

    fn ask(&mut self, idx: usize, ask: Ask<Key>) {
        let session = self.machines[idx].standing.session();
        self.send(&Message::Ask(idx, session, ask));
    }

    /// An answer comes to a worker.
    pub(crate) fn hear(&mut self, idx: usize, message: &Message) {
        let machine = &mut self.machines[idx];
        if self.now < machine.frozen_until {
            // A machine that is frozen reads it later.
            let at = machine.frozen_until + 1;
            self.network.push((at, message.clone()));
            return;
        }
        let clock = machine.clock(self.now);
        let acts = match message {
            Message::Answer(_, session, answer) => {
                let for_us = machine.standing.is_for_us(session.as_deref());
                if !for_us && matches!(answer, Answer::Granted { .. }) {
                    return;
                }
                machine.core.hear(answer.clone(), clock)
            }
            Message::Named(_, session, is_its) if machine.standing.is_for_us(Some(session)) => {
                let was_refused = if *is_its {
                    machine.hello_at = 0;
                    machine.standing.admitted()
                } else {
                    machine.standing.refused(clock);
                    false
                };
                machine.core.hold_back(!machine.standing.may_play());
                if was_refused {
                    self.told.note("name given again");
                }
                return;
            }
            _ => return,
        };
        self.act(idx, acts);
    }

    /// Whether a coordinator hears what a worker asks; else it tells it that the name is that of somebody else.
    pub(crate) fn admits(&mut self, idx: usize, name: &Name, session: &Session, ask: &Ask<Key>) -> bool {
        let admission = self.servers[idx].core.admit(name, session, self.now);
        if admission != Admission::Known {
            let is_its = admission == Admission::New;
            self.send(&Message::Named(name.clone(), session.own.clone(), is_its));
        }
        if admission != Admission::Refused {
            return true;
        }
        self.told.note("name refused");
        matches!(ask, Ask::Beat { .. } | Ask::Release(_) | Ask::Fail { .. })
    }

    pub(crate) fn work(&mut self, idx: usize) {
        let now = self.now;
        if now < self.machines[idx].frozen_until {
            return;
        }
        if self.machines[idx].hello_at <= now {
            self.machines[idx].hello_at = now + TERMS.lease / 3;
            self.ask(idx, Ask::Hello { slots: 2 });
        }
        let machine = &mut self.machines[idx];
        machine.plies += 1;
        let plies = machine.plies;
        for game in machine.games.iter().filter(|game| !game.stuck) {
            machine.core.progressed(&game.claim.key, plies);
        }
        let over = |game: &mut Game| !game.stuck && game.ends_at <= now;
        let ended: Vec<Game> = machine.games.extract_if(.., over).collect();
        for game in ended {
            if self.poison.contains(&game.claim.key) {
                self.restart(idx);
                return;
            }
            let lies = self.machines[idx].lies && !self.calm() && self.rng.chance(40);
            let record = record_of(&game.claim.key) ^ u64::from(lies);
            let clock = self.machines[idx].clock(now);
            let acts = self.machines[idx].core.finished(game.claim, record, clock);
            self.act(idx, acts);
        }
        let connected = now >= self.broker_down_until;
        let machine = &mut self.machines[idx];
        let clock = machine.clock(now);
        machine.standing.tick(connected, clock);
        machine.core.hold_back(!machine.standing.may_play());
        let acts = machine.core.tick(clock);
        self.act(idx, acts);
    }
}
