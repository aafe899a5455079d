//! Two versions at once: of the rules, and of the protocol. Each worker takes only the work of its own version, and nothing is lost.

use std::collections::BTreeSet;
use std::thread;

use rookery_arena::Tournament;
use rookery_cluster::status::status;
use rookery_cluster::worker::Worked;
use rookery_cluster::{PROTOCOL, RULES, Remote, RemoteConfig};
use rookery_live::Signal;
use rookery_record::{Header, Key, Lines};
use rookery_store::{JobRow, JobState, Store, TournamentId};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_tournament::TournamentSpec;

use crate::proof::access;
use crate::{Machine, TERMS, expected, hashes, hold, hold_and, open, spec, stop_never};

/// What a part of the cluster was built as.
#[derive(Clone, Copy)]
struct Version {
    protocol: u32,
    rules: &'static str,
}

impl Version {
    fn coordinator(self, broker: &Nats, store: &Store) -> Remote {
        let usual = RemoteConfig::new(access(broker), store.clone());
        let (protocol, rules) = (self.protocol, self.rules.to_owned());
        Remote::start(RemoteConfig { terms: TERMS, protocol, rules, ..usual }).unwrap()
    }

    fn worker(self, broker: &Nats, folder: &TempFolder, name: &str) -> Machine {
        Machine::with(broker, folder, name, |config| {
            (config.protocol, config.rules) = (self.protocol, self.rules.to_owned());
        })
    }
}

/// The pairings of jobs that this worker has, or has played.
fn of_worker(store: &Store, id: TournamentId, name: &str, which: impl Fn(&JobRow) -> bool) -> BTreeSet<u64> {
    let jobs = store.jobs_of(id).unwrap();
    let its = jobs.iter().filter(|job| job.worker.as_deref() == Some(name) && which(job));
    its.map(|job| job.pairing).collect()
}

/// What came of a tournament whose coordinator was replaced by one of another version on the way.
struct Upgraded {
    /// Which games the old worker had played, and which it had begun, when the old coordinator ended.
    done: BTreeSet<u64>,
    begun: BTreeSet<u64>,
    /// Which games are of the old worker in the end.
    of_old: BTreeSet<u64>,
    old: Worked,
    new: Worked,
}

/// `end` ends the old worker.
fn upgrade(name: &str, from: Version, to: Version, end: fn(Machine) -> Worked) -> Option<Upgraded> {
    const GAMES: u64 = 300;
    let broker = Nats::start()?;
    let folder = TempFolder::new(name);
    let store = open(&folder, "many.db");
    let (old, new) = (from.worker(&broker, &folder, "old"), to.worker(&broker, &folder, "new"));
    let tournament = Tournament::create(&store, spec(GAMES)).unwrap();
    let id = tournament.id();
    let before = from.coordinator(&broker, &store);
    let (stopping, mut n) = (stop_never(), 0);
    let held = hold_and(&tournament, Some(&before), &stopping, || {
        n += 1;
        if n == 10 {
            stopping.request(Signal::Terminate);
        }
    });
    assert_eq!(held, Ok(false), "it is stopped on the way");
    drop(before);
    let is_done = |job: &JobRow| job.state == JobState::Done;
    assert_eq!(of_worker(&store, id, "new", |_| true), BTreeSet::new(), "the other version is given nothing");
    let (done, begun) = (of_worker(&store, id, "old", is_done), of_worker(&store, id, "old", |_| true));
    let after = to.coordinator(&broker, &store);
    let again = Tournament::open(&store, id).unwrap();
    assert_eq!(hold(&again, Some(&after), &stop_never()), Ok(true));
    assert_eq!(hashes(&store, id), expected(&folder, GAMES), "nothing is lost, and nothing is stored twice");
    let of_old = of_worker(&store, id, "old", is_done);
    let of_new = of_worker(&store, id, "new", is_done);
    assert_eq!((of_old.len() + of_new.len()) as u64, GAMES);
    Some(Upgraded { done, begun, of_old, old: end(old), new: new.drain() })
}

#[test]
fn an_upgrade_goes_on_with_the_games_of_the_version_before_while_workers_of_both_run() {
    let version = |rules| Version { protocol: PROTOCOL, rules };
    let Some(all) = upgrade("cluster-upgrade", version("0.0.1"), version("0.0.2"), Machine::drain) else {
        return;
    };
    let Upgraded { done, begun, of_old, old, new } = all;
    assert!(done.len() >= 10 && new.stored > 0, "{old:?} {new:?}");
    // What it had begun is delivered to the new coordinator, or played again if that took too long. What it was only notified of
    // by the old one is not for it any more.
    assert!(done.is_subset(&of_old) && of_old.is_subset(&begun), "{done:?} {begun:?} {of_old:?}");
    assert_eq!(old.stored, of_old.len() as u64, "{old:?}");
    assert_eq!(old.stored + new.stored, 300, "{old:?} {new:?}");
}

#[test]
fn an_upgrade_of_the_protocol_plays_on_with_workers_of_the_new_one_alone() {
    let version = |protocol| Version { protocol, rules: RULES };
    let Some(all) = upgrade("cluster-protocols", version(PROTOCOL), version(PROTOCOL + 1), Machine::end)
    else {
        return;
    };
    let Upgraded { done, of_old, old, new, .. } = all;
    assert_eq!(of_old, done, "what it delivers later is in a language that nobody here reads");
    assert_eq!(new.stored, 300 - done.len() as u64, "{old:?} {new:?}");
}

#[test]
fn what_only_this_protocol_has_in_its_records_never_comes_to_a_coordinator_of_the_one_before() {
    const GAMES: u64 = 6;
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-speeds");
    // Those of the first protocol say nothing of their speed, and refuse a record that does.
    let worker = |protocol: u32, speed: Option<u32>| {
        Machine::with(&broker, &folder, &format!("speaks-{protocol}"), |config| {
            (config.protocol, config.speed, config.clocks_when_busy) = (protocol, speed, true);
        })
    };
    let (old, new) = (worker(PROTOCOL - 1, None), worker(PROTOCOL, Some(900)));
    for (protocol, speed) in [(PROTOCOL - 1, None), (PROTOCOL, Some(900))] {
        let store = open(&folder, &format!("speaks-{protocol}.db"));
        let coordinator = Version { protocol, rules: RULES }.coordinator(&broker, &store);
        let timed = TournamentSpec { time: "30s".parse().unwrap(), ..spec(GAMES) };
        let tournament = Tournament::create(&store, timed).unwrap();
        assert_eq!(hold(&tournament, Some(&coordinator), &stop_never()), Ok(true));
        let id = tournament.id();
        let by_name = of_worker(&store, id, &format!("speaks-{protocol}"), |job| job.state == JobState::Done);
        assert_eq!(by_name.len() as u64, GAMES, "its own workers play all of it");
        assert_eq!(store.ended_attempts(id).unwrap(), [], "and nothing is refused");
        for pairing in by_name {
            let record = store.record_of(id, Key { pairing, attempt: 1 }).unwrap();
            let header = Header::parse(Lines::new(&record[..]).first_line().unwrap()).unwrap();
            assert_eq!(header.spec.speed, speed);
        }
    }
    assert_eq!([old.drain().stored, new.drain().stored], [GAMES; 2]);
}

#[test]
fn coordinators_and_workers_of_two_protocols_share_a_broker_and_mix_nothing() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-two-protocols");
    let sides = [PROTOCOL, PROTOCOL + 1].map(|protocol| {
        let version = Version { protocol, rules: RULES };
        let store = open(&folder, &format!("{protocol}.db"));
        let remote = version.coordinator(&broker, &store);
        // Of the same name: nothing but the version tells them apart. A spool is one worker's own.
        let spool = folder.join(format!("{protocol}.spool"));
        let worker = Machine::with(&broker, &folder, "ann", |config| {
            (config.protocol, config.spool) = (protocol, spool);
        });
        (store, remote, worker)
    });
    let expected = expected(&folder, 60);
    thread::scope(|scope| {
        let holding = sides.each_ref().map(|(store, remote, _)| {
            scope.spawn(|| {
                let tournament = Tournament::create(store, spec(60)).unwrap();
                assert_eq!(hold(&tournament, Some(remote), &stop_never()), Ok(true));
                assert_eq!(hashes(store, tournament.id()), expected);
                assert_eq!(
                    store.ended_attempts(tournament.id()).unwrap(),
                    [],
                    "no attempt is lost to the other side"
                );
            })
        });
        for holding in holding {
            holding.join().unwrap();
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let said = runtime.block_on(status(&access(&broker))).unwrap();
    assert_eq!((said.protocol, said.stored), (PROTOCOL, 60), "operators of this version ask its coordinator");
    for (_, _, worker) in sides {
        let worked = worker.drain();
        assert_eq!(worked, Worked { stored: 60, ..Worked::default() }, "its own games, and no others");
    }
}
