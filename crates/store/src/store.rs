//! The handle, and how a store is opened.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::check::{self, CheckOrder, CheckReport};
use crate::engine::{Engine, Space};
use crate::migrate;
use crate::sql::{Fault, Sql, SqlError, params};
use crate::sqlite::Sqlite;
use crate::tables::HOLDER;
use crate::writer::{Receipt, Tx, Writer};
use crate::{Health, Location, StoreError};

/// A share of a very large disk is more than anybody needs.
const MOST_RESERVED: u64 = 2 << 30;
/// How many connections read at a time.
const READERS: usize = 4;

/// What a store is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Access {
    /// Reading and writing, as the only one who writes.
    #[default]
    Write,
    /// Reading only, beside whoever writes; also what is left of a damaged store.
    Read,
}

/// What a commit promises.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Durability {
    /// What was committed survives a power cut.
    #[default]
    Full,
    /// What was committed survives the end of this process, but no power cut. Never without the operator's word.
    Unsafe,
}

/// How much of the disk is left free: no new game begins below either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// In bytes.
    pub bytes: u64,
    /// In percent of the disk.
    pub percent: u64,
}

impl Reserve {
    /// What is left free unless somebody says otherwise: whoever opens a store, or the variable [`Reserve::VARIABLE`].
    pub const USUAL: Self = Self { bytes: 256 << 20, percent: 5 };
    /// The environment variable that says how many MiB are left free instead of the usual.
    pub const VARIABLE: &str = "ROOKERY_STORE_RESERVE";

    /// This one, or what the environment says in the place of the usual.
    fn in_force(self) -> Result<Self, StoreError> {
        let Some(text) = std::env::var_os(Self::VARIABLE).filter(|_| self == Self::USUAL) else {
            return Ok(self);
        };
        Self::of_text(&text.to_string_lossy())
    }

    fn of_text(text: &str) -> Result<Self, StoreError> {
        let bytes = text.trim().parse().ok().and_then(|mib: u64| mib.checked_mul(1 << 20));
        let bytes = bytes.ok_or_else(|| {
            let variable = Self::VARIABLE;
            StoreError::Location(format!(
                "{variable}={text}: expected how many MiB of the disk are left free, such as 64"
            ))
        })?;
        Ok(Self { bytes, percent: 0 })
    }
}

/// How a store is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// For what.
    pub access: Access,
    /// What a commit promises.
    pub durability: Durability,
    /// How long the engine waits for somebody who holds the database.
    pub busy_timeout: Duration,
    /// How long work other than results waits while the database is held or away.
    pub patience: Duration,
    /// How long the look for damage may take at the start.
    pub check: Duration,
    /// How many of the last games are looked at then.
    pub check_games: u64,
    /// The size of the file that is given up when the disk is full, so that results can still be stored.
    pub ballast: u64,
    /// How much of the disk is left free.
    pub reserve: Reserve,
    /// Who we are, for those who find the store in use.
    pub holder: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            access: Access::Write,
            durability: Durability::Full,
            busy_timeout: Duration::from_secs(5),
            patience: Duration::from_secs(30),
            check: Duration::from_secs(2),
            check_games: 1000,
            ballast: 16 << 20,
            reserve: Reserve::USUAL,
            holder: format!("process {}", std::process::id()),
        }
    }
}

impl Options {
    /// The usual, for reading only.
    pub fn read_only() -> Self {
        Self { access: Access::Read, ..Self::default() }
    }
}

/// A store. Clones share it; it is closed with the last one, after everything handed over is stored.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("location", &self.inner.engine.location()).finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    // Dropped in this order: the readers close, the writer ends its work and tidies up, then the lock goes.
    readers: Readers,
    writer: Option<Writer>,
    pub(crate) engine: Arc<dyn Engine>,
    options: Options,
}

impl Store {
    /// Opens a store and makes it if there is none. Older tables are brought up to date after a copy; a damaged store is
    /// refused, and can still be opened for reading.
    pub fn open(location: &str, options: &Options) -> Result<Self, StoreError> {
        let options = &Options { reserve: options.reserve.in_force()?, ..options.clone() };
        let engine = engine(&location.parse()?, options)?;
        if options.access == Access::Read {
            let mut sql = engine.reader().map_err(|error| edge(&*engine, error))?;
            migrate::expect_current(&*engine, &mut *sql)?;
            return Ok(Self::new(engine, None, options));
        }
        let deadline = Instant::now() + options.check;
        let mut sql = engine.writer().map_err(|error| edge(&*engine, error))?;
        check::at_start(&*engine, &mut *sql, options.check_games, deadline)?;
        migrate::migrate(&*engine, &mut *sql)?;
        let epoch = take_over(&mut *sql, &*engine, &options.holder).map_err(|error| edge(&*engine, error))?;
        engine.keep_reserve();
        let writer = Writer::start(Arc::clone(&engine), sql, epoch, options);
        Ok(Self::new(engine, Some(writer), options))
    }

    fn new(engine: Arc<dyn Engine>, writer: Option<Writer>, options: &Options) -> Self {
        let readers = Readers::default();
        Self { inner: Arc::new(Inner { readers, writer, engine, options: options.clone() }) }
    }

    /// The place, without secrets.
    pub fn location(&self) -> &str {
        self.inner.engine.location()
    }

    /// The version of the tables.
    pub fn schema_version(&self) -> Result<u32, StoreError> {
        let engine = &self.inner.engine;
        self.read(|sql| Ok(engine.schema_version(sql)?))
    }

    /// How the store does: what waits, and why.
    pub fn health(&self) -> Health {
        self.inner.writer.as_ref().map_or_else(Health::default, Writer::health)
    }

    /// Room on the disk, if it can be known from here.
    pub fn space(&self) -> Option<Space> {
        self.inner.engine.space()
    }

    /// Whether a new game may begin: the store can take its result, and the disk has room.
    pub fn expect_room(&self) -> Result<(), StoreError> {
        if self.inner.writer.is_none() {
            return Err(StoreError::ReadOnly(self.location().to_owned()));
        }
        if let Some(trouble) = self.health().trouble {
            return Err(trouble);
        }
        let Some(Space { free, total }) = self.space() else { return Ok(()) };
        let Reserve { bytes, percent } = self.inner.options.reserve;
        let needed = bytes.max((total / 100 * percent).min(MOST_RESERVED));
        if free >= needed {
            return Ok(());
        }
        Err(StoreError::Full { location: self.location().to_owned(), free: Some(free), needed })
    }

    /// Looks for damage: the record of every game and the chain, the latest game first, then the engine's own look.
    pub fn check(&self, order: &CheckOrder) -> Result<CheckReport, StoreError> {
        self.read(|sql| Ok(check::look(&*self.inner.engine, sql, order)?))
    }

    /// Reads with one of a few connections.
    pub(crate) fn read<T>(
        &self,
        mut body: impl FnMut(&mut dyn Sql) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let engine = &*self.inner.engine;
        let mut tries = 0;
        loop {
            let mut reader = self.inner.readers.take(engine).map_err(|error| edge(engine, error))?;
            match body(reader.sql()) {
                Ok(value) => {
                    reader.give_back();
                    return Ok(value);
                }
                Err(Fault::Refused(error)) => {
                    reader.give_back();
                    return Err(error);
                }
                // The database may have been started anew since we connected.
                Err(Fault::Sql(SqlError::Lost(_))) if tries == 0 => tries += 1,
                Err(Fault::Sql(error)) => return Err(edge(engine, error)),
            }
        }
    }

    /// Hands work to the writer; the receipt comes after the commit.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        is_result: bool,
        body: impl FnMut(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Receipt<T> {
        match &self.inner.writer {
            Some(writer) => writer.add(is_result, body),
            None => Receipt::failed(StoreError::ReadOnly(self.location().to_owned())),
        }
    }

    /// Writes, and waits for the commit.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        body: impl FnMut(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(false, body).wait()
    }
}

/// The engine of a place.
pub(crate) fn engine(location: &Location, options: &Options) -> Result<Arc<dyn Engine>, StoreError> {
    match location {
        Location::File(path) => Ok(Arc::new(Sqlite::open(path, options)?)),
        #[cfg(feature = "cluster")]
        Location::Postgres(url) => Ok(Arc::new(crate::postgres::Postgres::open(url, location, options)?)),
        #[cfg(not(feature = "cluster"))]
        Location::Postgres(_) => Err(StoreError::Location(
            "this program is built without PostgreSQL; build it with `--features cluster`, or name a file"
                .to_owned(),
        )),
    }
}

/// Makes us the one who writes: whoever was it before is refused from now on.
fn take_over(sql: &mut dyn Sql, engine: &dyn Engine, who: &str) -> Result<i64, SqlError> {
    sql.execute(engine.dialect().begin, &[])?;
    let row = sql.row(
        "update holder set epoch = epoch + 1, who = ?1, since_ms = ?2 where id = 1 returning epoch",
        params![who, now_ms()],
    )?;
    HOLDER.reseal(sql)?;
    sql.execute("commit", &[])?;
    row.ok_or_else(|| SqlError::Corrupt("the row of the holder is missing".to_owned()))?.int(0)
}

/// An error of the engine, in our words.
pub(crate) fn edge(engine: &dyn Engine, error: SqlError) -> StoreError {
    let location = engine.location().to_owned();
    match error {
        SqlError::Busy => StoreError::Busy(location),
        SqlError::Locked(holder) => StoreError::Locked { location, holder },
        SqlError::TakenOver => StoreError::TakenOver(location),
        SqlError::Full => {
            StoreError::Full { location, free: engine.space().map(|space| space.free), needed: 1 << 20 }
        }
        SqlError::Corrupt(what) => {
            StoreError::Damaged { location, report: Box::new(CheckReport::of_problem(what)) }
        }
        SqlError::NoStore(found) => StoreError::Foreign { location, found },
        SqlError::Doubtful => {
            StoreError::Io { location, problem: "games that were written together do not fit".to_owned() }
        }
        SqlError::Io(problem) | SqlError::Lost(problem) | SqlError::Statement(problem) => {
            StoreError::Io { location, problem }
        }
    }
}

/// What a clock on the wall shows, for people only: nothing is ordered by it.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Connections that read, opened when they are needed.
#[derive(Default)]
struct Readers {
    state: Mutex<Idle>,
    freed: Condvar,
}

#[derive(Default)]
struct Idle {
    idle: Vec<Box<dyn Sql>>,
    n_lent: usize,
}

impl Readers {
    fn take(&self, engine: &dyn Engine) -> Result<Reader<'_>, SqlError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self
            .freed
            .wait_while(state, |state| state.n_lent >= READERS)
            .unwrap_or_else(PoisonError::into_inner);
        state.n_lent += 1;
        let idle = state.idle.pop();
        drop(state);
        // From here on it is counted, and given back also when no connection can be had.
        let mut reader = Reader { readers: self, sql: idle };
        if reader.sql.is_none() {
            reader.sql = Some(engine.reader()?);
        }
        Ok(reader)
    }
}

/// A connection that is lent. Dropped without being given back it is closed.
struct Reader<'a> {
    readers: &'a Readers,
    sql: Option<Box<dyn Sql>>,
}

impl Reader<'_> {
    fn sql(&mut self) -> &mut dyn Sql {
        &mut **self.sql.as_mut().expect("it is there until it is given back")
    }

    fn give_back(mut self) {
        let mut state = self.readers.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.idle.extend(self.sql.take());
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.readers.state.lock().unwrap_or_else(PoisonError::into_inner).n_lent -= 1;
        self.readers.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_in_mib_how_much_is_left_free() {
        let mib = |text| Reserve::of_text(text).map(|reserve| (reserve.bytes >> 20, reserve.percent));
        assert_eq!((mib("0").unwrap(), mib(" 64 ").unwrap()), ((0, 0), (64, 0)));
        for text in ["", "64M", "-1", "5%", "99999999999999999"] {
            let error = mib(text).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains("expected how many MiB"), "{error}");
        }
    }
}
