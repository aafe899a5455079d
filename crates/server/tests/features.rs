//! What counts for ratings, how good a position is, records from files, the check of a bot, the home page.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};

use common::{Client, Running, connect, folder, raw};
use serde_json::{Value, json};

fn made(client: &mut Client, spec: &Value) -> (String, Value) {
    let answer = client.post("/api/v1/matches", spec);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    let state = client.get(&format!("/api/v1/matches/{id}")).json();
    (id, state)
}

/// A bot that plays the first legal move, or something that is none from its second turn on.
fn bot(address: SocketAddr, name: &'static str, is_bad: bool) {
    let stream = TcpStream::connect(address).unwrap();
    std::thread::spawn(move || {
        let mut out = stream.try_clone().unwrap();
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let told: Value = serde_json::from_str(&line).unwrap();
            let answer = match told["type"].as_str().unwrap() {
                "hello" => json!({"type": "hello", "version": 1, "name": name, "games": ["hexapawn"]}),
                "new_game" => json!({"type": "ready"}),
                "turn" if is_bad => json!({"type": "move", "id": told["id"], "move": "nowhere"}),
                "turn" => json!({"type": "move", "id": told["id"], "move": told["legal"][0]}),
                _ => continue,
            };
            if writeln!(out, "{answer}").is_err() {
                return;
            }
        }
    });
}

#[test]
fn what_counts_is_said_before_the_game_begins() {
    let folder = folder("server-rated");
    let server = Running::start(&folder);
    let (mut ann, mut guest) = (server.claimed("ann", None), server.client());
    let rated = json!({"game": "hexapawn", "seats": ["me", "easy"], "casual": false});
    assert_eq!(made(&mut ann, &rated).1["unrated"], Value::Null);
    assert_eq!(made(&mut guest, &rated).1["unrated"], "a guest plays");
    let casual = json!({"game": "hexapawn", "seats": ["me", "easy"]});
    assert_eq!(made(&mut ann, &casual).1["unrated"], "hints and take-backs are on");
    let computers = json!({"game": "hexapawn", "seats": ["easy", "random"], "seed": "7"});
    assert_eq!(made(&mut ann, &computers).1["unrated"], "only computers play");
    let chosen = json!({"game": "hexapawn", "seats": ["me", "easy"], "casual": false, "seed": "7"});
    assert_eq!(ann.post("/api/v1/matches", &chosen).json()["error"]["field"], "seed");
    let form = |client: &mut Client, query: &str| client.get(&format!("/new?game=hexapawn&{query}")).text();
    assert!(form(&mut ann, "seats=me,easy&strict=1").contains("It counts for the ladder of Hexapawn."));
    assert!(form(&mut guest, "seats=me,easy&strict=1").contains("Not rated: you have no name."));
    assert!(form(&mut ann, "seats=me,friend&strict=1").contains("if whoever comes has a name too"));
    assert!(form(&mut ann, "seats=me,easy").contains("Casual: hints and take-backs are on"));
    // Whoever is invited is told, too.
    let invited = json!({"game": "hexapawn", "seats": ["me", "friend"], "casual": false});
    let link = ann.post("/api/v1/matches", &invited).json()["seats"][1]["join"].as_str().unwrap().to_owned();
    let path = format!("/join/{}", link.rsplit('/').next().unwrap());
    assert!(guest.get(&path).text().contains("as a guest you play it without rating"));
    assert!(server.claimed("bob", None).get(&path).text().contains("it is rated, without hints"));
}

#[test]
fn those_who_look_on_see_how_good_the_position_is_and_players_never() {
    let folder = folder("server-eval");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let (casual, state) = made(&mut ann, &json!({"game": "hexapawn", "seats": ["me", "easy"]}));
    assert_eq!(state["evaluated"], false, "she plays in it");
    let (rated, _) = made(&mut ann, &json!({"game": "hexapawn", "seats": ["me", "easy"], "casual": false}));
    let mut viewer = server.client();
    assert_eq!(viewer.get(&format!("/api/v1/matches/{casual}")).json()["evaluated"], true);
    assert_eq!(viewer.get(&format!("/api/v1/matches/{rated}")).json()["evaluated"], false);
    server.block_on(async {
        let mut page = connect(&viewer, Some("own")).await.unwrap();
        let mut own = connect(&ann, Some("own")).await.unwrap();
        for id in [&casual, &rated] {
            page.say(json!({"watch": {"match": id, "eval": true}})).await;
            own.say(json!({"watch": {"match": id, "eval": true}})).await;
        }
        let told = page.until(|m| m["eval"].is_object()).await;
        assert_eq!((&told["eval"]["match"], &told["eval"]["seat"]), (&json!(casual), &json!(0)), "{told}");
        assert!((0.0..=1.0).contains(&told["eval"]["value"].as_f64().unwrap()));
        let shares = told["eval"]["shares"].as_array().unwrap();
        assert_eq!((shares.len(), &shares[0]), (2, &told["eval"]["value"]));
        // All that comes until the answer to a ping was no evaluation of the rated match, nor any for the player.
        page.say(json!({"ping": 1})).await;
        let seen = page.until(|m| m["pong"] == 1 || m["eval"]["match"] == rated.as_str()).await;
        assert_eq!(seen["pong"], 1);
        own.say(json!({"ping": 1})).await;
        let seen = own.until(|m| m["pong"] == 1 || m["eval"].is_object()).await;
        assert_eq!(seen["pong"], 1);
    });
}

#[test]
fn a_record_from_a_file_is_reviewed_and_played_on() {
    let folder = folder("server-file");
    let server = Running::start(&folder);
    let mut ann = server.client();
    let (id, _) = made(&mut ann, &json!({"game": "hexapawn:rows=3,cols=3", "seats": ["first", "first"]}));
    ann.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    let record = ann.get(&format!("/m/{id}.jsonl")).body;
    let head = format!(
        "POST /api/v1/records HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: close\r\nContent-Type: application/jsonl\r\nContent-Length: {1}\r\n\r\n",
        server.address,
        record.len()
    );
    let read = raw(server.address, &[head.as_bytes(), &record].concat());
    assert_eq!(read.status, 200, "{}", read.text());
    let file = read.json()["state"]["id"].as_str().unwrap().to_owned();
    assert!(file != id && !file.is_empty());
    let review = ann.wait_for(&format!("/api/v1/matches/{file}/review"), |review| review["done"] == true);
    assert!(!review["moves"].as_array().unwrap().is_empty(), "{review}");
    assert_eq!(ann.get(&format!("/m/{file}.jsonl")).body, record, "the same bytes");
    assert!(ann.get(&format!("/m/{file}")).text().contains("it comes from a file"));
    let on = ann.send(&format!("/m/{file}/on"), "ply=1");
    assert_eq!(on.status, 303, "{}", on.text());
    let list = ann.get("/api/v1/matches").text();
    assert!(!list.contains(&file), "it is in no list: {list}");
}

#[test]
fn a_connected_bot_is_checked_step_by_step() {
    let folder = folder("server-check");
    let server = Running::start(&folder);
    let mut ann = server.client();
    assert_eq!(ann.post("/api/v1/bots/none/check", &json!({})).status, 404);
    bot(server.bots, "good", false);
    bot(server.bots, "bad", true);
    ann.wait_for("/api/v1/bots", |bots| bots.as_array().unwrap().len() == 2);
    for name in ["good", "bad"] {
        assert_eq!(ann.post(&format!("/api/v1/bots/{name}/check"), &json!({})).status, 202);
    }
    let done = |report: &Value| report["running"] == false;
    let good = ann.wait_for("/api/v1/bots/good/check", done);
    let steps = good["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["passed"] == true), "{good}");
    let names: Vec<&str> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
    for wanted in ["large board", "does not know", "after a rejected move", "that was begun", "is in time"] {
        assert!(names.iter().any(|name| name.contains(wanted)), "{wanted}: {names:?}");
    }
    assert!(good.to_string().contains(" ms, limit 5s"), "{good}");
    let bad = ann.wait_for("/api/v1/bots/bad/check", done);
    let failed = &bad["steps"][1];
    assert_eq!((&failed["passed"], &bad["steps"][2]["passed"]), (&json!(false), &Value::Null), "{bad}");
    assert!(failed["hint"].as_str().unwrap().contains("docs/protocol.md"), "{failed}");
    let game = failed["match"].as_str().unwrap();
    assert_eq!(ann.get(&format!("/m/{game}")).status, 200, "the move can be looked at");
}

#[test]
fn a_bot_that_trusts_what_it_knows_fails_the_steps_that_change_what_travels() {
    let folder = folder("server-check-stubborn");
    let server = Running::start(&folder);
    let stream = TcpStream::connect(server.bots).unwrap();
    std::thread::spawn(move || {
        let (mut out, mut was_rejected) = (stream.try_clone().unwrap(), false);
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let told: Value = serde_json::from_str(&line).unwrap();
            was_rejected |= told["type"] == "reject";
            let answer = match told["type"].as_str().unwrap() {
                "hello" => json!({"type": "hello", "version": 1, "name": "proud", "games": ["hexapawn"]}),
                "new_game" => json!({"type": "ready"}),
                // It was right before.
                "turn" if was_rejected => json!({"type": "move", "id": told["id"], "move": "nowhere"}),
                "turn" => json!({"type": "move", "id": told["id"], "move": told["legal"][0]}),
                _ => continue,
            };
            if writeln!(out, "{answer}").is_err() {
                return;
            }
        }
    });
    let mut ann = server.client();
    ann.wait_for("/api/v1/bots", |bots| bots.as_array().unwrap().len() == 1);
    assert_eq!(ann.post("/api/v1/bots/proud/check", &json!({})).status, 202);
    let report = ann.wait_for("/api/v1/bots/proud/check", |report| report["running"] == false);
    let failed = report["steps"].as_array().unwrap().iter().find(|step| step["passed"] == false).unwrap();
    assert_eq!(failed["name"], "answers again after a rejected move", "{report}");
    assert!(failed["sent"].as_str().unwrap().contains("nowhere"), "{failed}");
}

#[test]
fn the_home_page_has_the_ladder_and_the_board_of_the_puzzle() {
    let folder = folder("server-home");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let entrants = json!([{"name": "random", "player": "random"}, {"name": "hard", "player": "hard"}]);
    let cup = json!({"name": "x", "games": ["hexapawn:rows=3,cols=3"], "format": {"kind": "round-robin", "games": 20}, "entrants": entrants});
    let id = ann.post("/api/v1/tournaments", &cup).json()["id"].as_str().unwrap().to_owned();
    ann.wait_for(&format!("/api/v1/tournaments/{id}"), |report| report["complete"] == true);
    assert_eq!(ann.get("/api/v1/puzzles/today").status, 200);
    let page = ann.get("/").text();
    assert!(
        page.contains("Ladder") && page.contains("/players?game=hexapawn") && page.contains("±"),
        "{page}"
    );
    assert!(page.contains("pz-") && page.contains("One move does it."), "{page}");
}
