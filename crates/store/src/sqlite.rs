//! SQLite in this process: one file, with its write-ahead log beside it while it is open.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rookery_record::{ArchiveError, Lock, create_folder};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use crate::engine::{Dialect, Engine, Space};
use crate::migrate::STEPS;
use crate::sql::{Row, Sql, SqlError, Value};
use crate::{Access, Durability, Options, SCHEMA_VERSION, StoreError};

/// Marks a file as a store of ours: "rook".
const APPLICATION_ID: i64 = 0x726f_6f6b;
/// The write-ahead log is cut to this size when it has been copied.
const WAL_LIMIT: u64 = 16 << 20;
/// Above this size it is copied and cut after each commit, unless somebody still reads it.
const WAL_HIGH: u64 = 32 << 20;

const DIALECT: Dialect = Dialect {
    int: "integer",
    real: "real",
    blob: "blob",
    table: " strict",
    key_table: " strict, without rowid",
    begin: "begin immediate",
    epoch: "select epoch from holder where id = 1",
    clock: "select cast(round((julianday('now') - 2440587.5) * 86400000.0) as integer)",
};

/// The engine, with the lock that keeps a second writer out.
#[derive(Debug)]
pub(crate) struct Sqlite {
    path: PathBuf,
    location: String,
    options: Options,
    _lock: Option<Lock>,
}

impl Sqlite {
    /// Takes the place, and the lock if it is for writing.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self, StoreError> {
        let location = path.display().to_string();
        let io = |problem: String| StoreError::Io { location: location.clone(), problem };
        // Connections are opened later too, when this process may be in another folder.
        let path = &std::path::absolute(path).map_err(|error| io(error.to_string()))?;
        let found = fs::metadata(path);
        if let Ok(found) = &found
            && !found.is_file()
        {
            return Err(StoreError::Foreign { location, found: "it is no file".to_owned() });
        }
        if options.access == Access::Read && found.is_err() {
            return Err(StoreError::unknown("file", path.display()));
        }
        if found.is_ok_and(|found| found.len() > 0) {
            check_header(path, &location)?;
        }
        let mut lock = None;
        if options.access == Access::Write {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                create_folder(folder).map_err(|error| io(error.to_string()))?;
            }
            lock = Some(Lock::take(&beside(path, ".lock")).map_err(|error| match error {
                ArchiveError::Locked { holder, .. } => {
                    StoreError::Locked { location: location.clone(), holder }
                }
                other => io(other.to_string()),
            })?);
        }
        Ok(Self { path: path.clone(), location, options: options.clone(), _lock: lock })
    }

    fn connect(&self, flags: OpenFlags) -> Result<Connection, SqlError> {
        self.configure(Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX))
    }

    fn configure(&self, connection: rusqlite::Result<Connection>) -> Result<Connection, SqlError> {
        let connection = connection.map_err(failure)?;
        connection.busy_timeout(self.options.busy_timeout).map_err(failure)?;
        connection.set_prepared_statement_cache_capacity(64);
        for (name, value) in [("trusted_schema", "off"), ("cell_size_check", "on"), ("foreign_keys", "on")] {
            connection.pragma_update(None, name, value).map_err(failure)?;
        }
        Ok(connection)
    }

    /// A connection that only reads. On a disk that cannot be written there is no room for the log's index: a file
    /// without a log is then read as one that does not change.
    fn connect_to_read(&self) -> Result<Connection, SqlError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = self.connect(flags)?;
        match Self::own(&connection, false) {
            Ok(()) => return Ok(connection),
            Err(SqlError::Io(_)) if !beside(&self.path, "-wal").exists() => {}
            Err(error) => return Err(error),
        }
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = self.configure(Connection::open_with_flags(unchanging(&self.path)?, flags))?;
        Self::own(&connection, false)?;
        Ok(connection)
    }

    /// Whether it is a file of ours, or a new one that becomes one.
    fn own(connection: &Connection, may_be_new: bool) -> Result<(), SqlError> {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failure);
        match number("pragma application_id")? {
            APPLICATION_ID => Ok(()),
            0 if may_be_new && number("select count(*) from sqlite_schema")? == 0 => {
                connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(failure)
            }
            _ => Err(SqlError::NoStore("it is a SQLite file of another program".to_owned())),
        }
    }

    /// Whoever only reads makes an empty log and cannot remove it. The last connection that may write does when it closes;
    /// SQLite sees to it that nobody else uses the log then. Where nothing can be written it stays.
    fn remove_empty_log(&self) {
        let is_empty = fs::metadata(beside(&self.path, "-wal")).is_ok_and(|log| log.len() == 0);
        if !is_empty {
            return;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if let Ok(connection) = Connection::open_with_flags(&self.path, flags) {
            // The log is opened by the first look into the file.
            let _ = connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()));
        }
    }

    fn ballast(&self) -> PathBuf {
        beside(&self.path, ".ballast")
    }
}

/// What cannot be SQLite is told before anything is opened or locked.
fn check_header(path: &Path, location: &str) -> Result<(), StoreError> {
    let mut header = [0; 16];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Ok(()) if header == *b"SQLite format 3\0" => Ok(()),
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            Err(StoreError::Io { location: location.to_owned(), problem: error.to_string() })
        }
        _ => {
            let found = "it is no SQLite file, or its beginning is damaged".to_owned();
            Err(StoreError::Foreign { location: location.to_owned(), found })
        }
    }
}

/// The URI of a file that nobody changes.
fn unchanging(path: &Path) -> Result<String, SqlError> {
    let path = path.to_str().ok_or_else(|| SqlError::Io("the path is no UTF-8".to_owned()))?;
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Ok(format!("file:{path}?immutable=1"))
}

/// The path with something more at its end.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl Engine for Sqlite {
    fn location(&self) -> &str {
        &self.location
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn writer(&self) -> Result<Box<dyn Sql>, SqlError> {
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        Self::own(&connection, true)?;
        let mode: String =
            connection.query_row("pragma journal_mode = wal", [], |row| row.get(0)).map_err(failure)?;
        if mode != "wal" {
            return Err(SqlError::Io(format!(
                "the file system has no shared memory for the write-ahead log (the mode stays {mode:?})"
            )));
        }
        let synchronous = match self.options.durability {
            Durability::Full => "full",
            Durability::Unsafe => "off",
        };
        connection.pragma_update(None, "synchronous", synchronous).map_err(failure)?;
        connection.pragma_update(None, "journal_size_limit", WAL_LIMIT as i64).map_err(failure)?;
        Ok(Box::new(Sqlite3(connection)))
    }

    fn reader(&self) -> Result<Box<dyn Sql>, SqlError> {
        Ok(Box::new(Sqlite3(self.connect_to_read()?)))
    }

    fn schema_version(&self, sql: &mut dyn Sql) -> Result<u32, SqlError> {
        sql.row("pragma user_version", &[])?.map_or(Ok(0), |row| row.small(0))
    }

    fn set_schema_version(&self, sql: &mut dyn Sql, version: u32) -> Result<(), SqlError> {
        sql.script(&format!("pragma user_version = {version}"))
    }

    fn keep_copy(&self, sql: &mut dyn Sql, version: u32) -> Result<(), SqlError> {
        // The version is no running number.
        let named = |n: u32| {
            let number = if n == 1 { String::new() } else { format!(".{n}") };
            beside(&self.path, &format!(".version-{version}{number}"))
        };
        let copy =
            (1..=u32::MAX).map(named).find(|copy| !copy.exists()).expect("there is always a higher number");
        let unfinished = beside(&copy, ".unfinished");
        let io = |error: std::io::Error| SqlError::Io(format!("{}: {error}", copy.display()));
        clear(&unfinished).map_err(io)?;
        self.copy_to(sql, &unfinished)?;
        publish(&unfinished, &copy).map_err(io)
    }

    fn copy_to(&self, sql: &mut dyn Sql, path: &Path) -> Result<(), SqlError> {
        let text = path.to_str().ok_or_else(|| SqlError::Io("the path is no UTF-8".to_owned()))?;
        sql.execute("vacuum into ?1", &[Value::from(text)]).map(drop)
    }

    fn check_pages(&self, deadline: Instant, full: bool) -> Result<(Vec<String>, bool), SqlError> {
        let mut connection = self.connect_to_read()?;
        connection.progress_handler(10_000, Some(move || Instant::now() >= deadline)).map_err(failure)?;
        let pragma = if full { "pragma integrity_check(20)" } else { "pragma quick_check(20)" };
        let mut statement = connection.prepare(pragma).map_err(failure)?;
        let lines: Result<Vec<String>, _> =
            statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
        match lines {
            Ok(lines) => {
                let mut problems: Vec<String> = lines.into_iter().filter(|line| line != "ok").collect();
                problems.extend(changed_definitions(&connection).map_err(failure)?);
                Ok((problems, true))
            }
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.code == ErrorCode::OperationInterrupted =>
            {
                Ok((vec![], false))
            }
            Err(error) => match failure(error) {
                SqlError::Corrupt(what) => Ok((vec![what], true)),
                other => Err(other),
            },
        }
    }

    fn tidy(&self, sql: &mut dyn Sql) -> Result<(), SqlError> {
        let wal = fs::metadata(beside(&self.path, "-wal")).map_or(0, |wal| wal.len());
        if wal <= WAL_HIGH {
            return Ok(());
        }
        // A reader that does not end prevents it: nobody waits for that, it is tried again after the next commit.
        sql.script("pragma busy_timeout = 0")?;
        let cut = sql.script("pragma wal_checkpoint(truncate)");
        sql.script(&format!("pragma busy_timeout = {}", self.options.busy_timeout.as_millis()))?;
        match cut {
            Err(SqlError::Busy) => Ok(()),
            other => other,
        }
    }

    fn settle(&self, sql: &mut dyn Sql) -> Result<(), SqlError> {
        sql.script("pragma wal_checkpoint(truncate)")
    }

    fn space(&self) -> Option<Space> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let disk = rustix::fs::statvfs(folder.unwrap_or(Path::new("."))).ok()?;
        Some(Space { free: disk.f_bavail * disk.f_frsize, total: disk.f_blocks * disk.f_frsize })
    }

    fn release_reserve(&self) -> bool {
        fs::remove_file(self.ballast()).is_ok()
    }

    fn keep_reserve(&self) {
        let size = self.options.ballast;
        let roomy = self.space().is_some_and(|space| space.free > 4 * size);
        if size == 0 || !roomy || self.ballast().exists() {
            return;
        }
        let made = File::create(self.ballast()).and_then(|file| {
            rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size)?;
            file.sync_all()
        });
        if made.is_err() {
            // Half a reserve is none; without one a full disk is told a little earlier.
            self.release_reserve();
        }
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        match self.options.access {
            Access::Write => {
                self.release_reserve();
            }
            Access::Read => self.remove_empty_log(),
        }
    }
}

/// The tables and indexes of ours that are not defined as our scripts define them. SQLite does not look at that, and whoever adds
/// something of their own does no harm.
fn changed_definitions(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let version: u32 = connection.query_row("pragma user_version", [], |row| row.get(0))?;
    if version != SCHEMA_VERSION {
        return Ok(vec![]);
    }
    let definitions = |connection: &Connection| -> rusqlite::Result<HashMap<String, [String; 3]>> {
        let mut statement =
            connection.prepare("select name, type, tbl_name, coalesce(sql, '') from sqlite_schema")?;
        let row = |row: &rusqlite::Row<'_>| {
            let sql: String = row.get(3)?;
            // How it is written is up to the version of SQLite that has added a column.
            let sql = sql.chars().filter(|c| !c.is_whitespace() && !"\"`[]".contains(*c)).collect::<String>();
            Ok((row.get(0)?, [row.get(1)?, row.get(2)?, sql.to_lowercase()]))
        };
        statement.query_map([], row)?.collect()
    };
    let ours = Connection::open_in_memory()?;
    STEPS.iter().try_for_each(|step| ours.execute_batch(&DIALECT.fill_in(step)))?;
    let found = definitions(connection)?;
    let mut changed: Vec<String> = definitions(&ours)?
        .into_iter()
        .filter(|(name, expected)| found.get(name) != Some(expected))
        .map(|(name, _)| format!("{name}: it is not defined as it was"))
        .collect();
    changed.sort();
    Ok(changed)
}

/// Removes a file that an earlier attempt may have left.
pub(crate) fn clear(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Brings a finished file to the disk and gives it its name.
pub(crate) fn publish(unfinished: &Path, path: &Path) -> std::io::Result<()> {
    File::open(unfinished)?.sync_all()?;
    fs::rename(unfinished, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// One connection.
struct Sqlite3(Connection);

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            &Self::Int(number) => ValueRef::Integer(number),
            &Self::Real(number) => ValueRef::Real(number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Sql for Sqlite3 {
    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64, SqlError> {
        let mut statement = self.0.prepare_cached(sql).map_err(failure)?;
        statement.execute(params_from_iter(params)).map(|n| n as u64).map_err(failure)
    }

    fn rows(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>, SqlError> {
        let mut statement = self.0.prepare_cached(sql).map_err(failure)?;
        let n_columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(params)).map_err(failure)?;
        let mut found = vec![];
        while let Some(row) = rows.next().map_err(failure)? {
            let value = |idx| -> Result<Value, SqlError> {
                Ok(match row.get_ref(idx).map_err(failure)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => Value::Int(number),
                    ValueRef::Real(number) => Value::Real(number),
                    ValueRef::Text(text) => Value::Text(
                        String::from_utf8(text.to_vec())
                            .map_err(|_| SqlError::Corrupt("a text is no UTF-8".to_owned()))?,
                    ),
                    ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
                })
            };
            found.push(Row((0..n_columns).map(value).collect::<Result<_, _>>()?));
        }
        Ok(found)
    }

    fn script(&mut self, sql: &str) -> Result<(), SqlError> {
        // Some pragmas answer with a row, which a batch drops.
        self.0.execute_batch(sql).map_err(failure)
    }
}

/// What SQLite says, by what is to be done about it.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn failure(error: rusqlite::Error) -> SqlError {
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SqlError::Busy,
        Some(ErrorCode::DiskFull) => SqlError::Full,
        Some(ErrorCode::DatabaseCorrupt) => SqlError::Corrupt(text),
        Some(ErrorCode::NotADatabase) => SqlError::NoStore("it is no SQLite file".to_owned()),
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OutOfMemory,
        ) => SqlError::Io(text),
        _ => SqlError::Statement(text),
    }
}
