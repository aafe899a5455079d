//! What went wrong, as exceptions of Python.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    rookery,
    IllegalMove,
    PyValueError,
    "A move that is none, or that the rules do not allow here; its text says why."
);

/// Something from outside that cannot be used, in its own words.
pub(crate) fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn illegal(error: impl Display) -> PyErr {
    IllegalMove::new_err(error.to_string())
}

/// A value of the wrong type.
pub(crate) fn kind(expected: &str, got: &Bound<'_, PyAny>) -> PyErr {
    let name = got.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected {expected}, got {name}"))
}
