//! What is counted of the machines, for whoever watches over them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rookery_arena::Figure;

use crate::JobId;
use crate::broker::is_connected;
use crate::core::{Load, Name, State};
use crate::server::Server;

/// How often it is counted.
const PACE: Duration = Duration::from_secs(1);

/// The last count, and when it was made.
pub(crate) type Shared = Arc<Mutex<(Option<Instant>, Vec<Figure>)>>;

/// The last count.
pub(crate) fn read(shared: &Shared) -> Vec<Figure> {
    shared.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
}

impl Server {
    /// A game of a worker is stored.
    pub(crate) fn count(&mut self, worker: Name) {
        self.stored += 1;
        self.counts.entry(worker).or_default().games += 1;
        self.forget_old_seconds();
        self.rate[(self.rate_second % 60) as usize] += 1;
    }

    /// What is longer ago than a minute does not count for the rate, whether games come or not.
    pub(crate) fn forget_old_seconds(&mut self) {
        let second = self.begun.elapsed().as_secs();
        for old in self.rate_second + 1..=second.min(self.rate_second + 60) {
            self.rate[(old % 60) as usize] = 0;
        }
        self.rate_second = second;
    }

    /// Notes since when a game waits.
    pub(crate) fn note_waiting(&mut self, key: JobId, state: &State) {
        if *state == State::Queued {
            self.waiting.entry(key).or_insert_with(Instant::now);
        } else {
            self.waiting.remove(&key);
        }
    }

    /// Counts everything, once a second.
    pub(crate) fn count_all(&self) {
        let mut shared = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.0.is_none_or(|at| at.elapsed() >= PACE) {
            *shared = (Some(Instant::now()), self.all_counted());
        }
    }

    fn all_counted(&self) -> Vec<Figure> {
        let mut all = Load::default();
        for load in self.core.loads().values() {
            all.waiting += load.waiting;
            all.notified += load.notified;
            all.leased += load.leased;
            all.done += load.done;
            all.parked += load.parked;
        }
        let slots: u64 = self.core.workers().values().map(|seen| u64::from(seen.slots)).sum();
        let spooled: u64 = self.abouts.values().map(|about| about.spooled).sum();
        let oldest = self.waiting.values().min().map_or(0, |since| since.elapsed().as_secs());
        let trust = self.trust.status();
        let gauge = |name, help, value| Figure { name, help, grows: false, value };
        let grows = |name, help, value| Figure { name, help, grows: true, value };
        vec![
            gauge(
                "rookery_cluster_broker_connected",
                "Whether the broker is reached: 1 or 0.",
                u64::from(is_connected(&self.client)),
            ),
            gauge("rookery_cluster_workers", "Workers that were heard of.", self.core.workers().len() as u64),
            gauge("rookery_cluster_slots", "Games that they can play at a time.", slots),
            gauge("rookery_cluster_jobs_queued", "Games that wait.", (all.waiting + all.notified) as u64),
            gauge("rookery_cluster_jobs_leased", "Games that are played.", all.leased as u64),
            gauge(
                "rookery_cluster_jobs_done",
                "Games of running tournaments that are stored.",
                all.done as u64,
            ),
            gauge("rookery_cluster_jobs_parked", "Games that failed too often.", all.parked as u64),
            gauge("rookery_cluster_oldest_queued_seconds", "For how long the first of them waits.", oldest),
            gauge("rookery_cluster_spooled", "Finished games that workers have not delivered yet.", spooled),
            grows("rookery_cluster_games_stored_total", "Games that were stored.", self.stored),
            grows("rookery_cluster_leases_lost_total", "Leases that ended without a word.", self.expired),
            grows("rookery_cluster_records_refused_total", "Records that were refused.", self.refused),
            grows(
                "rookery_cluster_replays_equal_total",
                "Games played again that are the same.",
                trust.equal,
            ),
            grows(
                "rookery_cluster_replays_differing_total",
                "Games played again that are not.",
                trust.differing,
            ),
            gauge(
                "rookery_cluster_workers_flagged",
                "Workers whose games end otherwise than those of others.",
                trust.flags.len() as u64,
            ),
        ]
    }
}
