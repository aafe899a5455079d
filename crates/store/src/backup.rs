//! Copies of a whole store, made while it is in use, and the way back.
//!
//! A backup is always a file of SQLite, whatever engine the store has: so a store can also move from one to the other.

use std::path::Path;
use std::{fs, io};

use crate::check::{self, CheckOrder};
use crate::engine::Engine as _;
use crate::sql::{Sql, SqlError, Value};
use crate::sqlite::{Sqlite, beside, clear, publish};
use crate::store::{edge, engine};
use crate::{CheckReport, Location, Options, Store, StoreError, migrate};

/// A table, its columns, and how many of them are its key: the first ones.
struct Table {
    name: &'static str,
    columns: &'static [&'static str],
    key: usize,
}

/// Every table, parents before children.
#[rustfmt::skip]
const TABLES: [Table; 22] = [
    Table { name: "holder", columns: &["id", "epoch", "who", "since_ms"], key: 1 },
    Table { name: "entrants", columns: &["id", "name", "folded", "kind", "created_ms"], key: 1 },
    Table { name: "versions", columns: &["id", "entrant", "sha256", "note", "bundle", "created_ms"], key: 1 },
    Table {
        name: "bundles",
        columns: &["version", "owner", "contents", "state", "problem", "changed_ms"],
        key: 1,
    },
    Table { name: "tournaments", columns: &["seq", "id", "spec", "seed", "state", "created_ms"], key: 1 },
    Table {
        name: "tournament_entrants",
        columns: &["tournament", "number", "entrant", "player", "version", "present"],
        key: 2,
    },
    Table { name: "rounds", columns: &["tournament", "number", "note", "created_ms"], key: 2 },
    Table {
        name: "pairings",
        columns: &[
            "tournament", "id", "round", "block", "entrants", "reason", "state", "attempt", "lease_owner",
            "lease_until_ms", "lease_epoch",
        ],
        key: 2,
    },
    Table {
        name: "games",
        columns: &[
            "seq", "id", "tournament", "pairing", "attempt", "game", "spec", "names", "entrants", "winners", "scores",
            "cause", "failed", "plies", "finished_ms", "record_bytes", "sha256", "chain",
        ],
        key: 1,
    },
    Table { name: "records", columns: &["seq", "bytes"], key: 1 },
    Table { name: "entrant_games", columns: &["entrant", "seq"], key: 2 },
    Table { name: "logs", columns: &["tournament", "pairing", "attempt", "seat", "text"], key: 4 },
    Table { name: "changes", columns: &["tournament", "number", "entrant", "joins", "from_pairing"], key: 2 },
    Table { name: "tournament_runs", columns: &["tournament", "how"], key: 1 },
    Table { name: "ratings", columns: &["pool", "entrant", "method", "rating", "numbers", "n_games"], key: 2 },
    Table { name: "people", columns: &["entrant", "password_hash", "is_operator"], key: 1 },
    Table {
        name: "tokens",
        columns: &["id", "sha256", "entrant", "purpose", "note", "created_ms", "expires_ms"],
        key: 1,
    },
    Table { name: "audit", columns: &["id", "at_ms", "actor", "act", "subject"], key: 1 },
    Table { name: "measures", columns: &["entrant", "is_banned", "is_muted"], key: 1 },
    Table { name: "settings", columns: &["name", "value"], key: 1 },
    Table {
        name: "jobs",
        columns: &[
            "tournament", "pairing", "attempt", "fence", "failures", "state", "worker", "until_ms", "beats", "last",
            "sha256",
        ],
        key: 2,
    },
    Table {
        name: "attempts",
        columns: &["tournament", "pairing", "attempt", "fence", "worker", "how", "ended_ms"],
        key: 4,
    },
];

/// How many rows are copied at a time.
const PAGE: i64 = 1000;

impl Store {
    /// Writes a backup into a new file while the store is in use: everything that was committed before, whole or not at
    /// all. The file is looked at before it gets its name.
    pub fn backup(&self, path: &Path) -> Result<CheckReport, StoreError> {
        let io = |error: io::Error| StoreError::Io {
            location: path.display().to_string(),
            problem: error.to_string(),
        };
        if path.exists() {
            return Err(StoreError::refused(format!(
                "{}: there is something already; name a file that does not exist",
                path.display()
            )));
        }
        let unfinished = beside(path, ".unfinished");
        clear(&unfinished).map_err(io)?;
        let copied = self.read(|sql| Ok(self.inner.engine.copy_to(sql, &unfinished)?));
        let report = copied.and_then(|()| expect_good(&unfinished));
        if report.is_err() {
            clear(&unfinished).map_err(io)?;
        }
        let report = report?;
        publish(&unfinished, path).map_err(io)?;
        Ok(report)
    }
}

/// Puts a backup in the place of a store. The backup is looked at first; a file that is there is kept beside under another
/// name, and a database must be empty.
pub fn restore(location: &str, backup: &Path) -> Result<CheckReport, StoreError> {
    let report = expect_good(backup)?;
    match location.parse()? {
        Location::File(path) => restore_file(&path, backup)?,
        postgres @ Location::Postgres(_) => restore_database(&postgres, backup)?,
    }
    Ok(report)
}

/// A file that is a whole store, every game of it.
fn expect_good(path: &Path) -> Result<CheckReport, StoreError> {
    let engine = Sqlite::open(path, &Options::read_only())?;
    let failed = |error| edge(&engine, error);
    let mut sql = engine.reader().map_err(failed)?;
    let version = engine.schema_version(&mut *sql).map_err(failed)?;
    migrate::refuse_newer(&engine, version)?;
    if version == 0 {
        return Err(failed(SqlError::NoStore("it has no tables".to_owned())));
    }
    let report = check::look(&engine, &mut *sql, &CheckOrder::default()).map_err(failed)?;
    if report.is_good() {
        return Ok(report);
    }
    Err(StoreError::Damaged { location: engine.location().to_owned(), report: Box::new(report) })
}

fn restore_file(path: &Path, backup: &Path) -> Result<(), StoreError> {
    // Held until the new file has its name, so that nobody writes to the old one.
    let engine = Sqlite::open(path, &Options::default())?;
    let io = |error: io::Error| StoreError::Io {
        location: engine.location().to_owned(),
        problem: error.to_string(),
    };
    let unfinished = beside(path, ".unfinished");
    clear(&unfinished).map_err(io)?;
    // As SQLite sees it: what a file that is in use holds in its log belongs to it.
    let source = Sqlite::open(backup, &Options::read_only())?;
    let copied = source.reader().and_then(|mut sql| source.copy_to(&mut *sql, &unfinished));
    copied.map_err(|error| edge(&source, error))?;
    if path.exists() {
        // What the log of the old file holds goes into it, if that is still possible.
        if let Ok(mut sql) = engine.writer() {
            let _ = engine.settle(&mut *sql);
        }
        let kept = rookery_record::free_path(&beside(path, ".before-restore"));
        fs::hard_link(path, &kept).or_else(|_| fs::copy(path, &kept).map(drop)).map_err(io)?;
        let log = beside(path, "-wal");
        if log.exists() {
            fs::rename(&log, beside(&kept, "-wal")).map_err(io)?;
        }
        clear(&beside(path, "-shm")).map_err(io)?;
    }
    publish(&unfinished, path).map_err(io)
}

fn restore_database(location: &Location, backup: &Path) -> Result<(), StoreError> {
    let source = Sqlite::open(backup, &Options::read_only())?;
    let mut from = source.reader().map_err(|error| edge(&source, error))?;
    migrate::expect_current(&source, &mut *from)?;
    let target = engine(location, &Options::default())?;
    let failed = |error| edge(&*target, error);
    let mut to = target.writer().map_err(failed)?;
    migrate::migrate(&*target, &mut *to)?;
    for table in ["entrants", "tournaments", "games"] {
        if to.row(&format!("select 1 from {table} limit 1"), &[]).map_err(failed)?.is_some() {
            return Err(StoreError::refused(format!(
                "{location}: the database holds a store already; name an empty one"
            )));
        }
    }
    to.execute(target.dialect().begin, &[]).map_err(failed)?;
    copy_tables(&mut *from, &mut *to).and_then(|()| to.execute("commit", &[])).map(drop).map_err(failed)
}

/// Copies all rows of all tables.
pub(crate) fn copy_tables(from: &mut dyn Sql, to: &mut dyn Sql) -> Result<(), SqlError> {
    // The one row of a new store makes way for the one that comes.
    to.execute("delete from holder", &[])?;
    for Table { name, columns, key } in TABLES {
        let n_columns = columns.len();
        let places: Vec<String> = (1..=n_columns).map(|number| format!("?{number}")).collect();
        let (list, places) = (columns.join(", "), places.join(", "));
        let insert = format!("insert into {name} ({list}) values ({places})");
        let mut done: Option<Vec<Value>> = None;
        loop {
            // From row to row by the key: nothing is skipped twice.
            let keys = columns[..key].join(", ");
            let (after, values) = match &done {
                None => (String::new(), vec![]),
                Some(values) => {
                    let marks: Vec<String> = (1..=key).map(|number| format!("?{number}")).collect();
                    (format!("where ({keys}) > ({})", marks.join(", ")), values.clone())
                }
            };
            let rows = from
                .rows(&format!("select {list} from {name} {after} order by {keys} limit {PAGE}"), &values)?;
            let Some(end) = rows.last() else { break };
            done = Some(end.0[..key].to_vec());
            for row in &rows {
                to.execute(&insert, &row.0)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each `create table` of the schema, with its columns.
    fn schema() -> Vec<(String, Vec<String>)> {
        let mut tables: Vec<(String, Vec<String>)> = vec![];
        let mut inside = false;
        for line in migrate::STEPS.iter().flat_map(|step| step.lines()) {
            if let Some(name) = line.strip_prefix("create table ").and_then(|rest| rest.strip_suffix(" (")) {
                tables.push((name.to_owned(), vec![]));
                inside = true;
            } else if line.starts_with(')') {
                inside = false;
            } else if inside && let Some((_, columns)) = tables.last_mut() {
                let word = line.split_whitespace().next().unwrap_or_default();
                if !["primary", "unique"].contains(&word) {
                    columns.push(word.to_owned());
                }
            }
        }
        tables.sort();
        // One that was made anew keeps its columns.
        tables.dedup();
        tables
    }

    #[test]
    fn every_table_is_copied_with_all_its_columns() {
        let copied = TABLES.iter().map(|table| {
            (table.name.to_owned(), table.columns.iter().map(|&column| column.to_owned()).collect())
        });
        let mut copied: Vec<(String, Vec<String>)> = copied.collect();
        copied.sort();
        assert_eq!(copied, schema());
        assert!(copied.len() >= 17, "the tables are found");
    }
}
