//! Other machines that seem to play, so that the page of machines has something to show.

use rookery_server::{Answering, Machines, MachinesData, ParkedData, QueueData, WorkerData};

/// They are always as they are.
#[derive(Debug)]
pub(crate) struct SeemingMachines;

impl Machines for SeemingMachines {
    fn overview(&self) -> Answering<'_, MachinesData> {
        Box::pin(async { Ok(seeming()) })
    }

    fn retry(&self, _: Vec<String>, _: String) -> Answering<'_, u64> {
        Box::pin(async { Ok(1) })
    }
}

fn worker(name: &str, games: u64) -> WorkerData {
    WorkerData {
        name: name.to_owned(),
        slots: 4,
        playing: 4,
        games,
        speed: Some(940),
        beside_median: Some(1.02),
        ..WorkerData::default()
    }
}

fn seeming() -> MachinesData {
    let slow = WorkerData {
        playing: 0,
        lost: 3,
        silent_ms: 42_000,
        steal: Some(0.07),
        idle: Some("it rests after losing a game".to_owned()),
        flags: vec!["crashes: 9, expected 1".to_owned()],
        ..worker("lab-3-with-a-very-long-name-of-a-machine", 310)
    };
    let parked = |job: &str| ParkedData {
        job: job.to_owned(),
        tournament: "0123456789ab".to_owned(),
        attempt: 4,
        last: Some("lab-3".to_owned()),
    };
    MachinesData {
        dispatched: true,
        up_seconds: 5400,
        stored: 12_840,
        games_a_second: 2.4,
        workers: vec![worker("lab-1", 6300), worker("lab-2", 6230), slow],
        queue: vec![QueueData {
            tournament: "0123456789ab".to_owned(),
            waiting: 318,
            playing: 8,
            done: 1204,
            parked: 2,
        }],
        parked: vec![parked("0123456789ab:17"), parked("0123456789ab:90")],
        ..MachinesData::default()
    }
}
