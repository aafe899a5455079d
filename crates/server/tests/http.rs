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
    let begun = Instant::now();
    let answer = raw(server.address, both.as_bytes());
    assert!(!String::from_utf8_lossy(&answer.body).contains("HTTP/1.1 "), "one answer: {}", answer.text());
    assert!(begun.elapsed() < Duration::from_secs(20), "the connection is closed behind it");
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
            && policy.contains("img-src 'self';")
    );
    assert!(!policy.contains("data:") && !policy.contains("unsafe"), "{policy}");
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

#[test]
fn fault_w07_a_login_begins_a_new_session_and_a_logout_ends_it_for_good() {
    let folder = folder("server-w07");
    let server = Running::start(&folder);
    let mut ann = server.client();
    ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
    let as_guest = ann.cookie.clone().unwrap();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    let login = ann.post("/api/v1/login", &claim);
    let cookie = login.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let as_ann = ann.cookie.clone().unwrap();
    let token = as_ann.split_once('=').unwrap().1.to_owned();
    assert_eq!(token.len(), 64, "256 bits");
    assert!(!login.text().contains(&token), "it is in the cookie alone");
    // What is stored cannot be used: only its hash is there.
    for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
        let bytes = if file.is_file() { std::fs::read(&file).unwrap() } else { continue };
        let is_in = bytes.windows(token.len()).any(|part| part == token.as_bytes());
        assert!(!is_in, "{} has the token", file.display());
    }
    // A token in an address is nobody's.
    assert_eq!(server.client().get(&format!("/api/v1/me?token={token}")).json()["kind"], "nobody");
    assert_eq!(ann.post("/api/v1/logout", &json!({})).status, 204);
    for old in [as_guest, as_ann] {
        let mut thief = Client { cookie: Some(old), ..server.client() };
        assert_eq!(thief.get("/api/v1/me").json()["kind"], "nobody");
    }
}

#[test]
fn fault_w08_unknown_names_and_wrong_passwords_are_told_the_same() {
    let folder = folder("server-w08");
    let server = Running::start(&folder);
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(server.client().post("/api/v1/login", &claim).status, 200);
    let tell = |name: &str| {
        let begun = Instant::now();
        let answer = server.client().post("/api/v1/login", &json!({"name": name, "password": "wrong horse"}));
        (answer.status, answer.text(), begun.elapsed())
    };
    let (known, unknown) = (tell("ann"), tell("nobody-here"));
    assert_eq!((known.0, &known.1), (unknown.0, &unknown.1));
    // A password takes long to look at; whoever has none is answered after the same time. The shortest of some, since the
    // machine may be busy, and with names that differ, since tries are counted.
    let mut times = [known.2, unknown.2];
    for n in 0..3 {
        let claimed = format!("ann-{n}");
        let claim = json!({"name": claimed, "password": "correct horse", "claim": true});
        assert_eq!(server.client().post("/api/v1/login", &claim).status, 200);
        times[0] = times[0].min(tell(&claimed).2);
        times[1] = times[1].min(tell(&format!("nobody-{n}")).2);
    }
    let [known, unknown] = times;
    assert!(known < 3 * unknown && unknown < 3 * known, "{known:?} {unknown:?}");
    let tries: Vec<u16> = (0..6).map(|_| tell("ann").0).collect();
    assert!(tries.contains(&429), "{tries:?}");
    assert_eq!(tell("another").0, 401, "others are counted by themselves");
}

#[test]
fn fault_w13_only_http_1_is_spoken() {
    let folder = folder("server-w13");
    let server = Running::start(&folder);
    let preface = raw(server.address, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    assert!(matches!(preface.status, 0 | 400 | 505), "{}", preface.head);
    assert!(!preface.body.starts_with(&[0, 0]), "no frame of HTTP/2 came back");
    let upgrade = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\
                   Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n";
    assert_eq!(raw(server.address, upgrade.as_bytes()).status, 200, "it is answered as it was asked");
}

#[test]
fn fault_w15_lists_are_short_however_long_they_are_wanted() {
    let folder = folder("server-w15");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for _ in 0..105 {
        let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
        assert_eq!(made.status, 201, "{}", made.text());
    }
    let n = |list: &serde_json::Value| list["matches"].as_array().unwrap().len();
    guest.wait_for("/api/v1/matches?limit=100", |list| n(list) == 100);
    for limit in ["101", "5000", "4294967295"] {
        assert_eq!(n(&guest.get(&format!("/api/v1/matches?limit={limit}")).json()), 100, "{limit}");
    }
    let before = guest.get("/api/v1/matches?limit=1").json()["matches"][0]["seq"].to_string();
    assert!(n(&guest.get(&format!("/api/v1/matches?before={before}")).json()) > 0);
    assert_eq!(guest.get("/api/v1/matches?limit=-1").status, 400);
}

#[test]
fn fault_w17_nobody_makes_the_server_connect_anywhere() {
    let folder = folder("server-w17");
    let server = Running::start(&folder);
    let trap = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    trap.set_nonblocking(true).unwrap();
    let at = trap.local_addr().unwrap();
    let mut guest = server.client();
    let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
    assert_eq!(made.status, 201, "{}", made.text());
    let mut seats: Vec<String> = [
        "http://",
        "https://",
        "ws://",
        "tcp://",
        "tcp:",
        "ws:",
        "connect:",
        "@",
        "remote:",
        "cmd:curl http://",
    ]
    .map(|begin| format!("{begin}{at}"))
    .to_vec();
    seats.extend(["tcp:7000", "ws:7000", "cmd:true", "evil=cmd:true"].map(str::to_owned));
    for seat in &seats {
        let body = json!({"game": "hexapawn", "seats": [seat, "first"]});
        let answer = guest.post("/api/v1/matches", &body);
        assert_eq!(answer.status, 422, "{seat}: {}", answer.text());
        let entrants = json!([{"name": "a", "player": seat}, {"name": "b", "player": "first"}]);
        let cup = json!({
            "name": "cup", "games": ["hexapawn"], "format": {"kind": "round-robin", "games": 1},
            "entrants": entrants,
        });
        let answer = guest.post("/api/v1/tournaments", &cup);
        assert!(matches!(answer.status, 400 | 422), "{seat}: {} {}", answer.status, answer.text());
    }
    assert!(trap.accept().is_err(), "nobody came");
}

#[test]
fn fault_w21_a_record_made_by_hand_is_refused_where_it_is_wrong() {
    let folder = folder("server-w21");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    guest.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    let record = guest.get(&format!("/m/{id}.jsonl")).text();
    let read = |record: &str| {
        let request = format!(
            "POST /api/v1/records HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\
             Connection: close\r\nContent-Type: application/jsonl\r\nContent-Length: {}\r\n\r\n{record}",
            record.len()
        );
        raw(server.address, request.as_bytes())
    };
    assert_eq!(read(&record).status, 200);
    let lines: Vec<&str> = record.lines().collect();
    let mut swapped = lines.clone();
    swapped.swap(1, 2);
    let answer = read(&(swapped.join("\n") + "\n"));
    assert_eq!(answer.status, 400);
    let why = answer.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(why.contains("line 2"), "it names the first line that is wrong: {why}");
    let deep = "[".repeat(100_000);
    let (twice, long) = (record.repeat(2), format!("{}{}\n", lines[0], " ".repeat(3 << 20)));
    for bad in ["", "\n", "{}", "null\n", &deep, &twice, &long, "\u{0}\u{1}"] {
        let answer = read(bad);
        assert_eq!(answer.status, 400, "{:?}: {}", &bad[..bad.len().min(40)], answer.text());
    }
    assert!(matches!(read(&"x".repeat(5 << 20)).status, 0 | 413), "four megabytes are the most");
}

#[test]
fn a_kept_connection_goes_on_after_a_refusal_and_a_body_that_comes_later() {
    let folder = folder("server-kept");
    let server = Running::start(&folder);
    let host = server.address;
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
    let mut answer = || {
        let (mut status, mut length, mut closes) = (String::new(), 0, false);
        loop {
            let mut line = String::new();
            assert!(std::io::BufRead::read_line(&mut reader, &mut line).unwrap() > 0, "it was closed");
            let line = line.trim_end().to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", n)) => length = n.parse().unwrap(),
                Some(("connection", "close")) => closes = true,
                None if line.is_empty() => break,
                None => status = line,
                Some(_) => {}
            }
        }
        let mut body = vec![0; length];
        std::io::Read::read_exact(&mut reader, &mut body).unwrap();
        (status, closes)
    };
    // Nobody's, without an origin: refused by its head alone. Programs often send the body in a piece of its own.
    for method in ["POST", "GET"] {
        let head = format!(
            "{method} /api/v1/tokens HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
        );
        for _ in 0..20 {
            stream.write_all(head.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(2));
            stream.write_all(b"{}").unwrap();
            let (status, closes) = answer();
            assert!((status.contains(" 403 ") || status.contains(" 40")) && !closes, "{status}");
        }
    }
    // What is too large is not read to its end, and that is said.
    let head = format!(
        "POST /api/v1/tokens HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&vec![b' '; 70 << 10]).unwrap();
    let (status, closes) = answer();
    assert!(status.contains(" 413 ") && closes, "{status}");
}
