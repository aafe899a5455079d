//! The lines of Stones' protocol, one by one, without any connection.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_catalog::{PlayerSpec, Stones, strategy};
use rookery_games::stones::{Move, Position};
use rookery_originals::stones::{LineCodec, Thinker, Update, attend};
use rookery_referee::{Event, Offence};
use rookery_rules::{Notation, Seed};
use rookery_wire::Codec;

/// What a codec says of an answer, at its first turn.
fn judged(answer: &[u8]) -> Result<(), rookery_referee::Failure> {
    let position = Position::from_text("1 000/.../111 turn=1").unwrap();
    let mut codec = LineCodec::new();
    codec.news(&Event::Started(Box::new(position.clone())), &position);
    codec.answer(answer, &position).map(|_| ())
}

fn offence_of(answer: &[u8]) -> Offence {
    match judged(answer) {
        Err(rookery_referee::Failure::Fault(fault)) => fault.offence,
        other => panic!("{}: {other:?}", String::from_utf8_lossy(answer)),
    }
}

#[test]
fn fault_t08_bytes_that_are_no_text_are_malformed() {
    let cases: [&[u8]; 5] = [
        b"{\"chat\":\"\xff\"}",
        b"\xef\xbb\xbf{\"chat\":\"a\"}",
        b"{\"chat\":\"\\ud800\"}",
        b"{\"chat\":\"\\u0000\"}",
        b"\0",
    ];
    for case in cases {
        assert_eq!(offence_of(case), Offence::Malformed, "{case:?}");
    }
}

#[test]
fn fault_t10_deep_nesting_is_malformed() {
    assert_eq!(offence_of(&[b'['; 8000]), Offence::Malformed);
    assert_eq!(offence_of("{\"move\":".repeat(1000).as_bytes()), Offence::Malformed);
}

#[test]
fn fault_t11_t12_t13_only_the_documented_form_is_read() {
    assert_eq!(judged(br#"{"move":{"from":[2,0],"to":[1,0]}}"#), Ok(()));
    assert_eq!(judged(br#" { "move" : {"to":[1,0],"player":1,"turn":1,"from":[2,0]} } "#), Ok(()));
    assert_eq!(offence_of(br#"{"move":{"from":[2,0],"to":[1,0],"turn":0}}"#), Offence::OutOfTurn);
    for bad in [
        // Numbers.
        r#"{"move":{"from":[2.0,0],"to":[1,0]}}"#,
        r#"{"move":{"from":[1e0,0],"to":[1,0]}}"#,
        r#"{"move":{"from":[01,0],"to":[1,0]}}"#,
        r#"{"move":{"from":[99999999999999999999999,0],"to":[1,0]}}"#,
        r#"{"move":{"from":["2",0],"to":[1,0]}}"#,
        // Fields.
        r#"{"move":{"from":[2,0],"to":[1,0],"speed":9}}"#,
        r#"{"move":{"from":[2,0],"from":[2,0],"to":[1,0]}}"#,
        r#"{"move":{"from":[2,0]}}"#,
        r#"{"move":{"from":[2,0,0],"to":[1,0]}}"#,
        r#"{"move":{"from":[2,0],"to":[1,0]},"chat":"a"}"#,
        r#"{"Move":{"from":[2,0],"to":[1,0]}}"#,
        "{}",
        "null",
        // More than one value.
        r#"{"chat":"a"}{"chat":"b"}"#,
        r#"{"chat":"a"} x"#,
    ] {
        assert_eq!(offence_of(bad.as_bytes()), Offence::Malformed, "{bad}");
    }
}

#[test]
fn a_message_that_is_no_move_is_told_so() {
    let Err(rookery_referee::Failure::Fault(fault)) = judged(br#"{"message":"TurnTo","player":1}"#) else {
        panic!("it is refused")
    };
    assert_eq!(fault.evidence.note, "Not a MOVE message");
    assert!(fault.evidence.expected.unwrap().starts_with("{\"move\":"));
}

/// What player 0 is told when 1 takes its last stone, and then 2 moves.
fn told_after_its_loss(mut codec: LineCodec) -> Vec<String> {
    let mut position = Position::from_text("1 01.2/....").unwrap();
    codec.news(&Event::Started(Box::new(position.clone())), &position);
    let mut lines = vec![];
    for mv in ["0.1-0.0", "0.3-0.2"] {
        let mv: Move = mv.parse().unwrap();
        let seat = rookery_rules::Position::to_move(&position).unwrap();
        rookery_rules::Position::play(&mut position, mv).unwrap();
        for note in codec.news(&Event::Moved { seat, mv, charge: None, info: None }, &position) {
            let update: Update = serde_json::from_slice(&note.message).unwrap();
            lines.push(update.message.to_string());
        }
    }
    lines
}

#[test]
fn who_has_lost_is_told_the_rest_or_not() {
    let all =
        ["Hit 0 (0,0)", "PlayerLost 0", "Move 1 (0,1) (0,0)", "TurnTo 2", "Move 2 (0,3) (0,2)", "TurnTo 1"];
    assert_eq!(told_after_its_loss(LineCodec::new()), all);
    assert_eq!(told_after_its_loss(LineCodec::new().without_eliminated()), all[..2]);
}

#[test]
fn a_referee_that_speaks_otherwise_is_no_referee_of_stones() {
    fn attended(lines: &str) -> String {
        let player: PlayerSpec = "first".parse().unwrap();
        let make = |time| Thinker::new(strategy::<Stones>(&player).unwrap().0, time, Seed(1));
        attend(lines.as_bytes(), std::io::sink(), make).unwrap_err().to_string()
    }
    let hello = "{\"message\":\"Init\",\"player\":0,\"players\":2,\"time_ms\":null}\n";
    let turn = "{\"message\":\"TurnTo\",\"player\":0,\"state\":{\"board\":[[0],[9]],\"player\":0,\"turn\":0,\
                \"playing\":[true,true],\"stage\":\"playing\",\"neighbours\":8}}\n";
    for (lines, expected) in [
        (String::new(), "the referee closed the connection before the game was over"),
        (hello.to_owned(), "the referee closed the connection before the game was over"),
        (format!("{hello}{{\"message\""), "the referee closed the connection before the game was over"),
        (
            "HTTP/1.1 400 Bad Request\n".to_owned(),
            "the referee sent what is no message of Stones: expected value",
        ),
        (hello.replace('2', "9"), "the referee sent what is no message of Stones: we are player 0 of 9"),
        (hello.replace('0', "3"), "the referee sent what is no message of Stones: we are player 3 of 2"),
        (format!("{hello}{turn}"), "the referee sent what is no message of Stones: "),
        (
            format!("{hello}{}", turn.replace("[9]", "[1,1]")),
            "the referee sent what is no message of Stones: ",
        ),
        (
            format!("{hello}{}", turn.replace("\"turn\":0", "\"turn\":0,\"x\":1")),
            "the referee sent what is no message of Stones: unknown field",
        ),
        (
            format!("{hello}{}", turn.replace("\"state\"", "\"x\":1,\"state\"")),
            "the referee sent what is no message of Stones: unknown field",
        ),
        (
            "a".repeat(70_000),
            "the referee sent what is no message of Stones: a line of more than 65536 bytes",
        ),
    ] {
        let text = attended(&lines);
        assert!(text.starts_with(expected), "{text}");
    }
}
