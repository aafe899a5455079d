//! docs/results.schema.json describes what is written, and docs/results.md shows it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{evaluated, fours, full_report, pairs, results};
use jsonschema::Validator;
use rookery_report::{Context, Evaluation, Model, RatingOptions, Ratings, Report};
use rookery_tournament::Entrant;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/results.schema.json");
const PAGE: &str = include_str!("../../../docs/results.md");

fn validator() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

#[test]
fn every_report_validates() {
    let validator = validator();
    let mut reports: Vec<Report> = vec![];
    for spec in [pairs(), fours()] {
        let empty = Evaluation::new(&spec);
        let ratings = Ratings::fit(&empty, &RatingOptions::default()).unwrap();
        reports.push(Report::new(&empty, Some(&ratings), &Context::default()));
        reports.push(Report::new(&empty, None, &Context::default()));
        reports.push(full_report(&evaluated(&spec, &results(&spec))));
    }
    let spec = pairs();
    let mut evaluation = Evaluation::new(&spec).keeping_games();
    for result in &results(&spec) {
        assert!(evaluation.add(result));
    }
    for model in Model::ALL {
        let anchor = (model != Model::WengLin).then_some((Entrant(0), 100.0));
        let options = RatingOptions { model: Some(model), anchor, ..RatingOptions::default() };
        let ratings = Ratings::fit(&evaluation, &options).unwrap();
        reports.push(Report::new(&evaluation, Some(&ratings), &Context::default()));
    }
    for report in reports {
        let value: Value = serde_json::from_str(&report.to_json()).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{error} at {}", error.instance_path());
        }
    }
}

#[test]
fn the_schema_refuses_what_is_not_so() {
    let (validator, spec) = (validator(), pairs());
    let good: Value =
        serde_json::from_str(&full_report(&evaluated(&spec, &results(&spec))).to_json()).unwrap();
    for key in ["place", "name", "points", "wins", "draws", "losses", "rating", "error"] {
        let mut bad = good.clone();
        bad["standings"][1].as_object_mut().unwrap().remove(key).unwrap();
        assert!(!validator.is_valid(&bad), "without {key}");
    }
    for key in ["standings", "games", "tournament"] {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key).unwrap();
        assert!(!validator.is_valid(&bad), "without {key}");
    }
    let mut bad = good;
    bad["standings"][0]["elo"] = 3.into();
    assert!(!validator.is_valid(&bad), "something that is not described");
}

#[test]
fn the_page_names_every_field_and_its_example_is_one() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let definitions = schema["$defs"].as_object().unwrap().values();
    for described in definitions.chain([&schema]).filter_map(|described| described["properties"].as_object())
    {
        for field in described.keys() {
            assert!(PAGE.contains(&format!("`{field}`")), "docs/results.md says what {field} is");
        }
    }
    let example = PAGE.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let example: Value = serde_json::from_str(example).unwrap();
    if let Err(error) = validator().validate(&example) {
        panic!("{error} at {}", error.instance_path());
    }
}
