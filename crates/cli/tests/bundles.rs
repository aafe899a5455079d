//! `rookery bot`: from a folder to a seat, at the command line and over a server's API.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_sandbox::{Level, Policy};
use rookery_testkit::{TempFolder, skip, tell_skipped};
use serde_json::{Value, json};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
const GAME: &str = "hexapawn:rows=3,cols=3";

/// The level that bundles demand, or what this machine has instead.
fn level() -> &'static str {
    match Policy::new(Level::Full, ROOKERY).prepare() {
        Ok(_) => "full",
        Err(error) => {
            skip(&format!("bundles in a full sandbox: {error}; they run in what there is"));
            "auto"
        }
    }
}

fn rookery(folder: &TempFolder, line: &str) -> Output {
    let mut command = Command::new(ROOKERY);
    command.args(line.split(' ')).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command.env_remove("ROOKERY_STORE").stdin(Stdio::null()).output().unwrap()
}

/// The exit code, and what was said.
fn ended(folder: &TempFolder, line: &str) -> (i32, String, String) {
    let Output { status, stdout, stderr } = rookery(folder, line);
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn json_of(folder: &TempFolder, line: &str) -> Value {
    let (code, out, err) = ended(folder, line);
    assert_eq!(code, 0, "{line}: {out} {err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}: {out}"))
}

/// A bot that plays legal moves, by its name; whether there is a Python for it.
fn bot(folder: &TempFolder, name: &str) -> bool {
    if Command::new("python3").arg("--version").output().is_err() {
        tell_skipped("bundles, because there is no python3 here");
        return false;
    }
    let (code, _, said) = ended(folder, &format!("new-bot python {name}"));
    assert_eq!(code, 0, "{said}");
    fs::write(folder.join(name).join("bot.toml"), manifest(name, "python3 bot.py")).unwrap();
    true
}

fn manifest(name: &str, run: &str) -> String {
    format!("name = \"{name}\"\nrun = \"{run}\"\ngames = [\"hexapawn\"]\nversion = \"1.2\"\n")
}

#[test]
fn a_bundle_is_pushed_tried_seated_and_retired() {
    let folder = TempFolder::new("bundle-cli");
    if !bot(&folder, "ann") {
        return;
    }
    let level = level();
    let push = format!("bot push ann --store s.db --sandbox {level} --json");
    let pushed = json_of(&folder, &push);
    assert_eq!((&pushed["name"], &pushed["state"]), (&json!("ann"), &json!("ready")), "{pushed}");
    assert_eq!(json_of(&folder, &push)["sha256"], pushed["sha256"], "the same files are the same bundle");
    let hash = pushed["sha256"].as_str().unwrap().to_owned();
    let held = json_of(
        &folder,
        &format!(
            "tournament run {GAME} bundle:ann random --games 2 --sandbox {level} --store s.db --json -q"
        ),
    );
    assert!(held.to_string().contains("ann"), "{held}");
    // Another version comes, and whoever plays is written down with its hash.
    fs::write(folder.join("ann/notes.txt"), "other files").unwrap();
    let second = json_of(&folder, &push);
    assert_ne!(second["sha256"], pushed["sha256"]);
    let listed = json_of(&folder, "bot list --name ann --store s.db --json");
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let (code, table, _) = ended(&folder, "bot list --store s.db");
    assert!(code == 0 && table.contains(&hash[..12]) && table.contains("1.2+"), "{table}");
    let exported = rookery(&folder, "games export out --store s.db");
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let record = fs::read_dir(folder.join("out")).unwrap().next().unwrap().unwrap().path();
    let record = fs::read_to_string(record).unwrap();
    assert!(record.contains(&format!("bundle:ann@{hash}")), "{record}");
    a_backup_brings_everything_back(&folder);
    // What is retired is not seated, neither by name nor by hash.
    assert_eq!(json_of(&folder, "bot retire ann --store s.db --json")["retired"], 2);
    for seat in ["bundle:ann", &format!("bundle:ann@{}", &hash[..16]), "bundle:nobody"] {
        let (code, _, said) = ended(&folder, &format!("tournament run {GAME} {seat} random --store s.db"));
        assert!(matches!(code, 1 | 2) && said.contains("bundle"), "{seat}: {code} {said}");
    }
    let (code, _, said) = ended(&folder, &format!("match {GAME} bundle:ann random"));
    assert!(code == 2 && said.contains("tournament run"), "{said}");
    let (code, _, said) = ended(&folder, "bot retire nobody --store s.db");
    assert!(code == 1 && said.contains("rookery bot list"), "{said}");
}

/// As docs/operations.md has it: a backup while the store is there, another store from it, and the same bots and games in both.
fn a_backup_brings_everything_back(folder: &TempFolder) {
    json_of(folder, "db backup monday.db --store s.db --json");
    json_of(folder, "db restore monday.db --store again.db --json");
    assert_eq!(ended(folder, "db check --store again.db --judge").0, 0);
    for list in ["bot list", "games list", "tournaments list", "entrants list"] {
        let of = |store: &str| json_of(folder, &format!("{list} --store {store} --json"));
        assert_eq!(of("again.db"), of("s.db"), "{list}");
    }
    // It plays from there, too.
    let run = format!(
        "tournament run {GAME} bundle:ann random --games 2 --sandbox {} --store again.db -q",
        level()
    );
    assert_eq!(ended(folder, &run).0, 0, "{run}");
}

#[test]
fn a_bot_that_fails_is_kept_and_not_seated() {
    let folder = TempFolder::new("bundle-failing");
    fs::create_dir(folder.join("bad")).unwrap();
    fs::write(folder.join("bad/bot.toml"), manifest("bad", "sh bot.sh")).unwrap();
    fs::write(folder.join("bad/bot.sh"), "echo went wrong >&2; exit 7\n").unwrap();
    let push = format!("bot push bad --store s.db --sandbox {}", level());
    let (code, out, said) = ended(&folder, &push);
    assert_eq!(code, 3, "{out} {said}");
    assert!(out.contains("may not be seated") && said.contains("went wrong"), "{out} {said}");
    let listed = json_of(&folder, "bot list --store s.db --json");
    assert_eq!(listed[0]["state"], "failing");
    let (code, _, said) = ended(&folder, &format!("tournament run {GAME} bundle:bad random --store s.db"));
    assert!(code == 1 && said.contains("bad"), "{said}");
    let (code, _, said) = ended(&folder, "bot push s.db --store s.db");
    assert_eq!(code, 1, "a file is no bot: {said}");
}

/// A server as a program, ended with the test.
struct Served {
    child: Child,
    page: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(folder: &TempFolder, level: &str) -> Self {
        let line = format!(
            "serve --no-open --log error --listen 127.0.0.1:0 --bots 127.0.0.1:0 --store s.db --bundle-sandbox {level}"
        );
        let mut command = Command::new(ROOKERY);
        command.args(line.split(' ')).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let page = lines.next().unwrap().unwrap().strip_prefix("page: http://").unwrap().to_owned();
        Self { child, page }
    }

    /// The head and the body of an answer.
    fn ask(&self, head: &str, body: &[u8]) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.page).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let (first, rest) = head.split_once("\r\n").unwrap_or((head, ""));
        let page = &self.page;
        let request = format!(
            "{first} HTTP/1.1\r\nHost: {page}\r\nOrigin: http://{page}\r\nConnection: close\r\nContent-Length: {}\r\n{rest}\r\n",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        // Who refuses us may close before all is read.
        let _ = stream.write_all(body);
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        let at = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..at].to_vec()).unwrap(), answer[at + 4..].to_vec())
    }

    /// Claims a name; the cookie and a token of it.
    fn claim(&self, name: &str) -> (String, String) {
        let kind = "Content-Type: application/json\r\n";
        let body = json!({"name": name, "password": "correct horse", "claim": true}).to_string();
        let (head, _) = self.ask(&format!("POST /api/v1/login\r\n{kind}"), body.as_bytes());
        let cookie = head
            .lines()
            .find_map(|line| line.to_lowercase().starts_with("set-cookie: ").then_some(&line[12..]));
        let cookie = format!("Cookie: {}\r\n", cookie.unwrap().split(';').next().unwrap());
        let (_, body) = self.ask(&format!("POST /api/v1/tokens\r\n{kind}{cookie}"), b"{}");
        let made: Value = serde_json::from_slice(&body).unwrap();
        (cookie, made["token"].as_str().unwrap().to_owned())
    }
}

/// Whoever makes a tournament may seat it, and its owner may sign it up.
fn a_bundle_plays_tournaments_of_the_page(served: &Served, token: &str, other: &str) {
    let post = |path: &str, token: &str, body: &Value| {
        let head =
            format!("POST {path}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        let (head, body) = served.ask(&head, body.to_string().as_bytes());
        (head, serde_json::from_slice::<Value>(&body).unwrap_or_default())
    };
    let spec = |player: &str, sign_up: Value| {
        json!({
            "name": "evening", "games": ["hexapawn:rows=3,cols=3"], "format": {"kind": "round-robin", "games": 2},
            "entrants": [{"name": "ann", "player": player}, {"name": "first", "player": "first"}], "time": "10s",
            "sign_up": sign_up,
        })
    };
    let (head, wrong) = post("/api/v1/tournaments", other, &spec("bundle:nobody", Value::Null));
    assert!(head.contains(" 422 "), "{head} {wrong}");
    let (head, made) = post("/api/v1/tournaments", other, &spec("bundle:ann", Value::Null));
    assert!(head.contains(" 201 "), "{head} {made}");
    let path = format!("GET /api/v1/tournaments/{}\r\n", made["id"].as_str().unwrap());
    let deadline = Instant::now() + Duration::from_mins(2);
    let report = loop {
        let report: Value = serde_json::from_slice(&served.ask(&path, b"").1).unwrap();
        if report["complete"] == true {
            break report;
        }
        assert!(Instant::now() < deadline, "it goes on: {report}");
        sleep(Duration::from_millis(100));
    };
    assert_eq!((&report["games"], &report["faults"]), (&json!(2), &json!([])), "{report}");
    let mut open = spec("bundle:ann", json!({"bots": true}));
    open["entrants"] = json!([{"name": "first", "player": "first"}]);
    let (_, made) = post("/api/v1/tournaments", other, &open);
    let enter = format!("/api/v1/tournaments/{}/enter", made["id"].as_str().unwrap());
    for (who, status) in [(other, " 403 "), (token, " 204 "), (token, " 409 ")] {
        let (head, said) = post(&enter, who, &json!({"entrant": "bundle:ann"}));
        assert!(head.contains(status), "{head} {said}");
    }
}

#[test]
fn fault_w18_a_server_takes_bundles_of_people_and_refuses_the_rest() {
    let folder = TempFolder::new("bundle-serve");
    if !bot(&folder, "ann") {
        return;
    }
    let served = Served::start(&folder, level());
    let ((cookie, token), (_, other)) = (served.claim("anna"), served.claim("eve"));
    fs::write(folder.join("anna.token"), &token).unwrap();
    fs::write(folder.join("eve.token"), &other).unwrap();
    let at = format!("--server http://{}", served.page);
    let pushed = json_of(&folder, &format!("bot push ann {at} --token-file anna.token --json"));
    assert_eq!((&pushed["owner"], &pushed["state"]), (&json!("anna"), &json!("pending")), "{pushed}");
    let deadline = Instant::now() + Duration::from_mins(2);
    let list = format!("bot list {at} --json");
    let listed = loop {
        let listed = json_of(&folder, &list);
        if listed[0]["state"] != "pending" {
            break listed;
        }
        assert!(Instant::now() < deadline, "it is not tried: {listed}");
        sleep(Duration::from_millis(100));
    };
    assert_eq!(listed[0]["state"], "ready", "{listed}");
    a_bundle_plays_tournaments_of_the_page(&served, &token, &other);
    // Nobody pushes without a token, nobody under the name of another, and nobody retires what is another's.
    for (line, status) in [
        (format!("bot push ann {at}"), "403"),
        (format!("bot push ann {at} --token-file eve.token"), "409"),
        (format!("bot retire ann {at} --token-file eve.token"), "403"),
    ] {
        let (code, _, said) = ended(&folder, &line);
        assert!(code == 1 && said.contains(status), "{line}: {said}");
    }
    // What is no archive, what is too large, and what is too large of somebody unknown.
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let push = format!("POST /api/v1/bundles\r\n{bearer}");
    let (head, body) = served.ask(&push, b"PK no archive of ours");
    assert!(head.contains(" 422 "), "{head} {}", String::from_utf8_lossy(&body));
    assert!(served.ask(&push, &vec![0x1f; 17 << 20]).0.contains(" 413 "));
    assert!(served.ask("POST /api/v1/bundles", &vec![0x1f; 1 << 20]).0.contains(" 413 "));
    // The page uploads too.
    assert_eq!(ended(&folder, "bot pack ann ann.tar.gz").0, 0);
    let mut form =
        b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"ann.tar.gz\"\r\n\r\n".to_vec();
    form.extend(fs::read(folder.join("ann.tar.gz")).unwrap());
    form.extend(b"\r\n--b--\r\n");
    let kind = "Content-Type: multipart/form-data; boundary=b\r\n";
    let (head, body) = served.ask(&format!("POST /bundles\r\n{cookie}{kind}"), &form);
    let page = String::from_utf8(body).unwrap();
    assert!(head.contains(" 200 ") && page.contains("is here"), "{head} {page}");
    let (head, body) = served.ask(&format!("POST /bundles\r\n{cookie}{kind}"), b"--b--");
    assert!(head.contains(" 400 "), "{head} {}", String::from_utf8_lossy(&body));
    assert_eq!(json_of(&folder, &list).as_array().unwrap().len(), 1, "the same archive is there once");
    let retired = json_of(&folder, &format!("bot retire ann {at} --token-file anna.token --json"));
    assert_eq!(retired["retired"], 1);
    let (code, _, said) = ended(&folder, "bot list --server https://play.example.org");
    assert!(code == 2 && said.contains("curl"), "{said}");
}
