//! The reference data, wherever it lies.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::path::PathBuf;

use rookery_testkit::tell_skipped;
use serde_json::Value;

/// The cases of a file of the reference data; none, loudly, where there is no such data and nobody has said where it is.
pub(crate) fn cases(name: &str) -> Vec<Value> {
    let named = std::env::var_os("ROOKERY_DATA");
    let folder = named.as_ref().map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("ratings").join(format!("{name}.json"));
    if !path.exists() {
        assert!(named.is_none(), "ROOKERY_DATA names a folder without {}", path.display());
        tell_skipped(&format!(
            "there is no {}; ROOKERY_DATA says where the reference data is",
            path.display()
        ));
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
