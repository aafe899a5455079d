//! The dialogue of today.

use std::fmt::Write as _;

use super::*;

#[test]
fn every_entry_of_the_menu_seats_its_players() {
    let first = "Player 1 (o): X and Y of a piece, or hops> ";
    let second = "Player 2 (x): X and Y of a piece, or hops> ";
    let said = talk(&[], "1\ne2-f4\n");
    assert!(said.contains(first) && said.contains(second) && !said.contains("seed"), "{said}");
    let said = talk(&[], "2\nmedium\ne2-f4\n");
    assert!(count(&said, first) == 2 && !said.contains(second), "{said}");
    let said = talk(&[], "3\n4\ne8-d6\n");
    assert!(count(&said, second) == 2 && !said.contains(first), "{said}");
    let said = talk(&["--game", "renpaarden:width=5,height=5"], "4\n3\n\nn\n");
    assert!(!said.contains(first) && !said.contains(second), "{said}");
    assert_eq!(count(&said, "How strong is the computer"), 2);
    assert!(said.contains(" wins after "), "{}", end(&said, 4));
    assert!(said.ends_with("Play again? (y/n)> n\nGood bye.\n"), "{}", end(&said, 4));
    let said = talk(&[], "5\n");
    assert!(said.ends_with("Your choice (1 to 5)> 5\nGood bye.\n"), "{said}");
}

#[test]
fn wrong_answers_before_a_game_are_explained_and_asked_again() {
    for bad in ["0", "6", "x", "", "1 2", "-1", "99999999999999999999"] {
        let said = talk(&[], &format!("{bad}\n1\n"));
        assert!(said.contains(&format!("`{bad}` is not in the menu. Type a number from 1 to 5.")), "{said}");
        assert_eq!(count(&said, "Your choice (1 to 5)> "), 2);
        assert!(said.contains("In goal: "), "the game begins");
    }
    for (bad, why) in [
        ("6", "`6` is no level: renpaarden has no player `6`"),
        ("medum", "did you mean `medium`?"),
        ("hard:depth=3", "hard has no key `depth`"),
        ("a:b:c", "is no player spec"),
        ("\u{1b}[2J", "`\u{fffd}[2j` is no level: it is no player spec"),
    ] {
        let said = talk(&[], &format!("2\n{bad}\n\n"));
        assert!(said.contains(why), "{said}");
        assert_eq!(count(&said, "Level (1 to 5, or Enter for medium)> "), 2);
        assert!(said.contains("In goal: "), "the game begins");
    }
    let said = talk(&[], "undo\nresign\nhelp\nrules\n2\nhelp\n");
    assert_eq!(count(&said, "No game goes on now"), 2, "{said}");
    assert!(said.contains("Type the number of who plays") && said.contains("like a chess knight"), "{said}");
    assert!(said.contains("any player of the game by name"), "{said}");
}

#[test]
fn a_wrong_answer_changes_nothing_and_the_question_comes_again() {
    let piece = "Player 1 (o): X and Y of a piece, or hops";
    let hop = "Player 1 (o): number of the hop (0 to 2)";
    for (typed, why, again) in [
        ("5 0", "X is a number from 0 to 4, not 5.", piece),
        ("0 5", "Y is a number from 0 to 4, not 5.", piece),
        ("9", "X is a number from 0 to 4, not 9.", piece),
        ("1\nx", "`x` is no number, so the piece is asked for again.", piece),
        ("1\n7", "Y is a number from 0 to 4, not 7.", piece),
        ("2 2", "2:2 (c3) is empty. Choose one of your own pieces.", piece),
        ("0 0", "The piece on 0:0 (a5) is not yours.", piece),
        ("k9", "k9 lies outside the board of 5 x 5.", piece),
        (
            "1 2 3",
            "`1 2 3` is no piece and no move. Type X and Y (4 7), a cell (e2), or hops (e2-f4).",
            piece,
        ),
        ("-1 3", "`-1 3` is no piece and no move.", piece),
        ("hello", "`hello` is no piece and no move.", piece),
        ("\u{1b}[2J", "`\u{fffd}[2j` is no piece and no move.", piece),
        ("b2-b3", "b2-b3 is not possible: a piece hops like a chess knight, so not from b2 to b3.", piece),
        ("b2-d3-b4", "The turn ends on d3: leave the rest away.", piece),
        ("b2-d1", "player 1 has a piece of its own on d1", piece),
        ("a5-b3", "player 1 has no piece on a5", piece),
        ("b2>b3x", "is no move; expected a turn `b1>d5`", piece),
        ("c3>d5", "2:2 (c3) is empty", piece),
        ("b2>c4", "No chain of hops from b2 can end on c4.", piece),
        ("b2\n3", "3 is not in the list. Type a number from 0 to 2.", hop),
        ("b2\nfoo", "`foo` is no number of the list, no cell and no chain of hops.", hop),
        ("b2\nb3", "b2-b3 is not possible", hop),
        ("b2\n9 9", "9:9 lies outside the board.", hop),
        ("b2\na4-e5", "a4-e5 is not possible", hop),
        ("back", "There is nothing to go back to", piece),
        ("undo", "There is nothing to take back yet.", piece),
    ] {
        let said = talk(&SMALL, &format!("{typed}\n"));
        assert!(said.contains(why), "{typed:?}: {said}");
        assert!(said.ends_with(&format!("{again}> \nThe input has ended. Good bye.\n")), "{typed:?}: {said}");
        assert!(!said.contains("Player 2 (x)"), "nothing was played: {said}");
    }
}

#[test]
fn a_piece_is_chosen_in_many_ways() {
    for chosen in ["1 3", "1,3", "(1, 3)", "1:3", "1\n3", "b2", "B2", " b2 "] {
        let said = talk(&SMALL, &format!("{chosen}\nback\n"));
        assert!(said.contains("The piece on 1:3 (b2) can hop to\n   0  0:1 (a4)"), "{chosen}: {said}");
        assert_eq!(count(&said, "Player 1 (o): X and Y of a piece, or hops> "), 2, "{chosen}: {said}");
    }
    for target in ["1", "3 2", "d3", "b2-d3", "b2>d3", ">d3"] {
        let said = talk(&SMALL, &format!("b2\n{target}\n"));
        assert!(said.contains("Player 1 (o): 1:3 (b2) to 3:2 (d3)\n"), "{target}: {said}");
        assert!(said.contains("Player 2 (x): X and Y"), "{target}: {said}");
    }
    // Another piece instead of the chosen one.
    assert!(talk(&SMALL, "b2\nc1-d3\n").contains("Player 1 (o): 2:4 (c1) to 3:2 (d3)\n"));
}

#[test]
fn a_chain_is_typed_at_once_or_hop_by_hop() {
    let hops =
        ["1:3 (b2) to 2:1 (c4), onto an x\n", "2:1 (c4) to 0:0 (a5), onto an x\n", "0:0 (a5) to 1:2 (b3)\n"];
    let expected = hops.map(|hop| format!("Player 1 (o): {hop}")).concat();
    // At once no board is shown in between.
    for typed in ["b2-c4-a5-b3", "b2 - c4 - a5 - b3", "b2\nc4-a5-b3"] {
        let said = talk(&SMALL, &format!("{typed}\n"));
        assert!(said.contains(&expected), "{typed}: {said}");
        assert!(said.contains("Player 2 (x): X and Y"), "{typed}: {said}");
    }
    for typed in ["b2-c4\n0\n0", "b2\n2\na5\na5-b3", "b2-c4\nc4-a5-b3", "b2-c4\na5\n>b3"] {
        let said = talk(&SMALL, &format!("{typed}\n"));
        for hop in hops {
            assert!(said.contains(&format!("Player 1 (o): {hop}")), "{typed}: {said}");
        }
        assert!(said.contains("Player 1 (o) has an extra turn: this piece must jump on."), "{said}");
        assert!(said.contains("On 2:1 (c4) an o stands on an x, which stays where it is."), "{said}");
        assert!(said.contains("   1   x  x o/x x  x   4\n"), "{said}");
        assert!(said.contains("Player 2 (x): X and Y"), "{typed}: {said}");
    }
    // By the shortest way, whatever that is.
    let said = talk(&SMALL, "b2-c4\nc4>b3\n");
    assert!(said.contains(" to 1:2 (b3)\n") && said.contains("Player 2 (x): X and Y"), "{said}");
    let said = talk(&SMALL, "b2-c4\nd2-e4\nback\n");
    assert!(said.contains("player 1 must jump on with the piece on c4"), "{said}");
    assert!(said.contains("There is nothing to go back to"), "{said}");
}

#[test]
fn a_whole_game_has_a_winner_and_another_may_follow() {
    let hops = good_game("width=5,height=5");
    let mut input = String::new();
    for (before, hop) in &hops {
        let index = before.moves_from(hop.from).position(|mv| mv == *hop).unwrap();
        let (x, y) = before.x_y(hop.from);
        if before.chain().is_none() {
            writeln!(input, "{x} {y}").unwrap();
        }
        writeln!(input, "{index}").unwrap();
    }
    let record = fresh();
    let options = [&SMALL, ["--record", record.to_str().unwrap()].as_slice()].concat();
    let said = talk(&options, &format!("{input}perhaps\nundo\nrules\nhelp\nyes\nresign\nn\n"));
    let winner = super::super::view::name(hops.last().unwrap().0.to_move().unwrap());
    assert!(said.contains(&format!("{winner} wins after ")), "{}", end(&said, 30));
    for answer in ["Please answer y or n.", "No game goes on now", "chess knight", "y: another game"] {
        assert!(said.contains(answer), "{answer}: {}", end(&said, 30));
    }
    assert!(said.ends_with("Player 1 (o) resigns. Player 2 (x) wins!\nPlay again? (y/n)> n\nGood bye.\n"));
    assert_eq!(verified(&record), (hops.len() as u64, "normal".to_owned()));
    let second = record.with_file_name("game-2.rookery.jsonl");
    assert_eq!(verified(&second), (0, "resigned".to_owned()));
}

#[test]
fn fault_t16_games_between_computers_end() {
    let small = ["--mode", "computer-computer", "--think", "5s", "--game", "renpaarden:width=5,height=5"];
    for level in ["homing", "easy", "medium"] {
        let said = talk(&[&small, ["--level", level].as_slice()].concat(), "");
        assert!(said.contains(" wins after "), "{level}: {}", end(&said, 4));
    }
    let said = talk(&[&small, ["--level", "random"].as_slice()].concat(), "");
    assert!(said.contains("the game is drawn after 1000 hops."), "it is said before: {}", end(&said, 4));
    assert!(said.contains("Drawn: the cap of 1000 hops is reached."), "{}", end(&said, 4));
    let said = talk(&[&small, ["--level", "random", "--max-turns", "20"].as_slice()].concat(), "");
    assert!(said.contains("Drawn: the cap of 20 hops is reached."), "{}", end(&said, 4));
    // The first level sits first.
    let said = talk(&[&small, ["--level", "homing", "--level", "medium"].as_slice()].concat(), "");
    assert!(said.contains("Player 2 (x) wins after "), "{}", end(&said, 4));
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let game = ["--mode", "computer-computer", "--think", "5s", "--level", "homing"];
    let small = [&game, ["--game", "renpaarden:width=5,height=5"].as_slice()].concat();
    assert_eq!(talk(&small, ""), talk(&small, ""));
}

#[test]
fn drawn_games_say_why() {
    let two_people = |rules: &str, input: &str| {
        let spec = format!("renpaarden:width=5,height=5,{rules}");
        talk(&["--game", &spec, "--mode", "player-player"], input)
    };
    let said = two_people("max-turns=2", "b2-d3\nb4-d3-b4\n");
    assert!(said.contains("Drawn: the game's limit of 2 turns is reached."), "{}", end(&said, 4));
    let said = two_people("repetition=2", "b2-c4-b2\nb4-c2-b4\n");
    assert!(said.contains("Drawn after 2 turns: the same position has come too often."), "{}", end(&said, 4));
    let said = two_people("max-chain=24", &format!("b2-c4{}-a5\n", "-a5-c4".repeat(11)));
    assert!(said.contains("Drawn: a chain has 24 hops and no end."), "{}", end(&said, 4));
}

#[test]
fn undo_goes_back_to_the_start_of_a_turn_of_a_person() {
    let first = "Player 1 (o): X and Y of a piece, or hops> ";
    let record = fresh();
    let options = [&SMALL, ["--record", record.to_str().unwrap()].as_slice()].concat();
    // In the midst of a chain, then a turn of the other one, then the first of all.
    let said = talk(&options, "b2-c4-a5\nundo\nb2-d3\nundo\nc2-b4\nundo\nundo\nd2-b3\nresign\nn\n");
    assert_eq!(count(&said, "Taken back.\n"), 3, "{said}");
    assert_eq!(count(&said, "There is nothing to take back yet."), 1, "{said}");
    assert_eq!(count(&said, first), 5, "{said}");
    assert_eq!(verified(&record), (1, "resigned".to_owned()));
    // The record forgets nothing: what was taken back is there, and that it was.
    let kept = std::fs::read_to_string(&*record).unwrap();
    assert!(kept.contains("d2-b3") && kept.contains("b2-d3"), "{kept}");
    assert_eq!(count(&kept, "\"taken_back\""), 3, "{kept}");

    // Against the computer its answer is taken back too.
    let said = talk(&["--mode", "player-computer", "--level", "first"], "e2-f4\nundo\nundo\n");
    assert_eq!(count(&said, "Taken back.\n"), 1, "{said}");
    assert!(said.contains("There is nothing to take back yet."), "{said}");
}

#[test]
fn help_rules_board_and_hint_leave_the_game_alone() {
    let said = talk(&SMALL, "help\nrules\nboard\nhint\nb2\nhelp\n1\n");
    assert_eq!(count(&said, "Choose a piece and then one of its hops"), 2, "{said}");
    assert!(said.contains("The whole rules: rookery rules renpaarden"), "{said}");
    assert_eq!(count(&said, "In goal: "), 3, "{said}");
    let hint = said.lines().find_map(|line| line.strip_prefix("A good turn: ")).unwrap();
    let chain = hint.split(", ").map(|hop| hop.split_once('-').unwrap().1);
    let typed = format!("{}-{}", &hint[..2], chain.collect::<Vec<_>>().join("-"));
    assert!(
        talk(&SMALL, &format!("{typed}\n")).contains("Player 2 (x): X and Y"),
        "the hint {typed} is a turn"
    );
}

#[test]
fn the_end_of_input_and_quit_leave_at_every_question() {
    let lines = ["2", "1", "4", "7", "3", "e1", "0", "resign", "y", "1", "e2-f4"];
    for n in 0..=lines.len() {
        let typed = lines[..n].iter().flat_map(|line| [line, "\n"]).collect::<String>();
        let said = talk(&[], &typed);
        assert!(said.ends_with("> \nThe input has ended. Good bye.\n"), "{n}: {}", end(&said, 3));
        let said = talk(&[], &format!("{typed}quit\n"));
        assert!(said.ends_with("> quit\nGood bye.\n"), "{n}: {}", end(&said, 3));
    }
}

#[test]
fn a_game_that_is_left_has_a_record_too_and_no_file_is_overwritten() {
    let record = fresh();
    let options = [&SMALL, ["--record", record.to_str().unwrap()].as_slice()].concat();
    let said = talk(&options, "b2-d3\nb4-a2\n");
    assert_eq!(unfinished(&record), 2);
    let go_on = format!("rookery play --resume {}\n", record.display());
    assert!(said.contains(&go_on), "{}", end(&said, 4));
    let before = std::fs::read(&*record).unwrap();
    let error = try_talk(&options, "b2-d3\n").unwrap_err().to_string();
    assert!(error.ends_with("game.rookery.jsonl: there is a file already; choose another name"), "{error}");
    assert_eq!(std::fs::read(&*record).unwrap(), before);
    let options = [&SMALL, ["--record", "/no/such/folder/game"].as_slice()].concat();
    let error = try_talk(&options, "").unwrap_err().to_string();
    assert!(error.starts_with("the record could not be written to /no/such/folder/game: "), "{error}");
}

#[test]
fn a_record_of_a_game_that_was_left_goes_on() {
    use rookery_live::{Guest, prepare, read_story};
    use rookery_record::{Archive as _, Key, OneFile};
    let record = fresh();
    let file = record.to_str().unwrap();
    let options = ["--mode", "player-computer", "--level", "first", "--think", "1s", "--record", file];
    talk(&options, "e2-f4\nundo\ne2-d4\nquit\n");
    let story = read_story(fs::read(&*record).unwrap().as_slice()).unwrap();
    let spec = (*story.spec).clone();
    assert_eq!(
        spec.seats.iter().map(|entry| entry.player.to_string()).collect::<Vec<_>>(),
        ["human", "first"]
    );
    assert_eq!(spec.limits.think, Some(std::time::Duration::from_secs(1)));
    // As `play --resume` does.
    let slot = OneFile::new(&record, true).open(&Key::first(1)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let guests = Guest::built_in(&spec).unwrap();
        let live = prepare(spec, guests, &rookery_wire::Protocols::default(), Some(slot)).unwrap().start();
        assert_eq!(live.snapshot().plies(), 2, "the hop that stands, and the answer");
        live.command(None, &rookery_referee::Command::Suspend).unwrap();
        live.played().await;
    });
}

#[test]
fn fault_s14_whoever_waits_at_a_question_is_called_away_and_the_game_can_go_on() {
    use std::time::Duration;
    let record = fresh();
    let line = ["renpaarden", "--mode", "player-player", "--record", record.to_str().unwrap()];
    let args = Line::try_parse_from(line).unwrap().args;
    let (stop, playing) = (Stopping::new(Duration::from_millis(50)), std::cell::Cell::new(false));
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, b"e2-f4\n").unwrap();
    let is_called = || if playing.get() { stop.is_urgent() } else { stop.is_requested() };
    let mut keyboard = crate::keyboard::Keyboard::new(std::io::BufReader::new(reader), is_called);
    let mut out = vec![];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // As soon as the hop is there.
            while fs::read_to_string(&*record).is_ok_and(|text| !text.contains("e2-f4")) || !record.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            stop.request(rookery_live::Signal::Terminate);
        });
        let house = House::new(&stop, &playing).unwrap();
        converse(&args, &house, &mut Terminal { input: &mut keyboard, out: &mut out, echo: false }).unwrap();
    });
    let said = String::from_utf8(out).unwrap();
    assert!(said.ends_with("Stopped. Good bye.\n"), "{}", end(&said, 4));
    assert!(said.contains("rookery play --resume "), "{}", end(&said, 4));
    assert_eq!(unfinished(&record), 1);
}

#[test]
fn wrong_options_are_refused() {
    for (options, why) in [
        (vec!["--game", "fish"], "renpaarden"),
        (vec!["--game", "renpaarden:width=2"], "`width` takes a number from 3 to 11"),
        (
            vec!["--level", "hardest"],
            "--level hardest: renpaarden has no player `hardest`; did you mean `hard`?",
        ),
        (
            vec!["--level", "easy", "--level", "easy", "--level", "easy"],
            "--level is given 3 times; there are two seats",
        ),
        (vec!["--think", "soon"], "soon"),
        (vec!["--mode", "human-human"], "player-computer"),
    ] {
        let error = try_talk(&options, "").unwrap_err().to_string();
        assert!(error.contains(why), "{options:?}: {error}");
    }
}
