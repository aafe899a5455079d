//! Whether the rounds of a tournament that goes on are paired as they were.

use rookery_store::{Store, StoreError, TournamentId};
use rookery_tournament::{Entrant, Format, FormatSpec, Next, Pairing, TournamentSpec};

use crate::{ArenaError, Tournament};

impl Tournament {
    /// Refuses a Swiss system whose round was paired otherwise by another version of this program. Pairings follow from the
    /// results; where a version finds better ones, what was played would not fit them, and would be played again.
    pub fn expect_own_pairings(&self, store: &Store) -> Result<(), ArenaError> {
        if !matches!(self.spec().format, FormatSpec::Swiss { .. }) {
            return Ok(());
        }
        let Next::Play(now) = self.format()?.next(usize::MAX) else { return Ok(()) };
        let Some((pairing, stored)) = first_other(store, self.id(), &now)? else { return Ok(()) };
        let names = |entrants: &[Entrant]| names(self.spec(), entrants);
        Err(ArenaError::Agreed(format!(
            "tournament {} was paired by another version of this program: {} were paired in round {}, and this one would pair {}; \
             go on with the version that began it (docs/formats.md)",
            self.id(),
            names(&stored),
            pairing.round.unwrap_or(0),
            names(&pairing.entrants)
        )))
    }
}

/// The first of these, in their order, that is stored with other entrants, and with whom.
fn first_other<'a>(
    store: &Store,
    id: TournamentId,
    now: &'a [Pairing],
) -> Result<Option<(&'a Pairing, Vec<Entrant>)>, StoreError> {
    let (Some(first), Some(last)) = (now.first(), now.last()) else { return Ok(None) };
    let mut after = first.id.checked_sub(1);
    loop {
        let page = store.pairings(id, after)?;
        let Some(end) = page.last().map(|stored| stored.id) else { return Ok(None) };
        for stored in page {
            let wanted = now.binary_search_by_key(&stored.id, |pairing| pairing.id);
            if let Some(pairing) =
                wanted.ok().map(|at| &now[at]).filter(|now| now.entrants != stored.entrants)
            {
                return Ok(Some((pairing, stored.entrants)));
            }
        }
        if end >= last.id {
            return Ok(None);
        }
        after = Some(end);
    }
}

fn names(spec: &TournamentSpec, entrants: &[Entrant]) -> String {
    let name = |entrant: &Entrant| spec.entrants.get(entrant.index()).map_or("?", |entrant| &entrant.name);
    entrants.iter().map(name).collect::<Vec<_>>().join(", ")
}
