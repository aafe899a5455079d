//! What a store keeps of a tournament while it is paired.

use rookery_store::{Store, TournamentId};
use rookery_tournament::{TournamentEvent, Watcher};

/// Stores rounds and pairings as they are made, and tells whoever watches.
#[derive(Debug)]
pub struct Storing<W> {
    store: Store,
    tournament: TournamentId,
    /// The round of the last pairing.
    round: Option<u32>,
    next: W,
}

impl<W: Watcher> Storing<W> {
    /// For this tournament of a store; `next` is told everything.
    pub fn new(store: Store, tournament: TournamentId, next: W) -> Self {
        Self { store, tournament, round: None, next }
    }
}

impl<W: Watcher> Watcher for Storing<W> {
    fn see(&mut self, event: &TournamentEvent) {
        if let TournamentEvent::Paired(pairing) = event {
            // They are stored before the game that comes of them; if not, neither is the game, which is told.
            if let Some(number) = pairing.round.filter(|number| self.round != Some(*number)) {
                self.round = Some(number);
                drop(self.store.submit_round(self.tournament, number, ""));
            }
            drop(self.store.submit_pairings(self.tournament, std::slice::from_ref(pairing)));
        }
        self.next.see(event);
    }
}
