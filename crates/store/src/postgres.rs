//! PostgreSQL, for many machines: the same statements, a server elsewhere.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use crate::backup::copy_tables;
use crate::engine::{Dialect, Engine, Space};
use crate::sql::{Row, Sql, SqlError, Value};
use crate::sqlite::Sqlite;
use crate::{Access, Durability, Location, Options, StoreError, migrate};

const DIALECT: Dialect = Dialect {
    int: "bigint",
    real: "double precision",
    blob: "bytea",
    table: "",
    key_table: "",
    begin: "begin",
    // Whoever wants to take over waits until the transaction has ended.
    epoch: "select epoch from holder where id = 1 for share",
    clock: "select (extract(epoch from clock_timestamp()) * 1000)::bigint",
};

/// The lock that makes a session the one who writes; one for each schema of a database.
const LOCK: &str = "select pg_try_advisory_lock(hashtextextended(current_schema(), 1919905643))";
/// How long a statement may take.
const STATEMENT_TIMEOUT: Duration = Duration::from_mins(1);

/// The engine.
pub(crate) struct Postgres {
    config: Config,
    location: String,
    options: Options,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("location", &self.location).finish_non_exhaustive()
    }
}

impl Postgres {
    pub(crate) fn open(url: &str, location: &Location, options: &Options) -> Result<Self, StoreError> {
        let location = location.to_string();
        let mut config = Config::from_str(url)
            .map_err(|error| StoreError::Location(format!("{location} is no URL of PostgreSQL: {error}")))?;
        config
            .connect_timeout(options.busy_timeout)
            .keepalives_idle(Duration::from_secs(15))
            .tcp_user_timeout(Duration::from_secs(30))
            .application_name("rookery");
        Ok(Self { config, location, options: options.clone() })
    }

    fn connect(&self) -> Result<Connection, SqlError> {
        let mut client = self.config.connect(NoTls).map_err(|error| failure(&error))?;
        let lock_timeout = self.options.busy_timeout.as_millis().max(1);
        let settings = format!(
            "set statement_timeout = {}; set lock_timeout = {lock_timeout}; set synchronous_commit = on; \
             set client_min_messages = warning",
            STATEMENT_TIMEOUT.as_millis(),
        );
        client.batch_execute(&settings).map_err(|error| failure(&error))?;
        Ok(Connection { client: Closing(Some(client)), statements: HashMap::new() })
    }

    fn expect_durable(&self, sql: &mut dyn Sql) -> Result<(), SqlError> {
        let row = sql.row("select current_setting('fsync')", &[])?;
        let fsync = row.map_or(Ok(String::new()), |mut row| row.text(0))?;
        if fsync == "on" || self.options.durability == Durability::Unsafe {
            return Ok(());
        }
        Err(SqlError::Io(
            "the server runs with fsync = off, so a power cut would lose games; switch it on".to_owned(),
        ))
    }
}

impl Engine for Postgres {
    fn location(&self) -> &str {
        &self.location
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn writer(&self) -> Result<Box<dyn Sql>, SqlError> {
        let mut sql = self.connect()?;
        self.expect_durable(&mut sql)?;
        let row = sql.row(LOCK, &[])?;
        if row.map_or(Ok(0), |row| row.int(0))? == 1 {
            // Whoever writes looks for rows by their keys. The plan for an empty table does not, and a plan that is kept is
            // kept while the table grows: every statement would read all of it until the server happens to look again.
            sql.script("set enable_seqscan = off; set plan_cache_mode = force_custom_plan")?;
            return Ok(Box::new(sql));
        }
        let who = match self.schema_version(&mut sql)? {
            0 => None,
            _ => sql.row("select who from holder where id = 1", &[])?,
        };
        let who = who.map_or(Ok(String::new()), |mut row| row.text(0))?;
        let who: String = who.chars().filter(|c| !c.is_control()).collect();
        Err(SqlError::Locked(if who.is_empty() { "another program".to_owned() } else { who }))
    }

    fn reader(&self) -> Result<Box<dyn Sql>, SqlError> {
        let mut sql = self.connect()?;
        sql.script("set default_transaction_read_only = on")?;
        if self.options.access == Access::Read && self.schema_version(&mut sql)? == 0 {
            return Err(SqlError::NoStore("it is a database without our tables".to_owned()));
        }
        Ok(Box::new(sql))
    }

    fn schema_version(&self, sql: &mut dyn Sql) -> Result<u32, SqlError> {
        let found = sql.row("select to_regclass('rookery_schema') is not null", &[])?;
        if found.map_or(Ok(0), |row| row.int(0))? == 0 {
            return Ok(0);
        }
        sql.row("select version from rookery_schema", &[])?.map_or(Ok(0), |row| row.small(0))
    }

    fn set_schema_version(&self, sql: &mut dyn Sql, version: u32) -> Result<(), SqlError> {
        sql.script(&format!(
            "create table if not exists rookery_schema (version bigint not null); delete from rookery_schema; \
             insert into rookery_schema values ({version})"
        ))
    }

    /// The change is one transaction, and a server has its own backups.
    fn keep_copy(&self, _: &mut dyn Sql, _: u32) -> Result<(), SqlError> {
        Ok(())
    }

    fn copy_to(&self, sql: &mut dyn Sql, path: &Path) -> Result<(), SqlError> {
        let options = Options { durability: Durability::Unsafe, ballast: 0, ..Options::default() };
        let problem = |error: StoreError| SqlError::Io(error.to_string());
        let file = Sqlite::open(path, &options).map_err(problem)?;
        let mut to = file.writer()?;
        migrate::migrate(&file, &mut *to).map_err(problem)?;
        sql.execute("begin isolation level repeatable read read only", &[])?;
        to.execute(file.dialect().begin, &[])?;
        let copied = copy_tables(sql, &mut *to);
        sql.execute("rollback", &[])?;
        copied?;
        to.execute("commit", &[])?;
        // A backup is one file, without a log beside it.
        to.script("pragma journal_mode = delete")
    }

    /// The server checks its pages itself, if it was set up so.
    fn check_pages(&self, _: Instant, _: bool) -> Result<(Vec<String>, bool), SqlError> {
        Ok((vec![], true))
    }

    fn tidy(&self, _: &mut dyn Sql) -> Result<(), SqlError> {
        Ok(())
    }

    fn settle(&self, _: &mut dyn Sql) -> Result<(), SqlError> {
        Ok(())
    }

    fn space(&self) -> Option<Space> {
        None
    }

    fn release_reserve(&self) -> bool {
        false
    }

    fn keep_reserve(&self) {}
}

/// One connection, with the statements it knows.
struct Connection {
    client: Closing,
    statements: HashMap<String, Statement>,
}

/// A client that is closed on a thread of its own. Closing waits in a runtime of its own, which panics on a thread of
/// another runtime, and the last one who holds a store may be a task.
struct Closing(Option<Client>);

impl Deref for Closing {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Closing {
    fn deref_mut(&mut self) -> &mut Client {
        self.0.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let client = self.0.take();
        // The lock of whoever writes goes with the session, so whoever drops a store waits until it has gone.
        let _ = std::thread::scope(|scope| {
            std::thread::Builder::new()
                .spawn_scoped(scope, || drop(client))
                .map(std::thread::ScopedJoinHandle::join)
        });
    }
}

impl Connection {
    fn statement(&mut self, sql: &str) -> Result<Statement, SqlError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&sql.replace('?', "$")).map_err(|error| failure(&error))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Sql for Connection {
    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64, SqlError> {
        let statement = self.statement(sql)?;
        self.client.execute(&statement, &list(params)).map_err(|error| failure(&error))
    }

    fn rows(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>, SqlError> {
        let statement = self.statement(sql)?;
        let rows = self.client.query(&statement, &list(params)).map_err(|error| failure(&error))?;
        rows.iter().map(read).collect()
    }

    fn script(&mut self, sql: &str) -> Result<(), SqlError> {
        self.client.batch_execute(sql).map_err(|error| failure(&error))
    }
}

fn list(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn read(row: &postgres::Row) -> Result<Row, SqlError> {
    let value = |idx: usize| -> Result<Value, postgres::Error> {
        let value = match *row.columns()[idx].type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(idx)?.map(Value::Int),
            Type::INT4 => row.try_get::<_, Option<i32>>(idx)?.map(|number| Value::Int(i64::from(number))),
            Type::BOOL => row.try_get::<_, Option<bool>>(idx)?.map(|yes| Value::Int(i64::from(yes))),
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(idx)?.map(Value::Real),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(idx)?.map(Value::Blob),
            _ => row.try_get::<_, Option<String>>(idx)?.map(Value::Text),
        };
        Ok(value.unwrap_or(Value::Null))
    };
    (0..row.len()).map(value).collect::<Result<_, _>>().map(Row).map_err(|error| failure(&error))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Real(number) => number.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Blob(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// What the server or the connection says, by what is to be done about it.
fn failure(error: &postgres::Error) -> SqlError {
    let Some(answer) = error.as_db_error() else {
        // Whatever is not an answer of the server is a failure on the way to it.
        let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        return SqlError::Lost(format!("{error}{cause}"));
    };
    let text = format!("{} ({})", answer.message(), answer.code().code());
    match answer.code().code() {
        "53100" => SqlError::Full,
        "55P03" | "40001" | "40P01" | "57014" | "53300" => SqlError::Busy,
        "57P01" | "57P02" | "57P03" | "57P05" => SqlError::Lost(text),
        "58030" | "28000" | "28P01" | "3D000" | "42501" => SqlError::Io(text),
        "XX001" | "XX002" => SqlError::Corrupt(text),
        "42P01" => SqlError::NoStore("it is a database without our tables".to_owned()),
        code if code.starts_with("08") => SqlError::Lost(text),
        _ => SqlError::Statement(text),
    }
}
