//! `rookery fish check`: whether a client program plays to the end, and why not.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::process::{Command, Output};

fn check(arguments: &[&str]) -> (Output, String) {
    let done =
        Command::new(env!("CARGO_BIN_EXE_rookery")).args(["fish", "check"]).args(arguments).output().unwrap();
    let out = String::from_utf8(done.stdout.clone()).unwrap();
    (done, out)
}

#[test]
fn a_good_program_is_right_with_five_and_ten_clients() {
    // Ours takes the number of clients, the port and the host, as the original's does.
    let program = concat!(env!("CARGO_BIN_EXE_rookery"), " fish xclients");
    let filled = concat!(env!("CARGO_BIN_EXE_rookery"), " fish xclient 1 {port} {host} --quiet");
    for command in [program, filled] {
        let (done, out) = check(&[command]);
        assert_eq!(
            out,
            "5 clients: right; 5 signed up, 1 won, 0 failed\n10 clients: right; 10 signed up, 1 won, 0 failed\n"
        );
        assert_eq!(done.status.code(), Some(0));
    }
}

#[test]
fn what_is_wrong_with_a_program_is_said() {
    let (done, out) = check(&["sh -c 'echo no such file >&2; exit 3' {port}"]);
    assert_eq!(done.status.code(), Some(1));
    assert!(out.starts_with("5 clients: WRONG; 0 signed up, 0 won, 0 failed\n"), "{out}");
    assert!(
        out.contains(
            "a program ended with exit status: 3; the last it said on its standard error was \"no such file\""
        ),
        "{out}"
    );
    assert!(out.contains("\n10 clients: WRONG; 0 signed up"), "{out}");
}
