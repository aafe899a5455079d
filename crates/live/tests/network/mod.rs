//! Bots at the other end of a network, for tests.
#![allow(dead_code, reason = "each test file uses a part")]

use std::net::SocketAddr;
use std::time::Duration;

use rookery_bots::PROTOCOL;
use rookery_live::{Opening, Programs, prepare};
use rookery_referee::{End, MatchSpec, Verdict};
use rookery_wire::{Connection, Protocols, Transport, TransportExt as _, WebSocket};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

pub(crate) fn programs(secret: Option<&str>) -> Programs {
    let opening =
        Opening { wait: Duration::from_secs(5), secret: secret.map(str::to_owned), ..Opening::default() };
    Programs::new(Protocols::default(), opening, vec![], false)
}

/// Plays a match whose awaited seats are announced to `come`.
pub(crate) async fn play(
    spec: &MatchSpec,
    programs: &Programs,
    come: mpsc::UnboundedSender<SocketAddr>,
) -> Verdict {
    let opened = programs.bring(spec, &mut |_, address| come.send(address).unwrap()).await.unwrap();
    let played = prepare(spec.clone(), opened.guests, &Protocols::default(), None).unwrap();
    let played = played.with_terms(programs.terms()).run().await;
    opened.closing.done().await;
    let End::Verdict(verdict) = played.end else { panic!("nobody suspends it") };
    verdict
}

/// A bot at the other end of a network.
pub(crate) struct Client(pub(crate) Box<dyn Transport>);

impl Client {
    pub(crate) async fn connect(address: SocketAddr, ws: bool) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        Self(if ws {
            Box::new(WebSocket::connect(stream, &format!("ws://{address}/"), PROTOCOL.bounds).await.unwrap())
        } else {
            Box::new(Connection::tcp(stream, PROTOCOL.framing, PROTOCOL.bounds).unwrap())
        })
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.0.send(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message of a type.
    pub(crate) async fn next(&mut self, kind: &str) -> Value {
        loop {
            let line = self.0.receive().await.unwrap_or_else(|fault| panic!("{kind} is awaited: {fault:?}"));
            let message: Value = serde_json::from_slice(&line).unwrap();
            if message["type"] == kind {
                return message;
            }
        }
    }

    pub(crate) async fn hello(&mut self, more: Value) {
        self.next("hello").await;
        let mut hello = json!({"type": "hello", "version": 1});
        hello.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.say(&hello).await;
    }

    /// Answers until the game is over.
    pub(crate) async fn play_on(&mut self) -> Value {
        loop {
            let line = self.0.receive().await.unwrap();
            let message: Value = serde_json::from_slice(&line).unwrap();
            match message["type"].as_str().unwrap() {
                "new_game" => self.say(&json!({"type": "ready"})).await,
                "turn" => self.say(&json!({"type": "move", "id": message["id"], "index": 0})).await,
                "game_over" => return message,
                _ => {}
            }
        }
    }
}

pub(crate) async fn is_over(mut client: Client) -> bool {
    tokio::time::timeout(Duration::from_secs(5), async { while client.0.receive().await.is_ok() {} })
        .await
        .is_ok()
}

/// A bot that has come to a port and waits, for long enough that it is noticed.
pub(crate) async fn waiting(address: SocketAddr, name: &str) -> Client {
    let mut client = Client::connect(address, false).await;
    client.hello(json!({"name": name})).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    client
}
