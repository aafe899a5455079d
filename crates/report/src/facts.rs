//! What a report says of the tournament as a whole: what was agreed, how ratings were made, how a test stands.

use rookery_ratings::elo::Sample;
use rookery_ratings::sprt::Run;
use rookery_tournament::{Entrant, GameResult, Seating, TournamentSpec};
use serde::Serialize;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::plots::{self, Frame, Line};
use crate::ratings::Ratings;

/// What was agreed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Setting {
    /// Game specs.
    pub games: Vec<String>,
    /// How many sit at a table, at most.
    pub seats: usize,
    /// The form of the tournament: its kind, then what was said of it.
    pub format: String,
    /// The time control.
    pub time: String,
    /// The seed, as text: many readers of JSON lose digits.
    pub seed: String,
    /// Names of tie-breaks, in the order in which they decide.
    pub tie_breaks: Vec<&'static str>,
}

impl Setting {
    pub(crate) fn new(spec: &TournamentSpec, seats: usize) -> Self {
        // Whatever a format is called and told in files.
        let format = match serde_json::to_value(&spec.format) {
            Ok(serde_json::Value::Object(mut keys)) => {
                let kind = keys.remove("kind").and_then(|kind| kind.as_str().map(str::to_owned));
                let told = keys.iter().map(|(key, value)| format!(" {key}={value}"));
                kind.into_iter().chain(told).collect()
            }
            _ => String::new(),
        };
        Self {
            games: spec.games.clone(),
            seats,
            format,
            time: spec.time.to_string(),
            seed: spec.seed.0.to_string(),
            tie_breaks: spec.tie_breaks().order.iter().map(|tie_break| tie_break.word()).collect(),
        }
    }
}

/// How games ended that began from one opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OpeningFacts {
    /// What it is called.
    pub opening: String,
    /// How many games count.
    pub games: u64,
    /// How many of them had several winners, or none.
    pub draws: u64,
    /// How many were won by each seat.
    pub wins_by_seat: Vec<u64>,
}

impl OpeningFacts {
    /// Before its first game.
    pub fn new(opening: String) -> Self {
        Self { opening, games: 0, draws: 0, wins_by_seat: vec![] }
    }

    /// Adds a game that began from it.
    pub fn add(&mut self, result: &GameResult) {
        let Some(outcome) = &result.outcome else { return };
        self.games += 1;
        let seats = self.wins_by_seat.len().max(result.entrants.len());
        self.wins_by_seat.resize(seats, 0);
        let mut winners = outcome.winners.iter();
        match (winners.next(), winners.next()) {
            (Some(seat), None) if seat.index() < seats => self.wins_by_seat[seat.index()] += 1,
            _ => self.draws += 1,
        }
    }
}

/// How ratings were made.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingFacts {
    /// The version of the computation with model and options.
    pub method: String,
    /// The name of the model.
    pub model: &'static str,
    /// What a rating is in.
    pub unit: &'static str,
    /// Virtual games of each entrant.
    pub prior: f64,
    /// Who has which rating by agreement.
    pub anchor: Option<Anchor>,
    /// How many games a whole block has.
    pub block_games: u64,
    /// Davidson's nu or Rao and Kupper's theta.
    pub draw_weight: Option<f64>,
    /// Names of entrants that have met, directly or by others. Ratings of different groups cannot be compared.
    pub groups: Vec<Vec<String>>,
    /// Games in which everybody was removed, which are in no rating.
    pub games_without_winner: u64,
}

/// Who has which rating by agreement.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Anchor {
    /// Its name.
    pub name: String,
    /// Its rating.
    pub rating: f64,
}

impl RatingFacts {
    pub(crate) fn new(evaluation: &Evaluation, ratings: &Ratings) -> Self {
        let name = |entrant: &Entrant| evaluation.names()[entrant.index()].clone();
        let options = ratings.options();
        Self {
            method: ratings.method(),
            model: ratings.model().word(),
            unit: ratings.model().unit(),
            prior: options.prior,
            anchor: options.anchor.map(|(entrant, rating)| Anchor { name: name(&entrant), rating }),
            block_games: Seating::block_games(evaluation.seats()),
            draw_weight: ratings.draw_weight(),
            groups: ratings.parts().iter().map(|part| part.iter().map(name).collect()).collect(),
            games_without_winner: ratings.games_without_winner,
        }
    }
}

/// How a test between two stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TestFacts {
    /// Who is tested, and against whom.
    pub names: [String; 2],
    /// `H0`, `H1`, or nothing yet.
    pub decision: Option<String>,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// At this ratio or below, H0 is accepted.
    pub lower: f64,
    /// At this ratio or above, H1 is accepted.
    pub upper: f64,
    /// What the bounds mean.
    pub model: String,
    /// The difference under H0.
    pub elo0: f64,
    /// The difference under H1.
    pub elo1: f64,
    /// How many games were counted.
    pub games: u64,
    /// How many blocks with 0, 1, 2 … half points of the first entrant.
    pub counts: Vec<u64>,
    /// How many blocks were left out because a game was aborted.
    pub dropped: u64,
    /// The ratio after some numbers of blocks.
    pub trace: Vec<(u64, f64)>,
}

impl TestFacts {
    /// What the plot shows.
    pub const PLOT: &str = "The logarithm of the likelihood ratio on its way to a bound";

    /// The ratio as a picture.
    pub fn plot(&self, frame: Frame<'_>) -> String {
        let points: Vec<(f64, f64)> = self.trace.iter().map(|&(blocks, llr)| (blocks as f64, llr)).collect();
        let limits = [(self.upper, "H1"), (self.lower, "H0")];
        let line = Line { points: &points, band: &[], limits: &limits, x_unit: "blocks", y_unit: "LLR" };
        plots::line(frame, &line)
    }

    /// A test between the first two of these.
    pub fn new(run: &Run, names: &[String]) -> Self {
        let test = run.test();
        let ((lower, upper), (elo0, elo1)) = (test.bounds(), test.elos());
        let name = |idx: usize| names.get(idx).cloned().unwrap_or_default();
        Self {
            names: [name(0), name(1)],
            decision: run.decision().map(|decision| decision.to_string()),
            llr: run.llr(),
            lower,
            upper,
            model: test.model().to_string(),
            elo0,
            elo1,
            games: run.games(),
            counts: run.counts().to_vec(),
            dropped: run.dropped(),
            trace: run.trace().points().collect(),
        }
    }
}

/// What a test has decided, and how far it is, as data, with the difference in Elo that its games show.
pub fn test_json(run: &Run) -> Value {
    let ((elo0, elo1), (lower, upper)) = (run.test().elos(), run.test().bounds());
    let sample = Sample::of_counts(run.counts()).ok();
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    json!({
        "decision": run.decision().map(|decision| decision.to_string()), "llr": run.llr(), "lower": lower, "upper": upper,
        "model": run.test().model().to_string(), "elo0": elo0, "elo1": elo1,
        "games": run.games(), "blocks": run.blocks(), "games_per_block": (run.counts().len() - 1) / 2,
        "counts": run.counts(), "dropped": run.dropped(),
        "elo": finite(sample.as_ref().map(Sample::elo)),
        "error": finite(sample.as_ref().and_then(Sample::elo_error)),
    })
}
