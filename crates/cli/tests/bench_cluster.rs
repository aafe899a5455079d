//! `rookery bench cluster`, scaled down: that every figure comes about. The figures themselves are for quiet machines.
#![cfg(all(feature = "cluster", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::process::{Command, Stdio};

use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;
use serde_json::Value;

#[test]
fn every_figure_of_many_machines_comes_about() {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let small = ["--games", "60", "--long-games", "4", "--playouts", "20", "--crowd", "200"];
    let output = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["bench", "cluster", "--json", "--seconds", "3", "--lease", "6"])
        .args(["--dispatch", &broker.url(), "--store", &postgres.database("bench")])
        .args(small)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |path: &str| {
        figures.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {figures:#}"))
    };
    let count = |path: &str| figures.pointer(path).and_then(Value::as_u64);
    for (idx, workers) in [(0, 4), (1, 16)] {
        assert_eq!(count(&format!("/queue_to_store/{idx}/workers")), Some(workers));
        assert!(number(&format!("/queue_to_store/{idx}/jobs_per_second")) > 0.0);
        let bytes = number(&format!("/queue_to_store/{idx}/record_bytes"));
        assert!((1500.0..3000.0).contains(&bytes), "records of about 2 KB: {bytes}");
    }
    assert!(number("/local/games_per_second") > 0.0);
    assert!(number("/cpu_bound/share") > 0.0);
    assert_eq!((count("/beats/small_crowd"), count("/beats/large_crowd")), (Some(2), Some(200)));
    assert!(number("/beats/large_crowd_beat/n") > 100.0, "{figures:#}");
    // The lease has to end before anybody else may have the game.
    assert!(number("/recovery/seconds") > 3.0, "{figures:#}");
}
