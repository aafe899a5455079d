//! A match of a person and a bot after a restart: whoever comes back first finds it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;
use std::time::Duration;

use common::{Client, Running, bot_that_waits, connect, folder};
use rookery_testkit::TempFolder;
use serde_json::{Value, json};

/// The operator, whose bot is there, and the bot's token.
fn operator(server: &Running) -> (Client, String) {
    let mut ann = server.claimed("ann", server.operator_token.as_deref());
    let token = ann.post("/api/v1/tokens", &json!({})).json()["token"].as_str().unwrap().to_owned();
    bot_that_waits(server.bots, "mine", &token);
    ann.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
    (ann, token)
}

/// The id of a match with the bot in which both have moved.
fn begun(player: &mut Client) -> String {
    let made = player.post("/api/v1/matches", &json!({"game": "four", "seats": ["me", "@mine"]}));
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/matches/{id}");
    let state = player.wait_for(&path, |state| state["can"]["move"] == true);
    let text = state["scene"]["moves"][0]["id"].as_str().unwrap();
    let moved = player.send(&format!("/m/{id}/do"), &format!("what=move&ply=0&text={text}"));
    assert!(moved.status < 400, "{}", moved.text());
    player.wait_for(&path, |state| state["ply"] == 2);
    id
}

fn restarted(server: Running, folder: &Path, player: &mut Client) -> Running {
    server.stop();
    let server = Running::start(folder);
    player.address = server.address;
    server
}

/// A server after a restart, somebody in the middle of a match with a bot, its id and the bot's token.
fn stopped(folder: &Path) -> (Running, Client, String, String) {
    let server = Running::start(folder);
    let (mut ann, token) = operator(&server);
    let id = begun(&mut ann);
    let server = restarted(server, folder, &mut ann);
    (server, ann, id, token)
}

#[test]
fn a_person_who_is_back_before_the_bot_finds_the_match_and_sees_it_go_on() {
    let folder: TempFolder = folder("server-bot-late");
    let (server, mut ann, id, token) = stopped(&folder);
    let path = format!("/api/v1/matches/{id}");
    assert_eq!(ann.get(&format!("/m/{id}")).status, 200);
    let state = ann.get(&path).json();
    assert_eq!((&state["ply"], &state["you"], &state["can"]["move"]), (&json!(2), &json!(0), &json!(false)));
    assert!(state["note"].as_str().unwrap().contains("mine"), "{state}");
    assert!(state["seats"][1]["back_ms"].is_u64(), "the bot is waited for: {state}");
    let bots = server.bots;
    server.block_on(async {
        let mut page = connect(&ann, Some("own")).await.unwrap();
        page.say(json!({"watch": {"match": id, "since": null}})).await;
        let first = page.until(|m| m["match"] == id.as_str()).await;
        assert!(first["snapshot"]["asked"].is_null(), "{first}");
        page.say(json!({"do": {"match": id, "n": 1, "move": {"ply": 2, "text": "1"}}})).await;
        let refused = page.until(|m| m["reply"]["n"] == 1).await;
        assert!(refused["reply"]["error"].as_str().unwrap().contains("are back"), "{refused}");
        bot_that_waits(bots, "mine", &token);
        let live = page.until(|m| m["snapshot"]["can"]["move"] == true || m["can"]["move"] == true).await;
        let state: &Value = &live["snapshot"];
        assert!(state.is_null() || state["note"].is_null(), "{live}");
    });
    let state = ann.get(&path).json();
    assert!(state["seats"][1]["back_ms"].is_null(), "a bot that is back may think: {state}");
    let played = ann.send(&format!("/m/{id}/do"), "what=resign");
    assert!(played.status < 400, "{}", played.text());
    ann.wait_for(&path, |state| !state["over"].is_null());
}

#[test]
fn a_match_whose_bot_never_comes_back_waits_over_a_second_restart() {
    let folder: TempFolder = folder("server-bot-gone");
    let (server, mut ann, id, token) = stopped(&folder);
    let server = restarted(server, &folder, &mut ann);
    assert_eq!(ann.get(&format!("/m/{id}")).status, 200);
    bot_that_waits(server.bots, "mine", &token);
    std::thread::sleep(Duration::from_millis(50));
    ann.wait_for(&format!("/api/v1/matches/{id}"), |state| state["can"]["move"] == true);
}

#[test]
fn the_operator_ends_a_match_that_waits_for_its_bot() {
    let folder: TempFolder = folder("server-bot-cancelled");
    let (_server, mut ann, id, _) = stopped(&folder);
    let cancelled = ann.post(&format!("/api/v1/matches/{id}/cancel"), &json!({"reason": "too late"}));
    assert_eq!(cancelled.status, 204, "{}", cancelled.text());
    let state = ann.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    assert!(state["over"]["scores"].is_null(), "nobody has won: {state}");
}

#[test]
fn a_guest_who_claims_a_name_while_the_bot_is_away_keeps_the_seat() {
    let folder: TempFolder = folder("server-bot-claim");
    let server = Running::start(&folder);
    operator(&server);
    let mut guest = server.client();
    let id = begun(&mut guest);
    let server = restarted(server, &folder, &mut guest);
    let claim = json!({"name": "bob", "password": "correct horse", "claim": true});
    assert_eq!(guest.post("/api/v1/login", &claim).status, 200);
    let _server = restarted(server, &folder, &mut guest);
    assert_eq!(guest.get(&format!("/api/v1/matches/{id}")).json()["you"], 0);
}
