//! Connections in memory and the memory of connections.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::Write as _;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use allocation_counter::measure;
use rookery_referee::{Fault, Offence};
use rookery_rules::Seed;
use rookery_wire::{Bounds, Connection, Framing, Transport as _, TransportExt as _, listen, memory};
use tokio::runtime::Builder;
use tokio::time::timeout;

// On a clock that jumps, what never comes is noticed at once.
#[tokio::test(start_paused = true)]
async fn messages_arrive_whole_in_whatever_pieces_they_travel() {
    let messages: Vec<Vec<u8>> =
        (0..50_usize).map(|n| format!("[{n},\"{}\"]", "x".repeat(n * 7 % 300)).into_bytes()).collect();
    for seed in 0..20 {
        let (mut one, mut other) = memory::choppy(Framing::Json, Bounds::default(), Seed(seed));
        let sent = messages.clone();
        let sending = tokio::spawn(async move {
            for message in &sent {
                one.send(message).await.unwrap();
                assert_eq!(&one.receive().await.unwrap(), message, "it comes back");
            }
            one.receive().await
        });
        for message in &messages {
            let received = timeout(Duration::from_secs(20), other.receive()).await;
            let received = received.expect("nothing is lost").unwrap();
            assert_eq!(&received, message, "seed {seed}");
            other.send(&received).await.unwrap();
        }
        drop(other);
        assert_eq!(sending.await.unwrap().unwrap_err().offence, Offence::Disconnected);
    }
}

#[tokio::test]
async fn what_was_sent_before_a_call_is_no_reply_to_it() {
    for (early, offence) in [("", None), ("1 ", Some(Offence::OutOfTurn)), ("[", Some(Offence::OutOfTurn))] {
        let (mut one, mut other) = memory::pair(Framing::Json, Bounds::default());
        other.send(early.as_bytes()).await.unwrap();
        let answering = tokio::spawn(async move {
            other.receive().await?;
            other.send(b"[2]").await
        });
        let reply = one.call(b"[1]").await;
        assert_eq!(reply.as_ref().err().map(|fault| fault.offence), offence, "{early}");
        assert_eq!(reply.is_ok_and(|reply| reply == b"[2]"), offence.is_none());
        drop(one);
        assert_eq!(answering.await.unwrap().is_ok(), offence.is_none(), "it is not asked after that");
    }
}

#[tokio::test]
async fn a_message_travels_in_pieces() {
    let (mut one, mut other) = memory::choppy(Framing::Lines, Bounds::default(), Seed(1));
    let sending = tokio::spawn(async move {
        one.send(&[b'a'; 500]).await.unwrap();
        one.send(b"\n").await.unwrap();
        one
    });
    let mut seen = std::collections::BTreeSet::new();
    let received = loop {
        if let Poll::Ready(received) = other.poll_receive(&mut Context::from_waker(Waker::noop())) {
            break received.unwrap();
        }
        seen.insert(other.inbox().unfinished().len());
        tokio::task::yield_now().await;
    };
    assert_eq!(received.len(), 500);
    assert!(seen.len() > 5, "{seen:?}");
    drop(sending);
}

#[test]
fn fault_t09_a_line_without_end_costs_no_memory() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (mut connection, sender) = runtime.block_on(async {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let sender = thread::spawn(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            // It is cut off long before the end, or else has sent 100 MB.
            (0..100).take_while(|_| stream.write_all(&vec![b'a'; 1 << 20]).is_ok()).count()
        });
        let (stream, _) = listener.accept().await.unwrap();
        (Connection::tcp(stream, Framing::Lines, Bounds::default()).unwrap(), sender)
    });
    let receive = |connection: &mut Connection| -> Fault {
        let received = async { timeout(Duration::from_secs(20), connection.receive()).await };
        runtime.block_on(received).expect("it comes to an end").expect_err("there is no line")
    };
    let mut fault = None;
    // Only what this thread allocates is counted.
    let used = measure(|| {
        for _ in 0..1000 {
            fault = Some(receive(&mut connection));
        }
    });
    assert_eq!(fault.unwrap().offence, Offence::OutputLimit);
    assert!(used.bytes_max < 64 << 10, "{used:?}");
    drop(connection);
    assert!(sender.join().unwrap() < 100, "it was cut off");
}
