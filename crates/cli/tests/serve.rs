//! `rookery serve` as a program: its addresses, a port that is taken, the end by a signal and the start after it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "tests of the full screen use the rest")]
mod pty;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

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

/// No subcommand and no flag but one: the rest is said by variables.
fn front_door(folder: &Path, listen: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.arg("--no-open").env("ROOKERY_LISTEN", listen).env("ROOKERY_BOTS", "127.0.0.1:0");
    command.env("ROOKERY_STORE", folder.join("mine.db")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn the_front_door_heeds_variables_and_says_how_to_play() {
    let folder = TempFolder::new("serve-door");
    let mut child = front_door(&folder, "127.0.0.1:0").spawn().unwrap();
    let said: Vec<String> =
        BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).take(4).collect();
    let page = said[0].strip_prefix("page: http://").unwrap_or_else(|| panic!("{said:?}"));
    let bots = said[1].strip_prefix("bots: tcp://").unwrap_or_else(|| panic!("{said:?}"));
    assert!(said[3].contains("in the terminal: rookery play"), "{said:?}");
    assert!(ask(page, "GET /health").contains("200 OK"));
    assert!(TcpStream::connect(bots).is_ok());
    assert!(folder.join("mine.db").is_file(), "the store is where the variable says");
    let second = front_door(&folder, page).output().unwrap();
    let told = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(98), "{told}");
    assert!(told.contains(&format!("open http://{page}")) && told.contains("--listen 127.0.0.1:0"), "{told}");
    child.kill().unwrap();
    child.wait().unwrap();
    let wrong = front_door(&folder, "somewhere").output().unwrap();
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(2), "{told}");
    assert!(told.contains("somewhere") && told.contains("--listen"), "{told}");
    let public = "http://192.168.1.5:7600";
    let mut child = front_door(&folder, "127.0.0.1:0").env("ROOKERY_PUBLIC_URL", public).spawn().unwrap();
    let first = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    assert_eq!(first, format!("page: {public}"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn the_front_door_opens_a_browser_unless_it_is_told_not_to() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = TempFolder::new("serve-open");
    let browser = folder.join("xdg-open");
    std::fs::write(&browser, "#!/bin/sh\necho \"$1\" > \"$OPENED.new\"\nmv \"$OPENED.new\" \"$OPENED\"\n")
        .unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    for (args, is_opened) in [(&[][..], true), (&["--no-open"][..], false)] {
        let opened = folder.join(format!("opened-{is_opened}"));
        let vars = [
            ("PATH", path.as_str()),
            ("DISPLAY", ":0"),
            ("OPENED", opened.to_str().unwrap()),
            ("ROOKERY_LISTEN", "127.0.0.1:0"),
            ("ROOKERY_BOTS", "127.0.0.1:0"),
        ];
        let mut window = pty::Pty::start_with(args, &folder, &vars);
        let shown = window.wait_for("Ctrl-C stops");
        let begin = Instant::now();
        while is_opened && !opened.exists() {
            assert!(begin.elapsed() < Duration::from_mins(1), "no browser is opened: {shown}");
            std::thread::sleep(Duration::from_millis(20));
        }
        window.send("\x03");
        assert!(window.end().success());
        assert_eq!(opened.exists(), is_opened, "{args:?}");
        if is_opened {
            let address = std::fs::read_to_string(opened).unwrap();
            assert!(shown.contains(&format!("page: {}", address.trim())), "{address}: {shown}");
        }
    }
}

#[test]
fn a_flag_counts_more_than_a_variable_and_that_more_than_the_file() {
    let folder = TempFolder::new("serve-file");
    let (store, file) = (folder.join("from-file.db"), folder.join("serve.toml"));
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let text = format!(
        "listen = {free:?}\nbots = \"127.0.0.1:0\"\nstore = {:?}\nno-open = true\nlog = \"info\"\nlog-json = true\n\
         public-url = \"http://file.example:7600\"\nbots-url = \"tcp://file.example:7601\"\n",
        store.display().to_string()
    );
    std::fs::write(&file, text).unwrap();
    for (by_variable, by_flag, name) in
        [(false, false, "file"), (true, false, "variable"), (true, true, "flag")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
        command.args(["serve", "--config"]).arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped());
        if by_variable {
            command.env("ROOKERY_PUBLIC_URL", "http://variable.example:7600");
        }
        if by_flag {
            command.args(["--public-url", "http://flag.example:7600"]);
        }
        let mut child = command.spawn().unwrap();
        let said: Vec<String> =
            BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).take(2).collect();
        assert_eq!(
            said,
            [format!("page: http://{name}.example:7600"), "bots: tcp://file.example:7601".to_owned()]
        );
        assert!(ask(&free, "GET /health").contains(" 200 "), "it listens where the file says");
        child.kill().unwrap();
        let logged = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert!(logged.contains("answered") && logged.lines().all(is_json), "{logged}");
    }
    assert!(store.is_file());
}
