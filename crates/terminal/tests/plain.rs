//! Play line by line: whatever comes in, nothing but plain lines goes out.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufReader, Cursor};
use std::time::Instant;

use common::sitting;
use rookery_terminal::{Table, plain};

fn play(spec: &str, players: &[&str], input: &[u8]) -> (String, Table) {
    let mut table = Table::new(sitting(spec, players), None, Instant::now());
    let mut out = vec![];
    // A small buffer, so that lines are cut anywhere.
    let mut input = BufReader::with_capacity(7, Cursor::new(input));
    plain::play(&mut table, &mut input, &mut out, &mut |_| {}).unwrap();
    (String::from_utf8(out).unwrap(), table)
}

#[test]
fn fault_t07_garbage_is_answered_and_the_match_goes_on() {
    let mut input = vec![b'x'; 100_000];
    input.extend(b"\n\xff\xfe\n\x1b[2J\x07\n\0\nb2\n");
    let (said, table) = play("hexapawn:rows=3,cols=3", &["human", "human"], &input);
    assert!(said.contains("The line is longer than 1000 bytes; expected a move or a command."), "{said}");
    assert!(said.contains("The line is no text in UTF-8; expected a move or a command."), "{said}");
    assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
    assert_eq!(table.sitting().history().len(), 1);
}

#[test]
fn every_game_can_be_played_to_its_end() {
    for spec in [
        "fish:rows=4,cols=3",
        "hexapawn:rows=4,cols=3,eliminate=1",
        "renpaarden:width=3,height=5,max-turns=6",
        "stones:rows=3,cols=2",
    ] {
        let mut table = Table::new(sitting(spec, &["human", "random"]), None, Instant::now());
        for _ in 0..200 {
            let Some(mv) = table.sitting().position().moves().into_iter().next() else { break };
            let mut out = vec![];
            plain::play(&mut table, &mut format!("{mv}\n").as_bytes(), &mut out, &mut |_| {}).unwrap();
        }
        assert!(table.sitting().verdict().is_some(), "{spec}");
    }
}

#[test]
fn a_match_of_computers_is_watched_to_its_end() {
    let mut table = Table::new(sitting("stones:rows=3,cols=2", &["first", "first"]), None, Instant::now());
    let mut out = vec![];
    plain::watch(&mut table, std::time::Duration::ZERO, true, &mut out).unwrap();
    let said = String::from_utf8(out).unwrap();
    assert!(said.trim_end().ends_with("has won."), "{said}");
    assert_eq!(said.matches(" plays ").count(), table.sitting().history().len());
}
