//! The socket of a page, with a real WebSocket client.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::time::{Duration, Instant};

use common::{Client, Running, Socket, connect, connect_to, folder};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

fn play(server: &Running, seats: &Value) -> (Client, String) {
    let mut guest = server.client();
    let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn:rows=3,cols=3", "seats": seats}));
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    (guest, id)
}

#[test]
fn a_person_plays_by_the_socket_and_others_look_on() {
    let folder = folder("live-play");
    let server = Running::start(&folder);
    let (guest, id) = play(&server, &json!(["me", "first"]));
    server.block_on(async {
        let mut page = connect(&guest, Some("own")).await.unwrap();
        let mut viewer = connect(&server.client(), Some("own")).await.unwrap();
        page.say(json!({"watch": {"match": id, "since": null}})).await;
        viewer.say(json!({"watch": {"match": id}})).await;
        let first = page.until(|m| m["snapshot"].is_object()).await;
        assert_eq!(first["snapshot"]["you"], json!(0));
        let seen = viewer.until(|m| m["snapshot"].is_object()).await;
        assert_eq!(
            (&seen["snapshot"]["you"], &seen["snapshot"]["can"]["move"]),
            (&Value::Null, &json!(false))
        );
        // A slip of the hand costs nothing.
        page.say(json!({"do": {"match": id, "n": 1, "move": {"ply": 0, "text": "zz"}}})).await;
        assert!(page.until(|m| m["reply"]["n"] == 1).await["reply"]["error"].is_string());
        page.say(json!({"do": {"match": id, "n": 2, "move": {"ply": 0, "text": "b2"}}})).await;
        assert_eq!(page.until(|m| m["reply"]["n"] == 2).await["reply"]["ok"], true);
        let told = viewer
            .until(|m| m["news"][0]["entry"]["text"] == "b1-b2" || m["news"][0]["entry"]["seat"] == 0)
            .await;
        assert!(told["scene"]["pieces"].is_array());
        viewer.say(json!({"do": {"match": id, "n": 9, "resign": {}}})).await;
        assert!(viewer.until(|m| m["reply"]["n"] == 9).await["reply"]["error"].is_string(), "fault_w09");
        page.say(json!({"do": {"match": id, "n": 4, "say": {"text": "<b>hello</b>"}}})).await;
        let said = viewer.until(|m| m["news"][0]["entry"]["kind"] == "said").await;
        assert_eq!(said["news"][0]["entry"]["text"], "<b>hello</b>");
        page.say(json!({"do": {"match": id, "n": 5, "resign": {}}})).await;
        let over = viewer
            .until(|m| m["news"].as_array().is_some_and(|news| news.iter().any(|n| n["over"].is_object())))
            .await;
        assert_eq!(over["can"]["move"], false);
    });
}

#[test]
fn whoever_plays_in_a_match_only_looks_where_others_have_framed_it() {
    let folder = folder("live-framed");
    let server = Running::start(&folder);
    let (mut guest, id) = play(&server, &json!(["me", "first"]));
    let page = guest.get(&format!("/embed/{id}")).text();
    let path = page.split("<rk-match class=\"embedded\" src=\"").nth(1).unwrap().split('"').next().unwrap();
    server.block_on(async {
        let mut framed = connect_to(&guest, Some("own"), path).await.unwrap();
        framed.say(json!({"watch": {"match": id}})).await;
        let seen = framed.until(|m| m["snapshot"].is_object()).await["snapshot"].clone();
        assert_eq!((&seen["you"], &seen["can"]["move"]), (&Value::Null, &json!(false)));
        assert_eq!((&seen["seats"][0]["online"], &seen["viewers"]), (&json!(false), &json!(1)));
        for (n, what) in [json!({"move": {"ply": 0, "text": "b2"}}), json!({"resign": {}})].iter().enumerate()
        {
            let mut order = json!({"match": id, "n": n});
            order.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
            framed.say(json!({"do": order})).await;
            let reply = framed.until(|m| m["reply"]["n"] == n).await["reply"].clone();
            assert!(reply["error"].as_str().is_some_and(|why| why.contains("only watching")), "{reply}");
        }
    });
    let state = guest.get(&format!("/api/v1/matches/{id}")).json();
    assert_eq!((&state["ply"], &state["over"]), (&json!(0), &Value::Null));
}

#[test]
fn a_hint_is_told_better_and_better_until_it_is_done() {
    let folder = folder("live-hint");
    let server = Running::start(&folder);
    let (mut guest, id) = play(&server, &json!(["me", "first"]));
    guest.wait_for(&format!("/api/v1/matches/{id}"), |state| state["can"]["hint"] == true);
    server.block_on(async {
        let mut page = connect(&guest, Some("own")).await.unwrap();
        page.say(json!({"do": {"match": id, "n": 1, "hint": {}}})).await;
        let done = page.until(|m| m["hint"]["done"] == true).await;
        assert!(done["hint"]["lines"][0]["moves"][0].is_string(), "{done}");
    });
}

#[test]
fn fault_w06_sockets_are_opened_by_our_own_pages() {
    let folder = folder("live-w06");
    let server = Running::start(&folder);
    let (guest, id) = play(&server, &json!(["me", "first"]));
    server.block_on(async {
        assert_eq!(connect(&guest, Some("http://evil.example")).await.err(), Some(403));
        assert_eq!(connect(&guest, Some("null")).await.err(), Some(403));
        // Without an origin the cookie counts for nothing.
        let mut program = connect(&guest, None).await.unwrap();
        program.say(json!({"watch": {"match": id}})).await;
        assert_eq!(program.until(|m| m["snapshot"].is_object()).await["snapshot"]["you"], Value::Null);
    });
}

#[test]
fn what_is_no_message_is_told_and_floods_are_closed() {
    let folder = folder("live-flood");
    let server = Running::start(&folder);
    server.block_on(async {
        let mut page = connect(&server.client(), Some("own")).await.unwrap();
        page.0.send(Message::Text("{}".into())).await.unwrap();
        assert_eq!(page.until(|m| m["error"].is_object()).await["error"]["code"], "bad_message");
        for n in 0..200 {
            if page.0.send(Message::Text(json!({"ping": n}).to_string().into())).await.is_err() {
                break;
            }
        }
        let closed = loop {
            match page.0.next().await {
                Some(Ok(Message::Close(frame))) => break frame.map(|frame| u16::from(frame.code)),
                Some(Ok(_)) => {}
                _ => break None,
            }
        };
        assert!(matches!(closed, Some(1008) | None), "{closed:?}");
        let mut page = connect(&server.client(), Some("own")).await.unwrap();
        let _ = page.0.send(Message::Text("x".repeat(9000).into())).await;
        let end = tokio::time::timeout(Duration::from_secs(30), async {
            while let Some(Ok(message)) = page.0.next().await {
                assert!(!message.is_text(), "it is not read");
            }
        });
        end.await.expect("fault_t20: who sends too much is closed");
    });
}

#[test]
fn fault_w01_who_does_not_read_gets_a_whole_picture_and_delays_nobody() {
    let folder = folder("live-w01");
    let server = Running::start(&folder);
    // Many moves: more than are kept for those who lag behind.
    let mut guest = server.client();
    let made = guest.post("/api/v1/matches", &json!({"game": "fish", "seats": ["me", "first"]}));
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    server.block_on(async {
        let mut stalled = connect(&server.client(), Some("own")).await.unwrap();
        stalled.say(json!({"watch": {"match": id}})).await;
        stalled.until(|m| m["snapshot"].is_object()).await;
        let mut page = connect(&guest, Some("own")).await.unwrap();
        page.say(json!({"watch": {"match": id}})).await;
        let version = page.until(|m| m["snapshot"].is_object()).await["version"].as_u64().unwrap();
        // Chat makes news without an end of the match.
        for n in 0..90 {
            page.say(json!({"do": {"match": id, "n": n, "say": {"text": format!("line {n}")}}})).await;
            page.until(|m| m["reply"]["n"] == n).await;
        }
        // Asked again with an old version, one gets a snapshot; with a new one only what is new.
        let mut late = connect(&server.client(), Some("own")).await.unwrap();
        late.say(json!({"watch": {"match": id, "since": version}})).await;
        let again = late.until(|m| m["match"] == id.as_str()).await;
        assert!(again["snapshot"].is_object(), "{again}");
        let now = again["version"].as_u64().unwrap();
        let mut later = connect(&server.client(), Some("own")).await.unwrap();
        later.say(json!({"watch": {"match": id, "since": now - 2}})).await;
        let some = later.until(|m| m["match"] == id.as_str()).await;
        assert!(some["news"].is_array(), "{some}");
        // Who did not read all the while is right again by itself, and no line is missing.
        let mut lines = 0;
        while lines < 90 {
            let told = stalled.until(|m| m["match"] == id.as_str()).await;
            let said = |list: &[Value]| list.iter().filter(|one| one["kind"] == "said").count();
            let news = told["news"].as_array().cloned().unwrap_or_default();
            let news: Vec<Value> = news.iter().map(|one| one["entry"].clone()).collect();
            lines = told["snapshot"]["entries"].as_array().map_or(lines + said(&news), |all| said(all));
        }
        assert_eq!(lines, 90);
    });
}

#[test]
fn fault_t21_the_same_move_twice_and_from_two_tabs_counts_once() {
    let folder = folder("live-t21");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let made = guest.post("/api/v1/matches", &json!({"game": "four", "seats": ["me", "first"]}));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let text = made_move(&mut guest, &id);
    server.block_on(async {
        let mut tabs =
            [connect(&guest, Some("own")).await.unwrap(), connect(&guest, Some("own")).await.unwrap()];
        for tab in &mut tabs {
            tab.say(json!({"watch": {"match": id}})).await;
            tab.until(|m| m["snapshot"].is_object()).await;
        }
        // A double click in one tab, and a click in the other that knows nothing of it.
        for (tab, n) in [(0, 1), (0, 2), (1, 3)] {
            tabs[tab].say(json!({"do": {"match": id, "n": n, "move": {"ply": 0, "text": text}}})).await;
        }
        let first = tabs[0].until(|m| m["reply"]["n"] == 1).await;
        let second = tabs[0].until(|m| m["reply"]["n"] == 2).await;
        let third = tabs[1].until(|m| m["reply"]["n"] == 3).await;
        let is_ok = |m: &Value| m["reply"]["ok"] == true;
        let n_played = [&first, &second, &third].into_iter().filter(|m| is_ok(m)).count();
        assert_eq!(n_played, 1, "{first} {second} {third}");
        for (tab, reply) in [(0, &second), (1, &third)] {
            if !is_ok(reply) {
                assert!(reply["reply"]["error"].as_str().unwrap().contains("already"), "{reply}");
                let again = tabs[tab].until(|m| m["snapshot"].is_object()).await;
                assert!(again["snapshot"]["over"].is_null(), "it costs nothing");
            }
        }
    });
    let state = guest.wait_for(&format!("/api/v1/matches/{id}"), |state| state["ply"] == 2);
    assert!(state["over"].is_null());
}

/// A move that is legal now.
fn made_move(client: &mut Client, id: &str) -> String {
    let path = format!("/api/v1/matches/{id}");
    let state = client.wait_for(&path, |state| state["can"]["move"] == true);
    state["scene"]["moves"][0]["id"].as_str().unwrap_or_else(|| panic!("{state}")).to_owned()
}

#[test]
fn fault_w07_who_signs_out_has_no_socket_any_more() {
    let folder = folder("live-w07");
    let server = Running::start(&folder);
    let mut ann = server.client();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(ann.post("/api/v1/login", &claim).status, 200);
    let (page, other) = server.block_on(async {
        (connect(&ann, Some("own")).await.unwrap(), connect(&server.client(), Some("own")).await.unwrap())
    });
    assert_eq!(ann.post("/api/v1/logout", &json!({})).status, 204);
    server.block_on(async {
        assert_eq!(closed(page).await, Some(4003));
        let mut other = other;
        other.say(json!({"ping": 1})).await;
        other.until(|m| m["pong"] == 1).await;
    });
}

/// The code with which a socket is closed.
async fn closed(mut socket: Socket) -> Option<u16> {
    let waiting = async {
        loop {
            match socket.0.next().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| u16::from(frame.code)),
                Some(Ok(_)) => {}
                _ => return None,
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("it is closed")
}

/// Sends bytes behind the handshake of a socket, again and again, until the other side has closed it.
async fn flood(address: std::net::SocketAddr, path: &str, once: &[u8], bytes: &[u8]) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    let reading = tokio::spawn(async move {
        let mut all = vec![0; 1 << 16];
        while read.read(&mut all).await.is_ok_and(|n| n > 0) {}
    });
    let writing = async {
        let _ = write.write_all(once).await;
        while !reading.is_finished() && (bytes.is_empty() || write.write_all(bytes).await.is_ok()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let done = tokio::time::timeout(Duration::from_mins(1), writing).await;
    assert!(done.is_ok(), "{path}: it went on with {:?}", &once[..once.len().min(8)]);
}

#[test]
fn fault_t20_frames_that_mean_no_good_close_the_socket() {
    const MASK: [u8; 4] = [0; 4];
    let folder = folder("live-t20");
    let server = Running::start(&folder);
    let masked = |head: &[u8], body: &[u8]| [head, &MASK, body].concat();
    let many = |frame: Vec<u8>| frame.repeat(200);
    let cases: [(&str, Vec<u8>, Vec<u8>); 7] = [
        ("not masked", b"\x81\x02{}".to_vec(), vec![]),
        ("compressed", masked(b"\xc1\x82", b"{}"), vec![]),
        ("a kind that is none", masked(b"\x83\x82", b"{}"), vec![]),
        ("far too long", masked(b"\x81\xff\0\0\0\x7f\xff\xff\xff\xff", b"{}"), vec![]),
        ("pings", vec![], many(masked(b"\x89\x80", b""))),
        ("fragments of a byte", masked(b"\x01\x81", b"x"), many(masked(b"\x00\x81", b"x"))),
        ("fragments of nothing", masked(b"\x01\x80", b""), many(masked(b"\x00\x80", b""))),
    ];
    for path in ["/api/v1/live", "/bots"] {
        for (_, once, bytes) in &cases {
            server.block_on(flood(server.address, path, once, bytes));
        }
    }
    assert_eq!(server.client().get("/health").status, 200);
}

#[test]
fn nobody_is_told_of_moves_that_nobody_watches() {
    let folder = folder("server-unwatched");
    let server = Running::start(&folder);
    let mut guest = server.client();
    // More than a live match keeps for those who lag.
    let wanted = json!({"game": "renpaarden", "seats": ["random", "random"], "seed": "7", "max_turns": 300});
    let id = guest.post("/api/v1/matches", &wanted).json()["id"].as_str().unwrap().to_owned();
    let is_over = |text: &str| text.lines().any(|line| line == "rookery_matches_running 0");
    let begin = Instant::now();
    while !is_over(&guest.get("/metrics").text()) {
        assert!(begin.elapsed() < Duration::from_mins(1), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    let state = guest.get(&format!("/api/v1/matches/{id}")).json();
    // Versions begin at the time of the start, with room for 4,096 of them.
    let told = state["version"].as_u64().unwrap() % 4096;
    assert!(state["ply"].as_u64().unwrap() >= 300 && told <= 1, "told {told} times: {state}");
}

#[test]
fn a_page_is_told_of_the_boards_it_asked_for_and_of_no_more() {
    let folder = folder("live-lobby");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let [fish, four, second] = ["fish", "four", "four"].map(|game| {
        let made = guest.post("/api/v1/matches", &json!({"game": game, "seats": ["me", "first"]}));
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["id"].as_str().unwrap().to_owned()
    });
    let ids = |m: &Value| -> Vec<String> {
        let list = m["lobby"].as_array().or(m["lobby_changed"].as_array()).unwrap();
        list.iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect()
    };
    let (text, fish_text) = (made_move(&mut guest, &four), made_move(&mut guest, &fish));
    server.block_on(async {
        let mut page = connect(&guest, Some("own")).await.unwrap();
        page.say(json!({"lobby": {"game": "four", "limit": 1}})).await;
        let first = page.until(|m| m["lobby"].is_array()).await;
        assert_eq!(ids(&first), [four.as_str()], "one of them, and no fish");
        // Another wish on the same socket tells only what is new.
        page.say(json!({"lobby": {"matches": [fish], "who": "people", "limit": 3}})).await;
        let more = page.until(|m| m["lobby_changed"].is_array()).await;
        assert_eq!(ids(&more), [fish.as_str(), second.as_str()]);
        // What is not in view changes unseen.
        for (id, text) in [(&four, &text), (&fish, &fish_text)] {
            page.say(json!({"do": {"match": id, "n": 1, "move": {"ply": 0, "text": text}}})).await;
        }
        let changed = page.until(|m| m["lobby_changed"].is_array()).await;
        assert_eq!(ids(&changed), [fish.as_str()]);
        // But its end is told.
        page.say(json!({"do": {"match": second, "n": 2, "resign": {}}})).await;
        let is_end = |card: &Value| card["id"] == second.as_str() && card["over"].is_string();
        page.until(|m| m["lobby_changed"].as_array().is_some_and(|list| list.iter().any(is_end))).await;
        page.say(json!({"lobby": {"who": "bots"}})).await;
        let has_four = |m: &Value| m["lobby_changed"].is_array() && ids(m).contains(&four);
        let known = page.until(has_four).await;
        assert!(
            !ids(&known).contains(&second),
            "all are in view again, and only what has changed is told: {known}"
        );
    });
}

#[test]
fn whoever_is_told_the_result_of_a_match_finds_it_in_the_store() {
    let folder = folder("live-stored");
    let server = Running::start(&folder);
    for n in 1..=5 {
        let (mut guest, id) = play(&server, &json!(["me", "first"]));
        server.block_on(async {
            let mut page = connect(&guest, Some("own")).await.unwrap();
            page.say(json!({"watch": {"match": id}})).await;
            page.until(|m| m["snapshot"].is_object()).await;
            page.say(json!({"do": {"match": id, "n": n, "resign": {}}})).await;
            let is_over = |news: &Value| news["over"].is_object();
            page.until(|m| m["news"].as_array().is_some_and(|news| news.iter().any(is_over))).await;
        });
        let list = guest.get("/api/v1/matches").json();
        assert_eq!(list["matches"][0]["id"], id.as_str(), "{list}");
    }
}
