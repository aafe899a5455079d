//! Tests end with the wrong answer as seldom as they promise.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{chances, half_points, placed, play, root};
use rookery_ratings::blocks::block_half_points;
use rookery_ratings::elo::score_of_elo;
use rookery_ratings::sprt::{Decision, Model, Run, Sprt};
use rookery_rules::{Rng, Seed};

const RUNS: u64 = 1000;

/// The share of tests of [0, 50] that accept H1.
fn accepted(games: usize, mut play: impl FnMut(&mut Rng) -> usize) -> f64 {
    let test = Sprt::new(Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap();
    let mut accepted = 0;
    for number in 0..RUNS {
        let mut rng = Seed(11).derive(number).rng();
        let mut run = Run::new(test, games).unwrap();
        for block in 0..100_000 {
            run.take(block, Some(play(&mut rng))).unwrap();
            if run.decision().is_some() {
                break;
            }
        }
        accepted += u64::from(run.decision().expect("it ends") == Decision::H1);
    }
    accepted as f64 / RUNS as f64
}

/// A rate of 5 % may be seen as so much in so many runs, within three standard deviations.
fn most() -> f64 {
    0.05 + 3.0 * (0.05 * 0.95 / RUNS as f64).sqrt()
}

#[test]
fn pairs_hold_their_rates_with_an_advantage_of_the_first_seat() {
    const SEAT: f64 = 200.0;
    let mean = |elo: f64| f64::midpoint(score_of_elo(elo + SEAT), score_of_elo(elo - SEAT));
    let rate = |target: f64| {
        // So far ahead a side scores in pairs what the hypothesis says.
        let elo = root(-200.0, 400.0, |elo| mean(elo) - score_of_elo(target));
        let game = |rng: &mut Rng, elo: f64| half_points(play(rng, elo, 0.4));
        accepted(2, |rng| game(rng, elo + SEAT) + game(rng, elo - SEAT))
    };
    let (wrong, right) = (rate(0.0), rate(50.0));
    assert!(wrong <= most(), "{wrong} at 0");
    assert!(1.0 - right <= most(), "{right} at 50");
}

#[test]
fn blocks_of_four_seats_in_both_directions_hold_their_rates() {
    const N: usize = 4;
    // What sitting one seat earlier is worth.
    const SEAT: f64 = 0.4;
    // The seat of each player: round the table, and round it the other way.
    let seatings: Vec<Vec<usize>> = (0..2 * N)
        .map(|game| {
            let seat =
                |player: usize| if game < N { (player + game) % N } else { (2 * N + game - player) % N };
            (0..N).map(seat).collect()
        })
        .collect();
    let strength = |seats: &[usize], player: usize, ahead: f64| {
        let own = if player == 0 { ahead } else { 0.0 };
        own - SEAT * seats[player] as f64
    };
    let mean = |ahead: f64| {
        let lead = |seats: &Vec<usize>| strength(seats, 0, ahead) - strength(seats, 1, ahead);
        let score = |lead: f64| 1.0 / (1.0 + libm::exp(-lead));
        seatings.iter().map(|seats| score(lead(seats))).sum::<f64>() / seatings.len() as f64
    };
    assert!((mean(0.0) - 0.5).abs() < 1e-15, "both directions favour nobody");
    let rate = |target: f64| {
        let ahead = root(-1.0, 3.0, |ahead| mean(ahead) - score_of_elo(target));
        accepted(2 * N, |rng| {
            let game = |seats: &Vec<usize>| {
                let strengths: Vec<f64> = (0..N).map(|player| strength(seats, player, ahead)).collect();
                placed(rng, &strengths)
            };
            let games: Vec<Vec<usize>> = seatings.iter().map(game).collect();
            block_half_points(&games, 0, 1).unwrap()
        })
    };
    let (wrong, right) = (rate(0.0), rate(50.0));
    assert!(wrong <= most(), "{wrong} at 0");
    assert!(1.0 - right <= most(), "{right} at 50");
}

#[test]
fn a_normalized_test_holds_its_rates_whatever_the_draws() {
    let test = Sprt::new(Model::Normalized, 0.0, 60.0, 0.05, 0.05).unwrap();
    for draws in [0.0, 0.8] {
        // Normalised Elo is the mean in standard deviations: so far ahead it is what the hypothesis says.
        let normalized = |elo: f64| {
            let (win, draw, _) = chances(elo, draws);
            let mean = win + draw / 2.0;
            (mean - 0.5) / (win + draw / 4.0 - mean * mean).sqrt() * 800.0 / std::f64::consts::LN_10
        };
        for (target, wrong) in [(0.0, Decision::H1), (60.0, Decision::H0)] {
            let elo = root(-50.0, 300.0, |elo| normalized(elo) - target);
            let mut errors = 0;
            for number in 0..RUNS {
                let mut rng = Seed(12).derive(number).rng();
                let mut run = Run::new(test, 1).unwrap();
                let mut block = 0;
                while run.decision().is_none() {
                    run.take(block, Some(half_points(play(&mut rng, elo, draws)))).unwrap();
                    block += 1;
                }
                errors += u64::from(run.decision() == Some(wrong));
            }
            let rate = errors as f64 / RUNS as f64;
            assert!(rate <= most(), "{wrong} {rate} at {target} with draws {draws}");
        }
    }
}
