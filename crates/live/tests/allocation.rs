//! A prepared match of built-in players allocates nothing for its moves: one of twice the length costs the same.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;

use allocation_counter::measure;
use common::{ready, runtime, spec};
use rookery_referee::{End, MatchSpec};
use rookery_testkit::TempFolder;

/// The allocations of a match that is capped after so many moves.
fn allocations(game: &str, players: &[&str], plies: u64, record: Option<&Path>) -> u64 {
    let spec = MatchSpec { max_turns: Some(plies), ..spec(game, players) };
    let runtime = runtime();
    let mut played = None;
    let ready = ready(&spec, record);
    let info = measure(|| played = Some(runtime.block_on(ready.run())));
    let End::Verdict(verdict) = played.unwrap().end else { panic!("nobody stops it") };
    assert_eq!(verdict.plies, plies, "{game} takes so many moves");
    info.count_total
}

#[test]
fn moves_of_built_in_players_allocate_nothing() {
    for (game, players, plies) in [
        ("hexapawn:rows=8,cols=8", &["random", "first"][..], 10),
        ("fish:rows=8,cols=8,players=4", &["random", "first", "random", "first"], 12),
        ("renpaarden:width=9,height=9", &["random", "first"], 100),
        ("stones:rows=8,cols=8", &["random", "first"], 50),
    ] {
        for recorded in [false, true] {
            let temp = TempFolder::new("live");
            let count = |name: &str, plies| {
                let path = temp.join(name);
                allocations(game, players, plies, recorded.then_some(&*path))
            };
            // The first match of a thread sets things up.
            count("warm", plies);
            assert_eq!(count("short", plies), count("long", 2 * plies), "{game}, recorded: {recorded}");
        }
    }
}
