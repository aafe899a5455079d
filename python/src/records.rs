//! Records and stores, read, judged again and reviewed.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use rookery_live::{Story, read_story, verify};
use rookery_referee::words;
use rookery_rules::{Seat, Status};
use rookery_search::Stop;
use rookery_store::{GameFilter, Options, Page, Store};
use serde_json::{Value, json};

use crate::errors::value;
use crate::gate;
use crate::search::interruptible;

/// The most bytes of a record that is read.
const MAX_RECORD: usize = 256 << 20;
/// The most games of a store that are listed at once.
const PAGE: u32 = 1000;

fn bounded(record: &[u8]) -> PyResult<&[u8]> {
    if record.len() > MAX_RECORD {
        return Err(value(format!("a record has at most {MAX_RECORD} bytes, not {}", record.len())));
    }
    Ok(record)
}

fn told(story: &Story) -> Value {
    let turn = |turn: rookery_live::Turn<'_>| json!([turn.seat.index(), turn.mv, turn.before.text()]);
    let last = story.entries.last().map_or(&story.start, |entry| &entry.position);
    let returns: Option<Vec<f32>> = match (&story.verdict, last.status()) {
        (Some(verdict), _) => verdict.outcome.as_ref().map(|outcome| outcome.returns().collect()),
        (None, Status::Over(outcome)) => Some(outcome.returns().collect()),
        (None, Status::ToMove(_)) => None,
    };
    json!({
        "game": story.spec.game,
        "players": story.spec.seats.iter().map(|seat| &seat.name).collect::<Vec<_>>(),
        "start": story.start.text(),
        "turns": story.turns().map(turn).collect::<Vec<_>>(),
        "returns": returns,
        "winners": story.verdict.as_ref().and_then(|verdict| verdict.outcome.as_ref())
            .map(|outcome| outcome.winners.iter().map(Seat::index).collect::<Vec<_>>()),
        "text": story.verdict.as_ref().map(|verdict| words::verdict(verdict, &|seat| story.spec.who(seat))),
        "finished": story.verdict.is_some(),
    })
}

/// Reads a record and judges it again; what is wrong with it is a ValueError. As JSON.
#[pyfunction]
fn _read_record(py: Python<'_>, record: &[u8]) -> PyResult<String> {
    let record = bounded(record)?;
    gate::apart(py, || read_story(record).map(|story| told(&story).to_string()))?.map_err(value)
}

/// Checks every move, every ruling, the verdict and the hash of a record.
#[pyfunction]
fn _verify_record(py: Python<'_>, record: &[u8]) -> PyResult<bool> {
    let record = bounded(record)?;
    let summary = gate::apart(py, || verify(record))?.map_err(value)?;
    Ok(summary.verdict.is_some())
}

/// Every move of a record against what was best, in about so many seconds. As JSON.
#[pyfunction]
fn _review(py: Python<'_>, record: &[u8], seconds: f64) -> PyResult<String> {
    let record = bounded(record)?;
    if !(0.0..=1e6).contains(&seconds) {
        return Err(value("`time` takes 0 to 1000000 seconds"));
    }
    let story = gate::apart(py, || read_story(record))?.map_err(value)?;
    let stop = Stop::default();
    let time = rookery_study::ReviewTime::within(Duration::from_secs_f64(seconds));
    let review = interruptible(py, &stop, || rookery_study::review(&story, time, &stop, &|_, _| {}))?;
    let review = review.ok_or_else(|| value("the review was stopped"))?;
    serde_json::to_string(&review).map_err(value)
}

/// The records of a store's games, in the order they were stored.
#[pyfunction]
#[pyo3(signature = (location, game = None))]
fn _store_records(py: Python<'_>, location: PathBuf, game: Option<String>) -> PyResult<Vec<Vec<u8>>> {
    let location = location.to_str().ok_or_else(|| value("the name of the store is no text"))?.to_owned();
    if !location.contains("://") && !std::path::Path::new(&location).is_file() {
        return Err(PyOSError::new_err(format!("{location}: there is no such store")));
    }
    gate::apart(py, || {
        let store = Store::open(&location, &Options::read_only()).map_err(value)?;
        let filter = GameFilter { game, ..GameFilter::default() };
        let (mut ids, mut before) = (vec![], None);
        loop {
            let games = store.games(&filter, Page { before, limit: PAGE }).map_err(value)?;
            let Some(last) = games.last() else { break };
            before = Some(last.seq);
            ids.extend(games.into_iter().map(|game| game.id));
        }
        ids.reverse();
        ids.into_iter().map(|id| store.record(id).map_err(value)).collect()
    })?
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_read_record, module)?)?;
    module.add_function(wrap_pyfunction!(_verify_record, module)?)?;
    module.add_function(wrap_pyfunction!(_review, module)?)?;
    module.add_function(wrap_pyfunction!(_store_records, module)?)
}
