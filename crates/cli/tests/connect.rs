//! `rookery connect`: a bot is brought to a seat, and brought back whenever its connection was lost.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);

fn connect(address: &str) -> Child {
    Command::new(ROOKERY)
        .args(["connect", address, "--name", "ann", "--wait", "20s", "--", ROOKERY, "echo-bot"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How it ended, and what it wrote.
fn ended(mut child: Child) -> (bool, String) {
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > LONG {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut wrote = String::new();
    child.stderr.take().unwrap().read_to_string(&mut wrote).unwrap();
    (status.success(), wrote)
}

/// Takes in whoever comes, and says hello to it.
fn greet(listener: &TcpListener) -> (BufReader<TcpStream>, String) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    let hello = r#"{"type":"hello","protocol":"rookery","version":1,"server":"x","features":[]}"#;
    writeln!(stream, "{hello}").unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    (reader, line)
}

#[test]
fn a_bot_that_waits_for_a_seat_comes_back_when_its_connection_is_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bot = connect(&listener.local_addr().unwrap().to_string());
    for _ in 0..2 {
        let (link, hello) = greet(&listener);
        assert!(hello.contains(r#""name":"ann""#) && !hello.contains("token"), "{hello}");
        drop(link);
    }
    // The server has not noticed yet that it was gone, or is busy.
    for code in ["name_taken", "busy"] {
        let (mut link, _) = greet(&listener);
        writeln!(link.get_mut(), r#"{{"type":"error","code":"{code}","message":"wait"}}"#).unwrap();
    }
    let (mut link, hello) = greet(&listener);
    assert!(hello.contains(r#""name":"ann""#), "{hello}");
    writeln!(link.get_mut(), r#"{{"type":"quit"}}"#).unwrap();
    let (success, wrote) = ended(bot);
    assert!(success, "{wrote}");
    assert_eq!(wrote.matches("the connection was lost").count(), 4, "{wrote}");
}

#[test]
fn a_bot_that_is_refused_does_not_try_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bot = connect(&listener.local_addr().unwrap().to_string());
    let (mut link, _) = greet(&listener);
    writeln!(link.get_mut(), r#"{{"type":"error","code":"name_taken","message":"choose another"}}"#).unwrap();
    drop(link);
    let (success, wrote) = ended(bot);
    assert!(!success && wrote.contains("the server refused the bot: name_taken: choose another"), "{wrote}");
}
