//! Pairings: what is to be played, at which attempt it is, and whether it was.

use rookery_record::Key;
use rookery_referee::Cause;
use rookery_tournament::{Entrant, Pairing};

use crate::entrants::{MAX_NOTE, bounded};
use crate::games::{json, list};
use crate::late::LEASE;
use crate::put::tournament_seq;
use crate::sql::{Fault, Row, Sql, SqlError, Value, column, params};
use crate::tables::PAIRINGS;
use crate::tournaments::seq_of;
use crate::writer::Tx;
use crate::{Store, StoreError, TournamentId};

/// The most pairings of a page.
const PAGE: i64 = 1000;

/// How far a pairing is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PairingState {
    /// It is to be played.
    Open,
    /// Its game is stored.
    Done,
    /// It failed too often, and waits for the operator.
    Parked,
}

impl PairingState {
    const ALL: [Self; 3] = [Self::Open, Self::Done, Self::Parked];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Parked => "parked",
        }
    }

    /// The state with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// A pairing that is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredPairing {
    /// The [`Pairing::id`].
    pub id: u64,
    /// The [`Pairing::round`].
    pub round: Option<u32>,
    /// The [`Pairing::block`].
    pub block: u64,
    /// Who plays, by seat.
    pub entrants: Vec<Entrant>,
    /// Why it was made, in words.
    pub reason: String,
    /// How far it is.
    pub state: PairingState,
    /// Which attempt counts, from 1.
    pub attempt: u32,
}

impl Store {
    /// Stores pairings in one transaction. One that is there already stays as it is; if it is another one, all are
    /// refused.
    pub fn put_pairings(&self, tournament: TournamentId, pairings: &[Pairing]) -> Result<(), StoreError> {
        let rows: Vec<StoredPairing> = pairings.iter().map(to_store).collect();
        rows.iter().try_for_each(|row| bounded("reason of a pairing", &row.reason, MAX_NOTE))?;
        self.write(move |tx| add(tx, tournament, &rows))
    }

    /// The same for pairings that come from elsewhere, with the state and the attempt they have there.
    pub fn import_pairings(
        &self,
        tournament: TournamentId,
        pairings: Vec<StoredPairing>,
    ) -> Result<(), StoreError> {
        pairings.iter().try_for_each(|row| bounded("reason of a pairing", &row.reason, MAX_NOTE))?;
        self.write(move |tx| add(tx, tournament, &pairings))
    }

    /// Pairings by number, those above `after`, at most 1000; all of them when called again with the last one's number.
    pub fn pairings(
        &self,
        tournament: TournamentId,
        after: Option<u64>,
    ) -> Result<Vec<StoredPairing>, StoreError> {
        let after = after.map_or(Ok(-1), column)?;
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let rows =
                sql.rows(&format!("{SELECT} and id > ?2 order by id limit ?3"), params![seq, after, PAGE])?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// Parks a pairing that failed too often, or opens it again.
    pub fn set_pairing_state(
        &self,
        tournament: TournamentId,
        pairing: u64,
        state: PairingState,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let seq = seq_of(tx, tournament)?;
            let (meant, set) = (params![seq, column(pairing)?], [("state", state.word().into())]);
            let n = PAIRINGS.change(tx, "tournament = ?1 and id = ?2", meant, &set)?;
            if n == 1 { Ok(()) } else { Err(StoreError::unknown("pairing", pairing).into()) }
        })
    }
}

const SELECT: &str =
    "select id, round, block, entrants, reason, state, attempt from pairings where tournament = ?1";

/// A pairing as it is stored first.
pub(crate) fn to_store(pairing: &Pairing) -> StoredPairing {
    StoredPairing {
        id: pairing.id,
        round: pairing.round,
        block: pairing.block,
        entrants: pairing.entrants.clone(),
        reason: pairing.reason.to_string(),
        state: PairingState::Open,
        attempt: 1,
    }
}

/// Stores pairings, assuming that they are new; whether they are shows when all rows of the transaction are written.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    tournament: TournamentId,
    pairings: &[StoredPairing],
) -> Result<(), Fault> {
    let seq = tournament_seq(tx, tournament)?;
    for pairing in pairings {
        if tx.one_by_one && is_stored(tx, seq, pairing)? {
            continue;
        }
        let values = values(seq, pairing)?;
        tx.late().paired(values);
        if tx.one_by_one {
            tx.flush()?;
        }
    }
    Ok(())
}

/// Whether it is there already. Refused if another one has its number.
fn is_stored(sql: &mut dyn Sql, tournament: i64, pairing: &StoredPairing) -> Result<bool, Fault> {
    let id = column(pairing.id)?;
    let Some(mut row) = sql.row(&format!("{SELECT} and id = ?2"), params![tournament, id])? else {
        return Ok(false);
    };
    let found = stored(&mut row)?;
    if (found.block, &found.entrants, found.round) == (pairing.block, &pairing.entrants, pairing.round) {
        return Ok(true);
    }
    Err(StoreError::refused(format!(
        "pairing {id} is stored already with other entrants; expected the same pairings as before"
    ))
    .into())
}

fn values(tournament: i64, pairing: &StoredPairing) -> Result<Vec<Value>, Fault> {
    let entrants: Vec<u32> = pairing.entrants.iter().map(|entrant| entrant.0).collect();
    Ok(vec![
        tournament.into(),
        column(pairing.id)?.into(),
        pairing.round.into(),
        column(pairing.block)?.into(),
        json(&entrants).into(),
        pairing.reason.as_str().into(),
        pairing.state.word().into(),
        pairing.attempt.into(),
        // Nobody plays it yet.
        Value::Null,
        Value::Null,
        Value::Null,
    ])
}

/// What a pairing is when this game of it has ended so, and which attempt counts then.
pub(crate) const fn after_game(key: Key, cause: Cause) -> (PairingState, u32) {
    match cause {
        Cause::PlatformAbort => (PairingState::Open, key.attempt + 1),
        _ => (PairingState::Done, key.attempt),
    }
}

/// A game of a pairing is there: it is done, or after a failure of ours to be played again. Refused if another attempt
/// counts; a pairing that was never put is no hindrance.
pub(crate) fn played(sql: &mut dyn Sql, tournament: i64, key: Key, cause: Cause) -> Result<(), Fault> {
    let id = column(key.pairing)?;
    let (state, attempt) = after_game(key, cause);
    let mut set: Vec<(&str, Value)> = vec![("state", state.word().into()), ("attempt", attempt.into())];
    set.extend(LEASE.map(|column| (column, Value::Null)));
    let n_changed = PAIRINGS.change(
        sql,
        "tournament = ?1 and id = ?2 and attempt = ?3 and state <> 'done'",
        params![tournament, id, key.attempt],
        &set,
    )?;
    if n_changed == 1 {
        return Ok(());
    }
    let row = sql.row(&format!("{SELECT} and id = ?2"), params![tournament, id])?;
    let Some(mut row) = row else { return Ok(()) };
    let current = stored(&mut row)?.attempt;
    Err(StoreError::Stale { pairing: key.pairing, attempt: key.attempt, current }.into())
}

fn stored(row: &mut Row) -> Result<StoredPairing, SqlError> {
    let (entrants, state) = (row.text(3)?, row.text(5)?);
    let state = PairingState::of_word(&state);
    Ok(StoredPairing {
        id: row.count(0)?,
        round: row.maybe(1, |row, idx| row.small(idx))?,
        block: row.count(2)?,
        entrants: list::<u32>(&entrants)?.into_iter().map(Entrant).collect(),
        reason: row.text(4)?,
        state: state.ok_or_else(|| SqlError::Corrupt("a pairing has no known state".to_owned()))?,
        attempt: row.small(6)?,
    })
}
