//! The dialogue of the original.

use std::fmt::Write as _;
use std::fs;

use super::*;

/// Where the part begins that the recorded dialogue has.
fn from_the_first_board(said: &str) -> &str {
    &said[said.find("player 1: o\n").expect("a game begins")..]
}

#[test]
fn the_recorded_dialogue_comes_out_byte_for_byte() {
    let folder = rookery_testkit::reference_data().join("renpaarden");
    let read = |name| fs::read_to_string(folder.join(name));
    let (Ok(input), Ok(output)) = (read("dialogue-in.txt"), read("dialogue-out.txt")) else {
        let folder = folder.display();
        rookery_testkit::tell_skipped(&format!("the recorded dialogue: {folder} has none; set ROOKERY_DATA"));
        return;
    };
    let (expected, death) =
        output.split_at(output.rfind("ERROR:").expect("the original dies at the end of input"));
    assert!(death.contains("end_of_file"), "{death}");
    let said = talk(&["--classic"], &input);
    assert_eq!(from_the_first_board(&said), format!("{expected}end of input, the game stops here\n"));
}

#[test]
fn every_mistake_has_the_words_of_the_original() {
    let ask = "choose X and Y to play: (0 - 8)";
    let list = "Valid moves: [(1,6)]\nchoose index of move to use:";
    for (input, expected) in [
        // Outside of the board, and what is no number.
        ("9. 0.", format!("{ask}\ninput error\n{ask}\n")),
        ("0. -1.", format!("{ask}\ninput error\n{ask}\n")),
        ("foo. 1.", format!("{ask}\ninput error\n{ask}\n")),
        ("(1,2). 1.", format!("{ask}\ninput error\n{ask}\n")),
        // The enemy's, and nobody's.
        ("0. 0.", format!("{ask}\ninvalid cell, not your piece\n{ask}\n")),
        ("4. 4.", format!("{ask}\ninvalid cell, not your piece\n{ask}\n")),
        // X and Y are asked for again after a wrong index; the index after the last is refused without a word.
        ("0. 8. 2.", format!("{ask}\n{list}\ninvalid index\n{ask}\n")),
        ("0. 8. -1.", format!("{ask}\n{list}\ninvalid index\n{ask}\n")),
        ("0. 8. a.", format!("{ask}\n{list}\ninvalid index\n{ask}\n")),
        ("0. 8. 1.", format!("{ask}\n{list}\n{ask}\n")),
    ] {
        let said = talk(&["--classic"], &format!("1.\n{input}\n"));
        let at = said.find(ask).unwrap();
        assert_eq!(said[at..], format!("{expected}end of input, the game stops here\n"), "{input}");
    }
    // Player 1 puts a piece on the only cell where the one in the corner could go.
    let said = talk(&["--classic"], "1.\n2. 8. 0.\n0. 1. 0.\n0. 8.\n");
    let none = "Valid moves: []\nno possible move from that cell\nchoose X and Y to play";
    assert!(said.contains(none), "{}", end(&said, 5));
}

#[test]
fn a_menu_answer_that_is_none_is_asked_for_again() {
    for bad in ["0.", "5.", "one.", "\"1\"."] {
        let said = talk(&["--classic"], &format!("{bad}\n1.\n"));
        assert_eq!(count(&said, "choose a game mode: (1 - 4)"), 2, "{bad}");
        assert!(said.contains("input error\n") && said.contains("player 1: o\n"), "{said}");
    }
    assert!(talk(&["--classic"], "").ends_with("end of input, the game stops here\n"));
    assert!(talk(&["--classic"], "halt.\n").ends_with("end of input, the game stops here\n"));
}

/// The answers that play these hops.
fn answers(hops: &[(Position, Move)]) -> String {
    let mut text = String::new();
    for (before, hop) in hops {
        if before.chain().is_none() {
            let (x, y) = before.x_y(hop.from);
            write!(text, "{x}.\n{y}.\n").unwrap();
        }
        let index = before.moves_from(hop.from).position(|mv| mv == *hop).unwrap();
        writeln!(text, "{index}.").unwrap();
    }
    text
}

#[test]
fn a_whole_game_ends_with_a_winner_and_another_may_follow() {
    let hops = good_game("");
    let record = fresh();
    let options = ["--classic", "--record", record.to_str().unwrap()];
    let said = talk(&options, &format!("1.\n{}maybe.\ny.\n1.\n", answers(&hops)));
    assert_eq!(count(&said, "moved piece in position"), hops.len());
    let winner = hops.last().unwrap().0.to_move().unwrap().index() + 1;
    assert!(said.contains(&format!("player {winner} wins!\nwant to play again? (y/n)input error\n")));
    // One empty line after the board, not the two that come before a player's box.
    assert!(said.contains(&format!(" X\n\nplayer {winner} wins!\n")), "{}", end(&said, 8));
    assert_eq!(count(&said, "player 1: o\n"), 2, "another game");
    assert_eq!(verified(&record), (hops.len() as u64, "normal".to_owned()));
    let said = talk(&["--classic"], &format!("1.\n{}n.\n", answers(&hops)));
    assert!(said.ends_with("want to play again? (y/n)"), "{}", end(&said, 3));
}

#[test]
fn computers_take_their_seats() {
    // The person is asked first, or second after one turn of the computer.
    let said = talk(&["--classic"], "2.\n4. 7. 3.\n");
    let boxes = |said: &str, player| count(said, &format!("|  player {player} |"));
    assert!(boxes(&said, 1) == 2 && boxes(&said, 2) >= 1, "{said}");
    let said = talk(&["--classic"], "3.\n");
    assert!(said.contains("moved piece") && boxes(&said, 2) == 1, "{said}");
    // Two computers go on until the game itself is drawn.
    let said = talk(&["--classic"], "4.\nn.\n");
    assert!(said.contains("nobody wins: the game has become too long\nwant to play again? (y/n)"));
}

#[test]
fn fault_18_the_computer_lists_the_hops_of_every_piece_it_tries() {
    let said = talk(&["--classic"], "4.\nn.\n");
    let lines: Vec<&str> = said.lines().collect();
    let mut position = Setup::default().start();
    let (mut n_hops, mut n_tries) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        let Some(cells) = line.strip_prefix("moved piece in position ") else { continue };
        let numbers: Vec<u8> = cells.split([':', ' ']).filter_map(|word| word.parse().ok()).collect();
        let [from, to] = [0, 2].map(|i| position.cell_at(numbers[i], numbers[i + 1]).unwrap());
        let list: Vec<String> = position
            .moves_from(from)
            .map(|hop| position.x_y(hop.to))
            .map(|(x, y)| format!("({x},{y})"))
            .collect();
        // The list, an empty line, the announcement; before the list those of pieces that cannot move.
        assert_eq!(lines[at - 2], format!("Valid moves: [{}]", list.join(",")), "hop {n_hops}");
        let tries = lines[..at - 2].iter().rev().take_while(|line| **line == "Valid moves: []").count();
        assert_eq!(lines[at - 3 - tries], " -----------", "hop {n_hops}");
        position.play(Move { from, to }).unwrap();
        (n_hops, n_tries) = (n_hops + 1, n_tries + tries);
    }
    assert!(n_hops > 1000 && n_tries > 0, "{n_hops} hops, {n_tries} pieces that could not move");
}

#[test]
fn options_that_the_original_has_not_are_refused() {
    for option in
        [["--game", "renpaarden"], ["--level", "hard"], ["--think", "1s"], ["--mode", "player-player"]]
    {
        let error = try_talk(&[&["--classic"], option.as_slice()].concat(), "").unwrap_err();
        assert!(error.to_string().contains("cannot be used with"), "{error}");
    }
}
