//! Who takes a seat and who leaves one, before a match begins.

use std::sync::Arc;

use rookery_live::Snapshot;
use rookery_referee::MatchSpec;
use rookery_rules::Seat;
use rookery_store::EntrantId;

use super::super::Hold;
use super::super::update::free_name;
use super::{Stage, State, Table};
use crate::accounts::{Identity, Owner};

impl Table {
    /// Who asked for it.
    pub fn maker(&self) -> Owner {
        self.state().maker.clone()
    }

    /// When it was made, in milliseconds since 1970.
    pub fn made_ms(&self) -> i64 {
        self.made_ms
    }

    /// The same, made at another time.
    pub(crate) fn made_at(self, made_ms: i64) -> Self {
        Self { made_ms, ..self }
    }

    /// Whether somebody is still to come by an invitation.
    pub fn is_waiting(&self) -> bool {
        self.cup.is_none() && matches!(self.state().stage, Stage::Waiting(_))
    }

    /// Whose the uploaded bots are, by seat; nobody's where there are none.
    pub(crate) fn programs(&self) -> &[Option<EntrantId>] {
        self.programs.get().map_or(&[], Vec::as_slice)
    }

    /// Says whose the uploaded bots are.
    pub(crate) fn set_programs(&self, owners: Vec<Option<EntrantId>>) {
        // A game that was stopped and goes on has the same ones.
        let _ = self.programs.set(owners);
    }

    /// Somebody who was a guest has a name now.
    pub(crate) fn change_owner(&self, from: &Owner, to: &Owner) -> bool {
        let mut state = self.state();
        let mut changed = state.maker == *from;
        if changed {
            state.maker = to.clone();
        }
        for hold in &mut state.seats {
            if hold.owner.as_ref() == Some(from) {
                hold.owner = Some(to.clone());
                changed = true;
            }
        }
        changed
    }

    /// Gives an open seat to somebody; `None` if there is no such seat. Whether all have come.
    pub(crate) fn take_seat(&self, code: &str, identity: &Identity) -> Option<(Seat, bool)> {
        let mut state = self.state();
        let idx = state.seats.iter().position(|hold| hold.code.as_deref() == Some(code))?;
        state.seats[idx] = Hold::new(Some(identity.owner.clone()), None);
        rename(&mut state, idx, &identity.name);
        let all = state.seats.iter().all(|hold| hold.code.is_none());
        self.start_over(&mut state);
        Some((Seat::all(state.seats.len()).nth(idx)?, all))
    }

    /// The match did not begin: the seat is open again under its code.
    pub(crate) fn give_back(&self, seat: Seat, code: &str) {
        let mut state = self.state();
        if let Some(hold) = state.seats.get_mut(seat.index()) {
            *hold = Hold::new(None, Some(code.to_owned()));
            rename(&mut state, seat.index(), "open");
        }
        self.start_over(&mut state);
    }

    /// Whoever was to sit there comes no more.
    pub(crate) fn vacate(&self, seat: Seat) {
        let mut state = self.state();
        if let Some(hold) = state.seats.get_mut(seat.index()) {
            *hold = Hold::default();
        }
        self.start_over(&mut state);
    }

    /// The seats of those who are still to come before it begins.
    pub(super) fn missing(&self, state: &State) -> Vec<usize> {
        let is_before = self.cup.is_some() && matches!(state.stage, Stage::Waiting(_));
        let is_missing =
            |hold: &Hold| hold.code.is_some() || is_before && hold.owner.is_some() && hold.windows == 0;
        state.seats.iter().enumerate().filter(|(_, hold)| is_missing(hold)).map(|(idx, _)| idx).collect()
    }

    /// Waits until everybody has come but those who never will.
    pub(crate) async fn gathered(&self, left: &[bool]) {
        let mut versions = self.subscribe();
        let is_away = |(hold, left): (&Hold, &bool)| hold.owner.is_some() && hold.windows == 0 && !left;
        while self.state().seats.iter().zip(left).any(is_away) {
            // The sender is ours.
            let _ = versions.changed().await;
        }
    }

    /// Whether the person at a seat looks at the table.
    pub(crate) fn is_there(&self, seat: usize) -> bool {
        self.state().seats.get(seat).is_some_and(|hold| hold.windows > 0)
    }
}

/// Whoever sits there is called so, as long as the match has not begun.
fn rename(state: &mut State, idx: usize, name: &str) {
    if let Stage::Waiting(snapshot) = &mut state.stage {
        let mut spec = MatchSpec::clone(&snapshot.spec);
        spec.seats[idx].name = free_name(&spec, name);
        *snapshot = Arc::new(Snapshot { spec: Arc::new(spec), ..Snapshot::clone(snapshot) });
    }
}
