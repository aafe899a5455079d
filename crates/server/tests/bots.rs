//! Bots at the port and at the socket, seated in matches that pages make.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use common::{Running, folder};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::oneshot;
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
fn fault_j03_a_silent_crowd_keeps_no_bot_out() {
    // Those who say nothing are sent away after ten seconds anyway. A busy machine may be slow once or twice.
    let came_in_time = || {
        let folder = folder("server-bots-crowd");
        let server = Running::start(&folder);
        let begin = Instant::now();
        // More than may be there from one address without having said hello.
        let crowd: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(server.bots).unwrap()).collect();
        tcp_bot(server.bots, hello("mine"), None);
        server.client().wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
        if begin.elapsed() > Duration::from_secs(8) {
            return false;
        }
        let told: Vec<String> = BufReader::new(&crowd[0]).lines().map_while(Result::ok).collect();
        assert!(told.last().unwrap().contains(r#""code":"busy""#), "the oldest is told why: {told:?}");
        true
    };
    assert!((0..5).any(|_| came_in_time()), "it comes in only when they are sent away");
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
    // A token that was taken back is told the same, and after five tries within a minute nobody is told anything else.
    let mut ann = server.client();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(ann.post("/api/v1/login", &claim).status, 200);
    let token = ann.post("/api/v1/tokens", &json!({})).json();
    assert_eq!(ann.ask("DELETE", &format!("/api/v1/tokens/{}", token["id"]), None).status, 204);
    let revoked = Player::connect(&server, token["token"].as_str()).read();
    assert_eq!(revoked, told, "unknown and revoked are told the same");
    let codes: Vec<Value> = (0..5)
        .map(|_| Player::connect(&server, Some("another-wrong-token")).read()["code"].clone())
        .collect();
    assert_eq!(codes.last(), Some(&json!("too_many")), "{codes:?}");
    assert_eq!(codes[0], json!("bad_token"));
}

/// A bot that says what the test wants it to say.
struct Player {
    stream: TcpStream,
    lines: std::io::Lines<BufReader<TcpStream>>,
}

impl Player {
    /// Says hello as `mine`.
    fn connect(server: &Running, secret: Option<&str>) -> Self {
        Self::connect_as(server, "mine", secret)
    }

    fn connect_as(server: &Running, name: &str, secret: Option<&str>) -> Self {
        let stream = TcpStream::connect(server.bots).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_mins(1))).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut player = Self { stream, lines };
        assert_eq!(player.read()["type"], "hello");
        player.say(&json!({"type": "hello", "version": 1, "name": name, "secret": secret}));
        player
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.stream, "{message}").unwrap();
    }

    fn read(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().expect("it goes on").unwrap()).unwrap()
    }

    fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.read();
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// What it hears last before it is sent away.
    fn last_word(self) -> Value {
        let last = self.lines.map_while(Result::ok).last().expect("somebody says something");
        serde_json::from_str(&last).unwrap()
    }
}

#[test]
fn fault_j11_the_name_of_a_bot_stays_its_owners_while_it_is_away() {
    let folder = folder("server-bots-names");
    let server = Running::start(&folder);
    let token = |name: &str| {
        let mut person = server.client();
        let claim = json!({"name": name, "password": "correct horse", "claim": true});
        assert_eq!(person.post("/api/v1/login", &claim).status, 200);
        person.post("/api/v1/tokens", &json!({})).json()["token"].as_str().unwrap().to_owned()
    };
    let (ann, eve) = (token("ann"), token("eve"));
    let mut guest = server.client();
    let mine = Player::connect(&server, Some(&ann));
    guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
    drop(mine);
    guest.wait_for("/api/v1/bots", |list| *list == json!([]));
    for (name, secret) in [("mine", None), ("mine", Some(&eve)), ("MINE", Some(&eve)), ("ann", Some(&ann))] {
        let told = Player::connect_as(&server, name, secret.map(String::as_str)).read();
        assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("name_taken")), "{name}: {told}");
        assert!(told["message"].as_str().unwrap().contains("belongs to somebody else"), "{told}");
    }
    let _mine = Player::connect(&server, Some(&ann));
    guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
}

#[test]
fn fault_j08_the_newest_connection_with_a_token_counts() {
    let folder = folder("server-bots-newest");
    let server = Running::start(&folder);
    let mut ann = server.client();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(ann.post("/api/v1/login", &claim).status, 200);
    let token = ann.post("/api/v1/tokens", &json!({})).json()["token"].as_str().unwrap().to_owned();
    let first = Player::connect(&server, Some(&token));
    ann.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine");
    let mut second = Player::connect(&server, Some(&token));
    assert_eq!(first.last_word()["code"], "replaced", "the older one rests, and is told why it has to go");
    // Nobody else gets the name, with another token or with none.
    for (secret, code) in [(None, "name_taken"), (Some("a-token-of-nobody-else"), "bad_token")] {
        assert_eq!(Player::connect(&server, secret).read()["code"], code);
    }
    let made = ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["@mine", "first"]}));
    assert_eq!(made.status, 201, "{}", made.text());
    second.until("new_game");
    second.say(&json!({"type": "ready"}));
    let turn = second.until("turn");
    // In the middle of a turn, too: the question comes again with the same number, and one answer counts.
    let mut third = Player::connect(&server, Some(&token));
    third.until("new_game");
    third.say(&json!({"type": "ready"}));
    let again = third.until("turn");
    assert_eq!(again["id"], turn["id"], "{again}");
    assert_eq!(second.last_word()["code"], "replaced", "the older one");
    let mut turn = again;
    loop {
        third.say(&json!({"type": "move", "id": turn["id"], "index": 0}));
        turn = loop {
            let message = third.read();
            if matches!(message["type"].as_str(), Some("turn" | "game_over")) {
                break message;
            }
        };
        if turn["type"] == "game_over" {
            break;
        }
    }
    let path = format!("/api/v1/matches/{}", made.json()["id"].as_str().unwrap());
    let over = ann.wait_for(&path, |state| !state["over"].is_null());
    assert_eq!(over["over"]["cause"], "normal", "{over}");
}

/// A person resigns while the bot thinks: what the bot says then has crossed the end of the match, and costs it nothing.
#[test]
fn fault_t01_an_answer_that_crosses_the_end_of_a_match_is_thrown_away() {
    let folder = folder("server-bots-crossing");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let mut bot = Player::connect(&server, None);
    let mut ids = vec![];
    for _ in 0..2 {
        guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine" && list[0]["playing"] == false);
        let made = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["@mine", "me"]}));
        assert_eq!(made.status, 201, "{}", made.text());
        bot.until("new_game");
        bot.say(&json!({"type": "ready"}));
        let turn = bot.until("turn");
        let id = made.json()["id"].as_str().unwrap().to_owned();
        guest.send(&format!("/m/{id}/do"), "what=resign");
        assert_eq!(bot.until("game_over")["cause"], "resigned");
        for late in [
            json!({"type": "info", "depth": 1}),
            json!({"type": "move", "id": turn["id"], "index": 0}),
            json!({"type": "say", "text": "Good game!"}),
            json!({"type": "error", "code": "unknown_type"}),
            json!({"type": "dance"}),
        ] {
            bot.say(&late);
        }
        ids.push(turn["id"].clone());
    }
    assert_ne!(ids[0], ids[1], "no question on a connection has the id of another one");
    guest.wait_for("/api/v1/bots", |list| list[0]["name"] == "mine" && list[0]["playing"] == false);
    // But not without end. It may be gone before all of it is written.
    let _ = bot.stream.write_all("{\"type\":\"info\",\"depth\":1}\n".repeat(200).as_bytes());
    guest.wait_for("/api/v1/bots", |list| *list == json!([]));
}

/// The code that a WebSocket is closed with which says hello with this token as `webby`.
async fn close_code(address: SocketAddr, secret: String, is_here: oneshot::Sender<()>) -> Option<u16> {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let (mut socket, _) = client_async(format!("ws://{address}/bots"), stream).await.unwrap();
    let mut hello = hello("webby");
    hello["secret"] = json!(secret);
    socket.send(Message::text(hello.to_string())).await.unwrap();
    is_here.send(()).unwrap();
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(frame) = message {
            return frame.map(|frame| frame.code.into());
        }
    }
    None
}

#[test]
fn fault_j08_an_older_socket_that_rests_is_closed_as_replaced() {
    let folder = folder("server-bots-older");
    let server = Running::start(&folder);
    let mut ann = server.client();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    assert_eq!(ann.post("/api/v1/login", &claim).status, 200);
    let token = ann.post("/api/v1/tokens", &json!({})).json()["token"].as_str().unwrap().to_owned();
    let address = server.address;
    let (is_here, here) = oneshot::channel();
    let older = server.spawn(close_code(address, token.clone(), is_here));
    server.block_on(here).unwrap();
    ann.wait_for("/api/v1/bots", |list| list[0]["name"] == "webby");
    let (is_here, _here) = oneshot::channel();
    let _newer = server.spawn(close_code(address, token, is_here));
    assert_eq!(server.block_on(older).unwrap(), Some(4010));
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
