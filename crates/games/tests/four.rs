//! Four in a row against its laws, its naive twin, its perft file and its golden game.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::path::Path;

use rookery_games::four::{Position, Setup};
use rookery_rules::{Notation, Outcome, Picture, Position as _, Seat, Seed, Setup as _, Status};
use rookery_testkit::{golden, laws, naive, perft_file};

fn setup(options: &str) -> Setup {
    Setup::parse(options).unwrap()
}

fn at(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

/// The position after these moves, each a letter.
fn after(options: &str, moves: &str) -> Position {
    let mut position = setup(options).start();
    for mv in moves.chars() {
        position.play(mv.to_string().parse().unwrap()).unwrap();
    }
    position
}

fn won_by(seat: u8) -> Status {
    Status::Over(Outcome::win(2, Seat::new(seat)))
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

/// Every setup there is.
fn all_setups() -> impl Iterator<Item = Setup> {
    let sizes = (3..=8).flat_map(|rows| (3..=8).map(move |cols| (rows, cols)));
    let all = sizes.flat_map(|(rows, cols)| (3..=6).map(move |line| Setup { rows, cols, line }));
    all.filter(|setup| setup.line <= setup.rows.max(setup.cols))
}

#[test]
fn laws_hold() {
    assert_eq!(all_setups().count(), 144 - 14, "14 have no room for the line");
    for setup in all_setups() {
        laws::check(&setup, 4, Seed(1));
    }
    laws::check(&Setup::default(), 40, Seed(2));
}

#[test]
fn agrees_with_the_naive_game() {
    naive::compare::<naive::four::Four>(&Setup::default(), 1000, Seed(3));
    for setup in all_setups() {
        naive::compare::<naive::four::Four>(&setup, 30, Seed(4));
    }
}

#[test]
fn perft() {
    perft_file::check::<Setup>(&tests_dir().join("four.perft"));
}

#[test]
fn golden_playthrough() {
    let text = golden::playthrough(&Setup::default(), Seed(4));
    golden::check(&tests_dir().join("playthroughs/four.txt"), &text);
}

#[test]
fn lines_win_in_every_direction() {
    for (text, mv) in [
        // Along a row at either edge, and five at once.
        ("p1 ......../222...../111.....", "d"),
        ("p1 ......../.....222/.....111", "e"),
        ("p1 ......../22.22.../11.11...", "c"),
        // Up a column, to the upper edge.
        ("p1 .../1.2/1.2/1.2", "a"),
        // Up to the right and up to the left, closed in the middle.
        ("p1 ...1/..12/2.21/1212", "b"),
        ("p1 1.../21../12.2/2121", "c"),
        // With the last free cell.
        ("p1 .11/221/212 line=3", "a"),
    ] {
        let mut position = at(text);
        assert_eq!(position.to_move(), Some(Seat::new(0)), "{text}");
        position.play(mv.parse().unwrap()).unwrap();
        assert_eq!(position.status(), won_by(0), "{mv} in {text}");
    }
    assert_eq!(after("", "agbgagbg").status(), won_by(1), "the second player wins too");
}

#[test]
fn no_line_goes_around_the_edge() {
    for text in [
        "p2 ......../1......./22..2111",
        "p2 1......./2......./2......1/1.....12/2....121",
        "p2 .....1../.....21./1....221/2....121",
    ] {
        assert_eq!(at(text).to_move(), Some(Seat::new(1)), "{text}");
    }
}

#[test]
fn a_full_board_without_a_line_is_a_draw() {
    let mut position = at("p1 .12/221/112 line=3");
    position.play("a".parse().unwrap()).unwrap();
    assert_eq!(position.to_text(), "p2 112/221/112 line=3");
    assert_eq!(position.status(), Status::Over(Outcome::draw(2)));
    assert!(position.to_string().ends_with("a draw: the board is full"));
}

#[test]
fn bad_setups_are_refused() {
    for (options, message) in [
        ("rows=2", "`rows` takes a number from 3 to 8"),
        ("cols=9", "`cols` takes a number from 3 to 8"),
        ("line=7", "`line` takes a number from 3 to 6"),
        (
            "rows=3,cols=3",
            "four: `line=4` is not possible; `line` takes at most 3 with 3 rows and 3 columns: a longer line has no room",
        ),
        ("rows=5,cols=4,line=6", "`line` takes at most 5 with 5 rows and 4 columns"),
    ] {
        let error = Setup::parse(options).unwrap_err().to_string();
        assert!(error.contains(message), "{options}: {error}");
    }
    assert_eq!(setup("rows=3,cols=6,line=6").spec(), "four:rows=3,cols=6,line=6");
}

#[test]
fn bad_positions_are_refused() {
    let row = "p1 or p2, the player to move";
    let size = "3 to 8 rows, separated by `/`, of 3 to 8 cells";
    for (text, problem) in [
        ("", row),
        ("p3 ..../..../....", row),
        ("p1", size),
        ("p1 ..../....", size),
        ("p1 ../../..", size),
        ("p1 ........./........./.........", size),
        ("p1 ..../..../..../..../..../..../..../..../....", size),
        ("p1 ..../.../....", "the same number"),
        ("p1 ..../..../..3.", "1, 2 or ."),
        ("p1 ..../..../..\u{e9}", "1, 2 or ."),
        ("p2 ..../..1./....", "hangs in the air"),
        ("p1 1.../2.../....", "hangs in the air"),
        ("p1 ..../..../1...", "p1 is to move when"),
        ("p2 ..../..../12..", "p1 is to move when"),
        ("p1 ..../..../2...", "p1 is to move when"),
        ("p1 .../.../...", "longer than both sides"),
        ("p1 ..../..../.... line=5", "longer than both sides"),
        ("p1 ..../..../.... line=2", "3 to 6"),
        ("p1 ......./......./....... line=7", "3 to 6"),
        ("p1 ..../..../.... line=", "3 to 6"),
        ("p1 1111/2222/....", "hangs in the air"),
        ("p1 ..../2222/1111", "has a line"),
        ("p2 ..../222./1111 left=p1", "the game is over"),
        ("p1 ..../..../.... left=p3", "behind the board"),
        ("p1 ..../..../.... left=p1 line=4", "behind its end"),
        ("p1 ..../..../.... left=p1 left=p2", "behind its end"),
    ] {
        let error = Position::from_text(text).expect_err(text).to_string();
        assert!(error.contains(problem), "{text:?}: {error}");
    }
}

#[test]
fn refusals_say_why() {
    let mut position = at("p1 1.../2.../1.2.");
    for (text, reason) in
        [("a", "column a is full"), ("e", "the board has columns a to d, and no e"), ("h", "no h")]
    {
        let error = position.play(text.parse().unwrap()).unwrap_err();
        assert!(error.reason.ends_with(reason), "{text}: {}", error.reason);
    }
    for text in ["", "i", "A", "aa", "1", "b0", "b2", "b3", "b9", "a4", "e1", "i1", "\u{e9}1", "b1 "] {
        assert!(position.parse_move(text).is_err(), "{text:?} is no move here");
    }
    for (text, mv) in [("b", "b"), ("b1", "b"), ("c2", "c"), ("a", "a"), ("h", "h")] {
        assert_eq!(position.parse_move(text).unwrap().to_string(), mv, "a full column has a letter too");
    }
}

#[test]
fn moves_are_shown_where_the_stone_lands() {
    let scene = at("p1 1.../2.../1.2.").scene();
    let shown: Vec<_> = scene.moves.iter().map(|mv| (&*mv.id, &mv.from, mv.to.as_deref())).collect();
    assert_eq!(shown, [("b", &None, Some("b1")), ("c", &None, Some("c2")), ("d", &None, Some("d1"))]);
    let top = scene.cell("a3").unwrap().centre;
    let bottom = scene.cell("a1").unwrap().centre;
    assert!(top.y < bottom.y, "row 1 is at the bottom");
}

#[test]
fn prospects_are_the_open_lines_of_both() {
    let prospects = |options, moves| {
        let position = after(options, moves);
        let [first, second] = [0, 1].map(|seat| position.prospects(Seat::new(seat)));
        assert_eq!(first, -second);
        first
    };
    assert_eq!(prospects("", ""), 0);
    assert_eq!(prospects("", "a"), 3 * 3, "three lines with one stone");
    assert_eq!(prospects("", "d"), 7 * 3, "four along the row, one up, two diagonals");
    assert_eq!(prospects("", "ag"), 0);
    // Player 1 fills b1 to e1, for a1 is taken; player 2 has one stone in the line from a2.
    assert_eq!(prospects("rows=3,cols=5", "bac"), 12);
    assert_eq!(prospects("rows=3,cols=5", "bacad"), 60 - 3);
}
