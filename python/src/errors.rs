//! What went wrong, as exceptions of Python.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyFileExistsError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use rookery_arena::ArenaError;
use rookery_record::{ArchiveError, Problem};
use rookery_store::StoreError;

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

/// What was raised while a value was read: that it is of the wrong type, in our words. What ends everything, such as Ctrl-C, stays
/// what it is.
pub(crate) fn unread(error: PyErr, expected: &str, got: &Bound<'_, PyAny>) -> PyErr {
    if error.is_instance_of::<PyException>(got.py()) { kind(expected, got) } else { error }
}

/// What the system refuses.
pub(crate) fn os(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// Why an event cannot be held, whoever finds out: a `ValueError` if something else has to be asked for, an `OSError` if the
/// system refuses, a `RuntimeError` if it is our failure.
pub(crate) fn of_arena(error: ArenaError) -> PyErr {
    match &error {
        ArenaError::Archive(error) => of_archive(error),
        ArenaError::Store(error) => of_store(error),
        ArenaError::Sync(_)
        | ArenaError::Unsaved(_)
        | ArenaError::Hindered(_)
        | ArenaError::Open(_)
        | ArenaError::Io(..)
        | ArenaError::Told(_) => os(error),
        ArenaError::Prepare(..) | ArenaError::Record(..) | ArenaError::Agreed(_) => value(error),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

pub(crate) fn of_archive(error: &ArchiveError) -> PyErr {
    match error {
        // Its own words name a flag of the command line.
        ArchiveError::Exists(path) => PyFileExistsError::new_err(format!(
            "{}: there is a record already; name another folder",
            path.display()
        )),
        ArchiveError::Record(_, problem) if !matches!(problem, Problem::Io(_)) => value(error),
        _ => os(error),
    }
}

pub(crate) fn of_store(error: &StoreError) -> PyErr {
    match error {
        StoreError::Locked { .. }
        | StoreError::TakenOver(_)
        | StoreError::Busy(_)
        | StoreError::Io { .. }
        | StoreError::Full { .. }
        | StoreError::ReadOnly(_) => os(error),
        _ => value(error),
    }
}
