//! What results say: standings, Elo, ratings, a sequential test.

use pyo3::prelude::*;
use rookery_ratings::blocks::block_half_points;
use rookery_ratings::elo::Sample;
use rookery_ratings::sprt::{Decision, Model as Scale, Run, Sprt as Test};
use rookery_referee::Cause;
use rookery_report::{Evaluation, Model, RatingOptions, Ratings};
use rookery_rules::{Outcome, Seat};
use rookery_tournament::{
    Decide, Entrant, FormatSpec, GameResult, Pairing, Reason, Seating, Sprt, Standings, Summary,
    TournamentSpec,
};
use serde_json::{Value, json};

use crate::errors::value;

/// How everybody stands, the best first.
pub(crate) fn standings(spec: &TournamentSpec, results: &[GameResult], ranking: &[Vec<Entrant>]) -> Value {
    let mut standings = Standings::new(spec.entrants.len(), spec.points);
    for result in results {
        standings.add(result);
    }
    let table = standings.table(&spec.tie_breaks(), ranking);
    let row = |row: &rookery_tournament::Standing| {
        json!({
            "name": spec.entrants[row.entrant.index()].name, "place": row.place, "points": row.points.value(),
            "games": row.games, "wins": row.total.wins, "draws": row.total.draws, "losses": row.total.losses,
            "faults": row.faults,
        })
    };
    table.iter().map(row).collect()
}

/// How much stronger the first of two is, with the ends of the interval.
pub(crate) fn elo(spec: &TournamentSpec, results: &[GameResult]) -> Value {
    if spec.entrants.len() != 2 || !matches!(spec.format, FormatSpec::Series { .. }) {
        return Value::Null;
    }
    let mut summary = Summary::new(2);
    for result in results {
        summary.add(result);
    }
    let finite = |number: f64| number.is_finite().then_some(number);
    summary
        .elo()
        .map_or(Value::Null, |elo| json!([finite(elo.difference), finite(elo.low), finite(elo.high)]))
}

/// The ratings of all entrants by the usual model; null if there are none.
pub(crate) fn ratings_of(spec: &TournamentSpec, results: &[GameResult]) -> Value {
    fit(spec, results, &RatingOptions::default()).unwrap_or(Value::Null)
}

fn fit(spec: &TournamentSpec, results: &[GameResult], options: &RatingOptions) -> Result<Value, String> {
    let mut evaluation = Evaluation::new(spec).keeping_games();
    for result in results {
        evaluation.add(result);
    }
    let ratings = Ratings::fit(&evaluation, options).map_err(|error| error.to_string())?;
    let mut rows: Vec<(f64, Value)> = vec![];
    for (idx, entrant) in spec.entrants.iter().enumerate() {
        let number = Entrant(idx as u32);
        if let Some(rated) = ratings.of(number) {
            let row = json!({
                "name": entrant.name, "rating": rated.rating, "error": rated.error, "games": ratings.games(number),
            });
            rows.push((rated.rating, row));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// A test that is told of whole blocks.
#[derive(Clone, Debug)]
pub(crate) struct Deciding {
    run: Run,
    next: u64,
}

impl Decide for Deciding {
    fn block(&mut self, games: &[GameResult]) -> bool {
        let places: Option<Vec<Vec<usize>>> = games.iter().map(places).collect();
        let half_points = places.and_then(|places| block_half_points(&places, 0, 1));
        // A block of a series has as many games as the test was made for.
        let _ = self.run.take(self.next, half_points);
        self.next += 1;
        self.run.decision().is_some()
    }
}

/// The place of every entrant, by number; `None` if the game was aborted.
fn places(result: &GameResult) -> Option<Vec<usize>> {
    let of_seats = result.outcome.as_ref()?.places();
    let mut places = vec![0; result.entrants.len()];
    for (seat, entrant) in Seat::all(result.entrants.len()).zip(&result.entrants) {
        *places.get_mut(entrant.index())? = of_seats[seat];
    }
    Some(places)
}

impl Deciding {
    /// A series that ends when the test (elo0, elo1, alpha, beta) has decided.
    pub(crate) fn format(n_players: usize, games: u64, test: (f64, f64, f64, f64)) -> PyResult<Sprt<Self>> {
        let (elo0, elo1, alpha, beta) = test;
        let test = Test::new(Scale::Normalized, elo0, elo1, alpha, beta).map_err(value)?;
        let run = Run::new(test, Seating::block_games(n_players) as usize).map_err(value)?;
        Ok(Sprt::new(n_players, games, Self { run, next: 0 }))
    }

    /// What it has decided, and how far it is.
    pub(crate) fn told(&self) -> Value {
        let (lower, upper) = self.run.test().bounds();
        let sample = Sample::of_counts(self.run.counts()).ok();
        let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
        let decision = self.run.decision().map(|decision| match decision {
            Decision::H0 => "H0",
            Decision::H1 => "H1",
        });
        json!({
            "decision": decision, "llr": self.run.llr(), "lower": lower, "upper": upper,
            "games": self.run.games(), "blocks": self.run.blocks(),
            "elo": finite(sample.as_ref().map(Sample::elo)),
            "error": finite(sample.as_ref().and_then(Sample::elo_error)),
        })
    }
}

/// Ratings from results: `names`, and for each game the numbers of who sat at each seat and the place of each. As JSON.
#[pyfunction]
#[pyo3(signature = (names, games, model = None, prior = 1.0))]
fn _ratings(
    names: Vec<String>,
    games: Vec<(Vec<u32>, Vec<usize>)>,
    model: Option<&str>,
    prior: f64,
) -> PyResult<String> {
    let model = model.map(str::parse::<Model>).transpose().map_err(value)?;
    let seats = games.iter().map(|(sat, _)| sat.len()).max().unwrap_or(2).max(2);
    let entrants: Vec<Value> = names.iter().map(|name| json!({"name": name, "player": "human"})).collect();
    let spec = json!({
        "name": "ratings", "games": ["games"], "seats": seats, "format": {"kind": "round-robin", "games": 1},
        "entrants": entrants,
    });
    let spec: TournamentSpec = serde_json::from_value(spec).map_err(value)?;
    let mut results = vec![];
    for (id, (sat, places)) in games.iter().enumerate() {
        if sat.len() != places.len() || sat.iter().any(|&entrant| entrant as usize >= names.len()) {
            return Err(value(format!(
                "game {id}: it needs a place for each player, and players that are named"
            )));
        }
        let scores = places.iter().map(|&place| -(place as i32)).collect();
        let pairing = Pairing {
            id: id as u64,
            entrants: sat.iter().map(|&entrant| Entrant(entrant)).collect(),
            block: id as u64,
            start: id as u64,
            round: None,
            reason: Reason::Rotation { game: 1, of: 1, turn: 1, turns: 1 },
        };
        results.push(GameResult::new(&pairing, Some(Outcome::by_score(scores)), Cause::Normal));
    }
    Ok(fit(&spec, &results, &RatingOptions { model, prior, anchor: None }).map_err(value)?.to_string())
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_ratings, module)?)
}
