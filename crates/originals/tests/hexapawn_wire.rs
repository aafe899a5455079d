//! Hexapawn's first protocol on a wire, byte for byte.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod hexapawn_common;

use std::time::Duration;

use hexapawn_common::{PATIENCE, Script, TURN, Text, builtin, match_between, ready, sentence, verdict_of};
use rookery_live::Guest;
use rookery_originals::hexapawn::Spoken;
use rookery_originals::hexapawn::log::{ClassicLog, PlainLog};
use rookery_originals::hexapawn::records::Dialect;

const SEED: Spoken = Spoken::Seed(Dialect::Readme);

#[tokio::test]
async fn the_sequence_of_a_match() {
    let (one, p1) = Script::new(&["move(f(1 3) t(2 3))", "move(f(2 3) t(3 3))", "move(f(3 3) t(4 2))"]);
    let (two, p2) =
        Script::new(&["move(f(9 9) t(1 1))", "move(f(4 1) t(3 1))", "nonsense(", "move(f(1 1) t(1 1))"]);
    let verdict = match_between(SEED, 4, 3, one, two).await;
    assert_eq!(verdict.ending.cause.word(), "illegal_move");
    let board = |rows: &str| format!("< request(board:board({rows}))\n");
    let b0 = board("row(p1 p1 p1) row(empty empty empty) row(empty empty empty) row(p2 p2 p2)");
    let b1 = board("row(p1 p1 empty) row(empty empty p1) row(empty empty empty) row(p2 p2 p2)");
    let b2 = board("row(p1 p1 empty) row(empty empty p1) row(p2 empty empty) row(empty p2 p2)");
    let b3 = board("row(p1 p1 empty) row(empty empty empty) row(p2 empty p1) row(empty p2 p2)");
    assert_eq!(
        p1.finish().await,
        format!("{b0}> move(f(1 3) t(2 3))\n{b2}> move(f(2 3) t(3 3))\n< gameEnded(winner:p1)\n")
    );
    assert_eq!(
        p2.finish().await,
        format!(
            "{b1}> move(f(9 9) t(1 1))\n{b1}> move(f(4 1) t(3 1))\n{b3}> nonsense(\n{b3}> move(f(1 1) t(1 1))\n\
             < gameEnded(winner:p1)\n"
        )
    );
}

#[tokio::test]
async fn fault_t14_two_illegal_moves_in_one_turn_lose() {
    let (one, p1) = Script::new(&["move(f(1 1) t(3 1))", "move(f(3 1) t(2 1))"]);
    let (two, p2) = Script::new(&[]);
    let verdict = match_between(SEED, 3, 3, one, two).await;
    assert_eq!((verdict.ending.cause.word(), verdict.plies), ("illegal_move", 0));
    let sentence = sentence(&verdict);
    assert!(sentence.contains("sent a3-a2: player 1 has no pawn on a3"), "{sentence}");
    assert!(p1.finish().await.ends_with("< gameEnded(winner:p2)\n"));
    assert_eq!(p2.finish().await, "< gameEnded(winner:p2)\n");
}

#[tokio::test]
async fn fault_t06_whoever_speaks_out_of_turn_loses_at_once_whatever_is_said() {
    for words in ["move(f(3 1) t(2 1))", "%$#!", "gameEnded(winner:p2)"] {
        let (one, p1) = Script::silent();
        let (two, p2) = Script::hasty(words);
        let verdict = match_between(SEED, 3, 3, one, two).await;
        assert_eq!(verdict.ending.cause.word(), "out_of_turn", "{words}");
        assert!(p1.finish().await.ends_with("< gameEnded(winner:p1)\n"));
        assert_eq!(p2.finish().await, format!("> {words}\n< gameEnded(winner:p1)\n"));
    }
}

#[tokio::test]
async fn fault_t05_a_second_answer_is_out_of_turn() {
    let (one, p1) = Script::new(&["move(f(1 1) t(2 1))\nmove(f(1 2) t(2 2))"]);
    let (two, _p2) = Script::silent();
    let verdict = match_between(SEED, 3, 3, one, two).await;
    assert_eq!(verdict.ending.cause.word(), "out_of_turn");
    assert!(p1.finish().await.ends_with("< gameEnded(winner:p2)\n"));
}

#[tokio::test]
async fn the_other_dialect_has_another_word_for_a_move() {
    for (dialect, word, cause, plies) in [
        (Dialect::Code, "mv", "illegal_move", 2),
        (Dialect::Code, "move", "malformed", 0),
        (Dialect::Readme, "mv", "malformed", 0),
    ] {
        // The first time it is a legal move.
        let answer = format!("{word}(f(1 1) t(2 1))");
        let (one, _p1) = Script::new(&[&answer, &answer, &answer]);
        let verdict = match_between(Spoken::Seed(dialect), 3, 3, one, builtin("first")).await;
        assert_eq!((verdict.ending.cause.word(), verdict.plies), (cause, plies), "{dialect:?} {word}");
    }
}

/// The log of a match of the original's player against itself, or of scripts.
async fn classic(rows: u8, cols: u8, scripts: Option<[&[&str]; 2]>) -> String {
    let (guests, _talks) = match scripts {
        None => (vec![builtin("first"), builtin("first")], vec![]),
        Some([one, two]) => {
            let ((one, talk1), (two, talk2)) = (Script::new(one), Script::new(two));
            (vec![one, two], vec![talk1, talk2])
        }
    };
    let text = Text::default();
    let (ready, _) = ready(SEED, (rows, cols), guests, TURN, None).await;
    verdict_of(ready.with_observer(ClassicLog(text.clone()))).await;
    text.take()
}

#[tokio::test]
async fn the_console_text_of_the_original() {
    let expected = "
Sending request to p1
Received a message from p1.
From (1 3) to (2 3)
+-------+
| 1 1 . |
| . . 1 |
| 2 2 2 |
+-------+

Sending request to p2
Received a message from p2.
From (3 2) to (2 3)
+-------+
| 1 1 . |
| . . 2 |
| 2 . 2 |
+-------+

Sending request to p1
Received a message from p1.
From (1 2) to (2 3)
+-------+
| 1 . . |
| . . 1 |
| 2 . 2 |
+-------+

Sending request to p2
Received a message from p2.
From (3 1) to (2 1)
+-------+
| 1 . . |
| 2 . 1 |
| . . 2 |
+-------+
Game ended because there are no more moves possible.

Player p2 has won!
p1: I am defeated. :(
p2: Yay! :)
";
    assert_eq!(classic(3, 3, None).await, expected);
    assert_eq!(classic(5, 5, None).await, include_str!("hexapawn_classic_5x5.txt"));
}

#[tokio::test]
async fn the_console_text_of_faults() {
    let two_illegal = classic(3, 3, Some([&["x", "y"], &[]])).await;
    assert_eq!(
        two_illegal,
        "
Sending request to p1
Received a message from p1.
Player p1's move is invalid.
-> Player p1's move is invalid is given a second chance.

Sending request to p1
Received a message from p1.
Player p1's move is invalid.
-> Player p1 loses because of two illegal moves.

Player p2 has won!
p1: I am defeated. :(
p2: Yay! :)
"
    );
    let hasty = classic(3, 3, Some([&["move(f(1 1) t(2 1))\nmove(f(1 2) t(2 2))"], &[]])).await;
    let end = "Received a message from p1.\nPlayer p1 did not wait his/her turn!\n\nPlayer p2 has won!\n";
    assert!(hasty.contains(end), "{hasty}");
}

#[tokio::test]
async fn the_plain_text() {
    let text = Text::default();
    let log = PlainLog { out: text.clone(), dialect: Dialect::Code };
    let guests = vec![builtin("first"), builtin("first")];
    let (ready, _) = ready(SEED, (3, 3), guests, TURN, None).await;
    verdict_of(ready.with_observer(log)).await;
    assert_eq!(
        text.take(),
        "+-------+
| 1 1 1 |
| . . . |
| 2 2 2 |
+-------+
p1: mv(f(1 3) t(2 3))  c1-c2
p2: mv(f(3 2) t(2 3))  b3xc2
p1: mv(f(1 2) t(2 3))  b1xc2
p2: mv(f(3 1) t(2 1))  a3-a2
+-------+
| 1 . . |
| 2 . 1 |
| . . 2 |
+-------+
p2 has won after 4 moves: p1 cannot move
"
    );
}

#[tokio::test]
async fn fault_j01_who_does_not_come_loses_and_the_other_is_told() {
    use rookery_referee::{Fault, Offence};
    let (one, p1) = Script::new(&[]);
    let absent = Guest::Absent(Fault::new(Offence::NoShow, "nobody connected"));
    let verdict = match_between(SEED, 3, 3, one, absent).await;
    assert_eq!(verdict.ending.cause.word(), "no_show");
    assert_eq!(p1.finish().await, "< gameEnded(winner:p1)\n");
}

#[tokio::test]
async fn fault_19_an_empty_line_is_refused_at_once() {
    let (one, p1) = Script::new(&["", " \r"]);
    let (two, _p2) = Script::silent();
    let start = std::time::Instant::now();
    let (ready, _) = ready(SEED, (3, 3), vec![one, two], PATIENCE, None).await;
    let verdict = verdict_of(ready).await;
    assert!(start.elapsed() < PATIENCE / 2, "nobody waits for the clock");
    assert_eq!(verdict.ending.cause.word(), "malformed");
    let evidence = verdict.ending.evidence.clone().unwrap();
    assert_eq!((evidence.note.as_str(), evidence.refused), ("which is no record: an empty line", 1));
    assert_eq!(p1.finish().await.matches("< request(").count(), 2, "it has its second chance");
}

#[tokio::test]
async fn fault_12_a_time_out_says_which_answer_was_awaited_and_what_had_arrived() {
    let (ours, mut theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(ours);
    let one = hexapawn_common::linked(|protocol| {
        rookery_wire::Connection::new(reader, writer, "a slow one", protocol.framing, protocol.bounds)
    });
    let slow = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut request = [0; 8];
        theirs.read_exact(&mut request).await.unwrap();
        theirs.write_all(b"move(f(1 1) t(").await.unwrap();
        let mut rest = vec![];
        theirs.read_to_end(&mut rest).await.unwrap();
    });
    let (ready, _) = ready(SEED, (3, 3), vec![one, builtin("first")], Duration::from_millis(200), None).await;
    let verdict = verdict_of(ready).await;
    assert_eq!(verdict.ending.cause.word(), "timeout");
    let evidence = verdict.ending.evidence.unwrap();
    assert_eq!(evidence.sent.as_deref(), Some("`move(f(1 1) t(`"));
    assert_eq!(evidence.expected.as_deref(), Some("move(f(row col) t(row col)) as the answer to request"));
    slow.await.unwrap();
}
