//! A database whose clock is far from ours: leases are measured by it and by nobody else's.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use rookery_arena::Tournament;
use rookery_store::{JobState, Options, Store};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;

use crate::{Machine, TERMS, expected, hashes, hold, remote, spec, stop_never, wait_for};

/// How far ahead the clock of the database is, in milliseconds.
const AHEAD: u64 = 3_600_000;

#[test]
fn fault_q15_leases_are_measured_by_the_clock_of_the_database() {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let folder = TempFolder::new("cluster-skew");
    let url = postgres.database("skewed");
    postgres.query(
        "skewed",
        "create schema skew; \
         create function skew.clock_timestamp() returns timestamptz language sql volatile \
         as $$ select pg_catalog.clock_timestamp() + interval '1 hour' $$; \
         alter database skewed set search_path = skew, pg_catalog, public",
    );
    let store = Store::open(&url, &Options::default()).unwrap();
    let ours = || u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let ahead = store.clock_ms().unwrap().abs_diff(ours());
    assert!(ahead.abs_diff(AHEAD) < 60_000, "the clock of the database is ahead by {ahead} ms");
    let coordinator = remote(&broker, &store);
    let worker = Machine::start(&broker, &folder, "ann");
    let tournament = Tournament::create(&store, spec(60)).unwrap();
    let id = tournament.id();
    thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&coordinator), &stop_never()));
        let mut until = None;
        wait_for("a lease", || {
            let jobs = store.jobs_of(id).unwrap();
            let lease = jobs.into_iter().find(|job| job.state == JobState::Leased);
            until = lease.and_then(|job| job.until_ms);
            until.is_some()
        });
        let left = until.unwrap().abs_diff(ours() + AHEAD);
        assert!(left < TERMS.lease + 60_000, "a lease ends by the database's clock: {left} ms from now");
        assert_eq!(holding.join().unwrap(), Ok(true));
    });
    assert_eq!(hashes(&store, id), expected(&folder, 60));
    worker.drain();
}
