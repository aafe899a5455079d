//! What a series says, by numbers known beforehand and by a second implementation with lists.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![expect(clippy::float_cmp, reason = "whole numbers in, and the same sums in any order")]

mod common;

use std::collections::BTreeMap;

use common::{pick, pick_out, result_of};
use rookery_referee::Cause;
use rookery_rules::{MAX_SEATS, Outcome, Seat, Seed};
use rookery_tournament::{Elo, Entrant, Estimate, GameResult, LeftOver, Seating, Series, Summary, Tally};

/// Games of two, by the seat that won.
fn results(winners: &[Option<u8>]) -> Vec<GameResult> {
    let series = Series::new(2, winners.len() as u64);
    let outcome =
        |winner: Option<u8>| winner.map_or(Outcome::draw(2), |seat| Outcome::win(2, Seat::new(seat)));
    let result = |(game, &winner)| {
        GameResult::new(&series.pairing(game).unwrap(), Some(outcome(winner)), Cause::Normal)
    };
    (0..).zip(winners).map(result).collect()
}

fn sum_up(n_players: usize, results: &[GameResult]) -> Summary {
    let mut summary = Summary::new(n_players);
    assert!(results.iter().all(|result| summary.add(result)));
    summary
}

#[test]
fn tallies_follow_the_player_not_the_seat() {
    // Seat 0 wins all four: each player wins the two games it began.
    let summary = sum_up(2, &results(&[Some(0); 4]));
    for player in summary.players() {
        assert_eq!(player.total, Tally { wins: 2, draws: 0, losses: 2 });
        assert_eq!(player.by_seat[0], Tally { wins: 2, draws: 0, losses: 0 });
        assert_eq!(player.by_seat[1], Tally { wins: 0, draws: 0, losses: 2 });
    }
    let elo = summary.elo().unwrap();
    assert!(elo.difference == 0.0 && elo.low < 0.0 && (elo.low + elo.high).abs() < 1e-9, "{elo:?}");
}

#[test]
fn elo_of_three_quarters() {
    // The first player wins one pair and draws the games of the other.
    let elo = sum_up(2, &results(&[Some(0), Some(1), None, None])).elo().unwrap();
    assert!((elo.difference - 190.85).abs() < 0.01, "{elo:?}");
    assert!(elo.low < elo.difference && elo.high > elo.difference);
}

#[test]
fn a_clean_sweep_has_no_upper_end() {
    let sweep: Vec<Option<u8>> = (0..100).map(|game| Some(game % 2)).collect();
    let elo = sum_up(2, &results(&sweep)).elo().unwrap();
    assert!(elo.difference.is_infinite() && elo.high.is_infinite());
    // Wilson's lower end for 50 of 50 pairs is a share of 0.9286.
    assert!((elo.low - 446.0).abs() < 1.0, "{elo:?}");
}

#[test]
fn aborted_games_do_not_count() {
    let mut all = results(&[Some(0), Some(0)]);
    all[1].outcome = None;
    all[1].cause = Cause::PlatformAbort;
    let summary = sum_up(2, &all);
    assert_eq!((summary.games(), summary.aborted()), (2, 1));
    assert_eq!(summary.players()[0].total.games(), 1);
    assert!(summary.endings().eq([("normal", 1), ("platform_abort", 1)]));
    // The game of the pair that counts is the pair.
    assert_eq!(summary.elo().unwrap().difference, f64::INFINITY);
    all[0].outcome = None;
    assert_eq!(sum_up(2, &all).elo(), None);
    assert_eq!(sum_up(2, &all).players()[0].points, None);
}

#[test]
fn nothing_says_nothing() {
    for n_players in 1..=MAX_SEATS {
        let summary = Summary::new(n_players);
        assert_eq!((summary.games(), summary.aborted(), summary.elo()), (0, 0, None));
        assert_eq!(summary.endings().count(), 0);
        let left_over = LeftOver { tallies: vec![Tally::default(); n_players], ..LeftOver::default() };
        assert_eq!(summary.left_over(), left_over);
        assert!(summary.players().iter().all(|player| player.points.is_none() && player.score.is_none()));
    }
}

#[test]
fn what_was_added_or_does_not_fit_is_not_added() {
    let all = results(&[Some(0), Some(0), Some(1)]);
    let mut summary = sum_up(2, &all);
    let before = summary.clone();
    assert!(all.iter().all(|result| !summary.add(result)), "of a whole block or not");
    let mut other = all[2].clone();
    other.pairing = 3;
    for entrants in [&[0, 0][..], &[0, 2], &[0], &[0, 1, 2]] {
        other.entrants = entrants.iter().copied().map(Entrant).collect();
        assert!(!summary.add(&other));
    }
    other.entrants = vec![Entrant(1), Entrant(0)];
    other.outcome = Some(Outcome::draw(3));
    assert!(!summary.add(&other));
    assert_eq!(summary, before);
    other.outcome = Some(Outcome::draw(2));
    for (pairing, block) in [(3, 0), (3, 2), (2, 1), (u64::MAX, u64::MAX / 2)] {
        assert!(!summary.add(&GameResult { pairing, block, ..other.clone() }));
    }
    assert_eq!(summary, before);
    assert!(summary.add(&other));
}

/// A mean and its error, from a list.
fn estimate(values: &[f64]) -> Option<Estimate> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (values.len() > 1).then(|| 1.96 * (variance / n).sqrt());
    (!values.is_empty()).then_some(Estimate { mean, error })
}

/// The ends of Wilson's interval, from a list: the shares from which the mean is 1.96 standard errors away.
fn interval(shares: &[f64]) -> (f64, f64) {
    let n = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / n;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / n;
    let z2 = 1.96 * 1.96;
    let half = 1.96 * (variance / n + z2 / (4.0 * n * n)).sqrt();
    let at = |sign: f64| ((mean + z2 / (2.0 * n) + sign * half) / (1.0 + z2 / n)).clamp(0.0, 1.0);
    (at(-1.0), at(1.0))
}

fn elo(share: f64) -> f64 {
    if share < 1e-9 {
        f64::NEG_INFINITY
    } else if share > 1.0 - 1e-9 {
        f64::INFINITY
    } else {
        400.0 * (share / (1.0 - share)).log10()
    }
}

fn close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() < 1e-9 * (1.0 + one.abs())
}

fn assert_close(one: Option<Estimate>, other: Option<Estimate>) {
    let error = |estimate: Option<Estimate>| estimate.and_then(|estimate| estimate.error).unwrap_or(-1.0);
    let mean = |estimate: Option<Estimate>| estimate.map_or(-1e9, |estimate| estimate.mean);
    assert!(close(mean(one), mean(other)) && close(error(one), error(other)), "{one:?} {other:?}");
}

/// Compares a summary with lists of the games that count.
fn compare(n_players: usize, summary: &Summary, results: &[GameResult]) {
    let mut blocks: BTreeMap<u64, Vec<&GameResult>> = BTreeMap::new();
    for result in results {
        blocks.entry(result.block).or_default().push(result);
    }
    let (whole, open): (Vec<_>, Vec<_>) =
        blocks.into_values().partition(|block| block.len() as u64 == Seating::block_games(n_players));
    let aborted = |blocks: &[Vec<&GameResult>]| {
        blocks.iter().flatten().filter(|result| result.outcome.is_none()).count() as u64
    };
    assert_eq!(summary.games(), whole.len() as u64 * Seating::block_games(n_players));
    assert_eq!(summary.aborted(), aborted(&whole));
    let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
    whole.iter().flatten().for_each(|result| *endings.entry(result.cause.word()).or_default() += 1);
    assert!(summary.endings().eq(endings));

    let share = |result: &GameResult, player: Entrant| {
        let winners = result.winners();
        if winners.contains(&player) { 1.0 / winners.len() as f64 } else { 0.0 }
    };
    let counted: Vec<&GameResult> =
        whole.iter().flatten().copied().filter(|result| result.outcome.is_some()).collect();
    for (player, seen) in Entrant::all(n_players).zip(summary.players()) {
        let outcome = |result: &GameResult| {
            (result.outcome.clone().unwrap(), result.seat_of(player).unwrap(), result.winners())
        };
        let points: Vec<f64> = counted.iter().map(|result| share(result, player)).collect();
        let of = |value: &dyn Fn(&Outcome, Seat) -> f64| -> Vec<f64> {
            counted
                .iter()
                .map(|result| outcome(result))
                .map(|(outcome, seat, _)| value(&outcome, seat))
                .collect()
        };
        assert_close(seen.place, estimate(&of(&|outcome, seat| outcome.places()[seat] as f64)));
        assert_close(seen.score, estimate(&of(&|outcome, seat| f64::from(outcome.scores[seat]))));
        let (low, high) = interval(&points);
        let error = |mean: f64| Some((mean - low).max(high - mean));
        assert_close(
            seen.points,
            estimate(&points).map(|Estimate { mean, .. }| Estimate { mean, error: error(mean) }),
        );
        for (seat, tally) in Seat::all(n_players).zip(&seen.by_seat) {
            let here = || counted.iter().map(|result| outcome(result)).filter(|(_, other, _)| *other == seat);
            let won = |n: fn(usize) -> bool| {
                here().filter(|(_, _, winners)| winners.contains(&player) && n(winners.len())).count() as u64
            };
            let (wins, draws) = (won(|n| n == 1), won(|n| n > 1));
            assert_eq!(*tally, Tally { wins, draws, losses: here().count() as u64 - wins - draws });
        }
        assert_eq!(seen.total.games(), counted.len() as u64);
    }

    let pair = |block: &Vec<&GameResult>| {
        let counted = block.iter().filter(|result| result.outcome.is_some());
        estimate(&counted.map(|result| share(result, Entrant(0))).collect::<Vec<_>>())
    };
    let pairs: Vec<f64> = whole.iter().filter_map(pair).map(|estimate| estimate.mean).collect();
    match summary.elo() {
        Some(Elo { difference, low, high }) => {
            let ends = interval(&pairs);
            assert!(close(difference, elo(estimate(&pairs).unwrap().mean)));
            assert!(close(low, elo(ends.0)) && close(high, elo(ends.1)));
        }
        None => assert!(n_players != 2 || pairs.is_empty()),
    }

    let left_over = summary.left_over();
    assert_eq!(left_over.blocks, open.len() as u64);
    assert_eq!(left_over.games, open.iter().map(Vec::len).sum::<usize>() as u64);
    assert_eq!(left_over.aborted, aborted(&open));
    for tally in left_over.tallies {
        assert_eq!(tally.games(), left_over.games - left_over.aborted);
    }
}

#[test]
fn the_same_as_with_lists_in_any_order_and_wherever_it_stops() {
    for seed in 0..300 {
        let seed = Seed(seed);
        let rng = &mut seed.derive(2).rng();
        let n_players = if seed.0.is_multiple_of(3) { 2 } else { 1 + pick(rng, MAX_SEATS) };
        let series = Series::new(n_players, 1 + pick(rng, 60) as u64);
        let all: Vec<GameResult> =
            (0..series.games()).map(|game| result_of(&series.pairing(game).unwrap(), seed)).collect();
        compare(n_players, &sum_up(n_players, &all), &all);

        let (mut summary, mut left, mut added) = (Summary::new(n_players), all.clone(), vec![]);
        for _ in 0..pick(rng, all.len() + 1) {
            let result = pick_out(rng, &mut left);
            assert!(summary.add(&result));
            added.push(result);
        }
        compare(n_players, &summary, &added);
        while !left.is_empty() {
            summary.add(&pick_out(rng, &mut left));
        }
        assert_eq!(summary, sum_up(n_players, &all), "the order does not matter, to the last digit");
    }
}
