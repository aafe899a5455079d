//! What a tournament's file and its flags say together, and what its store knows afterwards, through the real program.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use pty::Pty;
use rookery_testkit::TempFolder;
use serde_json::Value;

#[allow(dead_code, reason = "others type and click in it")]
mod pty;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn rookery(args: &[&str]) -> Output {
    Command::new(ROOKERY).args(args).stdin(Stdio::null()).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = rookery(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A file of a round robin between these players, with more lines.
fn file(folder: &TempFolder, players: [&str; 2], more: &str) -> PathBuf {
    let [one, other] = players;
    let toml = format!(
        "name = 'x'\ngames = ['hexapawn:rows=3,cols=3']\nformat = {{kind = 'round-robin'}}\n{more}\n\
         entrants = [{{name = 'a', player = '{one}'}}, {{name = 'b', player = '{other}'}}]\n"
    );
    let path = folder.join("x.toml");
    fs::write(&path, toml).unwrap();
    path
}

#[test]
fn flags_that_a_file_would_silently_outvote_are_refused_by_name() {
    let folder = TempFolder::new("beside");
    let (path, store) = (file(&folder, ["random", "first"], ""), folder.join("s.db"));
    let run = ["tournament", "run", path.to_str().unwrap(), "--store", store.to_str().unwrap(), "--json"];
    for flags in [
        &["--games", "8"][..],
        &["--time", "1s"],
        &["--format", "swiss"],
        &["--name", "y", "--rounds", "3"],
        &["--max-faults", "2"],
    ] {
        let output = rookery(&[&run[..], flags].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        let named = flags.iter().filter(|word| word.starts_with("--")).all(|flag| said.contains(flag));
        assert!(output.status.code() == Some(2) && named && said.contains("into the file"), "{said}");
    }
    assert!(!store.exists());
    assert_eq!(json(&[&run[..], &["--seed", "3"]].concat())["games"], 2);
}

#[test]
fn games_of_a_pairing_are_said_alike_for_every_format() {
    let folder = TempFolder::new("games");
    let store = folder.join("s.db");
    let run = |flags: &[&str]| {
        let fixed = ["tournament", "run", "hexapawn:rows=3,cols=3", "random", "first"];
        rookery(&[&fixed[..], flags, &["--seed", "3", "--json", "--store", store.to_str().unwrap()]].concat())
    };
    for (flags, games) in
        [(&["--format", "series"][..], 2..=2), (&["--format", "knock-out", "--games", "4"], 4..=10)]
    {
        let output = run(flags);
        assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
        let held: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(games.contains(&held["games"].as_u64().unwrap()), "{flags:?}: {held}");
    }
    let odd = run(&["--format", "knock-out", "--games", "3"]);
    let said = String::from_utf8_lossy(&odd.stderr);
    assert!(odd.status.code() == Some(2) && said.contains("an even number"), "{said}");
}

/// Tables of four, three and two, whoever wins.
#[test]
fn a_knock_out_by_fish_s_own_rule_is_held_with_any_number_of_players() {
    let folder = TempFolder::new("fish-knock-out");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let run = ["tournament", "run", "--format", "fish-knock-out", "--json", "--store", store];
    let players = ["random", "first", "a=random", "b=first", "c=random"];
    for n_players in 2..=5 {
        let held = json(&[&run[..], &["fish:players=4"], &players[..n_players]].concat());
        assert_eq!(held["standings"].as_array().unwrap().len(), n_players, "{held}");
    }
    let of_two = rookery(&[&run[..], &["hexapawn"], &players[..3]].concat());
    let said = String::from_utf8_lossy(&of_two.stderr);
    assert!(of_two.status.code() == Some(2) && said.contains("hexapawn"), "{said}");
    assert_eq!(json(&["tournaments", "list", "--store", store, "--json"]).as_array().unwrap().len(), 4);
}

#[test]
fn the_sandbox_of_a_file_holds_for_its_programs() {
    let folder = TempFolder::new("sandbox");
    let store = folder.join("s.db");
    let bot = format!("cmd:{ROOKERY} echo-bot");
    for (level, told) in [("auto", true), ("none", false)] {
        let path = file(&folder, [&bot, "first"], &format!("sandbox = '{level}'"));
        let run = ["tournament", "run", path.to_str().unwrap(), "--store", store.to_str().unwrap()];
        let output = rookery(&run);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_eq!(said.contains("sandbox: "), told, "{level}: {said}");
    }
    let path = file(&folder, ["random", "first"], "sandbox = 'ful'");
    let wrong = rookery(&["tournament", "run", path.to_str().unwrap(), "--store", store.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(wrong.status.code() == Some(2) && said.contains("expected auto, full or none"), "{said}");
}

#[test]
fn without_a_clock_nobody_has_one_and_rounds_are_kept() {
    let folder = TempFolder::new("no-clock");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let run = ["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", "random", "first"];
    let rest = ["level:1", "--tc", "1s", "--no-clock", "--store", store, "--json"];
    let held = json(&[&run[..], &rest].concat());
    let id = held["tournament"].as_str().unwrap();
    let shown = json(&["tournaments", "show", id, "--store", store, "--json"]);
    let rounds: Vec<&Value> =
        shown["rounds"].as_array().unwrap().iter().map(|round| &round["number"]).collect();
    assert_eq!(rounds, [1, 2, 3], "{shown}");
    let spec = if shown["spec"].is_string() {
        serde_json::from_str(shown["spec"].as_str().unwrap()).unwrap()
    } else {
        shown["spec"].clone()
    };
    assert!(spec.is_object() && !spec["time"].to_string().contains("1s"), "{shown}");
}

#[test]
fn fault_s19_ratings_that_are_gone_differ_and_a_store_is_found_from_any_folder() {
    let folder = TempFolder::new("gone");
    let (deep, other) = (folder.join("a/b"), folder.join("c"));
    fs::create_dir_all(&deep).unwrap();
    fs::create_dir_all(&other).unwrap();
    let at = |folder: &PathBuf, args: &[&str]| {
        Command::new(ROOKERY).args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap()
    };
    let run = ["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", "random", "first"];
    let held = at(&other, &[&run[..], &["--store", "s.db", "--json"]].concat());
    let held: Value = serde_json::from_slice(&held.stdout).unwrap();
    let id = held["tournament"].as_str().unwrap();
    // It goes back to the folder where it was started, from where this name leads elsewhere.
    let again = at(&deep, &["tournament", "resume", id, "--store", "../../c/s.db", "--json"]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).unwrap()["games"], 2);

    let compare = || at(&other, &["ratings", "--store", "s.db", "--recompute"]);
    assert_eq!(compare().status.code(), Some(0));
    let connection = rusqlite::Connection::open(other.join("s.db")).unwrap();
    connection.execute("delete from ratings", []).unwrap();
    let gone = compare();
    assert_eq!(gone.status.code(), Some(1), "{}", String::from_utf8_lossy(&gone.stdout));
    // One that goes on is rated when it stops.
    connection.execute("update tournaments set state = 'paused'", []).unwrap();
    drop(connection);
    let paused = compare();
    assert_eq!(paused.status.code(), Some(0), "{}", String::from_utf8_lossy(&paused.stdout));
    assert!(String::from_utf8_lossy(&paused.stdout).contains("not rated since"));
}

/// The place of a store may hold a password, and whoever goes on says the place anyway.
#[test]
fn fault_s17_how_a_tournament_was_started_is_kept_without_the_place_of_its_store() {
    let folder = TempFolder::new("kept");
    let store = folder.join("secret.db");
    let held = json(&[
        "tournament",
        "run",
        "hexapawn:rows=3,cols=3",
        "random",
        "--store",
        store.to_str().unwrap(),
        "first",
        "--json",
    ]);
    let connection = rusqlite::Connection::open(&store).unwrap();
    let kept: String = connection.query_row("select how from tournament_runs", [], |row| row.get(0)).unwrap();
    assert!(kept.contains("first") && !kept.contains("secret"), "{kept}");
    drop(connection);
    let id = held["tournament"].as_str().unwrap();
    assert_eq!(
        json(&["tournament", "resume", id, "--store", store.to_str().unwrap(), "--json"])["games"],
        held["games"]
    );
}

/// A server that seats the bot, loses it, and does not know its token any more: it is to come back by its name, and not to try
/// again without a pause.
#[test]
fn who_cannot_come_back_to_its_game_waits_for_the_next_by_its_name() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let bot = Command::new(ROOKERY)
        .args(["connect", &address, "--name", "ann", "--wait", "20s", "--", ROOKERY, "echo-bot"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = r#"{"type":"hello","protocol":"rookery","version":1,"features":[],"line_bytes":65536,"reply_ms":10000}"#;
    let game = r#"{"type":"new_game","game":"hexapawn","seat":0,"token":"abc","reply_ms":10000}"#;
    let mut came = vec![];
    let answers = [
        vec![game],
        vec![r#"{"type":"game_over"}"#],
        vec![r#"{"type":"error","code":"no_seat","message":"there is no seat for you"}"#],
        vec![game, r#"{"type":"quit"}"#],
    ];
    for told in answers {
        let (mut stream, _) = listener.accept().unwrap();
        writeln!(stream, "{hello}").unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let said: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        came.push((said["name"].clone(), said["token"].clone()));
        for line in &told {
            writeln!(stream, "{line}").unwrap();
            if *line == game {
                assert!(lines.next().unwrap().unwrap().contains("ready"));
            }
        }
    }
    let output = bot.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("no_seat: there is no seat for you"), "{said}");
    let token = Value::from("abc");
    let tokens: Vec<&Value> = came.iter().map(|(_, token)| token).collect();
    assert_eq!(tokens, [&Value::Null, &token, &token, &Value::Null], "{came:?}");
    assert!(came.iter().all(|(name, _)| name == "ann"), "{came:?}");
}

/// What a run of these flags says it would play.
fn plan(flags: &[&str]) -> Value {
    json(&[&["tournament", "run", "--dry-run", "--json"], flags].concat())
}

#[test]
fn flags_of_formats_do_what_they_say() {
    let folder = TempFolder::new("flags");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let game = "hexapawn:rows=3,cols=3";
    let players = ["random", "first", "a=random", "b=first"];
    let play = |flags: &[&str]| {
        let fixed = ["tournament", "run", game, "--seed", "3", "--json", "--store", store];
        let held = json(&[&fixed[..], flags, &players].concat());
        let id = held["tournament"].as_str().unwrap().to_owned();
        (held, id)
    };
    // Who met whom, by name.
    let met = |held: &Value, name: &str| {
        let rows = held["standings"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        let mut met: Vec<String> = row["versus"]
            .as_array()
            .unwrap()
            .iter()
            .map(|other| other["name"].as_str().unwrap().to_owned())
            .collect();
        met.sort();
        met
    };
    let (held, _) = play(&["--format", "gauntlet", "--challengers", "2"]);
    assert_eq!(held["games"], 8, "{held}");
    assert_eq!(met(&held, "random"), ["a", "b"], "challengers do not meet");
    assert_eq!(met(&held, "a"), ["first", "random"], "nor do the others");
    let (held, _) = play(&["--format", "round-robin", "--double"]);
    assert_eq!(held["games"], 24, "everybody meets everybody twice: {held}");
    let (held, id) = play(&["--format", "round-robin", "--games", "4", "--also", "hexapawn:rows=4,cols=4"]);
    assert_eq!(held["setting"]["games"], serde_json::json!([game, "hexapawn:rows=4,cols=4"]));
    for spec in [game, "hexapawn:rows=4,cols=4"] {
        let listed = json(&["games", "list", "--tournament", &id, "--store", store, "--json"]);
        let played = listed.as_array().unwrap().iter().filter(|row| row["game"] == spec).count();
        assert_eq!(played, 12, "of each pairing every other start: {spec}");
    }
    for (flags, n_meetings) in
        [(&["--format", "knock-out"][..], 3), (&["--format", "knock-out", "--bronze"], 4)]
    {
        let (_, id) = play(flags);
        let out = folder.join(&id);
        json(&["tournaments", "export", &id, out.to_str().unwrap(), "--store", store, "--json"]);
        let pairings = fs::read_to_string(out.join("pairings.jsonl")).unwrap();
        let mut meetings: Vec<Vec<u64>> = pairings
            .lines()
            .map(|line| {
                let pairing: Value = serde_json::from_str(line).unwrap();
                let mut seats: Vec<u64> = serde_json::from_value(pairing["entrants"].clone()).unwrap();
                seats.sort_unstable();
                seats
            })
            .collect();
        meetings.sort();
        meetings.dedup();
        assert_eq!(meetings.len(), n_meetings, "{flags:?}: {pairings}");
    }
}

#[test]
fn a_dry_run_says_how_long_it_takes_at_most() {
    let game = ["hexapawn:rows=3,cols=3", "random", "first"];
    for (flags, seconds, words) in [
        (&["--time", "1s"][..], 240, "at most about 4 min, with 1 at a time"),
        (&["--time", "1s", "-c", "2"], 120, "at most about 120 s, with 2 at a time"),
        (&["--tc", "10s+1s"], 280, "at most about 5 min, with 1 at a time"),
        (&["--tc", "10s+1s", "--games", "200"], 28_000, "at most about 8 h, with 1 at a time"),
    ] {
        assert_eq!(plan(&[&game[..], flags].concat())["longest_s"], seconds, "{flags:?}");
        let told = rookery(&[&["tournament", "run", "--dry-run"], &game[..], flags].concat());
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.contains(words), "{flags:?}: {told}");
    }
    assert!(plan(&game)["longest_s"].is_null(), "nobody can say");
}

#[test]
fn a_dry_run_of_a_sign_up_says_what_is_known_and_what_is_not() {
    for (named, n_named) in [(&[][..], 0), (&["house=random", "level:1"], 2)] {
        let flags = [&["--format", "swiss", "hexapawn:rows=3,cols=3", "--sign-up", "tcp:0"], named].concat();
        let plan = plan(&flags);
        assert_eq!((&plan["entrants"], &plan["games"]), (&Value::from(n_named), &Value::Null), "{plan}");
        assert_eq!(plan["first"], Value::Array(vec![]));
        let told = rookery(&[&["tournament", "run", "--dry-run"], &flags[..]].concat());
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.contains(&format!("{n_named} players are named, and others sign up")), "{told}");
    }
    // What is wrong whoever comes is said all the same.
    let wrong = ["tournament", "run", "--dry-run", "hexapawn", "--sign-up", "tcp:0", "--forbid", "ann,bob"];
    let refused = rookery(&wrong);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("ann"), "{said}");
}

#[test]
fn a_test_has_the_model_that_was_asked_for() {
    let folder = TempFolder::new("model");
    let store = folder.join("s.db");
    let run = ["tournament", "run", "hexapawn:rows=3,cols=3", "random", "first", "--json", "--store"];
    let run = [&run[..], &[store.to_str().unwrap(), "--model", "normalized"]].concat();
    let held = json(&[&run[..], &["--format", "sprt", "--games", "4"]].concat());
    assert_eq!(held["test"]["model"], "normalized", "{held}");
    let refused = rookery(&[&run[..], &["--format", "swiss"]].concat());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("model"), "{said}");
}

#[test]
fn games_of_a_tournament_end_once_their_result_is_proved() {
    let folder = TempFolder::new("proved");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let run =
        ["tournament", "run", "hexapawn:rows=5,cols=5", "level:2", "level:3", "--games", "4", "--seed", "3"];
    let run = [&run[..], &["--store", store, "--json"]].concat();
    let proved = json(&[&run[..], &["--adjudicate", "proved"]].concat());
    assert_eq!(proved["endings"], serde_json::json!({"adjudicated": 4}));
    // Each of them is judged again, and the winner is the one of the rules.
    let check = rookery(&["db", "check", "--judge", "--store", store]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
    let plain = json(&run);
    assert_eq!(plain["endings"], serde_json::json!({"normal": 4}));
    let plies = |held: &Value| -> u64 {
        let id = held["tournament"].as_str().unwrap();
        let listed = json(&["games", "list", "--tournament", id, "--store", store, "--json"]);
        listed.as_array().unwrap().iter().map(|game| game["plies"].as_u64().unwrap()).sum()
    };
    assert!(plies(&proved) < plies(&plain), "they end sooner");
    let path = file(&folder, ["random", "first"], "adjudicate = 'proved'");
    let by_file = json(&["tournament", "run", path.to_str().unwrap(), "--store", store, "--json"]);
    assert_eq!(by_file["endings"], serde_json::json!({"adjudicated": 2}));
}

#[test]
fn a_table_is_shown_by_other_models_and_from_another_zero() {
    let folder = TempFolder::new("models");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    // Some of these games are drawn, and that is where the models differ.
    let players = ["random", "first", "level:1", "--games", "12", "--seed", "3"];
    json(&[&["tournament", "run", "stones", "--store", store, "--json"], &players[..]].concat());
    let show = |flags: &[&str]| json(&[&["tournament", "show", "--store", store, "--json"], flags].concat());
    let usual = show(&[]);
    assert_eq!(
        (&usual["ratings"]["model"], &usual["ratings"]["anchor"]),
        (&"bradley-terry".into(), &Value::Null)
    );
    let ratings = |shown: &Value| -> Vec<f64> {
        let rows = shown["standings"].as_array().unwrap();
        rows.iter().map(|row| row["rating"].as_f64().unwrap()).collect()
    };
    for model in ["davidson", "rao-kupper", "plackett-luce", "weng-lin"] {
        let shown = show(&["--model", model]);
        assert_eq!(shown["ratings"]["model"], model);
        let unit = if model == "weng-lin" { "mu" } else { "Elo" };
        assert_eq!(shown["ratings"]["unit"], unit, "{model}");
        assert_ne!(ratings(&shown), ratings(&usual), "{model}");
    }
    let shown = show(&["--anchor", "random=1000"]);
    assert_eq!(shown["ratings"]["anchor"], serde_json::json!({"name": "random", "rating": 1000.0}));
    let rows = shown["standings"].as_array().unwrap();
    let anchor = rows.iter().find(|row| row["name"] == "random").unwrap();
    assert!((anchor["rating"].as_f64().unwrap() - 1000.0).abs() < 1e-6, "{anchor}");
    // All others are moved by as much.
    let moved: Vec<f64> = ratings(&shown).iter().zip(ratings(&usual)).map(|(new, old)| new - old).collect();
    assert!(moved.iter().all(|by| (by - moved[0]).abs() < 1e-6), "{moved:?}");
    for (flags, complaint) in [
        (["--anchor", "nobody=1000"], "nobody in this tournament has this name"),
        (["--anchor", "random"], "expected NAME=ELO"),
        (["--anchor", "random=much"], "expected a number"),
        (["--model", "elo"], "davidson"),
    ] {
        let wrong = rookery(&[&["tournament", "show", "--store", store], &flags[..]].concat());
        let said = String::from_utf8_lossy(&wrong.stderr);
        assert!(wrong.status.code() == Some(2) && said.contains(complaint), "{flags:?}: {said}");
    }
}

#[test]
fn the_likelihood_ratio_of_a_test_is_drawn() {
    let folder = TempFolder::new("plot");
    let plot = folder.join("llr.svg");
    let test = ["sprt", "hexapawn:rows=4,cols=4", "level:5", "random", "--elo0", "0", "--elo1", "50"];
    let decided = json(&[&test[..], &["--json", "--plot", plot.to_str().unwrap()]].concat());
    assert_eq!(decided["decision"], "H1");
    let drawn = fs::read_to_string(&plot).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"), "{drawn}");
    for word in ["The likelihood ratio on its way", "LLR", "blocks", "H0", "H1"] {
        assert!(drawn.contains(word), "{word}: {drawn}");
    }
    let nowhere = folder.join("missing/llr.svg");
    let failed = rookery(&[&test[..], &["--games", "2", "--plot", nowhere.to_str().unwrap()]].concat());
    let said = String::from_utf8_lossy(&failed.stderr);
    assert!(!failed.status.success() && said.contains("--plot") && said.contains("llr.svg"), "{said}");
}

#[test]
fn whoever_looks_on_is_told_how_much_is_left() {
    let folder = TempFolder::new("looked-on");
    let bot = format!("bot=cmd:{ROOKERY} echo-bot");
    for (player, of) in [("level:1", "/100000 games"), (&bot, " of at most 100000 games")] {
        let store = folder.join(format!("{}.db", player.len()));
        let run = ["tournament", "run", "hexapawn", "random", player, "--games", "100000", "--store"];
        let pty = Pty::start(&[&run[..], &[store.to_str().unwrap()]].concat(), &folder);
        let shown = pty.until("the time left", |shown| shown.contains(of) && shown.contains(" to go"));
        assert!(!shown.contains("/s per"), "{shown}");
    }
}
