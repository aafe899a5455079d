//! Hexapawn against its laws, its naive twin, its perft file and its golden game.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::path::Path;

use rookery_games::hexapawn::{Board, Cell, Move, Position, Setup, Square};
use rookery_rules::{Notation, Position as _, Seat, Seed, Setup as _, Status};
use rookery_testkit::{golden, laws, naive, perft_file};

fn setup(options: &str) -> Setup {
    Setup::parse(options).unwrap()
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

#[test]
fn laws_hold() {
    for rows in 2..=8 {
        for cols in 1..=8 {
            laws::check(&setup(&format!("rows={rows},cols={cols}")), 4, Seed(1));
        }
    }
    for options in [
        "eliminate=1",
        "eliminate=2",
        "cols=8,eliminate=3",
        "eliminate=choose",
        "rows=2,cols=1,eliminate=choose",
    ] {
        laws::check(&setup(options), 40, Seed(2));
    }
}

#[test]
fn agrees_with_the_naive_game() {
    for (options, n_games) in [
        ("", 4000),
        ("rows=3,cols=3", 2000),
        ("rows=8,cols=8", 1000),
        ("rows=2,cols=8", 500),
        ("rows=8,cols=1", 500),
        ("eliminate=2", 1000),
        ("rows=8,cols=8,eliminate=choose", 1000),
        ("rows=6,cols=7,eliminate=choose", 1000),
    ] {
        naive::compare::<naive::hexapawn::Hexapawn>(&setup(options), n_games, Seed(3));
    }
}

#[test]
fn perft() {
    perft_file::check::<Setup>(&tests_dir().join("hexapawn.perft"));
}

/// How many games there are in all, and how many of them the first player wins.
fn complete_games(position: &Position) -> (u64, u64) {
    match position.status() {
        Status::Over(outcome) => (1, u64::from(outcome.winners.contains(Seat::new(0)))),
        Status::ToMove(_) => position.legal_moves().fold((0, 0), |(games, wins), mv| {
            let mut child = position.clone();
            child.play_unchecked(mv);
            let (more_games, more_wins) = complete_games(&child);
            (games + more_games, wins + more_wins)
        }),
    }
}

#[test]
fn all_games_of_small_boards() {
    assert_eq!(complete_games(&setup("rows=3,cols=3").start()), (134, 64));
    for (rows, cols, games) in
        [(3, 4, 3610), (4, 3, 5022), (3, 5, 141_000), (5, 3, 153_612), (4, 4, 2_330_356)]
    {
        assert_eq!(
            complete_games(&setup(&format!("rows={rows},cols={cols}")).start()).0,
            games,
            "{rows} x {cols}"
        );
    }
}

#[test]
fn golden_playthrough() {
    let text = golden::playthrough(&setup("rows=4,cols=4,eliminate=choose"), Seed(4));
    golden::check(&tests_dir().join("playthroughs/hexapawn.txt"), &text);
}

/// Plays the first move of the list until the end, as the original's player does.
fn first_against_first(rows: u8, cols: u8) -> (usize, u32, bool) {
    let mut position = setup(&format!("rows={rows},cols={cols}")).start();
    let mut plies = 0;
    while let Some(mv) = { position.legal_moves().next() } {
        position.play(mv).unwrap();
        plies += 1;
    }
    let Status::Over(outcome) = position.status() else { panic!("no moves, no end") };
    let winner = outcome.winners.iter().next().unwrap();
    (winner.index() + 1, plies, position.board().has_reached(winner))
}

#[test]
fn the_first_move_of_the_list_against_itself() {
    // Winner, plies, whether by reaching the far row; columns 3 to 8.
    let table = [
        (3, [(2, 4, false), (2, 6, false), (1, 7, false), (1, 9, false), (2, 10, false), (2, 12, false)]),
        (4, [(1, 9, true); 6]),
        (5, [(2, 14, true), (2, 14, false), (1, 13, true), (1, 13, true), (1, 13, true), (1, 13, true)]),
        (6, [(1, 9, true); 6]),
        (7, [(1, 17, false), (1, 11, true), (1, 11, true), (1, 11, true), (1, 11, true), (1, 11, true)]),
        (8, [(1, 23, true), (2, 28, false), (1, 13, true), (1, 13, true), (1, 13, true), (1, 13, true)]),
    ];
    for (rows, results) in table {
        for (cols, expected) in (3..).zip(results) {
            assert_eq!(first_against_first(rows, cols), expected, "{rows} x {cols}");
        }
    }
}

#[test]
fn the_board_functions_of_the_original() {
    let board = Board::init(5, 5).set(Cell::Empty, Square::new(0, 4)).set(Cell::P1, Square::new(1, 4));
    assert_eq!(board.to_list()[1][4], Cell::P1);
    assert_eq!(
        Board::init(3, 3).set(Cell::P1, Square::new(3, 0)),
        Board::init(3, 3),
        "outside: the same board"
    );

    let texts = |player| {
        Board::init(5, 5).valid_moves_for(Seat::new(player)).map(|mv| mv.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(texts(0), ["e1-e2", "d1-d2", "c1-c2", "b1-b2", "a1-a2"]);
    assert_eq!(texts(1), ["e5-e4", "d5-d4", "c5-c4", "b5-b4", "a5-a4"]);
}

#[test]
fn a_pawn_can_stand_on_both_far_rows() {
    let board = Board::init(3, 3).set(Cell::P1, Square::new(2, 0)).set(Cell::P2, Square::new(0, 2));
    let both = [0, 1].map(Seat::new);
    assert_eq!(both.map(|player| board.has_reached(player)), [true, true]);
    // The pawns on the far rows have no moves; the others keep theirs.
    let pawn = |from: (u8, u8), to: (u8, u8)| Move::Pawn {
        from: Square::new(from.0, from.1),
        to: Square::new(to.0, to.1),
    };
    let moves = both.map(|player| board.valid_moves_for(player).collect::<Vec<_>>());
    assert_eq!(moves[0], [pawn((0, 1), (1, 1)), pawn((0, 0), (1, 0))]);
    assert_eq!(moves[1], [pawn((2, 2), (1, 2)), pawn((2, 1), (1, 1))]);
}

#[test]
fn the_blocked_player_loses() {
    for (text, winner) in [("p1 1/2", 2), ("p2 .1/.2", 1), ("p1 .../.2./1.2", 1), ("p2 ..1/1../...", 1)] {
        let position = Position::from_text(text).unwrap();
        let Status::Over(outcome) = position.status() else { panic!("{text}: nobody can move") };
        assert_eq!(
            outcome.winners.iter().map(|seat| seat.index() + 1).collect::<Vec<_>>(),
            [winner],
            "{text}"
        );
    }
}

#[test]
fn bad_positions_are_refused() {
    for text in [
        "",
        "p1",
        "p3 11/22",
        "p1 11",
        "p1 11/2",
        "p1 1x/22",
        "p1 11/22 off=9",
        "p1 11/22 off=4",
        "p1 11/22 choose more",
        "p1 111111111/222222222",
    ] {
        assert!(Position::from_text(text).is_err(), "{text:?} is refused");
    }
}

#[test]
fn refusals_say_why() {
    let mut position = setup("rows=3,cols=3").start();
    for (text, reason) in [
        ("b2-b3", "player 1 has no pawn on b2"),
        ("b3-b2", "player 1 has no pawn on b3"),
        ("a1-a3", "a pawn steps one row towards the far side onto an empty square, so not from a1 to a3"),
        ("a1xb2", "a pawn takes an enemy pawn one square diagonally ahead, so not from a1 on b2"),
        ("c1xd2", "d2 lies outside the board"),
        ("off=a1", "the pawns are moving already"),
        ("k=1", "the pawns are moving already"),
    ] {
        let error = position.play(text.parse().unwrap()).unwrap_err();
        assert_eq!(error.reason, reason, "{text}");
    }
}
