//! Rookery for Python: the module `rookery._rookery`, which the package `rookery` wraps.
//!
//! Everything that plays, searches or judges is in the other crates; here are types, errors and arrays of Python.

mod apart;
mod arrays;
mod batch;
mod errors;
mod games;
mod gate;
mod holding;
mod matches;
mod moves;
mod position;
mod records;
mod results;
mod search;
mod tree;

use pyo3::prelude::*;

/// The games, searches and matches of Rookery.
#[pymodule(gil_used = true)]
fn _rookery(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("IllegalMove", module.py().get_type::<errors::IllegalMove>())?;
    position::add(module)?;
    games::add(module)?;
    batch::add(module)?;
    search::add(module)?;
    tree::add(module)?;
    matches::add(module)?;
    results::add(module)?;
    records::add(module)?;
    gate::add(module)
}
