//! What Stones reads, lists and refuses.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_games::stones::{Move, Neighbours, Position, Reason, Setup, Tile};
use rookery_rules::{Notation, Position as _, Seat, Setup as _};

fn at(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

#[test]
fn bad_setups_are_refused() {
    for (options, message) in [
        ("rows=1", "`rows=1` is not possible; `rows` takes a number from 2 to 16"),
        ("cols=17", "`cols=17` is not possible; `cols` takes a number from 1 to 16"),
        ("players=1", "`players=1` is not possible; `players` takes a number from 2 to 8"),
        ("stones=0", "`stones=0` is not possible; `stones` takes a number from 1 to 128, or auto"),
        ("neighbours=6", "`neighbours=6` is not possible; `neighbours` takes 8 | 4"),
        ("quiet=0", "`quiet=0` is not possible; `quiet` takes a number from 1 to 1000000"),
        (
            "stones=9",
            "`stones=9` is not possible; `stones` takes at most 8 here, for there is no room for more",
        ),
        (
            "rows=4,players=5",
            "`players=5` is not possible; `players` takes at most 4 with layout=rows and 4 rows: a row each",
        ),
        (
            "rows=2,cols=1,players=3,layout=ring",
            "`players=3` is not possible; `players` takes fewer: 2 x 1 tiles have no room for all of them",
        ),
        (
            "rows=3,cols=3,layout=ring,stones=5",
            "`stones=5` is not possible; `stones` takes at most 4 here, for there is no room for more",
        ),
        (
            "layout=02/..",
            "`layout=02/..` is not possible; `layout` takes a board with at least one stone of each player; 1 has none",
        ),
        (
            "layout=000",
            "`layout=000` is not possible; `layout` takes rows | corners | ring, or a board: a board has 2 to 16 rows, separated by `/`, of 1 to 16 tiles",
        ),
        (
            "layout=edges",
            "`layout=edges` is not possible; `layout` takes rows | corners | ring, or a board: a tile is a digit from 0 to 7, or `.` if it is free",
        ),
        (
            "layout=0/11",
            "`layout=0/11` is not possible; `layout` takes rows | corners | ring, or a board: all rows have the same number of tiles",
        ),
        (
            "layout=0/1,players=3",
            "`players=3` is not possible; `players` takes 2 with this layout, and need not be given",
        ),
        (
            "layout=0/1,rows=3",
            "`rows=3` is not possible; `rows` takes 2 with this layout, and need not be given",
        ),
        (
            "layout=0/1,stones=1",
            "`stones=1` is not possible; `stones` takes no number with a layout that is a board: its stones stand there",
        ),
    ] {
        assert_eq!(Setup::parse(options).unwrap_err().to_string(), format!("stones: {message}"), "{options}");
    }
    for options in ["layout=../..", "layout=0./..", "layout=08/1.", "layout=/", "layout=0/1/", "layout=é/1"]
    {
        assert!(Setup::parse(options).is_err(), "{options} is refused");
    }
}

#[test]
fn moves_as_text() {
    let mv = Move { from: Tile::new(0, 11), to: Tile::new(1, 10) };
    for text in ["0.11-1.10", "(0,11)-(1,10)", "(0,11)x(1,10)", "0.11x1.10"] {
        assert_eq!(text.parse(), Ok(mv), "{text}");
    }
    assert_eq!(mv.to_string(), "0.11-1.10");
    assert_eq!("255.0-0.255".parse::<Move>().unwrap().to_string(), "255.0-0.255");
    for text in [
        "",
        "-",
        "0.1",
        "0.1-",
        "0.1-1",
        "0.1-256.0",
        "00.1-1.0",
        "+0.1-1.0",
        "0.1 -1.0",
        "(0.1)-(1.0)",
        "(0,1-1,0)",
        "0,1-1,0",
        "0.1-1.0-2.0",
        ".1-1.0",
        "0.1--1.0",
        "٣.1-1.0",
    ] {
        assert!(text.parse::<Move>().is_err(), "{text:?} is no move");
    }
}

#[test]
fn legal_moves_in_their_order() {
    let texts = |position: &str| at(position).legal_moves().map(|mv| mv.to_string()).collect::<Vec<_>>();
    assert_eq!(
        texts("0 .../.0./1.0"),
        ["1.1-0.0", "1.1-0.1", "1.1-0.2", "1.1-1.0", "1.1-1.2", "1.1-2.0", "1.1-2.1", "2.2-1.2", "2.2-2.1"]
    );
    assert_eq!(
        texts("0 .../.0./1.0 neighbours=4"),
        ["1.1-0.1", "1.1-1.0", "1.1-1.2", "1.1-2.1", "2.2-1.2", "2.2-2.1"]
    );
    let adjacent = |text: &str, row, col| {
        at(text).board().neighbours(Tile::new(row, col)).map(|tile| tile.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(adjacent("0 0./.1", 0, 0), ["0.1", "1.0", "1.1"]);
    assert_eq!(adjacent("0 0./.1 neighbours=4", 1, 1), ["0.1", "1.0"]);
    assert_eq!(at("0 0./.1 neighbours=4").board().adjacency(), Neighbours::Four);
}

#[test]
fn refusals_say_why() {
    let mut position = at("0 00./.1./...");
    for (text, reasons, reason) in [
        ("5.5-2.2", vec![Reason::FromOutOfBounds], "'From' out of bounds"),
        ("0.1-0.3", vec![Reason::ToOutOfBounds], "'To' out of bounds"),
        (
            "3.0-0.3",
            vec![Reason::FromOutOfBounds, Reason::ToOutOfBounds],
            "'From' out of bounds, 'To' out of bounds",
        ),
        ("1.1-2.1", vec![Reason::FromNotOwn], "'From' not occupied by this player"),
        ("0.2-1.2", vec![Reason::FromNotOwn], "'From' not occupied by this player"),
        ("0.0-0.1", vec![Reason::ToOwn], "'To' occupied by this player"),
        (
            "1.1-0.0",
            vec![Reason::FromNotOwn, Reason::ToOwn],
            "'From' not occupied by this player, 'To' occupied by this player",
        ),
        (
            "255.255-0.0",
            vec![Reason::FromOutOfBounds, Reason::ToOwn],
            "'From' out of bounds, 'To' occupied by this player",
        ),
        ("0.0-2.0", vec![Reason::NotAdjacent], "'To' not adjacent to 'From'"),
        (
            "0.0-0.0",
            vec![Reason::ToOwn, Reason::NotAdjacent],
            "'To' occupied by this player, 'To' not adjacent to 'From'",
        ),
        (
            "2.2-0.0",
            vec![Reason::FromNotOwn, Reason::ToOwn, Reason::NotAdjacent],
            "'From' not occupied by this player, 'To' occupied by this player, 'To' not adjacent to 'From'",
        ),
    ] {
        let mv = text.parse().unwrap();
        assert_eq!(position.reasons(mv), reasons, "{text}");
        assert_eq!(position.play(mv).unwrap_err().reason, reason, "{text}");
    }
    assert_eq!(position.reasons("0.0-1.1".parse().unwrap()), []);
    let straight = at("0 00./.1./... neighbours=4");
    assert_eq!(straight.reason("0.0-1.1".parse().unwrap()), "'To' not adjacent to 'From'");
    let mut over = at("0 0./.. out=1");
    assert_eq!(over.play("0.0-0.1".parse().unwrap()).unwrap_err().reason, "the game is over");
}

#[test]
fn bad_positions_are_refused() {
    for (text, problem) in [
        ("", "it begins with a digit from 0 to 7, the player to move"),
        ("p1 0/1", "it begins with a digit from 0 to 7, the player to move"),
        ("8 0/1", "it begins with a digit from 0 to 7, the player to move"),
        ("0", "a board has 2 to 16 rows, separated by `/`, of 1 to 16 tiles"),
        ("0 01", "a board has 2 to 16 rows, separated by `/`, of 1 to 16 tiles"),
        ("0 01/.", "all rows have the same number of tiles"),
        ("0 0x/1.", "a tile is a digit from 0 to 7, or `.` if it is free"),
        ("0 0/.", "there are at least 2 players"),
        ("0 ../..", "there are at least 2 players"),
        ("0 0/2", "1 has no stone and is not among those who are out"),
        ("0 0/1 out=1", "1 is out but has a stone"),
        ("1 0/. out=1", "the player to move has no stone"),
        ("2 0/1", "the player to move has no stone"),
        ("0 0/1 out=2,2", "2 is out twice"),
        ("0 0/1 out=", "`out` has the players who are out, in order, such as `out=2,0`"),
        ("0 0/1 turn=3 quiet=4", "there are more quiet turns than turns"),
        ("0 0/1 turn=3 turn=4", "`turn` is given twice"),
        ("0 0/1 turn=10001", "`turn` is a count up to its limit, `turn=12` or `turn=12/10000`"),
        ("0 0/1 turn=0/0", "`turn` is a count up to its limit, `turn=12` or `turn=12/10000`"),
        ("0 0/1 turn=1/2000000", "`turn` is a count up to its limit, `turn=12` or `turn=12/10000`"),
        ("0 0/1 quiet=x", "`quiet` is a count up to its limit, `quiet=12` or `quiet=12/1000`"),
        (
            "0 0/1 neighbours=6",
            "behind the board there may be `neighbours=4`, `turn=40/10000`, `quiet=12/1000` and `out=2,0`, not `neighbours=6`",
        ),
    ] {
        assert_eq!(Position::from_text(text).unwrap_err().problem, problem, "{text:?}");
    }
    assert_eq!(at("1 -0/-1 turn=007 quiet=2").to_text(), "1 .0/.1 turn=7 quiet=2", "free tiles may be `-`");
    let full = vec!["0".repeat(16); 16].join("/");
    assert_eq!(at(&format!("0 {full} out=1")).board().count(Seat::new(0)), 256, "no stone is lost");
}
