//! Numbers computed by independent tools: the files of `data/ratings`, every case with its tolerance.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;

use rookery_ratings::blocks::{Measure, block_half_points, bootstrap};
use rookery_ratings::bradley_terry::{self, Draws, Options};
use rookery_ratings::elo::{Sample, elo_over_equal_field};
use rookery_ratings::glicko2;
use rookery_ratings::plackett_luce;
use rookery_ratings::sprt::{Model, Run, Sprt};
use rookery_ratings::weng_lin::{self, WengLin};
use rookery_ratings::{Errors, NoFit, Ratings};
use rookery_rules::Seed;
use rookery_testkit::tell_skipped;
use serde_json::Value;

/// A file of cases; `None`, said loudly, where the folder is not there and nobody has said where it is.
fn file(name: &str) -> Option<Value> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let named = std::env::var_os("ROOKERY_DATA");
    let data = named.as_ref().map_or_else(|| PathBuf::from(root).join("../shared/data"), PathBuf::from);
    let path = data.join("ratings").join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(error) => {
            assert!(named.is_none(), "ROOKERY_DATA: {}: {error}", path.display());
            tell_skipped(&format!("no reference numbers at {} ({error}); set ROOKERY_DATA", path.display()));
            None
        }
    }
}

fn cases(file: &Value) -> &[Value] {
    let cases = file["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    cases
}

/// A number, also an unlimited one.
fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        _ => value.as_f64().unwrap(),
    }
}

fn integers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect()
}

fn digits(value: &Value) -> Vec<usize> {
    digits_of(value.as_str().unwrap())
}

fn digits_of(text: &str) -> Vec<usize> {
    text.bytes().map(|digit| usize::from(digit - b'0')).collect()
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64, what: impl Debug) {
    let same = found.is_infinite() && found.total_cmp(&expected).is_eq();
    assert!(same || (found - expected).abs() <= tolerance, "{what:?}: {found}, expected {expected}");
}

/// A number, or `null` where there is none.
#[track_caller]
fn close_or_none(found: Option<f64>, expected: &Value, tolerance: f64, what: impl Debug) {
    match found {
        None => assert!(expected.is_null(), "{what:?}: undefined, expected {expected}"),
        Some(found) => close(found, number(expected), tolerance, what),
    }
}

#[test]
fn reference_elo() {
    let Some(file) = file("elo.json") else { return };
    let within = |name: &str| file["tolerance"][name].as_f64().unwrap();
    for case in cases(&file) {
        let counts = match case["pentanomial"] {
            Value::Null => ["losses", "draws", "wins"].map(|kind| case[kind].as_u64().unwrap()).to_vec(),
            ref counts => integers(counts),
        };
        let (sample, expect) = (Sample::of_counts(&counts).unwrap(), &case["expect"]);
        for (name, found) in [
            ("score", Some(sample.score())),
            ("elo", Some(sample.elo())),
            ("elo_error", sample.elo_error()),
            ("nelo", sample.normalized_elo()),
            ("nelo_error", sample.normalized_elo_error()),
            ("los", sample.los()),
        ] {
            close_or_none(found, &expect[name], within(name), (&counts, name));
        }
        for (name, (low, high)) in [("wilson", sample.wilson()), ("wilson_elo", sample.wilson_elo())] {
            close(low, number(&expect[name][0]), within(name), (&counts, name));
            close(high, number(&expect[name][1]), within(name), (&counts, name));
        }
    }
}

fn sprt(case: &Value, model: Model) -> Sprt {
    Sprt::new(model, number(&case["elo0"]), number(&case["elo1"]), 0.05, 0.05).unwrap()
}

/// Ours is iterated to the end, so the narrow tolerance holds.
const LLR: f64 = 1e-6;

#[test]
fn reference_sprt() {
    let Some(file) = file("sprt.json") else { return };
    let mut sequences = 0;
    for case in cases(&file) {
        let test = sprt(case, case["model"].as_str().unwrap().parse().unwrap());
        let (lower, upper) = test.bounds();
        close(lower, number(&file["bounds"][0]), 1e-12, "the lower bound");
        close(upper, number(&file["bounds"][1]), 1e-12, "the upper bound");
        let expect = &case["expect"];
        if let Some(outcomes) = case["outcomes"].as_str() {
            sequences += 1;
            sprt_sequence(test, outcomes, case["kinds"].as_u64().unwrap() as usize, expect);
            continue;
        }
        let counts = integers(&case["counts"]);
        let llr = test.llr(&counts).unwrap();
        let expected = number(&expect["llr"]);
        close(llr, expected, LLR * expected.abs().max(1.0), case);
        assert_eq!(
            test.decision(llr).map(|decision| decision.to_string()).as_deref(),
            expect["decision"].as_str()
        );
    }
    assert!(sequences > 0, "there are sequences");
}

fn sprt_sequence(test: Sprt, outcomes: &str, kinds: usize, expect: &Value) {
    let mut run = Run::new(test, kinds / 2).unwrap();
    let mut after = expect["llr_after"].as_array().unwrap().iter().peekable();
    for (block, outcome) in (0..).zip(digits_of(outcomes)) {
        assert_eq!(run.decision(), None, "{outcomes} goes on after {block}");
        assert_eq!(run.take(block, Some(outcome)), Ok(true));
        if after.peek().is_some_and(|point| point[0] == block + 1) {
            close(run.llr(), number(&after.next().unwrap()[1]), LLR * 4.0, (outcomes, block));
        }
    }
    assert!(after.next().is_none(), "all points were compared");
    let crossing = &expect["first_crossing"];
    assert_eq!(run.blocks(), crossing["after"].as_u64().unwrap());
    assert_eq!(run.decision().unwrap().to_string(), crossing["decision"]);
    close(run.llr(), number(&crossing["llr"]), LLR * 4.0, outcomes);
    assert_eq!(run.trace().points().last(), Some((run.blocks(), run.llr())));
}

#[test]
fn reference_blocks() {
    let Some(file) = file("blocks.json") else { return };
    let within = |name: &str| file["tolerance"][name].as_f64().unwrap();
    for case in cases(&file) {
        let n = case["n"].as_u64().unwrap() as usize;
        let blocks: Vec<Vec<Vec<usize>>> = case["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block.as_str().unwrap().split('|').map(digits_of).collect())
            .collect();
        for (name, measure) in
            [("A_vs_B", Measure::Against(1)), ("A_vs_field", Measure::Field), ("A_first", Measure::First)]
        {
            let expect = &case["expect"][name];
            let means: Vec<f64> = blocks.iter().map(|block| measure.block_mean(block, 0).unwrap()).collect();
            if let Some(scores) = expect["block_scores"].as_array() {
                assert_eq!(scores.len(), means.len());
                for (mean, score) in means.iter().zip(scores) {
                    close(*mean, number(score), within("mean"), (n, name));
                }
            }
            let sample = Sample::of_means(&means, n).unwrap();
            close(sample.score(), number(&expect["mean"]), within("mean"), (n, name));
            close(sample.variance(), number(&expect["block_variance"]), within("block_variance"), (n, name));
            close(sample.se(), number(&expect["se"]), within("se"), (n, name));
            let games: Vec<f64> =
                blocks.iter().flatten().filter_map(|places| measure.score(places, 0)).collect();
            let se = Sample::of_means(&games, 1).unwrap().se();
            close(se, number(&expect["se_if_games_were_independent"]), within("se"), (n, name));
            if name == "A_first" {
                let elo = elo_over_equal_field(sample.score(), n);
                close(elo, number(&expect["elo_over_equal_field"]), within("elo"), (n, name));
            } else {
                close(sample.elo(), number(&expect["elo"]), within("elo"), (n, name));
                close_or_none(sample.los(), &expect["los"], within("los"), (n, name));
            }
            let mean = |drawn: &[u32]| {
                means.iter().zip(drawn).map(|(mean, &times)| mean * f64::from(times)).sum::<f64>()
                    / means.len() as f64
            };
            let (low, high) = bootstrap(means.len(), 20_000, Seed(1), mean).unwrap();
            let tolerance = 0.1 * sample.se() + 1.0 / (2 * n * means.len()) as f64;
            close(low, number(&expect["bootstrap_95"][0]), tolerance, (n, name));
            close(high, number(&expect["bootstrap_95"][1]), tolerance, (n, name));
        }
        blocks_llr(case, n, &blocks);
    }
}

fn blocks_llr(case: &Value, n: usize, blocks: &[Vec<Vec<usize>>]) {
    let expect = &case["expect"]["A_vs_B"];
    for (name, model) in [("llr_logistic", Model::Logistic), ("llr_normalized", Model::Normalized)] {
        let mut run = Run::new(sprt(case, model), n).unwrap();
        let mut counts = vec![0; 2 * n + 1];
        for (number, block) in (0..).zip(blocks) {
            let half_points = block_half_points(block, 0, 1).unwrap();
            run.take(number, Some(half_points)).unwrap();
            counts[half_points] += 1;
        }
        assert_eq!(counts, integers(&expect["counts"]));
        let llr = run.test().llr(&counts).unwrap();
        close(llr, number(&expect[name]), 2e-3 * llr.abs().max(1.0), (n, name));
    }
}

/// Compares pairs of players: `[[i, j, number], ...]`.
fn compare_pairs(
    expect: &Value,
    tolerance: f64,
    what: &Value,
    found: impl Fn(usize, usize) -> Option<f64>,
) -> usize {
    let pairs = expect.as_array().map_or(&[][..], Vec::as_slice);
    for pair in pairs {
        let (one, other) = (pair[0].as_u64().unwrap() as usize, pair[1].as_u64().unwrap() as usize);
        close_or_none(found(one, other), &pair[2], tolerance, (what, one, other));
    }
    pairs.len()
}

/// Compares what all fits have.
fn compare_fit(ratings: &Ratings, case: &Value, within: impl Fn(&str) -> f64) {
    let (name, expect) = (&case["name"], &case["expect"]);
    let elo = expect["elo"].as_array().unwrap();
    assert_eq!(elo.len(), ratings.elo().len());
    for (found, elo) in ratings.elo().iter().zip(elo) {
        close(*found, number(elo), within("elo"), name);
    }
    close(ratings.log_likelihood(), number(&expect["log_likelihood"]), within("log_likelihood"), name);
    let se = |one, other| ratings.se_diff(one, other, Errors::Information);
    assert!(compare_pairs(&expect["se_diff"], within("se_diff"), name, se) > 0);
}

#[test]
fn reference_bradley_terry() {
    let Some(file) = file("bradley_terry.json") else { return };
    let within = |name: &str| file["tolerance"][name].as_f64().unwrap();
    let mut without = 0;
    for case in cases(&file) {
        let (name, expect) = (&case["name"], &case["expect"]);
        let mut results = bradley_terry::Results::new(case["players"].as_u64().unwrap() as usize);
        for result in case["results"].as_array().unwrap() {
            let [first, second, wins, draws, losses] = integers(result)[..] else { panic!("five numbers") };
            results.add_counts(first as usize, second as usize, [wins, draws, losses]).unwrap();
        }
        let parts = results.parts();
        assert_eq!(serde_json::json!(parts.strong), expect["strong_components"], "{name}");
        assert_eq!(serde_json::json!(parts.weak), expect["weak_components"], "{name}");
        let draws = match case["model"].as_str().unwrap() {
            "half-draw" => Draws::Half,
            "davidson" => Draws::Davidson,
            "rao-kupper" => Draws::RaoKupper,
            other => panic!("no model {other}"),
        };
        let seat_advantage = case["seat"].as_bool().unwrap();
        let fit = results.fit(&Options { draws, prior: number(&case["prior"]), seat_advantage });
        if expect["exists"] == false {
            without += 1;
            assert_eq!(fit, Err(NoFit::Parts(parts)), "{name}");
            continue;
        }
        let ratings = fit.unwrap();
        compare_fit(&ratings, case, within);
        let weight = match draws {
            Draws::Half => &Value::Null,
            Draws::Davidson => &expect["nu"],
            Draws::RaoKupper => &expect["theta"],
        };
        close_or_none(ratings.draw_weight(), weight, within("nu"), name);
        close_or_none(ratings.seat_advantage(), &expect["seat_advantage_elo"], within("elo"), name);
        let los = |one, other| ratings.los(one, other, Errors::Information);
        compare_pairs(&expect["los"], within("los"), name, los);
        let robust = |one, other| ratings.se_diff(one, other, Errors::Blocks);
        compare_pairs(&expect["se_diff_robust"], within("se_diff_robust"), name, robust);
        for (player, error) in expect["error_to_mean"].as_array().into_iter().flatten().enumerate() {
            let found = ratings.error_to_mean(player, Errors::Information);
            close_or_none(found, error, within("error_to_mean"), (name, player));
        }
    }
    assert!(without > 0, "some have no fit");
}

#[test]
fn reference_plackett_luce() {
    let Some(file) = file("plackett_luce.json") else { return };
    for case in cases(&file) {
        let mut results = plackett_luce::Results::new(case["players"].as_u64().unwrap() as usize);
        for game in case["games"].as_array().unwrap() {
            let game = plackett_luce::Game::new(&digits(&game[0]), &digits(&game[1])).unwrap();
            results.add_block(&[game]).unwrap();
        }
        let ratings = results.fit(number(&case["prior"])).unwrap();
        compare_fit(&ratings, case, |name| file["tolerance"][name].as_f64().unwrap());
    }
}

#[test]
fn reference_weng_lin() {
    let Some(file) = file("weng_lin.json") else { return };
    let within = |name: &str| file["tolerance"][name].as_f64().unwrap();
    for case in cases(&file) {
        let name = &case["name"];
        let system = match case["model"].as_str().unwrap() {
            "bradley-terry-full" => WengLin::BRADLEY_TERRY_FULL,
            "plackett-luce" => WengLin::PLACKETT_LUCE,
            other => panic!("no model {other}"),
        };
        // The file prints tau with 12 digits.
        let tau = number(&case["tau"]);
        let tau = if (tau - system.tau).abs() < 1e-12 { system.tau } else { tau };
        let system = WengLin { tau, kappa: number(&case["kappa"]), ..system };
        let mut ratings = vec![weng_lin::Rating::default(); case["players"].as_u64().unwrap() as usize];
        let compare = |rating: &weng_lin::Rating, mu: &Value, sigma: &Value| {
            close(rating.mu, number(mu), within("mu"), name);
            close(rating.sigma, number(sigma), within("sigma"), name);
        };
        for (idx, game) in case["games"].as_array().unwrap().iter().enumerate() {
            let (players, places) = (digits(&game[0]), digits(&game[1]));
            let mut table: Vec<weng_lin::Rating> = players.iter().map(|&player| ratings[player]).collect();
            system.rate(&mut table, &places).unwrap();
            for (&player, rating) in players.iter().zip(table) {
                ratings[player] = rating;
            }
            for after in case["expect"]["after_each_game"][idx].as_array().into_iter().flatten() {
                compare(&ratings[after[0].as_u64().unwrap() as usize], &after[1], &after[2]);
            }
        }
        let expect = case["expect"]["final"].as_array().unwrap();
        assert_eq!(expect.len(), ratings.len());
        for (rating, expect) in ratings.iter().zip(expect) {
            compare(rating, &expect[0], &expect[1]);
        }
    }
}

#[test]
fn reference_glicko2() {
    let Some(file) = file("glicko2.json") else { return };
    let within = |name: &str| file["tolerance"][name].as_f64().unwrap();
    for case in cases(&file) {
        let [rating, deviation, volatility] =
            ["rating", "deviation", "volatility"].map(|name| number(&case[name]));
        let before = glicko2::Rating { rating, deviation, volatility };
        let games: Vec<glicko2::Game> = case["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| glicko2::Game {
                opponent: glicko2::Rating {
                    rating: number(&game[0]),
                    deviation: number(&game[1]),
                    volatility,
                },
                score: number(&game[2]),
            })
            .collect();
        let after = before.after(&games, number(&case["tau"]));
        for (name, found) in
            [("rating", after.rating), ("deviation", after.deviation), ("volatility", after.volatility)]
        {
            close(found, number(&case["expect"][name]), within(name), (&case["name"], name));
        }
    }
}
