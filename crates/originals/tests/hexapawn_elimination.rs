//! Hexapawn's second protocol: size, elimination, play.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod hexapawn_common;

use std::time::Duration;

use hexapawn_common::{PATIENCE, Script, TURN, agreed_match, builtin, linked, ready, sentence, verdict_of};
use rookery_games::hexapawn::{Position, Setup};
use rookery_live::Guest;
use rookery_originals::hexapawn::Spoken;
use rookery_originals::hexapawn::client::{Client, Told};
use rookery_originals::hexapawn::elimination::settle_size;
use rookery_originals::hexapawn::records::{Dialect, PlayerType};
use rookery_record::{Archive as _, Key, OneFile, verify};
use rookery_referee::{Event, EventOf, Observer, Verdict};
use rookery_wire::TransportExt as _;

const PROTOCOL: Spoken = Spoken::Elimination;

/// What both were told and said, and how it ended.
async fn scripted(one: &[&str], two: &[&str]) -> (Verdict, String, String) {
    let ((one, p1), (two, p2)) = (Script::new(one), Script::new(two));
    let (_, verdict) = agreed_match(PROTOCOL, 5, 5, one, two).await;
    (verdict, p1.finish().await, p2.finish().await)
}

/// Who lost, and why.
fn loser(verdict: &Verdict) -> (PlayerType, &'static str) {
    (PlayerType::at(verdict.ending.seat.unwrap()), verdict.ending.cause.word())
}

#[tokio::test]
async fn the_sequence_with_two_pawns_each_and_a_second_chance() {
    let (verdict, p1, p2) = scripted(
        &[
            "firstElimination(col:4 k:2 row:1)",
            "eliminate(1 2)",
            "move(f(1 1) t(3 1))",
            "move(f(1 1) t(2 1))",
            "move(f(9 9) t(9 9))",
            "resign",
        ],
        &["size(5 6)", "eliminate(5 2)", "eliminate(5 4)", "move(f(5 1) t(4 1))"],
    )
    .await;
    assert_eq!(
        p1,
        "< r(other:size(5 6) request:firstElimination)
> firstElimination(col:4 k:2 row:1)
< r(other:eliminate(5 2) request:elimination(1))
> eliminate(1 2)
< r(other:eliminate(5 4) request:move(false))
> move(f(1 1) t(3 1))
< r(other:eliminate(5 4) request:move(true))
> move(f(1 1) t(2 1))
< r(other:move(f(5 1) t(4 1)) request:move(false))
> move(f(9 9) t(9 9))
< r(other:move(f(5 1) t(4 1)) request:move(true))
> resign
< gameEnded(winner:p2)
",
        "on a second chance `other` is the other player's last answer"
    );
    assert_eq!(
        p2,
        "< r(other:nil request:size)
> size(5 6)
< r(other:firstElimination(k:2 row:1 col:4) request:elimination(2))
> eliminate(5 2)
< r(other:eliminate(1 2) request:elimination(1))
> eliminate(5 4)
< r(other:move(f(1 1) t(2 1)) request:move(false))
> move(f(5 1) t(4 1))
< gameEnded(winner:p2)
"
    );
    assert_eq!(loser(&verdict), (PlayerType::P1, "malformed"));
}

#[tokio::test]
async fn with_no_pawns_to_take_off_nobody_is_sent_its_own_answer() {
    for none in ["firstElimination(k:0 row:9 col:77)", "firstElimination(k:0)"] {
        let (verdict, p1, p2) = scripted(&[none, "move(f(1 1) t(2 1))"], &["size(5 5)", "x", "y"]).await;
        assert!(p1.contains("< r(other:size(5 5) request:move(false))\n> move"), "{p1}");
        assert!(p2.contains("< r(other:move(f(1 1) t(2 1)) request:move(false))\n> x\n"), "{p2}");
        assert_eq!(loser(&verdict), (PlayerType::P2, "malformed"));
    }
}

#[tokio::test]
async fn a_wrong_size_loses_at_once() {
    for size in ["size(4 5)", "size(5 9)", "size(5)", "size(a b)", "size(5 5 5)", "what?", "size(~5 5)"] {
        let (verdict, p1, p2) = scripted(&[], &[size]).await;
        assert_eq!(loser(&verdict), (PlayerType::P2, "malformed"), "{size}");
        assert_eq!(p1, "< gameEnded(winner:p1)\n");
        assert_eq!(p2, format!("< r(other:nil request:size)\n> {size}\n< gameEnded(winner:p1)\n"));
    }
}

#[tokio::test]
async fn fewer_than_half_of_the_columns_are_taken_off() {
    for (cols, k, cause) in
        [(5, 3, "illegal_move"), (6, 3, "illegal_move"), (8, 4, "illegal_move"), (8, 300, "illegal_move")]
    {
        let first = format!("firstElimination(k:{k} row:1 col:1)");
        let (verdict, p1, _) = scripted(&[&first, &first], &[&format!("size(5 {cols})")]).await;
        assert_eq!(loser(&verdict), (PlayerType::P1, cause), "{k} of {cols}");
        assert_eq!(verdict.plies, 0);
        assert_eq!(p1.matches('>').count(), 1, "there is no second chance: {p1}");
        assert!(p1.ends_with("< gameEnded(winner:p2)\n"));
    }
    for (cols, k) in [(5, 2), (6, 2), (7, 3), (8, 3)] {
        let first = format!("firstElimination(k:{k} row:1 col:1)");
        let (verdict, _, p2) = scripted(&[&first], &[&format!("size(5 {cols})"), "eliminate(9 9)"]).await;
        assert!(p2.contains(&format!("request:elimination({k})")), "{k} of {cols}: {p2}");
        assert_eq!(loser(&verdict), (PlayerType::P2, "illegal_move"));
    }
}

#[tokio::test]
async fn before_play_whoever_errs_loses_and_never_wins() {
    let size = "size(5 5)";
    let first = "firstElimination(k:1 row:1 col:1)";
    for (one, two, loses, cause) in [
        // Player 1, instead of its first answer.
        (vec!["eliminate(1 1)"], vec![size], PlayerType::P1, "malformed"),
        (vec!["nothing"], vec![size], PlayerType::P1, "malformed"),
        (vec!["firstElimination(k:~1 row:1 col:1)"], vec![size], PlayerType::P1, "malformed"),
        (vec!["firstElimination(k:1)"], vec![size], PlayerType::P1, "malformed"),
        (vec!["firstElimination(k:1 row:2 col:1)"], vec![size], PlayerType::P1, "illegal_move"),
        (vec!["firstElimination(k:1 row:5 col:1)"], vec![size], PlayerType::P1, "illegal_move"),
        (vec!["firstElimination(k:1 row:1 col:0)"], vec![size], PlayerType::P1, "illegal_move"),
        // Player 2, instead of its elimination.
        (vec![first], vec![size, "eliminate(1 2)"], PlayerType::P2, "illegal_move"),
        (vec![first], vec![size, "eliminate(4 2)"], PlayerType::P2, "illegal_move"),
        (vec![first], vec![size, "move(f(5 1) t(4 1))"], PlayerType::P2, "malformed"),
        (vec![first], vec![size, "eliminate"], PlayerType::P2, "malformed"),
    ] {
        let (verdict, p1, p2) = scripted(&one, &two).await;
        assert_eq!(loser(&verdict), (loses, cause), "{one:?} {two:?}");
        let winner = loses.other();
        for talk in [p1, p2] {
            assert!(talk.ends_with(&format!("< gameEnded(winner:{winner})\n")), "{talk}");
        }
    }
}

/// Tells the rulings on every offence.
struct Rulings(std::sync::mpsc::Sender<&'static str>);

impl Observer<Position> for Rulings {
    fn see(&mut self, event: &EventOf<Position>, _: &Position) {
        if let Event::Fouled(foul) = event {
            self.0.send(foul.ruling.word()).unwrap();
        }
    }
}

/// The rulings on every offence of a match, in order; its record was verified.
async fn rulings(one: &[&str], two: &[&str]) -> Vec<&'static str> {
    let guests = vec![Script::new(one).0, Script::new(two).0];
    let folder = rookery_testkit::TempFolder::new("hexapawn-rulings");
    let path = folder.join("game.rookery.jsonl");
    let slot = OneFile::new(&path, false).open(&Key::first(1)).unwrap();
    let (ready, _) = ready(PROTOCOL, (5, 5), guests, TURN, Some(slot)).await;
    let (sender, rulings) = std::sync::mpsc::channel();
    let verdict = verdict_of(ready.with_observer(Rulings(sender))).await;
    let record = std::fs::read(path).unwrap();
    assert_eq!(verify::<Setup>(&record[..]).unwrap().verdict, Some(verdict));
    rulings.iter().collect()
}

#[tokio::test]
async fn a_second_chance_is_given_only_once_the_pawns_move() {
    let (size, first) = ("size(5 5)", "firstElimination(k:1 row:1 col:1)");
    for (one, two) in [
        // Whoever is asked for a decision before play and gives a bad one, loses by it.
        (vec!["what?", first], vec![size]),
        (vec!["firstElimination(k:3 row:1 col:1)", first], vec![size]),
        (vec!["firstElimination(k:1 row:2 col:1)", first], vec![size]),
        (vec![first], vec![size, "what?", "eliminate(5 1)"]),
        (vec![first], vec![size, "eliminate(4 1)", "eliminate(5 1)"]),
    ] {
        assert_eq!(rulings(&one, &two).await, ["removed"], "{one:?} {two:?}");
    }
    let bad = "move(f(1 1) t(9 9))";
    let good = "move(f(1 2) t(2 2))";
    let two = [size, "eliminate(5 1)", "what?", "what?"];
    assert_eq!(rulings(&[first, bad, good], &two).await, ["ask_again", "ask_again", "removed"]);
}

#[tokio::test]
async fn fault_t06_player_1_must_wait_for_the_size() {
    let ((one, p1), (two, p2)) = (Script::hasty("size(8 8)"), Script::silent());
    let (_, verdict) = agreed_match(PROTOCOL, 5, 5, one, two).await;
    assert_eq!(loser(&verdict), (PlayerType::P1, "out_of_turn"));
    assert!(p1.finish().await.ends_with("< gameEnded(winner:p2)\n"));
    assert!(p2.finish().await.ends_with("< gameEnded(winner:p2)\n"));
}

#[tokio::test]
async fn fault_t01_who_names_no_size_in_time_loses() {
    let ((one, _p1), (two, _p2)) = (Script::silent(), Script::silent());
    let mut guests = [one, two];
    assert_eq!(settle_size(&mut guests, (5, 5), Duration::from_millis(30)).await, None);
    let Guest::Linked(link, _) = &mut guests[1] else { panic!("it is still told how it ended") };
    let fault = link.receive().await.unwrap_err();
    assert_eq!((fault.offence.word(), fault.evidence.note.as_str()), ("timeout", "no size within 30ms"));
    let expected = "size(N M), both from 5 to 8, as the answer to size";
    assert_eq!(fault.evidence.expected.as_deref(), Some(expected));
}

/// One of our players on the other side of the wire, in a task.
fn client(spec: &str, size: (u8, u8)) -> Guest {
    use rookery_catalog::{Hexapawn, strategy};
    use rookery_search::Budget;
    use rookery_wire::Connection;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let wire = |stream, protocol: rookery_wire::Protocol| {
        let (reader, writer) = tokio::io::split(stream);
        Connection::new(reader, writer, "a client", protocol.framing, protocol.bounds)
    };
    let mut wire_of_client = wire(theirs, PROTOCOL.protocol());
    let mut mind = strategy::<Hexapawn>(&spec.parse().unwrap()).unwrap().0;
    tokio::spawn(async move {
        let mut client = Client::new(None, Dialect::Readme, size);
        while let Ok(message) = wire_of_client.receive().await {
            let mut told = client.hear(&message).unwrap();
            while let Told::Decide(position) = told {
                told = client.decided(mind.choose(&position, &Budget::default()));
            }
            let Told::Send(record) = told else { return };
            wire_of_client.send(format!("{record}\n").as_bytes()).await.unwrap();
        }
    });
    linked(|protocol| wire(ours, protocol))
}

#[tokio::test]
async fn whole_matches_of_clients_are_those_of_players_at_the_table() {
    for spec in ["heuristic", "first", "random"] {
        for size in [(5, 5), (6, 8), (8, 8)] {
            let local = agreed_match(PROTOCOL, size.0, size.1, builtin(spec), builtin(spec)).await.1;
            let (one, two) = (client(spec, (7, 7)), client(spec, size));
            let played = tokio::time::timeout(PATIENCE, agreed_match(PROTOCOL, 5, 5, one, two));
            let (settled, remote) = played.await.unwrap();
            assert_eq!(settled, Some(size));
            assert_eq!(remote.ending.cause.word(), "normal", "{spec} {size:?}: {}", sentence(&remote));
            if spec != "random" {
                assert_eq!(remote, local, "{spec} {size:?}");
            }
        }
    }
    // The known result: 34 moves after the choice and six removals.
    let verdict = agreed_match(PROTOCOL, 8, 8, builtin("heuristic"), client("heuristic", (8, 8))).await.1;
    assert_eq!(verdict.plies, 34 + 7);
    assert!(verdict.outcome.unwrap().winners.contains(PlayerType::P2.seat()));
}

#[test]
fn a_client_survives_a_referee_with_the_defects_of_the_original() {
    let mut client = Client::new(None, Dialect::Readme, (5, 5));
    let mut decide = |message: &str, mv: &str| {
        let Ok(Told::Decide(_)) = client.hear(message.as_bytes()) else {
            panic!("{message}: a decision is wanted")
        };
        client.decided(mv.parse().unwrap())
    };
    let sent = |told: Told| {
        let Told::Send(record) = told else { panic!("an answer") };
        record.to_string()
    };
    let first = sent(decide("r(other:size(5 5) request:firstElimination)", "k=0"));
    // It is sent its own answer, and after a refusal its own move.
    let message = format!("r(other:{first} request:move(false))");
    let mv = sent(decide(&message, "a1-a2"));
    let again = sent(decide(&format!("r(other:{mv} request:move(true))"), "b1-b2"));
    assert_eq!(again, "move(f(1 2) t(2 2))");
    let reply = decide("r(other:move(f(5 1) t(4 1)) request:move(false))", "c1-c2");
    assert_eq!(sent(reply), "move(f(1 3) t(2 3))");
}

#[test]
fn a_client_complains_about_a_referee_that_makes_no_sense() {
    for (message, problem) in [
        ("hello", "expected request(board:B)"),
        ("r(other:nil request:dance)", "which is unknown"),
        ("r(other:nil request:move(false))", "before the size is known"),
        ("r(other:size(99 5) request:firstElimination)", "is no size"),
        ("request(board:board(row(p2) row(empty)))", "the game on its board is over"),
        ("((", "which is no record"),
    ] {
        let error = Client::new(None, Dialect::Readme, (5, 5)).hear(message.as_bytes()).unwrap_err();
        assert!(error.contains(problem), "{message}: {error}");
    }
}
