//! A backup with games that are not played yet, brought back into an empty database: a new coordinator goes on from there.

use std::thread;

use rookery_arena::Tournament;
use rookery_store::{JobState, Options, Store};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;

use crate::{Machine, expected, hashes, hold, remote, spec, stop_never, wait_for};

/// How the database is brought to another place.
enum Way {
    /// `rookery db backup` and `restore`.
    Ours,
    /// `pg_dump` and `psql`.
    Dump,
}

fn goes_on(way: &Way) {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let folder = TempFolder::new("cluster-restore");
    let first = Store::open(&postgres.database("first"), &Options::default()).unwrap();
    let coordinator = remote(&broker, &first);
    let worker = Machine::start(&broker, &folder, "ann");
    let tournament = Tournament::create(&first, spec(300)).unwrap();
    let id = tournament.id();
    let stopping = stop_never();
    let second = thread::scope(|scope| {
        // Before the first game: it takes a while, and the games do not wait.
        let url = postgres.database("second");
        let holding = scope.spawn(|| hold(&tournament, Some(&coordinator), &stopping));
        wait_for("the first games", || hashes(&first, id).len() > 20);
        // While everything runs: some games are stored, some are played, some wait.
        match way {
            Way::Ours => {
                let file = folder.join("backup.db");
                first.backup(&file).unwrap();
                rookery_store::restore(&url, &file).unwrap();
            }
            Way::Dump => postgres.copy("first", "second"),
        }
        // Then the first database is gone for ever, with all that was stored there since.
        stopping.request(rookery_live::Signal::Terminate);
        let _ = holding.join().unwrap();
        url
    });
    drop(coordinator);
    let later = hashes(&first, id).len();
    drop((tournament, first));
    let second = Store::open(&second, &Options::default()).unwrap();
    let kept = hashes(&second, id).len();
    assert!(
        (20..300).contains(&kept) && kept <= later,
        "{kept} games are in the backup, {later} were stored"
    );
    let jobs = second.jobs_of(id).unwrap();
    assert!(jobs.iter().any(|job| job.state != JobState::Done), "and some that are not played yet");
    let next = remote(&broker, &second);
    let again = Tournament::open(&second, id).unwrap();
    assert_eq!(hold(&again, Some(&next), &stop_never()), Ok(true));
    assert_eq!(hashes(&second, id), expected(&folder, 300));
    worker.drain();
}

#[test]
fn a_backup_with_unfinished_games_is_brought_back_and_played_to_its_end() {
    goes_on(&Way::Ours);
}

#[test]
fn a_dump_of_the_database_with_unfinished_games_is_brought_back_and_played_to_its_end() {
    goes_on(&Way::Dump);
}
