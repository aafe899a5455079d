//! Records and stores, read, judged again and reviewed.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use rookery_live::{Story, read_story, verify};
use rookery_referee::words;
use rookery_rules::{Seat, Status};
use rookery_search::Stop;
use rookery_store::{GameFilter, GameId, Options, Store, StoreError};
use serde_json::{Value, json};

use crate::apart::interruptible;
use crate::errors::{of_store, os, value};

/// The most bytes of a record that is read.
const MAX_RECORD: usize = 256 << 20;
/// The most games of a store that are listed at once.
const PAGE: u32 = 1000;
/// Records are read from a store together until they have so many bytes.
const MAX_TOGETHER: usize = 16 << 20;

fn bounded(record: &[u8]) -> PyResult<&[u8]> {
    if record.len() > MAX_RECORD {
        return Err(value(format!("a record has at most {MAX_RECORD} bytes, not {}", record.len())));
    }
    Ok(record)
}

/// A record that cannot be read on once somebody has pressed Ctrl-C.
struct Stoppable<'a> {
    rest: &'a [u8],
    stop: &'a Stop,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.fill_buf()?.read(into)?;
        self.consume(n_bytes);
        Ok(n_bytes)
    }
}

impl BufRead for Stoppable<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.stop.is_set() { Err(io::Error::other("stopped")) } else { Ok(self.rest) }
    }

    fn consume(&mut self, n_bytes: usize) {
        self.rest = &self.rest[n_bytes..];
    }
}

/// Does something with a record until Ctrl-C.
fn with_record<T: Send, E: std::fmt::Display + Send>(
    py: Python<'_>,
    record: &[u8],
    read: impl FnOnce(Stoppable<'_>) -> Result<T, E> + Send,
) -> PyResult<T> {
    let (rest, stop) = (bounded(record)?, Stop::default());
    interruptible(py, &stop, || read(Stoppable { rest, stop: &stop }))?.map_err(value)
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
    with_record(py, record, |record| read_story(record).map(|story| told(&story).to_string()))
}

/// Checks every move, every ruling, the verdict and the hash of a record.
#[pyfunction]
fn _verify_record(py: Python<'_>, record: &[u8]) -> PyResult<bool> {
    with_record(py, record, |record| verify(record).map(|summary| summary.verdict.is_some()))
}

/// Every move of a record against what was best, in about so many seconds. As JSON.
#[pyfunction]
fn _review(py: Python<'_>, record: &[u8], seconds: f64) -> PyResult<String> {
    if !(0.0..=1e6).contains(&seconds) {
        return Err(value("`time` takes 0 to 1000000 seconds"));
    }
    let story = with_record(py, record, |record| read_story(record))?;
    let stop = Stop::default();
    let time = rookery_study::ReviewTime::within(Duration::from_secs_f64(seconds));
    let review = interruptible(py, &stop, || rookery_study::review(&story, time, &stop, &|_, _| {}))?;
    let review = review.ok_or_else(|| value("the review was stopped"))?;
    serde_json::to_string(&review).map_err(value)
}

/// The games of a store, or those of the game with this name, in the order they were stored: what was there when it was made.
#[pyclass(module = "rookery._rookery", frozen)]
struct StoredGames {
    location: String,
    game: Option<String>,
    ids: Vec<GameId>,
}

#[pymethods]
impl StoredGames {
    #[new]
    fn new(py: Python<'_>, location: PathBuf, game: Option<String>) -> PyResult<Self> {
        let location = location.to_str().ok_or_else(|| value("the name of the store is no text"))?.to_owned();
        if !location.contains("://") && !std::path::Path::new(&location).is_file() {
            return Err(os(format!("{location}: there is no such store")));
        }
        // It is opened anew whenever games are asked for, wherever the program is by then.
        let location = if location.contains("://") {
            location
        } else {
            let path = std::path::absolute(&location).map_err(os)?;
            path.to_str().ok_or_else(|| value("the name of the store is no text"))?.to_owned()
        };
        let (filter, stop) = (GameFilter { game: game.clone(), ..GameFilter::default() }, Stop::default());
        let list = || {
            let store = Store::open(&location, &Options::read_only())?;
            let (mut ids, mut after) = (vec![], 0);
            while !stop.is_set() {
                let games = store.games_after(&filter, after, PAGE)?;
                let Some(last) = games.last() else { break };
                after = last.seq;
                ids.extend(games.into_iter().map(|game| game.id));
            }
            Ok::<_, StoreError>(ids)
        };
        let ids = interruptible(py, &stop, list)?.map_err(|error| of_store(&error))?;
        Ok(Self { location, game, ids })
    }

    fn __len__(&self) -> usize {
        self.ids.len()
    }

    /// Another process reads the same file. Games that were stored since come behind those that are here.
    fn __getnewargs__(&self) -> (String, Option<String>) {
        (self.location.clone(), self.game.clone())
    }

    /// The records of `n` games from this one on, or of fewer if they are large, but of one at least.
    fn records(&self, py: Python<'_>, first: usize, n: usize) -> PyResult<Vec<Vec<u8>>> {
        let ids = self.ids.get(first..).filter(|rest| !rest.is_empty() && n > 0);
        let ids = ids.ok_or_else(|| PyIndexError::new_err("there is no such game"))?;
        let stop = Stop::default();
        let read = || {
            let store = Store::open(&self.location, &Options::read_only())?;
            let (mut records, mut n_bytes) = (vec![], 0);
            for &id in ids.iter().take(n) {
                let record = store.record(id)?;
                n_bytes += record.len();
                records.push(record);
                if n_bytes >= MAX_TOGETHER || stop.is_set() {
                    break;
                }
            }
            Ok::<_, StoreError>(records)
        };
        interruptible(py, &stop, read)?.map_err(|error| of_store(&error))
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_read_record, module)?)?;
    module.add_function(wrap_pyfunction!(_verify_record, module)?)?;
    module.add_function(wrap_pyfunction!(_review, module)?)?;
    module.add_class::<StoredGames>()
}
