//! Players of known strength are found within the stated error, about as often as it states.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{chances, placed, play, uniform};
use rookery_ratings::bradley_terry::{Game, Options, Results};
use rookery_ratings::{Errors, Ratings, Z95, plackett_luce, tables};
use rookery_rules::{Rng, Seed};

const PLAYERS: usize = 6;
const DRAWS: f64 = 0.4;

/// How often the truth lies within the error, over all differences and all runs.
#[derive(Default)]
struct Coverage {
    within: [u32; 2],
    to_mean: u32,
    differences: u32,
    ratings: u32,
}

impl Coverage {
    fn add(&mut self, ratings: &Ratings, truth: &[f64]) {
        let mean = |elo: &[f64]| elo.iter().sum::<f64>() / elo.len() as f64;
        let (found_mean, true_mean) = (mean(ratings.elo()), mean(truth));
        for one in 0..truth.len() {
            let off = (ratings.elo()[one] - found_mean) - (truth[one] - true_mean);
            self.ratings += 1;
            self.to_mean += u32::from(off.abs() <= ratings.error_to_mean(one, Errors::Blocks).unwrap());
            for other in 0..one {
                let off = (ratings.elo()[one] - ratings.elo()[other]) - (truth[one] - truth[other]);
                self.differences += 1;
                for (within, errors) in self.within.iter_mut().zip([Errors::Blocks, Errors::Information]) {
                    *within += u32::from(off.abs() <= Z95 * ratings.se_diff(one, other, errors).unwrap());
                }
            }
        }
    }

    /// Of differences by blocks, of ratings by blocks, and of differences by information.
    fn shares(&self) -> [f64; 3] {
        let share = |within, of| f64::from(within) / f64::from(of);
        [
            share(self.within[0], self.differences),
            share(self.to_mean, self.ratings),
            share(self.within[1], self.differences),
        ]
    }
}

/// Everybody plays so many pairs with everybody; the advantage of the first seat is that of the pair's start.
fn round_robin(rng: &mut Rng, truth: &[f64], pairs: usize, mut seat: impl FnMut(&mut Rng) -> f64) -> Results {
    let mut results = Results::new(truth.len());
    for one in 0..truth.len() {
        for other in 0..one {
            for _ in 0..pairs {
                let seat = seat(rng);
                let mut game = |first: usize, second: usize| {
                    let score = play(rng, truth[first] - truth[second] + seat, DRAWS);
                    Game { first, second, score }
                };
                results.add_block(&[game(one, other), game(other, one)]).unwrap();
            }
        }
    }
    results
}

fn truth() -> Vec<f64> {
    (0..PLAYERS).map(|player| player as f64 * 60.0 - 150.0).collect()
}

#[test]
fn with_the_advantage_of_the_first_seat_fitted() {
    let mut coverage = Coverage::default();
    let options = Options { prior: 0.0, seat_advantage: true, ..Options::default() };
    let mut seats = 0.0;
    for run in 0..300 {
        let mut rng = Seed(21).derive(run).rng();
        let ratings = round_robin(&mut rng, &truth(), 20, |_| 200.0).fit(&options).unwrap();
        seats += ratings.seat_advantage().unwrap() / 300.0;
        coverage.add(&ratings, &truth());
    }
    let [differences, to_mean, _] = coverage.shares();
    assert!((0.93..0.97).contains(&differences), "{differences}");
    assert!((0.93..0.97).contains(&to_mean), "{to_mean}");
    assert!((seats - 200.0).abs() < 5.0, "{seats}");
}

/// The ratings that follow from what is scored on average, where starts favour one seat or the other by chance: a fit
/// without the advantage of a seat cannot be nearer to the truth than these.
fn in_the_long_run(truth: &[f64], starts: &[f64]) -> Vec<f64> {
    let mut results = Results::new(truth.len());
    for one in 0..truth.len() {
        for other in 0..truth.len() {
            for seat in starts {
                if one != other {
                    let (win, draw, loss) = chances(truth[one] - truth[other] + seat, DRAWS);
                    let counts = [win, draw, loss].map(|chance| (chance * 1e7) as u64);
                    results.add_counts(one, other, counts).unwrap();
                }
            }
        }
    }
    results.fit(&Options { prior: 0.0, ..Options::default() }).unwrap().elo().to_vec()
}

#[test]
fn by_pairs_where_starts_favour_a_seat() {
    let starts = [-100.0, 100.0, 300.0, 500.0];
    let truth = in_the_long_run(&truth(), &starts);
    let mut coverage = Coverage::default();
    for run in 0..300 {
        let mut rng = Seed(22).derive(run).rng();
        let start = |rng: &mut Rng| starts[(uniform(rng) * 4.0) as usize];
        let strengths = self::truth();
        let ratings = round_robin(&mut rng, &strengths, 20, start).fit(&Options::default()).unwrap();
        coverage.add(&ratings, &truth);
    }
    let [differences, to_mean, information] = coverage.shares();
    assert!((0.93..0.97).contains(&differences), "{differences}");
    assert!((0.93..0.97).contains(&to_mean), "{to_mean}");
    assert!(information > 0.975, "as if games were independent the bars are too wide: {information}");
}

#[test]
fn at_tables_of_four() {
    let strengths = [0.0, 0.3, -0.4, 0.8, -0.7];
    let truth = strengths.map(|strength| strength * 400.0 / std::f64::consts::LN_10);
    let mut coverage = Coverage::default();
    for run in 0..300 {
        let mut rng = Seed(23).derive(run).rng();
        let mut results = plackett_luce::Results::new(strengths.len());
        for game in 0..200 {
            // Everybody but one.
            let players: Vec<usize> = (0..strengths.len()).filter(|player| player % 5 != game % 5).collect();
            let seated: Vec<f64> = players.iter().map(|&player| strengths[player]).collect();
            let places = placed(&mut rng, &seated);
            results.add_block(&[plackett_luce::Game::new(&players, &places).unwrap()]).unwrap();
        }
        coverage.add(&results.fit(0.0).unwrap(), &truth);
    }
    let [differences, to_mean, information] = coverage.shares();
    for share in [differences, to_mean, information] {
        assert!((0.93..0.97).contains(&share), "{share}");
    }
}

/// What tables of four show as they do in a tournament: Plackett and Luce's ratings with errors by blocks. A block goes round
/// the table in both directions from one start, which favours the seats as it likes.
fn by_blocks(rng: &mut Rng, strengths: &[f64], n_blocks: usize) -> Ratings {
    let mut placements = plackett_luce::Results::new(strengths.len());
    let mut pairs = tables::Results::new(strengths.len());
    for block in 0..n_blocks {
        // Everybody but one.
        let players: Vec<usize> =
            (0..strengths.len()).filter(|player| *player != block % strengths.len()).collect();
        let first_seat = uniform(rng) * 3.0 - 1.0;
        let mut games = vec![];
        for game in 0..2 * players.len() {
            let seat = |at: usize| {
                let turned = (at + game) % players.len();
                if game < players.len() { turned } else { players.len() - 1 - turned }
            };
            let favoured =
                |(at, &player): (usize, &usize)| strengths[player] + first_seat / (1.0 + seat(at) as f64);
            games.push(placed(rng, &players.iter().enumerate().map(favoured).collect::<Vec<_>>()));
        }
        pairs.add_block(&players, &games).unwrap();
        let games: Vec<plackett_luce::Game> =
            games.iter().map(|places| plackett_luce::Game::new(&players, places).unwrap()).collect();
        placements.add_block(&games).unwrap();
    }
    placements.fit(1.0).unwrap().with_block_errors(&pairs.fit(1.0).unwrap()).unwrap()
}

#[test]
fn at_tables_of_four_by_blocks_where_starts_favour_a_seat() {
    let strengths = [0.0, 0.3, -0.4, 0.8, -0.7];
    // A model without seats cannot be nearer to the truth than what it finds in the long run.
    let truth = by_blocks(&mut Seed(24).rng(), &strengths, 5000);
    let mut coverage = Coverage::default();
    for run in 0..300 {
        let mut rng = Seed(25).derive(run).rng();
        coverage.add(&by_blocks(&mut rng, &strengths, 60), truth.elo());
    }
    let [differences, to_mean, _] = coverage.shares();
    assert!((0.93..0.97).contains(&differences), "{differences}");
    assert!((0.93..0.97).contains(&to_mean), "{to_mean}");
}
