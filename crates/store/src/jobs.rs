//! Jobs: games that are played on other machines, who plays them, and until when.
//!
//! What a row means is up to whoever coordinates; here it is written, in one transaction with the games that came of it, and read
//! back.

use std::collections::BTreeMap;

use rookery_rules::text::clean;

use crate::facts::Facts;
use crate::games::Named;
use crate::pairings::PairingState;
use crate::put::{put, tournament_seq};
use crate::sql::{Fault, Row, Sql, SqlError, Value, column, next_number, params};
use crate::store::now_ms;
use crate::tables::{ATTEMPTS, AUDIT, JOBS, Known, PAIRINGS};
use crate::writer::Tx;
use crate::{Hash, NewGame, Receipt, Store, StoreError, TournamentId};

/// The longest reason that is kept, in bytes.
const MAX_REASON: usize = 1000;
/// How many pairings are opened again at a time.
const PAGE: i64 = 1000;

/// How far a job is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    /// A worker plays it.
    Leased,
    /// Its game is stored.
    Done,
    /// It failed too often, and waits for the operator.
    Parked,
}

impl JobState {
    const ALL: [Self; 4] = [Self::Queued, Self::Leased, Self::Done, Self::Parked];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Leased => "leased",
            Self::Done => "done",
            Self::Parked => "parked",
        }
    }
}

/// A job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobRow {
    /// The tournament.
    pub tournament: TournamentId,
    /// The pairing.
    pub pairing: u64,
    /// Which attempt counts, from 1.
    pub attempt: u32,
    /// Grows with each lease.
    pub fence: u64,
    /// How many attempts were lost since somebody last looked at it.
    pub failures: u32,
    /// How far it is.
    pub state: JobState,
    /// Who plays it, or has.
    pub worker: Option<String>,
    /// Until when the lease holds, by the database's clock.
    pub until_ms: Option<u64>,
    /// How often the lease was prolonged.
    pub beats: u64,
    /// Who has lost the attempt before.
    pub last: Option<String>,
    /// What the record hashes to.
    pub sha256: Option<Hash>,
}

/// An attempt that came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndedAttempt {
    /// The tournament.
    pub tournament: TournamentId,
    /// The pairing.
    pub pairing: u64,
    /// Which attempt.
    pub attempt: u32,
    /// Under which lease.
    pub fence: u64,
    /// Who tried.
    pub worker: String,
    /// Why it came to nothing.
    pub how: String,
}

/// What is to be written.
#[derive(Clone, Debug)]
pub enum JobChange {
    /// The row of a job.
    Put(JobRow),
    /// A job that nobody needs any more.
    Delete(TournamentId, u64),
    /// An attempt that came to nothing.
    Ended(EndedAttempt),
    /// A finished game.
    Game(NewGame),
    /// Something for the log of what matters: who, what, about what.
    Audit(String, String, String),
}

impl JobChange {
    /// The tournament that it is about; none if it is for the log.
    pub fn tournament(&self) -> Option<TournamentId> {
        match self {
            Self::Put(row) => Some(row.tournament),
            Self::Delete(tournament, _) => Some(*tournament),
            Self::Ended(ended) => Some(ended.tournament),
            Self::Game(NewGame { named: Named::Key(game), .. }) => Some(game.tournament),
            Self::Game(_) | Self::Audit(..) => None,
        }
    }
}

impl Store {
    /// Writes all of this or nothing, games after the rows of their jobs. The receipt comes after the commit. A row that comes
    /// twice counts as it came last.
    pub fn change_jobs(&self, changes: Vec<JobChange>) -> Receipt<()> {
        let mut ordered = match Changes::of(changes) {
            Ok(ordered) => ordered,
            Err(error) => return Receipt::failed(error),
        };
        self.submit(true, move |tx| ordered.write(tx))
    }

    /// The jobs of all tournaments that are not over.
    pub fn jobs(&self) -> Result<Vec<JobRow>, StoreError> {
        self.read(|sql| {
            let rows = sql.rows(
                &format!(
                    "{SELECT} where tournaments.state not in ('finished', 'cancelled') order by tournament, pairing"
                ),
                &[],
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// The jobs of one tournament, whether it is over or not.
    pub fn jobs_of(&self, tournament: TournamentId) -> Result<Vec<JobRow>, StoreError> {
        self.read(|sql| {
            let rows = sql.rows(
                &format!("{SELECT} where tournaments.id = ?1 order by pairing"),
                params![tournament.as_str()],
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// The job of a pairing, if it has one.
    pub fn job(&self, tournament: TournamentId, pairing: u64) -> Result<Option<JobRow>, StoreError> {
        self.read(|sql| {
            let row = sql.row(
                &format!("{SELECT} where tournaments.id = ?1 and pairing = ?2"),
                params![tournament.as_str(), column(pairing)?],
            )?;
            Ok(row.map(|mut row| stored(&mut row)).transpose()?)
        })
    }

    /// Jobs that are being played, those of one tournament or of all: so many at most.
    pub fn leased_jobs(
        &self,
        tournament: Option<TournamentId>,
        limit: u32,
    ) -> Result<Vec<JobRow>, StoreError> {
        self.read(|sql| {
            let (only, values) = match tournament {
                Some(id) => ("and tournaments.id = ?2", params![limit, id.as_str()].to_vec()),
                None => ("", params![limit].to_vec()),
            };
            let rows = sql.rows(
                &format!("{SELECT} where jobs.state = 'leased' {only} order by tournament, pairing limit ?1"),
                &values,
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// How many jobs of a tournament are parked.
    pub fn parked_jobs(&self, tournament: TournamentId) -> Result<u64, StoreError> {
        self.read(|sql| {
            let row = sql.row(
                "select count(*) from jobs join tournaments on tournaments.seq = jobs.tournament \
                 where tournaments.id = ?1 and jobs.state = 'parked'",
                params![tournament.as_str()],
            )?;
            Ok(row.map_or(Ok(0), |row| row.count(0))?)
        })
    }

    /// The attempts of a tournament that came to nothing.
    pub fn ended_attempts(&self, tournament: TournamentId) -> Result<Vec<EndedAttempt>, StoreError> {
        self.read(|sql| {
            let rows = sql.rows(
                "select pairing, attempt, fence, worker, how from attempts \
                 join tournaments on tournaments.seq = attempts.tournament where tournaments.id = ?1 \
                 order by pairing, attempt, fence",
                params![tournament.as_str()],
            )?;
            let ended = |mut row: Row| -> Result<EndedAttempt, SqlError> {
                Ok(EndedAttempt {
                    tournament,
                    pairing: row.count(0)?,
                    attempt: row.small(1)?,
                    fence: row.count(2)?,
                    worker: row.text(3)?,
                    how: row.text(4)?,
                })
            };
            Ok(rows.into_iter().map(ended).collect::<Result<_, _>>()?)
        })
    }

    /// What the database's clock shows, in milliseconds since 1970.
    pub fn clock_ms(&self) -> Result<u64, StoreError> {
        let clock = self.inner.engine.dialect().clock;
        self.read(|sql| {
            let row = sql.row(clock, &[])?;
            Ok(row.ok_or_else(|| SqlError::Corrupt("the database has no clock".to_owned()))?.count(0)?)
        })
    }

    /// Games of a tournament are played here from now on: jobs that are not done are forgotten, and what a lost worker was to
    /// play is tried as if it had not.
    pub fn recall_jobs(&self, tournament: TournamentId) -> Result<(), StoreError> {
        self.write(move |tx| {
            let seq = tournament_seq(tx, tournament)?;
            tx.execute("delete from jobs where tournament = ?1 and state <> 'done'", params![seq])?;
            // Also where somebody else has forgotten the jobs: what a lost worker was to play counts as an attempt until then.
            open_again(tx, seq)?;
            Ok(())
        })
    }
}

/// Pairings without a game are open, at the attempt behind the last one that has left a game.
fn open_again(sql: &mut dyn Sql, tournament: i64) -> Result<(), SqlError> {
    let last = "coalesce((select max(games.attempt) from games where games.tournament = pairings.tournament \
                and games.pairing = pairings.id), 0)";
    let select = format!(
        "select {}, {last} from pairings where tournament = ?1 and id > ?2 and state <> 'done' \
         and (state <> 'open' or attempt <> 1 + {last}) order by id limit {PAGE}",
        PAIRINGS.list()
    );
    let mut after = Value::Int(-1);
    loop {
        let rows = sql.rows(&select, &[tournament.into(), after])?;
        let Some(end) = rows.last() else { return Ok(()) };
        after = end.0[PAIRINGS.place("id")].clone();
        let mut open = vec![];
        for row in rows {
            let attempt = row.int(PAIRINGS.columns.len() + 1)? + 1;
            let mut row = PAIRINGS.opened(row)?;
            row[PAIRINGS.place("state")] = PairingState::Open.word().into();
            row[PAIRINGS.place("attempt")] = attempt.into();
            open.extend(PAIRINGS.sealed(row));
        }
        PAIRINGS.write(sql, &open, Known::Replaced)?;
    }
}

/// Changes in the order they are written.
struct Changes {
    rows: BTreeMap<(TournamentId, u64), Option<JobRow>>,
    ended: Vec<EndedAttempt>,
    games: Vec<(NewGame, Facts, Vec<u8>)>,
    audit: Vec<(String, String, String)>,
}

impl Changes {
    fn of(changes: Vec<JobChange>) -> Result<Self, StoreError> {
        let mut new = Self { rows: BTreeMap::new(), ended: vec![], games: vec![], audit: vec![] };
        for change in changes {
            match change {
                JobChange::Put(row) => {
                    new.rows.insert((row.tournament, row.pairing), Some(row));
                }
                JobChange::Delete(tournament, pairing) => {
                    new.rows.insert((tournament, pairing), None);
                }
                JobChange::Ended(ended) => new.ended.push(ended),
                JobChange::Game(mut game) => {
                    let facts = Facts::of_record(&game.record)?;
                    let packed = game.take_packed();
                    new.games.push((game, facts, packed));
                }
                JobChange::Audit(actor, act, subject) => new.audit.push((actor, act, subject)),
            }
        }
        Ok(new)
    }

    fn write(&mut self, tx: &mut Tx<'_>) -> Result<(), Fault> {
        let puts: Vec<&JobRow> = self.rows.values().flatten().collect();
        put_rows(tx, &puts)?;
        for ((tournament, pairing), row) in &self.rows {
            let seq = tournament_seq(tx, *tournament)?;
            match row {
                None => {
                    tx.execute(
                        "delete from jobs where tournament = ?1 and pairing = ?2",
                        params![seq, column(*pairing)?],
                    )?;
                }
                Some(row) if row.attempt > 1 || row.state == JobState::Parked => count_attempt(tx, seq, row)?,
                Some(_) => {}
            }
        }
        for ended in &self.ended {
            put_ended(tx, ended)?;
        }
        for (game, facts, packed) in &self.games {
            put(tx, game, facts, packed)?;
        }
        for (actor, act, subject) in &self.audit {
            let id = next_number(tx, "audit", "id")?;
            AUDIT.put(tx, params![id, now_ms(), cut(actor), cut(act), cut(subject)], Known::Refused)?;
        }
        Ok(())
    }
}

/// The pairing knows which attempt counts, so that the game of another is refused.
fn count_attempt(tx: &mut Tx<'_>, tournament: i64, row: &JobRow) -> Result<(), Fault> {
    let state = if row.state == JobState::Parked { PairingState::Parked } else { PairingState::Open };
    PAIRINGS.change(
        tx,
        "tournament = ?1 and id = ?2 and state <> 'done'",
        params![tournament, column(row.pairing)?],
        &[("attempt", row.attempt.into()), ("state", state.word().into())],
    )?;
    Ok(())
}

fn put_ended(tx: &mut Tx<'_>, ended: &EndedAttempt) -> Result<(), Fault> {
    let seq = tournament_seq(tx, ended.tournament)?;
    let row = params![
        seq,
        column(ended.pairing)?,
        ended.attempt,
        column(ended.fence)?,
        ended.worker.as_str(),
        cut(&ended.how),
        now_ms()
    ];
    ATTEMPTS.put(tx, row, Known::Stays)?;
    Ok(())
}

/// The beginning of a text that others wrote, without what a terminal would obey or a database refuses.
fn cut(text: &str) -> String {
    let mut text = clean(&text[..text.floor_char_boundary(MAX_REASON)]);
    text.truncate(text.floor_char_boundary(MAX_REASON));
    text
}

fn put_rows(tx: &mut Tx<'_>, rows: &[&JobRow]) -> Result<(), Fault> {
    let mut values = vec![];
    for row in rows {
        values.extend(JOBS.sealed(values_of(tx, row)?));
    }
    if !values.is_empty() {
        JOBS.write(tx.beside(), &values, Known::Replaced)?;
    }
    Ok(())
}

fn values_of(tx: &mut Tx<'_>, row: &JobRow) -> Result<Vec<Value>, Fault> {
    Ok(vec![
        tournament_seq(tx, row.tournament)?.into(),
        column(row.pairing)?.into(),
        row.attempt.into(),
        column(row.fence)?.into(),
        row.failures.into(),
        row.state.word().into(),
        row.worker.as_deref().into(),
        row.until_ms.map(column).transpose()?.into(),
        column(row.beats)?.into(),
        row.last.as_deref().into(),
        row.sha256.as_ref().map(|hash| &hash.0[..]).into(),
    ])
}

const SELECT: &str = "select tournaments.id, pairing, attempt, fence, failures, jobs.state, worker, until_ms, beats, last, \
                      sha256 from jobs join tournaments on tournaments.seq = jobs.tournament";

fn stored(row: &mut Row) -> Result<JobRow, SqlError> {
    let (id, state) = (row.text(0)?, row.text(5)?);
    let wrong = |what: &str| SqlError::Corrupt(format!("{what:?} in a row of `jobs`"));
    let hash = row.maybe(10, Row::blob)?;
    Ok(JobRow {
        tournament: id.parse().map_err(|_| wrong(&id))?,
        pairing: row.count(1)?,
        attempt: row.small(2)?,
        fence: row.count(3)?,
        failures: row.small(4)?,
        state: JobState::ALL.into_iter().find(|known| known.word() == state).ok_or_else(|| wrong(&state))?,
        worker: row.maybe(6, Row::text)?,
        until_ms: row.maybe(7, |row, idx| row.count(idx))?,
        beats: row.count(8)?,
        last: row.maybe(9, Row::text)?,
        sha256: hash.map(|bytes| Hash::of_column(&bytes).ok_or_else(|| wrong("a hash"))).transpose()?,
    })
}
