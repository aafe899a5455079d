//! What holds for any results: closed forms, balance, order, and that nothing breaks.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{chances, uniform};
use rand_core::Rng as _;
use rookery_ratings::blocks::{Measure, block_half_points};
use rookery_ratings::bradley_terry::{Draws, Game, Options, Results, Score};
use rookery_ratings::elo::{Sample, score_of_elo};
use rookery_ratings::sprt::{Model, Run, Sprt};
use rookery_ratings::weng_lin::{self, WengLin};
use rookery_ratings::{Errors, NoFit, Ratings, glicko2, plackett_luce};
use rookery_rules::{Rng, Seed, below};

/// Mostly nothing or little, sometimes as much as there is.
fn any_count(rng: &mut Rng) -> u64 {
    match below(rng, 80) {
        0..30 => 0,
        30..60 => u64::from(below(rng, 20)),
        60..78 => rng.next_u64() >> (36 + below(rng, 28)),
        78 => rng.next_u64() >> below(rng, 36),
        _ => u64::MAX,
    }
}

fn any_counts<const N: usize>(rng: &mut Rng) -> [u64; N] {
    std::array::from_fn(|_| any_count(rng))
}

fn shuffle<T>(rng: &mut Rng, list: &mut [T]) {
    for idx in (1..list.len()).rev() {
        list.swap(idx, below(rng, idx as u32 + 1) as usize);
    }
}

#[test]
fn two_players_have_the_difference_of_their_score() {
    for counts in [[12, 6, 2], [1, 0, 1], [3, 100, 7], [9_000_000_000, 5, 1]] {
        let mut results = Results::new(2);
        results.add_counts(0, 1, counts).unwrap();
        let ratings = results.fit(&Options { prior: 0.0, ..Options::default() }).unwrap();
        let [wins, draws, losses] = counts.map(|count| count as f64);
        let elo = 400.0 * libm::log10((wins + draws / 2.0) / (losses + draws / 2.0));
        assert!((ratings.elo()[0] - ratings.elo()[1] - elo).abs() < 1e-6, "{counts:?}: {elo}");
    }
}

#[test]
fn one_virtual_game_keeps_sweeps_finite() {
    for (wins, elo) in [(1, 131.0), (50, 415.0)] {
        let mut results = Results::new(2);
        results.add_counts(0, 1, [wins, 0, 0]).unwrap();
        let ratings = results.fit(&Options::default()).unwrap();
        assert!((ratings.elo()[0] - elo).abs() < 0.5 && (ratings.elo()[0] + ratings.elo()[1]).abs() < 1e-9);
        assert!(matches!(
            results.fit(&Options { prior: 0.0, ..Options::default() }),
            Err(NoFit::Parts(parts)) if parts.strong == [[0], [1]]
        ));
    }
}

#[test]
fn drawing_every_game_is_not_certainty() {
    let mut results = Results::new(2);
    results.add_counts(0, 1, [0, 50, 0]).unwrap();
    let ratings = results.fit(&Options::default()).unwrap();
    assert!(ratings.se_diff(0, 1, Errors::Blocks).is_some_and(|se| se > 1.0));
    // Without a prior nothing differs, which says nothing of who is stronger.
    let ratings = results.fit(&Options { prior: 0.0, ..Options::default() }).unwrap();
    assert_eq!(ratings.los(0, 1, Errors::Blocks), None);
    assert_eq!(ratings.los(0, 1, Errors::Information), Some(0.5));
    assert_eq!(ratings.los(1, 1, Errors::Information), None);
}

#[test]
fn draw_weights_of_equals() {
    // Few draws: the weight is near the end of what there can be, and a full step would go beyond it.
    for [decisive, draws] in [[500, 1], [1, 40], [7, 7]] {
        let mut results = Results::new(2);
        results.add_counts(0, 1, [decisive, draws, decisive]).unwrap();
        let share = draws as f64 / (2 * decisive + draws) as f64;
        for (model, weight) in [
            (Draws::Davidson, 2.0 * share / (1.0 - share)),
            (Draws::RaoKupper, (1.0 + share) / (1.0 - share)),
        ] {
            let options = Options { draws: model, prior: 0.0, seat_advantage: false };
            let found = results.fit(&options).unwrap().draw_weight().unwrap();
            assert!((found - weight).abs() < 1e-9 * weight, "{model:?} {share}: {found}, expected {weight}");
        }
    }
}

#[test]
fn groups_that_never_met_have_ratings_however_many_games_they_played() {
    let mut rng = Seed(39).rng();
    for _ in 0..50 {
        let mut results = Results::new(8);
        for group in [[0, 1, 2, 3], [4, 5, 6, 7]] {
            for (one, other) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)] {
                let counts = [0, 1, 2].map(|_| u64::from(below(&mut rng, 250_000_000)));
                results.add_counts(group[one], group[other], counts).unwrap();
            }
        }
        let ratings = results.fit(&Options::default()).unwrap();
        assert_eq!(ratings.parts().weak, [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert!(ratings.elo().iter().sum::<f64>().abs() < 10.0, "{:?}", ratings.elo());
    }
}

#[test]
fn games_of_two_are_the_same_in_both_models() {
    let mut rng = Seed(31).rng();
    let mut pairs = Results::new(5);
    let mut tables = plackett_luce::Results::new(5);
    for _ in 0..60 {
        let first = below(&mut rng, 5) as usize;
        let second = (first + 1 + below(&mut rng, 4) as usize) % 5;
        pairs.add_block(&[Game { first, second, score: Score::Win }]).unwrap();
        tables.add_block(&[plackett_luce::Game::new(&[first, second], &[1, 2]).unwrap()]).unwrap();
    }
    for prior in [0.0, 1.0] {
        let one = pairs.fit(&Options { prior, ..Options::default() }).unwrap();
        let other = tables.fit(prior).unwrap();
        for player in 0..5 {
            assert!((one.elo()[player] - other.elo()[player]).abs() < 1e-8);
            for errors in [Errors::Blocks, Errors::Information] {
                let error = |ratings: &Ratings| ratings.error_to_mean(player, errors).unwrap();
                assert!((error(&one) - error(&other)).abs() < 1e-8);
            }
        }
    }
}

/// Everybody scores what the ratings expect of it: what makes a fit with half draws the likeliest.
#[test]
fn everybody_scores_what_is_expected() {
    for run in 0..200 {
        let mut rng = Seed(32).derive(run).rng();
        let n = 1 + below(&mut rng, 9) as usize;
        let mut results = Results::new(n);
        let (mut scored, mut games) = (vec![0.5; n], vec![]);
        for one in 0..n {
            for other in 0..one {
                let counts = [0, 1, 2].map(|_| u64::from(below(&mut rng, 6)));
                results.add_counts(one, other, counts).unwrap();
                let [wins, draws, losses] = counts.map(|count| count as f64);
                scored[one] += wins + draws / 2.0;
                scored[other] += losses + draws / 2.0;
                games.push((one, other, wins + draws + losses));
            }
        }
        let ratings = results.fit(&Options::default()).unwrap();
        let elo = ratings.elo();
        let mut expected: Vec<f64> = elo.iter().map(|&elo| score_of_elo(elo)).collect();
        for (one, other, n) in games {
            expected[one] += n * score_of_elo(elo[one] - elo[other]);
            expected[other] += n * score_of_elo(elo[other] - elo[one]);
        }
        for (scored, expected) in scored.iter().zip(expected) {
            assert!((scored - expected).abs() < 1e-8, "run {run}: {scored}, expected {expected}");
        }
    }
}

/// Two hundred players and a hundred thousand games in pairs, always the same.
fn large() -> Vec<[Game; 2]> {
    let mut rng = Seed(33).rng();
    let strength = |player: usize| (player as f64 - 100.0) * 4.0;
    let pair = |rng: &mut Rng| {
        let one = below(rng, 200) as usize;
        let other = (one + 1 + below(rng, 199) as usize) % 200;
        let mut game = |first, second| {
            let score = common::play(rng, strength(first) - strength(second) + 50.0, 0.3);
            Game { first, second, score }
        };
        [game(one, other), game(other, one)]
    };
    (0..50_000).map(|_| pair(&mut rng)).collect()
}

fn fit(blocks: &[[Game; 2]]) -> Ratings {
    let mut results = Results::new(200);
    for block in blocks {
        results.add_block(block).unwrap();
    }
    results.fit(&Options { seat_advantage: true, ..Options::default() }).unwrap()
}

#[test]
fn the_order_of_games_changes_no_bit() {
    let mut blocks = large();
    let ratings = fit(&blocks);
    let mut rng = Seed(34).rng();
    shuffle(&mut rng, &mut blocks);
    for block in &mut blocks {
        shuffle(&mut rng, block);
    }
    assert_eq!(fit(&blocks), ratings);
    assert!((ratings.seat_advantage().unwrap() - 50.0).abs() < 10.0);
    assert!(ratings.los(199, 0, Errors::Blocks).unwrap() > 0.999);
}

#[test]
fn the_order_of_games_at_tables_changes_no_bit() {
    let mut rng = Seed(35).rng();
    let mut blocks: Vec<Vec<(Vec<usize>, Vec<usize>)>> = vec![];
    for _ in 0..100 {
        let game = |rng: &mut Rng| {
            let mut players: Vec<usize> = (0..10).collect();
            shuffle(rng, &mut players);
            players.truncate(2 + below(rng, 7) as usize);
            let places = players.iter().map(|_| 1 + below(rng, 5) as usize).collect();
            (players, places)
        };
        let n_games = 1 + below(&mut rng, 3);
        blocks.push((0..n_games).map(|_| game(&mut rng)).collect());
    }
    let fit = |blocks: &[Vec<(Vec<usize>, Vec<usize>)>]| {
        let mut results = plackett_luce::Results::new(10);
        for block in blocks {
            let games =
                block.iter().map(|(players, places)| plackett_luce::Game::new(players, places).unwrap());
            results.add_block(&games.collect::<Vec<_>>()).unwrap();
        }
        results.fit(1.0).unwrap()
    };
    let ratings = fit(&blocks);
    shuffle(&mut rng, &mut blocks);
    for block in &mut blocks {
        shuffle(&mut rng, block);
        for (players, places) in block {
            players.reverse();
            places.reverse();
        }
    }
    assert_eq!(fit(&blocks), ratings);
}

/// On every system: who recomputes ratings elsewhere has to come to the same. A change of these numbers is a change of
/// every stored rating.
#[test]
fn the_same_bits_everywhere() {
    let mut results = Results::new(3);
    results.add_counts(0, 1, [7, 2, 1]).unwrap();
    results.add_counts(1, 2, [3, 4, 3]).unwrap();
    let ratings = results.fit(&Options::default()).unwrap();
    let sample = Sample::of_counts(&[10, 60, 114, 59, 7]).unwrap();
    let test = Sprt::new(Model::Normalized, 0.0, 10.0, 0.05, 0.05).unwrap();
    let found = [
        ratings.elo()[0],
        ratings.error_to_mean(2, Errors::Blocks).unwrap(),
        sample.los().unwrap(),
        test.llr(&[10, 60, 114, 59, 7]).unwrap(),
    ];
    let bits = found.map(f64::to_bits);
    assert_eq!(
        bits,
        [
            4_639_358_778_392_980_583,
            4_638_792_180_034_533_428,
            4_599_152_857_484_858_284,
            13_826_380_451_999_743_478
        ],
        "{found:?}"
    );
}

#[test]
fn no_counts_break_a_sample_or_a_test() {
    for run in 0..3000 {
        let mut rng = Seed(36).derive(run).rng();
        let counts: [u64; 5] = any_counts(&mut rng);
        if let Ok(sample) = Sample::of_counts(&counts) {
            let (low, high) = sample.wilson();
            assert!(
                0.0 <= low && low <= sample.score() && sample.score() <= high && high <= 1.0,
                "{counts:?}"
            );
            let some = [sample.elo_error(), sample.normalized_elo_error(), sample.los()];
            assert!(some.iter().flatten().all(|number| number.is_finite() && *number >= 0.0), "{counts:?}");
        } else {
            assert_eq!(counts, [0; 5]);
        }
        let elo0 = uniform(&mut rng) * 600.0 - 300.0;
        let elo1 = elo0 + 0.1 + uniform(&mut rng) * 300.0;
        for model in [Model::Logistic, Model::Normalized] {
            let llr = Sprt::new(model, elo0, elo1, 0.05, 0.05).unwrap().llr(&counts).unwrap();
            assert!(llr.is_finite(), "{model} [{elo0}, {elo1}] of {counts:?}");
            let swept =
                Sprt::new(model, elo0, elo1, 0.05, 0.05).unwrap().llr(&[0, 0, u64::MAX >> (run % 64)]);
            assert!(swept.is_ok_and(f64::is_finite), "{model} [{elo0}, {elo1}]: {swept:?}");
            // Seen from the other side it is the other way round.
            if counts.iter().all(|&count| count < 1_000_000) {
                let mut mirrored = counts;
                mirrored.reverse();
                let other = Sprt::new(model, -elo1, -elo0, 0.05, 0.05).unwrap().llr(&mirrored).unwrap();
                assert!(
                    (llr + other).abs() < 1e-6 * llr.abs().max(1.0),
                    "{model} of {counts:?}: {llr}, {other}"
                );
            }
        }
    }
}

#[test]
fn no_results_break_a_fit() {
    let mut fitted = 0;
    for run in 0..600 {
        let mut rng = Seed(37).derive(run).rng();
        let n = below(&mut rng, 6) as usize;
        let mut results = Results::new(n);
        for one in 0..n {
            for other in 0..n {
                if one != other && below(&mut rng, 2) == 0 {
                    results.add_counts(one, other, any_counts(&mut rng)).unwrap();
                }
            }
        }
        for draws in [Draws::Half, Draws::Davidson, Draws::RaoKupper] {
            for (prior, seat_advantage) in [(0.0, false), (1.0, false), (1.0, true), (0.0, true)] {
                let fit = results.fit(&Options { draws, prior, seat_advantage });
                if let Ok(ratings) = fit {
                    fitted += 1;
                    assert!(
                        ratings.elo().iter().all(|elo| elo.is_finite()),
                        "run {run}: {:?}",
                        ratings.elo()
                    );
                    assert_eq!(ratings.se_diff(0, n, Errors::Blocks), None);
                    let errors = (0..n).filter_map(|player| ratings.error_to_mean(player, Errors::Blocks));
                    assert!(errors.into_iter().all(f64::is_finite), "run {run}");
                } else {
                    let usual = draws == Draws::Half && prior > 0.0 && !seat_advantage;
                    let too_many = matches!(fit, Err(NoFit::Games(_)));
                    assert!(too_many || !usual, "run {run}: with a prior everything has a fit: {fit:?}");
                }
            }
        }
    }
    assert!(fitted > 2000, "{fitted}");
}

#[test]
fn fits_say_why_there_are_none() {
    let mut results = Results::new(2);
    // The first seat won every game.
    for (first, second) in [(0, 1), (1, 0)] {
        results.add_counts(first, second, [5, 0, 0]).unwrap();
    }
    let seat = Options { seat_advantage: true, ..Options::default() };
    assert_eq!(results.fit(&seat), Err(NoFit::Undetermined));
    assert!(NoFit::Undetermined.to_string().contains("fit without it"));
    for prior in [-1.0, 1e-9, f64::NAN, f64::INFINITY] {
        assert!(matches!(results.fit(&Options { prior, ..Options::default() }), Err(NoFit::Prior(_))));
    }
    assert_eq!(Results::new(5000).fit(&Options::default()), Err(NoFit::Players(5000)));
    // Wins and draws but no loss: with a third kind of result there is no difference too large.
    let mut results = Results::new(2);
    results.add_counts(0, 1, [5, 5, 0]).unwrap();
    for draws in [Draws::Davidson, Draws::RaoKupper] {
        let options = Options { draws, prior: 0.0, seat_advantage: false };
        assert_eq!(results.fit(&options), Err(NoFit::Undetermined));
    }
    let apart = Results::new(2).fit(&Options { prior: 0.0, ..Options::default() }).unwrap_err();
    assert!(apart.to_string().contains("2 groups of players that never met"), "{apart}");
}

#[test]
fn without_draws_all_models_agree() {
    let mut results = Results::new(3);
    for (one, other) in [(0, 1), (1, 2), (2, 0)] {
        results.add_counts(one, other, [5, 0, 2]).unwrap();
    }
    let fit = |draws| results.fit(&Options { draws, ..Options::default() }).unwrap();
    let half = fit(Draws::Half);
    for (draws, weight) in [(Draws::Davidson, 0.0), (Draws::RaoKupper, 1.0)] {
        let ratings = fit(draws);
        assert_eq!(ratings.elo(), half.elo());
        assert_eq!(ratings.draw_weight(), Some(weight));
    }
    assert_eq!(half.draw_weight(), None);
}

#[test]
fn an_anchor_moves_everybody_and_no_difference() {
    let mut results = Results::new(3);
    results.add_counts(0, 1, [5, 1, 2]).unwrap();
    results.add_counts(1, 2, [3, 1, 2]).unwrap();
    let ratings = results.fit(&Options::default()).unwrap();
    let anchored = ratings.clone().anchored(1, 2000.0).unwrap();
    assert!((anchored.elo()[1] - 2000.0).abs() < 1e-9);
    for player in 0..3 {
        let difference = |ratings: &Ratings| ratings.elo()[player] - ratings.elo()[1];
        assert!((difference(&anchored) - difference(&ratings)).abs() < 1e-9);
    }
    assert_eq!(ratings.anchored(3, 0.0), None);
}

#[test]
fn no_game_breaks_ratings_that_change() {
    let mut rng = Seed(38).rng();
    let number = |rng: &mut Rng| (uniform(rng) - 0.5) * libm::exp(uniform(rng) * 20.0);
    for _ in 0..2000 {
        let n = below(&mut rng, 9) as usize;
        let places: Vec<usize> = (0..n).map(|_| below(&mut rng, 4) as usize).collect();
        for system in [WengLin::BRADLEY_TERRY_FULL, WengLin::PLACKETT_LUCE] {
            let any = |_| weng_lin::Rating { mu: number(&mut rng), sigma: number(&mut rng).abs() + 1e-6 };
            let mut ratings: Vec<weng_lin::Rating> = (0..n).map(any).collect();
            system.rate(&mut ratings, &places).unwrap();
            assert!(ratings.iter().all(|rating| rating.mu.is_finite() && rating.sigma > 0.0), "{ratings:?}");
        }
        let opponent = glicko2::Rating {
            rating: 1500.0 + number(&mut rng) / 1e4,
            deviation: 1.0 + uniform(&mut rng) * 400.0,
            volatility: 0.06,
        };
        let games = vec![glicko2::Game { opponent, score: 1.0 }; n];
        let after = glicko2::Rating::default().after(&games, glicko2::TAU);
        assert!(after.rating >= 1500.0 && after.deviation > 0.0 && after.volatility > 0.0, "{after:?}");
        // Measures take any places.
        for player in 0..10 {
            let score = Measure::First.score(&places, player);
            assert_eq!(score.is_some(), player < n);
        }
        let half_points = block_half_points(&[&places], 0, 1);
        assert_eq!(half_points.is_some(), n > 1);
        let (win, draw, loss) = chances(number(&mut rng), 0.5);
        assert!((win + draw + loss - 1.0).abs() < 1e-12);
    }
    assert!(Run::new(Sprt::new(Model::Logistic, 0.0, 1.0, 0.1, 0.1).unwrap(), usize::MAX).is_err());
}
