//! A machine that plays: it gets notifications, claims games, plays them and sends their records back, over outgoing connections only.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{Client, HeaderMap, Message, Subscriber};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use crate::bots::Bots;
use crate::broker::{inbox_prefix, is_connected};
use crate::core::{Act, Answer, Ask, Claim, Standing, Worker, WorkerTerms};
use crate::gallery::Shown;
use crate::machine::Watch;
use crate::message::{self, Notification};
use crate::names::MOST_BEFORE;
use crate::player::{Ended, Running};
use crate::scale::{factor, scaled_spec, spec_at_speed};
use crate::spool::Spool;
use crate::subjects::Subjects;
use crate::unheard::Unheard;
pub use crate::worker_config::{Worked, WorkerConfig};
use crate::{ClusterError, JobId, core, names, reading};

/// How often a worker looks around.
const TICK: Duration = Duration::from_millis(50);
/// How often it says that it is there.
pub(crate) const HELLO: Duration = Duration::from_millis(core::HELLO);
/// How long the broker keeps a request for notifications.
const PULL: Duration = Duration::from_secs(5);
/// How long it waits when the broker has nothing, or is not ready.
const PAUSE: Duration = Duration::from_millis(100);
/// How long an answer may take before something is asked or sent again.
const PATIENCE: Duration = Duration::from_secs(2);
/// After how long without an answer a finished game goes to the disk. Without a broker it goes there at once.
const UNANSWERED: Duration = Duration::from_millis(500);
/// How many finished games may wait for their delivery.
const MOST_SPOOLED: usize = 10_000;

/// Works until it is told to stop. `ready` is called when the broker is reached.
pub async fn work(config: WorkerConfig, ready: impl FnOnce()) -> Result<Worked, ClusterError> {
    if !is_name(&config.name) {
        return Err(ClusterError::Wrong(format!(
            "{:?} is no name for a worker; expected 1 to 64 letters, digits, `_` or `-`",
            config.name
        )));
    }
    let mut spool = Spool::open(&config.spool)?;
    let (session, before) = spool.begin(MOST_BEFORE)?;
    let client = config.access.connect(&config.name, true).await?;
    let subjects = Subjects::of(config.protocol);
    let failed = |error: async_nats::SubscribeError| ClusterError::Broker(error.to_string());
    let answers = client.subscribe(subjects.tell(&config.name)).await.map_err(failed)?;
    let looks = client.subscribe(subjects.look(&config.name)).await.map_err(failed)?;
    // Of its own: one of the same name may have asked for notifications, too.
    let inbox = format!("{}.{}.{session}", inbox_prefix(&config.name), subjects.consumer(&config.rules));
    let notifications = client.subscribe(inbox.clone()).await.map_err(failed)?;
    let patience = millis(PATIENCE);
    let terms = WorkerTerms { slots: config.slots, spool: MOST_SPOOLED, patience };
    let kept = spool.kept()?.into_iter().map(|(claim, record)| (claim, Arc::from(record)));
    let (ended, endings) = unbounded_channel();
    let bots = Arc::new(Bots::new(config.bots.clone(), client.clone(), subjects.bundle(&config.name)));
    let machine = Machine {
        standing: Standing::new(session, before, patience, millis(HELLO), 0),
        unheard: Unheard::default(),
        bots,
        unable: None,
        watch: Watch::new(),
        core: Worker::new(terms, kept),
        begun: Instant::now(),
        client,
        subjects,
        spool,
        inbox,
        running: HashMap::new(),
        heard: BTreeMap::new(),
        unkept: BTreeMap::new(),
        shown: Shown::default(),
        asks: vec![],
        pulled: None,
        pull_after: None,
        hello_at: None,
        about: false,
        ended,
        worked: Worked::default(),
        config,
    };
    machine.run(answers, notifications, looks, endings, ready).await
}

/// Whether this can be a name: it becomes a word of subjects.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) type Record = Arc<[u8]>;

pub(crate) struct Machine {
    pub(crate) config: WorkerConfig,
    pub(crate) core: Worker<JobId, Record>,
    begun: Instant,
    pub(crate) client: Client,
    pub(crate) subjects: Subjects,
    spool: Spool,
    /// How it stands with its name.
    pub(crate) standing: Standing,
    pub(crate) unheard: Unheard,
    inbox: String,
    pub(crate) bots: Arc<Bots>,
    /// What it could not play last, and when.
    pub(crate) unable: Option<(Instant, String)>,
    pub(crate) watch: Watch,
    pub(crate) running: HashMap<JobId, Running>,
    /// What the notifications of claims that are not answered yet were about.
    heard: BTreeMap<JobId, Notification>,
    /// Finished games that are neither delivered nor on the disk.
    unkept: BTreeMap<(JobId, u32, u64), (Instant, Record)>,
    /// Games that somebody looks at.
    pub(crate) shown: Shown,
    asks: Vec<Ask<JobId>>,
    /// How many notifications are requested, and since when.
    pulled: Option<(usize, Instant)>,
    /// No request before: the broker had nothing.
    pull_after: Option<Instant>,
    hello_at: Option<Instant>,
    /// Whether it is time to say something of ourselves.
    about: bool,
    ended: UnboundedSender<Ended>,
    worked: Worked,
}

impl Machine {
    async fn run(
        mut self,
        mut answers: Subscriber,
        mut notifications: Subscriber,
        mut looks: Subscriber,
        mut endings: UnboundedReceiver<Ended>,
        ready: impl FnOnce(),
    ) -> Result<Worked, ClusterError> {
        let mut ready = Some(ready);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let stopping = self.config.stopping.clone();
        loop {
            tokio::select! {
                Some(message) = answers.next() => self.answered(&message)?,
                Some(message) = notifications.next() => {
                    self.notified(message).await?;
                    // What else is here is claimed with the same message.
                    while let Some(Some(message)) = notifications.next().now_or_never() {
                        self.notified(message).await?;
                    }
                }
                Some(message) = looks.next() => self.shown.look(&message.payload),
                Some(ended) = endings.recv() => {
                    self.ended(ended)?;
                    while let Ok(ended) = endings.try_recv() {
                        self.ended(ended)?;
                    }
                }
                _ = ticks.tick() => {
                    if is_connected(&self.client) && let Some(ready) = ready.take() {
                        ready();
                    }
                    self.tick()?;
                }
            }
            if stopping.is_requested() {
                self.drain();
                if self.is_over(stopping.is_urgent())? {
                    return Ok(self.end().await);
                }
            }
            self.show().await;
            self.say().await;
            self.pull().await;
        }
    }

    pub(crate) fn now(&self) -> u64 {
        millis(self.begun.elapsed())
    }

    /// Says soon that it is there.
    pub(crate) fn greet_soon(&mut self) {
        self.hello_at = None;
    }

    /// Takes no new game from now on, and says so at once.
    fn drain(&mut self) {
        if !self.core.is_draining() {
            self.core.drain();
            self.greet_soon();
        }
    }

    /// Whether nothing is left to do here. With `urgent` running games are given back.
    fn is_over(&mut self, urgent: bool) -> Result<bool, ClusterError> {
        if urgent {
            let acts = self.core.release();
            self.act(acts)?;
        }
        let delivered = self.core.undelivered() == 0;
        Ok(self.core.playing() == 0 && (delivered || urgent || !is_connected(&self.client)))
    }

    async fn end(mut self) -> Worked {
        let left: Vec<_> = std::mem::take(&mut self.unkept)
            .into_iter()
            .map(|(key, (_, record))| (claim(key), record))
            .collect();
        if let Err(error) = self.spool.keep(&left) {
            tracing::error!(%error, "finished games are lost, and played again");
        }
        self.say().await;
        self.give_name_back().await;
        // What is on its way gets a moment.
        let _ = tokio::time::timeout(Duration::from_secs(2), self.client.flush()).await;
        self.worked.undelivered = self.core.undelivered() as u64;
        self.worked
    }

    fn tick(&mut self) -> Result<(), ClusterError> {
        for running in self.running.values_mut() {
            let progress = running.progress();
            self.core.progressed(&running.claim.key, progress);
        }
        let connected = is_connected(&self.client);
        if connected && self.hello_at.is_none_or(|at| at.elapsed() >= HELLO) {
            self.hello_at = Some(Instant::now());
            self.about = true;
            self.watch.look();
            self.asks.push(Ask::Hello { slots: u32::try_from(self.config.slots).unwrap_or(u32::MAX) });
        }
        self.keep_name(connected);
        let acts = self.core.tick(self.now());
        // What is not asked for any more will not be answered.
        self.heard.retain(|key, _| self.core.is_asking(key));
        self.act(acts)?;
        self.keep_unanswered()
    }

    /// What nobody has answered goes to the disk.
    fn keep_unanswered(&mut self) -> Result<(), ClusterError> {
        let connected = is_connected(&self.client);
        let waits = |since: &Instant| connected && since.elapsed() < UNANSWERED;
        if self.unkept.values().all(|(since, _)| waits(since)) {
            return Ok(());
        }
        let late: Vec<_> = self
            .unkept
            .extract_if(.., |_, (since, _)| !waits(since))
            .map(|(key, (_, record))| (claim(key), record))
            .collect();
        self.spool.keep(&late)
    }

    fn answered(&mut self, message: &Message) -> Result<(), ClusterError> {
        let for_us = self.heard_of_name(message);
        let answers = reading::answers(&message.payload);
        let now = self.now();
        // What another one of our name is given is its own.
        for answer in answers.into_iter().filter(|answer| for_us || !matches!(answer, Answer::Granted { .. }))
        {
            let acts = self.core.hear(answer.clone(), now);
            // An answer that comes twice is about one game.
            let is_news = acts.iter().any(|act| matches!(act, Act::Forget(_)));
            match answer {
                Answer::Stored(_) if is_news => self.worked.stored += 1,
                Answer::Dropped { why, claim } if is_news => {
                    self.worked.dropped += 1;
                    tracing::warn!(key = %claim.key, attempt = claim.attempt, ?why, "a game does not count");
                }
                Answer::Refused { key, attempt, .. } => self.forget_notification(key, attempt),
                _ => {}
            }
            self.act(acts)?;
        }
        Ok(())
    }

    /// A claim was refused. A later attempt may have been announced since, and its notification stays.
    fn forget_notification(&mut self, key: JobId, attempt: u32) {
        if self.heard.get(&key).is_some_and(|notification| notification.attempt == attempt) {
            self.heard.remove(&key);
        }
    }

    async fn notified(&mut self, message: Message) -> Result<(), ClusterError> {
        self.heard_of_notifications(&message);
        let Some(notification) = message::read::<Notification>(&message.payload) else {
            // The broker's own words: there is nothing now, or it has other troubles.
            if message.reply.is_none() {
                (self.pulled, self.pull_after) = (None, Some(Instant::now() + PAUSE));
            } else {
                self.acknowledge(&message, "+TERM").await;
            }
            return Ok(());
        };
        self.pulled = self.pulled.and_then(|(n, since)| (n > 1).then_some((n - 1, since)));
        if self.core.free() == 0 {
            self.acknowledge(&message, "-NAK").await;
            return Ok(());
        }
        if let Some(why) = self.unfit_for(&notification) {
            self.pass_on(&message, why).await;
            return Ok(());
        }
        // From here on it is a matter between us and the coordinator.
        self.acknowledge(&message, "+ACK").await;
        let (key, attempt, now) = (notification.key, notification.attempt, self.now());
        let acts = self.core.notified(key, attempt, now);
        if acts.iter().any(|act| matches!(act, Act::Say(Ask::Take { .. }))) {
            self.heard.insert(key, notification);
        }
        self.act(acts)
    }

    pub(crate) async fn acknowledge(&self, message: &Message, how: &'static str) {
        if let Some(reply) = &message.reply
            && is_connected(&self.client)
        {
            // If it gets lost the notification is delivered again, which does no harm.
            let _ = self.client.publish(reply.clone(), how.into()).await;
        }
    }

    fn ended(&mut self, ended: Ended) -> Result<(), ClusterError> {
        let acts = match ended {
            Ended::Record(claim, record) => {
                self.done_with(&claim);
                self.core.finished(claim, Arc::from(record), self.now())
            }
            Ended::Failed(claim, why) => {
                tracing::error!(key = %claim.key, why, "a game cannot be played");
                self.done_with(&claim);
                self.worked.unfinished += 1;
                self.core.failed(claim, why)
            }
            Ended::Stopped => vec![],
        };
        self.act(acts)
    }

    fn done_with(&mut self, claim: &Claim<JobId>) {
        if self.running.get(&claim.key).is_some_and(|running| running.claim == *claim) {
            self.running.remove(&claim.key);
        }
    }

    fn act(&mut self, acts: Vec<Act<JobId, Record>>) -> Result<(), ClusterError> {
        for act in acts {
            match act {
                Act::Say(ask) => self.asks.push(ask),
                Act::Play(claim) => self.play(claim)?,
                Act::Abandon(claim) => {
                    if let Some(running) = self.running.remove(&claim.key) {
                        tracing::warn!(key = %claim.key, attempt = claim.attempt, "a game is given up: it is stuck, or not ours any more");
                        self.worked.unfinished += 1;
                        running.stop();
                    }
                }
                Act::Keep(claim, record) => {
                    self.unkept.insert((claim.key, claim.attempt, claim.fence), (Instant::now(), record));
                    if !is_connected(&self.client) {
                        self.keep_unanswered()?;
                    }
                }
                Act::Send(claim, record) => self.send(claim, &record)?,
                Act::Forget(claim) => {
                    let key = (claim.key, claim.attempt, claim.fence);
                    if self.unkept.remove(&key).is_none() {
                        self.spool.forget(&claim)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn play(&mut self, claim: Claim<JobId>) -> Result<(), ClusterError> {
        let begun = match self
            .heard
            .remove(&claim.key)
            .filter(|notification| notification.attempt == claim.attempt)
        {
            Some(mut notification) => {
                let speeds = notification.reference.zip(self.config.speed);
                if let Some(factor) = speeds.and_then(|(reference, speed)| factor(reference, speed)) {
                    notification.spec = scaled_spec(notification.spec, factor);
                }
                notification.spec = spec_at_speed(notification.spec, self.config.speed);
                Running::start(claim.clone(), notification, &self.bots, self.ended.clone())
            }
            None => Err("its description was lost".to_owned()),
        };
        match begun {
            Ok(running) => {
                self.running.insert(claim.key, running);
                Ok(())
            }
            Err(why) => {
                self.worked.unfinished += 1;
                let acts = self.core.failed(claim, why);
                self.act(acts)
            }
        }
    }

    /// Sends a record, if there is a way. It is sent again until it is answered, unless no broker ever carries it.
    fn send(&mut self, claim: Claim<JobId>, record: &[u8]) -> Result<(), ClusterError> {
        if !is_connected(&self.client) {
            return Ok(());
        }
        let packed = message::write_record(&claim, record);
        let most = self.client.server_info().max_payload;
        if most > 0 && packed.len() > most {
            let why = format!(
                "its record has {} bytes when it is packed, and the broker carries {most}; raise its max_payload",
                packed.len()
            );
            tracing::error!(key = %claim.key, why, "a record cannot be sent");
            self.worked.unfinished += 1;
            let acts = self.core.undeliverable(claim, why);
            return self.act(acts);
        }
        let (client, subject) = (self.client.clone(), self.subjects.record(&self.config.name));
        tokio::spawn(async move {
            if let Err(error) = client.publish(subject, packed.into()).await {
                tracing::error!(%error, "a record cannot be sent");
            }
        });
        Ok(())
    }

    async fn say(&mut self) {
        if self.asks.is_empty() || !is_connected(&self.client) {
            // What was not said is said again when it matters.
            self.asks.clear();
            return;
        }
        let asks = std::mem::take(&mut self.asks);
        self.ask(&asks).await;
        if std::mem::take(&mut self.about) {
            // Alone: who does not know it yet loses nothing else.
            self.ask(&[Ask::About(self.about())]).await;
        }
    }

    async fn ask(&self, asks: &[Ask<JobId>]) {
        self.publish_asks(names::headers(&self.config.rules, &self.standing.session()), asks).await;
    }

    pub(crate) async fn publish_asks(&self, headers: HeaderMap, asks: &[Ask<JobId>]) {
        if is_connected(&self.client) {
            let subject = self.subjects.ask(&self.config.name);
            let _ = self.client.publish_with_headers(subject, headers, message::write(asks).into()).await;
        }
    }

    /// Requests as many notifications as there is room for.
    async fn pull(&mut self) {
        if self.pulled.is_some_and(|(_, since)| since.elapsed() > PULL + Duration::from_secs(1)) {
            self.pulled = None;
            if is_connected(&self.client) {
                self.notifications_were_asked_for(true);
            }
        }
        let free = self.core.free();
        let is_early = self.pull_after.is_some_and(|after| Instant::now() < after);
        if self.pulled.is_some() || is_early || free == 0 || !is_connected(&self.client) {
            return;
        }
        self.pulled = Some((free, Instant::now()));
        let request = json!({ "batch": free, "expires": u64::try_from(PULL.as_nanos()).unwrap_or(u64::MAX) });
        let subject = self.subjects.next(&self.config.rules);
        let _ = self.client.publish_with_reply(subject, self.inbox.clone(), request.to_string().into()).await;
    }
}

fn claim((key, attempt, fence): (JobId, u32, u64)) -> Claim<JobId> {
    Claim { key, attempt, fence }
}
