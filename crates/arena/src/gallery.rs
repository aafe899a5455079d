//! Games that other machines play, for whoever looks on.

use std::fmt;
use std::sync::Arc;

use rookery_store::TournamentId;
use tokio::sync::watch;

/// Where one can look on at games that other machines play. Nobody is asked for anything while nobody looks.
pub trait Gallery: Send + Sync + fmt::Debug {
    /// Looks on at an attempt at a game by this worker: the record so far, whole lines, whenever it has grown. What is missed on
    /// the way is asked for again. Ends when the receiver is dropped.
    fn follow(
        &self,
        worker: &str,
        tournament: TournamentId,
        pairing: u64,
        attempt: u32,
    ) -> watch::Receiver<Arc<[u8]>>;
}
