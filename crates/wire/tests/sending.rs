//! What is sent leaves whole and in order, whatever happens to those who wait for it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::task::{Context, Poll, Waker};

use rookery_wire::{Bounds, Connection, Framing};
use tokio::io::{AsyncReadExt, duplex, split};

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
    std::future::poll_fn(|cx| connection.poll_flush(cx)).await.unwrap();
    connection.close().await;
    assert_eq!(reading.await.unwrap(), "first message\nsecond\nthird\n");
}
