//! Forks: a process that is forked while threads of ours work has their locks, and nobody who gives them back.
//!
//! Whoever works without Python's lock is counted here, and a fork waits until nobody does. It does not wait long: behind a
//! longer search the process is forked all the same, and its child may not start threads, which is told by an exception.
//! Everything here changes only while Python's lock is held, as it is in the moment of a fork. So the counts are exact then,
//! and no lock of our own can be left behind.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How long a fork waits for the calls of other threads.
const FORK_WAITS: Duration = Duration::from_secs(2);
/// How long a call waits for forks of other threads: in truth only until they are over.
const CALL_WAITS: Duration = Duration::from_secs(10);
/// How often somebody who waits looks again.
const LOOK_EVERY: Duration = Duration::from_micros(200);

/// The calls that work now.
static WORKING: AtomicUsize = AtomicUsize::new(0);
/// The threads that are about to fork.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// Whether this process was forked while somebody worked.
static UNFIT: AtomicBool = AtomicBool::new(false);
/// How many forks lie between the process that imported this and this one.
static GENERATION: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Those of the working calls that are this thread's, and how many of them have no other threads.
    static OWN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Whether this thread is about to fork, or works for a call that is counted already: it waits for no fork.
    static GOES_ON: Cell<bool> = const { Cell::new(false) };
}

/// Who works for a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// The thread that calls, and nobody else whenever a function of Python is called.
    Alone,
    /// Other threads as well.
    Shared,
}

/// Somebody works; over when dropped, which is done with Python's lock.
pub(crate) struct Working(Work);

impl Drop for Working {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Relaxed);
        let (all, alone) = OWN.get();
        OWN.set((all - 1, alone - usize::from(self.0 == Work::Alone)));
    }
}

/// Waits until no other thread is about to fork. A call that has borrowed something does so before, for what is borrowed in the
/// moment of a fork stays so in the child.
pub(crate) fn wait_for_forks(py: Python<'_>) {
    if FORKING.load(Relaxed) == 0 || OWN.get().0 > 0 || GOES_ON.get() {
        return;
    }
    let begin = Instant::now();
    while FORKING.load(Relaxed) > 0 && begin.elapsed() < CALL_WAITS {
        py.detach(|| std::thread::sleep(LOOK_EVERY));
    }
}

/// Begins work that is done without Python's lock.
pub(crate) fn enter(py: Python<'_>, work: Work) -> PyResult<Working> {
    wait_for_forks(py);
    if UNFIT.load(Relaxed) {
        return Err(PyRuntimeError::new_err(
            "this process was forked while a thread of the other one worked in Rookery, and what that thread held is lost; \
             fork while nothing works, or start processes by multiprocessing's \"spawn\"",
        ));
    }
    WORKING.fetch_add(1, Relaxed);
    let (all, alone) = OWN.get();
    OWN.set((all + 1, alone + usize::from(work == Work::Alone)));
    Ok(Working(work))
}

/// Works without Python's lock.
pub(crate) fn apart<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let _working = enter(py, Work::Shared)?;
    Ok(py.detach(work))
}

/// For a thread that works for a call of another one.
pub(crate) fn help() {
    GOES_ON.set(true);
}

/// Calls a function of Python in the middle of a match. One that forks and comes back in the child as well ends that child: the
/// match is the other process's, and threads and programs that it needs are not here.
pub(crate) fn call<T>(py: Python<'_>, call: impl FnOnce() -> T) -> T {
    let here = GENERATION.load(Relaxed);
    let answer = call();
    if GENERATION.load(Relaxed) != here {
        leave(py);
    }
    answer
}

#[cold]
fn leave(py: Python<'_>) {
    let told = "rookery: a player forked, and its child came back to a match that the other process plays; end it by os._exit\n";
    let written = py.import("os").and_then(|os| {
        os.call_method1("write", (2, told.as_bytes()))?;
        os.call_method1("_exit", (1,))
    });
    drop(written);
    std::process::exit(1);
}

#[pyfunction]
fn _before_fork(py: Python<'_>) {
    FORKING.fetch_add(1, Relaxed);
    GOES_ON.set(true);
    let begin = Instant::now();
    // What this thread itself is in the middle of cannot end before it forks.
    while WORKING.load(Relaxed) > OWN.get().0 && begin.elapsed() < FORK_WAITS {
        py.detach(|| std::thread::sleep(LOOK_EVERY));
    }
}

#[pyfunction]
fn _after_fork_in_parent() {
    FORKING.fetch_sub(1, Relaxed);
    GOES_ON.set(false);
}

#[pyfunction]
fn _after_fork_in_child() {
    let (own, alone) = OWN.get();
    if WORKING.load(Relaxed) > alone {
        UNFIT.store(true, Relaxed);
    }
    GENERATION.fetch_add(1, Relaxed);
    WORKING.store(own, Relaxed);
    FORKING.store(0, Relaxed);
    GOES_ON.set(false);
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    // Windows has no fork.
    if !os.hasattr("register_at_fork")? {
        return Ok(());
    }
    let hooks = PyDict::new(module.py());
    hooks.set_item("before", wrap_pyfunction!(_before_fork, module)?)?;
    hooks.set_item("after_in_parent", wrap_pyfunction!(_after_fork_in_parent, module)?)?;
    hooks.set_item("after_in_child", wrap_pyfunction!(_after_fork_in_child, module)?)?;
    os.call_method("register_at_fork", (), Some(&hooks))?;
    Ok(())
}
