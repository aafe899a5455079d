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

/// Starts a server, whose standard error is read to the end, and clients of ours that play its tournament.
fn with_clients(server: &mut Command, n: usize) -> (std::process::Output, String) {
    let mut server = server.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    let port = line.trim().rsplit_once(':').unwrap().1.to_owned();
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        log.read_to_string(&mut rest).unwrap();
        rest
    });
    let clients = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["fish", "xclients", &n.to_string(), &port, "--quiet"])
        .status()
        .unwrap();
    assert!(clients.success());
    (server.wait_with_output().unwrap(), rest.join().unwrap())
}

#[test]
fn the_final_ranking_stands_behind_the_result() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_rookery"));
    server.args(["fish", "xserver", "0", "--host", "127.0.0.1", "--max-players", "5", "--standings"]);
    let (done, said) = with_clients(&mut server, 5);
    let out = String::from_utf8(done.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "[1,0]", "{said}");
    assert_eq!(lines.len(), 7, "{out}");
    assert!(lines[1].starts_with("place  player"), "{out}");
    assert!(lines[2].starts_with("    1  ") && lines[2].ends_with("  won"), "{out}");
    assert!(lines[6].contains("out in round 1"), "{out}");
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn fault_s03_a_record_that_hits_a_full_disk_is_said_and_the_exit_code_says_it_too() {
    let folder = rookery_testkit::TempFolder::new("fish-full");
    // No file may have more than a few blocks, which is to a program like a disk that is full.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" fish xserver 0 --host 127.0.0.1 --max-players 5 --record \"$1\"";
    let mut server = Command::new("sh");
    server.args(["-c", script, env!("CARGO_BIN_EXE_rookery")]).arg(&*folder);
    let (done, said) = with_clients(&mut server, 5);
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "[1,0]\n", "{said}");
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("could not be written"), "{said}");
    assert!(said.contains("error: not every record could be kept"), "{said}");
}

#[test]
fn fault_s14_a_tournament_that_is_stopped_says_the_command_that_goes_on() {
    let folder = rookery_testkit::TempFolder::new("fish-stopped");
    let arguments =
        ["fish", "xserver", "0", "--host", "127.0.0.1", "--min-players", "2", "--max-players", "2"];
    let mut server = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(arguments)
        .args(["--grace", "0s", "--timeout", "60s", "--record"])
        .arg(&*folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    let port: u16 = line.trim().rsplit_once(':').unwrap().1.parse().unwrap();
    // Both answer the first three calls, and then say nothing.
    let answers = |name: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(format!("\"{name}\"").as_bytes()).unwrap();
        stream
    };
    let mut players = [answers("Ann"), answers("Bob")];
    for call in ["start", "playing-as", "playing-with"] {
        for player in &mut players {
            let mut heard = String::new();
            while !heard.ends_with("]]") {
                let mut byte = [0];
                player.read_exact(&mut byte).unwrap();
                heard.push(char::from(byte[0]));
            }
            assert!(heard.contains(call), "{heard}");
            player.write_all(b"\"void\"").unwrap();
        }
    }
    let told = Command::new("kill").args(["-INT", &server.id().to_string()]).status().unwrap();
    assert!(told.success());
    let mut said = String::new();
    log.read_to_string(&mut said).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("the tournament was stopped in round 1"), "{said}");
    let command = said.lines().find(|line| line.starts_with("rookery fish xserver")).unwrap();
    assert!(command.ends_with(" --resume"), "{command}");
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
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 130)] {
        let (server, port) = start(&[]);
        let mut player = TcpStream::connect(("127.0.0.1", port)).unwrap();
        player.write_all(b"\"Ann\"").unwrap();
        let told = Command::new("kill").args([signal, &server.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert_eq!(end(server), (String::new(), Some(code)), "{signal}");
        assert_eq!(player.read(&mut [0; 16]).unwrap_or(0), 0, "its connection is closed");
    }
}
