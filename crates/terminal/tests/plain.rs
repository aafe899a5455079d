//! Play line by line: whatever comes in, nothing but plain lines goes out.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufReader, Cursor};
use std::time::{Duration, Instant};

use common::{agreed, runtime, table};
use rookery_live::{Signal, Stopping};
use rookery_terminal::{Keep, Leave, Table, plain};
use rookery_testkit::TempFolder;

fn play(spec: &str, players: &[&str], input: &[u8]) -> (String, Table) {
    let mut table = table(spec, players);
    let mut out = vec![];
    // A small buffer, so that lines are cut anywhere.
    let input = BufReader::with_capacity(7, Cursor::new(input.to_vec()));
    plain::play(&mut table, input, &mut out, &Stopping::new(Duration::ZERO)).unwrap();
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
    assert_eq!(table.history().len(), 1);
}

#[test]
fn every_game_can_be_played_to_its_end() {
    for spec in [
        "fish:rows=4,cols=3",
        "hexapawn:rows=4,cols=3,eliminate=1",
        "renpaarden:width=3,height=5,max-turns=6",
        "stones:rows=3,cols=2",
    ] {
        let mut moves = vec![];
        // Every time the same match, one move further.
        for _ in 0..200 {
            let (_, table) = play(spec, &["human", "random"], moves.join("\n").as_bytes());
            if table.verdict().is_some() {
                break;
            }
            moves.push(table.position().moves().swap_remove(0));
        }
        let (said, table) = play(spec, &["human", "random"], moves.join("\n").as_bytes());
        assert!(table.verdict().is_some(), "{spec}");
        assert!(said.contains("Type review, undo, restart, load FILE or quit."), "{said}");
    }
}

#[test]
fn a_match_of_computers_is_watched_to_its_end() {
    let mut table = table("stones:rows=3,cols=2", &["first", "first"]);
    let mut out = vec![];
    plain::watch(&mut table, Duration::ZERO, &mut out, &Stopping::new(Duration::ZERO)).unwrap();
    let said = String::from_utf8(out).unwrap();
    assert!(said.trim_end().ends_with(" won."), "{said}");
    assert_eq!(said.matches(" plays ").count(), table.history().len());
}

#[test]
fn persons_talk_and_agree() {
    let input = b"draw\ndecline\naccept\nsay Well\ndraw\naccept\n";
    let (said, table) = play("hexapawn:rows=3,cols=3", &["human", "human"], input);
    assert!(said.contains("Player 1 offers a draw. The others type accept or decline."), "{said}");
    assert!(said.contains("Nothing was offered to agree to."), "{said}");
    assert!(said.contains("Drawn by agreement."), "{said}");
    assert_eq!(table.deed(&table.history()[0]), "\"Well\"");
}

/// Somebody who types nothing and does not go.
struct Silent;

impl std::io::Read for Silent {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        std::thread::sleep(Duration::from_hours(1));
        Ok(0)
    }
}

#[test]
fn a_wish_to_stop_is_noticed_while_nobody_types_and_while_a_computer_thinks() {
    let folder = TempFolder::new("plain");
    for players in [["human", "first"], ["mcts:playouts=100000000", "human"]] {
        let keep = Keep::Near(folder.join("it's.rookery.jsonl"));
        let mut table = Table::begin(runtime(), agreed("fish", &players), &keep).unwrap();
        let stop = Stopping::new(Duration::ZERO);
        let raise = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            raise.request(Signal::Interrupt);
        });
        let (mut out, began) = (vec![], Instant::now());
        let left = plain::play(&mut table, BufReader::new(Silent), &mut out, &stop).unwrap();
        assert_eq!(left, Leave::Interrupted);
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        let said = String::from_utf8(out).unwrap();
        let last = said.lines().last().unwrap();
        assert!(last.starts_with("rookery play --resume '") && last.contains(r"it'\''s"), "{said}");
        let record = table.record().unwrap().to_owned();
        let again = Table::resume(runtime(), &record).unwrap();
        assert!(again.is_live(), "it goes on");
    }
}

#[test]
fn time_that_is_over_is_told_to_whoever_types_nothing() {
    let mut spec = agreed("hexapawn", &["human", "first"]);
    spec.time = "100ms".parse().unwrap();
    let mut table = Table::begin(runtime(), spec, &Keep::No).unwrap();
    let stop = Stopping::new(Duration::ZERO);
    let raise = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        raise.request(Signal::Interrupt);
    });
    let mut out = vec![];
    plain::play(&mut table, BufReader::new(Silent), &mut out, &stop).unwrap();
    let said = String::from_utf8(out).unwrap();
    assert_eq!(
        said.matches("You did not answer in time: ").count(),
        2,
        "when it happens and at the end: {said}"
    );
}
