//! Pairings that wait for a thread to play them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rookery_tournament::Pairing;
use tokio::sync::Semaphore;

/// Pairings that wait for a thread to play them. Whoever has put them in can take them out again until they are begun.
#[derive(Debug)]
pub(crate) struct Queue {
    waiting: Mutex<VecDeque<Pairing>>,
    /// A permit for each that was put in; closed when nothing more comes. There are more than pairings where some were taken out.
    permits: Semaphore,
}

impl Default for Queue {
    fn default() -> Self {
        Self { waiting: Mutex::default(), permits: Semaphore::new(0) }
    }
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Pairing>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts one in; `false` if the queue is closed.
    pub(crate) fn push(&self, pairing: Pairing) -> bool {
        let mut waiting = self.waiting();
        if self.permits.is_closed() {
            return false;
        }
        waiting.push_back(pairing);
        self.permits.add_permits(1);
        true
    }

    /// Waits for the next one; `None` once the queue is closed.
    pub(crate) async fn next(&self) -> Option<Pairing> {
        loop {
            self.permits.acquire().await.ok()?.forget();
            if let Some(pairing) = self.waiting().pop_front() {
                return Some(pairing);
            }
        }
    }

    /// Takes out whatever nobody has begun.
    pub(crate) fn take_all(&self) -> VecDeque<Pairing> {
        std::mem::take(&mut *self.waiting())
    }

    /// Nothing more comes, and what waits is not begun any more.
    pub(crate) fn close(&self) -> VecDeque<Pairing> {
        let mut waiting = self.waiting();
        self.permits.close();
        std::mem::take(&mut *waiting)
    }
}
