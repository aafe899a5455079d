//! How many may do something heavy at the same time, and how many wait for it: no more than are served soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::http::ApiError;

/// How many may wait for each that works.
const WAITING: usize = 16;
/// How long a request waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many may do something heavy at the same time.
#[derive(Clone, Debug)]
pub struct Thinkers {
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most: usize,
}

/// One of those who wait, for as long as it lives.
#[derive(Debug)]
pub struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn busy() -> ApiError {
    ApiError::unavailable("too many ask for this at the moment; try again in a few seconds")
}

impl Thinkers {
    /// So many at the same time.
    pub fn new(n: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(n)), waiting: Arc::default(), most: n * WAITING }
    }

    /// Works at once, or not at all.
    pub fn at_once(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.free).try_acquire_owned().map_err(|_| busy())
    }

    /// Takes a place among those who wait, if there is one.
    pub fn queue(&self) -> Result<Place, ApiError> {
        let before = self.waiting.fetch_add(1, Ordering::SeqCst);
        // It gives the place back, also here.
        let place = Place(Arc::clone(&self.waiting));
        if before < self.most { Ok(place) } else { Err(busy()) }
    }

    /// Waits for its turn, however long that takes.
    pub async fn turn(&self, place: Place) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.free).acquire_owned().await.ok();
        drop(place);
        permit
    }

    /// Waits for its turn as long as a request may.
    pub async fn soon(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let place = self.queue()?;
        timeout(PATIENCE, self.turn(place)).await.ok().flatten().ok_or_else(busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn fault_w05_no_more_wait_than_are_served_soon() {
        let thinkers = Thinkers::new(1);
        let working = thinkers.soon().await.expect("nobody works yet");
        assert!(thinkers.at_once().is_err());
        let places: Vec<Place> = (0..WAITING).map(|_| thinkers.queue().expect("there is room")).collect();
        assert!(thinkers.queue().is_err(), "the queue is full");
        drop(places);
        assert!(thinkers.soon().await.is_err(), "nobody waits for ever");
        drop(working);
        assert!(thinkers.soon().await.is_ok());
    }
}
