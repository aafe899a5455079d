//! What a report looks like, to the letter. `cargo xtask bless` rewrites the files.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::{Path, PathBuf};

use common::{evaluated, fours, full_report, pairs, results};
use rookery_report::Report;
use rookery_report::plots::{self, Bar, Frame, Line};
use rookery_testkit::golden;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn check(name: &str, report: &Report) {
    golden::check(&path(&format!("{name}.txt")), &report.to_text(80));
    golden::check(&path(&format!("{name}.json")), &report.to_json());
    golden::check(&path(&format!("{name}.md")), &report.to_markdown());
    golden::check(&path(&format!("{name}.csv")), &report.to_csv());
    golden::check(&path(&format!("{name}-by-opponent.csv")), &report.to_csv_by_opponent());
    let replay = |pairing: u64| pairing.is_multiple_of(2).then(|| format!("replays/{pairing}.html"));
    golden::check(&path(&format!("{name}.html")), &report.to_html(&replay));
}

#[test]
fn a_round_robin_of_two_at_a_table() {
    let spec = pairs();
    check("pairs", &full_report(&evaluated(&spec, &results(&spec))));
}

#[test]
fn tables_of_four() {
    let spec = fours();
    check("fours", &full_report(&evaluated(&spec, &results(&spec))));
}

#[test]
fn a_plot_that_stands_alone() {
    let frame = Frame { title: "Rating <over> time", id: "r", is_alone: true };
    let points = [(0.0, -20.0), (10.0, 35.5), (20.0, f64::NAN), (30.0, 60.0)];
    let band = [(-120.0, 80.0), (-20.0, 91.0), (10.0, 110.0)];
    let line =
        Line { points: &points, band: &band, limits: &[(100.0, "goal")], x_unit: "games", y_unit: "Elo" };
    let svg = plots::line(frame, &line);
    roxmltree::Document::parse(&svg).unwrap();
    assert!(!svg.contains("style=") && !svg.contains("NaN"));
    golden::check(&path("band.svg"), &svg);
    // Numbers that are none, and nothing at all, are no reason to fail.
    let odd = Bar { label: "odd".to_owned(), value: f64::INFINITY, interval: None };
    let no_end = Bar { label: "no end".to_owned(), value: 1.0, interval: Some((0.0, f64::INFINITY)) };
    for svg in [
        plots::bars(frame, "Elo", &[odd, no_end]),
        plots::bars(frame, "Elo", &[]),
        plots::stacked(frame, "games", &[], &[("a".to_owned(), vec![1; 20])]),
        plots::heat_map(frame, &["a".to_owned(), "b".to_owned()], |_, _| Some(f64::NAN)),
        plots::heat_map(frame, &[], |_, _| None),
        plots::line(frame, &Line { points: &[], band: &[], limits: &[], x_unit: "", y_unit: "" }),
    ] {
        roxmltree::Document::parse(&svg).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
