//! Masks and observations of a position, in arrays of numpy.

use numpy::ndarray::Dimension;
use numpy::{
    Element, PyArray1, PyArray3, PyReadwriteArray, PyReadwriteArray1, PyReadwriteArray3,
    PyUntypedArrayMethods as _,
};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rookery_catalog::AnyState;
use rookery_rules::Seat;

use crate::errors::{kind, value};

/// Writes the mask into `out`, or makes an array (without numpy a `bytearray`) for it.
pub(crate) fn mask<'py>(
    py: Python<'py>,
    state: &dyn AnyState,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let n_actions = state.n_actions();
    if let Some(out) = out {
        needs_numpy(py, "arrays")?;
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
        state.mask(mask);
        return Ok(out.clone());
    }
    let mut mask = vec![0; n_actions];
    state.mask(&mut mask);
    if py.import("numpy").is_err() {
        return Ok(PyByteArray::new(py, &mask).into_any());
    }
    Ok(PyArray1::from_vec(py, mask).into_any())
}

/// Writes what a seat sees into `out`, or makes an array for it.
pub(crate) fn observation<'py>(
    py: Python<'py>,
    state: &dyn AnyState,
    seat: Seat,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (planes, rows, cols) = shape(state);
    needs_numpy(py, "observations")?;
    let out = out.unwrap_or_else(|| PyArray3::<u8>::zeros(py, [planes, rows, cols], false).into_any());
    let mut array: PyReadwriteArray3<'_, u8> = out
        .extract()
        .map_err(|_| kind("an array of uint8 with three dimensions that can be written", &out))?;
    expect_shape(&array, &[planes, rows, cols], "an observation")?;
    state.observe(seat, array.as_slice_mut().map_err(value)?);
    drop(array);
    Ok(out)
}

/// Refuses an array of another shape or order, into which everything would be written at the wrong place.
pub(crate) fn expect_shape<T: Element, D: Dimension>(
    array: &PyReadwriteArray<'_, T, D>,
    shape: &[usize],
    what: &str,
) -> PyResult<()> {
    if array.shape() != shape {
        return Err(value(format!("{what} has the shape {shape:?}, and the array {:?}", array.shape())));
    }
    if !array.is_c_contiguous() {
        return Err(value(format!(
            "{what} needs an array in C order, without gaps: numpy.ascontiguousarray"
        )));
    }
    Ok(())
}

/// Planes, rows and columns of an observation.
pub(crate) fn shape(state: &dyn AnyState) -> (usize, usize, usize) {
    let frame = state.frame();
    (frame.names.len(), frame.rows, frame.cols)
}

/// A view of an array of `int8` as bytes; any other value as it is.
fn bytes_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if array.cast::<PyArray1<i8>>().is_ok() {
        array.call_method1("view", ("uint8",))
    } else {
        Ok(array.clone())
    }
}

/// An exception where numpy is not installed: whoever looked at an array would end in a panic.
pub(crate) fn needs_numpy(py: Python<'_>, what: &str) -> PyResult<()> {
    py.import("numpy").map(|_| ()).map_err(|_| {
        pyo3::exceptions::PyImportError::new_err(format!("{what} need numpy: pip install 'rookery[numpy]'"))
    })
}
