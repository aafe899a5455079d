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
    let frame = Frame { title: "Rating <over> time", id: "r", is_alone: true, is_narrow: false };
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

/// The numbers of an attribute, in order.
fn numbers(svg: &str, tag: &str, attribute: &str) -> Vec<f64> {
    let page = roxmltree::Document::parse(svg).unwrap();
    let all = page.descendants().filter(|node| node.has_tag_name((SVG, tag)));
    all.filter_map(|node| node.attribute(attribute)?.parse().ok()).collect()
}

const SVG: &str = "http://www.w3.org/2000/svg";

#[test]
fn a_narrow_plot_has_all_of_it_on_a_small_screen() {
    let all: Vec<Bar> = ["a name that is longer than most, but not too long", "b"]
        .map(|label| Bar { label: label.to_owned(), value: 120.0, interval: Some((80.0, 160.0)) })
        .into();
    let (rows, kinds) = ([("a".to_owned(), vec![3, 2, 1]), ("b".to_owned(), vec![1, 0, 4])], ["x", "y", "z"]);
    for (is_narrow, width) in [(false, 680.0), (true, 340.0)] {
        let frame = Frame { title: "Ratings", id: "r", is_alone: false, is_narrow };
        for svg in [plots::bars(frame, "Elo", &all), plots::stacked(frame, "games", &kinds, &rows)] {
            assert!(svg.contains(&format!("viewBox=\"0 0 {width} ")), "{svg}");
            let ends = numbers(&svg, "rect", "x").into_iter().zip(numbers(&svg, "rect", "width"));
            assert!(
                ends.clone().count() > 1 && ends.clone().all(|(x, wide)| x >= 0.0 && x + wide <= width),
                "{svg}"
            );
            assert!(numbers(&svg, "text", "x").iter().all(|x| (0.0..width).contains(x)), "{svg}");
        }
    }
}
