//! The suite on files of SQLite.

use rookery_store::{GameFilter, Store, restore};
use rookery_testkit::TempFolder;

use crate::common::{options, put_all};
use crate::suite;

#[test]
fn the_suite_holds_on_sqlite() {
    for (name, case) in suite::CASES {
        eprintln!("case: {name}");
        let folder = TempFolder::new("store");
        let store = Store::open(folder.join("games.db").to_str().unwrap(), &options()).unwrap();
        case(&store);
        suite::expect_good(&store);
        drop(store);
        assert_eq!(folder.names(), ["games.db"], "{name}: one file is left when a store is closed");
    }
}

/// What a store that is open has in its log is part of it.
#[test]
fn a_store_that_is_in_use_is_restored_whole() {
    let folder = TempFolder::new("in-use");
    let (from, to) = (folder.join("from.db"), folder.join("to.db"));
    let store = Store::open(from.to_str().unwrap(), &options()).unwrap();
    put_all(&store, 0..5);
    assert!(std::fs::metadata(folder.join("from.db-wal")).unwrap().len() > 0);
    restore(to.to_str().unwrap(), &from).unwrap();
    let restored = Store::open(to.to_str().unwrap(), &options()).unwrap();
    assert_eq!(restored.n_games(&GameFilter::default()).unwrap(), 5);
    drop(store);
}
