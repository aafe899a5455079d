//! What only Linux has stays behind the modules that docs/platforms.md names, each with a fallback.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Words of Linux alone: crates, calls, and folders of the kernel.
const WORDS: [&str; 12] = [
    "landlock::",
    "seccompiler::",
    " nix::",
    "libc::",
    "sched_setaffinity",
    "CpuSet",
    "pidfd",
    "prctl",
    "/sys/fs/cgroup",
    "\"/proc/",
    "memfd_create",
    "std::os::linux",
];

/// Where they may stand: files and folders that are compiled on Linux alone, or have the fallback inside.
const PLACES: [&str; 9] = [
    "sandbox/src/launch",
    "sandbox/src/sandbox.rs",
    // Numbers of signals, with plain ones for elsewhere.
    "sandbox/src/report.rs",
    // The module `system`, of which there are two.
    "arena/src/affinity.rs",
    // Says that it needs Linux where there is no /proc.
    "cli/src/commands/bench_wire.rs",
    "cli/src/commands/bench_serve/mod.rs",
    // The name of the machine, with a plain one for elsewhere.
    "cli/src/commands/worker.rs",
    // Load and steal, of which nothing is known elsewhere.
    "cluster/src/machine.rs",
    // Names of folders that are never shown to a program; nothing is opened there.
    "sandbox/src/program.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file before its own tests, without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let before = text.split("#[cfg(test)]").next().unwrap_or_default();
    before.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn linux_alone_stays_behind_its_modules() {
    let crates = root().join("crates");
    let mut n_found = 0;
    for package in fs::read_dir(&crates).unwrap() {
        let package = package.unwrap().path();
        let name = package.file_name().unwrap().to_str().unwrap().to_owned();
        // For tests and chores, which run where CI does.
        if ["testkit", "browser-tests", "xtask", "fuzz"].contains(&name.as_str()) {
            continue;
        }
        let mut files = vec![];
        sources(&package.join("src"), &mut files);
        for file in files {
            let path = file.strip_prefix(&crates).unwrap().to_str().unwrap().to_owned();
            let code = code(&file);
            for word in WORDS.iter().filter(|word| code.contains(**word)) {
                n_found += 1;
                let is_known = PLACES.iter().any(|place| path.starts_with(place));
                assert!(is_known, "{path} uses `{word}`, which only Linux has: see docs/platforms.md");
            }
        }
    }
    assert!(n_found >= 10, "they are found: {n_found}");
}

#[test]
fn modules_of_linux_have_a_fallback() {
    let read = |path: &str| fs::read_to_string(root().join("crates").join(path)).unwrap();
    let sandbox = read("sandbox/src/lib.rs");
    for line in
        ["#[cfg(target_os = \"linux\")]\nmod launch;", "#[cfg(not(target_os = \"linux\"))]\nmod plain;"]
    {
        assert!(sandbox.contains(line), "the sandbox has {line}");
    }
    let affinity = read("arena/src/affinity.rs");
    for line in
        ["#[cfg(target_os = \"linux\")]\nmod system", "#[cfg(not(target_os = \"linux\"))]\nmod system"]
    {
        assert!(affinity.contains(line), "affinity has {line}");
    }
    // Crates of Linux are dependencies there alone.
    let manifest = read("sandbox/Cargo.toml");
    let (before, linux) = manifest.split_once("[target.'cfg(target_os = \"linux\")'.dependencies]").unwrap();
    for name in ["landlock", "libc", "nix", "seccompiler"] {
        assert!(
            linux.contains(&format!("\n{name} = ")) && !before.contains(&format!("\n{name} = ")),
            "{name}"
        );
    }
    let page = fs::read_to_string(root().join("docs/platforms.md")).unwrap();
    for module in ["sandbox::launch", "sandbox::plain", "arena::affinity", "bench_wire"] {
        assert!(page.contains(module), "docs/platforms.md names {module}");
    }
}
