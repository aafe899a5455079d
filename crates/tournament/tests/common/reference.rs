//! The reference data, wherever it lies.
#![allow(dead_code, reason = "not every test file needs all of it")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::PathBuf;

use serde_json::Value;

/// The cases of a file of the reference data; none, loudly, where there is no such data.
pub(crate) fn cases(name: &str) -> Vec<Value> {
    let folder = std::env::var_os("ROOKERY_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("ratings").join(format!("{name}.json"));
    if !path.exists() {
        eprintln!("SKIPPED: there is no {}; ROOKERY_DATA says where the reference data is", path.display());
        return vec![];
    }
    let value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = value["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(crate) fn words(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().unwrap().iter().map(text)
}

pub(crate) fn numbers(value: &Value) -> impl Iterator<Item = f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap())
}
