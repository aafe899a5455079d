//! The best moves of a position, by the strongest means at hand.

use std::time::{Duration, Instant};

use rookery_catalog::{AnyPosition, Game, Visit, visit};
use rookery_rules::{Notation as _, Position, PositionOf, Reason, Seed};
use rookery_search::{Budget, Stop};

use crate::means::{self, Found};
use crate::reasons::{of_the_best, reasons};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Order {
    /// How long it may take.
    pub time: Duration,
    /// At most so many moves are told of.
    pub max_lines: usize,
    /// So many threads may think.
    pub threads: usize,
    /// Raised when the answer is wanted at once.
    pub stop: Stop,
    /// Where all randomness comes from.
    pub seed: Seed,
}

impl Default for Order {
    fn default() -> Self {
        Self { time: Duration::from_secs(1), max_lines: 3, threads: 1, stop: Stop::default(), seed: Seed(0) }
    }
}

/// What is known of a position so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Advice {
    /// The best moves, the best first.
    pub lines: Vec<Advised>,
    /// Positions that were looked at.
    pub nodes: u64,
    /// Random games that were played.
    pub playouts: u64,
    /// How many moves ahead was looked; 0 where that is not counted.
    pub depth: u32,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether it is the last word.
    pub done: bool,
}

/// What is known of one move.
#[derive(Clone, PartialEq, Debug)]
pub struct Advised {
    /// The move, and how the game would go on.
    pub moves: Vec<String>,
    /// The share of a win that the player to move gets from it, 0 to 1.
    pub value: f32,
    /// How far the value may be off, in either direction; 0 if it is certain.
    pub error: f32,
    /// Whether the value is certain.
    pub proven: bool,
    /// In how many moves of all players the game is over then, if the value is certain and this is known.
    pub plies: Option<u32>,
    /// Random games that tried it.
    pub visits: u32,
    /// What speaks for it, in the words of the game.
    pub reasons: Vec<Reason>,
}

impl Advised {
    /// The move.
    pub fn mv(&self) -> &str {
        self.moves.first().map_or("", String::as_str)
    }

    /// What the move is worth, in words: `wins in 7 moves (proved)`, `about 63 % of a win, give or take 5`.
    pub fn worth(&self) -> String {
        let within = |plies: Option<u32>| match plies {
            Some(1) => " at once".to_owned(),
            Some(plies) => format!(" in {plies} moves"),
            None => String::new(),
        };
        match self.value {
            value if !self.proven => {
                let (value, error) = (100.0 * value, (100.0 * self.error).max(1.0));
                format!("about {value:.0} % of a win, give or take {error:.0}")
            }
            value if value >= 1.0 => format!("wins{} (proved)", within(self.plies)),
            value if value <= 0.0 => format!("loses{} against best play (proved)", within(self.plies)),
            value if (value - 0.5).abs() < 1e-3 => "draws with best play (proved)".to_owned(),
            value => format!("brings {:.0} % of a win (proved)", 100.0 * value),
        }
    }

    /// What speaks for the move, in words; empty if nothing does.
    pub fn reason(&self) -> String {
        self.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Finds the best moves of a position and what they are worth: by proof where the game can be solved in time, else by the
/// search of the strongest player. Reports whenever more is known; the last report is what is returned. `None` if the game is
/// over.
///
/// # Panics
/// If there is no game of this name, or the position is not one of its own.
pub fn advise(
    game: &str,
    position: &dyn AnyPosition,
    order: &Order,
    report: &mut dyn FnMut(&Advice),
) -> Option<Advice> {
    let asked = Asked { text: position.text(), means: Means::Strongest(order), report };
    visit(game, asked).expect("the caller names a game of the catalog")
}

/// The same by random games alone, within a budget: with a number of them the answer is the same on any machine.
///
/// # Panics
/// As [`advise`].
pub fn advise_by_playouts(
    game: &str,
    position: &dyn AnyPosition,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Advice),
) {
    let asked = Asked { text: position.text(), means: Means::Playouts(budget, max_lines), report };
    visit(game, asked).expect("the caller names a game of the catalog");
}

/// By what means.
enum Means<'a> {
    Strongest(&'a Order),
    Playouts(&'a Budget, usize),
}

struct Asked<'a> {
    text: String,
    means: Means<'a>,
    report: &'a mut dyn FnMut(&Advice),
}

impl Visit for Asked<'_> {
    type Out = Option<Advice>;

    fn visit<G: Game>(self) -> Option<Advice> {
        let Self { text, means, report } = self;
        let position = PositionOf::<G>::from_text(&text).expect("the position is one of this game");
        position.to_move()?;
        let start = Instant::now();
        let mut last: Option<Advice> = None;
        let mut known: Vec<(String, Vec<Reason>)> = vec![];
        let mut tell = |found: &Found<'_, <PositionOf<G> as Position>::Move>| {
            let analysis = found.analysis;
            let lines = analysis.lines.iter().zip(found.errors).enumerate().map(|(place, (line, &error))| {
                let mv = line.moves[0];
                let text = mv.to_string();
                // A reason costs a look around, and is the same each time.
                let idx = known.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
                    known.push((text, reasons::<G>(&position, mv)));
                    known.len() - 1
                });
                let mut reasons = known[idx].1.clone();
                if place == 0 && reasons.is_empty() {
                    reasons.push(of_the_best(line));
                }
                Advised {
                    moves: line.moves.iter().map(ToString::to_string).collect(),
                    value: line.value,
                    error,
                    proven: line.proven,
                    plies: line.plies.filter(|_| line.proven),
                    visits: line.visits,
                    reasons,
                }
            });
            let advice = Advice {
                lines: lines.collect(),
                nodes: analysis.nodes,
                playouts: analysis.playouts,
                depth: analysis.depth,
                elapsed: start.elapsed(),
                done: found.done,
            };
            report(&advice);
            last = Some(advice);
        };
        match means {
            Means::Strongest(order) => means::find::<G>(&position, order, &mut tell),
            Means::Playouts(budget, max_lines) => {
                means::play_out::<G>(&position, budget, max_lines, &mut tell);
            }
        }
        last
    }
}
