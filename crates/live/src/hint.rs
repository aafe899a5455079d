//! Hints: on a copy of the position, in whatever thread the viewer likes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_catalog::{AnyAnalysis, AnyPosition};
use rookery_rules::Scene;
use rookery_search::{Budget, Stop};

/// A question for a hint.
#[derive(Debug)]
pub struct HintQuestion {
    position: Arc<dyn AnyPosition>,
    stop: Stop,
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
    /// What to do in this position?
    pub fn new(position: Arc<dyn AnyPosition>) -> Self {
        Self { position, stop: Stop::default() }
    }

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
