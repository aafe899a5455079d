//! A match of built-in players does not allocate for its moves: one of twice the length costs the same.

mod common;

use allocation_counter::measure;
use common::{Agreed, Table, play, timed, untimed};
use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_referee::{Player, Strategist};
use rookery_rules::Position;
use rookery_search::{First, Random};

/// The allocations of a match that is capped after so many moves.
fn allocations<S: Table>(options: &str, plies: u64, terms: &Agreed) -> u64 {
    let referee = S::table(options).referee().with_max_plies(plies);
    let mut players: Vec<Box<dyn Player<S::Position>>> = vec![Box::new(Strategist::inline(Random))];
    while players.len() < referee.position().n_seats() {
        players.push(Box::new(Strategist::inline(First)));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime needs little");
    let mut verdict = None;
    let info = measure(|| verdict = Some(runtime.block_on(play(referee, &mut players, terms, &mut ()))));
    assert_eq!(verdict.map(|verdict| verdict.plies), Some(plies), "{options} takes so many moves");
    info.count_total
}

fn check<S: Table>(options: &str, plies: u64) {
    for terms in [untimed(3), timed("60s+1s")] {
        // The first match of a thread sets things up.
        allocations::<S>(options, plies, &terms);
        let short = allocations::<S>(options, plies, &terms);
        let long = allocations::<S>(options, 2 * plies, &terms);
        assert_eq!(short, long, "{options}, {}: {plies} moves and twice as many", terms.time);
    }
}

#[test]
fn moves_of_built_in_players_allocate_nothing() {
    check::<hexapawn::Setup>("rows=8,cols=8", 10);
    check::<fish::Setup>("rows=8,cols=8,players=4", 12);
    check::<renpaarden::Setup>("width=9,height=9", 100);
    check::<stones::Setup>("rows=8,cols=8", 50);
}
