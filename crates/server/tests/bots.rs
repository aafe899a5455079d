//! Bots at the port and at the socket, seated in matches that pages make.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;

use common::{Running, folder};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;

/// What a bot answers that plays the first legal move.
fn answer(line: &str, hello: &Value) -> Option<Value> {
    let message: Value = serde_json::from_str(line).unwrap();
    match message["type"].as_str()? {
        "hello" => Some(hello.clone()),
        "new_game" => Some(json!({"type": "ready"})),
        "turn" => Some(json!({"type": "move", "id": message["id"], "index": 0})),
        _ => None,
    }
}

fn hello(name: &str) -> Value {
    json!({"type": "hello", "version": 1, "name": name})
}

/// A bot over TCP that gives up its connection after so many turns, and comes back with its token.
fn tcp_bot(address: SocketAddr, hello: Value, lost_after: Option<usize>) {
    thread::spawn(move || {
        let (mut hello, mut turns, mut token) = (hello, 0, Value::Null);
        loop {
            let mut stream = TcpStream::connect(address).unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            loop {
                line.clear();
                if lines.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                let message: Value = serde_json::from_str(&line).unwrap();
                if message["token"].is_string() {
                    token = message["token"].clone();
                }
                turns += usize::from(message["type"] == "turn");
                if lost_after == Some(turns) && message["type"] == "turn" {
                    turns += 1;
                    hello["token"] = token.clone();
                    break;
                }
                if let Some(answer) = answer(&line, &hello) {
                    writeln!(stream, "{answer}").unwrap();
                }
            }
        }
    });
}

#[test]
fn a_bot_at_the_port_plays_and_stays_for_the_next_match() {
    let folder = folder("server-bots");
    let server = Running::start(&folder);
    tcp_bot(server.bots, hello("mine"), None);
    let mut guest = server.client();
    for _ in 0..2 {
        guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine" && list[0]["playing"] == false);
        let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["@mine", "first"]}));
        assert_eq!(made.status, 201, "{}", made.text());
        let path = format!("/api/v1/matches/{}", made.json()["id"].as_str().unwrap());
        let over = guest.wait_for(&path, |state| !state["over"].is_null());
        assert_eq!(
            (&over["over"]["cause"], &over["seats"][0]["kind"]),
            (&json!("normal"), &json!("bot")),
            "{over}"
        );
    }
}

#[test]
fn fault_j08_a_bot_that_lost_its_connection_comes_back_to_its_open_turn() {
    let folder = folder("server-bots-back");
    let server = Running::start(&folder);
    tcp_bot(server.bots, hello("mine"), Some(2));
    let mut guest = server.client();
    guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
    let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["@mine", "first"]}));
    let path = format!("/api/v1/matches/{}", made.json()["id"].as_str().unwrap());
    let over = guest.wait_for(&path, |state| !state["over"].is_null());
    assert_eq!(over["over"]["cause"], "normal", "{over}");
}

#[test]
fn fault_j11_a_token_that_does_not_hold_is_told_so() {
    let folder = folder("server-bots-token");
    let server = Running::start(&folder);
    let mut stream = TcpStream::connect(server.bots).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let hello = json!({"type": "hello", "version": 1, "name": "mine", "secret": "no-such-token-anywhere"});
    writeln!(stream, "{hello}").unwrap();
    let told: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("bad_token")));
    assert!(!told.to_string().contains("no-such-token"), "a token is never shown");
    assert_eq!(server.client().get("/api/v1/bots").json(), json!([]));
}

#[test]
fn a_bot_at_the_socket_plays_too() {
    let folder = folder("server-bots-ws");
    let server = Running::start(&folder);
    let address = server.address;
    server.block_on(async {
        tokio::spawn(async move {
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let (mut socket, _) = client_async(format!("ws://{address}/bots"), stream).await.unwrap();
            while let Some(Ok(message)) = socket.next().await {
                if let Message::Text(text) = message
                    && let Some(answer) = answer(&text, &hello("webby"))
                {
                    socket.send(Message::Text(answer.to_string().into())).await.unwrap();
                }
            }
        });
    });
    let mut guest = server.client();
    guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "webby");
    let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "@webby"]}));
    assert_eq!(made.status, 201, "{}", made.text());
    let path = format!("/api/v1/matches/{}", made.json()["id"].as_str().unwrap());
    let over = guest.wait_for(&path, |state| !state["over"].is_null());
    assert_eq!(over["over"]["cause"], "normal", "{over}");
    assert_eq!(guest.get("/bots").status, 426, "it is no page");
}
