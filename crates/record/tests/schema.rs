//! The schema describes what is written, and the examples of the documentation are records.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{simulate, wild};
use jsonschema::Validator;
use rookery_games::hexapawn::Setup as Hexapawn;
use rookery_record::{Line, verify};
use rookery_referee::{Blame, Cause, Offence};
use rookery_rules::{Notation, Setup};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../../docs/record.schema.json");
const PAGE: &str = include_str!("../../../docs/record.md");

fn validator() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

fn validate(validator: &Validator, line: &str) {
    let value: Value = serde_json::from_str(line).unwrap();
    if let Err(error) = validator.validate(&value) {
        panic!("{error}\n{line}");
    }
}

fn lines_validate<S: Setup<Position: Notation>>(options: &str) {
    let (setup, validator) = (S::parse(options).unwrap(), validator());
    for seed in 0..25 {
        let record = simulate(&setup, wild(seed)).record;
        std::str::from_utf8(&record).unwrap().lines().for_each(|line| validate(&validator, line));
    }
}

#[test]
fn every_line_written_validates() {
    for_every_game!(lines_validate);
}

/// The blocks of JSON lines on the page.
fn examples() -> Vec<&'static str> {
    PAGE.split("```jsonl\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_examples_are_records() {
    let validator = validator();
    let examples = examples();
    assert!(examples.len() >= 2, "the examples are found");
    for example in &examples {
        example.lines().for_each(|line| validate(&validator, line));
        for line in example.lines() {
            let parsed = Line::parse(line.as_bytes()).unwrap();
            assert_eq!(serde_json::to_string(&parsed).unwrap(), line, "written as Rookery writes it");
        }
    }
    let summary = verify::<Hexapawn>(examples[0].as_bytes()).unwrap();
    assert_eq!(summary.verdict.unwrap().ending.cause, Cause::Resigned);
}

#[test]
fn the_schema_refuses_what_is_refused() {
    let validator = validator();
    for example in examples() {
        for line in example.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let (kind, fields) = value.as_object().unwrap().iter().next().unwrap();
            let mut more = fields.clone();
            more["surprise"] = json!(1);
            assert!(!validator.is_valid(&json!({ kind.as_str(): more })), "an unknown field in {kind}");
            assert!(Line::parse(json!({ kind.as_str(): more }).to_string().as_bytes()).is_err());
            for name in fields.as_object().unwrap().keys() {
                let mut less = fields.clone();
                less.as_object_mut().unwrap().remove(name);
                let less = json!({ kind.as_str(): less });
                // Fields that go together can be read alone, but no record with one of them verifies.
                let lenient = ["ms", "left_ms", "winners", "scores"].contains(&name.as_str());
                let read = Line::parse(less.to_string().as_bytes()).is_ok();
                assert!(lenient || validator.is_valid(&less) == read, "{kind} without {name}");
            }
        }
    }
}

#[test]
fn the_page_and_the_schema_know_all_words() {
    let blames = [Blame::Player, Blame::Platform, Blame::Operator].map(Blame::word);
    for word in Offence::ALL.map(Offence::word).into_iter().chain(Cause::all().map(Cause::word)).chain(blames)
    {
        assert!(PAGE.contains(&format!("`{word}`")), "docs/record.md has {word}");
        assert!(SCHEMA.contains(&format!("\"{word}\"")), "docs/record.schema.json has {word}");
    }
}
