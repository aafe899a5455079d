//! Hints on a page's socket: what is best, better and better.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use rookery_rules::{GameSpec, Seat};
use rookery_search::Stop;
use rookery_study::{Advice, Advised, Order, advise};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::app::App;
use crate::data::Can;
use crate::hub::{Table, json};

/// How long a hint may take.
const TIME: Duration = Duration::from_secs(1);
/// How many moves it tells of.
const LINES: usize = 3;

/// What one line says.
#[derive(Clone, Debug, Serialize)]
pub struct LineData {
    /// The move, and how the game would go on.
    pub moves: Vec<String>,
    /// The share of a win, 0 to 1.
    pub value: f32,
    /// How far that may be off.
    pub error: f32,
    /// Whether it is certain.
    pub proven: bool,
    /// In how many moves the game is over, if that is certain.
    pub plies: Option<u32>,
    /// What it is worth, in words.
    pub worth: String,
    /// What speaks for it.
    pub reason: String,
}

impl From<&Advised> for LineData {
    fn from(line: &Advised) -> Self {
        Self {
            moves: line.moves.clone(),
            value: line.value,
            error: line.error,
            proven: line.proven,
            plies: line.plies,
            worth: line.worth(),
            reason: line.reason(),
        }
    }
}

#[derive(Serialize)]
struct Told<'a> {
    hint: Hint<'a>,
}

#[derive(Serialize)]
struct Hint<'a> {
    #[serde(rename = "match")]
    id: &'a str,
    ply: u64,
    lines: Vec<LineData>,
    done: bool,
}

/// The hints of one page: one at a time.
#[derive(Debug)]
pub struct Hints {
    told: mpsc::Sender<Utf8Bytes>,
    app: Arc<App>,
    stop: Stop,
}

impl Hints {
    /// Hints that are told here.
    pub fn new(told: mpsc::Sender<Utf8Bytes>, app: Arc<App>) -> Self {
        Self { told, app, stop: Stop::default() }
    }

    /// Begins to look for the best move of a seat; the error says why not.
    pub fn ask(&mut self, table: &Arc<Table>, seat: Seat) -> Result<(), String> {
        let snapshot = table.snapshot();
        if !Can::of(&snapshot, Some(seat)).hint {
            return Err("there are hints only in a casual match, when it is your turn".to_owned());
        }
        self.stop.set();
        self.stop = Stop::default();
        let permit = self.app.hinting.at_once().map_err(|error| error.message)?;
        let game = GameSpec::parse(&snapshot.spec.game).map_err(|error| error.to_string())?.game;
        let (id, ply) = (table.id(), snapshot.plies());
        let order = Order { time: TIME, max_lines: LINES, stop: self.stop.clone(), ..Order::default() };
        let told = self.told.clone();
        tokio::task::spawn_blocking(move || {
            let frame = |advice: &Advice, done: bool| {
                let lines = advice.lines.iter().map(LineData::from).collect();
                let hint = Hint { id: id.as_str(), ply, lines, done };
                Utf8Bytes::from(json(&Told { hint }))
            };
            // Who is behind gets the next one; the last one is waited for.
            let last = advise(&game, &*snapshot.position, &order, &mut |advice| {
                let _ = told.try_send(frame(advice, false));
            });
            if let Some(last) = last {
                let _ = told.blocking_send(frame(&last, true));
            }
            drop(permit);
        });
        Ok(())
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        self.stop.set();
    }
}
