//! `rookery fish xserver` as a program: what it prints, and how it ends.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Starts a server on a free port of this machine and says which.
fn start(options: &[&str]) -> (Child, u16) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["fish", "xserver", "0", "--host", "127.0.0.1", "--json-log"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    let event: serde_json::Value = serde_json::from_str(&line).unwrap();
    let port = event["address"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap();
    // Somebody reads what it says, or it would see a closed pipe.
    std::thread::spawn(move || log.read_to_end(&mut vec![]));
    (server, port)
}

fn end(mut server: Child) -> (String, Option<i32>) {
    let mut out = String::new();
    server.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    (out, server.wait().unwrap().code())
}

#[test]
fn without_enough_players_the_result_is_nothing() {
    let (server, _) = start(&["--wait", "50ms", "--tries", "2"]);
    assert_eq!(end(server), ("[0,0]\n".to_owned(), Some(0)));
}

#[test]
fn the_result_is_one_line() {
    let (server, port) = start(&["--min-players", "2", "--max-players", "2", "--timeout", "100ms"]);
    // Two who say their names and nothing more.
    let silent: Vec<TcpStream> = ["\"Ann\"", "\"Bob\""]
        .map(|name| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.write_all(name.as_bytes()).unwrap();
            stream
        })
        .into();
    assert_eq!(end(server), ("[0,2]\n".to_owned(), Some(0)));
    for mut stream in silent {
        let mut came = String::new();
        // It may be closed with a reset.
        let _ = stream.read_to_string(&mut came);
        assert_eq!(came, r#"["start",[true]]"#, "all connections are closed");
    }
}

#[test]
fn the_result_does_not_wait_for_players_that_may_still_ask() {
    let (mut server, port) = start(&["--min-players", "2", "--max-players", "2", "--timeout", "60s"]);
    let connect = |words: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(words).unwrap();
        stream
    };
    let mut heron = connect(br#"{"name":"heron","api":"player"}"#);
    let mut ann = connect(b"\"Ann\"");
    ann.read_exact(&mut [0; br#"["start",[true]]"#.len()]).unwrap();
    drop(ann);
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "[1,1]\n");
    // It is still there for the one who may ask, and ends when that one goes.
    heron.write_all(br#"["tournament-info",[]]"#).unwrap();
    let mut answer = [0; 4096];
    let n = heron.read(&mut answer).unwrap();
    let info: serde_json::Value = serde_json::from_slice(&answer[..n]).unwrap();
    assert_eq!(info["over"], true);
    drop(heron);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn fault_s07_a_port_in_use_is_said_at_once() {
    let (mut server, port) = start(&[]);
    let second = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["fish", "xserver", &port.to_string(), "--host", "127.0.0.1"])
        .output()
        .unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(second.status.code(), Some(98));
    assert!(second.stdout.is_empty(), "no half-started tournament");
    let message = String::from_utf8(second.stderr).unwrap();
    assert!(message.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{message}");
}

#[test]
fn fault_s14_a_signal_to_end_ends_it_cleanly() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (server, port) = start(&[]);
        let mut player = TcpStream::connect(("127.0.0.1", port)).unwrap();
        player.write_all(b"\"Ann\"").unwrap();
        let told = Command::new("kill").args([signal, &server.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert_eq!(end(server), (String::new(), Some(130)), "{signal}");
        assert_eq!(player.read(&mut [0; 16]).unwrap_or(0), 0, "its connection is closed");
    }
}
