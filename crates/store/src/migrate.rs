//! The versions of the tables, and the way from one to the next.

use crate::chain::Head;
use crate::engine::Engine;
use crate::sql::{Sql, SqlError};
use crate::store::edge;
use crate::{StoreError, tables};

/// The scripts that lead from each version to the next, from none to the newest.
pub(crate) const STEPS: [&str; 8] = [
    include_str!("schema/0001.sql"),
    include_str!("schema/0002.sql"),
    include_str!("schema/0003.sql"),
    include_str!("schema/0004.sql"),
    include_str!("schema/0005.sql"),
    include_str!("schema/0006.sql"),
    include_str!("schema/0007.sql"),
    include_str!("schema/0008.sql"),
];

/// The newest version of the tables.
pub const SCHEMA_VERSION: u32 = STEPS.len() as u32;

/// Brings the tables up to date in one transaction, after a copy of what was there.
pub(crate) fn migrate(engine: &dyn Engine, sql: &mut dyn Sql) -> Result<(), StoreError> {
    let failed = |error| edge(engine, error);
    let found = engine.schema_version(sql).map_err(failed)?;
    refuse_newer(engine, found)?;
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    if found > 0 {
        engine.keep_copy(sql, found).map_err(failed)?;
    }
    sql.execute(engine.dialect().begin, &[]).map_err(failed)?;
    let done = apply(engine, sql, found).and_then(|()| sql.execute("commit", &[]));
    if let Err(error) = done {
        // Some failures have ended the transaction already.
        let _ = sql.execute("rollback", &[]);
        return Err(failed(error));
    }
    Ok(())
}

fn apply(engine: &dyn Engine, sql: &mut dyn Sql, found: u32) -> Result<(), SqlError> {
    for step in &STEPS[found as usize..] {
        sql.script(&engine.dialect().fill_in(step))?;
    }
    // Rows have other columns now, and new tables their first rows.
    tables::seal_all(sql)?;
    Head::read(sql)?.keep(sql)?;
    engine.set_schema_version(sql, SCHEMA_VERSION)
}

/// Whoever only reads changes nothing: the tables must be of our version.
pub(crate) fn expect_current(engine: &dyn Engine, sql: &mut dyn Sql) -> Result<(), StoreError> {
    let found = engine.schema_version(sql).map_err(|error| edge(engine, error))?;
    refuse_newer(engine, found)?;
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    Err(StoreError::Older { location: engine.location().to_owned(), found, known: SCHEMA_VERSION })
}

pub(crate) fn refuse_newer(engine: &dyn Engine, found: u32) -> Result<(), StoreError> {
    if found <= SCHEMA_VERSION {
        return Ok(());
    }
    Err(StoreError::Newer { location: engine.location().to_owned(), found, known: SCHEMA_VERSION })
}
