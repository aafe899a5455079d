//! `rookery serve` as a program: its addresses, a port that is taken, the end by a signal and the start after it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rookery_testkit::TempFolder;

struct Served {
    child: Child,
    page: String,
    bots: String,
}

fn serve(folder: &Path, listen: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.args([
        "serve",
        "--no-open",
        "--log",
        "error",
        "--bots",
        "127.0.0.1:0",
        "--listen",
        listen,
        "--store",
    ]);
    command.arg(folder.join("rookery.db")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(folder: &Path) -> Served {
    let mut child = serve(folder, "127.0.0.1:0").spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = |word: &str| lines.next().unwrap().unwrap().strip_prefix(word).unwrap().to_owned();
    let (page, bots) = (next("page: http://"), next("bots: tcp://"));
    Served { child, page, bots }
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\n"
    )
    .unwrap();
    if request.starts_with("POST") {
        let body = r#"{"game":"hexapawn","seats":["human","first"]}"#;
        write!(stream, "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .unwrap();
    } else {
        write!(stream, "\r\n").unwrap();
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_server_to_which_nobody_listens_serves_all_the_same() {
    let folder = TempFolder::new("serve-unheard");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut child = serve(&folder, &free).spawn().unwrap();
    drop(child.stdout.take());
    while TcpStream::connect(&free).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
    }
    assert!(ask(&free, "GET /health").contains("200 OK"));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn fault_s07_a_port_that_is_taken_is_said_with_its_own_exit_code() {
    let (one, two) = (TempFolder::new("serve-one"), TempFolder::new("serve-two"));
    let mut served = start(&one);
    let second = serve(&two, &served.page).output().unwrap();
    assert_eq!(second.status.code(), Some(98));
    let told = String::from_utf8(second.stderr).unwrap();
    assert!(told.contains(&served.page) && told.contains("another program"), "{told}");
    // The same command once more: the port is said, and not the lock of the store.
    let same = serve(&one, &served.page).output().unwrap();
    let told = String::from_utf8(same.stderr).unwrap();
    assert_eq!(same.status.code(), Some(98), "{told}");
    assert!(told.contains(&served.page) && told.contains("another program"), "{told}");
    // An address that is not ours is not taken.
    let elsewhere = serve(&two, "192.0.2.1:7600").output().unwrap();
    let told = String::from_utf8(elsewhere.stderr).unwrap();
    assert_eq!(elsewhere.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot listen on 192.0.2.1:7600"), "{told}");
    assert!(TcpStream::connect(&served.bots).is_ok());
    served.child.kill().unwrap();
    served.child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn fault_s14_a_signal_ends_it_in_order_and_games_go_on_after_it() {
    let folder = TempFolder::new("serve-stop");
    let mut served = start(&folder);
    assert!(ask(&served.page, "GET /health").contains("200 OK"));
    let made = ask(&served.page, "POST /api/v1/matches");
    let id = made.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let pid = served.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    let mut again = start(&folder);
    let state = ask(&again.page, &format!("GET /api/v1/matches/{id}"));
    assert!(state.contains("200 OK") && state.contains("\"over\":null"), "{state}");
    // Also after an end without a word.
    again.child.kill().unwrap();
    again.child.wait().unwrap();
    let mut last = start(&folder);
    let state = ask(&last.page, &format!("GET /api/v1/matches/{id}"));
    assert!(state.contains("200 OK") && state.contains("\"over\":null"), "{state}");
    last.child.kill().unwrap();
    last.child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn a_classroom_is_warned_and_the_operator_s_link_is_printed_until_there_is_one() {
    let folder = TempFolder::new("serve-classroom");
    let public = "http://192.168.1.5:7600";
    let mut links = vec![];
    for _ in 0..2 {
        let mut child = serve(&folder, "0.0.0.0:0")
            .args(["--public-url", public, "--bots-url", "tcp://bots.example.org:7601"])
            .spawn()
            .unwrap();
        let said: Vec<String> =
            BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).take(3).collect();
        assert_eq!(said[0], format!("page: {public}"));
        assert_eq!(said[1], "bots: tcp://bots.example.org:7601");
        let link = said[2].strip_prefix("operator (once, within a day): ").unwrap();
        assert!(link.starts_with(&format!("{public}/login?operator=")), "{link}");
        links.push(link.to_owned());
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", output.status);
        let warned = String::from_utf8(output.stderr).unwrap();
        assert!(warned.contains("warning: others reach this page without encryption"), "{warned}");
    }
    assert_ne!(links[0], links[1], "each start without an operator has a link of its own");
}

#[test]
fn a_lease_is_for_other_machines_and_may_be_in_the_file() {
    let folder = TempFolder::new("serve-lease");
    let told = |args: &[&str]| {
        let output = serve(&folder, "127.0.0.1:0").args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let alone = told(&["--lease", "10"]);
    assert!(alone.contains("--dispatch"), "{alone}");
    let file = folder.join("serve.toml");
    std::fs::write(
        &file,
        "dispatch = \"nats://127.0.0.1:1\"\ndispatch-key = \"k\"\ndispatch-ca = \"c\"\nlease = 0\n",
    )
    .unwrap();
    let wrong = told(&["--config", file.to_str().unwrap()]);
    assert!(wrong.contains("lease = 0; expected 1 to 3600 seconds"), "{wrong}");
}
