//! Numbers of move sequences from a file, one setup or position a line.
//!
//! ```text
//! # a comment
//! rows=3,cols=3 | 3 10 28 56
//! position p1 111/.../222 | 3 10 28 56
//! ```
//!
//! In front of the bar stands the part of a game spec behind the colon, or the word `position` and a position;
//! behind it the count at depth 1, 2, 3 and so on.

use std::fs;
use std::path::Path;

use rookery_rules::{Notation, Position, Setup, perft_all};

/// Checks every line of a file.
///
/// # Panics
/// If a line is wrong or cannot be read, or if there is none.
pub fn check<S: Setup<Position: Notation>>(path: &Path) {
    check_as::<S, S::Position>(path, |position| position);
}

/// Checks every line of a file with another view of the positions, for example whole turns.
///
/// # Panics
/// If a line is wrong or cannot be read, or if there is none.
pub fn check_as<S: Setup<Position: Notation>, P: Position>(path: &Path, view: impl Fn(S::Position) -> P) {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut n_lines = 0;
    for (idx, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = format!("{}:{}: {line}", path.display(), idx + 1);
        let (what, counts) = line.split_once('|').unwrap_or_else(|| panic!("{place}: there is no |"));
        let counts: Vec<u64> = counts
            .split_whitespace()
            .map(|count| count.parse().unwrap_or_else(|e| panic!("{place}: {e}")))
            .collect();
        assert!(!counts.is_empty(), "{place}: there are no counts");
        let position = match what.trim().strip_prefix("position ") {
            Some(text) => S::Position::from_text(text).unwrap_or_else(|error| panic!("{place}: {error}")),
            None => S::parse(what.trim()).unwrap_or_else(|error| panic!("{place}: {error}")).start(),
        };
        assert_eq!(perft_all(&view(position), counts.len() as u32), counts, "{place}");
        n_lines += 1;
    }
    assert!(n_lines > 0, "{}: there are no counts in it", path.display());
}
