//! What we ask of the system for our sockets.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::os::fd::AsFd as _;
use std::time::Duration;

use rookery_referee::Offence;
use rookery_wire::{Bounds, Connection, Framing, TransportExt as _, listen, raise_file_limit};
use rustix::net::sockopt;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

#[tokio::test]
async fn fault_t04_the_system_asks_a_silent_peer_whether_it_is_there() {
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    // The same socket, by another descriptor.
    let socket = stream.as_fd().try_clone_to_owned().unwrap();
    assert_eq!(sockopt::socket_keepalive(&socket), Ok(false), "nobody has asked for it yet");
    let _connection = Connection::tcp(stream, Framing::Lines, Bounds::default()).unwrap();
    assert_eq!(sockopt::socket_keepalive(&socket), Ok(true));
    assert_eq!(sockopt::tcp_nodelay(&socket), Ok(true));
    let every = sockopt::tcp_keepintvl(&socket).unwrap();
    let tries = sockopt::tcp_keepcnt(&socket).unwrap();
    let noticed = sockopt::tcp_keepidle(&socket).unwrap() + every * tries;
    assert_eq!(noticed, Duration::from_secs(30));
    // Whoever was sent something is not asked: then this counts.
    assert_eq!(sockopt::tcp_user_timeout(&socket), Ok(30_000));
}

/// A network fails anywhere, also in the middle of a line: what has arrived of it is no answer, and whoever sent it is gone.
#[tokio::test]
async fn fault_t03_half_a_line_is_no_message_when_the_connection_is_lost() {
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let mut far = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (near, _) = listener.accept().await.unwrap();
    let mut near = Connection::tcp(near, Framing::Lines, Bounds::default()).unwrap();
    far.write_all(b"whole\nha").await.unwrap();
    drop(far);
    assert_eq!(near.receive().await.unwrap(), b"whole");
    let fault = near.receive().await.unwrap_err();
    assert_eq!((fault.offence, fault.evidence.sent.as_deref()), (Offence::Disconnected, Some("`ha`")));
}

#[tokio::test]
async fn a_crowd_that_comes_at_once_waits_in_line() {
    const CROWD: usize = 300;
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
    if most.trim().parse().is_ok_and(|most: usize| most < CROWD) {
        let most = most.trim();
        rookery_testkit::tell_skipped(&format!(
            "a crowd of {CROWD}: this system lets only {most} wait in line"
        ));
        return;
    }
    assert!(raise_file_limit() > 2 * CROWD, "the limit of open files is too low for this test");
    let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let mut crowd = vec![];
    for number in 1..=CROWD {
        // The system drops who finds no room, and it tries again after a second, to be dropped again.
        let coming = timeout(Duration::from_secs(10), TcpStream::connect(address)).await;
        crowd.push(coming.unwrap_or_else(|_| panic!("number {number} finds no room")).unwrap());
    }
}
