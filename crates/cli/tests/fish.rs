//! `rookery fish` as programs see it: standard input and output, exit codes, sockets.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

fn rookery(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .arg("fish")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has read enough may close its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn each_harness_reads_one_value_and_writes_one() {
    let state = r#"{"players":[{"color":"red","score":0,"places":[[0,0]]},{"color":"white","score":0,"places":[[0,1]]}],"board":[[1,2],[3,4],[5,1]]}"#;
    for (harness, input, output) in [
        ("xboard", r#" {"position":[0,0], "board":[[1,2],[3,4],[5,1]]} "#.to_owned(), "3\n"),
        (
            "xstate",
            state.to_owned(),
            "{\"players\":[{\"color\":\"white\",\"score\":0,\"places\":[[0,1]]},{\"color\":\"red\",\"score\":1,\"places\":[[1,0]]}],\"board\":[[0,2],[3,4],[5,1]]}\n",
        ),
        ("xtree", format!(r#"{{"state":{state},"from":[0,0],"to":[2,0]}}"#), "[[0,1],[1,0]]\n"),
        ("xstrategy", format!("[1,{state}]"), "[[0,0],[1,0]]\n"),
        ("xref", r#"{"row":5,"column":5,"players":[["b",2],["a",2]],"fish":2}"#.to_owned(), "[\"b\"]\n"),
    ] {
        let done = rookery(&[harness], input.as_bytes());
        assert_eq!(String::from_utf8_lossy(&done.stdout), output, "{harness}");
        assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), b"".as_slice()), "{harness}");
    }
}

#[test]
fn fault_t07_bad_input_of_a_harness_is_explained_on_standard_error() {
    let long = vec![b' '; (1 << 20) + 1];
    for (input, problem) in [
        (b"".as_slice(), "EOF while parsing a value at line 1 column 0"),
        (b"[1,", "line 1 column"),
        (b"\"\xff\"", "standard input is no UTF-8 after byte 1"),
        (b"{\"position\":[7,0],\"board\":[[1]]}", "position: [7,0] lies outside the board"),
        (&long, "standard input has more than 1048576 bytes"),
    ] {
        let done = rookery(&["xboard"], input);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.starts_with("error: ") && said.contains(problem), "{said}");
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(2), b"".as_slice()), "{said}");
    }
}

/// A server for one client that says everything at once, and then listens.
fn served(arguments: &[&str], calls: &'static str) -> (Output, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(calls.as_bytes()).unwrap();
        let mut heard = String::new();
        // Until the client leaves; it may do so with things unread.
        let _ = stream.read_to_string(&mut heard);
        heard
    });
    let arguments: Vec<&str> =
        arguments.iter().map(|&argument| if argument == "PORT" { &port } else { argument }).collect();
    let done = rookery(&arguments, b"");
    (done, server.join().unwrap())
}

#[test]
fn a_client_is_silent_on_standard_output_and_sums_up_on_standard_error() {
    let calls = "[\"start\",[true]]\n[\"end\",[true]]";
    let (done, heard) = served(&["xclient", "1", "PORT", "--name", "heron"], calls);
    assert_eq!(heard, "\"heron\"\"void\"\"void\"");
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), b"".as_slice()));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.starts_with("1 of 1 clients were served to the end, 1 won (heron); 2 calls in "), "{said}");

    let (done, _) = served(&["xclients", "1", "PORT", "localhost", "--quiet"], calls);
    assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn one_client_shows_what_is_said_without_control_characters() {
    let (done, _) = served(&["x1client", "PORT"], "[\"start\",[\"\u{1b}[31m\u{7}\"]] [\"leave\",[]]");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.starts_with("<- [\"start\",["), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(1), b"".as_slice()));
}

#[test]
fn the_script_of_the_old_names_runs_the_same_commands() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xintegration");
    let run = |arguments: &[&str]| {
        let mut child = Command::new(script)
            .args(arguments)
            .env("ROOKERY", env!("CARGO_BIN_EXE_rookery"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(br#"{"position":[0,0],"board":[[1],[1]]}"#);
        child.wait_with_output().unwrap()
    };
    let done = run(&["xboard"]);
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), b"1\n".as_slice()));
    assert_eq!(run(&[]).status.code(), Some(2));
}
