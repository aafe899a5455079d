//! Who takes a seat and who leaves one, before a match begins.

use std::sync::Arc;

use rookery_live::Snapshot;
use rookery_referee::MatchSpec;
use rookery_rules::Seat;

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
        state.seats[idx].owner = Some(identity.owner.clone());
        state.seats[idx].code = None;
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
}

/// Whoever sits there is called so, as long as the match has not begun.
fn rename(state: &mut State, idx: usize, name: &str) {
    if let Stage::Waiting(snapshot) = &mut state.stage {
        let mut spec = MatchSpec::clone(&snapshot.spec);
        spec.seats[idx].name = free_name(&spec, name);
        *snapshot = Arc::new(Snapshot { spec: Arc::new(spec), ..Snapshot::clone(snapshot) });
    }
}
