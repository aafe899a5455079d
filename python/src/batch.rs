//! Many games stepped at once, without Python's lock.

use numpy::{PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2, PyReadwriteArray4};
use pyo3::prelude::*;
use pyo3::types::PyString;
use rookery_catalog::{AnyBatch, Rows, Sizes, batch, state};
use rookery_rules::Seed;

use crate::arrays::{expect_shape, needs_numpy, shape};
use crate::errors::{illegal, value};
use crate::gate;
use crate::moves::bounded;

/// The most games of a batch.
const MAX_GAMES: usize = 1 << 20;
/// The most bytes of all arrays of a batch.
const MAX_BYTES: usize = 4 << 30;

/// What `rookery.BatchEnv` is made of; its arrays are Python's.
#[pyclass(module = "rookery._rookery")]
struct Games {
    batch: Box<dyn AnyBatch>,
    n: usize,
}

type Floats<'py> = PyReadwriteArray2<'py, f32>;
type Bytes<'py> = PyReadwriteArray1<'py, u8>;

/// Lends the arrays of a batch as rows.
macro_rules! rows {
    ($self:ident, $to_move:ident, $rewards:ident, $dones:ident, $masks:ident, $observations:ident) => {{
        let (n, Sizes { seats, actions, planes, rows, cols }) = ($self.n, $self.batch.sizes());
        expect_shape(&$to_move, &[n], "`to_move`")?;
        expect_shape(&$rewards, &[n, seats], "`rewards`")?;
        expect_shape(&$dones, &[n], "`dones`")?;
        expect_shape(&$masks, &[n, actions], "`masks`")?;
        if let Some(array) = &$observations {
            expect_shape(array, &[n, planes, rows, cols], "`observations`")?;
        }
        let rows = Rows {
            to_move: $to_move.as_slice_mut().map_err(value)?,
            rewards: $rewards.as_slice_mut().map_err(value)?,
            dones: $dones.as_slice_mut().map_err(value)?,
            masks: $masks.as_slice_mut().map_err(value)?,
            observations: match &mut $observations {
                Some(array) => Some(array.as_slice_mut().map_err(value)?),
                None => None,
            },
        };
        if !$self.batch.sizes().fit(&rows, $self.n) {
            return Err(value("the arrays of a batch keep their shapes"));
        }
        rows
    }};
}

/// How much room a game has in the arrays of a batch.
fn bytes_a_game(spec: &str, observe: bool) -> PyResult<usize> {
    let state = state(spec).map_err(value)?;
    let (planes, rows, cols) = shape(&*state);
    let seen = if observe { planes * rows * cols } else { 0 };
    // Its action, who is to move, whether it has ended; what each seat got; the mask.
    Ok(8 + 1 + 1 + 4 * state.position().n_seats() + state.n_actions() + seen)
}

#[pymethods]
impl Games {
    #[new]
    fn new(spec: &Bound<'_, PyString>, n: i64, seed: u64, observe: bool) -> PyResult<Self> {
        needs_numpy(spec.py(), "batches")?;
        let n = usize::try_from(n).ok().filter(|n| (1..=MAX_GAMES).contains(n));
        let n = n.ok_or_else(|| value(format!("a batch has 1 to {MAX_GAMES} games")))?;
        let spec = bounded(spec, "a game spec")?;
        let bytes = bytes_a_game(&spec, observe)?;
        if bytes > MAX_BYTES / n {
            return Err(value(format!(
                "{n} games with {bytes} bytes each in arrays are more than {} GiB; take at most {} games of this setup{}",
                MAX_BYTES >> 30,
                MAX_BYTES / bytes,
                if observe { ", or observe=False" } else { "" }
            )));
        }
        let batch = batch(&spec, n, Seed(seed)).map_err(value)?;
        Ok(Self { batch, n })
    }

    /// Seats, actions, planes, rows, columns.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize, usize) {
        let Sizes { seats, actions, planes, rows, cols } = self.batch.sizes();
        (seats, actions, planes, rows, cols)
    }

    /// Lets other threads fork first, before the arrays are lent: those that are lent in the moment of a fork stay so in the child.
    #[staticmethod]
    fn wait(py: Python<'_>) {
        gate::wait_for_forks(py);
    }

    fn reset(
        &mut self,
        py: Python<'_>,
        mut to_move: PyReadwriteArray1<'_, i8>,
        mut rewards: Floats<'_>,
        mut dones: Bytes<'_>,
        mut masks: PyReadwriteArray2<'_, u8>,
        mut observations: Option<PyReadwriteArray4<'_, u8>>,
    ) -> PyResult<()> {
        let rows = rows!(self, to_move, rewards, dones, masks, observations);
        let batch = &mut self.batch;
        gate::apart(py, move || batch.reset(rows))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the arrays of a batch")]
    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        mut to_move: PyReadwriteArray1<'_, i8>,
        mut rewards: Floats<'_>,
        mut dones: Bytes<'_>,
        mut masks: PyReadwriteArray2<'_, u8>,
        mut observations: Option<PyReadwriteArray4<'_, u8>>,
    ) -> PyResult<()> {
        let actions = actions.as_slice().map_err(value)?;
        if actions.len() != self.n {
            return Err(value(format!("{} actions for {} games; give one for each", actions.len(), self.n)));
        }
        let rows = rows!(self, to_move, rewards, dones, masks, observations);
        let batch = &mut self.batch;
        gate::apart(py, move || batch.step(actions, rows))?.map_err(illegal)
    }

    fn sample(&mut self, py: Python<'_>, mut actions: PyReadwriteArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice_mut().map_err(value)?;
        if actions.len() != self.n {
            return Err(value("there is one action for each game"));
        }
        let batch = &mut self.batch;
        gate::apart(py, move || batch.sample(actions))
    }

    fn text(&self, idx: usize) -> PyResult<String> {
        if idx >= self.n {
            return Err(value(format!("there is no game {idx}; games are counted from 0 to {}", self.n - 1)));
        }
        Ok(self.batch.text(idx))
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Games>()
}
