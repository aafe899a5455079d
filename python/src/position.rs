//! Games and positions.

use std::sync::Arc;

use numpy::{PyArray1, PyArray3, PyReadwriteArray1, PyReadwriteArray3};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString, PyTuple};
use rookery_catalog::{AnyState, CATALOG, Game, Visit, game, state, state_from_text, visit};
use rookery_rules::{GameSpec, Outcome, Seat, Setup as _, Status};

use crate::errors::{illegal, kind, value};

/// The longest text of a spec, a position or a move that is looked at.
const MAX_TEXT: usize = 100_000;

/// One moment of a game. `rookery.load` gives the first one.
#[pyclass(module = "rookery", name = "Position")]
pub(crate) struct Position {
    pub(crate) state: Box<dyn AnyState>,
    spec: Option<Arc<str>>,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self { state: self.state.boxed_clone(), spec: self.spec.clone() }
    }
}

impl Position {
    pub(crate) fn of(state: Box<dyn AnyState>) -> Self {
        Self { state, spec: None }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.state.position().status() {
            Status::Over(outcome) => Some(outcome),
            Status::ToMove(_) => None,
        }
    }

    fn play_any(&mut self, mv: &Bound<'_, PyAny>) -> PyResult<()> {
        match read_move(mv)? {
            Move::Text(text) => self.state.play_text(&text).map_err(illegal),
            Move::Action(action) => self.state.play_action(action).map_err(illegal),
        }
    }

    fn seat(&self, seat: Option<i64>) -> PyResult<Seat> {
        let n_seats = self.state.position().n_seats();
        match seat {
            None => Ok(match self.state.position().status() {
                Status::ToMove(seat) => seat,
                Status::Over(_) => Seat::new(0),
            }),
            Some(seat) => usize::try_from(seat)
                .ok()
                .filter(|&seat| seat < n_seats)
                .map(|seat| Seat::new(seat as u8))
                .ok_or_else(|| value(format!("there is no seat {seat}; seats are 0 to {}", n_seats - 1))),
        }
    }
}

/// A move as Python gives one.
pub(crate) enum Move {
    Text(String),
    Action(usize),
}

pub(crate) fn read_move(mv: &Bound<'_, PyAny>) -> PyResult<Move> {
    // The usual case first: steps by number are what programs that learn make most.
    if let Ok(number) = mv.cast_exact::<PyInt>()
        && let Ok(action) = number.extract::<i64>()
    {
        return usize::try_from(action)
            .map(Move::Action)
            .map_err(|_| illegal(format!("there is no action {action}")));
    }
    if let Ok(text) = mv.cast::<PyString>() {
        return Ok(Move::Text(bounded(text, "a move")?));
    }
    // True is a number for Python, and never meant as one here.
    if mv.is_instance_of::<PyBool>() || !(mv.hasattr("__index__")?) {
        return Err(kind("a move: its text, or the number of its action", mv));
    }
    let action: i128 = mv.extract().map_err(|_| illegal("the number of the action is too large"))?;
    usize::try_from(action).map(Move::Action).map_err(|_| illegal(format!("there is no action {action}")))
}

/// A text from outside that is not too long.
pub(crate) fn bounded(text: &Bound<'_, PyString>, what: &str) -> PyResult<String> {
    let text = text.to_cow()?;
    if text.len() > MAX_TEXT {
        return Err(value(format!("{what} has at most {MAX_TEXT} bytes, not {}", text.len())));
    }
    Ok(text.into_owned())
}

/// What each seat gets: 1 for winning alone, -1 (or its share of it) for losing, all together 0.
pub(crate) fn returns(outcome: &Outcome, n_seats: usize) -> impl Iterator<Item = f32> {
    let (winners, others) = (outcome.winners, n_seats.max(2) - 1);
    let won = (n_seats as f32 / winners.len().max(1) as f32 - 1.0) / others as f32;
    let lost = if winners.is_empty() { 0.0 } else { -1.0 / others as f32 };
    Seat::all(n_seats).map(move |seat| if winners.contains(seat) { won } else { lost })
}

#[pymethods]
impl Position {
    /// A position from its text, as `Position.text` gives it.
    ///
    /// Without the game's name all games are asked, and exactly one has to know the text.
    ///
    /// >>> import rookery
    /// >>> rookery.Position.from_text("p1 111/.../222", "hexapawn").legal_moves()
    /// ['c1-c2', 'b1-b2', 'a1-a2']
    #[staticmethod]
    #[pyo3(signature = (text, game = None))]
    fn from_text(text: &Bound<'_, PyString>, game: Option<&Bound<'_, PyString>>) -> PyResult<Self> {
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
            return Ok(Self::of(state_from_text(game, &text).map_err(value)?));
        }
        let read: Vec<_> = CATALOG.iter().filter_map(|game| state_from_text(*game, &text).ok()).collect();
        let names: Vec<&str> = read.iter().map(|state| state.game()).collect();
        match <[_; 1]>::try_from(read) {
            Ok([state]) => Ok(Self::of(state)),
            Err(_) if names.is_empty() => {
                let shown: String = text.chars().take(60).collect();
                Err(value(format!("{shown:?} is no position of any game; name the game to hear why")))
            }
            Err(_) => Err(value(format!(
                "this is a position of several games ({}); name the one that is meant",
                names.join(", ")
            ))),
        }
    }

    /// The texts of the legal moves, in the game's order; empty when the game is over.
    fn legal_moves(&self) -> Vec<String> {
        self.state.position().moves()
    }

    /// The numbers of the legal moves among all actions of this setup, in the order of `legal_moves()`.
    fn legal_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut actions = Vec::with_capacity(64);
        self.state.for_each_action(&mut |action| actions.push(action));
        PyList::new(py, actions)
    }

    /// 1 for each legal action and 0 for each other one: a numpy array of bytes, or a `bytearray` where numpy is not
    /// installed. With `out`, an array of `int8` or `uint8` and the length `n_actions`, it is written there.
    #[pyo3(signature = (out = None))]
    fn action_mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n_actions = self.state.n_actions();
        if let Some(out) = out {
            let mut array: PyReadwriteArray1<'_, u8> = bytes_of(out)?
                .extract()
                .map_err(|_| kind("an array of uint8 or int8 with one dimension that can be written", out))?;
            let mask = array.as_slice_mut().map_err(value)?;
            if mask.len() != n_actions {
                return Err(value(format!(
                    "the array has {} bytes, and there are {n_actions} actions",
                    mask.len()
                )));
            }
            self.state.mask(mask);
            return Ok(out.clone());
        }
        let mut mask = vec![0; n_actions];
        self.state.mask(&mut mask);
        if py.import("numpy").is_err() {
            return Ok(pyo3::types::PyByteArray::new(py, &mask).into_any());
        }
        Ok(PyArray1::from_vec(py, mask).into_any())
    }

    /// What a seat sees, by default the one to move: planes of bytes, as `observation_planes` names them. With `out`, an
    /// array of `uint8` and the shape `observation_shape`, it is written there.
    #[pyo3(signature = (seat = None, out = None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: Option<i64>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seat = self.seat(seat)?;
        let (planes, rows, cols) = self.observation_shape();
        let out = if let Some(out) = out {
            out
        } else {
            needs_numpy(py, "observations")?;
            PyArray3::<u8>::zeros(py, [planes, rows, cols], false).into_any()
        };
        let mut array: PyReadwriteArray3<'_, u8> = out
            .extract()
            .map_err(|_| kind("an array of uint8 with three dimensions that can be written", &out))?;
        let slice = array.as_slice_mut().map_err(value)?;
        if slice.len() != self.state.frame().len() {
            let shape = format!("({planes}, {rows}, {cols})");
            return Err(value(format!("an observation has the shape {shape}")));
        }
        self.state.observe(seat, slice);
        drop(array);
        Ok(out)
    }

    /// Planes, rows and columns of an observation.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        let frame = self.state.frame();
        (frame.names.len(), frame.rows, frame.cols)
    }

    /// What each plane of an observation shows.
    #[getter]
    fn observation_planes(&self) -> Vec<String> {
        self.state.frame().names.clone()
    }

    /// How many actions this setup has, legal or not.
    #[getter]
    fn n_actions(&self) -> usize {
        self.state.n_actions()
    }

    /// The text of an action, legal or not.
    fn action_to_move(&self, action: usize) -> PyResult<String> {
        let last = self.state.n_actions() - 1;
        let text = self.state.action_text(action);
        text.ok_or_else(|| {
            illegal(format!("there is no action {action}; actions are counted from 0 to {last}"))
        })
    }

    /// The number of the action of a move, legal or not.
    fn move_to_action(&self, mv: &Bound<'_, PyString>) -> PyResult<usize> {
        let text = bounded(mv, "a move")?;
        let action = self.state.action_of(&text).map_err(illegal)?;
        action.ok_or_else(|| illegal(format!("{text} is no move of this setup")))
    }

    /// Plays a move, by its text or the number of its action, and changes this position.
    ///
    /// >>> import rookery
    /// >>> position = rookery.load("four")
    /// >>> position.play("d")
    /// >>> position.play(position.legal_actions()[0])
    /// >>> position.to_move
    /// 0
    fn play(&mut self, mv: &Bound<'_, PyAny>) -> PyResult<()> {
        self.play_any(mv)
    }

    /// The position after a move; this one stays as it is.
    fn after(&self, mv: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut next = self.clone();
        next.play_any(mv)?;
        Ok(next)
    }

    /// The same position once more.
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    /// Takes a seat out of the game; the rules say what becomes of it.
    fn remove(&mut self, seat: i64) -> PyResult<()> {
        let seat = self.seat(Some(seat))?;
        self.state.position_mut().remove(seat);
        Ok(())
    }

    /// Why a move is not legal; None if it is.
    ///
    /// >>> import rookery
    /// >>> rookery.load("hexapawn").reason("a1-a3") is None
    /// False
    fn reason(&self, mv: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let text = match read_move(mv)? {
            Move::Text(text) => text,
            Move::Action(action) => self.action_to_move(action)?,
        };
        self.state.reason(&text).map_err(illegal)
    }

    /// The seat to move, from 0; None when the game is over.
    #[getter]
    fn to_move(&self) -> Option<usize> {
        match self.state.position().status() {
            Status::ToMove(seat) => Some(seat.index()),
            Status::Over(_) => None,
        }
    }

    /// Whether nobody can move any more.
    #[getter]
    fn is_over(&self) -> bool {
        self.to_move().is_none()
    }

    /// What the game counts for each seat (fish, points), once it is over; before that None.
    #[getter]
    fn scores(&self) -> Option<Vec<i32>> {
        self.outcome().map(|outcome| outcome.scores.as_slice().to_vec())
    }

    /// The seats that have won, or share the first place; none while the game goes on.
    #[getter]
    fn winners(&self) -> Vec<usize> {
        let winners = self.outcome().map(|outcome| outcome.winners);
        winners.into_iter().flat_map(|winners| winners.iter().map(Seat::index).collect::<Vec<_>>()).collect()
    }

    /// What each seat gets, all together 0: with two seats 1 for a win, -1 for a loss, 0 for a draw; 0 for all while the game
    /// goes on.
    #[getter]
    fn returns(&self) -> Vec<f32> {
        let n_seats = self.n_seats();
        self.outcome().map_or_else(|| vec![0.0; n_seats], |outcome| returns(&outcome, n_seats).collect())
    }

    /// How many seats the table has.
    #[getter]
    fn n_seats(&self) -> usize {
        self.state.position().n_seats()
    }

    /// The name of the game.
    #[getter]
    fn game(&self) -> &'static str {
        self.state.game()
    }

    /// The game spec it began with, in its shortest form; None for a position from a text.
    #[getter]
    fn spec(&self) -> Option<&str> {
        self.spec.as_deref()
    }

    /// The position in one line, which `Position.from_text` reads.
    #[getter]
    fn text(&self) -> String {
        self.state.position().text()
    }

    /// A hash of the position: equal positions have equal ones.
    #[getter]
    fn hash(&self) -> u64 {
        self.state.position().key()
    }

    /// What people call the seats, in turn order.
    #[getter]
    fn seat_labels(&self) -> PyResult<Vec<String>> {
        struct Labels(usize);

        impl Visit for Labels {
            type Out = Vec<String>;
            fn visit<G: Game>(self) -> Vec<String> {
                let usual = GameSpec { game: G::Setup::GAME.to_owned(), options: vec![] };
                let label = |seat: Seat| match G::Setup::from_spec(&usual) {
                    Ok(setup) => setup.seat_label(seat),
                    Err(_) => format!("player {}", seat.index() + 1),
                };
                Seat::all(self.0).map(label).collect()
            }
        }

        visit(self.game(), Labels(self.n_seats())).map_err(value)
    }

    /// The board as SVG.
    fn svg(&self) -> String {
        rookery_picture::svg(&self.state.position().scene(), &rookery_picture::Options::default())
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __str__(&self) -> String {
        self.state.position().board()
    }

    fn __repr__(&self) -> String {
        format!("<Position {} {:?}>", self.game(), self.text())
    }

    fn __hash__(&self) -> u64 {
        self.hash()
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let equal = match other.cast::<Self>() {
            Ok(other) => self.state.equals(&*other.try_borrow()?.state),
            Err(_) => return Ok(py.NotImplemented()),
        };
        Ok(match op {
            CompareOp::Eq => PyBool::new(py, equal).to_owned().into_any().unbind(),
            CompareOp::Ne => PyBool::new(py, !equal).to_owned().into_any().unbind(),
            _ => py.NotImplemented(),
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("rookery._rookery")?.getattr("_unpickle")?;
        Ok((make, (self.game(), self.text(), self.spec()).into_pyobject(py)?))
    }
}

/// A view of an array of `int8` as bytes; any other value as it is.
fn bytes_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if array.cast::<PyArray1<i8>>().is_ok() {
        array.call_method1("view", ("uint8",))
    } else {
        Ok(array.clone())
    }
}

pub(crate) fn needs_numpy(py: Python<'_>, what: &str) -> PyResult<()> {
    py.import("numpy").map(|_| ()).map_err(|_| {
        pyo3::exceptions::PyImportError::new_err(format!("{what} need numpy: pip install 'rookery[numpy]'"))
    })
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
    let read = Position::from_text(text, Some(game))?;
    // The spec says where it began; one that cannot be is left out rather than believed.
    let spec = spec
        .filter(|spec| spec.len() <= MAX_TEXT && state(spec).is_ok_and(|state| state.game() == read.game()));
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
    module.add_class::<Position>()?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(_unpickle, module)?)?;
    module.add_function(wrap_pyfunction!(games, module)?)?;
    module.add_function(wrap_pyfunction!(game_info, module)?)
}
