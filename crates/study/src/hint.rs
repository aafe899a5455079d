//! Hints: on a copy of the position, in whatever thread the viewer likes.

use std::sync::Arc;
use std::time::Duration;

use rookery_catalog::AnyPosition;
use rookery_search::Stop;

use crate::advice::{Advice, Order, advise};

/// A question for a hint.
#[derive(Debug)]
pub struct HintQuestion {
    game: String,
    position: Arc<dyn AnyPosition>,
    order: Order,
}

/// A move to recommend.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// Its text.
    pub mv: String,
    /// What it is worth and why, in one sentence.
    pub reason: String,
    /// Everything that was found out.
    pub advice: Advice,
}

impl Hint {
    /// Whether what the move is worth is certain.
    pub fn is_proved(&self) -> bool {
        self.advice.lines.first().is_some_and(|best| best.proven)
    }
}

impl HintQuestion {
    /// What to do in this position of the game of this name? It is thought about for so long at the most.
    pub fn new(game: &str, position: Arc<dyn AnyPosition>, time: Duration) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let order = Order { time, max_lines: 2, threads, ..Order::default() };
        Self { game: game.to_owned(), position, order }
    }

    /// Raised, it makes the answer come at once.
    pub fn stop(&self) -> Stop {
        self.order.stop.clone()
    }

    /// Looks for the best move, and reports whenever more is known; the last report is what is returned. `None` if the game
    /// is over.
    pub fn think(self, report: &mut dyn FnMut(&Hint)) -> Option<Hint> {
        let Self { game, position, order } = self;
        let mut last = None;
        advise(&game, &*position, &order, &mut |advice| {
            last = hint(advice, &*position);
            last.iter().for_each(&mut *report);
        });
        last
    }
}

/// How many moves of the expected line are told.
const EXPECTED: usize = 5;

fn hint(advice: &Advice, position: &dyn AnyPosition) -> Option<Hint> {
    let best = advice.lines.first()?;
    let mv = best.mv().to_owned();
    let scene = position.scene();
    let label = scene.find_move(&mv).map_or(mv.as_str(), |mv| mv.label.as_str());
    let what = if label == mv { mv.clone() } else { format!("{mv} ({label})") };
    // What it is worth stands first: a narrow screen cuts off the end.
    let mut said = vec![best.worth()];
    if !best.reasons.is_empty() {
        said.push(best.reason());
    }
    if let Some(next) = advice.lines.get(1).filter(|_| !best.proven) {
        said.push(format!("next best is {} with {:.0} %", next.mv(), 100.0 * next.value));
    }
    if best.moves.len() > 1 {
        let line: Vec<&str> = best.moves.iter().take(EXPECTED).map(String::as_str).collect();
        said.push(format!("expected: {}", line.join(" ")));
    }
    Some(Hint { reason: format!("{what}: {}", said.join("; ")), mv, advice: advice.clone() })
}
