//! Golden files: what a program shows, kept in the repository and compared to the letter.
//!
//! `cargo xtask bless` rewrites them; the difference is then read before it is committed.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use rookery_rules::{Keyed, Notation, Position as _, Seed, Setup, Status};

/// Compares a text with a golden file, or rewrites the file when `ROOKERY_BLESS` is set.
///
/// # Panics
/// If they differ.
pub fn check(path: &Path, text: &str) {
    if env::var_os("ROOKERY_BLESS").is_some() {
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let golden = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let differing = golden.lines().zip(text.lines()).position(|(old, new)| old != new);
    if let Some(idx) = differing {
        let (old, new) = (golden.lines().nth(idx), text.lines().nth(idx));
        panic!(
            "{}:{}: golden {old:?}, now {new:?}; `cargo xtask bless` rewrites it",
            path.display(),
            idx + 1
        );
    }
    assert_eq!(golden, text, "{}: one is longer; `cargo xtask bless` rewrites it", path.display());
}

/// Plays one random game and writes down everything that can be seen at every position.
pub fn playthrough<S: Setup<Position: Keyed + Notation>>(setup: &S, seed: Seed) -> String {
    let mut rng = seed.rng();
    let mut position = setup.start();
    let mut text = format!("game {}, {seed:?}\n", setup.spec());
    for ply in 0.. {
        let board = position.to_string().replace('\n', "\n    ");
        let _ = write!(
            text,
            "\nply {ply}\nposition {}\nkey {:016x}\nat most {} plies to go\n    {board}\n",
            position.to_text(),
            position.key(),
            position.max_plies()
        );
        match position.status() {
            Status::ToMove(seat) => {
                let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
                let mv = position.random_move(&mut rng).expect("who is to move has a move");
                let label = setup.seat_label(seat);
                let _ =
                    writeln!(text, "{label} to move, {} moves: {}\nplays {mv}", moves.len(), moves.join(" "));
                position.play_unchecked(mv);
            }
            Status::Over(outcome) => {
                let winners: Vec<String> =
                    outcome.winners.iter().map(|seat| setup.seat_label(seat)).collect();
                let _ = writeln!(text, "over: winners {winners:?}, scores {:?}", outcome.scores.as_slice());
                break;
            }
        }
    }
    text
}
