//! Moves, actions and texts on their way between Python and the rules.

use std::cell::Cell;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyInt, PyList, PyString};
use rookery_catalog::AnyState;

use crate::errors::{illegal, kind, value};

/// The longest text of a spec, a position or a move that is looked at.
pub(crate) const MAX_TEXT: usize = 100_000;

/// A move as Python gives one.
pub(crate) enum Move {
    Text(String),
    Action(usize),
}

#[inline]
pub(crate) fn read_move(mv: &Bound<'_, PyAny>) -> PyResult<Move> {
    // The usual case first: steps by number are what programs that learn make most.
    if let Ok(number) = mv.cast_exact::<PyInt>()
        && let Ok(action) = number.extract::<i64>()
    {
        return usize::try_from(action)
            .map(Move::Action)
            .map_err(|_| illegal(format!("there is no action {action}")));
    }
    read_other_move(mv)
}

fn read_other_move(mv: &Bound<'_, PyAny>) -> PyResult<Move> {
    if let Ok(text) = mv.cast::<PyString>() {
        return Ok(Move::Text(bounded(text, "a move")?));
    }
    let other = || kind("a move: its text, or the number of its action", mv);
    // True is a number for Python, and never meant as one here.
    if mv.is_instance_of::<PyBool>() || !(mv.hasattr("__index__")?) {
        return Err(other());
    }
    // Arrays have it too, and say only when they are asked that they are no number.
    let number = match mv.call_method0("__index__") {
        Err(error) if error.is_instance_of::<PyTypeError>(mv.py()) => return Err(other()),
        number => number?,
    };
    let number = number.cast::<PyInt>().map_err(|_| other())?;
    let action: i128 = number.extract().map_err(|_| illegal("the number of the action is too large"))?;
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

/// Numbers below this are made once: Python itself keeps only those up to 256.
const KEPT: u32 = 4096;
static NUMBERS: PyOnceLock<Vec<Py<PyInt>>> = PyOnceLock::new();

thread_local! {
    /// Kept from call to call, so that a list of actions costs no allocation but Python's own.
    static LEGAL: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// The legal actions as a list of Python.
pub(crate) fn legal_actions<'py>(py: Python<'py>, state: &dyn AnyState) -> PyResult<Bound<'py, PyList>> {
    let kept = NUMBERS.get_or_init(py, || (0..KEPT).map(|number| PyInt::new(py, number).unbind()).collect());
    let number = |&action: &u32| match kept.get(action as usize) {
        Some(number) => number.bind(py).clone(),
        None => PyInt::new(py, action),
    };
    // Taken and not borrowed: a new list may let Python collect its garbage, whose last words may come back here.
    let mut legal = LEGAL.take();
    state.legal_actions(&mut legal);
    let list = PyList::new(py, legal.iter().map(number));
    LEGAL.set(legal);
    list
}
