//! The invariants of ARCHITECTURE.md that a program can check.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The normal dependencies of every package, by name.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap()))
        .collect();
    let mut graph = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array().unwrap() {
        let normal =
            |dep: &&Value| dep["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
        let deps = node["deps"].as_array().unwrap().iter().filter(normal);
        let deps = deps.map(|dep| names[dep["pkg"].as_str().unwrap()].to_owned()).collect();
        graph.insert(names[node["id"].as_str().unwrap()].to_owned(), deps);
    }
    graph
}

/// Everything a package needs, directly or not.
fn closure(graph: &BTreeMap<String, BTreeSet<String>>, package: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![package.to_owned()];
    while let Some(next) = open.pop() {
        for dep in &graph[&next] {
            if found.insert(dep.clone()) {
                open.push(dep.clone());
            }
        }
    }
    found
}

#[test]
fn the_core_knows_neither_serde_nor_tokio() {
    let graph = dependencies();
    for package in ["rookery-rules", "rookery-ratings", "rookery-games", "rookery-search", "rookery-players"]
    {
        if !graph.contains_key(package) {
            assert!(
                !root().join("crates").join(package.trim_start_matches("rookery-")).exists(),
                "{package} has its name"
            );
            continue;
        }
        let needs = closure(&graph, package);
        for banned in ["serde", "serde_core", "serde_json", "tokio"] {
            assert!(!needs.contains(banned), "{package} depends on {banned}");
        }
    }
}

#[test]
fn no_arrow_points_up() {
    // Each crate may use those before it, and the test kit is for tests only.
    let layers = [
        "rookery-rules",
        "rookery-ratings",
        "rookery-picture",
        "rookery-games",
        "rookery-search",
        "rookery-players",
        "rookery-referee",
        "rookery-record",
        "rookery-sandbox",
        "rookery-wire",
        "rookery-bots",
        "rookery-catalog",
        "rookery-live",
        "rookery-study",
        "rookery-tournament",
        "rookery-store",
        "rookery-report",
        "rookery-arena",
        "rookery-cluster",
        "rookery-originals",
        "rookery-terminal",
        "rookery-server",
        "rookery",
        "rookery-python",
    ];
    let graph = dependencies();
    for (idx, package) in layers.iter().enumerate() {
        for above in &layers[idx + 1..] {
            assert!(!closure(&graph, package).contains(*above), "{package} depends on {above}");
        }
        assert!(!closure(&graph, package).contains("rookery-testkit"), "{package} ships the test kit");
    }
    let users: Vec<&String> =
        graph.keys().filter(|name| closure(&graph, name).contains("rookery-originals")).collect();
    assert_eq!(users, ["rookery"], "what only one game has is used by the command line alone");
    let for_tests = ["rookery-testkit", "rookery-fuzz", "rookery-browser-tests"];
    let ours = graph.keys().filter(|name| name.starts_with("rookery") && !for_tests.contains(&name.as_str()));
    assert_eq!(ours.count(), layers.len(), "a new crate has its place in this test's list of layers");
}

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn originals_write_to_what_they_are_handed() {
    let mut files = vec![];
    rust_files(&root().join("crates/originals/src"), &mut files);
    assert!(files.len() > 10, "the sources are found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for stream in ["stdout()", "stderr()"] {
            assert!(!text.contains(stream), "{} asks for {stream}; let it be handed in", file.display());
        }
    }
}

/// `PyO3`'s macros write some, so the compiler cannot forbid it there.
#[test]
fn nobody_writes_unsafe_for_python_by_hand() {
    let mut files = vec![];
    rust_files(&root().join("python/src"), &mut files);
    assert!(files.len() > 5, "the sources are found");
    for file in files {
        assert!(!fs::read_to_string(&file).unwrap().contains("unsafe"), "{} has unsafe code", file.display());
    }
}

#[test]
fn files_stay_readable() {
    let mut files = vec![];
    rust_files(&root().join("crates"), &mut files);
    rust_files(&root().join("python/src"), &mut files);
    assert!(files.len() > 10, "the sources are found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let n_lines = text.lines().count();
        assert!(n_lines <= 520, "{} has {n_lines} lines; look for a seam at about 500", file.display());
    }
}

/// The runner hides what is printed by a test that passes, so whoever prints it is not heard.
#[test]
fn what_is_skipped_is_told_by_the_test_kit() {
    let (mut files, mark) = (vec![], concat!("\"SKIPPED", ": "));
    rust_files(&root().join("crates"), &mut files);
    let own = Path::new("testkit/src/skipped.rs");
    assert!(files.iter().any(|file| file.ends_with(own)));
    for file in files.iter().filter(|file| !file.ends_with(own)) {
        let text = fs::read_to_string(file).unwrap();
        assert!(!text.contains(mark), "{}: use rookery_testkit::skip or tell_skipped", file.display());
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let reasons = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names: Vec<&str> =
        section.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    assert!(names.len() > 5, "the dependencies are found");
    for name in names.iter().filter(|name| !name.starts_with("rookery-")) {
        assert!(reasons.contains(&format!("`{name}`")), "docs/dependencies.md says why we use {name}");
    }
}

/// Whatever a test writes outside of `target` goes into a folder that removes itself.
#[test]
fn tests_leave_nothing_in_the_temporary_folder() {
    let mut files = vec![];
    rust_files(&root().join("crates"), &mut files);
    // Not as it stands in code, or this file would name it, too.
    let function = ["temp", "dir"].join("_");
    let names = |file: &&PathBuf| fs::read_to_string(file).unwrap().contains(&function);
    // A sandbox gives each program a folder of its own there, and removes it: its tests say so.
    let is_sandbox = |file: &PathBuf| file.components().any(|part| part.as_os_str() == "sandbox");
    let found: Vec<&PathBuf> = files.iter().filter(names).filter(|file| !is_sandbox(file)).collect();
    assert!(
        matches!(found[..], [only] if only.ends_with("testkit/src/temp_folder.rs")),
        "only rookery_testkit::TempFolder asks for the temporary folder, others use it: {found:?}"
    );
}
