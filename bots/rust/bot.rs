//! A bot for Rookery that plays any game: it picks one of the legal moves at random.

use std::io::{self, BufRead};

/// Your choice goes here: return the index of a move, from 0 to `n - 1`. `turn` is the whole message
/// as JSON, with the moves themselves in `"legal":[...]` and the position in `"position":"..."`.
fn choose(_turn: &str, n: u64, random: &mut u64) -> u64 {
    // The standard library has no random numbers; this is SplitMix64.
    *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*random ^ (*random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) % n
}

/// The number behind a key. Type, id, seat, ply and count stand first in a turn, so the first one
/// found is right.
fn number(line: &str, key: &str) -> Option<u64> {
    let digits = line.split_once(key)?.1;
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    digits[..end].parse().ok()
}

// Nothing but messages may go to the standard output. For your own lines: eprintln!(...)
fn main() {
    let mut random = 0;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        if line.starts_with(r#"{"type":"hello""#) {
            println!(r#"{{"type":"hello","version":1,"name":"rust-bot"}}"#); // println! flushes
        } else if line.starts_with(r#"{"type":"new_game""#) {
            // So that a match can be played again exactly.
            random = number(&line, r#""seed":""#).unwrap_or(0);
            println!(r#"{{"type":"ready"}}"#);
        } else if line.starts_with(r#"{"type":"turn""#) {
            let id = number(&line, r#""id":"#).expect("every turn has an id");
            let count = number(&line, r#""count":"#).expect("every turn has a count");
            let index = choose(&line, count.min(1000), &mut random); // `legal` has the first 1000
            println!(r#"{{"type":"move","id":{id},"index":{index}}}"#);
        } else if line.starts_with(r#"{"type":"quit""#) {
            break;
        } // All other messages need no answer, also those that do not exist yet.
    }
}
