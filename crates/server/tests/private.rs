//! What is not for everybody: what programs wrote to their standard error, and seeds from which moves to come follow.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Client, Running, folder};
use rookery_catalog::agree;
use rookery_live::{Guest, prepare, write_record};
use rookery_referee::{Entry, Fault, Offence, SeatSpec};
use rookery_rules::{GameSpec, Seed};
use rookery_store::{BundleState, EntrantKind, GameId, NewBundle, NewGame, Options, Reserve, Store};
use rookery_wire::Protocols;
use serde_json::{Value, json};

/// Little, so that a full disk of the machine that tests matters to nobody.
fn small() -> Options {
    Options { ballast: 0, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() }
}

/// A match that an uploaded bot of this person lost before it began, with what it wrote; in the store.
fn failed_match(store: &Store, owner: &str) -> GameId {
    let owner = store.person(owner).unwrap().unwrap().id;
    let bundle = NewBundle {
        name: "mine".to_owned(),
        owner: Some(owner),
        label: "1".to_owned(),
        contents: "0".repeat(64),
        bytes: b"an archive".to_vec(),
    };
    let sha256 = Some(store.put_bundle(bundle).unwrap().sha256.to_string());
    let seat = SeatSpec::Bundle { name: "mine".to_owned(), sha256 };
    let entries = [Entry { name: Some("mine".to_owned()), seat }, "first".parse().unwrap()];
    let spec = agree(&GameSpec::parse("hexapawn").unwrap(), &entries, Seed(7)).unwrap();
    let mut fault = Fault::new(Offence::NoShow, "it ended at once");
    fault.evidence.stderr = Some("the password is swordfish".to_owned());
    let SeatSpec::BuiltIn(first) = spec.seats[1].player.clone() else { panic!("it is a computer") };
    let guests = vec![Guest::Absent(fault), Guest::BuiltIn(first)];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let record = runtime.block_on(async {
        let live = prepare(spec, guests, &Protocols::default(), None).unwrap().start();
        live.played().await;
        write_record(&live.snapshot()).unwrap()
    });
    assert!(String::from_utf8_lossy(&record).contains("swordfish"));
    let id = GameId::random();
    let entrants = vec![store.entrant("mine", EntrantKind::Bot).ok(), None];
    store.put_game(NewGame::with_id(id, record).by(entrants)).wait().unwrap();
    id
}

#[test]
fn fault_w09_what_a_bot_wrote_to_its_standard_error_is_for_its_owner_and_the_operator() {
    let folder = folder("server-stderr");
    let server = Running::start(&folder);
    let operator = server.claimed("boss", server.operator_token.as_deref());
    let (owner, other) = (server.claimed("ann", None), server.claimed("eve", None));
    let mut people = [(operator, true), (owner, true), (other, false)];
    server.stop();
    let store = Store::open(folder.join("test.db").to_str().unwrap(), &small()).unwrap();
    let id = failed_match(&store, "ann");
    let bundle = store.find_bundle("mine", Some("")).unwrap();
    store.set_bundle_state(bundle.version, BundleState::Failing, "it lost\nswordfish").unwrap();
    drop(store);
    let server = Running::start(&folder);
    for (client, _) in &mut people {
        client.address = server.address;
    }
    let nobody = (server.client(), false);
    for (mut client, may_read) in people.into_iter().chain([nobody]) {
        for path in [
            format!("/m/{id}.jsonl"),
            format!("/m/{id}"),
            format!("/api/v1/matches/{id}"),
            "/api/v1/bundles".to_owned(),
        ] {
            let answer = client.get(&path);
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.text().contains("swordfish"), may_read, "{path}: {}", answer.text());
        }
    }
}

#[test]
fn fault_w09_seeds_of_a_tournament_are_told_when_it_is_over() {
    let folder = folder("server-seeds");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let spec = json!({
        "name": "long", "games": ["fish:rows=8,cols=8"], "format": {"kind": "round-robin", "games": 2000},
        "entrants": [{"name": "easy", "player": "easy"}, {"name": "random", "player": "random"}],
        "seed": "123456789012345678",
    });
    let made = ann.post("/api/v1/tournaments", &spec);
    assert_eq!(made.status, 201, "{}", made.text());
    let path = format!("/api/v1/tournaments/{}", made.json()["id"].as_str().unwrap());
    let told = ann.get(&path).json();
    assert_eq!(told["complete"], false, "it lasts long enough");
    let seed = |told: &Value| told["setting"]["seed"].as_str().unwrap().to_owned();
    assert_eq!(seed(&told), "hidden until the end");
    assert!(!ann.get(&format!("{path}?form=markdown")).text().contains("123456789012345678"));
    // Who knows the seed of one game knows those of all.
    let games = ann.wait_for("/api/v1/matches", |list| !list["matches"].as_array().unwrap().is_empty());
    let id = games["matches"][0]["id"].as_str().unwrap();
    let seed_of_game = |client: &mut Client| {
        let record = client.get(&format!("/m/{id}.jsonl"));
        assert_eq!(record.status, 200, "{}", record.text());
        let text = record.text();
        text.split_once("\"seed\":\"").unwrap().1.split('"').next().unwrap().to_owned()
    };
    assert_eq!(seed_of_game(&mut ann), "0");
    assert_eq!(ann.ask("DELETE", &path, None).status, 204);
    assert_ne!(seed_of_game(&mut ann), "0", "nothing is still to come");
    assert_eq!(seed(&ann.get(&path).json()), "123456789012345678");
}

#[test]
fn a_tournament_without_a_seed_gets_one_that_nobody_knows() {
    let folder = folder("server-random-seeds");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let spec = json!({
        "name": "short", "games": ["hexapawn"], "format": {"kind": "round-robin", "games": 2},
        "entrants": [{"name": "first", "player": "first"}, {"name": "random", "player": "random"}],
    });
    let mut seeds = vec![];
    for _ in 0..2 {
        let made = ann.post("/api/v1/tournaments", &spec);
        assert_eq!(made.status, 201, "{}", made.text());
        let path = format!("/api/v1/tournaments/{}", made.json()["id"].as_str().unwrap());
        let over = ann.wait_for(&path, |told| told["complete"] == true);
        seeds.push(over["setting"]["seed"].clone());
    }
    assert_ne!(seeds[0], seeds[1]);
}
