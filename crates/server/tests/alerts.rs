//! The rules of deploy/alerts.yml ask for what /metrics has.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::collections::BTreeSet;

use common::{Running, folder};

#[test]
fn every_alert_asks_for_something_that_is_counted() {
    let rules =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/alerts.yml")).unwrap();
    let folder = folder("server-alerts");
    let server = Running::start(&folder);
    let metrics = server.client().get("/metrics").text();
    let kind_of = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("# TYPE {name} ")));
        line.unwrap_or_else(|| panic!("{name} is not in /metrics: {metrics}"))
    };
    let asked = rules.lines().filter_map(|line| line.trim().strip_prefix("expr: "));
    let mut names = BTreeSet::new();
    for rule in asked {
        let words = rule.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in words.filter(|word| word.starts_with("rookery_")) {
            // Rates are of what only grows.
            assert_eq!(kind_of(name) == "counter", rule.contains(&format!("rate({name}")), "{rule}");
            names.insert(name);
        }
        if let Some(class) = rule.split("class=").nth(1).and_then(|rest| rest.split('"').nth(1)) {
            assert!(metrics.contains(&format!("class=\"{class}\"")), "{rule}");
        }
    }
    assert!(names.len() >= 5, "the rules are found: {names:?}");
}
