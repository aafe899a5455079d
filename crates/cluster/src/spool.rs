//! Finished games that are not delivered yet, on the disk of the worker.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, params};

use crate::core::Claim;
use crate::{ClusterError, JobId};

/// A finished game of an earlier run.
pub(crate) type Kept = (Claim<JobId>, Vec<u8>);

/// A file of finished games. What is put in survives the end of the process and a power cut.
#[derive(Debug)]
pub(crate) struct Spool {
    file: Connection,
}

impl Spool {
    /// Opens the file, and makes it if there is none. One worker has it at a time.
    pub(crate) fn open(path: &Path) -> Result<Self, ClusterError> {
        let failed = |error: rusqlite::Error| {
            ClusterError::File(format!(
                "{}: {error}; each worker needs a --spool of its own that it may write",
                path.display()
            ))
        };
        let file = Connection::open(path).map_err(failed)?;
        file.execute_batch(
            "pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full; \
             create table if not exists games (key text not null, attempt integer not null, fence integer not null, \
             record blob not null, primary key (key, attempt, fence)) strict, without rowid; \
             create table if not exists sessions (number integer primary key, session text not null) strict; \
             begin exclusive; commit",
        )
        .map_err(failed)?;
        Ok(Self { file })
    }

    /// Begins a session: its word, and those of the last runs, the latest first. So a worker that begins again is known as the same.
    pub(crate) fn begin(&mut self, most: usize) -> Result<(Arc<str>, Vec<Arc<str>>), ClusterError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| ClusterError::Wrong(error.to_string()))?;
        let own: Arc<str> = Arc::from(format!("{:016x}", u64::from_be_bytes(bytes)));
        let all = self.file.transaction().map_err(failed)?;
        let mut query =
            all.prepare("select session from sessions order by number desc limit ?1").map_err(failed)?;
        let rows = query.query_map([most as i64], |row| row.get::<_, String>(0)).map_err(failed)?;
        let before = rows.map(|row| row.map(Arc::from)).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        drop(query);
        all.execute("insert into sessions (session) values (?1)", [&*own]).map_err(failed)?;
        let old = "delete from sessions where number <= (select max(number) from sessions) - ?1";
        all.execute(old, [most as i64]).map_err(failed)?;
        all.commit().map_err(failed)?;
        Ok((own, before))
    }

    /// What an earlier run has left.
    pub(crate) fn kept(&self) -> Result<Vec<Kept>, ClusterError> {
        let mut query = self.file.prepare("select key, attempt, fence, record from games").map_err(failed)?;
        let rows = query
            .query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?, row.get::<_, i64>(2)?, row.get(3)?))
            })
            .map_err(failed)?;
        let mut kept = vec![];
        for row in rows {
            let (key, attempt, fence, record) = row.map_err(failed)?;
            // What no key can be read of is nobody's any more.
            if let Ok(key) = key.parse() {
                kept.push((Claim { key, attempt, fence: fence as u64 }, record));
            }
        }
        Ok(kept)
    }

    /// Keeps games; they are on the disk when this comes back.
    pub(crate) fn keep(&mut self, games: &[(Claim<JobId>, Arc<[u8]>)]) -> Result<(), ClusterError> {
        let all = self.file.transaction().map_err(failed)?;
        for (claim, record) in games {
            all.execute(
                "insert or ignore into games (key, attempt, fence, record) values (?1, ?2, ?3, ?4)",
                params![claim.key.to_string(), claim.attempt, claim.fence as i64, &record[..]],
            )
            .map_err(failed)?;
        }
        all.commit().map_err(failed)
    }

    /// A game is delivered, or does not count.
    pub(crate) fn forget(&self, claim: &Claim<JobId>) -> Result<(), ClusterError> {
        let delete = "delete from games where key = ?1 and attempt = ?2 and fence = ?3";
        let gone =
            self.file.execute(delete, params![claim.key.to_string(), claim.attempt, claim.fence as i64]);
        gone.map(drop).map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn failed(error: rusqlite::Error) -> ClusterError {
    ClusterError::File(format!("the spool of finished games: {error}; see to the disk, then start again"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_store::TournamentId;
    use rookery_testkit::TempFolder;

    use super::*;

    #[test]
    fn fault_q06_what_is_kept_is_there_after_a_new_start_until_it_is_delivered() {
        let folder = TempFolder::new("spool");
        let path = folder.join("ann.spool");
        let tournament = TournamentId::random();
        let claim = |pairing, attempt| {
            let key = JobId { tournament, pairing, again: pairing == 9 };
            Claim { key, attempt, fence: u64::MAX - pairing }
        };
        let record: Arc<[u8]> = Arc::from(&b"a record\n"[..]);
        let mut spool = Spool::open(&path).unwrap();
        assert_eq!(spool.kept().unwrap(), []);
        spool.keep(&[(claim(1, 1), record.clone()), (claim(1, 2), record.clone())]).unwrap();
        spool.keep(&[(claim(1, 1), Arc::from(&b"another"[..])), (claim(9, 1), record.clone())]).unwrap();
        let taken = Spool::open(&path).unwrap_err().to_string();
        assert!(taken.contains("--spool of its own"), "two workers never share one: {taken}");
        drop(spool);
        let spool = Spool::open(&path).unwrap();
        let mut kept = spool.kept().unwrap();
        kept.sort_by_key(|(claim, _)| (claim.key.pairing, claim.attempt));
        let expected = [claim(1, 1), claim(1, 2), claim(9, 1)].map(|claim| (claim, record.to_vec()));
        assert_eq!(kept, expected, "what was kept first stays, and every lease is one of its own");
        spool.forget(&claim(1, 1)).unwrap();
        spool.forget(&claim(1, 1)).unwrap();
        drop(spool);
        assert_eq!(Spool::open(&path).unwrap().kept().unwrap().len(), 2);
    }

    #[test]
    fn each_start_has_a_session_of_its_own_and_knows_the_last_ones() {
        let folder = TempFolder::new("spool-sessions");
        let path = folder.join("ann.spool");
        let mut seen: Vec<Arc<str>> = vec![];
        for _ in 0..9 {
            let (own, before) = Spool::open(&path).unwrap().begin(3).unwrap();
            let expected: Vec<Arc<str>> = seen.iter().rev().take(3).cloned().collect();
            assert_eq!(before, expected);
            assert!(!seen.contains(&own));
            seen.push(own);
        }
        let n_kept: i64 = Spool::open(&path)
            .unwrap()
            .file
            .query_row("select count(*) from sessions", [], |row| row.get(0))
            .unwrap();
        assert_eq!(n_kept, 3);
    }
}
