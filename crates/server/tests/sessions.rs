//! Sessions and tokens: how many, and when they end.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use common::{Running, folder};
use serde_json::{Value, json};

#[test]
fn fault_w07_another_password_ends_all_other_sessions() {
    let folder = folder("server-password");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let mut elsewhere = server.claimed("ann", None);
    assert_eq!(elsewhere.get("/api/v1/me").json()["name"], "ann");
    assert_eq!(ann.send("/settings", "what=password&old=correct+horse&password=another+horse").status, 200);
    assert_eq!(ann.get("/api/v1/me").json()["name"], "ann", "whoever has changed it stays");
    assert_eq!(elsewhere.get("/api/v1/me").json()["kind"], "nobody", "whoever had the old one is out");
    let sign_in = |password: &str| {
        server.client().post("/api/v1/login", &json!({"name": "ann", "password": password})).status
    };
    assert_eq!((sign_in("correct horse"), sign_in("another horse")), (401, 200));
}

#[test]
fn fault_w07_a_session_that_was_left_open_is_not_enough_for_another_password() {
    let folder = folder("server-password-old");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    for old in ["", "wrong+horse"] {
        let refused = ann.send("/settings", &format!("what=password&old={old}&password=another+horse"));
        assert_eq!(refused.status, 422, "{old:?}");
        assert!(refused.text().contains("not your password"), "{}", refused.text());
    }
    let login = json!({"name": "ann", "password": "correct horse"});
    assert_eq!(server.client().post("/api/v1/login", &login).status, 200, "nothing was changed");
}

#[test]
fn fault_w08_passwords_are_changed_as_seldom_as_they_are_tried() {
    let folder = folder("server-password-often");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let change = "what=password&old=correct+horse&password=correct+horse";
    let statuses: Vec<u16> = (0..5).map(|_| ann.send("/settings", change).status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 429], "each takes much memory");
}

#[test]
fn fault_w15_a_person_has_a_hundred_tokens_at_the_most() {
    let folder = folder("server-tokens");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let made: Vec<u16> = (0..101).map(|_| ann.post("/api/v1/tokens", &json!({})).status).collect();
    assert!(made[..100].iter().all(|status| *status == 201) && made[100] == 409, "{made:?}");
    let tokens = ann.get("/api/v1/tokens").json();
    assert_eq!(tokens.as_array().unwrap().len(), 100, "all of them are shown, to be revoked");
    let first = tokens[99]["id"].to_string();
    assert_eq!(ann.ask("DELETE", &format!("/api/v1/tokens/{first}"), None).status, 204);
    assert_eq!(ann.post("/api/v1/tokens", &json!({})).status, 201);
}

#[test]
fn fault_w07_a_bot_whose_token_is_revoked_is_sent_away() {
    let folder = folder("server-bot-revoked");
    let server = Running::start(&folder);
    let mut ann = server.claimed("ann", None);
    let tokens: Vec<Value> = (0..2).map(|_| ann.post("/api/v1/tokens", &json!({})).json()).collect();
    let bots: Vec<TcpStream> = tokens
        .iter()
        .zip(["one", "two"])
        .map(|(token, name)| {
            let mut stream = TcpStream::connect(server.bots).unwrap();
            let hello = json!({"type": "hello", "version": 1, "name": name, "secret": token["token"]});
            writeln!(stream, "{hello}").unwrap();
            stream
        })
        .collect();
    ann.wait_for("/api/v1/bots", |list| list.as_array().unwrap().len() == 2);
    assert_eq!(ann.ask("DELETE", &format!("/api/v1/tokens/{}", tokens[0]["id"]), None).status, 204);
    let left = ann.wait_for("/api/v1/bots", |list| list.as_array().unwrap().len() == 1);
    assert_eq!(left[0]["name"], "two", "only its own bots are meant");
    bots[0].set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let last = BufReader::new(&bots[0]).lines().map_while(Result::ok).last().unwrap();
    assert!(last.contains("quit"), "it is told, and closed: {last}");
}
