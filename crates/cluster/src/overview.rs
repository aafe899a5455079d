//! What operators ask the coordinator: how everything stands, and to try again what is parked.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::{Message, Subject};
use rookery_store::{JobChange, Page};

use crate::calibrate::beside_median;
use crate::core::{About, Job, Name, State};
use crate::server::{Count, Server};
use crate::status::{Audited, ParkedJob, Status, TournamentStatus, WorkerStatus};
use crate::{JobId, message};

/// How much later whoever has nothing of what an operator names answers.
const LATER: Duration = Duration::from_millis(500);
/// How many entries of the audit table are shown.
const AUDITED: u32 = 100;

impl Server {
    /// A worker says something of itself. Whoever has not said hello is nobody.
    pub(crate) fn heard_about(&mut self, worker: &Name, about: About) {
        let known = self.core.workers();
        if self.abouts.len() > known.len() {
            self.abouts.retain(|name, _| known.contains_key(name));
        }
        if known.contains_key(worker) {
            self.abouts.insert(worker.clone(), about);
        }
    }

    pub(crate) async fn asked_by_operator(&mut self, message: &Message) {
        let Some(reply) = message.reply.clone() else { return };
        let body = if message.subject.ends_with(".retry") {
            // None at all means all of them; what cannot be read means nothing.
            let wanted: Option<(Vec<JobId>, String)> = message::read(&message.payload);
            let n = wanted.as_ref().map(|(jobs, actor)| self.retry(jobs, actor));
            let body = n.map_or(vec![], |n| message::write(&n));
            if n == Some(0) && wanted.is_some_and(|(jobs, _)| !jobs.is_empty()) {
                self.answer_later(reply, body);
                return;
            }
            body
        } else if message.subject.ends_with(".status") {
            message::write_long(&self.status())
        } else if message.subject.ends_with(".audit") {
            self.send_audit(reply);
            return;
        } else {
            return;
        };
        self.send(reply.to_string(), body).await;
    }

    /// Whoever coordinates for another store here may have what was asked for, and answers first.
    fn answer_later(&self, reply: Subject, body: Vec<u8>) {
        let client = self.client.clone();
        tokio::spawn(async move {
            tokio::time::sleep(LATER).await;
            // Whoever gets no answer asks again.
            let _ = client.publish(reply, body.into()).await;
        });
    }

    /// Answers with the last entries of the audit table.
    fn send_audit(&self, reply: Subject) {
        let (store, client) = (self.config.store.clone(), self.client.clone());
        tokio::spawn(async move {
            let page = Page { before: None, limit: AUDITED };
            let read = tokio::task::spawn_blocking(move || store.audit_log(page)).await;
            let Ok(Ok(entries)) = read else { return };
            let audited = entries.into_iter().map(|entry| Audited {
                at_ms: entry.at_ms,
                actor: entry.actor,
                act: entry.act,
                subject: entry.subject,
            });
            // Whoever gets no answer asks again.
            let _ = client.publish(reply, message::write(&audited.collect::<Vec<_>>()).into()).await;
        });
    }

    /// Tries parked jobs again, those that are named or all, for whoever wants it: how many.
    pub(crate) fn retry(&mut self, jobs: &[JobId], actor: &str) -> u64 {
        let is_parked = |job: &Job| job.state == State::Parked;
        let parked =
            self.core.jobs().filter(|(key, job)| is_parked(job) && (jobs.is_empty() || jobs.contains(key)));
        let parked: Vec<JobId> = parked.map(|(key, _)| *key).collect();
        let mut n = 0;
        for key in parked {
            if let Some(effects) = self.core.retry(&key) {
                n += 1;
                let act = "tries a parked game again".to_owned();
                self.changes.push(JobChange::Audit(actor.to_owned(), act, key.to_string()));
                self.take(effects, None);
            }
        }
        n
    }

    pub(crate) fn status(&mut self) -> Status {
        self.forget_old_seconds();
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
        let waits = self.core.loads().values().any(|load| load.waiting + load.notified > 0);
        let mut speeds: Vec<u32> = self.abouts.values().filter_map(|about| about.speed).collect();
        speeds.sort_unstable();
        let workers = self.core.workers().iter().map(|(name, seen)| {
            let playing = playing.get(name).copied().unwrap_or(0);
            let Count { games, lost } = self.counts.get(name).copied().unwrap_or_default();
            let silent_ms = now.saturating_sub(seen.at);
            let about = self.abouts.get(name);
            let is_silent = silent_ms > self.config.terms.lease;
            let idle = (playing < seen.slots).then(|| idle(about, is_silent, waits));
            let speed = about.and_then(|about| about.speed);
            let beside_median = speed.and_then(|speed| beside_median(speed, &speeds));
            let steal = about.and_then(|about| about.steal).map(|steal| f64::from(steal) / 1000.0);
            let (name, slots) = (name.to_string(), seen.slots);
            WorkerStatus { name, slots, playing, games, lost, silent_ms, idle, speed, beside_median, steal }
        });
        let tournaments = self.core.loads().iter().map(|(id, load)| TournamentStatus {
            id: id.to_string(),
            queued: load.waiting + load.notified,
            leased: load.leased,
            done: load.done,
            parked: load.parked,
        });
        let seconds = self.begun.elapsed().as_secs().clamp(1, 60);
        Status {
            protocol: self.config.protocol,
            rules: self.config.rules.clone(),
            up_seconds: self.begun.elapsed().as_secs(),
            stored: self.stored,
            refused: self.refused,
            games_a_second: self.rate.iter().sum::<u64>() as f64 / seconds as f64,
            workers: workers.chain(self.others()).collect(),
            tournaments: tournaments.collect(),
            parked,
            trust: self.trust.status(),
        }
    }
}

/// Why a worker plays fewer games than it could, by what it says of itself; `waits` is whether anything is to be played.
fn idle(about: Option<&About>, is_silent: bool, waits: bool) -> String {
    let spooled = about.map_or(0, |about| about.spooled);
    let own = about.and_then(|about| about.idle.clone());
    if is_silent {
        "nothing was heard of it for the time of a lease".to_owned()
    } else if about.is_some_and(|about| about.draining) {
        "it was told to stop: it ends what it plays and takes no new game".to_owned()
    } else if !waits {
        "nothing waits to be played".to_owned()
    } else if let Some(why) = own {
        why
    } else if spooled > 0 {
        format!("it has {spooled} finished games to deliver")
    } else {
        "it is about to take a game".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_why_a_worker_is_idle_is_its_own_if_it_has_one() {
        let usual = About::default();
        let why = |about: &About, waits| idle(Some(about), false, waits);
        assert!(why(&usual, true).contains("about to take a game"));
        assert!(why(&usual, false).contains("nothing waits"));
        let draining = About { draining: true, ..usual.clone() };
        for waits in [true, false] {
            assert!(why(&draining, waits).contains("told to stop"));
        }
        let unfit = About { idle: Some("no sandbox".to_owned()), ..usual.clone() };
        assert_eq!(why(&unfit, true), "no sandbox");
        assert!(why(&About { spooled: 7, ..usual }, true).contains("7 finished games"));
        assert!(idle(Some(&draining), true, true).contains("nothing was heard"));
        assert!(idle(None, false, true).contains("about to take a game"));
    }
}
