//! The side that holds the rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::blame::{MOST_SLOTS, Record, keep_away, pause};
use super::session::kept;
use super::{Answer, Ask, Claim, Digest, Done, Effect, Job, JobKey, Lost, Name, Refusal, State, Terms, law};

/// How many times longer than a lease a worker is remembered that says nothing.
const REMEMBERED: u64 = 3;
/// How many workers are remembered: whoever may speak to the broker may call itself anything.
pub(super) const MOST_WORKERS: usize = 20_000;

/// What is known of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// How many games it plays at a time.
    pub slots: u32,
    /// When it was heard of last.
    pub at: u64,
}

/// What of a group is where.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Load {
    /// Waiting, and no notification is out.
    pub waiting: usize,
    /// Waiting, and a notification is out.
    pub notified: usize,
    /// With a worker.
    pub leased: usize,
    /// Played.
    pub done: usize,
    /// Waiting for the operator.
    pub parked: usize,
}

/// What is in memory only of a job that waits.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Notified {
    last_at: Option<u64>,
    times: u32,
    /// How often it came to somebody who was not to have it, and until when it is kept from whoever has lost it.
    kept_away: u32,
    pub(super) kept_until: u64,
}

/// All jobs, and the workers that were heard of.
#[derive(Debug)]
pub struct Coordinator<K: JobKey> {
    pub(super) terms: Terms,
    pub(super) jobs: BTreeMap<K, Job>,
    pub(super) notifications: BTreeMap<K, Notified>,
    /// Those that wait without a notification, by group.
    waiting: BTreeMap<K::Group, BTreeSet<K>>,
    /// Those that wait and have a notification out, the oldest first.
    notified: BTreeSet<(u64, K)>,
    /// Leases, the first to end first.
    leases: BTreeSet<(u64, K)>,
    /// The last beat of a game that can still be one, for those that were asked for here.
    pub(super) last_beats: BTreeMap<K, u64>,
    load: BTreeMap<K::Group, Load>,
    /// Of these nothing begins any more.
    pub(super) taken_back: BTreeSet<K::Group>,
    /// Those that came to somebody who was not to have them, and when they are to be offered again.
    deferred: BTreeSet<(u64, K)>,
    pub(super) workers: BTreeMap<Name, Seen>,
    /// Which start of a worker has each name, and when it was heard of last.
    pub(super) sessions: BTreeMap<Name, (Arc<str>, u64)>,
    /// How many leases each worker holds, and how those do that have lost something.
    pub(super) held: BTreeMap<Name, u32>,
    pub(super) records: BTreeMap<Name, Record>,
    /// How many games all of them can play, and when those were last looked at that say nothing.
    pub(super) slots: usize,
    swept_at: u64,
    /// No lease is judged before: those who hold one may not have been able to say so.
    judged_from: u64,
    broker: bool,
}

impl<K: JobKey> Coordinator<K> {
    /// Begins with the rows that are there. No lease is judged for the time of one.
    pub fn new(terms: Terms, rows: impl IntoIterator<Item = (K, Job)>, now: u64) -> Self {
        let mut new = Self {
            terms,
            jobs: BTreeMap::new(),
            notifications: BTreeMap::new(),
            waiting: BTreeMap::new(),
            notified: BTreeSet::new(),
            leases: BTreeSet::new(),
            last_beats: BTreeMap::new(),
            load: BTreeMap::new(),
            taken_back: BTreeSet::new(),
            deferred: BTreeSet::new(),
            workers: BTreeMap::new(),
            sessions: BTreeMap::new(),
            held: BTreeMap::new(),
            records: BTreeMap::new(),
            slots: 0,
            swept_at: now,
            judged_from: now + terms.lease,
            broker: true,
        };
        for (key, job) in rows {
            new.put(&key, job);
        }
        new
    }

    /// A job as it stands.
    pub fn job(&self, key: &K) -> Option<&Job> {
        self.jobs.get(key)
    }

    /// All of them.
    pub fn jobs(&self) -> impl Iterator<Item = (&K, &Job)> {
        self.jobs.iter()
    }

    /// What of each group is where.
    pub fn loads(&self) -> &BTreeMap<K::Group, Load> {
        &self.load
    }

    /// The workers that were heard of.
    pub fn workers(&self) -> &BTreeMap<Name, Seen> {
        &self.workers
    }

    /// A game is to be played, if it is not known already.
    pub fn enqueue(&mut self, key: &K, attempt: u32) -> Vec<Effect<K>> {
        self.taken_back.remove(&key.group());
        match self.jobs.get(key).map(|job| (job.attempt, &job.state)) {
            None => self.write(key, Job::queued(attempt)),
            Some((attempt, State::Done { .. })) => {
                vec![Effect::Finished(key.clone(), Done::Stored(attempt))]
            }
            Some((_, State::Parked)) => vec![Effect::Finished(key.clone(), Done::Parked)],
            Some((_, State::Queued)) => {
                // A notification may have been due before there was anything to put into it.
                self.offer_again(key);
                vec![]
            }
            Some((_, State::Leased { .. })) => vec![],
        }
    }

    /// A job that is parked is tried again. Whether it was parked.
    pub fn retry(&mut self, key: &K) -> Option<Vec<Effect<K>>> {
        let job = self.jobs.get(key).filter(|job| job.state == State::Parked)?;
        let job = Job { state: State::Queued, failures: 0, last: None, ..job.clone() };
        Some(self.write(key, job))
    }

    /// The way to the workers is gone: nobody can say that it is alive.
    pub fn broker_lost(&mut self) {
        self.broker = false;
    }

    /// The way is there again. What was sent may be lost, and leases are judged only after the time of one, and not before
    /// workers have had `reconnecting` to find the way as well.
    pub fn broker_back(&mut self, now: u64, reconnecting: u64) {
        self.broker = true;
        self.judged_from = self.judged_from.max(now + self.terms.lease.max(reconnecting));
        self.hear_all(now);
        for (_, key) in std::mem::take(&mut self.notified) {
            self.notify_again(&key);
        }
    }

    /// Nothing was heard for a while, and not because workers were silent: leases are judged only after the time of one.
    pub fn stood_still(&mut self, now: u64) {
        self.judged_from = self.judged_from.max(now + self.terms.lease);
        self.hear_all(now);
    }

    /// Nobody is forgotten for a silence that was not its own.
    fn hear_all(&mut self, now: u64) {
        for seen in self.workers.values_mut() {
            seen.at = seen.at.max(now);
        }
        for (_, at) in self.sessions.values_mut() {
            *at = now.max(*at);
        }
    }

    /// Whether a record of this attempt makes a difference: its worker holds the lease, or what came first is stored.
    pub fn awaits(&self, worker: &str, claim: &Claim<K>) -> bool {
        self.jobs.get(&claim.key).is_some_and(|job| match &job.state {
            State::Done { .. } => (job.attempt, job.fence) == (claim.attempt, claim.fence),
            _ => job.is_held_by(worker, claim.attempt, claim.fence),
        })
    }

    /// Somebody says something.
    pub fn hear(&mut self, worker: &Name, ask: Ask<K>, now: u64) -> Vec<Effect<K>> {
        if let Some(seen) = self.workers.get_mut(worker) {
            seen.at = now;
        }
        match ask {
            Ask::Hello { .. } if self.workers.len() >= MOST_WORKERS && !self.workers.contains_key(worker) => {
                vec![]
            }
            Ask::Hello { slots } => {
                let slots = slots.min(MOST_SLOTS);
                let before = self.workers.insert(worker.clone(), Seen { slots, at: now });
                self.slots = self.slots + slots as usize - before.map_or(0, |seen| seen.slots as usize);
                vec![]
            }
            Ask::Take { key, attempt } => self.take(worker, &key, attempt, now),
            Ask::Beat { claim, beat } => self.beat(worker, claim, beat, now),
            Ask::Release(claim) => match self.held(worker, &claim) {
                None => vec![],
                Some(job) => {
                    let job = Job { state: State::Queued, ..job.clone() };
                    self.write_again(&claim.key, job)
                }
            },
            Ask::Fail { claim, why } if self.held(worker, &claim).is_some() => {
                self.lose(&claim.key, Lost::Failed(why), now)
            }
            Ask::Fail { .. } | Ask::About(_) => vec![],
        }
    }

    pub(super) fn held(&self, worker: &Name, claim: &Claim<K>) -> Option<&Job> {
        self.jobs.get(&claim.key).filter(|job| job.is_held_by(worker, claim.attempt, claim.fence))
    }

    fn take(&mut self, worker: &Name, key: &K, attempt: u32, now: u64) -> Vec<Effect<K>> {
        let refuse =
            |why| vec![Effect::Answer(worker.clone(), Answer::Refused { key: key.clone(), attempt, why })];
        let Some(job) = self.jobs.get(key) else { return refuse(Refusal::Unknown) };
        let lease = self.terms.lease;
        let granted = |fence| Answer::Granted { claim: Claim { key: key.clone(), attempt, fence }, lease };
        match &job.state {
            State::Done { .. } => refuse(Refusal::Done),
            _ if job.attempt != attempt => refuse(Refusal::Stale),
            State::Parked => refuse(Refusal::Stale),
            // Its answer was lost.
            State::Leased { worker: owner, .. } if owner == worker => {
                vec![Effect::Answer(worker.clone(), granted(job.fence))]
            }
            State::Leased { .. } => refuse(Refusal::Taken),
            State::Queued => {
                if self.is_for_others(worker, key, now) {
                    let notification = self.notifications.entry(key.clone()).or_default();
                    notification.kept_away += 1;
                    self.deferred.insert((now + pause(notification.kept_away), key.clone()));
                    return refuse(Refusal::Elsewhere);
                }
                let state = State::Leased { worker: worker.clone(), until: now + self.terms.lease, beats: 0 };
                let job = Job { state, fence: job.fence + 1, ..job.clone() };
                let answer = Effect::Answer(worker.clone(), granted(job.fence));
                let mut effects = self.write(key, job);
                effects.push(answer);
                effects
            }
        }
    }

    /// A record has come, with its hash and what the rules say of it.
    pub fn deliver(
        &mut self,
        worker: &Name,
        claim: Claim<K>,
        digest: Digest,
        judged: Result<(), String>,
        now: u64,
    ) -> Vec<Effect<K>> {
        let dropped = |why| Answer::Dropped { claim: claim.clone(), why };
        let answer = |answer| vec![Effect::Answer(worker.clone(), answer)];
        let Some(job) = self.jobs.get(&claim.key) else { return answer(dropped(Refusal::Unknown)) };
        if let State::Done { digest: stored, .. } = &job.state
            && (job.attempt, job.fence) == (claim.attempt, claim.fence)
        {
            if *stored == digest {
                return answer(Answer::Stored(claim));
            }
            let what = "sent another record of a game that is stored; the first one stays".to_owned();
            let refused = Effect::Answer(worker.clone(), dropped(Refusal::Conflict));
            return vec![Effect::Alarm { worker: worker.clone(), claim, what }, refused];
        }
        if !job.is_held_by(worker, claim.attempt, claim.fence) {
            return answer(dropped(Refusal::Stale));
        }
        if let Err(why) = judged {
            let refused = Effect::Answer(worker.clone(), dropped(Refusal::Wrong));
            let mut effects = self.lose(&claim.key, Lost::Refused(why.clone()), now);
            effects.push(Effect::Alarm { worker: worker.clone(), claim, what: why });
            effects.push(refused);
            return effects;
        }
        let job = Job { state: State::Done { worker: worker.clone(), digest }, ..job.clone() };
        self.records.remove(worker);
        let mut effects = self.write(&claim.key, job);
        effects.push(Effect::Store(claim.clone()));
        effects.push(Effect::Finished(claim.key.clone(), Done::Stored(claim.attempt)));
        effects.push(Effect::Answer(worker.clone(), Answer::Stored(claim)));
        effects
    }

    /// Time has passed: leases end, notifications are sent.
    pub fn tick(&mut self, now: u64) -> Vec<Effect<K>> {
        let mut effects = vec![];
        if !self.broker {
            return effects;
        }
        // There may be thousands of them, and this is asked for with every message.
        if self.swept_at + self.terms.lease / 4 <= now {
            let silent = REMEMBERED * self.terms.lease;
            self.workers.retain(|_, seen| seen.at + silent >= now);
            self.sessions.retain(|_, (_, at)| *at + kept(self.terms.lease) >= now);
            self.slots = self.workers.values().map(|seen| seen.slots as usize).sum();
            self.records.retain(|name, record| self.workers.contains_key(name) || now < record.rests_until);
            self.swept_at = now;
        }
        while now >= self.judged_from
            && let Some((until, key)) = self.leases.first().cloned()
            && until < now
        {
            effects.extend(self.lose(&key, Lost::Expired, now));
        }
        while self.deferred.first().is_some_and(|(at, _)| *at <= now) {
            if let Some((_, key)) = self.deferred.pop_first() {
                self.offer_again(&key);
            }
        }
        // A notification that nobody has answered for so long is lost.
        while let Some((at, key)) = self.notified.first().cloned()
            && at + self.terms.lease < now
        {
            self.notified.pop_first();
            self.notify_again(&key);
        }
        self.notify(now, &mut effects);
        effects
    }

    /// Notifies workers of jobs that wait, as long as there is room: each time for the group that has the fewest games out.
    fn notify(&mut self, now: u64, effects: &mut Vec<Effect<K>>) {
        let window = self.terms.window.max(2 * self.slots);
        while self.notified.len() < window {
            let least = |group: &&K::Group| {
                let load = self.load.get(*group).copied().unwrap_or_default();
                load.notified + load.leased
            };
            let Some(group) = self.waiting.keys().min_by_key(least).cloned() else { return };
            let Some(waiting) = self.waiting.get_mut(&group) else { return };
            let Some(key) = waiting.pop_first() else { return };
            if waiting.is_empty() {
                self.waiting.remove(&group);
            }
            let load = self.load.entry(group).or_default();
            load.waiting -= 1;
            load.notified += 1;
            let notification = self.notifications.entry(key.clone()).or_default();
            notification.last_at = Some(now);
            notification.times += 1;
            self.notified.insert((now, key.clone()));
            let attempt = self.jobs.get(&key).map_or(1, |job| job.attempt);
            effects.push(Effect::Notify { key, attempt, number: notification.times });
        }
    }

    /// An attempt came to nothing: another one counts from now on, or the job is parked.
    pub(super) fn lose(&mut self, key: &K, lost: Lost, now: u64) -> Vec<Effect<K>> {
        let Some(job) = self.jobs.get(key) else { return vec![] };
        let State::Leased { worker, .. } = &job.state else { return vec![] };
        let claim = Claim { key: key.clone(), attempt: job.attempt, fence: job.fence };
        // Who was not heard of may have been cut off with all its games; that says nothing of the next one.
        if lost != Lost::Expired {
            self.records.entry(worker.clone()).or_default().lost(now, self.terms.lease);
        }
        let ended = Effect::Ended { claim, worker: worker.clone(), lost };
        let failures = job.failures + 1;
        let parked = failures >= self.terms.attempts;
        let state = if parked { State::Parked } else { State::Queued };
        let job =
            Job { attempt: job.attempt + 1, failures, state, last: Some(worker.clone()), ..job.clone() };
        let mut effects = self.write_again(key, job);
        effects.push(ended);
        if !self.jobs.contains_key(key) {
            return effects;
        }
        if parked {
            effects.push(Effect::Finished(key.clone(), Done::Parked));
        } else {
            let kept_until = now + keep_away(failures, self.terms.lease);
            let notification = self.notifications.entry(key.clone()).or_default();
            (notification.kept_away, notification.kept_until) = (0, kept_until);
        }
        effects
    }

    pub(super) fn write(&mut self, key: &K, job: Job) -> Vec<Effect<K>> {
        debug_assert_eq!(self.jobs.get(key).map_or(Ok(()), |before| law::may_become(before, &job)), Ok(()));
        self.put(key, job.clone());
        vec![Effect::Write(key.clone(), job)]
    }

    /// Brings a job and everything that is known by it up to date.
    fn put(&mut self, key: &K, job: Job) {
        self.take_out(key);
        let load = self.load.entry(key.group()).or_default();
        match &job.state {
            State::Queued => {
                load.waiting += 1;
                self.waiting.entry(key.group()).or_default().insert(key.clone());
            }
            State::Leased { until, worker, .. } => {
                load.leased += 1;
                *self.held.entry(worker.clone()).or_default() += 1;
                self.leases.insert((*until, key.clone()));
            }
            State::Done { .. } => load.done += 1,
            State::Parked => load.parked += 1,
        }
        if !matches!(job.state, State::Queued | State::Leased { .. }) {
            self.notifications.remove(key);
        }
        if matches!(job.state, State::Done { .. }) {
            self.last_beats.remove(key);
        }
        self.jobs.insert(key.clone(), job);
    }

    pub(super) fn take_out(&mut self, key: &K) {
        let Some(job) = self.jobs.remove(key) else { return };
        let group = key.group();
        let load = self.load.entry(group.clone()).or_default();
        match &job.state {
            State::Queued => {
                let notified_at =
                    self.notifications.get_mut(key).and_then(|notification| notification.last_at.take());
                if notified_at.is_some_and(|at| self.notified.remove(&(at, key.clone()))) {
                    load.notified -= 1;
                } else {
                    load.waiting -= 1;
                    if let Some(waiting) = self.waiting.get_mut(&group) {
                        waiting.remove(key);
                        if waiting.is_empty() {
                            self.waiting.remove(&group);
                        }
                    }
                }
            }
            State::Leased { until, worker, .. } => {
                load.leased -= 1;
                if let Some(held) = self.held.get_mut(worker) {
                    *held -= 1;
                    if *held == 0 {
                        self.held.remove(worker);
                    }
                }
                self.leases.remove(&(*until, key.clone()));
            }
            State::Done { .. } => load.done -= 1,
            State::Parked => load.parked -= 1,
        }
        if *load == Load::default() {
            self.load.remove(&group);
        }
    }

    /// A job whose notification is out gets another one.
    fn offer_again(&mut self, key: &K) {
        let notified_at = self.notifications.get(key).and_then(|notification| notification.last_at);
        if notified_at.is_some_and(|at| self.notified.remove(&(at, key.clone()))) {
            self.notify_again(key);
        }
    }

    /// A job that was taken out of `notified` gets another notification.
    fn notify_again(&mut self, key: &K) {
        if let Some(notification) = self.notifications.get_mut(key) {
            notification.last_at = None;
        }
        let load = self.load.entry(key.group()).or_default();
        load.notified -= 1;
        load.waiting += 1;
        self.waiting.entry(key.group()).or_default().insert(key.clone());
    }
}
