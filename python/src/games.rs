//! Games by name, and positions from texts.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rookery_catalog::{CATALOG, game, state, state_from_text};
use rookery_rules::GameSpec;

use crate::errors::value;
use crate::moves::{MAX_TEXT, bounded};
use crate::position::Position;

/// A position from its text, of the game that is named or of the only one that knows it.
pub(crate) fn read(text: &Bound<'_, PyString>, game: Option<&Bound<'_, PyString>>) -> PyResult<Position> {
    let mut text = bounded(text, "a position")?;
    let mut name = game.map(|game| bounded(game, "a game")).transpose()?;
    // Also the other way round: a position is no game.
    if let Some(given) = &mut name
        && CATALOG.iter().any(|game| game.name() == text)
    {
        std::mem::swap(given, &mut text);
    }
    if let Some(name) = name {
        let spec = GameSpec::parse(&name).map_err(value)?;
        let game = rookery_catalog::game(&spec.game).map_err(value)?;
        return Ok(Position::of(state_from_text(game, &text).map_err(value)?));
    }
    let read: Vec<_> = CATALOG.iter().filter_map(|game| state_from_text(*game, &text).ok()).collect();
    let names: Vec<&str> = read.iter().map(|state| state.game()).collect();
    match <[_; 1]>::try_from(read) {
        Ok([state]) => Ok(Position::of(state)),
        Err(_) if names.is_empty() => {
            let shown: String = text.chars().take(60).collect();
            Err(value(format!("{shown:?} is no position of any game; pass the game's name to see why")))
        }
        Err(_) => Err(value(format!(
            "this is a position of several games ({}); name the one that is meant",
            names.join(", ")
        ))),
    }
}

/// The first position of a game spec.
///
/// >>> import rookery
/// >>> print(rookery.load("hexapawn:rows=3,cols=3").text)
/// p1 111/.../222
#[pyfunction]
fn load(spec: &Bound<'_, PyString>) -> PyResult<Position> {
    let text = bounded(spec, "a game spec")?;
    let state = state(&text).map_err(value)?;
    let spec = GameSpec::parse(&text).map_err(value)?;
    let canonical = game(&spec.game).and_then(|game| game.canonical(&spec)).map_err(value)?;
    Ok(Position { state, spec: Some(canonical.into()) })
}

#[pyfunction]
fn _unpickle(
    game: &Bound<'_, PyString>,
    text: &Bound<'_, PyString>,
    spec: Option<String>,
) -> PyResult<Position> {
    let read = read(text, Some(game))?;
    // The spec says where it began; one that cannot be is left out rather than believed.
    let spec = spec.filter(|spec| {
        spec.len() <= MAX_TEXT && state(spec).is_ok_and(|state| state.game() == read.state.game())
    });
    Ok(Position { spec: spec.map(Into::into), ..read })
}

/// The names of all games.
///
/// >>> import rookery
/// >>> "hexapawn" in rookery.games()
/// True
#[pyfunction]
fn games() -> Vec<&'static str> {
    CATALOG.iter().map(|game| game.name()).collect()
}

/// What is to be known of a game: `title`, `summary`, `seats`, `rules` (Markdown), `keys` of its specs, `players`.
///
/// >>> import rookery
/// >>> info = rookery.game_info("four")
/// >>> info["title"], sorted(info["keys"]), "level:8" in info["players"]
/// ('Four in a row', ['cols', 'line', 'rows'], True)
#[pyfunction]
fn game_info<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let game = game(name).map_err(value)?;
    let info = PyDict::new(py);
    info.set_item("name", game.name())?;
    info.set_item("title", game.title())?;
    info.set_item("summary", game.summary())?;
    info.set_item("seats", game.seats())?;
    info.set_item("rules", game.rules())?;
    let keys = PyDict::new(py);
    for key in game.keys() {
        keys.set_item(key.name, (key.default, key.help))?;
    }
    info.set_item("keys", keys)?;
    info.set_item("players", game.players().iter().map(|player| player.name).collect::<Vec<_>>())?;
    Ok(info)
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(_unpickle, module)?)?;
    module.add_function(wrap_pyfunction!(games, module)?)?;
    module.add_function(wrap_pyfunction!(game_info, module)?)
}
