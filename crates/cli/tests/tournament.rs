//! Whole tournaments through the real program: what scripts rely on, tests, bots that sign up.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rookery_testkit::{TempFolder, tell_skipped};
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn rookery(args: &[&str]) -> Output {
    Command::new(ROOKERY).args(args).stdin(Stdio::null()).output().unwrap()
}

/// The output of a command that does what it is to do.
fn done(args: &[&str]) -> Value {
    let output = rookery(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {:?}\n{said}", output.status);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

/// What everybody has achieved, by name: everything but ids and times.
fn table(result: &Value) -> Vec<Value> {
    let mut rows = result["standings"].as_array().unwrap().clone();
    for row in &mut rows {
        assert!(row["rating"].is_number() && row["error"].is_number(), "{row}");
        let row = row.as_object_mut().unwrap();
        row.retain(|key, _| {
            ["name", "place", "points", "wins", "draws", "losses", "rating", "error"].contains(&key.as_str())
        });
        assert_eq!(row.len(), 8);
    }
    rows
}

#[test]
fn every_format_plays_ends_and_is_rated_as_its_games_say() {
    let folder = TempFolder::new("formats");
    for (format, flags) in [
        ("round-robin", &["--games", "2"][..]),
        ("swiss", &["--rounds", "2"][..]),
        ("knock-out", &[][..]),
        ("gauntlet", &["--games", "4"][..]),
        ("ladder", &["--games", "12"][..]),
    ] {
        let store = folder.join(format!("{format}.db"));
        let store = store.to_str().unwrap();
        let mut args = vec!["tournament", "run", "--format", format, "hexapawn:rows=4,cols=4"];
        args.extend(["random", "first", "level:1", "level:2", "--store", store, "--json", "--seed", "3"]);
        args.extend(flags);
        let result = done(&args);
        assert_eq!(table(&result).len(), 4, "{format}");
        let games = result["games"].as_u64().unwrap();
        let listed = done(&["games", "list", "--store", store, "--json", "--limit", "1000"]);
        assert_eq!(listed.as_array().unwrap().len() as u64, games, "{format}");
        let recomputed = rookery(&["ratings", "--store", store, "--recompute"]);
        assert!(recomputed.status.success(), "{format}: {}", String::from_utf8_lossy(&recomputed.stdout));
        let id = result["tournament"].as_str().unwrap();
        assert_eq!(
            table(&done(&["tournament", "resume", id, "--store", store, "--json"])),
            table(&result),
            "{format}"
        );
        for form in ["text", "markdown", "csv", "csv-by-opponent", "html"] {
            let shown = rookery(&["tournament", "show", id, "--store", store, "--format", form]);
            assert!(shown.status.success() && shown.stdout.len() > 100, "{format} {form}");
        }
    }
}

#[test]
fn fault_s19_a_rating_that_is_not_what_the_games_say_is_noticed() {
    let folder = TempFolder::new("ratings");
    let store = folder.join("store.db");
    let path = store.to_str().unwrap();
    done(&[
        "tournament",
        "run",
        "--format",
        "round-robin",
        "hexapawn",
        "random",
        "first",
        "--store",
        path,
        "--json",
    ]);
    let expect = |code: i32, what: &str| {
        let recomputed = rookery(&["ratings", "--store", path, "--recompute"]);
        let said = String::from_utf8_lossy(&recomputed.stdout);
        assert_eq!(recomputed.status.code(), Some(code), "{what}: {said}");
    };
    expect(0, "as it was stored");
    let connection = rusqlite::Connection::open(&store).unwrap();
    let changed = connection.execute("update ratings set n_games = n_games + 1", []).unwrap();
    assert_eq!(changed, 2);
    expect(1, "the number of games");
    connection.execute("update ratings set n_games = n_games - 1", []).unwrap();
    expect(0, "as it was stored");
    // The last bit of one rating, and then of its error.
    let first = "rowid = (select min(rowid) from ratings)";
    let read = format!("select numbers from ratings where {first}");
    let whole: Vec<u8> = connection.query_row(&read, [], |row| row.get(0)).unwrap();
    for last in [7, 15] {
        let mut numbers = whole.clone();
        numbers[last] ^= 1;
        let write = format!("update ratings set numbers = ?1 where {first}");
        assert_eq!(connection.execute(&write, [&numbers]).unwrap(), 1);
        expect(1, "the last bit");
    }
}

#[test]
fn fault_s10_a_second_program_is_kept_out_of_a_store() {
    let folder = TempFolder::new("second");
    let store = folder.join("store.db");
    let path = store.to_str().unwrap();
    let long = [
        "tournament",
        "run",
        "--format",
        "ladder",
        "stones",
        "level:3",
        "level:4",
        "--store",
        path,
        "--quiet",
    ];
    let mut first =
        Command::new(ROOKERY).args(long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    // A second one that came before the first has the store would keep the first one out.
    let has_begun = || {
        let listed = rookery(&["tournaments", "list", "--store", path, "--json"]);
        serde_json::from_slice::<Value>(&listed.stdout).is_ok_and(|list| list[0].is_object())
    };
    while !has_begun() {
        assert!(begin.elapsed() < Duration::from_mins(1), "the first never had the store");
    }
    let games = ["--format", "series", "hexapawn", "random", "first", "--games", "2", "--store", path];
    let second = rookery(&[&["tournament", "run"], &games[..]].concat());
    let error = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(75), "{error}");
    assert!(error.contains("process"), "it names the holder: {error}");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// A disk of its own that is too small, gone with the process.
#[test]
fn fault_s03_a_full_disk_ends_a_tournament_with_74_and_says_what_to_do() {
    let folder = TempFolder::new("full");
    let place = folder.to_str().unwrap();
    let mount = format!("mount -t tmpfs -o size=40m tmpfs '{place}'");
    let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let in_small_disk = |script: &str| {
        Command::new("unshare")
            .args([flags, "sh", "-c", script, ROOKERY, place])
            .env_remove("ROOKERY_STORE_RESERVE")
            .output()
    };
    if !in_small_disk(&mount).is_ok_and(|probe| probe.status.success()) {
        tell_skipped("a tournament on a full disk: a small one cannot be made here (unshare, mount)");
        return;
    }
    let run = "\"$0\" tournament run --format round-robin hexapawn random first --quiet --store \"$1/s.db\"";
    let output = in_small_disk(&format!("{mount} && {run}")).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(74), "{said}");
    assert!(said.starts_with(&format!("error: {place}/s.db: the disk is too full")), "{said}");
}

#[test]
fn an_sprt_decides_and_says_so() {
    let decided = done(&[
        "sprt",
        "hexapawn:rows=4,cols=4",
        "level:5",
        "random",
        "--elo0",
        "0",
        "--elo1",
        "50",
        "--json",
    ]);
    assert_eq!(decided["decision"], "H1");
    assert!(decided["llr"].as_f64().unwrap() >= 2.9 && decided["games"].as_u64().unwrap() > 0, "{decided}");
    let page = include_str!("../../../docs/tournament.md");
    let section = page.split("`rookery sprt`\n").nth(1).unwrap().split("\n## ").next().unwrap();
    for field in decided.as_object().unwrap().keys() {
        assert!(section.contains(&format!("`{field}`")), "docs/tournament.md names {field}");
    }
    let open = done(&[
        "sprt", "hexapawn", "random", "random", "--elo0", "0", "--elo1", "5", "--games", "4", "--json",
    ]);
    assert!(open["decision"].is_null());
    assert_eq!(open["games"], 4);
    let wrong = rookery(&["sprt", "hexapawn", "random", "random", "--elo0", "5", "--elo1", "0"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// The same decision and the same table however many run at a time, and though it is killed.
#[test]
fn a_tournament_that_a_test_ends_ends_the_same_in_any_case() {
    let folder = TempFolder::new("sprt");
    let game = ["hexapawn:rows=4,cols=4", "level:2", "level:1", "--seed", "4"];
    let test = ["--elo0", "0", "--elo1", "400", "--alpha", "0.02", "--beta", "0.02"];
    let run = ["tournament", "run", "--format", "sprt", "--json", "--store"];
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (one, many, cut) = (place("one.db"), place("many.db"), place("cut.db"));
    let expected = done(&[&run[..], &[&one, "-c", "1"], &game, &test].concat());
    assert!(expected["test"]["decision"].is_string(), "{expected}");
    assert_eq!(expected["test"]["games"], expected["games"]);
    let of_sprt = done(&[&["sprt", "--json"][..], &game, &test].concat());
    assert_eq!(of_sprt["llr"], expected["test"]["llr"], "both played the same games");

    let held = done(&[&run[..], &[&many, "-c", "7"], &game, &test].concat());
    assert_eq!((table(&held), &held["test"]), (table(&expected), &expected["test"]));
    let shown = done(&["tournament", "show", "--store", &many, "--json"]);
    assert_eq!((table(&shown), &shown["test"]), (table(&expected), &expected["test"]));
    let shown = rookery(&["tournament", "show", "--store", &many]);
    let shown = String::from_utf8_lossy(&shown.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("is accepted"), "{shown}");
    assert!(rookery(&["ratings", "--store", &many, "--recompute"]).status.success());

    let line = [&run[..], &[&cut, "-c", "2"], &game, &test].concat();
    let mut killed =
        Command::new(ROOKERY).args(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    let has_games = || {
        let listed = rookery(&["games", "list", "--store", &cut, "--json"]);
        serde_json::from_slice::<Value>(&listed.stdout).is_ok_and(|list| list[0].is_object())
    };
    while !has_games() {
        assert!(begin.elapsed() < Duration::from_mins(1), "no game was stored");
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let id = done(&["tournaments", "list", "--store", &cut, "--json"])[0]["id"].as_str().unwrap().to_owned();
    let resumed = done(&["tournament", "resume", &id, "--store", &cut, "--json"]);
    assert_eq!((table(&resumed), &resumed["test"]), (table(&expected), &expected["test"]));
}

#[test]
fn a_series_that_is_kept_can_be_tested_afterwards() {
    let folder = TempFolder::new("tested");
    let store = folder.join("store.db");
    let store = store.to_str().unwrap();
    let series = ["hexapawn:rows=4,cols=4", "level:5", "random", "--games", "60", "--seed", "4"];
    let of_sprt = done(&[&["sprt", "--elo0", "0", "--elo1", "50", "--json"], &series[..]].concat());
    done(&[&["tournament", "run", "--format", "series", "--store", store, "--json"], &series[..]].concat());
    let show = ["tournament", "show", "--store", store, "--elo0", "0", "--elo1", "50"];
    let shown = done(&[&show[..], &["--json"]].concat());
    assert_eq!(shown["test"]["decision"], "H1", "{shown}");
    assert_eq!(shown["test"]["llr"], of_sprt["llr"], "both played the same games");
    let page = rookery(&[&show[..], &["--format", "html"]].concat());
    assert!(String::from_utf8_lossy(&page.stdout).contains("H1"));
    done(&["tournament", "run", "hexapawn:rows=3,cols=3", "random", "first", "--store", store, "--json"]);
    let wrong = rookery(&show);
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(wrong.status.code() == Some(2) && said.contains("expected a series"), "{said}");
}

#[test]
fn mistakes_are_explained_before_anything_is_stored() {
    let folder = TempFolder::new("mistakes");
    let store = folder.join("store.db");
    let path = store.to_str().unwrap();
    let file = folder.join("evening.toml");
    for (toml, complaint) in [
        (
            "name = 'x'\ngames = ['hexapawn']\nentrants = []\n[format]\nkind = 'swiss'\nrouds = 3\n",
            "did you mean `rounds`?",
        ),
        (
            "name = 'x'\ngames = ['chess']\nformat = {kind = 'round-robin'}\nentrants = [{name = 'a', player = 'random'}, \
          {name = 'b', player = 'first'}]\n",
            "chess",
        ),
        (
            "name = 'x'\ngames = ['hexapawn']\nformat = {kind = 'round-robin'}\nentrants = [{name = 'a', player = 'random'}]\n",
            "`entrants`",
        ),
    ] {
        fs::write(&file, toml).unwrap();
        let output = rookery(&["tournament", "run", file.to_str().unwrap(), "--store", path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(complaint), "{complaint}: {said}");
    }
    for (args, complaint) in [
        (&["--format", "round-robin", "hexapawn", "random"][..], "`entrants`"),
        (&["--format", "cup", "hexapawn", "random", "first"][..], "--format cup"),
        (&["--format", "swiss", "hexapawn", "random", "first", "--double"][..], "double"),
        (&["--format", "round-robin", "hexapawn", "random", "hrad"][..], "hard"),
        (&["--format", "round-robin", "fish:players=4", "random", "first"][..], "2 of them for a table of 4"),
    ] {
        let output = rookery(&[&["tournament", "run", "--store", path], args].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(complaint), "{complaint}: {said}");
    }
    let listed = rookery(&["tournaments", "list", "--store", path, "--json"]);
    let none = !store.exists() || String::from_utf8_lossy(&listed.stdout).trim() == "[]";
    assert!(none, "{}", String::from_utf8_lossy(&listed.stdout));
}

#[test]
fn games_whose_result_is_proved_end_there_and_their_records_are_right() {
    let folder = TempFolder::new("proved");
    let play = |name: &str, concurrency: &str| -> (Value, Vec<String>) {
        let dir = folder.join(name);
        let dir = dir.to_str().unwrap();
        let args =
            ["match", "hexapawn:rows=5,cols=5", "level:2", "level:3", "--games", "6", "--json", "--quiet"];
        let result =
            done(&[&args[..], &["--adjudicate", "proved", "--record", dir, "-c", concurrency]].concat());
        assert!(rookery(&["verify", dir]).status.success());
        let names = ["1", "2", "3", "4", "5", "6"].map(|n| format!("{dir}/game-000{n}.rookery.jsonl"));
        (result, names.iter().map(|name| fs::read_to_string(name).unwrap()).collect())
    };
    let (result, records) = play("one", "1");
    for (game, record) in result["games"].as_array().unwrap().iter().zip(&records) {
        assert_eq!(game["ending"], "adjudicated", "{game}");
        assert_eq!(game["winners"].as_array().unwrap().len(), 1);
        // The solver says the same of the last position.
        let moves: Vec<String> = record
            .lines()
            .filter_map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["moved"]["move"].as_str().map(str::to_owned)
            })
            .collect();
        let shown = rookery(&["show", "hexapawn:rows=5,cols=5", "--moves", &moves.join(" ")]);
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        let position = shown.lines().find_map(|line| line.strip_prefix("position: ")).unwrap().to_owned();
        let solved = done(&["solve", "hexapawn:rows=5,cols=5", "--position", &position, "--json"]);
        let winner = usize::from(solved["winner"] != "first");
        let seats = game["seats"].as_array().unwrap();
        assert_eq!(game["winners"][0], seats[winner], "{position}: {solved}");
    }
    assert_eq!(play("two", "2").1, records, "the same games at any concurrency");
}

#[test]
fn bots_sign_up_over_a_network_each_under_a_name_of_its_own() {
    let folder = TempFolder::new("sign-up");
    let store = folder.join("store.db");
    let secret = folder.join("secret");
    fs::write(&secret, "swordfish\n").unwrap();
    let secret = secret.to_str().unwrap();
    let mut server = Command::new(ROOKERY)
        .args(["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", "random", "--json"])
        .args(["--sign-up", "tcp:0", "--sign-up", "ws:0", "--sign-up-max", "2", "--secret-file", secret])
        .args(["--store", store.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufRead::lines(std::io::BufReader::new(server.stderr.take().unwrap()));
    let mut address = || {
        let line = said.next().unwrap().unwrap();
        line.strip_prefix("bots sign up at ").and_then(|rest| rest.split(' ').next()).unwrap().to_owned()
    };
    let (tcp, ws) = (address(), format!("ws://{}/", address()));
    let connect = |at: &str, name: &str, secret: &[&str]| {
        Command::new(ROOKERY)
            .args(["connect", at, "--name", name])
            .args(secret)
            .args(["--", ROOKERY, "echo-bot"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let secret = &["--secret-file", secret][..];
    // Who does not know the secret is sent away, and so is who takes a name that somebody has.
    let stranger = connect(&tcp, "stranger", &[]).wait_with_output().unwrap();
    assert!(!stranger.status.success(), "{}", String::from_utf8_lossy(&stranger.stderr));
    let one = connect(&tcp, "one", secret);
    assert!(said.next().unwrap().unwrap().contains("one signed up (1)"));
    let again = connect(&tcp, "ONE", secret).wait_with_output().unwrap();
    assert!(!again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let two = connect(&ws, "two", secret);
    // Read to the end, so that nobody waits for room.
    let rest: Vec<String> = said.map(Result::unwrap).collect();
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success(), "{rest:?}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut names: Vec<&str> =
        result["standings"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["one", "random", "two"]);
    assert_eq!(result["games"], 6);
    assert!(result["standings"].as_array().unwrap().iter().all(|row| row["crashes"] == 0), "{result}");
    for bot in [one, two] {
        assert!(bot.wait_with_output().unwrap().status.success(), "it is sent home in peace");
    }
}
