//! Says by which rules this build plays: a hash over the sources of all that decides the moves and the records of a game.

#[path = "src/fingerprint.rs"]
mod fingerprint;

use std::env;
use std::path::{Path, PathBuf};

/// The crates whose code does. A change of a comment in one of them is another build as well: better too many than too few.
const CRATES: [&str; 10] =
    ["rules", "games", "search", "players", "referee", "record", "catalog", "live", "arena", "cluster"];

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("Cargo says where the crate is");
    let crates = Path::new(&root).join("..");
    let mut sources: Vec<PathBuf> = CRATES.iter().map(|name| crates.join(name).join("src")).collect();
    // The versions of the libraries that they use.
    sources.push(crates.join("..").join("Cargo.lock"));
    for source in &sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let hash = fingerprint::of(&sources).expect("the sources of this workspace can be read");
    println!("cargo::rustc-env=ROOKERY_FINGERPRINT={hash}");
}
