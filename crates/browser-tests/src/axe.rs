//! What axe-core says of a page: rules of accessibility, checked in the browser.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::Browser;

/// Brought by npm into the build folder, once.
const PACKAGE: &str = "axe-core@4.10.3";

/// Its script; `None`, and said loudly, where npm cannot bring it.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn axe() -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/npm");
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        fs::create_dir_all(&folder).unwrap();
        let npm = Command::new("npm")
            .args(["install", "--no-save", "--no-audit", "--no-fund", PACKAGE])
            .current_dir(&folder)
            .output();
        if !npm.is_ok_and(|npm| npm.status.success()) {
            eprintln!("SKIPPED: npm cannot bring {PACKAGE}, so nothing is said of accessibility");
            return None;
        }
    }
    Some(fs::read_to_string(script).unwrap())
}

impl Browser {
    /// Everything serious that axe-core finds on the page.
    pub fn barriers(&self, axe: &str) -> Vec<String> {
        self.script(axe, vec![]);
        let found = self.script_later(
            "const done = arguments[arguments.length - 1]; \
             axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations), (error) => done(String(error)));",
        );
        let all = found.as_array().unwrap_or_else(|| panic!("axe says {found}"));
        let serious = all.iter().filter(|one| matches!(one["impact"].as_str(), Some("serious" | "critical")));
        let told = |one: &Value| format!("{}: {}", one["id"], one["nodes"][0]["html"]);
        serious.map(told).collect()
    }
}
