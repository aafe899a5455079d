//! `rookery connect`: a bot is brought to a seat, and brought back whenever its connection was lost.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rookery_bots::PROTOCOL;
use rookery_wire::{Transport as _, TransportExt as _, WebSocket};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);

fn connect(address: &str) -> Child {
    connect_bot(address, &[ROOKERY, "echo-bot"])
}

fn connect_bot(address: &str, bot: &[&str]) -> Child {
    Command::new(ROOKERY)
        .args(["connect", address, "--name", "ann", "--wait", "20s", "--"])
        .args(bot)
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

const HELLO: &str = r#"{"type":"hello","protocol":"rookery","version":1,"server":"x","features":[]}"#;

/// Takes in whoever comes, and says hello to it.
fn greet(listener: &TcpListener) -> (BufReader<TcpStream>, String) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    writeln!(stream, "{HELLO}").unwrap();
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

/// A program that starts slowly has not said hello when the server has no more room for those who have not.
#[test]
fn a_bot_says_hello_once_also_if_the_server_was_busy_before() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let bot = connect_bot(&address, &["sh", "-c", "sleep 1; exec \"$0\" echo-bot", ROOKERY]);
    let (mut stream, _) = listener.accept().unwrap();
    let busy = r#"{"type":"error","code":"busy","message":"too many"}"#;
    writeln!(stream, "{HELLO}\n{busy}").unwrap();
    drop(stream);
    let (mut link, hello) = greet(&listener);
    assert!(hello.contains(r#""name":"ann""#), "{hello}");
    writeln!(link.get_mut(), r#"{{"type":"quit"}}"#).unwrap();
    let mut more = String::new();
    link.read_to_string(&mut more).unwrap();
    assert_eq!(more, "", "it has said everything");
    let (success, wrote) = ended(bot);
    assert!(success && wrote.contains("the connection was lost (busy: too many)"), "{wrote}");
}

/// Nobody could come to a port that was not named.
#[test]
fn a_drill_says_where_it_waits_for_a_bot() {
    for seat in ["ann=tcp:0", "ann=ws:0"] {
        let mut drill = Command::new(ROOKERY)
            .args(["drill", "hexapawn:rows=3,cols=3", seat, "--positions", "2", "--wait", "20s"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(drill.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = said.find_map(|line| Some(line.strip_prefix("waiting for ann on ")?.to_owned()));
        let address = address.expect("it says where it waits");
        let scheme = if seat.contains("ws:") { "ws://" } else { "" };
        let bot = connect(&format!("{scheme}{address}"));
        let again = said.filter(|line| line.contains("waiting for")).count();
        let done = drill.wait_with_output().unwrap();
        assert!(done.status.success(), "{done:?}");
        assert_eq!(again, 0, "the port stays the same for all positions");
        assert!(String::from_utf8_lossy(&done.stdout).contains("of 2 won positions"), "{done:?}");
        let (success, wrote) = ended(bot);
        assert!(success, "{wrote}");
    }
}

/// Two that bring the same bot do not take its place from each other for ever.
#[tokio::test]
async fn a_bot_whose_place_was_taken_does_not_come_back() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let bot = connect(&format!("ws://{}", listener.local_addr().unwrap()));
    let (stream, _) = listener.accept().await.unwrap();
    let mut link = Box::new(WebSocket::accept(stream, PROTOCOL.bounds).await.unwrap());
    link.send(format!("{HELLO}\n").as_bytes()).await.unwrap();
    link.receive().await.unwrap();
    link.replaced();
    link.close().await;
    let (success, wrote) = ended(bot);
    assert!(!success && wrote.contains("another connection of this bot has taken its place"), "{wrote}");
}

/// The same over TCP, where a connection is closed without a code.
#[test]
fn fault_j08_a_bot_that_is_told_that_it_was_replaced_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bot = connect(&listener.local_addr().unwrap().to_string());
    let (mut link, _) = greet(&listener);
    let replaced = r#"{"type":"error","code":"replaced","message":"a newer one"}"#;
    writeln!(link.get_mut(), "{replaced}").unwrap();
    drop(link);
    let (success, wrote) = ended(bot);
    assert!(!success && wrote.contains("another connection of this bot has taken its place"), "{wrote}");
}

/// A game that goes on may have had very many moves.
#[test]
fn a_long_line_of_the_server_reaches_the_bot() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bot = connect(&listener.local_addr().unwrap().to_string());
    let (mut link, _) = greet(&listener);
    let moves = vec!["\"a1-a2\""; 300_000].join(",");
    assert!(moves.len() > 2 << 20, "more than any other line has");
    writeln!(link.get_mut(), r#"{{"type":"new_game","moves":[{moves}]}}"#).unwrap();
    let mut answer = String::new();
    link.read_line(&mut answer).unwrap();
    assert_eq!(answer.trim_end(), r#"{"type":"ready"}"#);
    writeln!(link.get_mut(), r#"{{"type":"quit"}}"#).unwrap();
    let (success, wrote) = ended(bot);
    assert!(success, "{wrote}");
}

/// What it writes meanwhile is passed on, and what it does not read keeps nobody waiting for ever.
#[test]
fn a_bot_that_stops_reading_is_let_go() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let deaf = r#"read line; echo '{"type":"hello","version":1}'; read line; echo '{"type":"ready"}'
        sleep 1; echo '{"type":"say","text":"still here"}'; exec sleep 100"#;
    let bot = connect_bot(&listener.local_addr().unwrap().to_string(), &["sh", "-c", deaf]);
    let (link, _) = greet(&listener);
    let mut stream = link.get_ref().try_clone().unwrap();
    std::thread::spawn(move || {
        // More than a pipe holds; nobody takes all of it.
        let said = "{\"type\":\"said\",\"seat\":0,\"text\":\"hm\"}\n".repeat(10_000);
        let _ = write!(stream, "{{\"type\":\"new_game\"}}\n{said}");
    });
    let mut heard = link.lines().map_while(Result::ok);
    assert_eq!(heard.next().unwrap(), r#"{"type":"ready"}"#);
    assert_eq!(heard.next().unwrap(), r#"{"type":"say","text":"still here"}"#);
    drop(heard);
    let (success, wrote) = ended(bot);
    assert!(!success && wrote.contains("the bot does not read what it is sent"), "{wrote}");
}
