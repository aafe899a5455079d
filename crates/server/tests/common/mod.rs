//! A server of this process, and somebody who talks to it over a real socket.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rookery_testkit::TempFolder;
use serde_json::{Value, json};

mod running;
mod socket;

pub(crate) use running::Running;
pub(crate) use socket::{Socket, connect, connect_to};

impl Running {
    pub(crate) fn client(&self) -> Client {
        Client { address: self.address, cookie: None, bearer: None }
    }

    /// Somebody who has claimed a name, or signs in under it; with the operator's link its operator.
    pub(crate) fn claimed(&self, name: &str, operator: Option<&str>) -> Client {
        let mut client = self.client();
        let claim = json!({"name": name, "password": "correct horse", "claim": true, "operator": operator});
        let answer = client.post("/api/v1/login", &claim);
        assert_eq!(answer.status, 200, "{}", answer.text());
        client
    }
}

pub(crate) fn folder(name: &str) -> TempFolder {
    TempFolder::new(name)
}

/// Somebody who asks, with a cookie once there is one.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) cookie: Option<String>,
    pub(crate) bearer: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Whether a body that came in chunks had its end.
    pub(crate) is_whole: bool,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error}: {} {}", self.status, String::from_utf8_lossy(&self.body))
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends bytes and reads everything until the other side closes.
pub(crate) fn raw(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    // Whoever refuses us may close before all is written, or read.
    let _ = stream.write_all(request);
    let mut bytes = vec![];
    let _ = stream.read_to_end(&mut bytes);
    let at = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut body = bytes.get(at + 4..).unwrap_or_default().to_vec();
    let mut is_whole = true;
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        is_whole = body.ends_with(b"\r\n0\r\n\r\n");
        body = unchunk(&body);
    }
    Answer { status, head, body, is_whole }
}

/// A bot over TCP that says hello and plays the first legal move whenever it is asked.
pub(crate) fn bot_that_waits(address: SocketAddr, name: &str, secret: &str) {
    let hello = json!({"type": "hello", "version": 1, "name": name, "secret": secret});
    std::thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(stream.try_clone().unwrap()));
        for line in lines.map_while(Result::ok) {
            let message: Value = serde_json::from_str(&line).unwrap();
            let answer = match message["type"].as_str() {
                Some("hello") => hello.clone(),
                Some("new_game") => json!({"type": "ready"}),
                Some("turn") => json!({"type": "move", "id": message["id"], "index": 0}),
                _ => continue,
            };
            if writeln!(stream, "{answer}").is_err() {
                return;
            }
        }
    });
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut all = vec![];
    while let Some(at) = bytes.windows(2).position(|part| part == b"\r\n") {
        let n = usize::from_str_radix(std::str::from_utf8(&bytes[..at]).unwrap(), 16).unwrap();
        if n == 0 {
            break;
        }
        all.extend_from_slice(&bytes[at + 2..at + 2 + n]);
        bytes = &bytes[at + 4 + n..];
    }
    all
}

impl Client {
    /// Asks, as a page of the same origin would, and keeps the cookie.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let origin = format!("Origin: http://{}\r\n", self.address);
        self.ask_as(method, path, body, &origin)
    }

    /// Asks with these headers.
    pub(crate) fn ask_as(&mut self, method: &str, path: &str, body: Option<&Value>, headers: &str) -> Answer {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}", self.address);
        request += &self.who();
        let body = body.map(Value::to_string);
        if let Some(body) = &body {
            write!(request, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()).unwrap();
        }
        request += "\r\n";
        request += body.as_deref().unwrap_or_default();
        let answer = raw(self.address, request.as_bytes());
        if let Some(cookie) = answer.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        answer
    }

    /// Sends a form, as a page without script would, and keeps the cookie.
    pub(crate) fn send(&mut self, path: &str, form: &str) -> Answer {
        let who = self.who();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n{who}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            self.address,
            form.len()
        );
        let answer = raw(self.address, request.as_bytes());
        if let Some(cookie) = answer.header("set-cookie").filter(|cookie| !cookie.starts_with("theme")) {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        answer
    }

    /// Sends a body that is no JSON.
    pub(crate) fn raw_body(&mut self, path: &str, kind: &str, body: &str) -> Answer {
        let headers = format!(
            "Origin: http://{}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        let mut request =
            format!("POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}", self.address);
        request += &self.who();
        raw(self.address, format!("{request}\r\n{body}").as_bytes())
    }

    /// The headers that say who asks.
    fn who(&self) -> String {
        let cookie = self.cookie.as_ref().map(|cookie| format!("Cookie: {cookie}\r\n"));
        let bearer = self.bearer.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        cookie.unwrap_or_default() + &bearer.unwrap_or_default()
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, None)
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, Some(body))
    }

    /// Looks again until something holds; the machine may be slow.
    pub(crate) fn wait_for(&mut self, path: &str, what: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..600 {
            let answer = self.get(path);
            if answer.status == 200 {
                let value = answer.json();
                if what(&value) {
                    return value;
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{path}: it never came")
    }
}
