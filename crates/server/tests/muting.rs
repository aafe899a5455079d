//! The operator keeps guests out of the chat: by their sessions, for as long as these hold.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Client, Running, connect, folder};
use serde_json::{Value, json};

/// Says something in a match, and gives the answer.
fn say(server: &Running, who: &Client, id: &str) -> Value {
    server.block_on(async {
        let mut page = connect(who, Some("own")).await.ok().unwrap();
        page.say(json!({"do": {"match": id, "n": 1, "say": {"text": "well played"}}})).await;
        page.until(|told| told["reply"].is_object()).await["reply"].clone()
    })
}

fn session(boss: &mut Client, id: &str) -> Value {
    let guests = boss.get("/api/v1/operator/guests").json();
    guests.as_array().unwrap().iter().find(|guest| guest["match"] == id).unwrap().clone()
}

#[test]
fn a_guest_is_muted_for_as_long_as_its_session_holds() {
    let folder = folder("server-muting");
    let server = Running::start(&folder);
    let mut boss = server.claimed("boss", server.operator_token.as_deref());
    let mut guest = server.client();
    let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(say(&server, &guest, &id)["ok"], true);
    let known = session(&mut boss, &id);
    let name = guest.get("/api/v1/me").json()["name"].clone();
    assert_eq!((&known["name"], &known["muted"]), (&name, &json!(false)));
    let path = format!("/api/v1/operator/guests/{}", known["session"]);
    assert_eq!(boss.post(&path, &json!({"muted": true})).status, 204);
    assert_eq!(say(&server, &guest, &id)["error"], "The operator has taken you out of the chat.");
    assert_eq!(session(&mut boss, &id)["muted"], true);
    assert!(boss.get("/operator").text().contains("unmute_guest"), "the page says so too");
    // It holds after a restart, and the game goes on.
    let address = server.address;
    server.stop();
    let server = Running::start_at(&folder, address);
    assert_eq!(say(&server, &guest, &id)["error"], "The operator has taken you out of the chat.");
    // Who claims a name does not talk again by that.
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(guest.post("/api/v1/login", &claim).status, 200);
    assert_eq!(say(&server, &guest, &id)["error"], "The operator has taken you out of the chat.");
    assert_eq!(guest.get("/api/v1/me/data").json()["muted"], true);
    // A new session of the same person is another one.
    let anew = server.claimed("ann", None);
    assert_eq!(say(&server, &anew, &id)["ok"], true);
    let log = boss.get("/api/v1/operator/audit").json();
    let entry = log.as_array().unwrap().iter().find(|entry| entry["act"] == "muted").unwrap();
    assert!(entry["subject"].as_str().unwrap().starts_with(name.as_str().unwrap()), "{entry}");
}

#[test]
fn a_mute_of_a_guest_is_taken_back_and_nobody_else_is_meant() {
    let folder = folder("server-unmuting");
    let server = Running::start(&folder);
    let mut boss = server.claimed("boss", server.operator_token.as_deref());
    let spec = json!({"game": "hexapawn", "seats": ["me", "first"]});
    let (mut one, mut two) = (server.client(), server.client());
    let id = |made: Value| made["id"].as_str().unwrap().to_owned();
    let (first, second) =
        (id(one.post("/api/v1/matches", &spec).json()), id(two.post("/api/v1/matches", &spec).json()));
    let number = session(&mut boss, &first)["session"].to_string();
    assert_eq!(boss.send("/operator", &format!("what=mute_guest&session={number}")).status, 200);
    assert!(say(&server, &one, &first)["error"].is_string());
    assert_eq!(say(&server, &two, &second)["ok"], true);
    assert_eq!(boss.send("/operator", &format!("what=unmute_guest&session={number}")).status, 200);
    assert_eq!(say(&server, &one, &first)["ok"], true);
    let nobody = boss.post("/api/v1/operator/guests/999999", &json!({"muted": true}));
    assert_eq!(nobody.status, 404, "{}", nobody.text());
}
