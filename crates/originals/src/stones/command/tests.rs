//! The dialogue, with every mistake that can be typed.

use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

/// What is shown to somebody who types this.
fn session(flags: &[&str], typed: &[u8]) -> anyhow::Result<String> {
    let args = Cli::parse_from([&["stones"], flags].concat()).args;
    let mut out = vec![];
    let view = View::Board { clears: false, delay: Duration::ZERO };
    let mut keyboard = Keyboard::new(io::Cursor::new(typed.to_vec()), || false);
    let stop = Stopping::new(Duration::ZERO);
    let mut place = Place {
        keyboard: &mut keyboard,
        out: &mut out,
        err: ErrorOutput::new(io::sink()),
        stop: &stop,
        go_on: "rookery stones --resume",
    };
    dialogue(&args.table, view, &mut place)?;
    Ok(String::from_utf8(out).unwrap())
}

fn shown(flags: &[&str], typed: &str) -> String {
    session(flags, typed.as_bytes()).unwrap()
}

const TWO_PEOPLE: &[&str] = &["--width", "2", "--height", "3", "--player", "human", "--player", "human"];

#[test]
fn questions_are_asked_again_until_the_answer_will_do() {
    for bad in ["0", "17", "-1", "1.5", "x", "99999999999999999999", "8 8", "\u{1b}[2J"] {
        let shown = shown(&[], &format!("{bad}\n5\n"));
        let typed = bad.replace('\u{1b}', "\u{fffd}");
        let problem = format!("`{typed}` will not do; type a number from 1 to 16, or nothing for 8\n");
        assert!(shown.contains(&problem), "{shown}");
        assert!(shown.contains("Height (2 to 16) [8]: "), "{shown}");
        assert!(shown.ends_with("The input ended; no game was played.\n"), "{shown}");
    }
    // Three rows have room for three players.
    let few = shown(&[], "4\n3\n4\n3\n");
    assert!(few.contains("Players (2 to 3) [2]: `4` will not do"), "{few}");
    for bad in ["99", "-1", "nobody", "", "cmd:", "tcp:x", "mcts:playouts=0"] {
        let shown = shown(&[], &format!("\n\n\n{bad}\n1\n"));
        assert!(shown.contains(&format!("`{bad}` is no type; type a number from 0 to ")), "{shown}");
        assert!(shown.contains("Type of player 1 (0 to "), "{shown}");
    }
}

#[test]
fn the_end_of_the_input_leaves_at_every_question() {
    let answers = ["3\n", "3\n", "2\n", "0\n", "1\n", "0,0 1,0\n"];
    for n in 0..=answers.len() {
        let shown = shown(&[], &answers[..n].concat());
        let end =
            if n < 5 { "The input ended; no game was played.\n" } else { "You left; the game stops here.\n" };
        assert!(shown.ends_with(end), "after {n}: {shown}");
    }
}

#[test]
fn moves_are_asked_again_until_one_is_legal() {
    for (bad, expected) in [
        ("", "`` is no move; type two tiles"),
        ("hello", "`hello` is no move; type two tiles"),
        ("0,0", "`0,0` is no move"),
        ("0,0 1,0 2,0", "`0,0 1,0 2,0` is no move"),
        ("0,0 1,x", "`0,0 1,x` is no move"),
        ("0,0 -1,0", "`0,0 -1,0` is no move"),
        ("0,0 999,0", "`0,0 999,0` is no move"),
        ("0,0 9,9", "0.0-9.9 is not possible: 'To' out of bounds"),
        ("0,0 0,1", "0.0-0.1 is not possible: 'To' occupied by this player"),
        ("2.0-1.0", "2.0-1.0 is not possible: 'From' not occupied by this player"),
        ("(0,0)-(2,0)", "0.0-2.0 is not possible: 'To' not adjacent to 'From'"),
        ("moves", "0.0-1.0 0.0-1.1 0.1-1.0 0.1-1.1\n"),
        ("help", "moves the stone in row 1, column 0"),
    ] {
        let shown = shown(TWO_PEOPLE, &format!("{bad}\n0,0 1,0\nquit\n"));
        assert!(
            shown.contains(&format!("Player 0, your move (help for help): {expected}"))
                || (bad == "help" && shown.contains(expected)),
            "{bad}: {shown}"
        );
        assert!(shown.contains("\nMove 0 (0,0) (1,0)\n"), "{bad}: {shown}");
        assert!(shown.ends_with("You left; the game stops here.\n"), "{bad}: {shown}");
    }
}

#[test]
fn what_is_typed_is_bounded_and_need_not_be_text() {
    let long = format!("{}\n0,0 1,0\n", "a".repeat(100_000));
    let seen = shown(TWO_PEOPLE, &long);
    assert!(seen.contains(&format!("`{}..` is no move", "a".repeat(40))), "{seen}");
    assert!(seen.contains("\nMove 0 (0,0) (1,0)\n"), "{seen}");
    let odd = session(TWO_PEOPLE, b"\xff\xfe\x1b[2J\n0,0 1,0\n").unwrap();
    assert!(odd.contains("Move 0 (0,0) (1,0)") && !odd.contains('\u{1b}'), "{odd}");
}

#[test]
fn resigning_and_chat() {
    let shown = shown(TWO_PEOPLE, "say good luck\n0,0 1,0\nresign\n");
    assert!(shown.contains("Player 0 says: good luck\n"), "{shown}");
    assert!(shown.contains("Hit 1 (2,0)\n") && shown.contains("PlayerLost 1\n"), "{shown}");
    assert!(shown.ends_with("Player 0 has won after 1 move.\n"), "{shown}");
}

#[test]
fn draws_say_why() {
    let flags =
        ["--width", "2", "--height", "5", "--setup", "quiet=2", "--player", "first", "--player", "first"];
    let shown = shown(&flags, "");
    assert!(
        shown.ends_with(
            "The game ended after 2 moves, and nobody won alone: a draw: 2 turns without a hit.\n\
             Players 0, 1 share the first place.\n"
        ),
        "{shown}"
    );
}

#[test]
fn command_lines_that_make_no_table_are_explained() {
    for (flags, expected) in [
        (&["--width", "3", "--height", "3", "--player", "random"][..], "1 players are named; give --player"),
        (&["--setup", "rows=1", "--player", "random", "--player", "random"], "`rows=1` is not possible"),
        (&["--setup", "layout=01./2..", "--player", "random", "--player", "random"], "`players=2`"),
        (
            &["--width", "3", "--height", "3", "--player", "random", "--player", "minimax"],
            "stones has no player `minimax`",
        ),
    ] {
        let error = session(flags, b"").unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
