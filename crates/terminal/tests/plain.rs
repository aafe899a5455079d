//! Play line by line: whatever comes in, nothing but plain lines goes out.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufReader, Cursor};
use std::time::{Duration, Instant};

use common::{agreed, runtime, table};
use rookery_live::{Signal, Stopping};
use rookery_terminal::plain::Explain;
use rookery_terminal::{Keep, Leave, Table, plain};
use rookery_testkit::TempFolder;

fn play(spec: &str, players: &[&str], input: &[u8]) -> (String, Table) {
    play_explained(Explain::No, spec, players, input)
}

fn play_explained(explain: Explain, spec: &str, players: &[&str], input: &[u8]) -> (String, Table) {
    let mut table = table(spec, players);
    let mut out = vec![];
    // A small buffer, so that lines are cut anywhere.
    let input = BufReader::with_capacity(7, Cursor::new(input.to_vec()));
    plain::play(&mut table, explain, input, &mut out, &Stopping::new(Duration::ZERO)).unwrap();
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
        let left = plain::play(&mut table, Explain::No, BufReader::new(Silent), &mut out, &stop).unwrap();
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
    plain::play(&mut table, Explain::No, BufReader::new(Silent), &mut out, &stop).unwrap();
    let said = String::from_utf8(out).unwrap();
    assert_eq!(
        said.matches("You did not answer in time: ").count(),
        2,
        "when it happens and at the end: {said}"
    );
}

#[test]
fn each_step_of_a_guided_game_is_explained() {
    let (said, _) =
        play_explained(Explain::Yes, "hexapawn:rows=3,cols=3", &["human", "first"], b"b2\na1xb2\nresign\n");
    let summary = rookery_catalog::game("hexapawn").unwrap().summary();
    let aim: String = summary.chars().skip(1).collect();
    assert_eq!(said.matches(&aim).count(), 2, "at the beginning and at the end: {said}");
    let steps: Vec<&str> = said.lines().filter(|line| line.contains("You can move from")).collect();
    assert_eq!(steps.len(), 3, "{said}");
    assert!(steps[0].ends_with(
        "You can move from a1, b1, c1: type a move, for example c1-c2. `moves` lists all, `hint` names a good one."
    ));
    assert!(steps[1].starts_with("Player 2 (first): c3 takes on b2. You can move from "), "{}", steps[1]);
    let last = said.lines().find(|line| line.contains("This is what it was about: ")).unwrap();
    assert!(
        last.starts_with("The last move was ") && last.ends_with("`restart` begins another match."),
        "{last}"
    );
}

#[test]
fn the_move_that_a_guide_names_can_be_typed_in_every_game() {
    for game in rookery_catalog::CATALOG {
        let (spec, mut moves) = (game.name(), vec![]);
        for _ in 0..4 {
            let (said, table) =
                play_explained(Explain::Yes, spec, &["human", "first"], moves.join("\n").as_bytes());
            assert!(!said.contains("llegal"), "{said}");
            let named = said.rsplit_once("for example ").unwrap().1.split_once(". `moves`").unwrap().0;
            assert!(table.position().moves().iter().any(|legal| legal == named), "{spec}: {named}");
            moves.push(named.to_owned());
        }
    }
}

#[test]
fn explanations_are_offered_begun_and_ended() {
    let offered = "New here? Type guide, and each step is explained to you.";
    let spec = "fish:rows=4,cols=3,fish=1";
    let (said, _) = play_explained(Explain::Offer, spec, &["human", "first"], b"guide\n0.0\nguide\n1.0\n");
    assert_eq!(said.matches(offered).count(), 1, "{said}");
    let placing = said.lines().filter(|line| line.contains("You can place a piece on"));
    let placing: Vec<&str> = placing.collect();
    assert_eq!(placing.len(), 2, "when it begins and after the next move, and then no more: {said}");
    assert!(placing[0].contains("on 12 cells: ") && placing[1].contains("on 10 cells: "), "{placing:?}");
    assert!(said.contains("No more explanations; `guide` brings them back."), "{said}");
    let (said, _) = play(spec, &["human", "first"], b"0.0\n");
    assert!(!said.contains(offered) && !said.contains("You can place"), "{said}");
}
