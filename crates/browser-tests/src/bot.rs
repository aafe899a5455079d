//! A bot as its author might have written it: one connection, lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

/// Connects a bot that plays the first legal move each time, until it is told to leave.
pub fn first_move_bot(address: SocketAddr, name: &str) {
    named_bot(address, &json!({"name": name}), json!({}));
}

/// Connects one whose first answer is no legal move.
pub fn wrong_move_bot(address: SocketAddr, name: &str) {
    connect(address, &json!({"name": name}), json!({}), 9999);
}

/// One that plays the first move, with what it says of itself, and what it says before each move.
pub fn named_bot(address: SocketAddr, who: &Value, beside: Value) {
    connect(address, who, beside, 0);
}

fn connect(address: SocketAddr, who: &Value, beside: Value, index: u32) {
    let mut hello = json!({"type": "hello", "version": 1});
    for (key, value) in who.as_object().unwrap() {
        hello[key] = value.clone();
    }
    let mut stream = TcpStream::connect(address).unwrap();
    thread::spawn(move || {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            let message: Value = serde_json::from_str(&line).unwrap();
            let answer = match message["type"].as_str() {
                Some("hello") => hello.clone(),
                Some("new_game") => json!({"type": "ready"}),
                Some("turn") => {
                    let id = &message["id"];
                    for (kind, text) in beside.as_object().unwrap() {
                        let _ = writeln!(stream, "{}", said(kind, id, text));
                    }
                    json!({"type": "move", "id": id, "index": index})
                }
                _ => continue,
            };
            if writeln!(stream, "{answer}").is_err() {
                return;
            }
        }
    });
}

/// What a bot says beside its moves.
fn said(kind: &str, id: &Value, text: &Value) -> Value {
    match kind {
        "info" if text.is_object() => {
            let mut info = text.clone();
            (info["type"], info["id"]) = (json!("info"), id.clone());
            info
        }
        "info" => json!({"type": "info", "id": id, "text": text}),
        _ => json!({"type": kind, "text": text}),
    }
}

/// A program that talks by its standard input and output, brought to the server by `rookery connect`; it ends with this.
#[derive(Debug)]
pub struct PipeBot(Child);

impl Drop for PipeBot {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The starter kit of Python at a pipe, under this name; `None`, and said loudly, where there is no `rookery` to bring it.
pub fn pipe_bot(address: SocketAddr, name: &str) -> Option<PipeBot> {
    let own = std::env::current_exe().unwrap();
    let rookery = own.ancestors().nth(2).unwrap().join("rookery");
    let kit = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots/python/bot.py");
    if !rookery.is_file() {
        rookery_testkit::tell_skipped(&format!(
            "a bot at a pipe: there is no {}; cargo build -p rookery",
            rookery.display()
        ));
        return None;
    }
    let child = Command::new(rookery)
        .args(["connect", &address.to_string(), "--name", name, "--", "python3", kit])
        .stdin(Stdio::null())
        .spawn();
    Some(PipeBot(child.unwrap()))
}
