//! Playing on a board, as a person would.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Browser;
use crate::browser::PATIENCE;

impl Browser {
    /// Begins a game with the form.
    pub fn begin(&self, spec: &str, seats: &str) {
        self.open(&format!("/new?spec={spec}&seats={seats}"));
        self.click("form.newgame button.primary");
        self.see("rk-match rk-board");
    }

    /// Begins a game with a friend, who comes by the link.
    pub fn invite(&self, friend: &Self, spec: &str, seats: &str) {
        self.begin(spec, seats);
        self.see("[data-part=waiting] code");
        let link = self.value("document.querySelector('[data-part=waiting] code').textContent");
        friend.accept(link.as_str().unwrap());
        assert_eq!(friend.match_id(), self.match_id());
    }

    /// Takes the seat of a link.
    pub fn accept(&self, link: &str) {
        self.open(link);
        self.click("main form button.primary, main button.primary");
        self.see("rk-match rk-board");
    }

    /// The match of the page.
    pub fn match_id(&self) -> String {
        self.wait("location.pathname.startsWith('/m/')");
        self.path().split('?').next().unwrap().trim_start_matches("/m/").to_owned()
    }

    /// How the match stands, as the API says.
    pub fn state(&self) -> Value {
        self.api(&format!("/api/v1/matches/{}", self.match_id()))
    }

    /// Waits until it is our turn; `None` once the match is over.
    pub fn turn(&self) -> Option<Value> {
        let begin = Instant::now();
        loop {
            let state = self.state();
            if !state["over"].is_null() {
                return None;
            }
            if state["can"]["move"] == true {
                // The page knows it too, and has shown all moves that led here: before that a click means nothing.
                self.wait(&format!(
                    "document.querySelector('rk-match').isNewest && document.querySelector('rk-match').state.ply === {} && \
                     document.querySelector('rk-match rk-board').getAttribute('mode') === 'play'",
                    state["ply"]
                ));
                return Some(state);
            }
            assert!(begin.elapsed() < PATIENCE, "nobody moves: {state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until one of two persons is to move; says whether the match is over instead.
    pub fn turn_or_over(&self, other: &Self) -> bool {
        let begin = Instant::now();
        loop {
            let state = self.state();
            if !state["over"].is_null() {
                return true;
            }
            if state["can"]["move"] == true || other.state()["can"]["move"] == true {
                return false;
            }
            assert!(begin.elapsed() < PATIENCE, "nobody moves: {state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Makes a move by clicks.
    pub fn make(&self, mv: &Value) {
        for end in ["from", "to"] {
            if let Some(cell) = mv[end].as_str() {
                self.click(&cell_css(cell));
            }
        }
        // Where cells are not enough, and where they are small, the page asks.
        if self.value("Boolean(document.querySelector('rk-match .extra button'))") == true {
            self.click("rk-match .extra button");
        }
    }

    /// Plays one move by clicks, once it is our turn; says whether the match was over instead.
    pub fn play_once(&self, choose: impl Fn(&[Value]) -> usize) -> bool {
        let Some(state) = self.turn() else { return true };
        let (ply, all) = (state["ply"].as_u64().unwrap(), moves(&state));
        self.make(&all[choose(all) % all.len()]);
        self.wait(&format!(
            "document.querySelector('rk-match').state?.ply > {ply} || document.querySelector('rk-match').state?.over"
        ));
        false
    }

    /// Plays by clicks until the match is over, or for so many turns; says whether it is over.
    pub fn play(&self, most: usize, choose: impl Fn(usize, &[Value]) -> usize) -> bool {
        for turn in 0..most {
            if self.play_once(|moves| choose(turn, moves)) {
                return true;
            }
        }
        self.turn().is_none()
    }
}

/// The button of a cell.
pub fn cell_css(cell: &str) -> String {
    format!("rk-match rk-board button[data-cell=\"{cell}\"]")
}

fn moves(state: &Value) -> &[Value] {
    state["scene"]["moves"].as_array().map_or(&[], Vec::as_slice)
}
