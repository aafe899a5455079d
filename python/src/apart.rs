//! Work on other threads, without Python's lock, while the one that called looks for Ctrl-C.

use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rookery_search::Stop;

use crate::gate::{self, Work};

/// How often a call that works looks for Ctrl-C.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The stack of a thread that works: as much as the first thread of a program has, and some more for long counts.
const STACK: usize = 16 << 20;

/// Lets Python handle its signals; Ctrl-C is an error then. For a thread that does not hold Python's lock.
pub(crate) fn look_for_ctrl_c() -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        Ok(())
    })
}

/// Works on another thread without Python's lock. On Ctrl-C the flag is raised and what the thread has then is thrown away.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (mut interrupted, raised) = (None, stop.clone());
    let stop = |error| {
        raised.set();
        interrupted = Some(error);
    };
    let done = work_apart(py, look_for_ctrl_c, stop, work);
    interrupted.map_or(done, Err)
}

/// Works on another thread while this one looks for what ends the work: Ctrl-C, of which Python tells its first thread alone, or
/// whatever else `look` knows of. `stop` is told of it once, and has to bring the work to its end.
pub(crate) fn work_apart<T: Send>(
    py: Python<'_>,
    look: impl Fn() -> PyResult<()> + Sync,
    stop: impl FnOnce(PyErr) + Send,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let _working = gate::enter(py, Work::Shared)?;
    py.detach(|| {
        std::thread::scope(|scope| {
            let (working, ended) = channel::<()>();
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                // Gone with the thread, also when it panics.
                let _working = working;
                gate::help();
                work()
            });
            let thread = thread
                .map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
            let mut stop = Some(stop);
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK_EVERY) {
                if stop.is_some()
                    && let Err(interrupted) = look()
                    && let Some(stop) = stop.take()
                {
                    stop(interrupted);
                }
            }
            // Joined in any case: a panic that nobody takes would end the interpreter's call as a panic.
            thread.join().map_err(|panic| {
                let why = message(&*panic);
                PyRuntimeError::new_err(format!(
                    "a fault in Rookery itself: {why}; please report it with what was called"
                ))
            })
        })
    })
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known")
}
