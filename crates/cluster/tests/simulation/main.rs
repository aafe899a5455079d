//! Tournaments over a broker that loses, doubles, delays, reorders and replays messages, with coordinators and workers that end,
//! freeze and come back: the real protocol of both sides, on a clock that jumps. Whatever happens, the set of results is exact.

#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod faults;
mod machines;
mod world;

use faults::{Faults, Told};
use world::World;

/// How many tournaments.
const TOURNAMENTS: u64 = 10_000;

#[test]
fn ten_thousand_tournaments_end_with_exactly_their_games() {
    let only = std::env::var("ROOKERY_SIM_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = only.map_or(0..TOURNAMENTS, |seed: u64| seed..seed + 1);
    let mut told = Told::default();
    for seed in seeds {
        let world = World::new(seed, Faults::random(seed));
        match world.run() {
            Ok(of_this) => told.add(&of_this),
            Err(problem) => panic!(
                "{problem}\nagain: ROOKERY_SIM_SEED={seed} cargo nextest run -p rookery-cluster ten_thousand"
            ),
        }
    }
    if only.is_none() {
        // What never happened would not have been tested.
        told.expect_everything();
    }
}

/// All faults of one kind, hard, and no other.
fn only(faults: Faults) {
    for seed in 0..200 {
        let world = World::new(seed, faults);
        world.run().unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
    }
}

#[test]
fn fault_q01_messages_that_come_five_times_give_one_result() {
    only(Faults { doubled: 80, ..Faults::NONE });
}

#[test]
fn fault_q04_and_late_answers_have_no_meaning_for_what_is_right() {
    only(Faults { late: 60, ..Faults::NONE });
}

#[test]
fn fault_q07_a_broker_that_loses_whole_streams_loses_no_game() {
    only(Faults { stream: 40, lost: 30, ..Faults::NONE });
}

#[test]
fn fault_q14_old_messages_that_come_again_change_nothing() {
    only(Faults { replayed: 60, ..Faults::NONE });
}

#[test]
fn fault_q15_clocks_that_differ_between_machines_matter_to_nobody() {
    only(Faults { skewed: true, workers: 10, late: 20, ..Faults::NONE });
}
