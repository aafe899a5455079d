//! The socket of a page, with a real WebSocket client.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::time::Duration;

use common::{Client, Running, folder};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

struct Socket(WebSocketStream<TcpStream>);

async fn connect(client: &Client, origin: Option<&str>) -> Result<Socket, u16> {
    let stream = TcpStream::connect(client.address).await.unwrap();
    let mut request = format!("ws://{}/api/v1/live", client.address).into_client_request().unwrap();
    let own = format!("http://{}", client.address);
    if let Some(origin) = origin {
        let origin = if origin == "own" { own.as_str() } else { origin };
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    if let Some(cookie) = &client.cookie {
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
    }
    match client_async(request, stream).await {
        Ok((socket, _)) => Ok(Socket(socket)),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl Socket {
    async fn say(&mut self, value: Value) {
        self.0.send(Message::Text(value.to_string().into())).await.unwrap();
    }

    /// The next message that fits.
    async fn until(&mut self, what: impl Fn(&Value) -> bool) -> Value {
        let waiting = async {
            loop {
                match self.0.next().await.expect("it goes on").expect("it can be read") {
                    Message::Text(text) => {
                        let value: Value = serde_json::from_str(&text).unwrap();
                        if what(&value) {
                            return value;
                        }
                    }
                    Message::Close(frame) => panic!("closed: {frame:?}"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("it comes")
    }
}

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
        // fault_t21: the same click twice is told, with a whole picture, and costs nothing.
        page.say(json!({"do": {"match": id, "n": 3, "move": {"ply": 0, "text": "b2"}}})).await;
        assert!(page.until(|m| m["reply"]["n"] == 3).await["reply"]["error"].is_string());
        let again = page.until(|m| m["snapshot"].is_object()).await;
        assert!(again["snapshot"]["over"].is_null());
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
    });
}
