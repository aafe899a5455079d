//! Copies of a whole store, made while it is in use, and the way back.
//!
//! A backup is always a file of SQLite, whatever engine the store has: so a store can also move from one to the other.

use std::path::Path;
use std::{fs, io};

use crate::check::{self, CheckOrder};
use crate::engine::Engine as _;
use crate::sql::{Sql, SqlError, marks};
use crate::sqlite::{Sqlite, beside, clear, publish};
use crate::store::{edge, engine};
use crate::{CheckReport, Location, Options, Store, StoreError, migrate, tables};

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

/// Copies all rows of all tables, with their seals.
pub(crate) fn copy_tables(from: &mut dyn Sql, to: &mut dyn Sql) -> Result<(), SqlError> {
    // The rows of a new store make way for those that come.
    to.script("delete from holder; delete from chain_end")?;
    for table in tables::ALL {
        let list = table.list();
        let n_columns = list.split(',').count();
        let insert = format!("insert into {} ({list}) values {}", table.name, marks(1, n_columns));
        let mut pages = table.pages("");
        while let Some(rows) = pages.next(from)? {
            for row in &rows {
                to.execute(&insert, &row.0)?;
            }
        }
    }
    Ok(())
}
