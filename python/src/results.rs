//! What results say: standings, Elo, ratings.

use pyo3::prelude::*;
use rookery_referee::Cause;
use rookery_report::{Evaluation, Model, RatingOptions, Ratings};
use rookery_rules::{MAX_SEATS, Outcome};
use rookery_tournament::{Entrant, GameResult, Pairing, Reason, Summary, TournamentSpec};
use serde_json::{Value, json};

use crate::errors::value;

/// All results, counted as the tournament does: games after the one that decided a test count for nothing.
pub(crate) fn evaluation(spec: &TournamentSpec, results: &[GameResult]) -> Evaluation {
    let mut evaluation = Evaluation::new(spec).keeping_games();
    for result in results {
        evaluation.add(result);
    }
    evaluation
}

/// How everybody stands, the best first.
pub(crate) fn standings(evaluation: &Evaluation, ranking: &[Vec<Entrant>]) -> Value {
    let spec = evaluation.spec();
    let table = evaluation.standings().table(&spec.tie_breaks(), ranking);
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
pub(crate) fn elo(evaluation: &Evaluation, results: &[GameResult]) -> Value {
    let spec = evaluation.spec();
    if spec.entrants.len() != 2 || !spec.is_series() {
        return Value::Null;
    }
    let mut summary = Summary::new(2);
    for result in results.iter().filter(|result| evaluation.counts(result.pairing)) {
        summary.add(result);
    }
    let finite = |number: f64| number.is_finite().then_some(number);
    summary
        .elo()
        .map_or(Value::Null, |elo| json!([finite(elo.difference), finite(elo.low), finite(elo.high)]))
}

/// The ratings of all entrants, the strongest first.
pub(crate) fn fit(evaluation: &Evaluation, options: &RatingOptions) -> Result<Value, String> {
    let ratings = Ratings::fit(evaluation, options).map_err(|error| error.to_string())?;
    let mut rows: Vec<(f64, Value)> = vec![];
    for (idx, entrant) in evaluation.spec().entrants.iter().enumerate() {
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
        let fits = sat.len() == places.len() && (2..=MAX_SEATS).contains(&sat.len());
        if !fits || sat.iter().any(|&entrant| entrant as usize >= names.len()) {
            return Err(value(format!(
                "game {id}: it needs 2 to {MAX_SEATS} players that are named, and a place for each"
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
    let options = RatingOptions { model, prior, anchor: None };
    Ok(fit(&evaluation(&spec, &results), &options).map_err(value)?.to_string())
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_SEATS", MAX_SEATS)?;
    module.add_function(wrap_pyfunction!(_ratings, module)?)
}
