//! What axe-core says of a page: rules of accessibility, checked in the browser.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::Browser;

/// Its script; `None`, and said loudly, where npm cannot bring it.
pub fn axe() -> Option<String> {
    npm("axe-core@4.10.3", "axe-core/axe.min.js").map(|script| fs::read_to_string(script).unwrap())
}

/// A file of a package that npm brings into the build folder, once; `None`, and said loudly, where it cannot.
pub fn npm(package: &str, file: &str) -> Option<PathBuf> {
    // One folder each: npm takes away what it did not bring itself, and tests run side by side.
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/npm").join(package);
    let found = folder.join("node_modules").join(file);
    if !found.is_file() {
        fs::create_dir_all(&folder).unwrap();
        let npm = Command::new("npm")
            // Without its place it would look for one further up.
            .args(["install", "--no-save", "--no-audit", "--no-fund", "--prefix", ".", package])
            .current_dir(&folder)
            .output();
        if !npm.is_ok_and(|npm| npm.status.success()) || !found.is_file() {
            rookery_testkit::tell_skipped(&format!("npm cannot bring {package}"));
            return None;
        }
    }
    Some(found)
}

impl Browser {
    /// Everything serious that axe-core finds on the page, and what sticks out at its side.
    pub fn barriers(&self, axe: &str) -> Vec<String> {
        self.script(axe, vec![]);
        let found = self.script_later(
            "const done = arguments[arguments.length - 1]; \
             axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations), (error) => done(String(error)));",
        );
        let all = found.as_array().unwrap_or_else(|| panic!("axe says {found}"));
        let serious = all.iter().filter(|one| matches!(one["impact"].as_str(), Some("serious" | "critical")));
        let told = |one: &Value| format!("{}: {}", one["id"], one["nodes"][0]["html"]);
        let mut barriers: Vec<String> = serious.map(told).collect();
        let wide = self.sticks_out();
        if wide > 0 {
            barriers.push(format!("{wide} pixels stick out at the side"));
        }
        barriers
    }
}
