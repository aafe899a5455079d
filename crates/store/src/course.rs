//! The course of a tournament beside its results: pairings as they are made, what programs said, who came and went.

use rookery_record::Key;
use rookery_tournament::{Change, Entrant, Pairing};

use crate::entrants::{MAX_NOTE, bounded};
use crate::facts::unpack;
use crate::pairings::{add, to_store};
use crate::sql::{Fault, Row, Sql, SqlError, column, params};
use crate::tables::{CHANGES, Known, LOGS, TOURNAMENT_RUNS};
use crate::tournaments::seq_of;
use crate::{Receipt, Store, StoreError, TournamentId};

/// The longest standard error of a program that is kept, in bytes.
const MAX_LOG: usize = 1 << 20;
/// The longest text on how a tournament is held.
pub(crate) const MAX_HOW: usize = 1 << 20;
/// The most changes that are read.
const MAX_CHANGES: i64 = 100_000;

impl Store {
    /// Stores pairings without waiting for it: they are there before any game that is handed over later. Like a result they
    /// are kept until the disk has room again, because no game can be stored without its pairing.
    pub fn submit_pairings(&self, tournament: TournamentId, pairings: &[Pairing]) -> Receipt<()> {
        let rows: Vec<_> = pairings.iter().map(to_store).collect();
        if let Err(error) =
            rows.iter().try_for_each(|row| bounded("reason of a pairing", &row.reason, MAX_NOTE))
        {
            return Receipt::failed(error);
        }
        self.submit(true, move |tx| add(tx, tournament, &rows))
    }

    /// The record of a game of a tournament.
    pub fn record_of(&self, tournament: TournamentId, key: Key) -> Result<Vec<u8>, StoreError> {
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let row = sql.row(
                "select bytes, record_bytes, sha256 from games join records on records.seq = games.seq \
                 where tournament = ?1 and pairing = ?2 and attempt = ?3",
                params![seq, column(key.pairing)?, key.attempt],
            )?;
            let unknown = || StoreError::unknown("game of the pairing", key.pairing);
            let mut row = row.ok_or_else(unknown)?;
            let (packed, n_bytes, sha256) = (row.blob(0)?, row.count(1)?, crate::chain::hash(&mut row, 2)?);
            let damaged = |why| SqlError::Corrupt(format!("the game of pairing {}: {why}", key.pairing));
            Ok(unpack(&packed, n_bytes, sha256).map_err(damaged)?)
        })
    }

    /// Keeps what the program at a seat wrote to its standard error in a game, without waiting for it. What is too long
    /// loses its end.
    pub fn put_log(&self, tournament: TournamentId, key: Key, seat: usize, log: &[u8]) -> Receipt<()> {
        let text = log[..log.len().min(MAX_LOG)].to_vec();
        let seat = seat as u64;
        self.submit(false, move |tx| {
            let seq = seq_of(tx, tournament)?;
            let row = params![seq, column(key.pairing)?, key.attempt, column(seat)?, text.as_slice()];
            LOGS.put(tx, row, Known::Stays)?;
            Ok(())
        })
    }

    /// What the programs of a game wrote to their standard error, by seat.
    pub fn logs(&self, tournament: TournamentId, key: Key) -> Result<Vec<(usize, Vec<u8>)>, StoreError> {
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let rows = sql.rows(
                "select seat, text from logs where tournament = ?1 and pairing = ?2 and attempt = ?3 order by seat",
                params![seq, column(key.pairing)?, key.attempt],
            )?;
            let log = |mut row: Row| -> Result<_, SqlError> { Ok((row.small(0)? as usize, row.blob(1)?)) };
            Ok(rows.into_iter().map(log).collect::<Result<_, _>>()?)
        })
    }

    /// Keeps how a tournament is held here, in the words of whoever holds it: folders, limits. Not part of what was agreed.
    pub fn put_how(&self, tournament: TournamentId, how: &str) -> Result<(), StoreError> {
        bounded("text on how a tournament is held", how, MAX_HOW)?;
        let how = how.to_owned();
        self.write(move |tx| {
            let seq = seq_of(tx, tournament)?;
            keep_how(tx, seq, &how)
        })
    }

    /// How a tournament is held here, if somebody has said so.
    pub fn how(&self, tournament: TournamentId) -> Result<Option<String>, StoreError> {
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let row = sql.row("select how from tournament_runs where tournament = ?1", params![seq])?;
            Ok(row.map(|mut row| row.text(0)).transpose()?)
        })
    }

    /// Keeps who came and went so far: those that are new behind those that are known.
    pub fn put_changes(&self, tournament: TournamentId, changes: &[Change]) -> Result<(), StoreError> {
        let changes = changes.to_vec();
        self.write(move |tx| {
            let seq = seq_of(tx, tournament)?;
            insert_changes(tx, seq, &changes)
        })
    }

    /// Who came and went, in order.
    pub fn changes(&self, tournament: TournamentId) -> Result<Vec<Change>, StoreError> {
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let rows = sql.rows(
                "select entrant, joins, from_pairing from changes where tournament = ?1 order by number limit ?2",
                params![seq, MAX_CHANGES],
            )?;
            let change = |row: Row| -> Result<_, SqlError> {
                let (entrant, from) = (Entrant(row.small(0)?), row.count(2)?);
                Ok(if row.int(1)? == 0 { Change::Leave { entrant, from } } else { Change::Join { entrant, from } })
            };
            Ok(rows.into_iter().map(change).collect::<Result<_, _>>()?)
        })
    }
}

/// Keeps how a tournament is held, in the place of what was kept before.
pub(crate) fn keep_how(sql: &mut dyn Sql, tournament: i64, how: &str) -> Result<(), Fault> {
    TOURNAMENT_RUNS.put(sql, params![tournament, how], Known::Replaced)?;
    Ok(())
}

/// Puts those changes behind the known ones that are new.
pub(crate) fn insert_changes(sql: &mut dyn Sql, tournament: i64, changes: &[Change]) -> Result<(), Fault> {
    for (number, change) in (0_u32..).zip(changes) {
        let (entrant, joins, from) = match change {
            Change::Join { entrant, from } => (entrant.0, true, *from),
            Change::Leave { entrant, from } => (entrant.0, false, *from),
        };
        CHANGES.put(sql, params![tournament, number, entrant, joins, column(from)?], Known::Stays)?;
    }
    Ok(())
}
