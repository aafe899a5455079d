//! What a seat can do in a match.

use rookery_live::{Deed, Snapshot};
use rookery_referee::SeatSpec;
use rookery_rules::Seat;
use serde::Serialize;

use super::state::out;

/// What somebody can do now.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that can be done or not")]
pub struct Can {
    /// To move.
    #[serde(rename = "move")]
    pub mv: bool,
    /// To give up.
    pub resign: bool,
    /// To go back to where so many moves were made.
    pub take_back: Option<u64>,
    /// To offer a draw.
    pub draw: bool,
    /// To ask for a hint.
    pub hint: bool,
    /// To say something.
    pub chat: bool,
    /// To play the same once more.
    pub rematch: bool,
}

impl Can {
    /// What a seat can do in a match.
    pub fn of(snapshot: &Snapshot, seat: Option<Seat>) -> Self {
        let Some(seat) = seat else { return Self::default() };
        let spec = &snapshot.spec;
        let own = spec.seats.get(seat.index());
        let is_person = own.is_some_and(|own| own.player.is_person());
        if snapshot.verdict.is_some() || snapshot.suspended || !is_person {
            return Self { rematch: snapshot.verdict.is_some() && is_person, ..Self::default() };
        }
        let out = out(snapshot);
        if out.contains(seat) {
            return Self { chat: true, ..Self::default() };
        }
        let mut others =
            Seat::all(spec.n_seats()).filter(|&other| other != seat && !out.contains(other)).peekable();
        let has_others = others.peek().is_some();
        let kinds: Vec<&SeatSpec> = others.map(|other| &spec.seats[other.index()].player).collect();
        let mv = snapshot.asked.is_some_and(|asked| asked.seat == seat);
        let last_own = snapshot
            .entries
            .iter()
            .rev()
            .find(|entry| entry.seat == Some(seat) && matches!(entry.deed, Deed::Moved { .. }));
        let may_go_back = spec.casual && !kinds.iter().any(|kind| kind.is_program());
        Self {
            mv,
            resign: true,
            take_back: last_own.filter(|_| may_go_back).map(|entry| entry.plies - 1),
            draw: has_others && kinds.iter().all(|kind| kind.is_person()),
            hint: mv && spec.casual,
            chat: true,
            rematch: false,
        }
    }
}
