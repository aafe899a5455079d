//! Records that come from workers: taken in within bounds, judged by other threads, and then decided on.

use std::sync::Arc;

use async_nats::Message;
use rookery_arena::Order;
use rookery_referee::{TimeControl, Verdict};
use rookery_store::{Hash, JobChange};
use tokio::sync::Semaphore;

use crate::core::{Claim, Digest, Effect, Name, State};
use crate::scale::{factor, judge_scaled};
use crate::server::{Event, Server};
use crate::{JobId, message};

/// How many records are judged at a time.
const JUDGES: usize = 4;
/// How many bytes of packed records wait to be judged, in KiB. What would be more is sent again by its worker.
const WAITING_KIB: usize = 64 << 10;
/// By how many parts of a hundred a clock may be scaled otherwise than the speed of its worker says before it is told: who
/// begins again measures again.
const TOLERANCE: u32 = 10;

/// A record on its way: the message, and where in it the record begins.
pub(crate) struct Packed {
    pub(crate) message: Message,
    pub(crate) from: usize,
}

impl Packed {
    /// The packed record.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.message.payload[self.from..]
    }
}

/// Room for those who judge, and for what waits for them.
#[derive(Debug)]
pub(crate) struct Bench {
    judges: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

impl Default for Bench {
    fn default() -> Self {
        Self { judges: Arc::new(Semaphore::new(JUDGES)), room: Arc::new(Semaphore::new(WAITING_KIB)) }
    }
}

/// A record, and what it was unpacked from.
pub(crate) struct Delivered {
    pub(crate) record: Vec<u8>,
    pub(crate) packed: Vec<u8>,
}

/// A record with what the rules say of it.
pub(crate) struct Judged {
    worker: Name,
    claim: Claim<JobId>,
    delivered: Delivered,
    digest: Digest,
    /// How it ended, and by how much its clock was scaled.
    verdict: Result<(Verdict, Option<u32>), String>,
}

impl Server {
    /// A record has come. Whether anybody waits for it is looked at before anything is done with it.
    pub(crate) fn came(&mut self, worker: Name, claim: Claim<JobId>, packed: Packed) {
        if !self.is_ours(claim.key.tournament) {
            return;
        }
        let again = claim.key.again;
        let awaited =
            if again { self.trust.awaits(&worker, &claim) } else { self.core.awaits(&worker, &claim) };
        if !awaited {
            // No lease, no need to read it: its worker hears that it does not count.
            if again {
                self.came_again(&worker, claim, [0; 32], Ok(()));
            } else if self.core.job(&claim.key).is_none() {
                self.answer_from_store(worker, claim, packed);
            } else {
                let effects = self.core.deliver(&worker, claim, [0; 32], Ok(()), self.now());
                self.take(effects, None);
            }
            return;
        }
        // One whose tournament does not go on yet comes again later.
        let order = self.order(&claim.key).cloned();
        if order.is_some() || self.is_over(&claim.key) {
            self.judge(worker, claim, packed, order);
        }
    }

    /// Has a record unpacked and judged by another thread.
    fn judge(&self, worker: Name, claim: Claim<JobId>, packed: Packed, order: Option<Arc<Order>>) {
        let kib = u32::try_from(packed.message.payload.len().div_ceil(1024)).unwrap_or(u32::MAX);
        let Ok(room) = Arc::clone(&self.bench.room).try_acquire_many_owned(kib.max(1)) else { return };
        let (events, judges) = (self.events.clone(), Arc::clone(&self.bench.judges));
        let scales = order.as_ref().is_some_and(|order| self.reference(order).is_some());
        tokio::spawn(async move {
            let (_room, Ok(_permit)) = (room, judges.acquire_owned().await) else { return };
            let work = tokio::task::spawn_blocking(move || {
                let packed = packed.bytes();
                let Some(record) = message::unpack(packed) else {
                    let verdict = Err("it cannot be unpacked, or is too large".to_owned());
                    let delivered = Delivered { record: vec![], packed: vec![] };
                    return Judged { worker, claim, delivered, digest: Hash::of(packed).0, verdict };
                };
                let digest = Hash::of(&record).0;
                let verdict = match &order {
                    Some(order) => judge_scaled(&record, &order.spec, scales),
                    None => Err("nobody has asked for it".to_owned()),
                };
                let delivered = Delivered { record, packed: packed.to_vec() };
                Judged { worker, claim, delivered, digest, verdict }
            });
            if let Ok(done) = work.await {
                let _ = events.send(Event::Judged(Box::new(done))).await;
            }
        });
    }

    /// A record is judged, and counts if its worker still holds the lease.
    pub(crate) fn judged(&mut self, judged: Judged) {
        let Judged { worker, claim, delivered, digest, verdict } = judged;
        let said = verdict.as_ref().map(drop).map_err(Clone::clone);
        let key = claim.key;
        if key.again {
            self.came_again(&worker, claim, digest, said);
            return;
        }
        let effects = self.core.deliver(&worker, claim, digest, said, self.now());
        if let (Ok((verdict, scale)), true) =
            (verdict, effects.iter().any(|effect| matches!(effect, Effect::Store(_))))
        {
            self.compare_scale(&worker, &key, scale);
            self.came_from(&worker, key, digest, &verdict);
            self.verdicts.insert(key, Box::new(verdict));
        }
        self.take(effects, Some(delivered));
    }

    /// Tells if a clock was scaled otherwise than the speed that its worker says of itself.
    fn compare_scale(&mut self, worker: &Name, key: &JobId, scale: Option<u32>) {
        let Some(reference) = self.orders.get(key).and_then(|order| self.reference(order)) else { return };
        let speed = self.abouts.get(worker).and_then(|about| about.speed);
        let Some(expected) = speed.and_then(|speed| factor(reference, speed)) else { return };
        let scale = scale.unwrap_or(1000);
        if u64::from(scale.abs_diff(expected)) * 100 <= u64::from(expected) * u64::from(TOLERANCE) {
            return;
        }
        tracing::warn!(%worker, %key, scale, expected, "a clock was scaled otherwise than the worker's speed says");
        self.changes.push(JobChange::Audit(
            "coordinator".to_owned(),
            "found a clock scaled otherwise than the speed of its worker says; the game counts".to_owned(),
            format!("game {key}, worker {worker}: scaled to {scale} thousandths, {expected} expected"),
        ));
    }

    /// The speed that the clock of a game is meant for: as its tournament says, or as is said for all. None without a clock.
    pub(crate) fn reference(&self, order: &Order) -> Option<u32> {
        order.scale_time.or(self.config.scale_time).filter(|_| order.spec.time != TimeControl::Untimed)
    }

    /// What was agreed on a game that is out.
    pub(crate) fn order(&self, key: &JobId) -> Option<&Arc<Order>> {
        if key.again { self.trust.order(key) } else { self.orders.get(key) }
    }

    fn is_over(&self, key: &JobId) -> bool {
        self.core.job(key).is_some_and(|job| matches!(job.state, State::Done { .. }))
    }
}
