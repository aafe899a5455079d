//! Ports that many come to, few of them to play; and those who come back.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;
mod network;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::spec;
use network::{Client, is_over, play, programs, waiting};
use rookery_live::Opening;
use rookery_referee::{Cause, Offence};
use rookery_wire::{Bounds, Framing, Protocol, Trace, TransportExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Far longer than anything here takes, and far shorter than anybody waits for a hello.
const SOON: Duration = Duration::from_secs(5);

/// What somebody hears who says nothing, until it is sent away.
async fn heard(mut stream: TcpStream) -> String {
    let mut heard = String::new();
    tokio::time::timeout(SOON, stream.read_to_string(&mut heard)).await.unwrap().unwrap();
    heard
}

#[tokio::test]
async fn fault_j03_a_crowd_that_says_nothing_keeps_nobody_out() {
    for ws in [false, true] {
        let seat = if ws { "mine=ws:0" } else { "mine=tcp:0" };
        let agreed = spec("hexapawn:rows=3,cols=3", &["first", seat]);
        let programs = programs(None);
        let (announce, mut announced) = mpsc::unbounded_channel();
        let bots = async {
            let address = announced.recv().await.unwrap();
            let mut crowd = vec![];
            for _ in 0..270 {
                crowd.push(TcpStream::connect(address).await.unwrap());
            }
            let begin = Instant::now();
            let mut client = Client::connect(address, ws).await;
            client.hello(json!({"name": "mine"})).await;
            client.play_on().await;
            assert!(begin.elapsed() < SOON, "it waited for others: {:?}", begin.elapsed());
            let oldest = heard(crowd.remove(0)).await;
            assert_eq!(oldest.contains(r#""code":"busy""#), !ws, "{oldest}");
        };
        let (verdict, ()) = tokio::join!(play(&agreed, &programs, announce), bots);
        assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    }
}

#[tokio::test]
async fn fault_j10_who_speaks_another_protocol_is_told_so_at_once() {
    let programs = programs(None);
    let port = programs.sign_up(&"tcp:0".parse().unwrap()).unwrap();
    for first in [&b"\x16\x03\x01\x02\x00\x01"[..], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"] {
        let mut stream = TcpStream::connect(port.address).await.unwrap();
        stream.write_all(first).await.unwrap();
        let heard = heard(stream).await;
        assert!(heard.contains(r#""code":"bad_hello""#), "{heard}");
    }
}

/// When somebody who has shaken hands after this time, and says nothing more, is sent away.
async fn sent_away(address: std::net::SocketAddr, shakes_hands_after: Duration) -> Instant {
    let mut stream = TcpStream::connect(address).await.unwrap();
    sleep(shakes_hands_after).await;
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut heard = vec![];
    stream.read_to_end(&mut heard).await.unwrap();
    assert!(heard.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&heard));
    Instant::now()
}

/// Who has connected later, and shaken hands at once, has to say hello later.
#[tokio::test]
async fn fault_j03_a_late_handshake_is_a_part_of_the_time_for_a_hello() {
    const TIME: Duration = Duration::from_secs(4);
    let mut programs = programs(None);
    programs.opening.reply = TIME;
    let port = programs.sign_up(&"ws:0".parse().unwrap()).unwrap();
    let later = async {
        sleep(TIME / 4).await;
        sent_away(port.address, Duration::ZERO).await
    };
    let (first, second) = tokio::join!(sent_away(port.address, TIME / 2), later);
    assert!(first < second, "the handshake of the first one has given it more time");
}

#[tokio::test]
async fn seats_that_share_a_port_speak_the_same() {
    let mut programs = programs(None);
    let fish = Protocol { name: "fish", framing: Framing::Json, bounds: Bounds::default() };
    programs.spoken.push(("bob".to_owned(), fish));
    let port = programs.sign_up(&"tcp:0".parse().unwrap()).unwrap();
    assert!(programs.listen([("ann", &port.seat)], &|_, _| ()).is_ok());
    let error = programs.listen([("bob", &port.seat)], &|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("its seats speak different protocols, rookery and fish"), "{error}");
}

/// A file in memory.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_trace_calls_bots_at_one_port_by_their_seats() {
    let written = Written::default();
    let mut programs = programs(None);
    programs.opening.trace = Some(Trace::new(written.clone()));
    let port = programs.sign_up(&"tcp:0".parse().unwrap()).unwrap();
    let mut bob = waiting(port.address, "bob").await;
    let mut ann = waiting(port.address, "ann").await;
    port.close(vec!["ann".to_owned(), "bob".to_owned()]).await;
    let seats = [format!("ann={}", port.seat), format!("bob={}", port.seat)];
    let agreed = spec("hexapawn:rows=3,cols=3", &[&seats[0], &seats[1]]);
    let (announce, _announced) = mpsc::unbounded_channel();
    tokio::join!(play(&agreed, &programs, announce), ann.play_on(), bob.play_on());
    let trace = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    for line in trace.lines().filter(|line| line.contains(r#""type":"new_game""#)) {
        let seat = if line.contains(r#""seat":0"#) { " ann < " } else { " bob < " };
        assert!(line.contains(seat), "{line}");
    }
    assert_eq!(trace.matches(r#""type":"new_game""#).count(), 2, "{trace}");
    assert_eq!(trace.matches("= from now on ann").count(), 1, "{trace}");
}

/// Nothing can be written there at first, and trying it is worse than an error.
struct Breaks(Arc<AtomicBool>);

impl Write for Breaks {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        assert!(self.0.load(Ordering::Relaxed), "it breaks once");
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_panic_over_one_who_comes_costs_nobody_else() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let mut programs = programs(None);
    programs.opening.trace = Some(Trace::new(Breaks(Arc::clone(&is_mended))));
    let port = programs.sign_up(&"tcp:0".parse().unwrap()).unwrap();
    let unlucky = Client::connect(port.address, false).await;
    assert!(is_over(unlucky).await, "its task is gone, and its connection with it");
    is_mended.store(true, Ordering::Relaxed);
    let _ann = waiting(port.address, "ann").await;
    let is_here = async {
        while port.names() != ["ann"] {
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, is_here).await.expect("the port goes on");
}

/// Plays until its second turn in the first game, and gives that turn and the token.
async fn until_second_turn(client: &mut Client) -> (Value, Value) {
    let token = client.next("new_game").await["token"].clone();
    client.say(&json!({"type": "ready"})).await;
    let turn = client.next("turn").await;
    client.say(&json!({"type": "move", "id": turn["id"], "index": 0})).await;
    (client.next("turn").await, token)
}

/// Nobody reads what the one who waits here says: it is asked for a sign of life all the same.
#[tokio::test]
async fn fault_t04_who_waits_at_a_port_and_answers_no_ping_is_closed_after_30_s() {
    let programs = programs(None);
    let port = programs.sign_up(&"ws:0".parse().unwrap()).unwrap();
    let mut client = Client::connect(port.address, true).await;
    client.hello(json!({"name": "ann"})).await;
    while port.names() != ["ann"] {
        sleep(Duration::from_millis(10)).await;
    }
    // It does not read from now on, so it does not answer either.
    tokio::time::pause();
    sleep(Duration::from_secs(25)).await;
    assert_eq!(port.names(), ["ann"], "it has some time");
    sleep(Duration::from_secs(15)).await;
    tokio::time::resume();
    // Its late answers may find nobody before it has read why.
    let heard = tokio::time::timeout(SOON, client.0.receive()).await.expect("it was closed");
    assert_eq!(heard.unwrap_err().offence, Offence::Disconnected);
    assert!(port.names().is_empty());
}

#[tokio::test]
async fn fault_j08_the_newer_connection_counts_and_the_older_is_told_so() {
    for ws in [false, true] {
        let seat = if ws { "mine=ws:0" } else { "mine=tcp:0" };
        let agreed = spec("hexapawn:rows=4,cols=4", &["first", seat]);
        let programs = programs(None);
        let (announce, mut announced) = mpsc::unbounded_channel();
        let bot = async {
            let address = announced.recv().await.unwrap();
            let mut older = Client::connect(address, ws).await;
            older.hello(json!({"name": "mine"})).await;
            let (turn, token) = until_second_turn(&mut older).await;
            let mut newer = Client::connect(address, ws).await;
            newer.hello(json!({"token": token})).await;
            newer.next("new_game").await;
            let mut last = Value::Null;
            let fault = loop {
                match older.0.receive().await {
                    Ok(line) => last = serde_json::from_slice(&line).unwrap(),
                    Err(fault) => break fault,
                }
            };
            assert_eq!((&last["type"], &last["code"]), (&json!("error"), &json!("replaced")), "{last}");
            let is_told = fault.evidence.note.contains("4010") && older.0.was_replaced();
            assert_eq!((fault.offence, is_told), (Offence::Disconnected, ws), "{fault:?}");
            newer.say(&json!({"type": "ready"})).await;
            assert_eq!(newer.next("turn").await, turn);
            newer.say(&json!({"type": "move", "id": turn["id"], "index": 0})).await;
            newer.play_on().await;
        };
        let (verdict, ()) = tokio::join!(play(&agreed, &programs, announce), bot);
        assert!(verdict.ending.blame().is_none(), "{verdict:?}");
    }
}

#[tokio::test]
async fn fault_t09_who_comes_back_has_to_get_ready_in_time_and_without_a_flood() {
    // The time also holds for what is in time here, so it is not short.
    let (usual, short) = (Opening::default().reply, Duration::from_secs(2));
    for (floods, reply, offence, note) in [
        (true, usual, Offence::OutputLimit, "more than 100 messages before it was ready"),
        (false, short, Offence::Timeout, "not ready within 2s"),
    ] {
        let agreed = spec("hexapawn:rows=4,cols=4", &["first", "mine=tcp:0"]);
        let mut programs = programs(None);
        programs.opening = Opening { reply, ..programs.opening };
        let (announce, mut announced) = mpsc::unbounded_channel();
        let bot = async {
            let address = announced.recv().await.unwrap();
            let mut client = Client::connect(address, false).await;
            client.hello(json!({"name": "mine"})).await;
            let (_, token) = until_second_turn(&mut client).await;
            drop(client);
            let mut client = Client::connect(address, false).await;
            client.hello(json!({"token": token})).await;
            client.next("new_game").await;
            if floods {
                client.0.send("{\"type\":\"dance\"}\n".repeat(101).as_bytes()).await.unwrap();
            }
            client.next("game_over").await;
        };
        let (verdict, ()) = tokio::join!(play(&agreed, &programs, announce), bot);
        assert_eq!(verdict.ending.cause, Cause::Offence(offence), "{verdict:?}");
        assert!(verdict.ending.note().contains(note), "{verdict:?}");
    }
}

/// A frame of a client over WebSocket, with the mask that changes nothing.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let n_bytes = u8::try_from(payload.len()).unwrap();
    assert!(n_bytes < 126, "longer ones have another head");
    [&[0x80 | opcode, 0x80 | n_bytes, 0, 0, 0, 0][..], payload].concat()
}

#[tokio::test]
async fn who_breaks_the_rules_while_it_waits_is_told_a_code() {
    const REQUEST: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let programs = programs(None);
    let port = programs.sign_up(&"ws:0".parse().unwrap()).unwrap();
    let until_here = async |n: usize| {
        while port.names().len() != n {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let mut stream = TcpStream::connect(port.address).await.unwrap();
    stream.write_all(REQUEST.as_bytes()).await.unwrap();
    let mut heard: Vec<u8> = vec![];
    while !heard.windows(4).any(|end| end == b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut heard).await.unwrap(), 0, "it is taken in");
    }
    let hello = br#"{"type":"hello","version":1,"name":"ann"}"#;
    stream.write_all(&frame(1, hello)).await.unwrap();
    tokio::time::timeout(SOON, until_here(1)).await.unwrap();
    // A binary frame.
    stream.write_all(&frame(2, b"x")).await.unwrap();
    tokio::time::timeout(SOON, until_here(0)).await.unwrap();
    tokio::time::timeout(SOON, stream.read_to_end(&mut heard)).await.unwrap().unwrap();
    let is_code = |part: &[u8]| part[0] == 0x88 && part[2..] == 1003_u16.to_be_bytes();
    assert!(heard.windows(4).any(is_code), "{}", heard.escape_ascii());
}

/// Moves alone do not lead to where somebody was taken out of the game: the position is told.
#[tokio::test]
async fn a_bot_that_keeps_the_position_itself_can_come_back_after_a_removal() {
    let agreed = spec("fish:rows=4,cols=4,players=3", &["mine=tcp:0", "bad=tcp:0", "first"]);
    let programs = programs(None);
    let (announce, mut announced) = mpsc::unbounded_channel();
    let bots = async {
        let (mine, bad) = (announced.recv().await.unwrap(), announced.recv().await.unwrap());
        let mut bad = waiting(bad, "bad").await;
        let mut client = Client::connect(mine, false).await;
        client.hello(json!({"name": "mine", "features": ["delta"]})).await;
        let game = client.next("new_game").await;
        bad.next("new_game").await;
        bad.say(&json!({"type": "ready"})).await;
        client.say(&json!({"type": "ready"})).await;
        let turn = client.next("turn").await;
        assert!(turn.get("position").is_none(), "{turn}");
        client.say(&json!({"type": "move", "id": turn["id"], "index": 0})).await;
        bad.next("turn").await;
        bad.0.send(b"nonsense\n").await.unwrap();
        let removal = client.next("turn").await;
        assert_eq!(removal["moves"][0], json!({"seat": 1, "removed": "malformed"}), "{removal}");
        client.say(&json!({"type": "move", "id": removal["id"], "index": 0})).await;
        let moved = client.next("moved").await;
        let turn = client.next("turn").await;
        assert!(turn.get("position").is_none(), "{turn}");
        drop(client);
        let mut client = Client::connect(mine, false).await;
        client.hello(json!({"token": game["token"]})).await;
        let again = client.next("new_game").await;
        assert_eq!(again["position"], removal["position"]);
        assert_eq!(again["moves"], json!([moved["move"]]));
        client.say(&json!({"type": "ready"})).await;
        assert_eq!(client.next("turn").await, turn);
        client.say(&json!({"type": "move", "id": turn["id"], "index": 0})).await;
        client.play_on().await;
    };
    let (verdict, ()) = tokio::join!(play(&agreed, &programs, announce), bots);
    assert_eq!(verdict.removed.len(), 1, "{verdict:?}");
}
