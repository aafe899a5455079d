//! A tournament that moves from one store to another.
use std::fs;
use std::path::Path;

use rookery_record::Key;
use rookery_rules::Seed;
use rookery_store::{
    EntrantKind, Hash, NewEntrant, NewGame, NewTournament, Options, Store, TournamentId, TournamentState,
};
use rookery_testkit::TempFolder;
use rookery_tournament::{Change, Entrant, Pairing, Reason};
use serde_json::{Value, json};

use crate::{ended, files, json_of, printed, records, rewritten};

/// Puts a round robin of three into `s.db`, one attempt of which failed because of us.
fn hold(folder: &Path) -> TournamentId {
    let names = ["one", "two", "three"];
    let entrant = |name: &&str| json!({"name": name, "player": "random"});
    let spec = json!({
        "name": "evening",
        "games": ["hexapawn:rows=3,cols=3"],
        "format": {"kind": "round-robin"},
        "entrants": names.iter().map(entrant).collect::<Vec<_>>(),
        "seed": "5",
    });
    let entrants = names.map(|name| NewEntrant {
        name: name.to_owned(),
        kind: EntrantKind::BuiltIn,
        player: "random".to_owned(),
        version: None,
    });
    let store = Store::open(folder.join("s.db").to_str().unwrap(), &Options::default()).unwrap();
    let new = NewTournament { spec: spec.to_string(), seed: Seed(5), entrants: entrants.to_vec() };
    let id = store.create_tournament(new).unwrap();
    let mut pairing = 0;
    for (first, second) in [(0, 1), (1, 2), (2, 0)] {
        let dir = format!("played-{first}");
        let line = format!(
            "match hexapawn:rows=3,cols=3 {}=random {}=random --games 2 --seed {first} --quiet --record {dir}",
            names[first], names[second]
        );
        printed(folder, &line);
        for (game, record) in records(&folder.join(dir)).into_values().enumerate() {
            let seats = if game == 0 { [first, second] } else { [second, first] };
            let reason = Reason::Group { round: first as u32 + 1, table: 1, of: 1 };
            let entrants = seats.map(|number| Entrant(number as u32)).to_vec();
            let round = Some(first as u32 + 1);
            let paired = Pairing { id: pairing, entrants, block: first as u64, start: 0, round, reason };
            store.put_pairings(id, &[paired]).unwrap();
            let mut key = Key { pairing, attempt: 1 };
            if pairing == 4 {
                let aborted = aborted(&record);
                store.put_game(NewGame::of_pairing(id, key, aborted)).wait().unwrap();
                store.put_log(id, key, 1, b"a log\n").wait().unwrap();
                key.attempt = 2;
            }
            store.put_game(NewGame::of_pairing(id, key, record)).wait().unwrap();
            pairing += 1;
        }
    }
    store.put_round(id, 1, "a note").unwrap();
    store.set_present(id, Entrant(2), false).unwrap();
    store.put_changes(id, &[Change::Leave { entrant: Entrant(2), from: 6 }]).unwrap();
    store.set_tournament_state(id, TournamentState::Finished).unwrap();
    id
}

/// The same match, stopped before its first move.
fn aborted(record: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(record.to_vec()).unwrap();
    let lines = format!(
        "{}\n{{\"stopped\":{{\"cause\":\"platform_abort\",\"note\":\"the power went out\"}}}}\n",
        text.lines().next().unwrap()
    );
    let hash = Hash::of(lines.as_bytes());
    let verdict =
        format!("\"ending\":\"platform_abort\",\"blame\":\"platform\",\"plies\":0,\"sha256\":\"{hash}\"");
    format!("{lines}{{\"verdict\":{{{verdict}}}}}\n").into_bytes()
}

#[test]
fn a_tournament_moves_from_store_to_store() {
    let folder = TempFolder::new("store-tournament");
    let id = hold(&folder).to_string();
    let listed = json_of(&folder, "tournaments list --store s.db --json");
    assert_eq!(
        (&listed[0]["id"], &listed[0]["state"], &listed[0]["games"]),
        (&json!(id), &json!("finished"), &json!(7))
    );
    assert_eq!(listed[0]["format"], "round-robin");
    let shown = printed(&folder, &format!("tournaments show {id} --store s.db"));
    assert!(
        shown.contains("pairings: 6 done, 0 open, 0 parked; games stored: 7") && shown.contains("three"),
        "{shown}"
    );
    let report = json_of(&folder, &format!("tournaments export {id} out --store s.db --json"));
    assert_eq!(report, json!({"tournament": id, "pairings": 6, "results": 6, "records": 7}));
    assert_eq!(fs::read_to_string(folder.join("out/results.jsonl")).unwrap().lines().count(), 6);
    // Taken in elsewhere it is the same, and only once.
    let report = json_of(&folder, "tournaments import out --store t.db --json");
    assert_eq!((&report["new"], &report["imported"], &report["known"]), (&json!(true), &json!(7), &json!(0)));
    let report = json_of(&folder, "tournaments import out --store t.db --json");
    assert_eq!(
        (&report["new"], &report["imported"], &report["known"]),
        (&json!(false), &json!(0), &json!(7))
    );
    let same = |line: &str| {
        let [one, other] =
            ["s.db", "t.db"].map(|store| json_of(&folder, &format!("{line} --store {store} --json")));
        assert_eq!(one, other, "{line}");
    };
    same(&format!("tournaments show {id}"));
    let hashes = |store: &str| {
        let games = json_of(&folder, &format!("games list --tournament {id} --store {store} --json"));
        let of =
            |game: &Value| (game["pairing"].as_u64(), game["sha256"].to_string(), game["id"].to_string());
        let mut hashes: Vec<_> = games.as_array().unwrap().iter().map(of).collect();
        hashes.sort();
        hashes
    };
    assert_eq!(hashes("s.db"), hashes("t.db"));
    printed(&folder, &format!("tournaments export {id} back --store t.db"));
    for name in ["pairings.jsonl", "results.jsonl", "tournament.json"] {
        let [one, other] =
            ["out", "back"].map(|dir| fs::read_to_string(folder.join(dir).join(name)).unwrap());
        assert_eq!(one, other, "{name}");
    }
    for name in ["records", "logs"] {
        assert_eq!(files(&folder.join("out").join(name)), files(&folder.join("back").join(name)));
    }
    assert_eq!(fs::read(folder.join("out/logs/000004-1-1.log")).unwrap(), b"a log\n");
    // A record that is stored is the same game when it comes alone.
    assert!(
        printed(&folder, "games import out/records --store t.db").starts_with("0 taken in, 7 stored already")
    );
    refusals(&folder, &id);
}

/// What is wrong in the folder `out` is refused and named, and everything else is taken in.
fn refusals(folder: &Path, id: &str) {
    let names: Vec<String> = files(&folder.join("out/records")).into_keys().collect();
    let [first, second, third] = [0, 1, 2].map(|idx| folder.join("out/records").join(&names[idx]));
    let record = fs::read(&first).unwrap();
    fs::write(&first, rewritten(&record, "\"plies\":", "\"plies\":1")).unwrap();
    // A game of others does not count for this pairing, however right it is.
    fs::copy(&third, &second).unwrap();
    fs::rename(&third, folder.join("out/records/000099-1.rookery.jsonl")).unwrap();
    let (code, out, error) = ended(folder, "tournaments import out --store u.db --json");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["imported"]), (1, &json!(4)), "{out}{error}");
    let reasons = report["refused"].to_string();
    for part in ["plies", "others played than were paired", "there is no pairing 99"] {
        assert!(reasons.contains(part), "{part}: {reasons}");
    }
    let shown = json_of(folder, &format!("tournaments show {id} --store u.db --json"));
    assert_eq!(
        (&shown["state"], &shown["pairings"]),
        (&json!("paused"), &json!({"open": 3, "done": 3, "parked": 0}))
    );
}
