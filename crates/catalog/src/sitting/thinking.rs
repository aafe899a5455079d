//! What computers are asked in a sitting, as something to run in any thread.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rookery_rules::{Position, Scene, Seat};
use rookery_search::{Budget, Stop, Strategy};

use crate::{AnyAnalysis, AnyPosition};

/// A strategy that is asked now in one thread and then in another. What it learns from one answer stays for the next.
pub(super) type SharedStrategy<P> = Arc<Mutex<Box<dyn Strategy<P>>>>;

/// A question to a computer.
pub struct Question {
    seat: Seat,
    stop: Stop,
    number: u64,
    think: Box<dyn FnOnce() -> Result<String, String> + Send>,
}

/// Its answer.
#[derive(Debug)]
pub struct Thought {
    pub(super) number: u64,
    /// The text of the move, or what went wrong.
    pub(super) chosen: Result<String, String>,
    pub(super) used: Duration,
}

impl Question {
    pub(super) fn new<P: Position>(
        (seat, number): (Seat, u64),
        position: P,
        strategy: SharedStrategy<P>,
        budget: Budget,
        think: Option<Duration>,
    ) -> Self {
        let stop = budget.stop.clone();
        let think = move || {
            let Ok(mut strategy) = strategy.lock() else {
                return Err("the player failed before".to_owned());
            };
            let deadline = think.map(|think| Instant::now() + think);
            let chosen = strategy.choose(&position, &Budget { deadline, ..budget });
            Ok(chosen.to_string())
        };
        Self { seat, stop, number, think: Box::new(think) }
    }

    /// Who is asked.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Raised, it makes the computer answer with what it has found so far.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Thinks, as long as it takes.
    pub fn think(self) -> Thought {
        let start = Instant::now();
        let Self { think, number, .. } = self;
        let chosen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(think));
        let chosen = chosen.unwrap_or_else(|_| Err("the player failed".to_owned()));
        Thought { number, chosen, used: start.elapsed() }
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("seat", &self.seat).finish_non_exhaustive()
    }
}

/// A question for a hint.
#[derive(Debug)]
pub struct HintQuestion {
    pub(super) position: Box<dyn AnyPosition>,
    pub(super) stop: Stop,
}

/// A move to recommend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// Its text.
    pub mv: String,
    /// Why.
    pub reason: String,
}

/// Random games behind a hint, and the time they may take on a slow machine.
const HINT_WORK: u64 = 20_000;
const HINT_TIME: Duration = Duration::from_secs(10);

impl HintQuestion {
    /// Raised, it makes the answer come at once.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Looks for the best move. `None` if the game is over.
    pub fn think(self) -> Option<Hint> {
        let budget = Budget {
            work: Some(HINT_WORK),
            deadline: Some(Instant::now() + HINT_TIME),
            stop: self.stop.clone(),
            ..Budget::default()
        };
        let mut last = None;
        self.position.analyse(&budget, 2, &mut |analysis| last = Some(analysis.clone()));
        hint(&last?, &self.position.scene())
    }
}

fn hint(analysis: &AnyAnalysis, scene: &Scene) -> Option<Hint> {
    let best = analysis.lines.first()?;
    let mv = best.moves.first()?.clone();
    let label = scene.find_move(&mv).map_or(mv.as_str(), |mv| mv.label.as_str());
    let what = if label == mv { mv.clone() } else { format!("{mv} ({label})") };
    let worth = |value: f32| format!("{:.0} % of a win", 100.0 * value);
    let second = analysis.lines.get(1).and_then(|line| Some((line.moves.first()?, line)));
    let why = match (best.proven, second) {
        (true, _) if best.value >= 1.0 => "it wins, whatever the others do".to_owned(),
        (true, _) if best.value <= 0.0 => {
            "every move loses against best play; this one is as good as any".to_owned()
        }
        (true, _) => "it holds the draw; nothing better is to be had".to_owned(),
        (false, None) => "it is the only move".to_owned(),
        (false, Some((other, line))) => {
            let (worth, other_worth) = (worth(best.value), worth(line.value));
            format!("worth about {worth}; next best is {other} with {other_worth}")
        }
    };
    let line: Vec<&str> = best.moves.iter().take(5).map(String::as_str).collect();
    let expected = if line.len() > 1 { format!("; expected: {}", line.join(" ")) } else { String::new() };
    Some(Hint { reason: format!("{what}: {why}{expected}"), mv })
}
