//! What operators ask the coordinator: how everything stands, and to try again what is parked.

use std::collections::BTreeMap;

use async_nats::Message;
use rookery_store::JobChange;

use crate::core::{Job, Name, State};
use crate::server::{Count, Server};
use crate::status::{ParkedJob, Status, TournamentStatus, WorkerStatus};
use crate::{JobId, PROTOCOL, message};

impl Server {
    pub(crate) async fn asked_by_operator(&mut self, message: &Message) {
        let Some(reply) = message.reply.clone() else { return };
        let body = if message.subject.ends_with(".retry") {
            let jobs: Vec<JobId> = message::read(&message.payload).unwrap_or_default();
            message::write(&self.retry(&jobs))
        } else if message.subject.ends_with(".status") {
            message::write(&self.status())
        } else {
            return;
        };
        self.send(reply.to_string(), body).await;
    }

    /// Tries parked jobs again, those that are named or all: how many.
    fn retry(&mut self, jobs: &[JobId]) -> u64 {
        let is_parked = |job: &Job| job.state == State::Parked;
        let parked =
            self.core.jobs().filter(|(key, job)| is_parked(job) && (jobs.is_empty() || jobs.contains(key)));
        let parked: Vec<JobId> = parked.map(|(key, _)| *key).collect();
        let mut n = 0;
        for key in parked {
            if let Some(effects) = self.core.retry(&key) {
                n += 1;
                let act = "tries a parked game again".to_owned();
                self.changes.push(JobChange::Audit("operator".to_owned(), act, key.to_string()));
                self.take(effects, None);
            }
        }
        n
    }

    fn status(&self) -> Status {
        let now = self.now();
        let mut playing: BTreeMap<Name, u32> = BTreeMap::new();
        let mut parked = vec![];
        for (key, job) in self.core.jobs() {
            match &job.state {
                State::Leased { worker, .. } => *playing.entry(worker.clone()).or_default() += 1,
                State::Parked => {
                    let last = job.last.as_ref().map(ToString::to_string);
                    parked.push(ParkedJob { job: *key, attempt: job.attempt, last });
                }
                _ => {}
            }
        }
        let waits = self.core.loads().values().any(|load| load.quiet + load.rung > 0);
        let workers = self.core.workers().iter().map(|(name, seen)| {
            let playing = playing.get(name).copied().unwrap_or(0);
            let Count { games, lost } = self.counts.get(name).copied().unwrap_or_default();
            let silent_ms = now.saturating_sub(seen.at);
            let idle =
                (playing < seen.slots).then(|| idle(silent_ms, self.config.terms.lease, waits).to_owned());
            WorkerStatus { name: name.to_string(), slots: seen.slots, playing, games, lost, silent_ms, idle }
        });
        let tournaments = self.core.loads().iter().map(|(id, load)| TournamentStatus {
            id: id.to_string(),
            queued: load.quiet + load.rung,
            leased: load.leased,
            done: load.done,
            parked: load.parked,
        });
        let seconds = self.begun.elapsed().as_secs().clamp(1, 60);
        Status {
            protocol: PROTOCOL,
            rules: self.config.rules.clone(),
            up_seconds: self.begun.elapsed().as_secs(),
            stored: self.stored,
            refused: self.refused,
            games_a_second: self.rate.iter().sum::<u64>() as f64 / seconds as f64,
            workers: workers.collect(),
            tournaments: tournaments.collect(),
            parked,
        }
    }
}

/// Why a worker plays fewer games than it could.
fn idle(silent_ms: u64, lease: u64, waits: bool) -> &'static str {
    if silent_ms > lease {
        "nothing was heard of it for the time of a lease"
    } else if waits {
        "it is about to take a game, or has finished ones to deliver first"
    } else {
        "nothing waits to be played"
    }
}
