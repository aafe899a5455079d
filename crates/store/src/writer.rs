//! The one thread that writes. What gathers during one commit goes into the next.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rookery_record::Key;
use tokio::sync::oneshot;

use crate::chain::Head;
use crate::check::verify_tail;
use crate::engine::Engine;
use crate::late::Late;
use crate::sql::{Fault, Row, Sql, SqlError, Value};
use crate::{EntrantId, GameId, Options, StoreError, TournamentId};

/// The most pieces of work that wait in the queue, and that are committed together.
const QUEUE: usize = 1024;
const BATCH: usize = 512;
/// The most results that are kept in memory while the disk is full or the database away; then games have to wait.
const KEPT: usize = 8192;
/// For how many transactions games are written one by one after some came that were not new: they seldom come alone.
const CAREFUL: u32 = 8;
/// How often it is tried again while something outside prevents it.
const PAUSE: Duration = Duration::from_millis(250);
/// How many of the last games are looked at when a connection was opened anew after a failure.
const SETTLED: u64 = 100;

/// The promise that something will be stored, or the reason why it is not. Comes only after the commit.
#[derive(Debug)]
pub struct Receipt<T>(oneshot::Receiver<Result<T, StoreError>>);

impl<T> Receipt<T> {
    /// Waits for it in this thread, which must not be one that runs tasks.
    pub fn wait(self) -> Result<T, StoreError> {
        self.0.blocking_recv().unwrap_or_else(|_| Err(closed()))
    }

    /// One that has failed already.
    pub(crate) fn failed(error: StoreError) -> Self {
        let (reply, receipt) = oneshot::channel();
        // The receiver is here.
        let _ = reply.send(Err(error));
        Self(receipt)
    }
}

impl<T> Future for Receipt<T> {
    type Output = Result<T, StoreError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|result| result.unwrap_or_else(|_| Err(closed())))
    }
}

fn closed() -> StoreError {
    StoreError::Io { location: "store".to_owned(), problem: "the thread that writes has ended".to_owned() }
}

/// How the store does.
#[derive(Clone, Default, Debug)]
pub struct Health {
    /// Results of finished games that are not saved yet.
    pub waiting: usize,
    /// What prevents it, if anything does.
    pub trouble: Option<StoreError>,
    /// Whether that is the end: nothing more is stored until the program starts again.
    pub is_final: bool,
}

impl Health {
    /// Whether something prevents it that may pass.
    pub const fn is_hindered(&self) -> bool {
        self.trouble.is_some() && !self.is_final
    }
}

/// A transaction that writes.
pub(crate) struct Tx<'a> {
    sql: &'a mut dyn Sql,
    /// How many statements have changed something, or may have.
    n_writes: u64,
    /// Rows of games that are not written yet.
    late: Late,
    /// Every game is looked for and written by itself.
    pub(crate) one_by_one: bool,
    /// The end of the chain of games, once it was asked for.
    pub(crate) head: Option<Head>,
    /// What was asked for before and stays as it is.
    pub(crate) tournaments: HashMap<TournamentId, i64>,
    pub(crate) entrants: HashMap<(i64, String), EntrantId>,
}

impl<'a> Tx<'a> {
    fn new(sql: &'a mut dyn Sql, one_by_one: bool) -> Self {
        let (tournaments, entrants) = (HashMap::new(), HashMap::new());
        Self { sql, n_writes: 0, late: Late::default(), one_by_one, head: None, tournaments, entrants }
    }

    /// Rows that are written with those of other games.
    pub(crate) fn late(&mut self) -> &mut Late {
        self.n_writes += 1;
        &mut self.late
    }

    /// Whether a game of this id or pairing is among them.
    pub(crate) fn waits(&self, id: GameId, place: Option<(i64, Key)>) -> bool {
        self.late.has(id, place)
    }

    /// The connection as it is, for what has nothing to do with games.
    pub(crate) fn beside(&mut self) -> &mut dyn Sql {
        self.n_writes += 1;
        self.sql
    }

    /// Writes what waits. Whoever reads or writes otherwise comes after it.
    pub(crate) fn flush(&mut self) -> Result<(), SqlError> {
        if self.late.is_empty() {
            return Ok(());
        }
        let written = std::mem::take(&mut self.late).write(self.sql);
        match written {
            // Somebody else's game may be the reason.
            Err(SqlError::Statement(_)) if !self.one_by_one => Err(SqlError::Doubtful),
            written => written,
        }
    }
}

impl Sql for Tx<'_> {
    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64, SqlError> {
        self.n_writes += 1;
        self.flush()?;
        self.sql.execute(sql, params)
    }

    fn rows(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>, SqlError> {
        self.flush()?;
        self.sql.rows(sql, params)
    }

    fn script(&mut self, sql: &str) -> Result<(), SqlError> {
        self.n_writes += 1;
        self.flush()?;
        self.sql.script(sql)
    }
}

/// A piece of work. It may be run more than once, until a commit contains it.
pub(crate) trait Work: Send {
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), Fault>;
    /// Tells whoever waits.
    fn reply(self: Box<Self>, error: Option<StoreError>);
    /// Whether it is a result, which is kept until it can be stored.
    fn is_result(&self) -> bool;
}

struct Task<T, F> {
    body: F,
    value: Option<T>,
    is_result: bool,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&mut Tx<'_>) -> Result<T, Fault> + Send> Work for Task<T, F> {
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), Fault> {
        self.value = Some((self.body)(tx)?);
        Ok(())
    }

    fn reply(self: Box<Self>, error: Option<StoreError>) {
        let result = match (error, self.value) {
            (Some(error), _) => Err(error),
            (None, Some(value)) => Ok(value),
            (None, None) => Err(closed()),
        };
        // Whether somebody waits for it is no matter.
        let _ = self.reply.send(result);
    }

    fn is_result(&self) -> bool {
        self.is_result
    }
}

/// The way to the thread that writes.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<SyncSender<Box<dyn Work>>>,
    thread: Option<JoinHandle<()>>,
    health: Arc<Mutex<Health>>,
}

impl Writer {
    /// Starts the thread on a connection that holds this epoch.
    pub(crate) fn start(engine: Arc<dyn Engine>, sql: Box<dyn Sql>, epoch: i64, options: &Options) -> Self {
        let (queue, work) = sync_channel(QUEUE);
        let health = Arc::new(Mutex::new(Health::default()));
        let mut thread = Thread {
            engine,
            sql: Some(sql),
            epoch,
            patience: options.patience,
            health: Arc::clone(&health),
            work,
            one_by_one: 0,
        };
        let thread = thread::spawn(move || thread.run());
        Self { queue: Some(queue), thread: Some(thread), health }
    }

    /// Hands work over; waits if more comes than the disk can follow.
    pub(crate) fn add<T: Send + 'static>(
        &self,
        is_result: bool,
        body: impl FnMut(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Receipt<T> {
        let (reply, receipt) = oneshot::channel();
        if let Some(queue) = &self.queue {
            // Without a receiver the receipt says that the thread has ended.
            let _ = queue.send(Box::new(Task { body, value: None, is_result, reply }));
        }
        Receipt(receipt)
    }

    pub(crate) fn health(&self) -> Health {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Writer {
    /// Everything that was handed in is stored then, or refused.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Thread {
    engine: Arc<dyn Engine>,
    /// Gone when it failed and no other could be opened.
    sql: Option<Box<dyn Sql>>,
    epoch: i64,
    patience: Duration,
    health: Arc<Mutex<Health>>,
    work: Receiver<Box<dyn Work>>,
    /// For how many transactions games are still written one by one.
    one_by_one: u32,
}

type Batch = Vec<Box<dyn Work>>;

impl Thread {
    fn run(&mut self) {
        while let Ok(first) = self.work.recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH {
                let Ok(next) = self.work.try_recv() else { break };
                batch.push(next);
            }
            if let Err(error) = self.store(&mut batch) {
                refuse_all(&mut batch, &error);
                self.tell(Health { waiting: 0, trouble: Some(error.clone()), is_final: true });
                // Nothing more can be stored; whoever comes is told so.
                while let Ok(late) = self.work.recv() {
                    late.reply(Some(error.clone()));
                }
                return;
            }
        }
    }

    fn tell(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    /// Stores a batch, however long it takes; an error is the end of this writer.
    fn store(&mut self, batch: &mut Batch) -> Result<(), StoreError> {
        let mut since = None;
        let mut reopened = false;
        loop {
            let Err(error) = self.commit(batch, since.is_some()) else { return Ok(()) };
            let now = Instant::now();
            let waited = now - *since.get_or_insert(now);
            match error {
                SqlError::Full if self.engine.release_reserve() => {}
                SqlError::Full => self.wait(batch, &error, true)?,
                SqlError::Busy => self.wait(batch, &error, waited >= self.patience)?,
                SqlError::Lost(_) => {
                    self.wait(batch, &error, waited >= self.patience)?;
                    self.reconnect().map_err(|error| crate::store::edge(&*self.engine, error))?;
                }
                // A connection that failed to write is not asked again: another one looks what is there.
                SqlError::Io(_) if !reopened => {
                    reopened = true;
                    self.reopen().map_err(|error| crate::store::edge(&*self.engine, error))?;
                }
                other => return Err(crate::store::edge(&*self.engine, other)),
            }
        }
    }

    /// One transaction with the whole batch. What is refused is told and taken out; after an error all is as before.
    fn commit(&mut self, batch: &mut Batch, was_in_trouble: bool) -> Result<(), SqlError> {
        let mut refused: Vec<(Box<dyn Work>, StoreError)> = vec![];
        let result = self.transaction(batch, &mut refused);
        if result.is_ok() {
            // Before the receipts: whoever has one sees that the trouble is over.
            if was_in_trouble {
                self.tell(Health::default());
                self.engine.keep_reserve();
            }
            for work in batch.drain(..) {
                work.reply(None);
            }
        }
        for (work, error) in refused {
            work.reply(Some(error));
        }
        result
    }

    fn transaction(
        &mut self,
        batch: &mut Batch,
        refused: &mut Vec<(Box<dyn Work>, StoreError)>,
    ) -> Result<(), SqlError> {
        let Self { engine, sql, epoch, one_by_one, .. } = self;
        let sql = sql.as_deref_mut().ok_or_else(|| SqlError::Lost("not connected".to_owned()))?;
        'again: while !batch.is_empty() {
            sql.execute(engine.dialect().begin, &[])?;
            let mut tx = Tx::new(&mut *sql, *one_by_one > 0);
            let mut idx = 0;
            let mut outcome = expect_epoch(&mut tx, engine.dialect().epoch, *epoch);
            while outcome.is_ok() && idx < batch.len() {
                let before = tx.n_writes;
                let error = match batch[idx].run(&mut tx) {
                    Ok(()) => {
                        idx += 1;
                        continue;
                    }
                    Err(Fault::Refused(error)) => error,
                    Err(Fault::Sql(SqlError::Statement(problem))) => {
                        // The transaction may be broken by it.
                        tx.n_writes += 1;
                        StoreError::Io { location: engine.location().to_owned(), problem }
                    }
                    Err(Fault::Sql(error)) => {
                        outcome = Err(error);
                        break;
                    }
                };
                let dirty = tx.n_writes > before;
                refused.push((batch.remove(idx), error));
                if dirty {
                    // What it wrote goes, and what the others wrote is written again.
                    sql.execute("rollback", &[])?;
                    continue 'again;
                }
            }
            let done = outcome.and_then(|()| tx.flush()).and_then(|()| sql.execute("commit", &[]).map(drop));
            if done == Err(SqlError::Doubtful) {
                *one_by_one = CAREFUL;
                sql.execute("rollback", &[])?;
                continue 'again;
            }
            if let Err(error) = done {
                // Some failures have ended the transaction already.
                let _ = sql.execute("rollback", &[]);
                return Err(error);
            }
            // The batch is stored; a log that could not be cut short is tried again after the next.
            let _ = engine.tidy(sql);
            *one_by_one = one_by_one.saturating_sub(1);
            return Ok(());
        }
        Ok(())
    }

    /// Waits a little for what is outside of our reach. Results are kept; other work is refused if it has waited for
    /// long enough. Ends with the error when the store is closed meanwhile.
    fn wait(&mut self, batch: &mut Batch, error: &SqlError, refuse: bool) -> Result<(), StoreError> {
        let trouble = crate::store::edge(&*self.engine, error.clone());
        let refuse_others = |batch: &mut Batch| {
            let (kept, others): (Batch, Batch) = batch.drain(..).partition(|work| work.is_result());
            *batch = kept;
            for work in others {
                work.reply(Some(trouble.clone()));
            }
        };
        if refuse {
            refuse_others(batch);
        }
        let health = |batch: &Batch| Health {
            waiting: batch.iter().filter(|work| work.is_result()).count(),
            trouble: Some(trouble.clone()),
            is_final: false,
        };
        self.tell(health(batch));
        let until = Instant::now() + PAUSE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if batch.len() >= KEPT {
                thread::sleep(left);
                break;
            }
            match self.work.recv_timeout(left) {
                Ok(work) => batch.push(work),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return Err(trouble),
            }
        }
        if refuse {
            refuse_others(batch);
        }
        self.tell(health(batch));
        Ok(())
    }

    /// Tries to get the database back; an error only if there is no hope.
    fn reconnect(&mut self) -> Result<(), SqlError> {
        match self.reopen() {
            Err(SqlError::Lost(_) | SqlError::Busy) => Ok(()),
            // Our own session may not have ended yet at the server; or somebody has taken over.
            Err(SqlError::Locked(_)) => {
                let epoch = "select epoch from holder where id = 1";
                let looked =
                    self.engine.reader().and_then(|mut sql| expect_epoch(&mut *sql, epoch, self.epoch));
                match looked {
                    // It has gone away once more.
                    Err(SqlError::Lost(_) | SqlError::Busy) => Ok(()),
                    other => other,
                }
            }
            other => other,
        }
    }

    /// A new connection, and a look whether it sees what was stored.
    fn reopen(&mut self) -> Result<(), SqlError> {
        self.sql = None;
        let mut sql = self.engine.writer()?;
        self.engine.settle(&mut *sql)?;
        verify_tail(&mut *sql, SETTLED)?;
        self.sql = Some(sql);
        Ok(())
    }
}

/// Whether we are still the one who writes.
fn expect_epoch(sql: &mut dyn Sql, statement: &str, epoch: i64) -> Result<(), SqlError> {
    let row =
        sql.row(statement, &[])?.ok_or_else(|| SqlError::Corrupt("nobody holds the store".to_owned()))?;
    if row.int(0)? == epoch { Ok(()) } else { Err(SqlError::TakenOver) }
}

fn refuse_all(batch: &mut Batch, error: &StoreError) {
    for work in batch.drain(..) {
        work.reply(Some(error.clone()));
    }
}
