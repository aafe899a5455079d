//! The coordinator's side on a store and a broker.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{Client, Message};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use rookery_arena::{Arrived, Order};
use rookery_referee::Verdict;
use rookery_store::{JobChange, StoreError, TournamentId};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender, channel};
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};

use crate::bundles::Archives;
use crate::core::{About, Answer, Ask, Claim, Coordinator, Effect, Job, Name, Session, State};
use crate::judging::{Bench, Judged, Packed};
use crate::limit::longest;
use crate::liveness::Liveness;
use crate::ownership::Ownership;
use crate::status::{Status, TrustStatus};
use crate::subjects::Subjects;
use crate::trust::Trust;
use crate::versions::Others;
use crate::watching::Watching;
use crate::{ClusterError, JobId, RemoteConfig, rows};

/// How often leases and notifications are looked after.
const TICK: Duration = Duration::from_millis(100);
/// How often the database is asked for the time.
const CLOCK: Duration = Duration::from_secs(5);
/// How much is handled in one go, and then committed together.
const BATCH: usize = 512;
/// How many messages of workers wait before the broker has to.
const WAITING: usize = 4096;

/// What whoever holds tournaments here wants.
#[derive(Debug)]
pub(crate) enum Input {
    Open(TournamentId, UnboundedSender<Arrived>),
    Order(Box<Order>),
    Withdraw(TournamentId),
    TakeBack(TournamentId),
    Close(TournamentId),
    Settle(oneshot::Sender<TrustStatus>),
    /// How everything stands.
    Status(oneshot::Sender<Status>),
    /// Parked games are tried again, all if none is named, because somebody wants it: how many.
    Retry(Vec<JobId>, String, oneshot::Sender<u64>),
    Stop,
}

/// What comes from the machines.
pub(crate) enum Event {
    /// Who asks, and what.
    Asked(Name, Origin, Vec<Ask<JobId>>),
    Came(Name, Claim<JobId>, Packed),
    Judged(Box<Judged>),
    BundleAsked(Name, Message),
    Operator(Message),
    /// What we said to ourselves has come round.
    Echo(Message),
    /// Whether a tournament is in our store.
    LookedUp(TournamentId, bool),
    /// What the store says of a record that nobody waits for.
    Answered(Name, Answer<JobId>),
}

/// What a worker says of itself with all that it asks.
#[derive(Default)]
pub(crate) struct Origin {
    /// By which rules it plays.
    pub(crate) rules: Option<String>,
    /// Which of several of its name it is.
    pub(crate) session: Option<Session>,
}

/// What became of a commit: what waits for it, and what was to be written.
type Committed = (Result<(), StoreError>, Vec<Effect<JobId>>, Vec<JobChange>);

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
    pub(crate) orders: HashMap<JobId, Arc<Order>>,
    pub(crate) watchers: HashMap<TournamentId, UnboundedSender<Arrived>>,
    /// How games ended that are being stored.
    pub(crate) verdicts: HashMap<JobId, Box<Verdict>>,
    pub(crate) changes: Vec<JobChange>,
    pub(crate) effects: Vec<Effect<JobId>>,
    pub(crate) committing: FuturesOrdered<BoxFuture<'static, Committed>>,
    pub(crate) events: Sender<Event>,
    pub(crate) bench: Bench,
    pub(crate) ownership: Ownership,
    pub(crate) liveness: Liveness,
    pub(crate) others: Others,
    /// Games that were parked when we began and are tried again once they are asked for.
    parked: HashSet<JobId>,
    /// The database's clock at a moment of ours.
    clock: (u64, Instant),
    /// Part of each notification's id, so that no broker takes it for one of an earlier coordinator.
    pub(crate) session: u64,
    pub(crate) watching: Watching,
    pub(crate) begun: Instant,
    pub(crate) counts: BTreeMap<Name, Count>,
    pub(crate) stored: u64,
    pub(crate) refused: u64,
    pub(crate) expired: u64,
    /// What workers say of themselves.
    pub(crate) abouts: BTreeMap<Name, About>,
    /// Since when games wait.
    pub(crate) waiting: HashMap<JobId, Instant>,
    pub(crate) counted: crate::counted::Shared,
    pub(crate) archives: Arc<Archives>,
    pub(crate) trust: Trust,
    /// Games of each of the last sixty seconds.
    pub(crate) rate: [u64; 60],
    pub(crate) rate_second: u64,
}

impl Server {
    pub(crate) async fn new(
        config: RemoteConfig,
        client: Client,
        counted: crate::counted::Shared,
        connected: bool,
    ) -> Result<(Self, Receiver<Event>), ClusterError> {
        let store = config.store.clone();
        let (clock, jobs) = blocking(move || Ok::<_, StoreError>((store.clock_ms()?, store.jobs()?))).await?;
        let mut core = Coordinator::new(config.terms, jobs.iter().map(rows::job), clock);
        let mut trust = Trust::new(config.replay_share, config.terms, clock);
        let is_parked = |(key, job): (&JobId, &Job)| (job.state == State::Parked).then_some(*key);
        let parked =
            if config.retry_parked { core.jobs().filter_map(is_parked).collect() } else { HashSet::new() };
        if !connected {
            core.broker_lost();
            trust.broker_lost();
        }
        let (events, incoming) = channel(WAITING);
        let server = Self {
            session: clock,
            clock: (clock, Instant::now()),
            client,
            core,
            orders: HashMap::new(),
            watchers: HashMap::new(),
            verdicts: HashMap::new(),
            changes: vec![],
            effects: vec![],
            committing: FuturesOrdered::new(),
            events,
            bench: Bench::default(),
            ownership: Ownership::default(),
            others: Others::default(),
            liveness: Liveness::new(clock, Duration::from_millis(config.terms.lease / 4)),
            parked,
            watching: Watching::new(connected),
            begun: Instant::now(),
            counts: BTreeMap::new(),
            stored: 0,
            refused: 0,
            expired: 0,
            abouts: BTreeMap::new(),
            waiting: HashMap::new(),
            counted,
            archives: Arc::default(),
            trust,
            rate: [0; 60],
            rate_second: 0,
            config,
        };
        server.listen().await?;
        Ok((server, incoming))
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
                Some((done, effects, changes)) = self.committing.next(), if !self.committing.is_empty() => {
                    match done {
                        Ok(()) => self.perform(effects).await,
                        Err(error) => if let Err(error) = self.not_written(error, effects, changes).await {
                            break Err(error);
                        }
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
                // What waits to be read after a standstill says nothing of whoever is behind it.
                self.judge_silence();
                for event in new_events.drain(..) {
                    self.happened(event).await;
                }
                // Whoever has room again should not have to wait for the clock.
                self.go_on();
            }
            self.commit();
        };
        match &ended {
            Ok(()) => self.finish().await,
            Err(error) => {
                for watcher in self.watchers.values() {
                    let _ = watcher.send(Arrived::Gone(error.to_string()));
                }
            }
        }
        ended
    }

    pub(crate) fn subjects(&self) -> Subjects {
        Subjects::of(self.config.protocol)
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
        self.look_for_broker().await;
        self.keep_stream();
        self.send_echo().await;
        self.go_on();
        self.count_all();
        self.look_for_workers();
        Ok(())
    }

    /// Looks after leases and notifications. Silence counts for nothing while we could not have heard a word.
    fn go_on(&mut self) {
        self.judge_silence();
        let effects = self.core.tick(self.now());
        self.take(effects, None);
        self.look_after_trust(self.now());
    }

    /// Whoever could not be heard has not been silent.
    fn judge_silence(&mut self) {
        if self.liveness.stood_still() {
            tracing::warn!("nothing could be heard for a while: no lease is judged for the time of one");
            self.core.stood_still(self.now());
            self.trust.stood_still(self.now());
        }
    }

    pub(crate) fn wanted(&mut self, input: Input) {
        match input {
            Input::Open(tournament, watcher) => {
                self.watchers.insert(tournament, watcher);
            }
            Input::Order(order) => {
                let key = JobId { tournament: order.tournament, pairing: order.pairing, again: false };
                self.core.limit(&key, longest(&order.spec, self.reference(&order).is_some()));
                let retried = if self.parked.remove(&key) { self.core.retry(&key) } else { None };
                let effects = retried.unwrap_or_else(|| self.core.enqueue(&key, order.attempt));
                self.orders.insert(key, Arc::from(order));
                self.take(effects, None);
            }
            Input::Withdraw(tournament) => {
                self.watchers.remove(&tournament);
                let effects = self.core.withdraw(&tournament);
                self.take(effects, None);
            }
            Input::TakeBack(tournament) => {
                let effects = self.core.take_back(&tournament);
                self.take(effects, None);
            }
            Input::Close(tournament) => {
                self.watchers.remove(&tournament);
                self.orders.retain(|key, _| key.tournament != tournament);
                self.core.forget(&tournament);
                self.waiting.retain(|key, _| key.tournament != tournament);
                self.trust.close(tournament);
            }
            Input::Settle(waiting) => self.settle(waiting),
            Input::Status(asked) => {
                // Whoever has gone away meanwhile needs no answer; so below.
                let _ = asked.send(self.status());
            }
            Input::Retry(jobs, actor, asked) => {
                let _ = asked.send(self.retry(&jobs, &actor));
            }
            Input::Stop => {}
        }
    }

    async fn happened(&mut self, event: Event) {
        let now = self.now();
        match event {
            Event::Asked(worker, Origin { rules, session }, asks) => {
                let other = rules.filter(|rules| *rules != self.config.rules);
                // One of other rules takes no games from ours, and keeps its name from nobody here.
                let asks = match session.filter(|_| other.is_none()) {
                    Some(session) => self.under_its_name(&worker, &session, asks).await,
                    None => asks,
                };
                for ask in asks {
                    if let Some(rules) = &other
                        && self.heard_other(&worker, rules, &ask)
                    {
                        continue;
                    }
                    if let Ask::About(about) = ask {
                        self.heard_about(&worker, about);
                        continue;
                    }
                    match ask.key() {
                        Some(key) if !self.is_ours(key.tournament) => continue,
                        Some(key) if key.again => {
                            self.hear_again(&worker, ask, now);
                            continue;
                        }
                        Some(_) => {}
                        None => self.hear_again(&worker, ask.clone(), now),
                    }
                    let effects = self.core.hear(&worker, ask, now);
                    self.take(effects, None);
                }
            }
            Event::Came(worker, claim, packed) => self.came(worker, claim, packed),
            Event::Judged(judged) => self.judged(*judged),
            Event::BundleAsked(worker, message) => self.bundle_asked(&worker, &message),
            Event::Operator(message) => self.asked_by_operator(&message).await,
            Event::Echo(echo) => self.liveness.heard(&echo),
            Event::LookedUp(tournament, is_ours) => self.ownership.note(tournament, is_ours),
            Event::Answered(worker, answer) => self.effects.push(Effect::Answer(worker, answer)),
        }
    }
}

pub(crate) async fn blocking<T: Send + 'static, E: Into<ClusterError> + Send + 'static>(
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
