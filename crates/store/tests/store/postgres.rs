//! The same suite on PostgreSQL, and what only a server can do.

use std::time::Duration;

use rookery_record::Key;
use rookery_store::{CheckOrder, NewGame, Options, Page, Store, StoreError, restore};
use rookery_testkit::TempFolder;
use rookery_testkit::postgres::Postgres;

use crate::common::{options, played, record, series};
use crate::{damage, suite};

#[test]
fn the_suite_holds_on_postgresql() {
    let Some(server) = Postgres::start() else { return };
    for (number, (name, case)) in suite::CASES.iter().enumerate() {
        let url = server.database(&format!("case{number}"));
        let store = Store::open(&url, &options()).unwrap_or_else(|error| panic!("{name}: {error}"));
        eprintln!("case: {name}");
        case(&store);
        suite::expect_good(&store);
    }
}

#[test]
fn fault_s10_postgresql_has_one_writer_and_the_second_is_told_who() {
    let Some(server) = Postgres::start() else { return };
    let url = server.database("one");
    let named = Options { holder: "the first server".to_owned(), ..options() };
    let first = Store::open(&url, &named).unwrap();
    let error = Store::open(&url, &options()).unwrap_err();
    assert_eq!(error.exit_code(), 75);
    assert!(error.to_string().contains("the first server writes there already"), "{error}");
    let stored = first.put_game(NewGame::free(record(1))).wait().unwrap();
    let reader = Store::open(&url, &Options::read_only()).unwrap();
    assert_eq!(reader.record(stored.id).unwrap(), record(1), "whoever only reads stands beside");
    assert!(matches!(reader.audit("a", "b", "c").unwrap_err(), StoreError::ReadOnly(_)));
    drop(first);
    Store::open(&url, &options()).unwrap();
}

/// A server that takes over ends its tasks, and one of them may be the last that holds the store.
#[test]
fn a_store_that_a_task_holds_last_is_closed() {
    let Some(server) = Postgres::start() else { return };
    let url = server.database("task");
    let store = Store::open(&url, &options()).unwrap();
    let stored = store.put_game(NewGame::free(record(1))).wait().unwrap();
    assert_eq!(store.record(stored.id).unwrap(), record(1), "with a connection for reading, too");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let closed = runtime.spawn(async move { drop(store) });
    runtime.block_on(closed).unwrap();
    Store::open(&url, &options()).expect("nobody writes there any more");
}

#[test]
fn fault_s08_a_server_that_was_away_loses_no_result() {
    let Some(mut server) = Postgres::start() else { return };
    let url = server.database("away");
    let options = Options { patience: Duration::from_millis(100), ..options() };
    let store = Store::open(&url, &options).unwrap();
    let (id, pairings) = series(&store, 40);
    let put = |pairing: &rookery_tournament::Pairing| {
        store.put_game(NewGame::of_pairing(id, Key::first(pairing.id), played(pairing)))
    };
    let before: Vec<_> = pairings[..20].iter().map(put).collect();
    server.crash();
    let during: Vec<_> = pairings[20..].iter().map(put).collect();
    let refused = loop {
        // What is no result is not kept for ever.
        if let Err(error) = store.audit("a", "b", "c") {
            break error;
        }
    };
    assert_eq!(refused.exit_code(), 74, "{refused}");
    assert!(store.health().waiting >= 20 && store.health().trouble.is_some());
    assert!(store.expect_room().is_err(), "no new game begins");
    server.resume();
    for receipt in before.into_iter().chain(during) {
        receipt.wait().unwrap();
    }
    assert_eq!(store.results(id).unwrap().map(Result::unwrap).count(), 40);
    assert!(store.check(&CheckOrder::default()).unwrap().is_good());
    assert!(store.health().trouble.is_none());
}

/// Whoever was cut off and comes back after another has taken over must not write.
#[test]
fn fault_s10_an_old_writer_is_refused_after_another_took_over() {
    let Some(mut server) = Postgres::start() else { return };
    let url = server.database("over");
    let old = Store::open(&url, &options()).unwrap();
    old.put_game(NewGame::free(record(1))).wait().unwrap();
    server.crash();
    let late = old.put_game(NewGame::free(record(2)));
    // The new one is quicker: it tries until the server is back.
    server.resume();
    let new = loop {
        match Store::open(&url, &options()) {
            Ok(store) => break store,
            // The old one was quicker this time: then it still is the writer.
            Err(StoreError::Locked { .. }) => {
                late.wait().unwrap();
                return;
            }
            Err(StoreError::Io { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    };
    let error = late.wait().unwrap_err();
    assert!(matches!(error, StoreError::TakenOver(_)), "{error}");
    new.put_game(NewGame::free(record(3))).wait().unwrap();
    assert_eq!(new.games(&rookery_store::GameFilter::default(), Page::default()).unwrap().len(), 2);
}

#[test]
fn fault_s18_a_backup_moves_between_the_engines() {
    let Some(server) = Postgres::start() else { return };
    let folder = TempFolder::new("store");
    let url = server.database("from");
    let from = Store::open(&url, &options()).unwrap();
    let (id, pairings) = series(&from, 30);
    for pairing in &pairings {
        drop(from.put_game(NewGame::of_pairing(id, Key::first(pairing.id), played(pairing))));
    }
    from.claim_name("Zoe", Some("hash")).unwrap();
    let file = folder.join("backup.db");
    let report = from.backup(&file).unwrap();
    assert_eq!((report.games, report.is_good()), (30, true));
    assert_eq!(folder.names(), ["backup.db"]);

    let other = server.database("other");
    restore(&other, &file).unwrap();
    restore(&other, &file).expect_err("it is not empty any more");
    let there = Store::open(&other, &options()).unwrap();
    let here = folder.join("here.db");
    restore(here.to_str().unwrap(), &file).unwrap();
    let here = Store::open(here.to_str().unwrap(), &options()).unwrap();
    let all = |store: &Store| -> Vec<_> { store.results(id).unwrap().map(Result::unwrap).collect() };
    assert_eq!(all(&from), all(&there));
    assert_eq!(all(&from), all(&here));
    for store in [&there, &here] {
        assert!(store.check(&CheckOrder { judge: true, ..CheckOrder::default() }).unwrap().is_good());
        assert!(store.person("zoe").unwrap().is_some());
        store.put_game(NewGame::free(record(9))).wait().unwrap();
    }
}

#[test]
fn fault_s09_damage_on_postgresql_is_found_by_our_own_hashes() {
    let Some(server) = Postgres::start() else { return };
    let url = server.database("damage");
    let store = Store::open(&url, &options()).unwrap();
    for seed in 0..5 {
        store.put_game(NewGame::free(record(seed))).wait().unwrap();
    }
    drop(store);
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client
        .execute("update records set bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1) where seq = 3", &[])
        .unwrap();
    let error = Store::open(&url, &options()).unwrap_err();
    assert_eq!(error.exit_code(), 65);
    assert!(error.to_string().contains("(number 3)"), "{error}");
    client
        .execute("update records set bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1) where seq = 3", &[])
        .unwrap();
    Store::open(&url, &options()).unwrap();
    client.execute("update rookery_schema set version = version + 1", &[]).unwrap();
    assert!(matches!(Store::open(&url, &options()).unwrap_err(), StoreError::Newer { .. }));
}

#[test]
fn fault_s09_damage_of_any_table_on_postgresql_is_found_by_its_seals() {
    let Some(server) = Postgres::start() else { return };
    let url = server.database("seals");
    damage::fill(&Store::open(&url, &options()).unwrap());
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    for (table, column) in [
        ("tournaments", "spec"),
        ("pairings", "reason"),
        ("rounds", "note"),
        ("ratings", "method"),
        ("bundles", "problem"),
        ("people", "password_hash"),
        ("jobs", "worker"),
    ] {
        let mut change = |value: &str| {
            let sql = format!("update {table} set {column} = {value} where {column} is not null");
            assert!(client.execute(&sql, &[]).unwrap() > 0, "{table} has a row");
        };
        change(&format!("{column} || 'x'"));
        let error = Store::open(&url, &options()).expect_err(table);
        assert_eq!(error.exit_code(), 65, "{table}: {error}");
        assert!(error.to_string().contains(&format!("{table}, ")), "{error}");
        change(&format!("left({column}, -1)"));
    }
    Store::open(&url, &options()).unwrap();
}

#[test]
fn a_database_that_cannot_be_reached_is_told_without_the_password() {
    let error = Store::open("postgres://ann:hunter2@127.0.0.1:1/x", &options()).unwrap_err();
    assert_eq!(error.exit_code(), 74, "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
}
