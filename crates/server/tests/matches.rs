//! Matches over HTTP: made, played, kept, gone on with after a restart.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Running, folder};
use serde_json::json;

#[test]
fn a_match_of_computers_is_played_to_its_end_and_kept() {
    let folder = folder("server-computers");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let made =
        guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["easy", "random"], "seed": "7"}));
    assert_eq!(made.status, 201, "{}", made.text());
    assert!(made.header("set-cookie").unwrap().contains("HttpOnly; SameSite=Lax"));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(made.header("location"), Some(format!("/m/{id}").as_str()));
    let path = format!("/api/v1/matches/{id}");
    let over = guest.wait_for(&path, |state| !state["over"].is_null());
    assert!(over["over"]["sentence"].as_str().unwrap().contains("won"));
    assert_eq!(over["scene"]["moves"], json!([]), "a match that is over has no legal moves");
    // The store has it, also for the next server.
    let list =
        guest.wait_for("/api/v1/matches?game=hexapawn", |list| list["matches"][0]["id"] == id.as_str());
    assert_eq!(list["matches"][0]["players"], json!(["easy", "random"]));
    let record = guest.get(&format!("/m/{id}.jsonl"));
    assert_eq!(record.status, 200);
    server.stop();
    let server = Running::start(&folder);
    let mut other = server.client();
    let again = other.get(&path).json();
    assert_eq!(again["over"], over["over"]);
    assert_eq!(other.get(&format!("/m/{id}.jsonl")).body, record.body);
    let scenes = other.get(&format!("{path}/scenes?from=1&to=2")).json();
    assert_eq!(scenes["scenes"][0]["ply"], 1);
    assert_eq!(scenes["scenes"].as_array().unwrap().len(), 2);
    let picture = other.get(&format!("/m/{id}.svg?ply=1"));
    assert!(picture.text().starts_with("<svg"), "{}", picture.text());
}

#[test]
fn boards_of_a_long_match_come_in_parts_that_fit_together() {
    let folder = folder("server-parts");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let game = "renpaarden:width=11,height=11,max-turns=1000000";
    let wanted = json!({"game": game, "seats": ["random", "random"], "seed": "7", "max_turns": 180});
    let made = guest.post("/api/v1/matches", &wanted).json();
    let path = format!("/api/v1/matches/{}", made["id"].as_str().unwrap());
    let over = guest.wait_for(&path, |state| !state["over"].is_null());
    assert_eq!((&over["ply"], &over["over"]["cause"]), (&json!(180), &json!("max_turns")));
    let scenes = |client: &mut common::Client, part: &str| {
        client.get(&format!("{path}/scenes?{part}")).json()["scenes"].as_array().unwrap().clone()
    };
    let whole = |client: &mut common::Client| {
        let begin = scenes(client, "from=0");
        // A board of 121 cells: as many as have 20,000 together.
        assert_eq!(begin.len(), 165);
        let rest = scenes(client, "from=165&to=999");
        [begin, rest].concat()
    };
    let all = whole(&mut guest);
    assert_eq!(all.len(), 181);
    assert!(all.iter().enumerate().all(|(ply, scene)| scene["ply"] == ply));
    assert_eq!(all[180]["scene"], over["scene"], "pieces have the ids that they had from the beginning");
    assert_eq!(scenes(&mut guest, "from=130&to=131"), all[130..132]);
    assert_eq!(scenes(&mut guest, "from=181"), [] as [serde_json::Value; 0]);
    // The same from the store, from its end on.
    server.stop();
    let server = Running::start(&folder);
    let mut other = server.client();
    assert_eq!(scenes(&mut other, "from=179&to=180"), all[179..]);
    assert_eq!(whole(&mut other), all);
    let ply =
        |ply: &str| server.client().get(&format!("/m/{}.svg{ply}", made["id"].as_str().unwrap())).text();
    assert_eq!(ply(""), ply("?ply=180"));
    assert_ne!(ply(""), ply("?ply=179"));
}

#[test]
fn what_is_wrong_with_a_match_is_said_with_its_field() {
    let folder = folder("server-wrong");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for (body, status, field) in [
        (json!({"game": "chess", "seats": []}), 422, Some("game")),
        (json!({"game": "hexapawn", "seats": ["easy"]}), 422, Some("seats")),
        (json!({"game": "hexapawn", "seats": ["cmd:true", "easy"]}), 422, Some("seats")),
        (json!({"game": "hexapawn", "seats": ["@nobody", "easy"]}), 422, Some("seats")),
        (json!({"game": "hexapawn", "seats": ["easy", "easy"], "time": "soon"}), 422, Some("time")),
        (json!({"game": "hexapawn", "seats": ["easy", "easy"], "seed": "x"}), 422, Some("seed")),
        (
            json!({"game": "hexapawn", "seats": ["easy", "easy"], "max_turns": 1_000_000}),
            422,
            Some("max_turns"),
        ),
        (
            json!({"game": "hexapawn", "seats": ["easy", "easy"], "start": {"position": "?"}}),
            422,
            Some("start"),
        ),
        (json!({"game": "hexapawn", "seats": ["easy", "easy"], "dance": 1}), 400, None),
        (json!([]), 400, None),
    ] {
        let answer = guest.post("/api/v1/matches", &body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        let error = &answer.json()["error"];
        assert_eq!(error["field"].as_str(), field, "{body}");
        assert!(error["message"].as_str().unwrap().len() > 20, "{error}");
    }
    for path in [
        "/api/v1/matches/000000000000",
        "/api/v1/matches/x",
        "/m/..%2f..%2fetc%2fpasswd",
        "/m/000000000000.svg",
    ] {
        assert_eq!(guest.get(path).status, 404, "{path}");
    }
}

#[test]
fn persons_go_on_after_a_restart_in_their_seats() {
    let folder = folder("server-restart");
    let server = Running::start(&folder);
    let (mut ann, mut bob, mut eve) = (server.client(), server.client(), server.client());
    let wanted = json!({"game": "hexapawn:rows=3,cols=3", "seats": ["me", "friend"], "time": "10m+0s"});
    let made = ann.post("/api/v1/matches", &wanted).json();
    let id = made["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/matches/{id}");
    let code = made["seats"][1]["join"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let state = ann.get(&path).json();
    assert_eq!((&state["waiting"], &state["you"]), (&json!([1]), &json!(0)));
    assert_eq!(eve.get(&path).json()["you"], json!(null));
    let wrong = eve.post(&format!("{path}/join"), &json!({"code": "guess"}));
    assert_eq!(wrong.status, 409);
    assert_eq!(bob.post(&format!("{path}/join"), &json!({"code": code})).status, 200);
    let again = eve.post(&format!("{path}/join"), &json!({"code": code}));
    assert_eq!(again.status, 409, "a seat is taken once");
    let state = bob.wait_for(&path, |state| !state["asked"].is_null());
    assert_eq!((&state["you"], &state["can"]["move"]), (&json!(1), &json!(false)));
    assert_eq!(ann.get(&path).json()["can"]["move"], json!(true));
    assert!(state["seed"].is_null() && !state.to_string().contains("seed"));
    let version = state["version"].as_u64().unwrap();
    server.stop();
    let server = Running::start(&folder);
    (ann.address, bob.address) = (server.address, server.address);
    let state = ann.wait_for(&path, |state| !state["asked"].is_null());
    assert_eq!(state["you"], json!(0), "it is still the same seat");
    assert_eq!(bob.get(&path).json()["you"], json!(1));
    assert!(state["version"].as_u64().unwrap() > version, "who knew the old version gets a snapshot");
    assert!(state["clocks_ms"][0].as_u64().unwrap() > 590_000, "the time of the restart is given back");
}
