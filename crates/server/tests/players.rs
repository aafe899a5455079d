//! What is known of somebody: how accurate, which versions.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Running, folder};
use rookery_record::Key;
use rookery_rules::Seed;
use rookery_store::{EntrantKind, Hash, NewEntrant, NewGame, NewTournament, Store};
use rookery_tournament::{Entrant, Pairing, Reason};
use serde_json::json;

#[test]
fn how_accurate_somebody_is_is_found_while_nobody_waits() {
    let folder = folder("server-accuracy");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for seed in 0..6 {
        let spec =
            json!({"game": "hexapawn:rows=4,cols=4", "seats": ["random", "hard"], "seed": seed.to_string()});
        let made = guest.post("/api/v1/matches", &spec).json();
        let path = format!("/api/v1/matches/{}", made["id"].as_str().unwrap());
        guest.wait_for(&path, |state| !state["over"].is_null());
    }
    guest.wait_for("/api/v1/players/hard", |player| player["n_matches"] == 6);
    // The first answer comes without it, and a later one has it.
    let of = |guest: &mut common::Client, name: &str| {
        let path = format!("/api/v1/players/{name}");
        guest.wait_for(&path, |player| player["accuracy"]["games"] == 6)["accuracy"].clone()
    };
    let (hard, random) = (of(&mut guest, "hard"), of(&mut guest, "random"));
    assert!(hard["percent"].as_f64().unwrap() > 99.0, "it never gives anything away: {hard}");
    assert!(random["percent"].as_f64().unwrap() < 95.0, "it does: {random}");
    assert!(hard["moves"].as_u64().unwrap() >= 10, "{hard}");
    let page = guest.get("/p/hard").text();
    assert!(page.contains("Accuracy") && page.contains("against perfect play, in "), "{page}");
}

fn entrant(name: &str, version: Option<u64>) -> NewEntrant {
    NewEntrant { name: name.to_owned(), kind: EntrantKind::Bot, player: "random".to_owned(), version }
}

/// A tournament of one game that a version has played.
fn played_by(store: &Store, version: u64, record: &[u8]) {
    let entrants = vec![entrant("one", Some(version)), entrant("two", None)];
    let first = Pairing {
        id: 1,
        entrants: Entrant::all(2).collect(),
        block: 1,
        start: 1,
        round: None,
        reason: Reason::Group { round: 1, table: 1, of: 1 },
    };
    let spec = "{\"format\":\"test\"}".to_owned();
    let cup = store.create_tournament(NewTournament { spec, seed: Seed(version), entrants }).unwrap();
    store.put_pairings(cup, &[first]).unwrap();
    store.put_game(NewGame::of_pairing(cup, Key::first(1), record.to_vec())).wait().unwrap();
}

#[test]
fn the_versions_of_a_bot_are_told_with_what_each_has_played() {
    let (folder, other) = (folder("server-versions"), folder("server-versions-record"));
    let record = {
        let server = Running::start(&other);
        let mut guest = server.client();
        let seats = json!([{"player": "hard", "name": "one"}, {"player": "random", "name": "two"}]);
        let made =
            guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": seats, "seed": "7"})).json();
        let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        guest.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
        let text = guest.get(&format!("/m/{id}.jsonl")).text();
        server.stop();
        text
    };
    {
        let store = Running::store(&folder);
        let bot = store.entrant("one", EntrantKind::Bot).unwrap();
        let versions =
            ["1.0", "2.0"].map(|note| store.put_version(bot, Hash::of(note.as_bytes()), note, None).unwrap());
        for version in [versions[0], versions[0], versions[1]] {
            played_by(&store, version, record.as_bytes());
        }
    }
    let server = Running::start(&folder);
    let mut guest = server.client();
    let versions = guest.get("/api/v1/players/one").json()["versions"].clone();
    let told: Vec<(&str, u64)> = versions
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["label"].as_str().unwrap(),
                ["won", "drew", "lost"].iter().map(|word| one[word].as_u64().unwrap()).sum(),
            )
        })
        .collect();
    assert_eq!(told, [("2.0", 1), ("1.0", 2)], "the latest first: {versions}");
    let page = guest.get("/p/one").text();
    assert!(page.contains("version 2.0") && page.contains("<h2>Versions</h2>"), "{page}");
}
