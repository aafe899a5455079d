//! Workers that play nothing, for figures of how many of them one coordinator bears.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::Client;
use futures_util::StreamExt as _;
use futures_util::stream::select_all;
use rookery_store::TournamentId;
use tokio::sync::Barrier;
use tokio::time::{MissedTickBehavior, interval};

use crate::broker::Access;
use crate::core::{Answer, Ask, Claim};
use crate::subjects::Subjects;
use crate::worker::HELLO;
use crate::{ClusterError, JobId, message};

/// How long all of them together may take to get their games.
const PATIENCE: Duration = Duration::from_mins(2);

/// Many workers that hold a game each and say that it goes on.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The broker.
    pub access: Access,
    /// Whose games they hold: pairings from `first`, one each.
    pub tournament: TournamentId,
    /// The first pairing.
    pub first: u64,
    /// How many workers.
    pub workers: usize,
    /// Over how many connections.
    pub connections: usize,
    /// How often each sends a beat.
    pub pace: Duration,
    /// For how long.
    pub time: Duration,
}

/// How long beats took: from the word of a worker until the coordinator has it in its store and has answered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Beats {
    /// In milliseconds, in no order.
    pub waits_ms: Vec<f64>,
    /// Beats that were not answered until the next one.
    pub unanswered: u64,
}

impl Crowd {
    /// Gets the games, and sends beats for the time agreed.
    pub async fn run(&self) -> Result<Beats, ClusterError> {
        let connections = self.connections.clamp(1, self.workers.max(1));
        let all_there = Arc::new(Barrier::new(connections));
        let mut tasks = tokio::task::JoinSet::new();
        for idx in 0..connections {
            let name = |worker: usize| format!("crowd-{}-{worker}", self.first);
            let own: Vec<Idle> = (idx..self.workers)
                .step_by(connections)
                .map(|worker| {
                    let pairing = self.first + worker as u64;
                    let key = JobId { tournament: self.tournament, pairing, again: false };
                    Idle { name: name(worker), key, fence: None, beats: 0, sent: None }
                })
                .collect();
            let client = self.access.connect(&format!("crowd-{}-{idx}", self.first), false).await?;
            let hand = Hand { client, own, beats: Beats::default() };
            let (pace, time, all_there) = (self.pace, self.time, Arc::clone(&all_there));
            tasks.spawn(async move { hand.run(pace, time, &all_there).await });
        }
        let mut beats = Beats::default();
        while let Some(done) = tasks.join_next().await {
            let done = done.map_err(|error| ClusterError::Wrong(error.to_string()))??;
            beats.waits_ms.extend(done.waits_ms);
            beats.unanswered += done.unanswered;
        }
        Ok(beats)
    }
}

/// A worker that plays nothing.
struct Idle {
    name: String,
    key: JobId,
    fence: Option<u64>,
    beats: u64,
    sent: Option<Instant>,
}

/// The workers of one connection.
struct Hand {
    client: Client,
    own: Vec<Idle>,
    beats: Beats,
}

impl Hand {
    async fn run(
        mut self,
        pace: Duration,
        time: Duration,
        all_there: &Barrier,
    ) -> Result<Beats, ClusterError> {
        let failed = |error: async_nats::SubscribeError| ClusterError::Broker(error.to_string());
        let mut answers = vec![];
        for worker in &self.own {
            answers.push(self.client.subscribe(Subjects::OWN.tell(&worker.name)).await.map_err(failed)?);
        }
        let by_subject: HashMap<String, usize> = self
            .own
            .iter()
            .enumerate()
            .map(|(idx, worker)| (Subjects::OWN.tell(&worker.name), idx))
            .collect();
        let mut answers = select_all(answers);
        let begun = Instant::now();
        while self.own.iter().any(|worker| worker.fence.is_none()) {
            if begun.elapsed() > PATIENCE {
                return Err(ClusterError::Wrong("the simulated workers get no games".to_owned()));
            }
            for idx in 0..self.own.len() {
                if self.own[idx].fence.is_none() {
                    let take = Ask::Take { key: self.own[idx].key, attempt: 1 };
                    self.say(idx, &[Ask::Hello { slots: 1 }, take]).await?;
                }
            }
            let until = tokio::time::Instant::now() + Duration::from_secs(5);
            while self.own.iter().any(|worker| worker.fence.is_none())
                && let Ok(Some(message)) = tokio::time::timeout_at(until, answers.next()).await
            {
                self.heard(by_subject.get(message.subject.as_str()).copied(), &message.payload);
            }
        }
        all_there.wait().await;
        self.beats = Beats::default();
        let share = |time: Duration| time / u32::try_from(self.own.len()).unwrap_or(u32::MAX).max(1);
        let (mut hellos, mut beats) = (interval(share(HELLO)), interval(share(pace)));
        hellos.set_missed_tick_behavior(MissedTickBehavior::Burst);
        beats.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let (mut next_hello, mut next_beat) = (0, 0);
        let end = tokio::time::sleep(time);
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                Some(message) = answers.next() => {
                    self.heard(by_subject.get(message.subject.as_str()).copied(), &message.payload);
                }
                _ = hellos.tick() => {
                    self.say(next_hello, &[Ask::Hello { slots: 1 }]).await?;
                    next_hello = (next_hello + 1) % self.own.len();
                }
                _ = beats.tick() => {
                    self.beat(next_beat).await?;
                    next_beat = (next_beat + 1) % self.own.len();
                }
            }
        }
        // Who is gone is remembered for a while; nobody should wait for games of it.
        for idx in 0..self.own.len() {
            self.say(idx, &[Ask::Hello { slots: 0 }]).await?;
        }
        self.client.flush().await.map_err(|error| ClusterError::Broker(error.to_string()))?;
        Ok(self.beats)
    }

    /// Sends a beat, and asks for the game that it has: what is answered comes after the beat is in the store.
    async fn beat(&mut self, idx: usize) -> Result<(), ClusterError> {
        let worker = &mut self.own[idx];
        if worker.sent.replace(Instant::now()).is_some() {
            self.beats.unanswered += 1;
        }
        worker.beats += 1;
        let claim = Claim { key: worker.key, attempt: 1, fence: worker.fence.unwrap_or(0) };
        let asks = [Ask::Beat { claim, beat: worker.beats }, Ask::Take { key: worker.key, attempt: 1 }];
        self.say(idx, &asks).await
    }

    async fn say(&self, idx: usize, asks: &[Ask<JobId>]) -> Result<(), ClusterError> {
        let said =
            self.client.publish(Subjects::OWN.ask(&self.own[idx].name), message::write(asks).into()).await;
        said.map_err(|error| ClusterError::Broker(error.to_string()))
    }

    fn heard(&mut self, idx: Option<usize>, payload: &[u8]) {
        let Some(worker) = idx.and_then(|idx| self.own.get_mut(idx)) else { return };
        for answer in message::read::<Vec<Answer<JobId>>>(payload).unwrap_or_default() {
            if let Answer::Granted { claim, .. } = answer {
                worker.fence = Some(claim.fence);
                if let Some(sent) = worker.sent.take() {
                    self.beats.waits_ms.push(sent.elapsed().as_secs_f64() * 1000.0);
                }
            }
        }
    }
}
