//! What a coordinator looks after beside its jobs: the way to the broker, the stream of notifications, and whether anybody plays. What
//! lasts is told once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::ClusterError;
use crate::broker::{RECONNECTING, ensure_stream, is_connected};
use crate::server::Server;

/// How often it is looked whether the stream of notifications is there.
const LOOK: Duration = Duration::from_secs(30);
/// How often it is tried to make it where the broker is reached and will not have it.
const AGAIN: Duration = Duration::from_secs(3);
/// For how long games wait without any worker before that is told: workers greet every few seconds.
const ALONE: Duration = Duration::from_secs(5);

/// What was seen, and told.
#[derive(Debug)]
pub(crate) struct Watching {
    /// Whether the broker is reached and has the stream.
    connected: bool,
    seen_at: Instant,
    /// When it was last tried to make the stream, and what came of it.
    tried: Option<(Instant, String)>,
    /// Since when games wait and no worker is heard; whether that was told.
    alone: Option<(Instant, bool)>,
    /// Whether it was told that the stream cannot be looked at, and still cannot.
    unseen: Arc<AtomicBool>,
}

impl Watching {
    pub(crate) fn new(connected: bool) -> Self {
        Self { connected, seen_at: Instant::now(), tried: None, alone: None, unseen: Arc::default() }
    }

    /// Whether it is time to try again to make the stream.
    fn is_due(&self) -> bool {
        self.tried.as_ref().is_none_or(|(at, _)| at.elapsed() >= AGAIN)
    }

    /// It was tried and refused. Whether the reason is news.
    fn refused(&mut self, error: &ClusterError) -> bool {
        let why = error.to_string();
        let is_news = self.tried.as_ref().is_none_or(|(_, before)| *before != why);
        self.tried = Some((Instant::now(), why));
        is_news
    }

    /// Whether it is to be told now that nobody plays what waits.
    fn is_left_alone(&mut self, alone: bool, patience: Duration) -> bool {
        if !alone {
            self.alone = None;
            return false;
        }
        let (since, told) = self.alone.get_or_insert((Instant::now(), false));
        let is_due = since.elapsed() >= patience && !*told;
        *told |= is_due;
        is_due
    }
}

impl Server {
    /// Sees whether the broker is reached. It may have come back with nothing, and be of use only once it has the stream.
    pub(crate) async fn look_for_broker(&mut self) {
        let connected = is_connected(&self.client);
        if !connected {
            self.watching.tried = None;
            if std::mem::take(&mut self.watching.connected) {
                self.core.broker_lost();
                self.trust.broker_lost();
                self.liveness.lost();
                tracing::warn!("the broker is away: workers finish their games and deliver them later");
            }
        } else if !self.watching.connected && self.watching.is_due() {
            match ensure_stream(&self.client, self.subjects(), &self.config.rules).await {
                Ok(()) => {
                    (self.watching.connected, self.watching.tried) = (true, None);
                    self.core.broker_back(self.now(), RECONNECTING);
                    self.trust.broker_back(self.now(), RECONNECTING);
                    tracing::info!("the broker is back");
                }
                Err(error) => {
                    if self.watching.refused(&error) {
                        tracing::warn!(%error, "the broker is there and not ready; it is tried again");
                    }
                }
            }
        }
    }

    /// Makes the stream again if somebody has deleted it. The notifications that were in it are sent again after a lease.
    pub(crate) fn keep_stream(&mut self) {
        if !self.watching.connected || self.watching.seen_at.elapsed() < LOOK {
            return;
        }
        self.watching.seen_at = Instant::now();
        let (client, subjects, rules) = (self.client.clone(), self.subjects(), self.config.rules.clone());
        let unseen = Arc::clone(&self.watching.unseen);
        tokio::spawn(async move {
            let seen = ensure_stream(&client, subjects, &rules).await;
            let was_unseen = unseen.swap(seen.is_err(), Ordering::Relaxed);
            match seen {
                Err(error) if !was_unseen => {
                    tracing::warn!(%error, "the stream of notifications cannot be looked at; it is tried again");
                }
                Ok(()) if was_unseen => tracing::info!("the stream of notifications is there again"),
                _ => {}
            }
        });
    }

    /// Tells if games wait and there is nobody to play them.
    pub(crate) fn look_for_workers(&mut self) {
        let waits = self.core.loads().values().any(|load| load.waiting + load.notified > 0);
        let alone = self.watching.connected && waits && self.core.workers().is_empty();
        if self.watching.is_left_alone(alone, ALONE) {
            let others: Vec<String> = self.others().filter_map(|other| other.idle).take(1).collect();
            match others.first() {
                None => tracing::warn!(
                    "no worker was heard of: rookery worker --dispatch {}",
                    self.config.access.address.shown()
                ),
                Some(why) => tracing::warn!("no worker can play: one was heard of, and {why}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_broker_refuses_is_told_when_the_reason_changes_and_tried_again_after_a_while() {
        let mut watching = Watching::new(false);
        let error = |why: &str| ClusterError::Broker(why.to_owned());
        assert!(watching.is_due());
        assert!(watching.refused(&error("JetStream is off")));
        assert!(!watching.is_due(), "not at once");
        assert!(!watching.refused(&error("JetStream is off")));
        assert!(watching.refused(&error("no room")));
    }

    #[test]
    fn that_nobody_plays_is_told_once_and_again_only_after_somebody_was_there() {
        let mut watching = Watching::new(true);
        assert!(!watching.is_left_alone(true, Duration::from_mins(1)), "not at once");
        assert!(watching.is_left_alone(true, Duration::ZERO));
        assert!(!watching.is_left_alone(true, Duration::ZERO));
        assert!(!watching.is_left_alone(false, Duration::ZERO));
        assert!(watching.is_left_alone(true, Duration::ZERO));
    }
}
