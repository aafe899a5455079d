//! What goes on from one game on a link to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What goes on from one game on a link to the next, so that an answer which crosses the end of a game is known for what it
/// is. Copies share it.
#[derive(Clone, Default, Debug)]
pub struct Carried(Arc<Counts>);

#[derive(Default, Debug)]
struct Counts {
    /// The id of the last turn.
    turn: AtomicU64,
    /// For how many games the bot has not said yet that it is ready. Those that are over it may still say it for.
    unready: AtomicU64,
}

/// It is no part of what a bot has said of itself.
impl PartialEq for Carried {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Carried {}

impl Carried {
    /// The id of the last turn on this link; 0 before the first.
    pub(crate) fn last_turn(&self) -> u64 {
        self.0.turn.load(Ordering::Relaxed)
    }

    /// The id of a new turn: no other one on this link has it.
    pub(crate) fn next_turn(&self) -> u64 {
        self.0.turn.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// It is asked whether it is ready for a game.
    pub(crate) fn asks_ready(&self) {
        self.0.unready.fetch_add(1, Ordering::Relaxed);
    }

    /// It has said once that it is ready. Whether it still owed that to more games than so many.
    pub(crate) fn pays_ready(&self, more_than: u64) -> bool {
        let less = |owed: u64| (owed > more_than).then(|| owed - 1);
        self.0.unready.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}
