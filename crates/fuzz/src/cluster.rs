//! A coordinator and a worker among others who may say anything, in any order.

use std::collections::BTreeMap;

use rookery_cluster::core::{
    Act, Answer, Ask, Claim, Coordinator, Effect, Job, Load, Name, State, Terms, Worker, WorkerTerms, law,
};
use rookery_cluster::reading::{Heard, answers, by_coordinator, notification, pack};
use rookery_cluster::subjects::Subjects;
use rookery_cluster::{JobId, PROTOCOL};

/// The one tournament there is, and how many games it has.
const TOURNAMENT: &str = "5t4e73e59t98";
const GAMES: u64 = 3;
const TERMS: Terms = Terms { lease: 1000, attempts: 3, window: 2 };
const WORKER: WorkerTerms = WorkerTerms { slots: 2, spool: 2, patience: 100 };
/// Whatever happens takes no more steps than this.
const MOST_STEPS: usize = 400;

/// What happens next: the first byte of a step. What follows it, up to the next line feed, is what somebody says, or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Step {
    /// Bytes come to the coordinator as what the worker `eve` asks.
    EveAsks = b'a',
    /// Bytes come to the coordinator as a record of `eve`. A line feed in them is written as byte 1.
    EveSends = b'r',
    /// Bytes come to the coordinator at any subject at all: the subject, a space, and the rest.
    Anything = b's',
    /// Bytes come to the honest worker as answers.
    Answers = b'w',
    /// Bytes come to the honest worker as a notification.
    Notification = b'n',
    /// The message on its way of this number arrives.
    Arrives = b'd',
    /// The same, and comes again later.
    Doubled = b'c',
    /// The same, and is lost.
    Lost = b'x',
    /// So many tenths of a second pass.
    Time = b't',
    /// The honest worker makes a move in all of its games.
    Move = b'm',
    /// The honest worker ends the first of its games.
    Ends = b'f',
    /// The coordinator ends; another one begins from the rows.
    Restart = b'k',
    /// The honest worker ends and begins again with what it has kept.
    WorkerRestart = b'K',
    /// The broker is away, or comes back.
    Broker = b'b',
    /// Nothing could be heard for a while.
    Standstill = b'z',
}

const STEPS: [Step; 15] = [
    Step::EveAsks,
    Step::EveSends,
    Step::Anything,
    Step::Answers,
    Step::Notification,
    Step::Arrives,
    Step::Doubled,
    Step::Lost,
    Step::Time,
    Step::Move,
    Step::Ends,
    Step::Restart,
    Step::WorkerRestart,
    Step::Broker,
    Step::Standstill,
];

/// What is on its way between the coordinator and the honest worker.
#[derive(Clone)]
enum Message {
    Notification(JobId, u32),
    Ask(Ask<JobId>),
    Record(Claim<JobId>, Vec<u8>),
    Answer(Answer<JobId>),
}

struct World {
    now: u64,
    rows: BTreeMap<JobId, Job>,
    stored: BTreeMap<JobId, Vec<u8>>,
    coordinator: Coordinator<JobId>,
    has_broker: bool,
    worker: Worker<JobId, Vec<u8>>,
    playing: Vec<Claim<JobId>>,
    kept: BTreeMap<(JobId, u32, u64), Vec<u8>>,
    moves: u64,
    on_its_way: Vec<Message>,
}

/// Runs a coordinator and an honest worker while these bytes say what else is said, and in which order what they say arrives. Each
/// line is a [`Step`]. Whatever it is, rows change only as the protocol allows, and what is stored is what the rules accept.
pub fn cluster(data: &[u8]) {
    let mut world = World::new();
    for line in data.split(|&byte| byte == b'\n').take(MOST_STEPS) {
        let Some((first, rest)) = line.split_first() else { continue };
        if let Some(step) = STEPS.into_iter().find(|step| *step as u8 == *first) {
            world.step(step, rest);
            world.expect_sound();
        }
    }
}

fn key(pairing: u64) -> JobId {
    let tournament = TOURNAMENT.parse().expect("it is well formed");
    JobId { tournament, pairing, again: false }
}

/// The record of a game that the rules accept.
fn record_of(key: &JobId) -> Vec<u8> {
    format!("the game {key}").into_bytes()
}

fn number(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn digest(record: &[u8]) -> [u8; 32] {
    let mut digest = [0_u8; 32];
    for (idx, byte) in record.iter().enumerate() {
        let at = &mut digest[idx % 32];
        *at = at.rotate_left(3) ^ byte;
    }
    digest
}

impl World {
    fn new() -> Self {
        let mut new = Self {
            now: 1000,
            rows: BTreeMap::new(),
            stored: BTreeMap::new(),
            coordinator: Coordinator::new(TERMS, [], 1000),
            has_broker: true,
            worker: Worker::new(WORKER, []),
            playing: vec![],
            kept: BTreeMap::new(),
            moves: 0,
            on_its_way: vec![],
        };
        new.enqueue();
        new
    }

    fn enqueue(&mut self) {
        for key in (0..GAMES).map(key) {
            self.coordinator.limit(&key, 3 * TERMS.lease);
            let effects = self.coordinator.enqueue(&key, 1);
            self.commit(effects, None);
        }
    }

    fn step(&mut self, step: Step, bytes: &[u8]) {
        match step {
            Step::EveAsks => self.hear(&Subjects::OWN.ask("eve"), bytes),
            Step::EveSends => {
                let bytes: Vec<u8> = bytes.iter().map(|&byte| if byte == 1 { b'\n' } else { byte }).collect();
                self.hear(&Subjects::OWN.record("eve"), &bytes);
            }
            Step::Anything => {
                let mut parts = bytes.splitn(2, |&byte| byte == b' ');
                let subject =
                    parts.next().and_then(|first| std::str::from_utf8(first).ok()).unwrap_or_default();
                self.hear(&format!("rookery.{PROTOCOL}.{subject}"), parts.next().unwrap_or_default());
            }
            Step::Answers => {
                for answer in answers(bytes) {
                    let acts = self.worker.hear(answer, self.now);
                    self.act(acts);
                }
            }
            Step::Notification => {
                if let Some((key, attempt)) = notification(bytes) {
                    self.arrive(Message::Notification(key, attempt));
                }
            }
            Step::Arrives | Step::Doubled | Step::Lost => self.arrives(step, number(bytes)),
            Step::Time => {
                self.now += 100 * number(bytes).min(100) as u64;
                let effects = self.coordinator.tick(self.now);
                self.commit(effects, None);
                let acts = self.worker.tick(self.now);
                self.act(acts);
            }
            Step::Move => {
                self.moves += 1;
                for claim in &self.playing {
                    self.worker.progressed(&claim.key, self.moves);
                }
            }
            Step::Ends => {
                if !self.playing.is_empty() {
                    let claim = self.playing.remove(0);
                    let record = record_of(&claim.key);
                    let acts = self.worker.finished(claim, record, self.now);
                    self.act(acts);
                }
            }
            Step::Restart => {
                self.coordinator = Coordinator::new(TERMS, self.rows.clone(), self.now);
                self.has_broker = true;
                self.enqueue();
            }
            Step::WorkerRestart => {
                let kept = self
                    .kept
                    .iter()
                    .map(|(&(key, attempt, fence), record)| (Claim { key, attempt, fence }, record.clone()));
                self.worker = Worker::new(WORKER, kept);
                self.playing.clear();
            }
            Step::Broker => {
                self.has_broker = !self.has_broker;
                if self.has_broker {
                    self.coordinator.broker_back(self.now, 0);
                } else {
                    self.coordinator.broker_lost();
                }
            }
            Step::Standstill => self.coordinator.stood_still(self.now),
        }
    }

    fn arrives(&mut self, how: Step, number: usize) {
        if self.on_its_way.is_empty() {
            return;
        }
        let idx = number % self.on_its_way.len();
        let message = self.on_its_way.remove(idx);
        if how == Step::Doubled {
            self.on_its_way.push(message.clone());
        }
        if how != Step::Lost {
            self.arrive(message);
        }
    }

    fn arrive(&mut self, message: Message) {
        let ann = Name::from("ann");
        match message {
            Message::Notification(key, attempt) => {
                let acts = self.worker.notified(key, attempt, self.now);
                self.act(acts);
            }
            Message::Answer(answer) => {
                let acts = self.worker.hear(answer, self.now);
                self.act(acts);
            }
            Message::Ask(ask) => self.hear_ask(&ann, ask),
            // As it really travels: packed, at a subject.
            Message::Record(claim, record) => self.hear(&Subjects::OWN.record("ann"), &pack(&claim, &record)),
        }
    }

    fn hear_ask(&mut self, worker: &Name, ask: Ask<JobId>) {
        let held = ask.claim().map(|claim| law::holds(self.rows.get(&claim.key), worker, claim));
        let effects = self.coordinator.hear(worker, ask, self.now);
        if effects.iter().any(|effect| matches!(effect, Effect::Write(..))) {
            assert_eq!(held.unwrap_or(Ok(())), Ok(()), "who changes a row by its claim holds that lease");
        }
        self.commit(effects, None);
    }

    /// Something comes to the coordinator at a subject.
    fn hear(&mut self, subject: &str, payload: &[u8]) {
        match by_coordinator(subject, payload) {
            Some(Heard::Asked(worker, asks)) => {
                for ask in asks {
                    self.hear_ask(&worker, ask);
                }
            }
            Some(Heard::Record(worker, claim, record)) => {
                let record = record.unwrap_or_default();
                let judged =
                    if record == record_of(&claim.key) { Ok(()) } else { Err("another game".to_owned()) };
                let is_held = law::holds(self.rows.get(&claim.key), &worker, &claim).is_ok();
                let (digest, said) = (digest(&record), judged.clone());
                let effects = self.coordinator.deliver(&worker, claim, digest, said, self.now);
                let stores = effects.iter().any(|effect| matches!(effect, Effect::Store(_)));
                assert_eq!(
                    stores,
                    is_held && judged.is_ok(),
                    "{worker} sent {:?}",
                    String::from_utf8_lossy(&record)
                );
                self.commit(effects, Some(&record));
            }
            Some(Heard::Other) | None => {}
        }
    }

    fn commit(&mut self, effects: Vec<Effect<JobId>>, record: Option<&[u8]>) {
        for effect in effects {
            match effect {
                Effect::Write(key, job) => {
                    if let Some(before) = self.rows.insert(key, job.clone()) {
                        assert_eq!(law::may_become(&before, &job), Ok(()), "{key}");
                    }
                }
                Effect::Store(claim) => {
                    let record = record.expect("a game is stored with its record").to_vec();
                    assert_eq!(record, record_of(&claim.key), "what breaks the rules is not stored");
                    assert_eq!(self.stored.insert(claim.key, record), None, "{claim:?} is stored once");
                }
                Effect::Notify { key, attempt, .. } => {
                    self.on_its_way.push(Message::Notification(key, attempt));
                }
                Effect::Answer(worker, answer) => {
                    if let Answer::Granted { claim, .. } = &answer {
                        assert_eq!(law::holds(self.rows.get(&claim.key), &worker, claim), Ok(()));
                    }
                    if *worker == *"ann" {
                        self.on_its_way.push(Message::Answer(answer));
                    }
                }
                Effect::Delete(key) => panic!("nobody has taken {key} back"),
                Effect::Ended { .. } | Effect::Finished(..) | Effect::Alarm { .. } => {}
            }
        }
    }

    fn act(&mut self, acts: Vec<Act<JobId, Vec<u8>>>) {
        for act in acts {
            match act {
                Act::Say(ask) => self.on_its_way.push(Message::Ask(ask)),
                Act::Play(claim) => self.playing.push(claim),
                Act::Abandon(claim) => self.playing.retain(|playing| *playing != claim),
                Act::Keep(Claim { key, attempt, fence }, record) => {
                    self.kept.insert((key, attempt, fence), record);
                }
                Act::Send(claim, record) => self.on_its_way.push(Message::Record(claim, record)),
                Act::Forget(Claim { key, attempt, fence }) => {
                    self.kept.remove(&(key, attempt, fence));
                }
            }
        }
    }

    /// What must hold after each step.
    fn expect_sound(&self) {
        assert!(self.coordinator.jobs().eq(self.rows.iter()), "what is known is what is written");
        assert_eq!(self.rows.len() as u64, GAMES, "nobody can make up a job");
        let mut counted = Load::default();
        for (key, job) in &self.rows {
            match job.state {
                State::Queued => counted.waiting += 1,
                State::Leased { .. } => counted.leased += 1,
                State::Done { .. } => counted.done += 1,
                State::Parked => counted.parked += 1,
            }
            let is_done = matches!(job.state, State::Done { .. });
            assert_eq!(is_done, self.stored.contains_key(key), "{key} is done when it is stored");
        }
        let loads = self.coordinator.loads().values();
        let loads: Vec<Load> =
            loads.map(|load| Load { waiting: load.waiting + load.notified, notified: 0, ..*load }).collect();
        assert_eq!(loads, [counted]);
        assert_eq!(self.worker.playing(), self.playing.len(), "what it plays is what it was told to play");
        assert!(self.playing.len() <= WORKER.slots, "no more games than it has room for");
        assert_eq!(self.worker.undelivered(), self.kept.len(), "what is not delivered is on its disk");
    }
}
