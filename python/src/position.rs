//! Positions.

use std::sync::Arc;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString, PyTuple};
use rookery_catalog::{AnyState, Game, Visit, visit};
use rookery_rules::{GameSpec, Outcome, Seat, Setup as _, Status};

use crate::errors::{illegal, kind, value};
use crate::moves::{Move, bounded, legal_actions, read_move};
use crate::{arrays, games};

/// One moment of a game. `rookery.load` gives the first one.
// What takes one by value gets a copy, and the caller's may be played on meanwhile.
#[pyclass(module = "rookery", name = "Position", from_py_object)]
pub(crate) struct Position {
    pub(crate) state: Box<dyn AnyState>,
    pub(crate) spec: Option<Arc<str>>,
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

    fn text_of(&self, action: usize) -> PyResult<String> {
        let last = self.state.n_actions() - 1;
        let text = self.state.action_text(action);
        text.ok_or_else(|| {
            illegal(format!("there is no action {action}; actions are counted from 0 to {last}"))
        })
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
        games::read(text, game)
    }

    /// The texts of the legal moves, in the game's order; empty when the game is over.
    ///
    /// >>> import rookery
    /// >>> rookery.load("four").legal_moves()
    /// ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    fn legal_moves(&self) -> Vec<String> {
        self.state.position().moves()
    }

    /// The numbers of the legal moves among all actions of this setup, in the order of `legal_moves()`.
    ///
    /// >>> import rookery
    /// >>> rookery.load("four").after("a").legal_actions()
    /// [0, 1, 2, 3, 4, 5, 6]
    fn legal_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        legal_actions(py, &*self.state)
    }

    /// 1 for each legal action and 0 for each other one: a numpy array of bytes, or a `bytearray` where numpy is not
    /// installed. With `out`, an array of `int8` or `uint8` and the length `n_actions`, it is written there.
    ///
    /// >>> import rookery
    /// >>> [int(legal) for legal in rookery.load("four").action_mask()]
    /// [1, 1, 1, 1, 1, 1, 1]
    #[pyo3(signature = (out = None))]
    fn action_mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        arrays::mask(py, &*self.state, out)
    }

    /// What a seat sees, by default the one to move: planes of bytes, as `observation_planes` names them. With `out`, an
    /// array of `uint8`, the shape `observation_shape` and C order, it is written there.
    ///
    /// >>> import rookery
    /// >>> position = rookery.load("hexapawn:rows=3,cols=3")
    /// >>> position.observation()[0].tolist()
    /// [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
    #[pyo3(signature = (seat = None, out = None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: Option<i64>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        arrays::observation(py, &*self.state, self.seat(seat)?, out)
    }

    /// Planes, rows and columns of an observation.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        arrays::shape(&*self.state)
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
    ///
    /// >>> import rookery
    /// >>> rookery.load("four").action_to_move(3)
    /// 'd'
    fn action_to_move(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        match read_move(action)? {
            Move::Action(action) => self.text_of(action),
            Move::Text(_) => Err(kind("the number of an action", action)),
        }
    }

    /// The number of the action of a move, legal or not.
    ///
    /// >>> import rookery
    /// >>> rookery.load("four").move_to_action("d")
    /// 3
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
    ///
    /// >>> import rookery
    /// >>> position = rookery.load("four")
    /// >>> position.after("d").to_move, position.to_move
    /// (1, 0)
    fn after(&self, mv: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut next = self.clone();
        next.play_any(mv)?;
        Ok(next)
    }

    /// The same position once more, which can be played on without changing this one. It is cheap.
    ///
    /// >>> import rookery
    /// >>> position = rookery.load("four")
    /// >>> other = position.copy()
    /// >>> other.play("d")
    /// >>> other == position, position == rookery.load("four")
    /// (False, True)
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
    ///
    /// >>> import rookery
    /// >>> position = rookery.load("fish:players=3")
    /// >>> position.remove(0)
    /// >>> position.to_move
    /// 1
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
            Move::Action(action) => self.text_of(action)?,
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
        self.state.is_over()
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
        self.outcome().map_or_else(|| vec![0.0; n_seats], |outcome| outcome.returns().collect())
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
    ///
    /// >>> import rookery
    /// >>> rookery.load("four").svg()[:4]
    /// '<svg'
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

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Position>()
}
