//! Commands on a store: what they print, what they take out and bring in, and how they end.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rookery_store::{Hash, Options, Store};
use rookery_testkit::TempFolder;
use serde_json::{Value, json};

mod people;
mod tournaments;

fn rookery(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(args)
        .current_dir(folder)
        .env_remove("ROOKERY_STORE")
        .env("XDG_DATA_HOME", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Its exit code, and what it printed and said of errors.
fn ended(folder: &Path, line: &str) -> (i32, String, String) {
    let output = rookery(folder, &line.split_whitespace().collect::<Vec<_>>());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// What a command prints that succeeds.
fn printed(folder: &Path, line: &str) -> String {
    let (code, out, error) = ended(folder, line);
    assert_eq!(code, 0, "{line}: {out}{error}");
    out
}

fn json_of(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(folder, line)).unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect()
}

const FINISHED: &str = "tests/cmd/records.in/matches/finished.rookery.jsonl";
/// The id that follows from its bytes.
fn finished_id(folder: &Path) -> String {
    json_of(folder, "games list --store s.db --json")[0]["id"].as_str().unwrap().to_owned()
}

/// A folder with the store `s.db`, in which is one game with a fault.
fn with_one_game(name: &str) -> TempFolder {
    let folder = TempFolder::new(name);
    fs::copy(FINISHED, folder.join("one.rookery.jsonl")).unwrap();
    printed(&folder, "games import one.rookery.jsonl --store s.db");
    folder
}

/// The records of a few games between `a` and `b`, in `records`.
fn play(folder: &Path, n_games: u32) {
    let line = format!(
        "match hexapawn:rows=3,cols=3 a=random b=random --games {n_games} --seed 3 --quiet --record records"
    );
    printed(folder, &line);
    assert_eq!(records(&folder.join("records")).len(), n_games as usize);
}

fn records(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files(folder).into_iter().filter(|(name, _)| name.ends_with(".rookery.jsonl")).collect()
}

/// The same record with other words, and the hash that belongs to it.
fn rewritten(record: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(record.to_vec()).unwrap().replace(from, to);
    let at = text.rfind("{\"verdict\"").unwrap();
    let (lines, verdict) = text.split_at(at);
    let (before, _) = verdict.split_once("\"sha256\":\"").unwrap();
    format!("{lines}{before}\"sha256\":\"{}\"}}}}\n", Hash::of(lines.as_bytes())).into_bytes()
}

#[test]
fn where_there_is_no_store_it_is_said_what_makes_one() {
    let folder = TempFolder::new("store-none");
    for line in [
        "games list",
        "games list --json --store x.db",
        "entrants list",
        "tournaments list",
        "db check",
        "db backup b.db",
    ] {
        let (code, out, error) = ended(&folder, line);
        assert_eq!((code, out.as_str()), (1, ""), "{line}: {error}");
        assert!(error.contains("there is no store at") && error.contains("rookery games import"), "{error}");
    }
    assert!(files(&folder).is_empty(), "looking makes nothing");
    // The usual place is the data folder.
    fs::copy(FINISHED, folder.join("one.rookery.jsonl")).unwrap();
    printed(&folder, "games import one.rookery.jsonl");
    assert!(folder.join("rookery/rookery.db").is_file());
    assert_eq!(json_of(&folder, "games list --json").as_array().unwrap().len(), 1);
    let (code, _, error) = ended(&folder, "games list --store mysql://x");
    assert_eq!(code, 2, "{error}");
}

#[test]
fn an_empty_store_says_what_fills_it() {
    let folder = TempFolder::new("store-empty");
    drop(Store::open(folder.join("s.db").to_str().unwrap(), &Options::default()).unwrap());
    for (line, hint) in [
        ("games list --store s.db", "rookery tournament run"),
        ("entrants list --store s.db", "rookery games import"),
        ("tournaments list --store s.db", "rookery tournament run"),
    ] {
        let shown = printed(&folder, line);
        assert!(shown.contains(hint), "{line}: {shown}");
    }
    for line in [
        "games list --store s.db --json",
        "entrants list --store s.db --json",
        "tournaments list --store s.db --json",
    ] {
        assert_eq!(json_of(&folder, line), json!([]), "{line}");
    }
    assert!(printed(&folder, "games list --store s.db --game fish").contains("No stored game"));
}

#[test]
fn a_game_is_shown_with_its_moves_and_faults() {
    let folder = with_one_game("store-show");
    let id = finished_id(&folder);
    let shown = printed(&folder, &format!("games show {id} --store s.db"));
    for part in [
        "player 1: Ann (human)",
        "resigned after 2 moves: player 1 (Ann) resigned, scores 0 1",
        "   1  player 1 (Ann)  b1-b2                     2300",
        "says: Good luck!",
        "illegal_move (ask_again)",
        "After move 1: player 2 (Bob) sent an illegal move",
        "  sent            a3-a1",
        "  note            a pawn makes one step",
        "  legal           c3xb2 c3-c2 a3xb2 a3-a2",
    ] {
        assert!(shown.contains(part), "{part:?} in\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let game = json_of(&folder, &format!("games show {id} --store s.db --json"));
    assert_eq!(
        game["moves"],
        json!([
            {"seat": 0, "move": "b1-b2", "ms": 2300, "left_ms": 7800},
            {"seat": 1, "move": "a3xb2", "ms": 9, "left_ms": 10091},
        ])
    );
    assert_eq!(game["faults"][0]["offence"], "illegal_move");
    assert_eq!(game["faults"][0]["after"], 1);
    assert_eq!(game["faults"][0]["evidence"]["sent"], "a3-a1");
    assert_eq!(game["match"]["seats"][1]["name"], "Bob");
    assert_eq!((&game["cause"], &game["winners"]), (&json!("resigned"), &json!([1])));
    assert_eq!(game["sha256"], Hash::of(&fs::read(FINISHED).unwrap()).to_string());
    // Whatever is no id is told, and what is not there.
    assert_eq!(ended(&folder, "games show ../x --store s.db").0, 2);
    assert_eq!(ended(&folder, "games show 000000000000 --store s.db").0, 1);
}

#[test]
fn records_go_in_judged_once_and_out_with_the_same_bytes() {
    let folder = TempFolder::new("store-round-trip");
    play(&folder, 6);
    let played = records(&folder.join("records"));
    // What is wrong, torn or no record at all stays outside, and everything else comes in.
    for name in ["bad", "later"] {
        fs::copy(
            format!("tests/cmd/records.in/{name}.rookery.jsonl"),
            folder.join(format!("records/{name}.rookery.jsonl")),
        )
        .unwrap();
    }
    fs::copy("tests/cmd/records.in/matches/torn.rookery.jsonl", folder.join("records/torn.rookery.jsonl"))
        .unwrap();
    let first = played.values().next().unwrap();
    let (good, tampered) =
        (String::from_utf8(first.clone()).unwrap(), rewritten(first, "\"plies\":", "\"plies\":1"));
    fs::write(folder.join("records/tampered.rookery.jsonl"), tampered).unwrap();
    fs::write(folder.join("records/again.rookery.jsonl"), &good).unwrap();
    let (code, out, error) = ended(&folder, "games import records missing.rookery.jsonl --store s.db");
    assert_eq!(code, 1, "{out}{error}");
    assert!(out.ends_with("6 taken in, 1 stored already, 5 refused\n"), "{out}");
    for (name, reason) in [
        ("records/bad", "line 5: illegal move a3xb3"),
        ("records/later", "version 9"),
        ("records/torn", "the match is not over"),
        ("records/tampered", "plies"),
        ("missing", "it cannot be read"),
    ] {
        let line =
            out.lines().find(|line| line.starts_with(&format!("{name}.rookery.jsonl: "))).unwrap_or_default();
        assert!(line.contains(reason), "{name}: {out}");
    }
    assert_eq!(error, "error: 5 of 12 were refused\n");
    // Again, nothing changes.
    let again = ended(&folder, "games import records --store s.db --json");
    let report: Value = serde_json::from_str(&again.1).unwrap();
    assert_eq!((again.0, &report["imported"], &report["known"]), (1, &json!(0), &json!(7)));
    assert_eq!(report["refused"].as_array().unwrap().len(), 4);

    let report = json_of(&folder, "games export out --store s.db --json");
    assert_eq!(report, json!({"written": 6, "known": 0, "failed": []}));
    let bytes = |records: BTreeMap<String, Vec<u8>>| {
        let mut bytes: Vec<_> = records.into_values().collect();
        bytes.sort();
        bytes
    };
    assert_eq!(bytes(files(&folder.join("out"))), bytes(played));
    // What is there with the same bytes stays; something else is never overwritten.
    let name = files(&folder.join("out")).into_keys().next().unwrap();
    fs::write(folder.join("out").join(&name), "mine").unwrap();
    let (code, out, _) = ended(&folder, "games export out --store s.db");
    assert_eq!((code, out.ends_with("out: 0 written, 5 there already, 1 not written\n")), (1, true), "{out}");
    assert_eq!(fs::read(folder.join("out").join(&name)).unwrap(), b"mine");
    // One game becomes a file.
    let id = name.strip_suffix(".rookery.jsonl").unwrap();
    printed(&folder, &format!("games export x.rookery.jsonl --id {id} --store s.db"));
    assert!(fs::read(folder.join("x.rookery.jsonl")).unwrap().starts_with(b"{\"record\""));
    assert_eq!(ended(&folder, "games export y.rookery.jsonl --store s.db").0, 2);
}

#[test]
fn lists_have_filters_and_pages() {
    let folder = with_one_game("store-lists");
    play(&folder, 6);
    printed(&folder, "games import records --store s.db");
    let ids = |line: &str| -> Vec<u64> {
        let games = json_of(&folder, &format!("games list --store s.db --json {line}"));
        games.as_array().unwrap().iter().map(|game| game["seq"].as_u64().unwrap()).collect()
    };
    assert_eq!(ids(""), [7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(ids("--limit 2"), [7, 6]);
    assert_eq!(ids("--limit 2 --before 6"), [5, 4]);
    assert_eq!(ids("--cause resigned"), [1]);
    assert_eq!(ids("--entrant A --limit 1"), [7]);
    assert_eq!(ids("--entrant Bob"), [1]);
    assert_eq!(ids("--game fish"), [0; 0]);
    assert_eq!(ids("--game hexapawn").len(), 7);
    let shown = printed(&folder, "games list --store s.db --limit 2");
    assert!(shown.contains("There are more; go on with --before 6."), "{shown}");
    assert!(!printed(&folder, "games list --store s.db --before 3").contains("There are more"));
    for (line, code) in
        [("--entrant nobody", 1), ("--cause why", 2), ("--game chess", 2), ("--tournament 000000000000", 1)]
    {
        let (found, _, error) = ended(&folder, &format!("games list --store s.db {line}"));
        assert_eq!(found, code, "{line}: {error}");
    }
    let entrants = json_of(&folder, "entrants list --store s.db --json --kind built-in");
    let names: Vec<&str> =
        entrants.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "persons stay guests: {names:?}");
    let entrant = json_of(&folder, "entrants show A --store s.db --json");
    assert_eq!((&entrant["name"], &entrant["games"]), (&json!("a"), &json!(6)));
    assert_eq!(entrant["last"].as_array().unwrap().len(), 6);
    assert!(printed(&folder, "entrants show bob --store s.db").contains("The last 1 of 1 games"));
    // They go into a file and come back, once.
    printed(&folder, "entrants export e.json --store s.db");
    assert!(printed(&folder, "entrants import e.json --store t.db").starts_with("3 taken in, 0 known"));
    assert!(printed(&folder, "entrants import e.json --store t.db").starts_with("0 taken in, 3 known"));
    fs::write(
        folder.join("e.json"),
        fs::read_to_string(folder.join("e.json")).unwrap().replace("built-in", "bot"),
    )
    .unwrap();
    let (code, out, _) = ended(&folder, "entrants import e.json --store t.db");
    assert_eq!((code, out.contains("belongs to a built-in already")), (1, true), "{out}");
}

#[test]
fn names_of_others_do_no_harm_and_no_table_is_too_wide() {
    let folder = TempFolder::new("store-names");
    let record = fs::read(FINISHED).unwrap();
    let evil = format!("\"name\":\"\\u001b[2J\\u202e{}\"", "x".repeat(90));
    fs::write(folder.join("evil.rookery.jsonl"), rewritten(&record, "\"name\":\"Bob\"", &evil)).unwrap();
    printed(&folder, "games import evil.rookery.jsonl --store s.db");
    let id = finished_id(&folder);
    for line in ["games list".to_owned(), format!("games show {id}"), "entrants list".to_owned()] {
        let shown = printed(&folder, &format!("{line} --store s.db"));
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{line}: {shown:?}");
        let wide = shown.lines().find(|line| line.chars().count() > 80);
        // What was agreed is shown whole, as `rookery replay` does.
        assert!(wide.is_none_or(|wide| wide.starts_with("  player 2: ")), "{line}: {shown}");
    }
}

/// Changes the file behind the back of the store.
fn meddle(folder: &Path, sql: &str) {
    rusqlite::Connection::open(folder.join("s.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn fault_s09_a_damaged_store_ends_with_65_and_the_games_are_named() {
    let folder = TempFolder::new("store-damage");
    play(&folder, 4);
    printed(&folder, "games import records --store s.db");
    let good = json_of(&folder, "db check --store s.db --judge --json");
    // Who writes, and the two who played.
    let expected = json!({"good": true, "games": 4, "rows": 3, "complete": true, "problems": [], "bad": []});
    assert_eq!(good, expected);
    let id =
        json_of(&folder, "games list --store s.db --json --before 3")[0]["id"].as_str().unwrap().to_owned();
    meddle(&folder, "update records set bytes = zeroblob(length(bytes)) where seq = 2");
    let (code, out, error) = ended(&folder, "db check --store s.db");
    assert_eq!((code, error.as_str()), (65, ""), "{out}");
    assert!(
        out.contains(&format!("game {id} (number 2): its record is not the one that was stored")),
        "{out}"
    );
    let report: Value = serde_json::from_str(&ended(&folder, "db check --store s.db --json").1).unwrap();
    assert_eq!((&report["good"], &report["bad"][0]["id"]), (&json!(false), &json!(id)));
    // What is good can still be saved.
    let (code, out, error) = ended(&folder, "games export out --store s.db");
    assert_eq!((code, files(&folder.join("out")).len()), (65, 3), "{out}{error}");
    assert!(out.contains(&id) && error.starts_with("error: "), "{out}{error}");
    assert_eq!(ended(&folder, &format!("games show {id} --store s.db")).0, 65);
    // Nobody writes to it, and no backup is made of it.
    assert_eq!(ended(&folder, "games import records --store s.db").0, 65);
    assert_eq!(ended(&folder, "db backup b.db --store s.db").0, 65);
    assert!(!folder.join("b.db").exists());
}

#[test]
fn fault_s09_bytes_of_the_file_itself_are_missed_too() {
    let folder = TempFolder::new("store-bytes");
    play(&folder, 40);
    printed(&folder, "games import records --store s.db");
    let whole = fs::read(folder.join("s.db")).unwrap();
    for (what, bytes) in [
        ("half of it", whole[..whole.len() / 2].to_vec()),
        ("its beginning", [vec![0; 100], whole[100..].to_vec()].concat()),
        ("a page", [whole[..8192].to_vec(), vec![0xa5; 4096], whole[12_288..].to_vec()].concat()),
        ("text", b"no store at all, but long enough to be looked at".to_vec()),
    ] {
        fs::write(folder.join("s.db"), bytes).unwrap();
        let (code, out, error) = ended(&folder, "db check --store s.db");
        assert_eq!(code, 65, "{what}: {out}{error}");
    }
    fs::write(folder.join("s.db"), &whole).unwrap();
    assert_eq!(ended(&folder, "db check --store s.db").0, 0, "and only then");
}

#[test]
fn fault_s10_a_second_writer_ends_with_75_and_readers_go_on() {
    let folder = with_one_game("store-lock");
    let held = Store::open(folder.join("s.db").to_str().unwrap(), &Options::default()).unwrap();
    let (code, _, error) = ended(&folder, "games import one.rookery.jsonl --store s.db");
    assert_eq!(code, 75, "{error}");
    assert!(error.contains("writes there already"), "{error}");
    assert_eq!(ended(&folder, "db restore s.db --store s.db").0, 75);
    // Reading, checking and a backup need no lock.
    assert_eq!(json_of(&folder, "games list --store s.db --json").as_array().unwrap().len(), 1);
    assert_eq!(ended(&folder, "db check --store s.db").0, 0);
    assert_eq!(json_of(&folder, "db backup b.db --store s.db --json"), json!({"place": "b.db", "games": 1}));
    drop(held);
    assert_eq!(ended(&folder, "db backup b.db --store s.db").0, 1, "nothing is overwritten");
    // The way back, also over a store that was damaged.
    meddle(&folder, "delete from records");
    assert_eq!(ended(&folder, "db check --store s.db").0, 65);
    assert!(printed(&folder, "db restore b.db --store s.db").contains("restored, 1 games"));
    assert_eq!(ended(&folder, "db check --store s.db").0, 0);
    assert!(folder.join("s.db.before-restore").is_file());
    printed(&folder, "db restore b.db --store new.db");
    assert_eq!(
        json_of(&folder, "games list --store new.db --json"),
        json_of(&folder, "games list --store s.db --json")
    );
    fs::write(folder.join("b.db"), "no backup").unwrap();
    assert_eq!(ended(&folder, "db restore b.db --store new.db").0, 65);
    assert_eq!(ended(&folder, "db check --store new.db").0, 0, "nothing was changed");
}

/// Fills the tables of an older version with what another store has of their columns.
fn copy_all(old: &rusqlite::Connection, from: &Path) {
    old.execute_batch("pragma foreign_keys = off").unwrap();
    old.execute("attach ?1 as new", [from.to_str().unwrap()]).unwrap();
    let texts = |sql: &str, of: &[&str]| -> Vec<String> {
        let mut rows = old.prepare(sql).unwrap();
        rows.query_map(rusqlite::params_from_iter(of), |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    for table in
        texts("select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%'", &[])
    {
        let columns = texts("select name from pragma_table_info(?1, 'main')", &[&table]).join(", ");
        let copy = format!(
            "delete from main.{table}; insert into main.{table} ({columns}) select {columns} from new.{table}"
        );
        old.execute_batch(&copy).unwrap();
    }
}

#[test]
fn fault_s11_other_versions_of_the_tables_are_told_and_older_ones_brought_up_to_date() {
    let folder = with_one_game("store-versions");
    printed(&folder, "tournament run hexapawn:rows=3,cols=3 random first --quiet --store s.db");
    let now = json_of(&folder, "db migrate --store s.db --json");
    assert_eq!(now["from"], now["to"]);
    assert!(printed(&folder, "db migrate --store s.db").contains("nothing to do"));
    // A store as the first version made it.
    let mut script = include_str!("../../../store/src/schema/0001.sql").to_owned();
    for (word, meaning) in [
        ("{int}", "integer"),
        ("{real}", "real"),
        ("{blob}", "blob"),
        ("{table}", " strict"),
        ("{key_table}", " strict, without rowid"),
    ] {
        script = script.replace(word, meaning);
    }
    let old = rusqlite::Connection::open(folder.join("old.db")).unwrap();
    old.execute_batch(&format!("pragma application_id = {}; pragma user_version = 1; {script}", 0x726f_6f6b))
        .unwrap();
    copy_all(&old, &folder.join("s.db"));
    drop(old);
    for line in ["games list --store old.db", "db check --store old.db"] {
        let (code, _, error) = ended(&folder, line);
        assert_eq!(code, 65, "{error}");
        assert!(error.contains("rookery db migrate"), "{error}");
    }
    assert_eq!(json_of(&folder, "db migrate --store old.db --json"), json!({"from": 1, "to": now["to"]}));
    assert!(folder.join("old.db.version-1").is_file(), "{:?}", folder.names());
    assert_eq!(ended(&folder, "db check --store old.db").0, 0);
    for line in
        ["games list --json", "tournaments list --json", "entrants list --json", "ratings --recompute"]
    {
        let of = |store: &str| printed(&folder, &format!("{line} --store {store}"));
        assert_eq!(of("old.db"), of("s.db"), "{line}");
    }
    printed(&folder, "games import one.rookery.jsonl --store old.db");
    assert_eq!(ended(&folder, "db check --store old.db").0, 0);
    meddle(&folder, "pragma user_version = 99");
    for line in [
        "games list --store s.db",
        "db check --store s.db",
        "db migrate --store s.db",
        "games import one.rookery.jsonl --store s.db",
    ] {
        let (code, _, error) = ended(&folder, line);
        assert_eq!(code, 65, "{line}: {error}");
        assert!(error.contains("version 99"), "{error}");
    }
}

#[test]
fn doctor_says_what_is_well_and_what_is_wrong_with_a_store() {
    let folder = with_one_game("doctor");
    let findings = json_of(&folder, "doctor --store s.db --json");
    let of =
        |what: &str| findings.as_array().unwrap().iter().find(|one| one["what"] == what).unwrap().clone();
    assert_eq!((&of("store")["health"], &of("version")["health"]), (&json!("well"), &json!("well")));
    assert!(of("sandbox for bots")["found"].is_string());
    assert!(of("formats")["found"].as_str().unwrap().contains("bot protocol 1"));
    // The ports that a server is to have are looked at.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let page = taken.local_addr().unwrap();
    let (_, out, _) = ended(&folder, &format!("doctor --store s.db --listen {page} --bots 127.0.0.1:0"));
    assert!(out.contains(&format!("port of the page: could be better: {page}")), "{out}");
    assert!(out.contains("port for bots: ok: 127.0.0.1:0"), "{out}");
    meddle(&folder, "delete from records");
    let (code, out, _) = ended(&folder, "doctor --store s.db");
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("store: WRONG: s.db is damaged") && out.contains("rookery db check --store s.db"),
        "{out}"
    );
}
