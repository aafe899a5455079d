//! Tournaments over a broker that loses, doubles, delays, reorders and replays messages, with coordinators and workers that end,
//! freeze and come back: the real protocol of both sides, on a clock that jumps. Whatever happens, the set of results is exact.

#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod faults;
mod law;
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

/// All faults of one kind, hard, and no other; what must have come about, or nothing was tested.
fn only(faults: Faults, happened: &[&str]) -> Told {
    let mut told = Told::default();
    for seed in 0..200 {
        let world = World::new(seed, faults);
        told.add(&world.run().unwrap_or_else(|problem| panic!("seed {seed}: {problem}")));
    }
    told.expect(happened);
    told
}

#[test]
fn fault_q01_messages_that_come_five_times_give_one_result() {
    only(Faults { doubled: 80, ..Faults::NONE }, &["stored"]);
}

#[test]
fn fault_q02_games_of_workers_that_end_or_freeze_are_played_by_others() {
    only(Faults { workers: 100, ..Faults::NONE }, &["expired", "stale", "stored"]);
}

#[test]
fn fault_q03_games_that_hang_are_noticed_though_their_worker_lives() {
    only(Faults { stuck: 30, ..Faults::NONE }, &["expired", "stored"]);
}

#[test]
fn fault_q03_a_worker_that_says_for_ever_that_its_games_go_on_loses_them() {
    only(Faults { endless: true, coordinators: 20, ..Faults::NONE }, &["endless", "stopped", "stored"]);
}

#[test]
fn fault_q04_late_answers_have_no_meaning_for_what_is_right() {
    only(Faults { late: 60, ..Faults::NONE }, &["stored"]);
}

#[test]
fn fault_q05_a_broker_that_swallows_what_it_had_before_swallows_no_second_try() {
    only(Faults { workers: 60, lost: 30, coordinators: 30, ..Faults::NONE }, &["expired", "notified again"]);
}

#[test]
fn fault_q06_what_is_finished_while_the_broker_is_away_is_delivered_later() {
    only(Faults { broker: 100, workers: 80, ..Faults::NONE }, &["broker lost", "spooled", "stored"]);
}

#[test]
fn fault_q07_a_broker_that_loses_whole_streams_loses_no_game() {
    only(Faults { stream: 40, lost: 30, ..Faults::NONE }, &["stream lost", "notified again", "stored"]);
}

#[test]
fn fault_q09_and_q10_coordinators_that_take_over_lose_nothing_and_those_they_replace_store_nothing() {
    only(Faults { coordinators: 100, ..Faults::NONE }, &["taken over", "zombie", "stored"]);
}

#[test]
fn fault_q11_a_game_that_ends_every_worker_is_parked_and_the_others_are_played() {
    only(Faults { poison: true, ..Faults::NONE }, &["parked", "stored"]);
}

#[test]
fn fault_q12_what_liars_send_is_refused_and_played_again() {
    only(Faults { liars: true, ..Faults::NONE }, &["wrong", "stored"]);
}

#[test]
fn fault_q13_there_are_never_more_notifications_out_than_agreed() {
    // `World::step` looks after each step.
    only(Faults { lost: 50, workers: 60, stream: 40, ..Faults::NONE }, &["notified again", "stored"]);
}

#[test]
fn fault_q14_old_messages_that_come_again_change_nothing() {
    only(Faults { replayed: 60, ..Faults::NONE }, &["again", "stored"]);
}

#[test]
fn fault_q15_clocks_that_differ_between_machines_matter_to_nobody() {
    only(Faults { skewed: true, workers: 10, late: 20, ..Faults::NONE }, &["stored"]);
}

#[test]
fn one_of_two_workers_of_one_name_plays_and_the_other_one_wrecks_nothing() {
    let told = only(Faults { twins: true, ..Faults::NONE }, &["name refused", "stored"]);
    told.expect_never(&["released", "stale", "dropped", "expired", "stopped"]);
}

#[test]
fn fault_q02_a_name_is_free_again_when_its_worker_has_begun_anew_or_is_gone() {
    only(
        Faults { twins: true, workers: 100, ..Faults::NONE },
        &["name refused", "name given again", "stored"],
    );
}
