//! `rookery bench serve`, scaled down: what load does to a turn, as ratios within one run.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::process::{Command, Stdio};

use serde_json::Value;

/// The figures of one small run.
fn bench() -> Value {
    let small = ["--games", "20", "--idle", "200", "--spectators", "60", "--slow", "100", "--stalled", "10"];
    let output = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["bench", "serve", "--json", "--seconds", "2"])
        .args(small)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What else the machine does slows one part of a run down and never speeds it up, so the best of a few runs is looked at.
const RUNS: usize = 3;

#[test]
fn fault_w02_fault_w01_fault_w12_load_changes_a_turn_little() {
    let mut wrong = String::new();
    for _ in 0..RUNS {
        let figures = bench();
        let number = |part: &str, name: &str| figures[part][name].as_f64().unwrap();
        // Twenty games at two turns a second, a hundred slow clients and ten observers that do not read are nothing for a
        // server that keeps them apart; one that does not is many times slower.
        let median = ["games", "slow"].iter().all(|part| number(part, "median_ratio") < 2.0);
        let p99 = ["games", "slow"].iter().all(|part| number(part, "p99_ratio") < 5.0);
        // A frame is made once for all; made for each, it would take sixty times as long.
        let shared = number("spectators", "median_ratio") < 30.0;
        // The pages that do nothing are a few KiB each, also in a build that is not optimised.
        let idle = number("idle", "bytes_each") < f64::from(48 << 10);
        let played = number("games", "load_turns_per_second") > 10.0;
        if median && p99 && shared && idle && played {
            return;
        }
        wrong = format!("{wrong}{figures:#}\n");
    }
    panic!("{wrong}");
}
