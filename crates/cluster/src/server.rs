//! The coordinator's side on a store and a broker.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{Client, HeaderMap, Message};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use rookery_arena::{Arrived, Order};
use rookery_record::Key;
use rookery_referee::Verdict;
use rookery_store::{Hash, JobChange, NewGame, StoreError, TournamentId};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender, channel};
use tokio::time::{MissedTickBehavior, interval};

use crate::broker::{bell_subject, ensure_stream, is_connected, operator_subject, tell_subject};
use crate::core::{Answer, Ask, Claim, Coordinator, Digest, Done, Effect, Name, State};
use crate::message::{self, Bell};
use crate::{ClusterError, JobId, PROTOCOL, RemoteConfig, judge, rows};

/// How often leases and bells are looked after.
const TICK: Duration = Duration::from_millis(100);
/// How often the database is asked for the time.
const CLOCK: Duration = Duration::from_secs(5);
/// How much is handled in one go, and then committed together.
const BATCH: usize = 512;
/// How many messages of workers wait before the broker has to.
const WAITING: usize = 4096;
/// How many records are judged at a time.
const JUDGES: usize = 4;

/// What whoever holds tournaments here wants.
#[derive(Debug)]
pub(crate) enum Input {
    Open(TournamentId, UnboundedSender<Arrived>),
    Order(Box<Order>),
    Withdraw(TournamentId),
    Close(TournamentId),
    Stop,
}

/// What comes from the machines.
pub(crate) enum Event {
    Asked(Name, Vec<Ask<JobId>>),
    Came(Name, Claim<JobId>, Vec<u8>),
    Judged(Box<Judged>),
    Operator(Message),
}

/// A record with what the rules say of it.
pub(crate) struct Judged {
    worker: Name,
    claim: Claim<JobId>,
    record: Vec<u8>,
    digest: Digest,
    verdict: Result<Verdict, String>,
}

type Committed = (Result<(), StoreError>, Vec<Effect<JobId>>);

/// What is counted of a worker since this coordinator began.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) games: u64,
    pub(crate) lost: u64,
}

pub(crate) struct Server {
    pub(crate) config: RemoteConfig,
    pub(crate) client: Client,
    pub(crate) core: Coordinator<JobId>,
    /// What was agreed on games that are not over.
    orders: HashMap<JobId, Arc<Order>>,
    watchers: HashMap<TournamentId, UnboundedSender<Arrived>>,
    /// How games ended that are being stored.
    verdicts: HashMap<JobId, Box<Verdict>>,
    pub(crate) changes: Vec<JobChange>,
    effects: Vec<Effect<JobId>>,
    committing: FuturesOrdered<BoxFuture<'static, Committed>>,
    events: Sender<Event>,
    judges: Arc<Semaphore>,
    /// The database's clock at a moment of ours.
    clock: (u64, Instant),
    /// Part of each bell's id, so that no broker takes it for one of an earlier coordinator.
    session: u64,
    connected: bool,
    pub(crate) begun: Instant,
    pub(crate) counts: BTreeMap<Name, Count>,
    pub(crate) stored: u64,
    pub(crate) refused: u64,
    /// Games of each of the last sixty seconds.
    pub(crate) rate: [u64; 60],
    rate_second: u64,
}

impl Server {
    pub(crate) async fn new(
        config: RemoteConfig,
        client: Client,
    ) -> Result<(Self, Receiver<Event>), ClusterError> {
        let store = config.store.clone();
        let (clock, jobs) = blocking(move || Ok::<_, StoreError>((store.clock_ms()?, store.jobs()?))).await?;
        let core = Coordinator::new(config.terms, jobs.iter().map(rows::job), clock);
        let (events, incoming) = channel(WAITING);
        let server = Self {
            session: clock,
            clock: (clock, Instant::now()),
            config,
            client,
            core,
            orders: HashMap::new(),
            watchers: HashMap::new(),
            verdicts: HashMap::new(),
            changes: vec![],
            effects: vec![],
            committing: FuturesOrdered::new(),
            events,
            judges: Arc::new(Semaphore::new(JUDGES)),
            connected: true,
            begun: Instant::now(),
            counts: BTreeMap::new(),
            stored: 0,
            refused: 0,
            rate: [0; 60],
            rate_second: 0,
        };
        server.listen().await?;
        Ok((server, incoming))
    }

    /// Everything that workers and operators say comes as events, in one line.
    async fn listen(&self) -> Result<(), ClusterError> {
        let subjects = [
            format!("rookery.{PROTOCOL}.ask.*"),
            format!("rookery.{PROTOCOL}.record.*"),
            operator_subject("*"),
        ];
        for subject in subjects {
            let subscribed = self.client.subscribe(subject).await;
            let mut messages = subscribed.map_err(|error| ClusterError::Broker(error.to_string()))?;
            let events = self.events.clone();
            tokio::spawn(async move {
                while let Some(message) = messages.next().await {
                    if let Some(event) = event(message)
                        && events.send(event).await.is_err()
                    {
                        return;
                    }
                }
            });
        }
        Ok(())
    }

    /// Coordinates until it is told to stop, or cannot go on.
    pub(crate) async fn run(
        mut self,
        mut incoming: Receiver<Event>,
        mut inputs: UnboundedReceiver<Input>,
    ) -> Result<(), ClusterError> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut new_events, mut new_inputs) = (vec![], vec![]);
        let ended = loop {
            tokio::select! {
                Some((done, effects)) = self.committing.next(), if !self.committing.is_empty() => {
                    match done {
                        Ok(()) => self.perform(effects).await,
                        Err(error) => break Err(error.into()),
                    }
                }
                _ = incoming.recv_many(&mut new_events, BATCH) => {}
                n = inputs.recv_many(&mut new_inputs, BATCH) => {
                    if n == 0 || new_inputs.iter().any(|input| matches!(input, Input::Stop)) {
                        break Ok(());
                    }
                }
                _ = ticks.tick() => {
                    if let Err(error) = self.tick().await {
                        break Err(error);
                    }
                }
            }
            for input in new_inputs.drain(..) {
                self.wanted(input);
            }
            if !new_events.is_empty() {
                for event in new_events.drain(..) {
                    self.happened(event).await;
                }
                // Whoever has room again should not have to wait for the clock.
                let effects = self.core.tick(self.now());
                self.take(effects, None);
            }
            self.commit();
        };
        if let Err(error) = &ended {
            for watcher in self.watchers.values() {
                let _ = watcher.send(Arrived::Gone(error.to_string()));
            }
        }
        ended
    }

    /// The database's time.
    pub(crate) fn now(&self) -> u64 {
        let (at, since) = self.clock;
        at + u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn tick(&mut self) -> Result<(), ClusterError> {
        if self.clock.1.elapsed() > CLOCK {
            let store = self.config.store.clone();
            // While the database is away its last word counts; so it does for leases.
            if let Ok(clock) = blocking(move || store.clock_ms()).await {
                self.clock = (clock.max(self.now()), Instant::now());
            }
        }
        let connected = is_connected(&self.client);
        if connected != self.connected {
            if connected {
                // It may have come back with nothing.
                if let Err(error) = ensure_stream(&self.client, &self.config.rules).await {
                    tracing::warn!(%error, "the broker is back and not ready");
                    return Ok(());
                }
                self.core.broker_back(self.now());
                tracing::info!("the broker is back");
            } else {
                self.core.broker_lost();
                tracing::warn!("the broker is away: workers finish their games and deliver them later");
            }
            self.connected = connected;
        }
        let effects = self.core.tick(self.now());
        self.take(effects, None);
        Ok(())
    }

    fn wanted(&mut self, input: Input) {
        match input {
            Input::Open(tournament, watcher) => {
                self.watchers.insert(tournament, watcher);
            }
            Input::Order(order) => {
                let key = JobId { tournament: order.tournament, pairing: order.pairing };
                let effects = self.core.enqueue(&key, order.attempt);
                self.orders.insert(key, Arc::from(order));
                self.take(effects, None);
            }
            Input::Withdraw(tournament) => {
                self.watchers.remove(&tournament);
                let effects = self.core.withdraw(&tournament);
                self.take(effects, None);
            }
            Input::Close(tournament) => {
                self.watchers.remove(&tournament);
                self.orders.retain(|key, _| key.tournament != tournament);
                self.core.forget(&tournament);
            }
            Input::Stop => {}
        }
    }

    async fn happened(&mut self, event: Event) {
        let now = self.now();
        match event {
            Event::Asked(worker, asks) => {
                for ask in asks {
                    let effects = self.core.hear(&worker, ask, now);
                    self.take(effects, None);
                }
            }
            Event::Came(worker, claim, record) => self.judge(worker, claim, record),
            Event::Judged(judged) => {
                let Judged { worker, claim, record, digest, verdict } = *judged;
                let said = verdict.as_ref().map(drop).map_err(Clone::clone);
                let key = claim.key;
                let effects = self.core.deliver(&worker, claim, digest, said);
                if let (Ok(verdict), true) = (verdict, effects.iter().any(|e| matches!(e, Effect::Store(_))))
                {
                    self.verdicts.insert(key, Box::new(verdict));
                }
                self.take(effects, Some(record));
            }
            Event::Operator(message) => self.asked_by_operator(&message).await,
        }
    }

    /// Has a record judged by another thread. One whose game nobody here has agreed on yet comes again later.
    fn judge(&self, worker: Name, claim: Claim<JobId>, record: Vec<u8>) {
        let order = self.orders.get(&claim.key).cloned();
        let known = self.core.job(&claim.key).is_some();
        if order.is_none() && known && !self.is_over(&claim.key) {
            return;
        }
        let (events, judges) = (self.events.clone(), Arc::clone(&self.judges));
        tokio::spawn(async move {
            let Ok(_permit) = judges.acquire_owned().await else { return };
            let verdict = tokio::task::spawn_blocking(move || {
                let digest = Hash::of(&record).0;
                let verdict = match &order {
                    Some(order) => judge(&record, &order.spec),
                    None => Err("nobody has asked for it".to_owned()),
                };
                Judged { worker, claim, record, digest, verdict }
            });
            if let Ok(done) = verdict.await {
                let _ = events.send(Event::Judged(Box::new(done))).await;
            }
        });
    }

    fn is_over(&self, key: &JobId) -> bool {
        self.core.job(key).is_some_and(|job| matches!(job.state, State::Done { .. }))
    }

    /// What is to be written goes into the next commit, the rest waits for it.
    pub(crate) fn take(&mut self, effects: Vec<Effect<JobId>>, mut record: Option<Vec<u8>>) {
        for effect in effects {
            match effect {
                Effect::Write(key, job) => self.changes.push(JobChange::Put(rows::row(key, &job))),
                Effect::Delete(key) => self.changes.push(JobChange::Delete(key.tournament, key.pairing)),
                Effect::Ended { claim, worker, lost } => {
                    tracing::warn!(key = %claim.key, attempt = claim.attempt, %worker, ?lost, "an attempt came to nothing");
                    self.counts.entry(worker.clone()).or_default().lost += 1;
                    self.changes.push(JobChange::Ended(rows::ended(&claim, &worker, &lost)));
                }
                Effect::Store(claim) => {
                    if let Some(State::Done { worker, .. }) = self.core.job(&claim.key).map(|job| &job.state)
                    {
                        let worker = worker.clone();
                        self.count(worker);
                    }
                    let key = Key { pairing: claim.key.pairing, attempt: claim.attempt };
                    let record = record.take().unwrap_or_default();
                    self.changes.push(JobChange::Game(NewGame::of_pairing(
                        claim.key.tournament,
                        key,
                        record,
                    )));
                }
                Effect::Alarm { worker, claim, what } => {
                    tracing::error!(%worker, key = %claim.key, what, "a record was refused");
                    self.refused += 1;
                    let about = format!("worker {worker}, game {}, attempt {}", claim.key, claim.attempt);
                    self.changes.push(JobChange::Audit(
                        "coordinator".to_owned(),
                        format!("refused a record: {what}"),
                        about,
                    ));
                }
                Effect::Ring { .. } | Effect::Answer(..) | Effect::Finished(..) => self.effects.push(effect),
            }
        }
    }

    /// Hands what was decided to the store; what others hear of it waits until it is there, and behind all that came before.
    fn commit(&mut self) {
        if self.changes.is_empty() && self.effects.is_empty() {
            return;
        }
        let effects = std::mem::take(&mut self.effects);
        if self.changes.is_empty() {
            self.committing.push_back(Box::pin(std::future::ready((Ok(()), effects))));
            return;
        }
        let receipt = self.config.store.change_jobs(std::mem::take(&mut self.changes));
        self.committing.push_back(Box::pin(async move { (receipt.await, effects) }));
    }

    async fn perform(&mut self, effects: Vec<Effect<JobId>>) {
        let mut answers: BTreeMap<Name, Vec<Answer<JobId>>> = BTreeMap::new();
        for effect in effects {
            match effect {
                Effect::Ring { key, attempt, ring } => self.ring(key, attempt, ring).await,
                Effect::Answer(worker, answer) => {
                    answers.entry(worker).or_default().push(answer);
                }
                Effect::Finished(key, done) => self.finished(key, done),
                _ => {}
            }
        }
        for (worker, answers) in answers {
            self.send(tell_subject(&worker), message::write(&answers)).await;
        }
    }

    async fn ring(&self, key: JobId, attempt: u32, ring: u32) {
        // Without what was agreed there is nothing to tell yet: it rings when the tournament goes on.
        let Some(order) = self.orders.get(&key) else { return };
        let bell = Bell { key, attempt, spec: order.spec.clone(), until_proved: order.until_proved };
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", format!("{key}:{attempt}:{}:{ring}", self.session));
        if is_connected(&self.client) {
            let subject = bell_subject(&self.config.rules);
            // One that gets lost rings again.
            let _ = self.client.publish_with_headers(subject, headers, message::write(&bell).into()).await;
        }
    }

    pub(crate) async fn send(&self, subject: String, body: Vec<u8>) {
        if is_connected(&self.client) {
            // Whoever gets no answer asks again.
            let _ = self.client.publish(subject, body.into()).await;
        }
    }

    fn finished(&mut self, key: JobId, done: Done) {
        let arrived = match done {
            Done::Stored(attempt) => {
                self.orders.remove(&key);
                let verdict = self.verdicts.remove(&key);
                Arrived::Stored { pairing: key.pairing, attempt, verdict }
            }
            Done::Parked => {
                tracing::error!(%key, "a game failed too often and is parked; `rookery cluster retry` tries it again");
                Arrived::Parked { pairing: key.pairing }
            }
        };
        if let Some(watcher) = self.watchers.get(&key.tournament) {
            // Whoever does not listen any more finds it in the store.
            let _ = watcher.send(arrived);
        }
    }

    fn count(&mut self, worker: Name) {
        self.stored += 1;
        self.counts.entry(worker).or_default().games += 1;
        let second = self.begun.elapsed().as_secs();
        for old in self.rate_second + 1..=second.min(self.rate_second + 60) {
            self.rate[(old % 60) as usize] = 0;
        }
        self.rate_second = second;
        self.rate[(second % 60) as usize] += 1;
    }
}

fn event(message: Message) -> Option<Event> {
    let subject = message.subject.clone();
    let mut words = subject.split('.').skip(2);
    match (words.next()?, words.next()?) {
        ("ask", worker) => Some(Event::Asked(Name::from(worker), message::read(&message.payload)?)),
        ("record", worker) => {
            let (claim, record) = message::read_record(&message.payload)?;
            Some(Event::Came(Name::from(worker), claim, record))
        }
        ("operator", _) => Some(Event::Operator(message)),
        _ => None,
    }
}

async fn blocking<T: Send + 'static, E: Into<ClusterError> + Send + 'static>(
    ask: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, ClusterError> {
    let asked = tokio::task::spawn_blocking(ask).await;
    asked.map_err(|error| ClusterError::Wrong(error.to_string()))?.map_err(Into::into)
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("store", &self.config.store).finish_non_exhaustive()
    }
}
