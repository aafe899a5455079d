//! The suite on files of SQLite.

use rookery_store::{GameFilter, Store, restore};
use rookery_testkit::TempFolder;

use crate::common::{options, put_all};
use crate::suite;

fn run(name: &str) {
    let (_, case) = suite::CASES.iter().find(|(case, _)| *case == name).expect("the case is in the list");
    let folder = TempFolder::new("store");
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &options()).unwrap();
    case(&store);
    drop(store);
    assert_eq!(folder.names(), ["games.db"], "one file is left when a store is closed");
}

#[test]
fn games_are_read_back_as_they_were_stored() {
    run("games are read back as they were stored");
}

#[test]
fn a_result_is_stored_once() {
    run("a result is stored once");
}

#[test]
fn what_is_refused_leaves_the_others_alone() {
    run("what is refused leaves the others alone");
}

#[test]
fn games_are_listed_by_filter_and_page() {
    run("games are listed by filter and page");
}

#[test]
fn names_are_the_same_in_either_case() {
    run("names are the same in either case");
}

#[test]
fn tournaments_keep_their_entrants_rounds_and_pairings() {
    run("tournaments keep their entrants, rounds and pairings");
}

#[test]
fn late_attempts_do_not_count() {
    run("late attempts do not count");
}

#[test]
fn games_that_come_together_are_judged_each_by_itself() {
    run("games that come together are judged each by itself");
}

#[test]
fn results_come_in_the_order_of_pairings() {
    run("results come in the order of pairings");
}

#[test]
fn who_failed_is_kept_with_the_offence() {
    run("who failed is kept with the offence");
}

#[test]
fn ratings_are_kept_to_the_last_bit() {
    run("ratings are kept to the last bit");
}

#[test]
fn accounts_hold_no_secrets() {
    run("accounts hold no secrets");
}

#[test]
fn versions_of_bots_are_kept_by_content() {
    run("versions of bots are kept by content");
}

#[test]
fn games_that_come_together_are_stored_as_if_alone() {
    run("games that come together are stored as if alone");
}

#[test]
fn bundles_belong_to_whoever_brought_them() {
    run("bundles belong to whoever brought them");
}

#[test]
fn imports_are_judged() {
    run("imports are judged");
}

#[test]
fn checks_find_nothing_in_a_good_store() {
    run("checks find nothing in a good store");
}

#[test]
fn inputs_are_bounded() {
    run("inputs are bounded");
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
