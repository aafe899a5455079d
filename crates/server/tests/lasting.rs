//! What outlasts a restart, what a deleted name leaves behind, and the three ways to run a server.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;

use common::{Answer, Client, Running, folder, raw};
use rookery_rules::Seed;
use rookery_server::accounts::hash_password;
use rookery_store::{EntrantKind, NewEntrant, NewTournament, Options, Reserve, Store};
use serde_json::{Value, json};

fn login(server: &Running, name: &str) -> (Client, u16) {
    let mut client = server.client();
    let status = client.post("/api/v1/login", &json!({"name": name, "password": "correct horse"})).status;
    (client, status)
}

#[test]
fn what_the_operator_decided_outlasts_a_restart_and_can_be_taken_back() {
    let folder = folder("server-measures");
    let server = Running::start(&folder);
    let mut boss = server.claimed("boss", server.operator_token.as_deref());
    for (name, measure) in [("ann", json!({"banned": true})), ("eve", json!({"muted": true}))] {
        server.claimed(name, None);
        assert_eq!(boss.post(&format!("/api/v1/operator/people/{name}"), &measure).status, 204);
    }
    assert_eq!(boss.post("/api/v1/operator/sign-up", &json!({"open": false})).status, 204);
    server.stop();
    let server = Running::start(&folder);
    let is_shut_out = |name: &str| login(&server, name).0.get("/api/v1/me").status == 403;
    assert!(is_shut_out("ann"), "banned for good");
    assert!(!is_shut_out("eve"));
    let claim = json!({"name": "late", "password": "correct horse", "claim": true});
    assert_eq!(server.client().post("/api/v1/login", &claim).status, 401, "sign-up is still closed");
    let mut eve = login(&server, "eve").0;
    let own: Value = eve.get("/api/v1/me/data").json();
    assert_eq!((&own["muted"], &own["banned"]), (&json!(true), &json!(false)));
    let mut boss = login(&server, "boss").0;
    assert_eq!(boss.post("/api/v1/operator/people/ann", &json!({"banned": false})).status, 204);
    assert_eq!(boss.post("/api/v1/operator/sign-up", &json!({"open": true})).status, 204);
    assert!(!is_shut_out("ann"));
    assert_eq!(server.client().post("/api/v1/login", &claim).status, 200);
    let log = boss.get("/api/v1/operator/audit").json();
    let acts: Vec<&str> =
        log.as_array().unwrap().iter().rev().map(|entry| entry["act"].as_str().unwrap()).collect();
    let expected = [
        "became the operator",
        "banned",
        "ended the sessions of",
        "muted",
        "closed sign-up",
        "let back in",
        "opened sign-up",
    ];
    assert_eq!(acts, expected, "each act is written down");
}

/// A store with a tournament of two persons.
fn with_tournament(folder: &Path) -> String {
    let options = Options { ballast: 0, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() };
    let store = Store::open(folder.join("test.db").to_str().unwrap(), &options).unwrap();
    let hash = hash_password("correct horse").unwrap();
    let names = ["ann", "bob"];
    for name in names {
        store.claim_name(name, Some(&hash)).unwrap();
    }
    let spec = json!({
        "name": "cup", "games": ["hexapawn"], "format": {"kind": "round-robin", "games": 1},
        "entrants": names.map(|name| json!({"name": name, "player": "human"})), "seed": "7",
    });
    let entrant = |name: &str| NewEntrant {
        name: name.to_owned(),
        kind: EntrantKind::Person,
        player: "human".to_owned(),
        version: None,
    };
    let new = NewTournament {
        spec: spec.to_string(),
        seed: Seed(7),
        entrants: names.iter().map(|name| entrant(name)).collect(),
    };
    store.create_tournament(new).unwrap().to_string()
}

#[test]
fn a_deleted_name_is_shown_nowhere_and_the_games_stay() {
    let folder = folder("server-gone");
    let cup = with_tournament(&folder);
    let server = Running::start(&folder);
    let mut boss = server.claimed("boss", server.operator_token.as_deref());
    let (mut ann, status) = login(&server, "ann");
    assert_eq!(status, 200);
    assert_eq!(boss.post("/api/v1/operator/people/ann", &json!({"muted": true})).status, 204);
    let made = ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let id = made["id"].as_str().unwrap().to_owned();
    let delete = json!({"name": "ann"});
    assert_eq!(ann.ask("DELETE", "/api/v1/me", Some(&delete)).status, 409, "she is in the middle of a match");
    ann.send(&format!("/m/{id}/do"), "what=resign");
    ann.wait_for("/api/v1/matches?player=ann", |list| list["matches"].as_array().unwrap().len() == 1);
    let pages = [
        format!("/m/{id}"),
        format!("/m/{id}.jsonl"),
        format!("/api/v1/matches/{id}"),
        format!("/embed/{id}"),
        "/api/v1/matches".to_owned(),
        "/api/v1/players".to_owned(),
        "/api/v1/ladder?game=hexapawn".to_owned(),
        "/players".to_owned(),
        format!("/t/{cup}"),
        format!("/api/v1/tournaments/{cup}"),
        format!("/api/v1/tournaments/{cup}/pairings"),
        "/api/v1/operator/audit".to_owned(),
        "/operator".to_owned(),
    ];
    let has_name = |answer: &Answer| {
        let text = answer.text();
        ["\"ann\"", ">ann<", " ann ", "ann won", "ann lost", "=ann"].iter().any(|name| text.contains(name))
    };
    assert!(has_name(&boss.get(&format!("/m/{id}"))), "she is there before");
    assert!(has_name(&boss.get(&format!("/api/v1/tournaments/{cup}"))), "she is there before");
    let own = ann.get("/api/v1/me/data").json();
    assert_eq!(own["games"][0]["id"], id.as_str());
    assert!(own["games"][0]["record"].as_str().unwrap().contains("\"verdict\""), "with its record");
    // It is read to its end, also packed.
    let head = format!("Origin: http://{}\r\nAccept-Encoding: gzip\r\n", ann.address);
    let packed = ann.ask_as("GET", "/api/v1/me/data", None, &head);
    assert!(packed.body.starts_with(&[0x1f, 0x8b]) && packed.is_whole, "{}", packed.head);
    assert_eq!(own["log"][0]["act"], "muted");
    assert_eq!(own["tokens"][0]["purpose"], "session");
    assert_eq!(ann.ask("DELETE", "/api/v1/me", Some(&delete)).status, 204);
    for page in &pages {
        let answer = boss.get(page);
        assert_eq!(answer.status, 200, "{page}: {}", answer.text());
        assert!(!has_name(&answer), "{page}: {}", answer.text());
    }
    // What is told instead of the record holds by itself.
    let record = boss.get(&format!("/m/{id}.jsonl")).text();
    let request = format!(
        "POST /api/v1/records HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{record}",
        record.len()
    );
    let read = raw(server.address, request.as_bytes());
    assert_eq!(read.status, 200, "{}", read.text());
    // Somebody else may have the name now, and has none of it.
    let mut other = server.claimed("ann", None);
    assert_eq!(other.get("/api/v1/me/data").json()["games"], json!([]));
    assert_eq!(other.get("/api/v1/me/data").json()["muted"], false);
}

fn ask(server: &Running, head: &str) -> Answer {
    let body = r#"{"game":"hexapawn","seats":["first","first"]}"#;
    let request = format!(
        "POST /api/v1/matches HTTP/1.1\r\n{head}Connection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    raw(server.address, request.as_bytes())
}

#[test]
fn on_this_machine_only_this_machine_is_meant() {
    let folder = folder("server-loopback");
    let server = Running::start(&folder);
    let made = ask(&server, "Host: localhost:1\r\nOrigin: http://localhost:1\r\n");
    assert_eq!(made.status, 201);
    assert!(made.header("set-cookie").unwrap().starts_with("rookery="));
    assert!(!made.header("set-cookie").unwrap().contains("Secure"));
    assert_eq!(made.header("cross-origin-opener-policy"), Some("same-origin"));
    assert_eq!(ask(&server, "Host: play.example.org\r\nOrigin: http://play.example.org\r\n").status, 421);
}

#[test]
fn a_classroom_is_reached_by_its_address() {
    let folder = folder("server-classroom");
    let server = Running::start_as(&folder, Some("http://school.example:7600"), &[]);
    let host = "Host: school.example:7600\r\n";
    let made = ask(&server, &format!("{host}Origin: http://school.example:7600\r\n"));
    assert_eq!(made.status, 201);
    assert!(!made.header("set-cookie").unwrap().contains("Secure"), "it is plain http");
    // Browsers heed it over TLS alone, and complain of it elsewhere on every page.
    assert_eq!(made.header("cross-origin-opener-policy"), None);
    let here = ask(&server, "Host: localhost:1\r\nOrigin: http://localhost:1\r\n");
    assert_eq!(here.header("cross-origin-opener-policy"), Some("same-origin"));
    assert_eq!(ask(&server, &format!("{host}Origin: https://school.example:7600\r\n")).status, 403);
    assert_eq!(ask(&server, "Host: school.example\r\nOrigin: http://school.example\r\n").status, 421);
    // The port for bots is this machine's alone, so those who come from elsewhere are told of the socket.
    let page =
        raw(server.address, format!("GET /connect HTTP/1.1\r\n{host}Connection: close\r\n\r\n").as_bytes());
    let text = page.text();
    assert!(text.contains("rookery connect ws://school.example:7600/bots"), "{text}");
    assert!(!text.contains("127.0.0.1"), "{text}");
}

#[test]
fn behind_a_proxy_cookies_are_for_tls_and_its_word_counts() {
    let folder = folder("server-proxy");
    let server = Running::start_as(&folder, Some("https://play.example.org"), &["127.0.0.1"]);
    let own = "Host: play.example.org\r\nOrigin: https://play.example.org\r\n";
    let made = ask(&server, own);
    assert_eq!(made.status, 201);
    assert_eq!(made.header("strict-transport-security"), Some("max-age=31536000"));
    assert_eq!(made.header("cross-origin-opener-policy"), Some("same-origin"));
    let cookie = made.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-rookery=") && cookie.contains("; Secure"), "{cookie}");
    assert!(cookie.contains("Path=/;") && !cookie.contains("Domain"), "{cookie}");
    // A cookie of the plain kind, which anybody near could set, is nobody's.
    let token = cookie.split(';').next().unwrap().split_once('=').unwrap().1;
    let me = |cookie: &str| {
        let request = format!(
            "GET /api/v1/me HTTP/1.1\r\nHost: play.example.org\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n"
        );
        raw(server.address, request.as_bytes()).json()["kind"].clone()
    };
    assert_eq!(
        (me(&format!("rookery={token}")), me(&format!("__Host-rookery={token}"))),
        (json!("nobody"), json!("guest"))
    );
    // Those behind the proxy are counted by what it says of them.
    let begin = |from: &str| ask(&server, &format!("{own}X-Forwarded-For: {from}\r\n")).status;
    let from_one: Vec<u16> = (0..121).map(|_| begin("203.0.113.7")).collect();
    assert_eq!((from_one[0], from_one[119], from_one[120]), (201, 201, 429));
    assert_eq!(begin("203.0.113.8"), 201);
    assert_eq!(begin("198.51.100.1, 203.0.113.7"), 429, "what a client says of itself does not count");
    // Who has a session is counted by that, wherever it is.
    let known = |from: &str| {
        let cookie = format!("Cookie: __Host-rookery={token}\r\n");
        ask(&server, &format!("{own}{cookie}X-Forwarded-For: {from}\r\n")).status
    };
    let of_one: Vec<u16> = (0..61).map(|_| known("203.0.113.7")).collect();
    assert_eq!((of_one[0], of_one[59], of_one[60]), (201, 201, 429));
    assert_eq!(known("203.0.113.9"), 429);
    let asked = "GET /connect HTTP/1.1\r\nHost: play.example.org\r\nConnection: close\r\n\r\n";
    let text = raw(server.address, asked.as_bytes()).text();
    assert!(text.contains("rookery connect wss://play.example.org/bots --name"), "{text}");
}

#[test]
fn fault_w05_behind_a_proxy_the_same_host_without_tls_is_another_page() {
    let folder = folder("server-proxy-origin");
    let server = Running::start_as(&folder, Some("https://play.example.org"), &["127.0.0.1"]);
    let host = "Host: play.example.org\r\n";
    assert_eq!(ask(&server, &format!("{host}Origin: http://play.example.org\r\n")).status, 403);
    assert_eq!(ask(&server, &format!("{host}Origin: https://play.example.org\r\n")).status, 201);
    // The operator at the machine itself.
    assert_eq!(ask(&server, "Host: localhost:1\r\nOrigin: http://localhost:1\r\n").status, 201);
}

#[test]
fn fault_w14_whoever_comes_through_a_silent_proxy_is_counted_too() {
    let folder = folder("server-proxy-silent");
    let server = Running::start_as(&folder, Some("https://play.example.org"), &["127.0.0.1"]);
    let own = "Host: play.example.org\r\nOrigin: https://play.example.org\r\n";
    let statuses: Vec<u16> = (0..121).map(|_| ask(&server, own).status).collect();
    assert_eq!((statuses[0], statuses[120]), (201, 429), "who seems to sit at this machine may be anybody");
}
