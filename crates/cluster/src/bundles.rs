//! Archives of bots on their way to a worker: asked for piece by piece under a lease, from the coordinator's store.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{Client, Message};
use rookery_live::Stopping;
use rookery_store::{Hash, Store, StoredBundle};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, Semaphore};

use crate::broker::inbox_prefix;
use crate::core::{Claim, Name};
use crate::server::Server;
use crate::{JobId, message};

/// The bytes of one piece: brokers carry a mebibyte.
const PIECE: usize = 256 << 10;
/// How many archives the coordinator has at hand.
const AT_HAND: usize = 4;
/// How many pieces are on their way at a time. Whoever gets none asks again.
const ON_THE_WAY: usize = 64;
/// How long one piece may take, and how long nothing may come before a worker gives up.
const PATIENCE: Duration = Duration::from_secs(5);
const GIVE_UP: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(300);

/// A worker wants a piece of an archive, for a game that it holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundleRequest {
    claim: Claim<JobId>,
    sha256: String,
    from: u64,
}

/// The archives that workers ask for at the moment.
#[derive(Debug)]
pub(crate) struct Archives {
    latest: Mutex<VecDeque<(Hash, Arc<Vec<u8>>)>>,
    on_the_way: Arc<Semaphore>,
}

impl Default for Archives {
    fn default() -> Self {
        Self { latest: Mutex::default(), on_the_way: Arc::new(Semaphore::new(ON_THE_WAY)) }
    }
}

impl Archives {
    /// An archive. It is read once for all who want it at the same time.
    async fn get(&self, store: Store, wanted: StoredBundle) -> Option<Arc<Vec<u8>>> {
        let mut latest = self.latest.lock().await;
        if let Some((_, archive)) = latest.iter().find(|(hash, _)| *hash == wanted.sha256) {
            return Some(Arc::clone(archive));
        }
        let read = tokio::task::spawn_blocking(move || store.bundle(wanted.version)).await;
        let archive = match read {
            Ok(Ok(archive)) => Arc::new(archive),
            Ok(Err(error)) => {
                tracing::error!(name = wanted.name, %error, "an archive cannot be read");
                return None;
            }
            Err(_) => return None,
        };
        if latest.len() >= AT_HAND {
            latest.pop_front();
        }
        latest.push_back((wanted.sha256, Arc::clone(&archive)));
        Some(archive)
    }
}

impl Server {
    /// Sends a piece of an archive to whoever plays a game with that bot, and to nobody else. An empty answer is a refusal.
    pub(crate) fn bundle_asked(&self, worker: &Name, message: &Message) {
        // Only to where this worker hears: it must not have us speak to others.
        let own = format!("{}.", inbox_prefix(worker));
        let Some(reply) = message.reply.clone().filter(|reply| reply.starts_with(&own)) else { return };
        let Some(BundleRequest { claim, sha256, from }) = message::read(&message.payload) else { return };
        let Ok(permit) = Arc::clone(&self.archives.on_the_way).try_acquire_owned() else { return };
        let is_held = |job: &crate::core::Job| job.is_held_by(worker, claim.attempt, claim.fence);
        let order = self.orders.get(&claim.key).filter(|_| self.core.job(&claim.key).is_some_and(is_held));
        let wanted = order.and_then(|order| {
            let mut bundles = order.bots.as_ref()?.at(&order.spec);
            bundles.find(|bundle| bundle.sha256.to_string() == sha256).cloned()
        });
        let (archives, store, client) =
            (Arc::clone(&self.archives), self.config.store.clone(), self.client.clone());
        tokio::spawn(async move {
            let _permit = permit;
            let archive = match wanted {
                Some(wanted) => archives.get(store, wanted).await,
                None => None,
            };
            let from = usize::try_from(from).unwrap_or(usize::MAX);
            let rest = archive.as_ref().and_then(|archive| archive.get(from..)).unwrap_or_default();
            let piece = rest[..rest.len().min(PIECE)].to_vec();
            // Whoever does not get it asks again.
            let _ = client.publish(reply, piece.into()).await;
        });
    }
}

/// Fetches an archive of so many bytes, as somebody who plays this game and asks there. Where the broker or the coordinator is away it is asked
/// for again for a while.
pub(crate) async fn fetch(
    client: &Client,
    subject: &str,
    claim: &Claim<JobId>,
    (sha256, bytes): (&str, u64),
    stopping: &Stopping,
) -> Result<Vec<u8>, String> {
    let mut archive: Vec<u8> = vec![];
    let mut since = Instant::now();
    while (archive.len() as u64) < bytes {
        if stopping.is_requested() {
            return Err("stopped while its archive was fetched".to_owned());
        }
        let request =
            BundleRequest { claim: claim.clone(), sha256: sha256.to_owned(), from: archive.len() as u64 };
        let asked = client.request(subject.to_owned(), message::write(&request).into());
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(piece)) if !piece.payload.is_empty() => {
                archive.extend_from_slice(&piece.payload);
                since = Instant::now();
            }
            _ if since.elapsed() > GIVE_UP => {
                return Err(format!(
                    "the archive {} does not come from the coordinator",
                    sha256.get(..16).unwrap_or(sha256)
                ));
            }
            _ => tokio::time::sleep(PAUSE).await,
        }
    }
    Ok(archive)
}
