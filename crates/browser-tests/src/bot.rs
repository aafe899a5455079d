//! A bot as its author might have written it: one connection, lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;

use serde_json::{Value, json};

/// Connects a bot that plays the first legal move each time, until it is told to leave.
pub fn first_move_bot(address: SocketAddr, name: &str) {
    let hello = json!({"type": "hello", "version": 1, "name": name});
    let mut stream = TcpStream::connect(address).unwrap();
    thread::spawn(move || {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
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
