//! What the operator's page is told of workers: by the coordinator in this process, or by another one through the broker.

use std::sync::Arc;

use rookery_cluster::broker::Access;
use rookery_cluster::status::{self, Status};
use rookery_cluster::{ClusterError, JobId, Remote};
use rookery_rules::text::clean;
use rookery_server::{Answering, Machines, MachinesData, NoAnswer, ParkedData, QueueData, WorkerData};

/// This server is the coordinator.
#[derive(Debug)]
pub(super) struct Own(pub(super) Arc<Remote>);

/// Another one is.
#[derive(Debug)]
pub(super) struct Asked(pub(super) Access);

impl Machines for Own {
    fn overview(&self) -> Answering<'_, MachinesData> {
        Box::pin(async { self.0.status().await.map(|status| data(&status)).map_err(|error| away(&error)) })
    }

    fn retry(&self, jobs: Vec<String>, actor: String) -> Answering<'_, u64> {
        Box::pin(async move { self.0.retry(read(&jobs)?, actor).await.map_err(|error| away(&error)) })
    }
}

impl Machines for Asked {
    fn overview(&self) -> Answering<'_, MachinesData> {
        Box::pin(async {
            status::status(&self.0).await.map(|status| data(&status)).map_err(|error| away(&error))
        })
    }

    fn retry(&self, jobs: Vec<String>, actor: String) -> Answering<'_, u64> {
        Box::pin(
            async move { status::retry(&self.0, &read(&jobs)?, &actor).await.map_err(|error| away(&error)) },
        )
    }
}

fn read(jobs: &[String]) -> Result<Vec<JobId>, NoAnswer> {
    jobs.iter().map(|job| job.parse().map_err(NoAnswer::Wrong)).collect()
}

fn away(error: &ClusterError) -> NoAnswer {
    NoAnswer::Away(error.to_string())
}

fn data(status: &Status) -> MachinesData {
    let workers = status.workers.iter().map(|worker| WorkerData {
        name: clean(&worker.name),
        slots: u64::from(worker.slots),
        playing: u64::from(worker.playing),
        games: worker.games,
        lost: worker.lost,
        silent_ms: worker.silent_ms,
        speed: worker.speed.map(u64::from),
        beside_median: worker.beside_median,
        steal: worker.steal,
        idle: worker.idle.as_deref().map(clean),
        flags: {
            let own = status.trust.flags.iter().filter(|flag| flag.worker == worker.name);
            own.map(|flag| clean(&format!("{}: {}", flag.aspect, flag.what))).collect()
        },
    });
    let queue = status.tournaments.iter().map(|tournament| QueueData {
        tournament: tournament.id.clone(),
        waiting: tournament.queued as u64,
        playing: tournament.leased as u64,
        done: tournament.done as u64,
        parked: tournament.parked as u64,
    });
    let parked = status.parked.iter().map(|parked| ParkedData {
        job: parked.job.to_string(),
        tournament: parked.job.tournament.to_string(),
        attempt: u64::from(parked.attempt),
        last: parked.last.as_deref().map(clean),
    });
    MachinesData {
        dispatched: true,
        up_seconds: status.up_seconds,
        stored: status.stored,
        refused: status.refused,
        games_a_second: status.games_a_second,
        workers: workers.collect(),
        queue: queue.collect(),
        parked: parked.collect(),
        played_again: status.trust.words(),
    }
}
