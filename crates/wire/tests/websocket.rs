//! Frames of all kinds from somebody who means no good.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rookery_referee::{Fault, Offence};
use rookery_wire::{Bounds, Transport as _, TransportExt as _, WebSocket};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::{WebSocketStream, client_async};

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

/// Somebody who has connected and reads nothing any more, so that it answers no ping; and our end of it.
async fn mute() -> (WebSocketStream<TcpStream>, WebSocket) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stream = TcpStream::connect(address).await.unwrap();
    let (near, _) = listener.accept().await.unwrap();
    let accepting = WebSocket::accept(near, Bounds::default());
    let (client, link) = tokio::join!(client_async(format!("ws://{address}/"), stream), accepting);
    (client.unwrap().0, link.unwrap())
}

/// Time only goes on when nobody has anything to do; what travels needs a moment all the same.
async fn let_travel() {
    tokio::time::resume();
    sleep(Duration::from_millis(100)).await;
    tokio::time::pause();
}

#[tokio::test]
async fn fault_t04_who_answers_no_ping_is_closed_after_30_s() {
    let (mut client, mut link) = mute().await;
    tokio::time::pause();
    let begin = Instant::now();
    let fault = link.receive().await.unwrap_err();
    assert_eq!(fault.offence, Offence::Disconnected, "{fault:?}");
    assert!(fault.evidence.note.contains("no sign of life for 30 s"), "{fault:?}");
    assert_eq!(begin.elapsed().as_secs(), 30);
    tokio::time::resume();
    tokio::spawn(Box::new(link).close());
    let mut n_pings = 0;
    while let Some(Ok(message)) = client.next().await {
        n_pings += u32::from(message.is_ping());
        if let Message::Close(frame) = message {
            assert_eq!(u16::from(frame.unwrap().code), 1008);
        }
    }
    assert_eq!(n_pings, 2, "after 10 s and after 20 s");
}

#[tokio::test]
async fn fault_t04_any_frame_is_a_sign_of_life() {
    let (mut client, mut link) = mute().await;
    tokio::time::pause();
    // Nothing but pongs, one for two pings, for five minutes.
    for _ in 0..12 {
        assert!(timeout(Duration::from_secs(25), link.receive()).await.is_err());
        client.send(Message::Pong(vec![].into())).await.unwrap();
        let_travel().await;
    }
    client.send(Message::text("{}")).await.unwrap();
    let_travel().await;
    assert_eq!(link.receive().await.unwrap(), b"{}");
}

/// A bot with one thread cannot answer pings while it thinks. Its clock ends that, and nothing else.
#[tokio::test]
async fn fault_t04_who_is_asked_for_a_move_may_think_in_silence() {
    let (mut client, mut link) = mute().await;
    link.set_idle(false);
    tokio::time::pause();
    assert!(timeout(Duration::from_mins(10), link.receive()).await.is_err());
    client.send(Message::text("{}")).await.unwrap();
    let_travel().await;
    assert_eq!(link.receive().await.unwrap(), b"{}");
    link.set_idle(true);
    let begin = Instant::now();
    assert_eq!(link.receive().await.unwrap_err().offence, Offence::Disconnected);
    assert!((30..=40).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
}
