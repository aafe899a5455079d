//! What every request must pass, by the faults of the catalogue.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{Client, Running, folder, raw};
use serde_json::json;

#[test]
fn fault_w05_no_other_page_changes_anything() {
    let folder = folder("server-w05");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let body = json!({"game": "hexapawn", "seats": ["first", "first"]});
    assert_eq!(guest.post("/api/v1/matches", &body).status, 201);
    for headers in [
        "",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Origin: http://evil.example\r\nSec-Fetch-Site: same-origin\r\n",
    ] {
        let answer = guest.ask_as("POST", "/api/v1/matches", Some(&body), headers);
        assert_eq!(answer.status, 403, "{headers:?}: {}", answer.text());
    }
    let same = guest.ask_as("POST", "/api/v1/matches", Some(&body), "Sec-Fetch-Site: same-origin\r\n");
    assert_eq!(same.status, 201);
    let form = "POST /api/v1/matches HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
                Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(raw(server.address, form.as_bytes()).status, 415);
}

#[test]
fn fault_w10_no_path_leads_out() {
    let folder = folder("server-w10");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets//etc/passwd",
        "/m/%00",
        "/m/%ff%fe",
        "/..",
        "/assets/",
        "/api/v1/matches/../../health",
    ] {
        let answer = guest.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        assert!(!answer.text().contains("root:"), "{path}");
    }
}

#[test]
fn fault_w11_what_can_be_read_in_two_ways_is_refused() {
    let folder = folder("server-w11");
    let server = Running::start(&folder);
    let head = "POST /api/v1/logout HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n";
    for rest in [
        "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    ] {
        let answer = raw(server.address, format!("{head}{rest}").as_bytes());
        assert_eq!(answer.status, 400, "{rest:?}: {}", answer.head);
    }
    for first in ["GET / HTTP/2.0", "PRI * HTTP/2.0", "nonsense"] {
        let answer = raw(server.address, format!("{first}\r\nHost: localhost\r\n\r\n").as_bytes());
        assert!(matches!(answer.status, 0 | 400 | 505), "{first}: {}", answer.head);
    }
    // What follows a request with both lengths is no request of its own.
    let both = format!(
        "{head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    );
    let answer = raw(server.address, both.as_bytes());
    assert!(!String::from_utf8_lossy(&answer.body).contains("HTTP/1.1 200"), "{}", answer.text());
}

#[test]
fn fault_w12_slow_clients_cost_others_nothing() {
    let folder = folder("server-w12");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let quick = |guest: &mut Client| {
        let mut times: Vec<Duration> = (0..20)
            .map(|_| {
                let begun = Instant::now();
                assert_eq!(guest.get("/health").status, 200);
                begun.elapsed()
            })
            .collect();
        times.sort();
        times[10]
    };
    let before = quick(&mut guest);
    let mut slow: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    for stream in slow.iter_mut().step_by(2) {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    }
    let after = quick(&mut guest);
    assert!(after < before * 20 + Duration::from_millis(200), "{before:?} became {after:?}");
    // Who says nothing is gone after a while, and who does not finish its head, too.
    for stream in &mut slow[..2] {
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let mut rest = vec![];
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&rest));
    }
}

#[test]
fn bodies_and_heads_are_bounded() {
    let folder = folder("server-bounds");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let large = json!({"game": "x".repeat(70_000), "seats": []});
    assert_eq!(guest.post("/api/v1/matches", &large).status, 413);
    let long = guest.ask_as("GET", "/health", None, &format!("X: {}\r\n", "y".repeat(20_000)));
    assert!(matches!(long.status, 0 | 431), "{}", long.status);
    let many = "X-Y: y\r\n".repeat(100);
    assert!(matches!(guest.ask_as("GET", "/health", None, &many).status, 0 | 431));
    let deep = "[".repeat(10_000);
    let request = format!(
        "POST /api/v1/matches HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{deep}",
        deep.len()
    );
    assert_eq!(raw(server.address, request.as_bytes()).status, 400);
}

#[test]
fn fault_w19_fault_w20_errors_say_little_and_hosts_are_ours() {
    let folder = folder("server-w20");
    let server = Running::start(&folder);
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io:80"] {
        let answer = raw(
            server.address,
            format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
        );
        assert_eq!(answer.status, 421, "{host}");
    }
    let answer = server.client().get("/nowhere");
    assert_eq!(answer.status, 404);
    assert!(answer.header("x-request-id").is_some());
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'")
            && policy.contains("frame-ancestors 'none'")
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let metrics = server.client().get("/metrics").text();
    assert!(metrics.contains("rookery_http_responses_total{class=\"4xx\"}"), "{metrics}");
}

#[test]
fn names_are_claimed_once_and_passwords_are_checked() {
    let folder = folder("server-names");
    let server = Running::start(&folder);
    let (mut ann, mut eve) = (server.client(), server.client());
    let made = ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let path = format!("/api/v1/matches/{}", made["id"].as_str().unwrap());
    let before = ann.cookie.clone();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(ann.post("/api/v1/login", &claim).status, 200);
    assert_ne!(ann.cookie, before, "a new session is another one");
    assert_eq!(ann.get(&path).json()["you"], json!(0), "what a guest began is the person's now");
    let mut old = Client { cookie: before, ..server.client() };
    assert_eq!(old.get("/api/v1/me").json()["kind"], "nobody", "the old session is dead");
    for wrong in [
        json!({"name": "ann", "password": "wrong horse", "claim": true}),
        json!({"name": "nobody", "password": "wrong horse"}),
    ] {
        let answer = eve.post("/api/v1/login", &wrong);
        assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (401, Some("wrong_password")));
    }
    let tries: Vec<u16> = (0..6)
        .map(|_| eve.post("/api/v1/login", &json!({"name": "ann", "password": "wrong horse"})).status)
        .collect();
    assert_eq!(tries.last(), Some(&429), "fault_w08: {tries:?}");
    // A program speaks with a token, without an origin, until it is revoked.
    let token = ann.post("/api/v1/tokens", &json!({"note": "my program"})).json();
    let mut program = server.client();
    program.bearer = token["token"].as_str().map(str::to_owned);
    assert_eq!(program.ask_as("GET", "/api/v1/me", None, "").json()["name"], "ann");
    let body = json!({"game": "hexapawn", "seats": ["first", "first"]});
    assert_eq!(program.ask_as("POST", "/api/v1/matches", Some(&body), "").status, 201);
    assert_eq!(eve.ask("DELETE", &format!("/api/v1/tokens/{}", token["id"]), None).status, 401);
    assert_eq!(ann.ask("DELETE", &format!("/api/v1/tokens/{}", token["id"]), None).status, 204);
    assert_eq!(program.ask_as("GET", "/api/v1/me", None, "").status, 401);
    assert_eq!(ann.post("/api/v1/logout", &json!({})).status, 204);
}

#[test]
fn the_operator_s_link_works_once() {
    let folder = folder("server-operator");
    let server = Running::start(&folder);
    let link = server.operator_token.clone().expect("a new store has no operator");
    let (mut ann, mut eve) = (server.client(), server.client());
    let with =
        |name: &str| json!({"name": name, "password": "correct horse", "claim": true, "operator": link});
    assert_eq!(ann.post("/api/v1/login", &with("ann")).json()["operator"], true);
    assert_eq!(eve.post("/api/v1/login", &with("eve")).json()["operator"], false, "it was used");
    let made = eve.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let cancel = format!("/api/v1/matches/{}/cancel", made["id"].as_str().unwrap());
    assert_eq!(eve.post(&cancel, &json!({})).status, 403);
    assert_eq!(ann.post(&cancel, &json!({"reason": "a test"})).status, 204);
    let path = format!("/api/v1/matches/{}", made["id"].as_str().unwrap());
    assert_eq!(ann.wait_for(&path, |state| !state["over"].is_null())["over"]["cause"], "cancelled");
    assert_eq!(ann.post("/api/v1/operator/people/eve", &json!({"banned": true})).status, 204);
    assert_eq!(eve.get("/api/v1/me").json()["kind"], "nobody", "the sessions are ended");
    let log = ann.get("/api/v1/operator/audit").json();
    assert!(
        log.as_array().unwrap().iter().any(|entry| entry["act"] == "banned" && entry["subject"] == "eve"),
        "{log}"
    );
    assert_eq!(eve.get("/api/v1/operator/audit").status, 401);
    drop(server);
    let server = Running::start(&folder);
    assert_eq!(server.operator_token, None, "there is an operator now");
}
