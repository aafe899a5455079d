//! The measurements work, and what must be in proportion is. `ROOKERY_BENCH_GAMES=1000000` makes the large file.

use std::time::Duration;

use rookery_store::{Durability, Options, bench};
use rookery_testkit::TempFolder;

use crate::common::options;

#[test]
fn figures_many_games_in_one_commit_are_faster_than_one_by_one() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let figures = bench::commits(file.to_str().unwrap(), "hexapawn", Duration::from_secs(1)).unwrap();
    println!("{figures:?}");
    assert!(figures.grouped > figures.bare, "{figures:?}");
}

#[cfg(all(feature = "cluster", target_os = "linux"))]
#[test]
fn figures_of_postgresql() {
    let Some(server) = rookery_testkit::postgres::Postgres::start() else { return };
    let figures = bench::commits(&server.database("bench"), "hexapawn", Duration::from_secs(1)).unwrap();
    println!("{figures:?}");
    assert!(figures.grouped > figures.bare, "{figures:?}");
}

/// A page takes as long in a large store as in a small one: far less than reading all of it.
#[test]
fn figures_of_pages_in_a_large_store() {
    let n_games = std::env::var("ROOKERY_BENCH_GAMES").map_or(20_000, |text| text.parse().expect("a number"));
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let location = file.to_str().unwrap();
    let quick = Options { durability: Durability::Unsafe, ..options() };
    let tournament = bench::fill(location, "hexapawn", n_games, &quick).unwrap();
    let figures = bench::pages(location, tournament).unwrap();
    let size = std::fs::metadata(&file).unwrap().len() >> 20;
    let checks = bench::checks(location, Duration::from_secs(5)).unwrap();
    println!("{figures:?}, {size} MiB, checks a second: {checks:?}");
    assert_eq!(figures.games, n_games);
    assert!(figures.list < figures.results && figures.entrant < figures.results, "{figures:?}");
}
