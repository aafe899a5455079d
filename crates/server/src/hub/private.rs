//! What of a match is for the owner of a program alone: what that program wrote to its standard error.

use std::sync::Arc;

use rookery_live::{Deed, Entry, Snapshot};
use rookery_referee::{MatchSpec, SeatSpec};
use rookery_rules::Seat;
use rookery_store::{EntrantId, Store};

use crate::accounts::Identity;

/// Whose the uploaded bots of a match are, by seat. Blocks while the store is asked.
pub(crate) fn bundle_owners(store: &Store, spec: &MatchSpec) -> Vec<Option<EntrantId>> {
    let owner = |entry: &rookery_referee::SeatEntry| match &entry.player {
        SeatSpec::Bundle { name, sha256 } => store.find_bundle(name, sha256.as_deref()).ok()?.owner,
        _ => None,
    };
    spec.seats.iter().map(owner).collect()
}

/// Whether somebody may read what the program at a seat wrote to its standard error.
pub(crate) fn owns_program(owners: &[Option<EntrantId>], who: Option<&Identity>, seat: Option<Seat>) -> bool {
    let owner = seat.and_then(|seat| *owners.get(seat.index())?);
    who.is_some_and(|who| who.is_operator || owner.is_some() && who.person() == owner)
}

/// The same match without what the programs of others wrote to their standard error; `None` if there is nothing to leave
/// out, so that its record can be given as it is.
pub(crate) fn without_stderr(
    snapshot: &Snapshot,
    may_read: &dyn Fn(Option<Seat>) -> bool,
) -> Option<Snapshot> {
    let mut changed = None;
    for (idx, entry) in snapshot.entries.iter().enumerate() {
        let Deed::Fouled(foul) = &entry.deed else { continue };
        if foul.evidence.stderr.is_some() && !may_read(Some(foul.seat)) {
            let mut foul = foul.clone();
            foul.evidence.stderr = None;
            let entry = Entry { deed: Deed::Fouled(foul), ..Entry::clone(entry) };
            changed.get_or_insert_with(|| snapshot.clone()).entries[idx] = Arc::new(entry);
        }
    }
    let ending = snapshot.verdict.as_ref().map(|verdict| &verdict.ending);
    let told = ending.filter(|ending| ending.evidence.as_ref().is_some_and(|told| told.stderr.is_some()));
    if told.is_some_and(|ending| !may_read(ending.seat)) {
        let verdict = &mut changed.get_or_insert_with(|| snapshot.clone()).verdict;
        if let Some(evidence) =
            verdict.as_mut().and_then(|verdict| Arc::make_mut(verdict).ending.evidence.as_mut())
        {
            evidence.stderr = None;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use rookery_live::{Guest, prepare};
    use rookery_referee::{Fault, Offence};
    use rookery_store::GameId;
    use rookery_wire::Protocols;

    use super::super::{Hold, Hub, Table};
    use super::*;
    use crate::accounts::Owner;

    #[tokio::test]
    async fn fault_w09_the_owner_of_a_bot_reads_its_standard_error_at_the_table() {
        let spec = serde_json::json!({
            "game": "hexapawn", "seed": "7", "time": "untimed", "conduct": "remove",
            "seats": [
                {"player": "bundle:mine", "name": "mine", "label": "white"},
                {"player": "first", "name": "first", "label": "black"},
            ],
        });
        let spec: MatchSpec = serde_json::from_value(spec).expect("it is a spec");
        let mut fault = Fault::new(Offence::NoShow, "it ended at once");
        fault.evidence.stderr = Some("the password is swordfish".to_owned());
        let SeatSpec::BuiltIn(first) = spec.seats[1].player.clone() else { panic!("it is a computer") };
        let guests = vec![Guest::Absent(fault), Guest::BuiltIn(first)];
        let live = prepare(spec, guests, &Protocols::default(), None).expect("it can begin").start();
        live.played().await;
        let table =
            Table::live(GameId::random(), Owner::Guest(0), 1, live, vec![Hold::default(), Hold::default()]);
        table.set_programs(vec![Some(EntrantId(7)), None]);
        let person = |id: i64, is_operator: bool| Identity {
            name: "somebody".to_owned(),
            owner: Owner::Named(id),
            is_operator,
            token: 1,
            is_program: false,
        };
        let reads = |who: Option<&Identity>| {
            let state = table.look(Hub::sight(&table, who));
            state.over.and_then(|over| over.evidence?.stderr).is_some()
        };
        assert!(!reads(Some(&person(7, false))), "before it is stored nobody is told that it is over");
        assert!(table.over_since().is_none());
        table.release();
        assert!(table.over_since().is_some());
        assert!(reads(Some(&person(7, false))), "its owner");
        assert!(reads(Some(&person(8, true))), "the operator");
        assert!(!reads(Some(&person(8, false))) && !reads(None), "others");
    }
}
