//! Frames of all kinds from somebody who means no good.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rookery_referee::{Fault, Offence};
use rookery_wire::{Bounds, Transport as _, TransportExt as _, WebSocket};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

/// What we receive of these frames, one after the other until the first fault.
async fn received(frames: Vec<Message>) -> (Vec<String>, Fault) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = tokio::spawn(async move {
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut client, _) = client_async(format!("ws://{address}/"), stream).await.unwrap();
        for frame in frames {
            if client.send(frame).await.is_err() {
                break;
            }
        }
        let _ = client.close(None).await;
        // Whoever hangs up without listening resets the connection, and what was sent is lost.
        while let Some(Ok(_)) = client.next().await {}
    });
    let (stream, _) = listener.accept().await.unwrap();
    let mut link = WebSocket::accept(stream, Bounds { bytes: 1000, ..Bounds::default() }).await.unwrap();
    let mut messages = vec![];
    let fault = timeout(Duration::from_secs(20), async {
        loop {
            match link.receive().await {
                Ok(message) => messages.push(String::from_utf8(message).unwrap()),
                Err(fault) => return fault,
            }
        }
    });
    let fault = fault.await.expect("it ends");
    assert_eq!(link.receive().await.unwrap_err(), fault, "it stays so");
    client.abort();
    (messages, fault)
}

fn piece(text: &'static str, first: bool, last: bool) -> Message {
    let code = if first { Data::Text } else { Data::Continue };
    Message::Frame(Frame::message(text, OpCode::Data(code), last))
}

#[tokio::test]
async fn fault_t20_frames_are_bounded_in_size_and_number() {
    let text = Message::text("{\"type\":\"ready\"}\n");
    let (messages, fault) = received(vec![text.clone(), Message::Ping(vec![].into()), text.clone()]).await;
    assert_eq!(messages, ["{\"type\":\"ready\"}"; 2]);
    assert_eq!(fault.offence, Offence::Disconnected);

    // A message in pieces of one byte is one message.
    let pieces = vec![piece("a", true, false), piece("b", false, false), piece("c", false, true)];
    assert_eq!(received(pieces).await.0, ["abc"]);

    for (frames, offence) in [
        (vec![Message::text("x".repeat(1001))], Offence::OutputLimit),
        (
            [piece("x", true, false)]
                .into_iter()
                .chain((0..2000).map(|_| piece("x", false, false)))
                .collect(),
            Offence::OutputLimit,
        ),
        (vec![Message::Ping(vec![].into()); 200], Offence::OutputLimit),
        (vec![Message::Binary(vec![1, 2].into())], Offence::Malformed),
    ] {
        let (messages, fault) = received(frames).await;
        assert_eq!((messages.len(), fault.offence), (0, offence), "{fault:?}");
    }
}

/// The code that is told to whoever sends these frames, when its link is closed.
async fn told(frames: Vec<Message>, is_replaced: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = tokio::spawn(async move {
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut client, _) = client_async(format!("ws://{address}/"), stream).await.unwrap();
        for frame in frames {
            client.send(frame).await.unwrap();
        }
        loop {
            if let Message::Close(frame) = client.next().await.unwrap().unwrap() {
                return frame.map_or(0, |frame| u16::from(frame.code));
            }
        }
    });
    let (stream, _) = listener.accept().await.unwrap();
    let mut link = WebSocket::accept(stream, Bounds { bytes: 1000, ..Bounds::default() }).await.unwrap();
    if is_replaced {
        link.replaced();
    } else {
        link.receive().await.unwrap_err();
    }
    Box::new(link).close().await;
    timeout(Duration::from_secs(20), client).await.unwrap().unwrap()
}

#[tokio::test]
async fn fault_t20_who_breaks_the_rules_is_told_a_code() {
    for (frames, code) in [
        (vec![piece("x", false, true)], 1002),
        (vec![Message::Binary(vec![1, 2].into())], 1003),
        (vec![Message::Ping(vec![].into()); 101], 1008),
        (vec![Message::text("x".repeat(1001))], 1009),
    ] {
        assert_eq!(told(frames, false).await, code);
    }
    assert_eq!(told(vec![], true).await, 4010);
}

/// Who pings every now and then while it waits does nothing wrong, however long it waits.
#[tokio::test]
async fn pings_that_keep_a_connection_alive_are_no_flood() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = tokio::spawn(async move {
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut client, _) = client_async(format!("ws://{address}/"), stream).await.unwrap();
        for n in 0..300 {
            client.send(Message::Ping(vec![].into())).await.unwrap();
            if n % 50 == 49 {
                // What was sent has to be there before time jumps.
                sleep(Duration::from_millis(50)).await;
                tokio::time::pause();
                tokio::time::advance(Duration::from_secs(11)).await;
                tokio::time::resume();
            }
        }
        client.send(Message::text("{}")).await.unwrap();
        client
    });
    let (stream, _) = listener.accept().await.unwrap();
    let mut link = WebSocket::accept(stream, Bounds { bytes: 1000, ..Bounds::default() }).await.unwrap();
    assert_eq!(link.receive().await.unwrap(), b"{}");
    client.await.unwrap();
}
