//! Rows of pairings and finished games that are written together. A database elsewhere is then asked a few times for many games, instead
//! of several times for each.
//!
//! Whoever puts a pairing or a game this way assumes that it is new and that its attempt counts. What shows otherwise when the rows are
//! written is [`SqlError::Doubtful`]: the transaction is taken back, and everything in it done again one by one.

use std::collections::{BTreeMap, HashSet};

use rookery_record::Key;

use crate::GameId;
use crate::chain::{GameRow, Head, INSERT};
use crate::pairings::PairingState;
use crate::sql::{Sql, SqlError, Value, in_pieces, marks};
use crate::tables::{Known, PAIRINGS};

/// What is to be written before anybody else looks.
#[derive(Default)]
pub(crate) struct Late {
    /// With their seals.
    paired: Vec<Value>,
    games: Vec<Value>,
    /// The last of them.
    end: Option<Head>,
    records: Vec<Value>,
    entrant_games: Vec<Value>,
    /// Pairings whose game is there, by tournament, attempt, and what they become.
    played: BTreeMap<(i64, u32, PairingState, u32), Vec<i64>>,
    /// Of the games above.
    ids: HashSet<GameId>,
    pairings: HashSet<(i64, u64)>,
}

impl Late {
    pub(crate) fn is_empty(&self) -> bool {
        self.games.is_empty() && self.paired.is_empty()
    }

    /// Whether a game of this id or pairing is among them.
    pub(crate) fn has(&self, id: GameId, place: Option<(i64, Key)>) -> bool {
        self.ids.contains(&id)
            || place.is_some_and(|(tournament, key)| self.pairings.contains(&(tournament, key.pairing)))
    }

    /// A pairing that is to be played.
    pub(crate) fn paired(&mut self, pairing: Vec<Value>) {
        self.paired.extend(PAIRINGS.sealed(pairing));
    }

    /// A game with its record and those who played it.
    pub(crate) fn add(
        &mut self,
        id: GameId,
        (game, head): ([Value; GameRow::N_COLUMNS], Head),
        packed: &[u8],
        entrants: &[i64],
    ) {
        let seq = head.seq;
        self.ids.insert(id);
        self.games.extend(game);
        self.end = Some(head);
        self.records.extend([seq.into(), packed.into()]);
        self.entrant_games.extend(entrants.iter().flat_map(|&entrant| [entrant, seq]).map(Value::Int));
    }

    /// The game of a pairing is there: in this state the pairing waits for that attempt.
    pub(crate) fn played(&mut self, tournament: i64, key: Key, pairing: i64, state: PairingState, next: u32) {
        self.pairings.insert((tournament, key.pairing));
        self.played.entry((tournament, key.attempt, state, next)).or_default().push(pairing);
    }

    /// Writes all of it. A row that the tables refuse is a doubt.
    pub(crate) fn write(self, sql: &mut dyn Sql) -> Result<(), SqlError> {
        PAIRINGS.write(sql, &self.paired, Known::Refused)?;
        for ((tournament, attempt, state, next), pairings) in self.played {
            for pairings in in_pieces(&pairings, 1) {
                close(sql, tournament, attempt, (state, next), pairings)?;
            }
        }
        insert(sql, INSERT, GameRow::N_COLUMNS, &self.games)?;
        insert(sql, "insert into records (seq, bytes) values", 2, &self.records)?;
        insert(sql, "insert into entrant_games (entrant, seq) values", 2, &self.entrant_games)?;
        self.end.map_or(Ok(()), |end| end.keep(sql))
    }
}

/// What says who plays a pairing: nobody any more when it is played.
pub(crate) const LEASE: [&str; 2] = ["lease_owner", "lease_until_ms"];

/// Marks pairings as played. All of them wait for this attempt; one that was never put is no hindrance.
fn close(
    sql: &mut dyn Sql,
    tournament: i64,
    attempt: u32,
    (state, next): (PairingState, u32),
    pairings: &[i64],
) -> Result<(), SqlError> {
    let asked: Vec<Value> =
        [tournament].into_iter().chain(pairings.iter().copied()).map(Value::Int).collect();
    let (columns, list) = (PAIRINGS.list(), marks(2, pairings.len()));
    let rows =
        sql.rows(&format!("select {columns} from pairings where tournament = ?1 and id in {list}"), &asked)?;
    let (at, is) = (PAIRINGS.place("attempt"), PAIRINGS.place("state"));
    let mut closed = vec![];
    for row in rows {
        let mut row = PAIRINGS.opened(row)?;
        if row[at] != Value::from(attempt) || row[is] == Value::from(PairingState::Done.word()) {
            return Err(SqlError::Doubtful);
        }
        (row[at], row[is]) = (next.into(), state.word().into());
        for column in LEASE {
            row[PAIRINGS.place(column)] = Value::Null;
        }
        closed.extend(PAIRINGS.sealed(row));
    }
    PAIRINGS.write(sql, &closed, Known::Replaced).map(drop)
}

/// Inserts rows of so many columns each, given one after the other.
fn insert(sql: &mut dyn Sql, head: &str, n_columns: usize, values: &[Value]) -> Result<(), SqlError> {
    for values in in_pieces(values, n_columns) {
        let rows: Vec<String> =
            (0..values.len() / n_columns).map(|row| marks(row * n_columns + 1, n_columns)).collect();
        sql.execute(&format!("{head} {}", rows.join(", ")), values)?;
    }
    Ok(())
}
