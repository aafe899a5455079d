//! Openings in sets that have a name: read, chosen, checked, told.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rookery_testkit::TempFolder;
use serde_json::{Value, json};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
const GAME: &str = "hexapawn:rows=4,cols=4";

const LINES: &str = "\
# before any set, the file says what it is called
a1-a2
[wing]
a1-a2 d4-d3   # the long one
d1-d2
[middle]
p2 1.11/.1../..../2222
";

const SETS: &str = "\
name = 'evening'
games = ['hexapawn:rows=4,cols=4']
format = {kind = 'round-robin', games = 8}
entrants = ['random', 'first']

[openings.wing]
lines = ['a1-a2 d4-d3', 'd1-d2']

[openings.middle]
positions = ['p2 1.11/.1../..../2222']
";

fn rookery(args: &[&str]) -> Output {
    Command::new(ROOKERY).args(args).stdin(Stdio::null()).output().unwrap()
}

fn done(args: &[&str]) -> Value {
    let output = rookery(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(args: &[&str]) -> String {
    let output = rookery(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    said
}

/// What the openings of the first games are called.
fn planned(args: &[&str]) -> Vec<String> {
    let plan = done(&[args, &["--dry-run", "--json"]].concat());
    let first = plan["first"].as_array().unwrap().iter();
    first.map(|pairing| pairing["opening"].as_str().unwrap().to_owned()).collect()
}

fn text(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn sets_are_read_from_lines_and_from_toml_and_chosen_by_name() {
    let folder = TempFolder::new("opening-sets");
    let lines = text(&folder, "small.txt", LINES);
    let run = ["tournament", "run", "--format", "round-robin", "--games", "8", GAME, "random", "first"];
    let with = |more: &[&str]| planned(&[&run[..], &["--openings", &lines], more].concat());
    let twice = |labels: &[&str]| -> Vec<String> {
        labels.iter().flat_map(|label| [(*label).to_owned(), (*label).to_owned()]).collect()
    };
    assert_eq!(with(&[]), twice(&["small 1", "wing: the long one", "wing 2", "middle 1"]));
    assert_eq!(
        with(&["--opening-set", "wing"]),
        twice(&["wing: the long one", "wing 2", "wing: the long one", "wing 2"])
    );

    let file = text(&folder, "x.toml", SETS);
    let run_file = ["tournament", "run", &file];
    assert_eq!(planned(&run_file), twice(&["middle 1", "wing 1", "wing 2", "middle 1"]));
    assert_eq!(
        planned(&[&run_file[..], &["--opening-set", "wing"]].concat())[..4],
        twice(&["wing 1", "wing 2"])
    );
    let chosen = text(&folder, "y.toml", &format!("opening_sets = ['middle']\n{SETS}"));
    assert_eq!(planned(&["tournament", "run", &chosen]), twice(&["middle 1"; 4]));

    let sets = text(&folder, "sets.toml", SETS.split_once("\n\n").unwrap().1);
    let of_toml = planned(&[&run[..], &["--openings", &sets]].concat());
    assert_eq!(of_toml, planned(&run_file));

    let said = refused(&[&run_file[..], &["--opening-set", "wign", "--dry-run"]].concat());
    assert!(said.contains("there are middle, wing; did you mean \"wing\"?"), "{said}");
    let said = refused(&[&run[..], &["--opening-set", "wing", "--dry-run"]].concat());
    assert!(said.contains("no opening belongs to a set"), "{said}");
}

#[test]
fn what_the_rules_do_not_allow_is_told_before_anything_is_stored() {
    let folder = TempFolder::new("opening-rules");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    for (wrong, expected) in [
        ("[wing]\na1-a2\na1-a3\n", "number 2 (wing 2)"),
        ("p2 1.11/.1../..../2222 a4-a5", "number 1 (small 1)"),
        ("p1 ..../..../..../2222", "the game is over there"),
        ("[wing\n", "expected [NAME]"),
        ("a1-a2 # x\nd1-d2 # x\n", "another one is called \"x\" too"),
        ("# nothing\n", "no opening in it"),
    ] {
        let lines = text(&folder, "small.txt", wrong);
        let run = ["tournament", "run", "--format", "round-robin", GAME, "random", "first", "--store", store];
        for more in [&["--openings", &lines][..], &["--openings", &lines, "--dry-run"]] {
            let said = refused(&[&run[..], more].concat());
            assert!(said.contains(expected), "{wrong:?}: {said}");
        }
    }
    let file = text(&folder, "x.toml", &SETS.replace("d1-d2", "d1-d3"));
    let said = refused(&["tournament", "run", &file, "--store", store]);
    assert!(said.contains("number 3 (wing 2), of hexapawn"), "{said}");
    let file = text(&folder, "x.toml", &SETS.replace("positions", "position"));
    let said = refused(&["tournament", "run", &file, "--store", store]);
    assert!(said.contains("did you mean `positions`?"), "{said}");
    assert!(
        !Path::new(store).exists() || done(&["tournaments", "list", "--json", "--store", store]) == json!([])
    );
}

#[test]
fn records_and_reports_say_which_opening_a_game_began_from() {
    let folder = TempFolder::new("opening-told");
    let (store, file) = (folder.join("s.db"), text(&folder, "x.toml", SETS));
    let store = store.to_str().unwrap();
    let report = done(&["tournament", "run", &file, "--json", "--quiet", "--store", store]);
    let openings = report["openings"].as_array().unwrap();
    let told: Vec<_> = openings.iter().map(|row| (row["opening"].clone(), row["games"].clone())).collect();
    assert_eq!(
        told,
        [("middle 1", 4), ("wing 1", 2), ("wing 2", 2)].map(|(name, n)| (json!(name), json!(n)))
    );
    for row in openings {
        let wins = row["wins_by_seat"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>();
        assert_eq!(wins + row["draws"].as_u64().unwrap(), row["games"].as_u64().unwrap(), "{row}");
    }
    let games = done(&["games", "list", "--json", "--store", store]);
    let mut told: Vec<String> = vec![];
    for game in games.as_array().unwrap() {
        let id = game["id"].as_str().unwrap();
        let shown = done(&["games", "show", id, "--json", "--store", store]);
        let opening = shown["match"]["start"]["opening"].as_str().unwrap().to_owned();
        let output = rookery(&["games", "show", id, "--store", store]);
        assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("opening: {opening}")));
        told.push(opening);
    }
    told.sort();
    assert_eq!(
        told,
        ["middle 1", "middle 1", "middle 1", "middle 1", "wing 1", "wing 1", "wing 2", "wing 2"]
    );
    for form in ["text", "markdown", "html"] {
        let output = rookery(&["tournament", "show", "--format", form, "--store", store]);
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.to_lowercase().contains("results by opening") && shown.contains("wing 2"), "{shown}");
    }
}
