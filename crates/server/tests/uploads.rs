//! Large bodies: few at a time, so that those who send them slowly take little memory.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{Running, folder, raw};

fn request(length: usize) -> String {
    format!(
        "POST /api/v1/records HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\
         Connection: close\r\nContent-Length: {length}\r\n\r\n"
    )
}

#[test]
fn fault_w12_large_bodies_that_come_slowly_are_few() {
    let folder = folder("server-uploads");
    let server = Running::start(&folder);
    let slow: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(request(4 << 20).as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    let small = raw(server.address, (request(5) + "wrong").as_bytes());
    assert_eq!(small.status, 400, "a small record comes in besides");
    assert!(begun.elapsed() < Duration::from_secs(5), "and does not wait");
    let large = request(100_000) + &"x".repeat(100_000);
    let refused = raw(server.address, large.as_bytes());
    assert_eq!(refused.status, 503, "{}", refused.text());
    drop(slow);
    // Whoever comes when they are gone is read.
    assert_eq!(raw(server.address, large.as_bytes()).status, 400);
}
