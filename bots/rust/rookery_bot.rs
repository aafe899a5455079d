//! A small client library for Rookery: the messages of docs/protocol.md as types, and the loop that
//! answers them. `with_library.rs` is an example. Unknown fields and messages are ignored.
#![allow(dead_code)] // not every bot uses every field

use crate::json::{quoted, Json};
use std::io::{self, BufRead};

pub struct NewGame {
    pub game: String,
    pub spec: String,
    pub seat: usize, // ours, from 0
    pub seats: Vec<Seat>,
    pub seed: u64,        // randomness for this bot alone
    pub time: Json,       // "mode" is none, move, game or bank; the rest depends on it
    pub position: String, // where the moves begin
    pub moves: Vec<String>,
}

pub struct Seat {
    pub name: String,
    pub label: String,
}

pub struct Turn {
    pub id: u64,
    pub seat: usize,
    pub ply: usize,
    pub count: usize,       // of all legal moves
    pub legal: Vec<String>, // the first 1000 of them
    pub position: String,
    pub state: Json,            // the position as data
    pub moves: Vec<Event>,      // since our last turn
    pub answer_ms: Option<u64>, // for this answer; none without a time control
    pub left_ms: Vec<u64>,      // for each seat; empty without a time control
}

/// One of the three is there.
pub struct Event {
    pub seat: usize,
    pub made: Option<String>,
    pub removed: Option<String>,
    pub taken_back_to: Option<u64>,
}

pub struct Standing {
    pub seat: usize,
    pub name: String,
    pub place: Option<u64>,
    pub score: Option<f64>,
    pub cause: Option<String>,
}

/// What a bot is told and need not answer.
pub enum News {
    Moved { id: u64, made: String, used_ms: Option<u64>, left_ms: Option<u64> },
    Reject { id: u64, code: String, message: String, sent: String, legal: Vec<String>, chances: Option<u64> },
    Said { seat: usize, text: String },
    GameOver { cause: String, seat: Option<u64>, message: String, results: Vec<Standing> },
    Error { code: String, message: String },
}

pub enum Answer {
    Move(String), // the text of a legal move
    Index(usize), // its number in `legal`
    Resign,
}

/// Only `choose` is needed.
pub trait Bot {
    fn name(&self) -> String {
        "rust-bot".to_owned()
    }
    fn choose(&mut self, turn: &Turn) -> Answer;
    fn new_game(&mut self, _game: &NewGame) {}
    fn told(&mut self, news: &News) {
        if let News::Reject { code, message, .. } = news {
            eprintln!("rejected ({code}): {message}");
        }
    }
}

/// Plays until Rookery says `quit` or closes the input.
pub fn run(bot: &mut impl Bot) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let no_json = || io::Error::new(io::ErrorKind::InvalidData, "a line that is not JSON");
        let json = Json::parse(&line?).ok_or_else(no_json)?;
        match json.text("type").as_str() {
            "hello" => {
                println!(r#"{{"type":"hello","version":1,"name":{}}}"#, quoted(&bot.name()));
            }
            "new_game" => {
                bot.new_game(&new_game(&json));
                println!(r#"{{"type":"ready"}}"#);
            }
            "turn" => {
                let id = json.size("id");
                match bot.choose(&turn(&json)) {
                    Answer::Move(text) => {
                        println!(r#"{{"type":"move","id":{id},"move":{}}}"#, quoted(&text));
                    }
                    Answer::Index(idx) => println!(r#"{{"type":"move","id":{id},"index":{idx}}}"#),
                    Answer::Resign => println!(r#"{{"type":"resign","id":{id}}}"#),
                }
            }
            "quit" => break,
            kind => news(kind, &json).iter().for_each(|news| bot.told(news)),
        }
    }
    Ok(())
}

fn new_game(json: &Json) -> NewGame {
    let seat = |seat: &Json| Seat { name: seat.text("name"), label: seat.text("label") };
    NewGame {
        game: json.text("game"),
        spec: json.text("spec"),
        seat: json.size("seat"),
        seats: json.list("seats").iter().map(seat).collect(),
        seed: json.text("seed").parse().unwrap_or(0),
        time: json.get("time").clone(),
        position: json.text("position"),
        moves: json.texts("moves"),
    }
}

fn turn(json: &Json) -> Turn {
    let clock = json.get("clock");
    let event = |event: &Json| Event {
        seat: event.size("seat"),
        made: event.get("move").as_text(),
        removed: event.get("removed").as_text(),
        taken_back_to: event.get("taken_back_to").as_whole(),
    };
    Turn {
        id: json.size("id") as u64,
        seat: json.size("seat"),
        ply: json.size("ply"),
        count: json.size("count"),
        legal: json.texts("legal"),
        position: json.text("position"),
        state: json.get("state").clone(),
        moves: json.list("moves").iter().map(event).collect(),
        answer_ms: clock.get("answer_ms").as_whole(),
        left_ms: clock.list("left_ms").iter().filter_map(Json::as_whole).collect(),
    }
}

fn news(kind: &str, json: &Json) -> Option<News> {
    let (id, seat) = (json.size("id") as u64, json.size("seat"));
    let (code, message) = (json.text("code"), json.text("message"));
    let standing = |result: &Json| Standing {
        seat: result.size("seat"),
        name: result.text("name"),
        place: result.get("place").as_whole(),
        score: result.get("score").as_number(),
        cause: result.get("cause").as_text(),
    };
    Some(match kind {
        "moved" => News::Moved {
            id,
            made: json.text("move"),
            used_ms: json.get("used_ms").as_whole(),
            left_ms: json.get("left_ms").as_whole(),
        },
        "reject" => {
            let (legal, chances) = (json.texts("legal"), json.get("chances").as_whole());
            News::Reject { id, code, message, sent: json.text("sent"), legal, chances }
        }
        "said" => News::Said { seat, text: json.text("text") },
        "game_over" => {
            let results = json.list("results").iter().map(standing).collect();
            News::GameOver { cause: json.text("cause"), seat: json.get("seat").as_whole(), message, results }
        }
        "error" => News::Error { code, message },
        _ => return None,
    })
}
