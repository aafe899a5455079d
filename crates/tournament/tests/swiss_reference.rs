//! Swiss pairings against situations that were paired by independent programs.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::BTreeSet;

use common::reference::{cases, numbers, text, words};
use rookery_tournament::{DutchRules, PastRound, Points, Relaxed, dutch, swiss_tables};
use serde_json::Value;

/// `1-3:1 4-2:d 5:bye` of every round.
fn read(players: usize, history: &Value) -> Vec<Vec<PastRound>> {
    let mut past = vec![vec![]; players];
    let number = |text: &str| text.parse::<usize>().unwrap() - 1;
    for line in words(history) {
        for item in line.split(' ') {
            let (who, result) = item.split_once(':').unwrap();
            if result == "bye" {
                past[number(who)].push(PastRound::Bye { points: Points::ONE });
                continue;
            }
            let (one, other) = who.split_once('-').unwrap();
            let (one, other) = (number(one), number(other));
            let points = match result {
                "1" => [Points::ONE, Points::ZERO],
                "0" => [Points::ZERO, Points::ONE],
                _ => [Points::HALF; 2],
            };
            past[one].push(PastRound::Met { opponent: other, first: Some(true), points: points[0] });
            past[other].push(PastRound::Met { opponent: one, first: Some(false), points: points[1] });
        }
    }
    past
}

#[test]
fn reference_swiss_dutch() {
    let (mut wrong, mut all) = (vec![], 0);
    for case in cases("swiss_dutch") {
        all += 1;
        let players = case["players"].as_u64().unwrap() as usize;
        let past = read(players, &case["history"]);
        let round = dutch(DutchRules {
            past: &past,
            present: &(0..players).collect::<Vec<_>>(),
            full: Points::ONE,
            last: case["round"] == case["of"],
            forbidden: &BTreeSet::new(),
        });
        let expect = &case["expect"];
        if expect["pairs"].is_null() {
            assert!(round.relaxed > Relaxed::Nothing, "{case}");
            continue;
        }
        let pairs: Vec<String> =
            round.pairs.iter().map(|[one, two]| format!("{}-{}", one + 1, two + 1)).collect();
        let expected: Vec<&str> = expect["pairs"].as_array().unwrap().iter().map(text).collect();
        let bye = round.byes.first().map(|bye| bye as &usize + 1);
        if pairs != expected
            || bye.map(|bye| bye as u64) != expect["bye"].as_u64()
            || round.relaxed != Relaxed::Nothing
        {
            wrong.push(format!("{case}\n  {pairs:?} {bye:?} {:?}", round.relaxed));
        }
    }
    assert!(wrong.is_empty(), "{} of {all}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reference_swiss_tables() {
    for case in cases("swiss_tables") {
        let points: Vec<i64> = numbers(&case["points"]).map(|points| points as i64).collect();
        let sizes: Vec<usize> = numbers(&case["sizes"]).map(|size| size as usize).collect();
        let mut met = vec![vec![0; points.len()]; points.len()];
        for table in words(&case["history"]).flat_map(|round| round.split('|')) {
            let players: Vec<usize> =
                table.split(' ').map(|player| player.parse::<usize>().unwrap() - 1).collect();
            for &one in &players {
                players.iter().filter(|&&other| other != one).for_each(|&other| met[one][other] += 1);
            }
        }
        let tables = swiss_tables(&points, |one, other| met[one][other], &sizes);
        let everybody: BTreeSet<usize> = tables.iter().flatten().copied().collect();
        assert!(everybody.into_iter().eq(0..points.len()));
        let mut seated: Vec<usize> = tables.iter().map(Vec::len).collect();
        seated.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(seated, sizes);
        let (mut repeats, mut squares) = (0, 0);
        for table in &tables {
            for (idx, &one) in table.iter().enumerate() {
                for &other in &table[idx + 1..] {
                    repeats += met[one][other];
                    squares += (points[one] - points[other]).pow(2);
                }
            }
        }
        let expect = &case["expect"];
        assert_eq!(repeats, expect["repeats"].as_u64().unwrap(), "{case}");
        assert_eq!(squares, expect["squared_differences"].as_i64().unwrap(), "{case}");
    }
}
