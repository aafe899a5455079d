//! The little of SQL that both engines share: values, rows, statements, and what can fail.
//!
//! Every statement is written once, with `?1` for its parameters.

use std::fmt;

use crate::StoreError;

/// A value of a column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Int(i64::from(number))
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Self::Int(i64::from(yes))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Blob(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl fmt::Display for Value {
    /// For people, who are to find the row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Blob(bytes) => write!(f, "of {} bytes", bytes.len()),
        }
    }
}

/// The parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*][..] };
}
pub(crate) use params;

/// A row that was read. What it does not hold as expected is damage.
#[derive(Debug)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    pub(crate) fn is_null(&self, idx: usize) -> bool {
        matches!(self.0.get(idx), Some(Value::Null))
    }

    pub(crate) fn int(&self, idx: usize) -> Result<i64, SqlError> {
        match self.0.get(idx) {
            Some(&Value::Int(number)) => Ok(number),
            other => Err(unexpected(idx, "a whole number", other)),
        }
    }

    /// A number that is never negative.
    pub(crate) fn count(&self, idx: usize) -> Result<u64, SqlError> {
        let number = self.int(idx)?;
        u64::try_from(number).map_err(|_| SqlError::Corrupt(format!("column {idx} is {number}")))
    }

    pub(crate) fn small(&self, idx: usize) -> Result<u32, SqlError> {
        let number = self.int(idx)?;
        u32::try_from(number).map_err(|_| SqlError::Corrupt(format!("column {idx} is {number}")))
    }

    pub(crate) fn text(&mut self, idx: usize) -> Result<String, SqlError> {
        match self.0.get_mut(idx) {
            Some(Value::Text(text)) => Ok(std::mem::take(text)),
            other => Err(unexpected(idx, "a text", other.as_deref())),
        }
    }

    pub(crate) fn blob(&mut self, idx: usize) -> Result<Vec<u8>, SqlError> {
        match self.0.get_mut(idx) {
            Some(Value::Blob(bytes)) => Ok(std::mem::take(bytes)),
            other => Err(unexpected(idx, "bytes", other.as_deref())),
        }
    }

    /// A value that may be missing.
    pub(crate) fn maybe<T>(
        &mut self,
        idx: usize,
        get: impl FnOnce(&mut Self, usize) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        if self.is_null(idx) { Ok(None) } else { get(self, idx).map(Some) }
    }
}

fn unexpected(idx: usize, expected: &str, found: Option<&Value>) -> SqlError {
    let found = match found {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Int(_)) => "a whole number",
        Some(Value::Real(_)) => "a number",
        Some(Value::Text(_)) => "a text",
        Some(Value::Blob(_)) => "bytes",
    };
    SqlError::Corrupt(format!("column {idx} has {found} where {expected} was expected"))
}

/// Why the engine could not do it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SqlError {
    /// Somebody else holds the database.
    Busy,
    /// The disk is full.
    Full,
    /// The system refuses to read or write; the connection is not to be trusted any more.
    Io(String),
    /// What is stored is not what was written.
    Corrupt(String),
    /// The connection is gone.
    Lost(String),
    #[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "SQLite is locked by a file beside it"))]
    /// Another program writes; what is known of it.
    Locked(String),
    /// Another program has the store now.
    TakenOver,
    /// There is no schema, or it is another's.
    NoStore(String),
    /// Games that were written together are not all new, or not all of the attempt that counts: one by one they tell which.
    Doubtful,
    /// A rule of the tables, or a statement, is broken: ours.
    Statement(String),
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("somebody else holds the database"),
            Self::Full => f.write_str("the disk is full"),
            Self::Locked(holder) => write!(f, "another program writes: {holder}"),
            Self::TakenOver => f.write_str("another program has the store now"),
            Self::Doubtful => f.write_str("games that were written together do not fit"),
            Self::Io(what)
            | Self::Corrupt(what)
            | Self::Lost(what)
            | Self::NoStore(what)
            | Self::Statement(what) => f.write_str(what),
        }
    }
}

/// Why a piece of work did not come about: the engine failed, or it was refused.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Sql(SqlError),
    Refused(StoreError),
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// A connection to a database.
pub(crate) trait Sql: Send {
    /// Runs a statement; how many rows it changed.
    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64, SqlError>;

    /// All rows of a query. Whoever asks bounds their number.
    fn rows(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>, SqlError>;

    /// Runs several statements without parameters.
    fn script(&mut self, sql: &str) -> Result<(), SqlError>;

    /// The first row, if there is one.
    fn row(&mut self, sql: &str, params: &[Value]) -> Result<Option<Row>, SqlError> {
        Ok(self.rows(sql, params)?.into_iter().next())
    }
}

/// How many rows one statement writes, the most first: few lengths, so that few statements are prepared, and any number of rows
/// needs few of them.
const AT_ONCE: [usize; 8] = [128, 64, 32, 16, 8, 4, 2, 1];

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

/// The next number of a table whose key is counted by us: there is one writer.
pub(crate) fn next_number(sql: &mut dyn Sql, table: &str, column: &str) -> Result<i64, SqlError> {
    let row = sql.row(&format!("select coalesce(max({column}), 0) from {table}"), &[])?;
    row.map_or(Ok(1), |row| Ok(row.int(0)? + 1))
}

/// A count that fits into a column.
pub(crate) fn column(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number)
        .map_err(|_| StoreError::refused(format!("the number {number} is too large; expected below 2^63")))
}
