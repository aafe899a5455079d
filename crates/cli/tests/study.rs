//! Looking back and learning: `review`, `puzzle`, `history`, `analyse` and `play --from`, as they are typed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::UNIX_EPOCH;

use pty::Pty;
use rookery_testkit::TempFolder;
use serde_json::Value;

#[allow(dead_code, reason = "others click and resize in it")]
mod pty;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn rookery(args: &[&str], home: &Path) -> Output {
    Command::new(ROOKERY).args(args).env("XDG_DATA_HOME", home).stdin(Stdio::null()).output().unwrap()
}

fn json(args: &[&str], home: &Path) -> Value {
    let output = rookery(args, home);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The record of a game, in the folder where `play` keeps them.
fn record(home: &Path, game: &str, players: [&str; 2], name: &str) -> PathBuf {
    let folder = home.join("rookery/games");
    let made = home.join(format!("made-{name}"));
    let played = Command::new(ROOKERY)
        .args(["match", game, players[0], players[1], "--games", "2", "--quiet", "--seed", "5", "--record"])
        .arg(&made)
        .status()
        .unwrap();
    assert!(played.success());
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.rookery.jsonl"));
    fs::rename(made.join("game-0001.rookery.jsonl"), &path).unwrap();
    path
}

/// A review of a record in which everything is proved, compared with what `accuracy` says of it. The review, and how
/// many moves gave the result away.
fn agree(path: &str, home: &Path) -> (Value, usize) {
    let (review, accuracy) =
        (json(&["review", path, "--json"], home), json(&["accuracy", path, "--json"], home));
    assert_eq!(review["exact"], true);
    for (seen, exact) in
        review["players"].as_array().unwrap().iter().zip(accuracy["players"].as_array().unwrap())
    {
        assert_eq!((&seen["name"], &seen["moves"]), (&exact["name"], &exact["moves"]));
        let kept = 100.0 * exact["kept"].as_f64().unwrap() / exact["moves"].as_f64().unwrap();
        assert!((seen["accuracy"].as_f64().unwrap() - kept).abs() < 0.01, "{seen} and {exact}");
    }
    for (seen, exact) in review["moves"].as_array().unwrap().iter().zip(accuracy["moves"].as_array().unwrap())
    {
        assert_eq!((&seen["move"], &seen["seat"]), (&exact["move"], &exact["seat"]));
        let number = |key: &str| seen[key].as_f64().unwrap();
        assert!((number("before") - number("after") - number("loss")).abs() < 1e-6, "{seen}");
        assert_eq!(number("loss") > 0.4, exact["kept"] == false, "{seen} and {exact}");
        assert!(seen["best"].is_string());
        // A draw is half a win for both.
        if exact["before"]["winner"] == "draw" {
            assert!((number("before") - 0.5).abs() < 1e-6, "{seen} and {exact}");
        }
    }
    let given_away = accuracy["moves"].as_array().unwrap().iter().filter(|row| row["kept"] == false).count();
    (review, given_away)
}

#[test]
fn a_review_of_a_drawn_game_agrees_with_accuracy() {
    let home = TempFolder::new("drawn");
    let made = home.join("made");
    let series = [
        "match",
        "fish:rows=3,cols=4",
        "one=random",
        "two=random",
        "--games",
        "60",
        "--quiet",
        "--seed",
        "5",
    ];
    let played = rookery(&[&series[..], &["--record", made.to_str().unwrap()]].concat(), &home);
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let mut files: Vec<PathBuf> = fs::read_dir(&made).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let is_drawn = |path: &PathBuf| {
        fs::read_to_string(path).unwrap().lines().last().unwrap().contains("\"winners\":[0,1]")
    };
    let drawn: Vec<PathBuf> = files.into_iter().filter(is_drawn).take(3).collect();
    assert_eq!(drawn.len(), 3, "some of sixty games are drawn");
    let given_away: usize = drawn.iter().map(|path| agree(path.to_str().unwrap(), &home).1).sum();
    assert!(given_away > 0, "random players gave nothing away");
}

#[test]
fn a_review_that_proves_everything_agrees_with_accuracy() {
    let home = TempFolder::new("review");
    let path = record(&home, "hexapawn:rows=4,cols=4", ["one=random", "two=random"], "game");
    let path = path.to_str().unwrap();
    let (review, _) = agree(path, &home);
    let svg = rookery(&["review", path, "--svg", "-"], &home);
    assert!(String::from_utf8_lossy(&svg.stdout).starts_with("<svg "), "{svg:?}");
    for (term, graph) in [("xterm", true), ("dumb", false)] {
        let mut command = Command::new(ROOKERY);
        let text =
            command.args(["review", path]).env("XDG_DATA_HOME", &*home).env("TERM", term).output().unwrap();
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        assert!(text.contains("accuracy") && text.contains("Better: "), "{text}");
        assert_eq!(text.contains("share of a win of"), graph, "{text}");
    }
    let all = rookery(&["review", path, "--all"], &home);
    let all = String::from_utf8_lossy(&all.stdout).into_owned();
    for judged in review["moves"].as_array().unwrap() {
        let (ply, mv) = (judged["ply"].as_u64().unwrap(), judged["move"].as_str().unwrap());
        assert!(all.contains(&format!("{ply:>4}. {mv}")), "move {ply} in {all}");
    }
}

#[test]
fn every_game_can_be_reviewed_also_with_more_than_two_players() {
    let home = TempFolder::new("reviews");
    for (idx, game) in [
        "fish:rows=3,cols=4",
        "four:rows=4,cols=4",
        "stones:rows=3,cols=3",
        "renpaarden:width=3,height=5,max-turns=20",
    ]
    .iter()
    .enumerate()
    {
        let path = record(&home, game, ["one=random", "two=random"], &format!("game{idx}"));
        let review = json(&["review", path.to_str().unwrap(), "--time", "2s", "--json"], &home);
        assert!(!review["moves"].as_array().unwrap().is_empty(), "{game}");
    }
    let made = home.join("three");
    let status = Command::new(ROOKERY)
        .args([
            "match",
            "fish:rows=4,cols=4,players=3",
            "a=random",
            "b=random",
            "c=random",
            "--games",
            "1",
            "--quiet",
        ])
        .arg("--record")
        .arg(&made)
        .status()
        .unwrap();
    assert!(status.success());
    let path = made.join("game-0001.rookery.jsonl");
    let review = json(&["review", path.to_str().unwrap(), "--time", "2s", "--json"], &home);
    assert_eq!(review["players"].as_array().unwrap().len(), 3);
    assert!(
        review["players"][2]["accuracy"].as_f64().is_some_and(|accuracy| (0.0..=100.0).contains(&accuracy))
    );
}

#[test]
fn a_puzzle_has_the_only_winning_move_as_its_solution() {
    let home = TempFolder::new("puzzle");
    let puzzle = json(&["puzzle", "hexapawn", "--seed", "7", "--json"], &home);
    assert_eq!(puzzle, json(&["puzzle", "hexapawn", "--seed", "7", "--json"], &home));
    let position = puzzle["position"].as_str().unwrap();
    let solved = json(&["solve", "hexapawn", "--position", position, "--want", "moves", "--json"], &home);
    let winner = &solved["winner"];
    let moves = solved["moves"].as_array().or_else(|| solved["first_moves"].as_array()).unwrap();
    let winning: Vec<&Value> =
        moves.iter().filter(|row| row["winner"] == *winner).map(|row| &row["move"]).collect();
    assert_eq!(winning, [&puzzle["solution"][0]]);
    assert_eq!(puzzle["solution"].as_array().unwrap().len() as u64, puzzle["plies"].as_u64().unwrap());
    let hint = typed(&["puzzle", "hexapawn", "--seed", "7"], &home, "hint\nquit\n");
    let from = &puzzle["solution"][0].as_str().unwrap()[..2];
    assert!(hint.contains(&format!("Look at {from}")), "{hint}");
    let refused = rookery(&["puzzle", "four"], &home);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there are no puzzles of four"));
}

#[test]
fn a_number_names_a_puzzle_on_any_day_and_the_day_is_a_number() {
    let home = TempFolder::new("numbers");
    let game_of = |seed: &str| json(&["puzzle", "--seed", seed, "--json"], &home)["game"].clone();
    // By turns, whatever day it is.
    assert_eq!([game_of("0"), game_of("1"), game_of("2")], ["fish", "hexapawn", "stones"]);
    let today = || UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
    let (day, of_the_day) = loop {
        let (before, puzzle) = (today(), json(&["puzzle", "--json"], &home));
        if before == today() {
            break (before, puzzle);
        }
    };
    assert_eq!(of_the_day["seed"], day);
    assert_eq!(of_the_day, json(&["puzzle", "--seed", &day.to_string(), "--json"], &home));
}

/// It used to say that the game was over.
#[test]
fn a_wrong_move_that_leaves_a_draw_takes_the_win_away_and_no_more() {
    let home = TempFolder::new("puzzle-drawn");
    let puzzle = json(&["puzzle", "stones", "--seed", "3", "--json"], &home);
    let position = puzzle["position"].as_str().unwrap();
    let solved = json(&["solve", "stones", "--position", position, "--want", "moves", "--json"], &home);
    let mut moves = solved["first_moves"].as_array().unwrap().iter();
    let drawn = moves.find(|row| row["winner"] == "draw").unwrap()["move"].as_str().unwrap();
    let said = typed(&["puzzle", "stones", "--seed", "3"], &home, &format!("{drawn}\nquit\n"));
    assert!(said.contains("No: the win is gone. Try again."), "{said}");
}

#[test]
fn a_puzzle_is_solved_to_its_end() {
    let home = TempFolder::new("solved");
    let named = ["puzzle", "hexapawn", "--grade", "2", "--seed", "7"];
    let puzzle = json(&[&named[..], &["--json"]].concat(), &home);
    let solution: Vec<&str> =
        puzzle["solution"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    assert_eq!(solution.len(), 5, "{solution:?}");
    let typed_in = solution.iter().step_by(2).fold(String::new(), |text, mv| text + mv + "\n");
    let said = typed(&named, &home, &format!("nonsense\n{typed_in}"));
    assert!(said.contains("nonsense"), "{said}");
    assert_eq!(said.matches("Right. The answer is ").count(), 2, "{said}");
    assert!(said.trim_end().ends_with("Solved. Next: rookery puzzle hexapawn --seed 8"), "{said}");
}

#[test]
fn history_lists_filters_reviews_and_deletes() {
    let home = TempFolder::new("history");
    assert_eq!(json(&["history", "--json"], &home), Value::Array(vec![]));
    record(&home, "hexapawn:rows=3,cols=3", ["me=random", "level:1"], "hexapawn-1");
    record(&home, "four:rows=4,cols=4", ["me=random", "Bob=level:2"], "four-1");
    let all = json(&["history", "--json"], &home);
    assert_eq!(all.as_array().unwrap().len(), 2);
    assert_eq!(json(&["history", "--game", "four", "--json"], &home)[0]["id"], "four-1");
    let against = json(&["history", "--opponent", "level:1", "--json"], &home);
    assert_eq!((against.as_array().unwrap().len(), &against[0]["id"]), (1, &Value::from("hexapawn-1")));
    for called in ["Bob", "level:2", "easy"] {
        let against = json(&["history", "--opponent", called, "--json"], &home);
        assert_eq!(
            (against.as_array().unwrap().len(), &against[0]["id"]),
            (1, &Value::from("four-1")),
            "{called}"
        );
    }
    assert!(rookery(&["history", "review", "hexapawn-1"], &home).status.success());
    let games = home.join("rookery/games");
    for seat in [1, 2] {
        fs::write(games.join(format!("four-1.seat-{seat}.stderr")), "what a program wrote").unwrap();
    }
    assert!(rookery(&["history", "delete", "four-1"], &home).status.success());
    assert_eq!(json(&["history", "--json"], &home).as_array().unwrap().len(), 1);
    let left = fs::read_dir(&games).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.starts_with("four-1")).collect::<Vec<_>>(), [""; 0]);
    let misspelt = rookery(&["history", "--game", "hexpawn"], &home);
    assert_eq!(misspelt.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&misspelt.stderr).contains("did you mean `hexapawn`?"), "{misspelt:?}");
    for wrong in ["four-1", "../secret", "", "."] {
        let refused = rookery(&["history", "delete", wrong], &home);
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_review_is_kept_from_anywhere_shown_if_it_cannot_be_and_forgotten_when_the_match_goes_on() {
    let home = TempFolder::new("kept");
    typed(&["play", "hexapawn:rows=4,cols=4", "human", "first", "--plain"], &home, "b2\nquit\n");
    let accuracy = || json(&["history", "--json"], &home)[0]["accuracy"].clone();
    assert_eq!(accuracy(), Value::Null);
    let folder = home.join("rookery/games");
    let inside = |args: &[&str]| {
        let mut command = Command::new(ROOKERY);
        command.args(args).env("XDG_DATA_HOME", &*home).current_dir(&folder).output().unwrap()
    };
    assert!(inside(&["review", "hexapawn.rookery.jsonl"]).status.success());
    assert!(accuracy().is_number(), "{}", accuracy());
    typed(&["history", "resume", "hexapawn"], &home, "d2\nquit\n");
    assert_eq!(accuracy(), Value::Null, "of fewer moves");

    let kept = folder.join("hexapawn.rookery.review.json");
    fs::remove_file(&kept).unwrap();
    fs::create_dir(&kept).unwrap();
    let shown = inside(&["review", "hexapawn.rookery.jsonl"]);
    assert!(shown.status.success() && String::from_utf8_lossy(&shown.stdout).contains("accuracy"));
    assert!(
        String::from_utf8_lossy(&shown.stderr).contains("warning: the review is not kept: "),
        "{shown:?}"
    );
}

#[test]
fn persons_are_opponents_too_and_a_match_that_is_played_is_not_deleted() {
    let home = TempFolder::new("persons");
    typed(&["play", "hexapawn:rows=3,cols=3", "Ann=human", "Bob=human", "--plain"], &home, "b2\nquit\n");
    for called in ["Bob", "Ann"] {
        let found = json(&["history", "--opponent", called, "--json"], &home);
        assert_eq!(found[0]["opponents"], Value::from(vec!["Bob"]), "{called}");
    }
    assert_eq!(json(&["history", "--opponent", "Cid", "--json"], &home), Value::Array(vec![]));

    let mut command = Command::new(ROOKERY);
    command.args(["history", "resume", "hexapawn"]).env("XDG_DATA_HOME", &*home);
    let mut playing = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(playing.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.into_iter().any(|line| line.contains("your move")), "the match has begun");
    let refused = rookery(&["history", "delete", "hexapawn"], &home);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("`hexapawn` is being played; leave"), "{told}");
    drop(playing.stdin.take());
    playing.wait().unwrap();
    assert!(rookery(&["history", "delete", "hexapawn"], &home).status.success());
    assert_eq!(json(&["history", "--json"], &home), Value::Array(vec![]));
}

#[test]
fn analyse_proves_what_it_can_and_gives_reasons() {
    let home = TempFolder::new("analyse");
    let args = ["analyse", "hexapawn", "--position", "p1 1.../..1./2..2/2...", "--json"];
    let output = rookery(&args, &home);
    let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap().to_owned();
    let last: Value = serde_json::from_str(&last).unwrap();
    let best = &last["lines"][0];
    assert_eq!(
        (&best["moves"][0], &best["proven"], &best["value"]),
        (&"c2xd3".into(), &true.into(), &1.0.into())
    );
    assert_eq!(
        best["reason"],
        "takes the pawn on d3, has a free way to the last row, one move off, threatens to win with the next move"
    );
}

#[test]
fn a_recorded_game_is_played_on_from_one_of_its_positions() {
    let home = TempFolder::new("from");
    let path = record(&home, "hexapawn:rows=4,cols=4", ["one=random", "two=random"], "game");
    let path = path.to_str().unwrap();
    let begin = |ply: &str| {
        let mut command = Command::new(ROOKERY);
        command.args([
            "play",
            "--from",
            path,
            "--ply",
            ply,
            "--against",
            "level:1",
            "--plain",
            "--no-record",
        ]);
        let output = command.env("XDG_DATA_HOME", home.join(".")).stdin(Stdio::null()).output().unwrap();
        (
            output.status.code(),
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        )
    };
    let (code, text) = begin("3");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("level:1"), "{text}");
    let (code, text) = begin("999");
    assert_eq!(code, Some(2));
    assert!(text.contains("--ply 999: the record has"), "{text}");
}

/// What `rookery` says to whoever types this.
fn typed(args: &[&str], home: &Path, input: &str) -> String {
    let mut command = Command::new(ROOKERY);
    command.args(args).env("XDG_DATA_HOME", home).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn play_without_a_screen_asks_what_to_play_and_offers_a_guided_game_to_whoever_is_new() {
    let home = TempFolder::new("first-game");
    let new = "You have not played here yet. Type guide";
    let said = typed(&["play"], &home, "nonsense\nguide\nb2\nquit\n");
    assert!(said.starts_with(new), "{said}");
    assert!(said.contains("there is no game `nonsense`"), "{said}");
    assert!(said.contains("You can move from a1, b1, c1: type a move, for example"), "{said}");
    assert_eq!(said.matches("You can move from").count(), 2, "after the answer, too: {said}");
    let said = typed(&["play"], &home, "hexapawn:rows=3,cols=3\nquit\n");
    assert!(said.starts_with("Type the name of a game: fish, hexapawn, "), "{said}");
    assert!(!said.contains(new) && !said.contains("You can move from"), "{said}");
    assert!(said.contains("Player 1, your move. Type a move, or help."), "{said}");
}

#[test]
fn a_terminal_that_knows_no_codes_gets_lines_without_any() {
    let home = TempFolder::new("dumb");
    let mut pty =
        Pty::start_with(&["play", "hexapawn:rows=3,cols=3", "human", "first"], &home, &[("TERM", "dumb")]);
    pty.wait_for("Player 1, your move. Type a move, or help.");
    pty.send("b2\n");
    pty.wait_for("Player 2 (first) plays c3xb2");
    pty.send("quit\n");
    assert_eq!(pty.end().exit_code(), 0);
    let raw = pty.raw();
    assert!(!raw.contains(&b'\x1b'), "{}", String::from_utf8_lossy(&raw));
    assert_eq!(json(&["history", "--json"], &home)[0]["id"], "hexapawn");
}

#[test]
fn a_table_of_the_solver_is_looked_up_where_it_lies_or_where_it_is_named() {
    let home = TempFolder::new("tables");
    let game = "hexapawn:rows=6,cols=6";
    let analyse = |more: &[&str]| {
        let args = ["analyse", game, "--time", "20s", "--lines", "1", "--json"];
        let output = rookery(&[&args[..], more].concat(), &home);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = output.stdout.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty());
        (last.map(|line| serde_json::from_slice::<Value>(line).unwrap()), said)
    };
    // With a table there is next to nothing to find out.
    let is_looked_up = |more: &[&str]| {
        let advice = analyse(more).0.unwrap();
        advice["lines"][0]["proven"] == true && advice["nodes"].as_u64().unwrap() < 10_000
    };
    assert!(!is_looked_up(&[]), "there is no table yet");
    let at_hand = home.join("rookery/tables");
    let solved = json(&["solve", game, "--db", at_hand.to_str().unwrap(), "--json"], &home);
    assert!(is_looked_up(&[]), "it is looked up by itself");
    let (advice, said) = analyse(&[]);
    assert_eq!(advice.unwrap()["lines"][0]["plies"], solved["plies"]);
    assert!(said.is_empty(), "{said}");

    let named = home.join("named");
    fs::rename(&at_hand, &named).unwrap();
    assert!(!is_looked_up(&[]), "it is no longer there");
    let named_text = named.to_str().unwrap().to_owned();
    assert!(is_looked_up(&["--db", &named_text]));
    let (nothing, said) = analyse(&["--db", "nowhere"]);
    assert!(nothing.is_none() && said.contains("--db nowhere: there is no such folder"), "{said}");

    let file = fs::read_dir(&named).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (nothing, said) = analyse(&["--db", &named_text]);
    assert!(nothing.is_none() && said.contains("its checksum is wrong"), "{said}");
    fs::rename(&named, &at_hand).unwrap();
    let (advice, said) = analyse(&[]);
    assert!(advice.unwrap()["nodes"].as_u64().unwrap() > 10_000, "a damaged table is not used");
    assert!(
        said.contains("warning: a table is not used: ") && said.contains("its checksum is wrong"),
        "{said}"
    );
}
