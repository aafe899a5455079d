//! What is sent leaves whole and in order, whatever happens to those who wait for it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use common::{Words, play_out, silent, start};
use rookery_referee::{Cause, Offence};
use rookery_rules::Seat;
use rookery_wire::{
    Bounds, Connection, Framing, Home, Lent, Process, Remote, Transport, TransportExt as _, listen,
};
use tokio::io::{AsyncReadExt, duplex, split};
use tokio::net::TcpStream;
use tokio::time::Instant;

#[tokio::test]
async fn a_message_given_up_half_way_leaves_before_the_next() {
    let (near, mut far) = duplex(4);
    let (reader, writer) = split(near);
    let mut connection = Connection::new(reader, writer, "test", Framing::Lines, Bounds::default());
    {
        let mut sending = std::pin::pin!(connection.send(b"first message\n"));
        let given_up = sending.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(given_up, Poll::Pending, "only four bytes fit");
    }
    let reading = tokio::spawn(async move {
        let mut all = String::new();
        far.read_to_string(&mut all).await.unwrap();
        all
    });
    connection.send(b"second\n").await.unwrap();
    connection.queue(b"third\n");
    connection.flush().await.unwrap();
    Box::new(connection).close().await;
    assert_eq!(reading.await.unwrap(), "first message\nsecond\nthird\n");
}

/// More than the system takes for somebody who does not read.
const MUCH: usize = 64 << 20;

/// Asks somebody who never reads a question that does not fit into any buffer.
async fn ask_the_deaf(link: Connection) {
    let (lent, home): (_, Home) = Lent::new(Box::new(link));
    let codec = Words { ballast: MUCH, ..Words::default() };
    let begin = Instant::now();
    let (verdict, _) = play_out(start(), "300ms", vec![Box::new(Remote::new(lent, codec)), silent()]).await;
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(verdict.ending.cause, Cause::Offence(Offence::Timeout));
    assert_eq!(verdict.ending.seat, Some(Seat::new(0)));
    let evidence = verdict.ending.evidence.unwrap();
    assert_eq!(evidence.expected.as_deref(), Some("that it reads what it is sent"));
    let mut link = home.await.unwrap();
    let flushed = link.poll_flush(&mut Context::from_waker(Waker::noop()));
    assert_eq!(flushed, Poll::Pending, "the buffers are really full");
}

#[tokio::test]
async fn fault_t17_a_program_that_never_reads_is_late_and_blocks_nobody() {
    let process = Process::start("sleep 1000").unwrap();
    ask_the_deaf(Connection::process(process, Framing::Lines, Bounds::default())).await;
}

#[tokio::test]
async fn fault_t17_a_peer_that_never_reads_is_late_and_blocks_nobody() {
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let deaf = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    ask_the_deaf(Connection::tcp(stream, Framing::Lines, Bounds::default()).unwrap()).await;
    drop(deaf);
}
