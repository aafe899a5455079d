//! Seats that others take, and matches that are played once more.

use std::sync::Arc;

use rookery_referee::MatchSpec;
use rookery_rules::Seat;
use rookery_store::GameId;

use super::{Hold, Hub, Table, random_seed};
use crate::accounts::Identity;
use crate::http::ApiError;

impl Hub {
    /// The table to which a code invites.
    pub fn invited(&self, code: &str) -> Option<Arc<Table>> {
        let has_code =
            |table: &Arc<Table>| table.holds().iter().any(|hold| hold.code.as_deref() == Some(code));
        self.tables().into_iter().find(has_code)
    }

    /// Gives somebody the seat of a code. The match begins with the last one; if it cannot, the seat stays open.
    pub async fn join(self: &Arc<Self>, code: &str, who: &Identity) -> Result<(Arc<Table>, Seat), ApiError> {
        let gone = || {
            ApiError::conflict("this seat is taken, or the invitation is no longer open; ask for a new one")
        };
        let table = self.invited(code).ok_or_else(gone)?;
        if let Some(seat) = table.seat_of(Some(who)) {
            return Ok((table, seat));
        }
        self.expect_room()?;
        let (seat, all) = table.take_seat(code, who).ok_or_else(gone)?;
        if all && table.match_().is_none() {
            match self.start(table.id(), MatchSpec::clone(&table.spec())).await {
                Ok(live) => table.begin(live),
                Err(error) => {
                    table.give_back(seat, code);
                    return Err(error);
                }
            }
            self.run(Arc::clone(&table));
            self.forget_waiting(table.id());
        } else {
            self.keep_waiting(&table);
        }
        Ok((table, seat))
    }

    /// The same match once more, with everybody one seat further; whoever of the players asks first begins it. Where another
    /// person plays it does not count, because nobody has asked them.
    pub async fn rematch(
        self: &Arc<Self>,
        table: &Arc<Table>,
        who: &Identity,
    ) -> Result<Arc<Table>, ApiError> {
        if table.seat_of(Some(who)).is_none() && table.maker() != who.owner {
            return Err(ApiError::forbidden(
                "only who played here can ask for another match; begin one of your own",
            ));
        }
        if table.over_since().is_none() {
            return Err(ApiError::conflict("the match is not over yet; play it to its end first"));
        }
        if table.cup().is_some() {
            return Err(ApiError::conflict("a game of a tournament is played once; begin one of your own"));
        }
        let _one_at_a_time = self.again.lock().await;
        if let Some(again) = table.rematch().and_then(|id| self.table(id)) {
            return Ok(again);
        }
        self.expect_room()?;
        let mut seats: Vec<Hold> =
            table.holds().into_iter().map(|hold| Hold::new(hold.owner, None)).collect();
        let mut spec = MatchSpec::clone(&table.spec());
        let is_other = |hold: &Hold| hold.owner.as_ref().is_some_and(|owner| *owner != who.owner);
        spec.casual |= seats.iter().any(is_other);
        let labels: Vec<String> = spec.seats.iter().map(|seat| seat.label.clone()).collect();
        spec.seats.rotate_left(1);
        for (seat, label) in spec.seats.iter_mut().zip(labels) {
            seat.label = label;
        }
        spec.seed = random_seed();
        seats.rotate_left(1);
        let id = GameId::random();
        let live = self.start(id, spec).await?;
        let again = Table::live(id, who.owner.clone(), self.first_version, live, seats);
        let again = self.run(Arc::new(again));
        table.set_rematch(id);
        Ok(again)
    }
}
