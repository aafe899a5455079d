//! The harnesses on real cases from elsewhere, and on input that is wrong.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;

use rookery_originals::fish::Harness;
use rookery_testkit::tell_skipped;
use serde_json::Value;

/// Runs a harness on all real cases of others.
fn check_real_cases(harness: Harness, folder: &str) {
    let dir = rookery_testkit::reference_data().join("fish").join(folder);
    let Ok(files) = fs::read_dir(&dir) else {
        let dir = dir.display();
        tell_skipped(&format!("the real cases of {folder}, because {dir} is absent; set ROOKERY_DATA"));
        return;
    };
    let mut n_cases = 0;
    for file in files {
        let path = file.unwrap().path();
        let Some(case) = path.to_str().unwrap().strip_suffix("-in.json") else { continue };
        let output = harness
            .run(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        let output: Value = serde_json::from_str(&output).unwrap();
        let expected: Value =
            serde_json::from_str(&fs::read_to_string(format!("{case}-out.json")).unwrap()).unwrap();
        assert_eq!(output, expected, "{case}");
        n_cases += 1;
    }
    assert!(n_cases > 0, "there are cases in {}", dir.display());
}

#[test]
fn real_boards() {
    check_real_cases(Harness::Board, "xboard");
}

#[test]
fn real_states() {
    check_real_cases(Harness::State, "xstate");
}

#[test]
fn real_trees() {
    check_real_cases(Harness::Tree, "xtree");
}

#[test]
fn real_strategies() {
    check_real_cases(Harness::Strategy, "xstrategy");
}

#[test]
fn real_games() {
    check_real_cases(Harness::Ref, "xref");
}

const STATE: &str = r#"{"players":[{"color":"red","score":3,"places":[[2,1],[0,0]]},{"color":"black","score":0,"places":[[1,0]]}],"board":[[1,2],[3],[4,5]]}"#;

#[test]
fn a_state_keeps_the_order_of_its_places_and_pads_its_rows() {
    assert_eq!(
        Harness::State.run(STATE).unwrap(),
        r#"{"players":[{"color":"black","score":0,"places":[[1,0]]},{"color":"red","score":8,"places":[[0,1],[0,0]]}],"board":[[1,2],[3,0],[4,0]]}"#
    );
}

#[test]
fn without_players_nobody_steps() {
    for board in ["[[1,2],[3]]", "[[0]]", "[[1,0,1],[0,1]]"] {
        let state = format!(r#"{{"players":[],"board":{board}}}"#);
        assert_eq!(Harness::State.run(&state).unwrap(), "false", "{board}");
    }
}

#[test]
fn a_stuck_next_player_does_not_follow() {
    let state = r#"{"players":[{"color":"red","score":0,"places":[[0,0]]},{"color":"white","score":0,"places":[[0,1]]}],"board":[[1,1],[0,0],[1,0],[0,0],[1,0]]}"#;
    let input = format!(r#"{{"state":{state},"from":[0,0],"to":[2,0]}}"#);
    assert_eq!(Harness::Tree.run(&input).unwrap(), "false");
}

#[test]
fn the_scores_of_equal_house_players_decide() {
    for (n_players, depth, winners) in [
        (2, 1, r#"["A"]"#),
        (3, 1, r#"["A"]"#),
        (4, 1, r#"["A","D"]"#),
        (2, 2, r#"["A"]"#),
        (3, 2, r#"["A"]"#),
        (4, 2, r#"["A","C"]"#),
    ] {
        let players: Vec<_> =
            ["A", "B", "C", "D"][..n_players].iter().map(|name| format!(r#"["{name}",{depth}]"#)).collect();
        let input = format!(r#"{{"row":5,"column":5,"fish":2,"players":[{}]}}"#, players.join(","));
        assert_eq!(Harness::Ref.run(&input).unwrap(), winners, "{n_players} players, depth {depth}");
    }
}

#[test]
fn who_finds_no_tile_is_thrown_out() {
    let input = r#"{"row":4,"column":2,"fish":1,"players":[["BBB",2],["aaa",1],["CCC",1]]}"#;
    assert_eq!(Harness::Ref.run(input).unwrap(), r#"["BBB","aaa"]"#);
}

#[test]
fn fault_t12_input_that_is_wrong_is_refused_with_the_place() {
    let with = |from: &str, to: &str| STATE.replacen(from, to, 1);
    let tree = |from: &str, to: &str| format!(r#"{{"state":{STATE},"from":{from},"to":{to}}}"#);
    let game = |members: &str| format!("{{{members}}}");
    let cases = [
        (Harness::Board, String::new(), "EOF while parsing a value at line 1 column 0"),
        (Harness::Board, "{} 1".to_owned(), "missing field `position`"),
        (
            Harness::Board,
            r#"{"position":[0,0],"board":[[1]]} 1"#.to_owned(),
            "trailing characters at line 1 column 34",
        ),
        (
            Harness::Board,
            r#"{"position":[0,1],"board":[[1]]}"#.to_owned(),
            "position: [0,1] lies outside the board of 1 rows and 1 columns",
        ),
        (Harness::Board, r#"{"position":[0,0],"board":[]}"#.to_owned(), "board: a board has 1 to 128 cells"),
        (Harness::Board, r#"{"position":[0,0],"board":[[10]]}"#.to_owned(), "so not 10 on 0.0"),
        (Harness::State, with("red", "green"), "unknown variant `green`"),
        (Harness::State, with("black", "red"), "players: two of them are red"),
        (
            Harness::State,
            with("[2,1]", "[1,1]"),
            "state: player 1 has a penguin on 1.1, where there is no tile",
        ),
        (Harness::State, with("[2,1]", "[1,0]"), "state: there are two penguins on 1.0"),
        (Harness::State, r#"{"players":[],"board":[[10]]}"#.to_owned(), "state: a tile"),
        (
            Harness::Tree,
            tree("[0,0]", "[2,1]"),
            "`from` and `to` are no legal move: a penguin of player 1 stands on 2.1",
        ),
        (Harness::Strategy, format!("[0,{STATE}]"), "[0]: a depth is 1 to 8, not 0"),
        (Harness::Strategy, format!("[9,{STATE}]"), "[0]: a depth is 1 to 8, not 9"),
        (Harness::Strategy, format!("[1,{STATE},1]"), "trailing characters"),
        (
            Harness::Ref,
            game(r#""row":1,"column":5,"fish":2,"players":[["a",1],["b",1]]"#),
            "row: expected 2 to 5, not 1",
        ),
        (
            Harness::Ref,
            game(r#""row":5,"column":6,"fish":2,"players":[["a",1],["b",1]]"#),
            "column: expected 2 to 5, not 6",
        ),
        (
            Harness::Ref,
            game(r#""row":5,"column":5,"fish":0,"players":[["a",1],["b",1]]"#),
            "fish: expected 1 to 5, not 0",
        ),
        (
            Harness::Ref,
            game(r#""row":5,"column":5,"fish":1,"players":[["a",1]]"#),
            "players: expected 2 to 4 of them, not 1",
        ),
        (
            Harness::Ref,
            game(r#""row":5,"column":5,"fish":1,"players":[["a",1],["a",1]]"#),
            "players[1]: there are two players named a",
        ),
        (
            Harness::Ref,
            game(r#""row":5,"column":5,"fish":1,"players":[["a",1],["b c",1]]"#),
            "players[1]: a name has 1 to 12 letters",
        ),
        (
            Harness::Ref,
            game(r#""row":5,"column":5,"fish":1,"players":[["a",9],["b",1]]"#),
            "players[0]: a depth is 1 to 8, not 9",
        ),
    ];
    for (harness, input, problem) in cases {
        let error = harness.run(&input).unwrap_err().to_string();
        assert!(error.contains(problem), "{harness:?} of {input} says: {error}");
    }
}
