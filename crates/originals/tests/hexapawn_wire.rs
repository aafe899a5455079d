//! Hexapawn's first protocol on a wire, byte for byte.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod hexapawn_common;

use std::time::Duration;

use hexapawn_common::{Script, builtin, match_between, terms};
use rookery_originals::hexapawn::host::{Chair, Protocol, agree, host};
use rookery_originals::hexapawn::log::{ClassicLog, PlainLog};
use rookery_originals::hexapawn::records::Dialect;

const SEED: Protocol = Protocol::Seed(Dialect::Readme);

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
    assert!(
        verdict.ending.sentence.contains("sent a3-a2: player 1 has no pawn on a3"),
        "{}",
        verdict.ending.sentence
    );
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
        let verdict = match_between(Protocol::Seed(dialect), 3, 3, one, builtin("first")).await;
        assert_eq!((verdict.ending.cause.word(), verdict.plies), (cause, plies), "{dialect:?} {word}");
    }
}

/// The log of a match of the original's player against itself, or of scripts.
async fn classic(rows: u8, cols: u8, scripts: Option<[&[&str]; 2]>) -> String {
    let (mut chairs, _talks) = match scripts {
        None => ([builtin("first"), builtin("first")], vec![]),
        Some([one, two]) => {
            let ((one, talk1), (two, talk2)) = (Script::new(one), Script::new(two));
            ([one, two], vec![talk1, talk2])
        }
    };
    let agreed = agree(&mut chairs, SEED, rows, cols, Duration::from_secs(1)).await;
    let mut text = vec![];
    host(chairs, &agreed, &terms(), &mut ClassicLog(&mut text)).await;
    String::from_utf8(text).unwrap()
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
    let mut chairs = [builtin("first"), builtin("first")];
    let agreed = agree(&mut chairs, SEED, 3, 3, Duration::from_secs(1)).await;
    let mut text = vec![];
    let mut log = PlainLog { out: &mut text, dialect: Dialect::Code };
    host(chairs, &agreed, &terms(), &mut log).await;
    assert_eq!(
        String::from_utf8(text).unwrap(),
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
    let absent = Chair::Absent(Fault::new(Offence::NoShow, "nobody connected"));
    let verdict = match_between(SEED, 3, 3, one, absent).await;
    assert_eq!(verdict.ending.cause.word(), "no_show");
    assert_eq!(p1.finish().await, "< gameEnded(winner:p1)\n");
}
