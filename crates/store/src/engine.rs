//! What the two engines do each in their own way.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use crate::sql::{Sql, SqlError};

/// How an engine writes what the shared statements leave open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    pub(crate) int: &'static str,
    pub(crate) real: &'static str,
    pub(crate) blob: &'static str,
    /// What follows the columns of a table.
    pub(crate) table: &'static str,
    /// The same for a table that is nothing but its key.
    pub(crate) key_table: &'static str,
    /// Begins a transaction that writes.
    pub(crate) begin: &'static str,
    /// Asks for our place as the writer, and keeps it until the transaction ends.
    pub(crate) epoch: &'static str,
    /// What the database's clock shows, in milliseconds since 1970.
    pub(crate) clock: &'static str,
}

impl Dialect {
    /// A script of the schema in the engine's own words.
    pub(crate) fn fill_in(&self, script: &str) -> String {
        script
            .replace("{int}", self.int)
            .replace("{real}", self.real)
            .replace("{blob}", self.blob)
            .replace("{table}", self.table)
            .replace("{key_table}", self.key_table)
    }
}

/// Room on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space {
    /// What may still be written, in bytes.
    pub free: u64,
    /// How large the disk is.
    pub total: u64,
}

/// A database: SQLite in this process, or PostgreSQL elsewhere.
pub(crate) trait Engine: Send + Sync + fmt::Debug {
    /// The place, without secrets.
    fn location(&self) -> &str;

    fn dialect(&self) -> &'static Dialect;

    /// The one connection that writes.
    fn writer(&self) -> Result<Box<dyn Sql>, SqlError>;

    /// One that only reads.
    fn reader(&self) -> Result<Box<dyn Sql>, SqlError>;

    /// The version of the tables; 0 if there are none.
    fn schema_version(&self, sql: &mut dyn Sql) -> Result<u32, SqlError>;

    /// Within the transaction that changed the tables.
    fn set_schema_version(&self, sql: &mut dyn Sql, version: u32) -> Result<(), SqlError>;

    /// Keeps a copy before the tables are changed.
    fn keep_copy(&self, sql: &mut dyn Sql, version: u32) -> Result<(), SqlError>;

    /// Writes everything that is stored at this moment into a new file of SQLite.
    fn copy_to(&self, sql: &mut dyn Sql, path: &Path) -> Result<(), SqlError>;

    /// The engine's own look for damage until the deadline, quick or at everything: what it found, and whether it came to
    /// the end.
    fn check_pages(&self, deadline: Instant, full: bool) -> Result<(Vec<String>, bool), SqlError>;

    /// Called after each commit.
    fn tidy(&self, sql: &mut dyn Sql) -> Result<(), SqlError>;

    /// After a failure of the disk: everything that a new connection sees is written anew.
    fn settle(&self, sql: &mut dyn Sql) -> Result<(), SqlError>;

    /// Room on the disk, if it can be known from here.
    fn space(&self) -> Option<Space>;

    /// Gives the last reserve of the disk back; whether there was any.
    fn release_reserve(&self) -> bool;

    /// Puts a reserve aside, if there is room.
    fn keep_reserve(&self);
}
