//! Schedules and tables against figures computed by independent tools (`ratings` of the reference data).
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::reference::{cases, numbers, text, words};
use rookery_referee::Cause;
use rookery_rules::{BySeat, Outcome};
use rookery_tournament::{
    Bye, ByeRule, Entrant, Format, FormatOptions, GameResult, Next, PointRule, Points, RoundRobin, Standings,
    TableSize, TieBreak, TieBreaks,
};
use serde_json::Value;

/// The tables of each round of a format that plays one game at a table.
fn rounds(mut format: RoundRobin) -> Vec<Vec<Vec<Entrant>>> {
    let Next::Play(pairings) = format.next(usize::MAX) else { panic!("games are to be played") };
    let mut rounds: BTreeMap<u32, Vec<Vec<Entrant>>> = BTreeMap::new();
    for pairing in pairings {
        rounds.entry(pairing.round.unwrap()).or_default().push(pairing.entrants);
    }
    rounds.into_values().collect()
}

#[test]
fn reference_berger() {
    let once = FormatOptions { games: Some(1), ..FormatOptions::default() };
    for case in cases("berger") {
        let players = case["players"].as_u64().unwrap() as usize;
        let seated = |round: &str| -> BTreeSet<Vec<u32>> {
            let number = |number: &str| number.parse::<u32>().unwrap() - 1;
            round.split(' ').map(|pair| pair.split('-').map(number).collect()).collect()
        };
        let expected: Vec<BTreeSet<Vec<u32>>> = words(&case["rounds"]).map(seated).collect();
        let plain = |tables: Vec<Vec<Entrant>>| -> BTreeSet<Vec<u32>> {
            tables
                .into_iter()
                .map(|table| table.into_iter().map(|Entrant(number)| number).collect())
                .collect()
        };
        let made: Vec<BTreeSet<Vec<u32>>> =
            rounds(RoundRobin::new(players, &once, false, None)).into_iter().map(plain).collect();
        assert_eq!(made, expected, "{players} players");

        let double: Vec<BTreeSet<Vec<u32>>> =
            rounds(RoundRobin::new(players, &once, true, None)).into_iter().map(plain).collect();
        let swapped = |round: &BTreeSet<Vec<u32>>| -> BTreeSet<Vec<u32>> {
            round.iter().map(|pair| vec![pair[1], pair[0]]).collect()
        };
        let mut twice = expected.clone();
        twice.swap(players - 3, players - 2);
        twice.extend(expected.iter().map(swapped));
        assert_eq!(double, twice, "{players} players, double");

        // With one fewer the last number is the one who rests.
        let odd: Vec<BTreeSet<Vec<u32>>> =
            rounds(RoundRobin::new(players - 1, &once, false, None)).into_iter().map(plain).collect();
        let without = |round: &BTreeSet<Vec<u32>>| -> BTreeSet<Vec<u32>> {
            round.iter().filter(|pair| !pair.contains(&(players as u32 - 1))).cloned().collect()
        };
        assert!(odd.into_iter().eq(expected.iter().map(without)), "{} players", players - 1);
    }
}

#[test]
fn reference_groups() {
    for case in cases("groups") {
        let players = case["players"].as_u64().unwrap() as usize;
        let table = case["table"].as_u64().unwrap() as usize;
        let n_rounds = case["rounds"].as_u64().unwrap() as u32;
        let sizes: Vec<usize> = numbers(&case["sizes"]).map(|size| size as usize).collect();
        let options = FormatOptions {
            size: TableSize { min: 2, max: table },
            games: Some(1),
            ..FormatOptions::default()
        };
        let rounds = rounds(RoundRobin::new(players, &options, false, Some(n_rounds)));
        assert_eq!(rounds.len(), n_rounds as usize);
        let mut met: BTreeMap<(Entrant, Entrant), u64> = BTreeMap::new();
        for round in &rounds {
            let mut seated: Vec<usize> = round.iter().map(Vec::len).collect();
            seated.sort_unstable_by(|one, other| other.cmp(one));
            assert_eq!(seated, sizes);
            let everybody: BTreeSet<Entrant> = round.iter().flatten().copied().collect();
            assert!(everybody.into_iter().eq(Entrant::all(players)));
            for table in round {
                for (idx, &one) in table.iter().enumerate() {
                    for &other in &table[idx + 1..] {
                        *met.entry((one.min(other), one.max(other))).or_default() += 1;
                    }
                }
            }
        }
        let squares: u64 = met.values().map(|met| met * met).sum();
        let expect = &case["expect"];
        let reached = expect["squares_reached"].as_u64().unwrap();
        let name = format!("{players} at tables of {table} in {n_rounds} rounds");
        if expect["bound_reached"].as_bool().unwrap() {
            assert_eq!(squares, expect["squares_bound"].as_u64().unwrap(), "{name}");
        } else {
            assert!(squares as f64 <= 1.02 * reached as f64, "{name}: {squares} instead of {reached}");
        }
    }
}

/// A game: its players in their seats, and their places.
fn game(number: u64, players: &[u32], places: &[i32]) -> GameResult {
    let scores: BySeat<i32> = places.iter().map(|place| -place).collect();
    GameResult {
        pairing: number,
        block: number,
        entrants: players.iter().map(|player| Entrant(player - 1)).collect(),
        outcome: Some(Outcome::by_score(scores)),
        cause: Cause::Normal,
        failed: vec![],
        faults: vec![],
    }
}

/// `1-4:1 2-3:d 5:bye` of every round, into the standings.
fn read_pairs(players: usize, history: &Value) -> Standings {
    let mut standings = Standings::new(players, PointRule::Places);
    for (round, line) in (1..).zip(words(history)) {
        // Byes last: what was had before the round is what there was.
        let before = standings.clone();
        for (number, item) in line.split(' ').enumerate() {
            let (who, result) = item.split_once(':').unwrap();
            let number = u64::from(round) * 1000 + number as u64;
            if result == "bye" {
                let entrant = Entrant(who.parse::<u32>().unwrap() - 1);
                let before = before.points(entrant);
                assert!(standings.add_bye(&Bye { entrant, round, points: Points::ONE, before }));
                continue;
            }
            let (one, other) = who.split_once('-').unwrap();
            let places = match result {
                "1" => [1, 2],
                "0" => [2, 1],
                _ => [1, 1],
            };
            assert!(standings.add(&game(number, &[one.parse().unwrap(), other.parse().unwrap()], &places)));
        }
    }
    standings
}

/// `3 1 5|2 6 4` of every round, in order of places.
fn read_tables(players: usize, history: &Value) -> Standings {
    let mut standings = Standings::new(players, PointRule::Places);
    for (round, line) in (1..).zip(words(history)) {
        for (table, group) in line.split('|').enumerate() {
            let players: Vec<u32> = group.split(' ').map(|player| player.parse().unwrap()).collect();
            let places: Vec<i32> = (1..=players.len() as i32).collect();
            assert!(standings.add(&game(round * 1000 + table as u64, &players, &places)));
        }
    }
    standings
}

/// The values of one tie-break by player.
fn values(standings: &Standings, tie_break: TieBreak, byes: ByeRule, rounds: u32) -> Vec<f64> {
    let tie_breaks = TieBreaks { order: vec![tie_break], byes, meeting: 1, rounds };
    let mut table = standings.table(&tie_breaks, &[]);
    table.sort_by_key(|standing| standing.entrant);
    table.into_iter().map(|standing| standing.tie_breaks[0]).collect()
}

fn assert_close(made: &[f64], expected: &Value, what: &str) {
    let expected: Vec<f64> = numbers(expected).collect();
    assert_eq!(made.len(), expected.len(), "{what}");
    for (one, other) in made.iter().zip(&expected) {
        assert!((one - other).abs() < 1e-9, "{what}: {made:?} instead of {expected:?}");
    }
}

#[test]
fn reference_tie_breaks() {
    let named = [
        (TieBreak::Buchholz, "buchholz"),
        (TieBreak::BuchholzCut1, "buchholz_cut1"),
        (TieBreak::Median, "median"),
        (TieBreak::SonnebornBerger, "sonneborn_berger"),
        (TieBreak::Wins, "wins"),
    ];
    for case in cases("tie_breaks") {
        let players = case["players"].as_u64().unwrap() as usize;
        let (history, expect) = (&case["history"], &case["expect"]);
        let n_rounds = history.as_array().unwrap().len() as u32;
        let is_tables = text(&case["format"]) == "tables";
        let standings = if is_tables { read_tables(players, history) } else { read_pairs(players, history) };
        let points: Vec<f64> =
            Entrant::all(players).map(|entrant| standings.points(entrant).value()).collect();
        assert_close(&points, &expect["points"], "points");
        for (byes, key) in [
            (ByeRule::LeftOut, None),
            (ByeRule::Virtual, Some("bye_virtual")),
            (ByeRule::Own, Some("bye_own")),
        ] {
            let expect = key.map_or(expect, |key| &expect[key]);
            for (tie_break, name) in named {
                if !expect[name].is_null() {
                    assert_close(&values(&standings, tie_break, byes, n_rounds), &expect[name], name);
                }
            }
        }
        let among = values(&standings, TieBreak::DirectEncounter, ByeRule::LeftOut, n_rounds);
        for group in expect["direct_encounter"].as_array().into_iter().flatten() {
            let made: Vec<f64> =
                numbers(&group["players"]).map(|player| among[player as usize - 1]).collect();
            if group["all_met"].as_bool().unwrap() {
                assert_close(&made, &group["points_among"], "direct encounter");
            } else {
                assert!(made.iter().all(|&value| value == 0.0), "it decides nothing: {made:?}");
            }
        }
    }
}

#[test]
fn places_of_a_draw_are_shared() {
    // Three at a table, two of them first.
    let mut standings = Standings::new(3, PointRule::Places);
    assert!(standings.add(&game(1, &[2, 3, 1], &[1, 1, 3])));
    let table = standings.table(&TieBreaks::default(), &[]);
    let places: Vec<(u32, usize)> =
        table.iter().map(|standing| (standing.entrant.0, standing.place)).collect();
    assert_eq!(places, [(1, 1), (2, 1), (0, 3)]);
    assert_eq!(table[0].points.to_string(), "0.75");
    assert_eq!(table[0].by_seat[0].draws, 1);
}
