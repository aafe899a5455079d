//! What was decided: rows are committed first, and then others hear of it.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::HeaderMap;
use futures_util::StreamExt as _;
use rookery_arena::Arrived;
use rookery_record::Key;
use rookery_store::{JobChange, NewGame};

use crate::broker::is_connected;
use crate::core::{Answer, Done, Effect, Lost, Name, State};
use crate::judging::Delivered;
use crate::message::{self, JobBots, Notification};
use crate::server::Server;
use crate::{JobId, names, rows};

/// How long the store and the broker may take for what is still on its way when a coordinator ends.
const FINISHING: Duration = Duration::from_secs(5);

impl Server {
    /// What is to be written goes into the next commit, the rest waits for it.
    pub(crate) fn take(&mut self, effects: Vec<Effect<JobId>>, mut delivered: Option<Delivered>) {
        for effect in effects {
            match effect {
                Effect::Write(key, job) => {
                    self.note_waiting(key, &job.state);
                    self.changes.push(JobChange::Put(rows::row(key, &job)));
                }
                Effect::Delete(key) => {
                    self.waiting.remove(&key);
                    if let Some(watcher) = self.watchers.get(&key.tournament) {
                        // Whoever does not listen any more does not want to know.
                        let _ = watcher.send(Arrived::Withdrawn { pairing: key.pairing });
                    }
                    self.changes.push(JobChange::Delete(key.tournament, key.pairing));
                }
                Effect::Ended { claim, worker, lost } => {
                    tracing::warn!(key = %claim.key, attempt = claim.attempt, %worker, ?lost, "attempt lost");
                    self.counts.entry(worker.clone()).or_default().lost += 1;
                    self.expired += u64::from(lost == Lost::Expired);
                    self.changes.push(JobChange::Ended(rows::ended(&claim, &worker, &lost)));
                }
                Effect::Store(claim) => {
                    if let Some(State::Done { worker, .. }) = self.core.job(&claim.key).map(|job| &job.state)
                    {
                        let worker = worker.clone();
                        self.count(worker);
                    }
                    let key = Key { pairing: claim.key.pairing, attempt: claim.attempt };
                    // Whatever is to be stored came with its record.
                    let Some(Delivered { record, packed }) = delivered.take() else { continue };
                    let game = NewGame::of_pairing(claim.key.tournament, key, record).packed(packed);
                    self.changes.push(JobChange::Game(game));
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
                Effect::Notify { .. } | Effect::Answer(..) | Effect::Finished(..) => {
                    self.effects.push(effect);
                }
            }
        }
    }

    /// Hands what was decided to the store; what others hear of it waits until it is there, and behind all that came before.
    pub(crate) fn commit(&mut self) {
        if self.changes.is_empty() && self.effects.is_empty() {
            return;
        }
        let effects = std::mem::take(&mut self.effects);
        if self.changes.is_empty() {
            self.committing.push_back(Box::pin(std::future::ready((Ok(()), effects, vec![]))));
            return;
        }
        let changes = std::mem::take(&mut self.changes);
        let receipt = self.config.store.change_jobs(changes.clone());
        self.committing.push_back(Box::pin(async move { (receipt.await, effects, changes) }));
    }

    pub(crate) async fn perform(&mut self, effects: Vec<Effect<JobId>>) {
        let mut answers: BTreeMap<Name, Vec<Answer<JobId>>> = BTreeMap::new();
        for effect in effects {
            match effect {
                Effect::Notify { key, attempt, number } => self.notify(key, attempt, number).await,
                Effect::Answer(worker, answer) => {
                    answers.entry(worker).or_default().push(answer);
                }
                Effect::Finished(key, done) => self.finished(key, done),
                _ => {}
            }
        }
        for (worker, answers) in answers {
            let headers = self.core.session_of(&worker).map(|session| names::addressed(session));
            let subject = self.subjects().tell(&worker);
            self.send_with(subject, headers.unwrap_or_default(), message::write(&answers)).await;
        }
    }

    async fn notify(&self, key: JobId, attempt: u32, number: u32) {
        // Without what was agreed there is nothing to tell yet: it is sent when the tournament goes on.
        let Some(order) = self.order(&key) else { return };
        let (spec, until_proved) = (order.spec.clone(), order.until_proved);
        let reference = self.reference(order);
        let notification =
            Notification { key, attempt, spec, until_proved, bots: JobBots::of(order), reference };
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", format!("{key}:{attempt}:{}:{number}", self.session));
        if is_connected(&self.client) {
            let subject = self.subjects().jobs(&self.config.rules);
            // One that gets lost is sent again.
            let _ = self
                .client
                .publish_with_headers(subject, headers, message::write(&notification).into())
                .await;
        }
    }

    pub(crate) async fn send(&self, subject: String, body: Vec<u8>) {
        self.send_with(subject, HeaderMap::new(), body).await;
    }

    pub(crate) async fn send_with(&self, subject: String, headers: HeaderMap, body: Vec<u8>) {
        if is_connected(&self.client) {
            // Whoever gets no answer asks again.
            let _ = if headers.is_empty() {
                self.client.publish(subject, body.into()).await
            } else {
                self.client.publish_with_headers(subject, headers, body.into()).await
            };
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

    /// The end, wanted from outside: what was handed to the store is waited for and told. Whoever coordinates next, perhaps in this
    /// process, would else read rows that are about to change, and workers would have to ask it about games that are stored.
    pub(crate) async fn finish(&mut self) {
        let finished = tokio::time::timeout(FINISHING, async {
            while let Some((done, effects, _)) = self.committing.next().await {
                if done.is_ok() {
                    self.perform(effects).await;
                }
            }
            if is_connected(&self.client) {
                // Without a way there is nothing to be said.
                let _ = self.client.flush().await;
            }
        });
        if finished.await.is_err() {
            tracing::warn!(
                "the store or the broker does not answer; what is not confirmed is sent again by its worker"
            );
        }
    }
}
