//! The processor time of a program that we have started.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rookery_sandbox::cpu_below;

/// The processor time of one program with everything that it has started. Copies are the same.
#[derive(Clone, Default, Debug)]
pub struct CpuMeter(Arc<Mutex<State>>);

#[derive(Default, Debug)]
struct State {
    /// While it runs.
    process: Option<u32>,
    /// What its supervisor said at the end.
    total: Option<Duration>,
    /// What was used up before, in games that are over.
    counted: Duration,
}

impl CpuMeter {
    pub(crate) fn new(process: Option<u32>) -> Self {
        Self(Arc::new(Mutex::new(State { process, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has ended, having used so much if that is known. Its number may be another's from now on.
    pub(crate) fn end(&self, total: Option<Duration>) {
        let mut state = self.state();
        state.process = None;
        state.total = total.or(state.total);
    }

    /// It is about to be ended, and what it has used so far is all that will be known.
    pub(crate) fn stop(&self) {
        let process = self.state().process;
        self.end(process.and_then(cpu_below));
    }

    /// What was used since this was asked last; `None` if nobody knows.
    pub fn take(&self) -> Option<Duration> {
        let mut state = self.state();
        let total = state.total.or_else(|| cpu_below(state.process?))?;
        let used = total.saturating_sub(state.counted);
        state.counted = state.counted.max(total);
        Some(used)
    }
}
