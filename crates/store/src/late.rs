//! Rows of pairings and finished games that are written together. A database elsewhere is then asked a few times for many games, instead
//! of several times for each.
//!
//! Whoever puts a pairing or a game this way assumes that it is new and that its attempt counts. What shows otherwise when the rows are
//! written is [`SqlError::Doubtful`]: the transaction is taken back, and everything in it done again one by one.

use std::collections::{BTreeMap, HashSet};

use rookery_record::Key;

use crate::GameId;
use crate::chain::{GameRow, INSERT};
use crate::pairings::{self, PairingState};
use crate::sql::{Sql, SqlError, Value};

/// How many rows one statement writes, the most first: few lengths, so that few statements are prepared, and any number of rows
/// needs few of them.
const AT_ONCE: [usize; 8] = [128, 64, 32, 16, 8, 4, 2, 1];

/// What is to be written before anybody else looks.
#[derive(Default)]
pub(crate) struct Late {
    paired: Vec<Value>,
    games: Vec<Value>,
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
    pub(crate) fn paired(&mut self, pairing: [Value; pairings::N_COLUMNS]) {
        self.paired.extend(pairing);
    }

    /// A game with its record and those who played it.
    pub(crate) fn add(
        &mut self,
        id: GameId,
        game: [Value; GameRow::N_COLUMNS],
        seq: i64,
        packed: &[u8],
        entrants: &[i64],
    ) {
        self.ids.insert(id);
        self.games.extend(game);
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
        insert(sql, pairings::INSERT, pairings::N_COLUMNS, &self.paired)?;
        for ((tournament, attempt, state, next), pairings) in self.played {
            for pairings in in_pieces(&pairings, 1) {
                close(sql, tournament, attempt, (state, next), pairings)?;
            }
        }
        insert(sql, INSERT, GameRow::N_COLUMNS, &self.games)?;
        insert(sql, "insert into records (seq, bytes) values", 2, &self.records)?;
        insert(sql, "insert into entrant_games (entrant, seq) values", 2, &self.entrant_games)
    }
}

/// Marks pairings as played. All of them wait for this attempt; one that was never put is no hindrance.
fn close(
    sql: &mut dyn Sql,
    tournament: i64,
    attempt: u32,
    (state, next): (PairingState, u32),
    pairings: &[i64],
) -> Result<(), SqlError> {
    let numbers = |first: i64| std::iter::once(first).chain(pairings.iter().copied()).map(Value::Int);
    let asked: Vec<Value> = numbers(tournament).collect();
    let list = marks(2, pairings.len());
    let rows = sql.rows(
        &format!("select attempt, state from pairings where tournament = ?1 and id in {list}"),
        &asked,
    )?;
    let n_found = rows.len() as u64;
    for mut row in rows {
        if row.small(0)? != attempt || row.text(1)? == PairingState::Done.word() {
            return Err(SqlError::Doubtful);
        }
    }
    if n_found == 0 {
        return Ok(());
    }
    let list = marks(4, pairings.len());
    let mut values = vec![Value::from(state.word()), next.into()];
    values.extend(numbers(tournament));
    let n_changed = sql.execute(
        &format!(
            "update pairings set state = ?1, attempt = ?2, lease_owner = null, lease_until_ms = null \
             where tournament = ?3 and id in {list}"
        ),
        &values,
    )?;
    if n_changed == n_found { Ok(()) } else { Err(SqlError::Doubtful) }
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

/// A list of parameters in brackets, from this number on.
pub(crate) fn marks(first: usize, n: usize) -> String {
    let marks: Vec<String> = (first..first + n).map(|number| format!("?{number}")).collect();
    format!("({})", marks.join(", "))
}

/// Rows of so many values in pieces of as many rows as one statement takes.
pub(crate) fn in_pieces<T>(mut values: &[T], n_columns: usize) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let at_once = AT_ONCE.into_iter().find(|at_once| at_once * n_columns <= values.len())?;
        let (piece, rest) = values.split_at(at_once * n_columns);
        values = rest;
        Some(piece)
    })
}
