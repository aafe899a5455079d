//! Games of players whose strength is known.
#![allow(dead_code, reason = "each test file uses a part")]

use rand_core::Rng as _;
use rookery_ratings::bradley_terry::Score;
use rookery_ratings::elo::score_of_elo;
use rookery_rules::Rng;

/// A number from 0 and below 1.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// How a game ends for a side that is `elo` ahead: with `draws` times the largest share of draws that leaves the mean
/// score what it is.
pub(crate) fn play(rng: &mut Rng, elo: f64, draws: f64) -> Score {
    let (win, draw, _) = chances(elo, draws);
    match uniform(rng) {
        x if x < win => Score::Win,
        x if x < win + draw => Score::Draw,
        _ => Score::Loss,
    }
}

/// The chances of win, draw and loss in such a game.
pub(crate) fn chances(elo: f64, draws: f64) -> (f64, f64, f64) {
    let score = score_of_elo(elo);
    let draw = draws * 2.0 * score.min(1.0 - score);
    (score - draw / 2.0, draw, 1.0 - score - draw / 2.0)
}

/// What a game is worth to the first side.
pub(crate) fn half_points(score: Score) -> usize {
    match score {
        Score::Win => 2,
        Score::Draw => 1,
        Score::Loss => 0,
    }
}

/// The root of a rising function between two ends.
pub(crate) fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The places of players by a random game in which each place goes to one of those left in proportion to `e^strength`.
pub(crate) fn placed(rng: &mut Rng, strengths: &[f64]) -> Vec<usize> {
    // Who arrives first, each at a random time with a rate that is its strength.
    let times: Vec<f64> =
        strengths.iter().map(|strength| -libm::log(1.0 - uniform(rng)) * libm::exp(-strength)).collect();
    times.iter().map(|time| 1 + times.iter().filter(|other| *other < time).count()).collect()
}
