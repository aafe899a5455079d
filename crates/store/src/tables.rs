//! The tables: their columns and keys, and the seal of a row, which tells whether it is the one that was written.
//!
//! A table whose rows have seals is written by [`Table::write`], [`Table::put`] and [`Table::change`] alone; what is written in any
//! other way is told as damage.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::sql::{Row, Sql, SqlError, Value, in_pieces, marks};

/// How many rows are read at a time where none is large, and where each may be.
const MANY: i64 = 1000;
const FEW: i64 = 16;

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// All columns but the seal.
    pub(crate) columns: &'static [&'static str],
    /// How many of them are the key: the first ones.
    pub(crate) key: usize,
    /// Whether each row has a seal behind its columns. Games are chained instead, and records have their hash.
    pub(crate) is_sealed: bool,
    /// How many rows are read at a time.
    page: i64,
}

/// What becomes of a row whose key is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// It is an error.
    Refused,
    /// The row that is there stays.
    Stays,
    /// The new row takes its place.
    Replaced,
}

const fn sealed(name: &'static str, columns: &'static [&'static str], key: usize) -> Table {
    Table { name, columns, key, is_sealed: true, page: MANY }
}

const fn plain(name: &'static str, columns: &'static [&'static str], key: usize, page: i64) -> Table {
    Table { name, columns, key, is_sealed: false, page }
}

pub(crate) static HOLDER: Table = sealed("holder", &["id", "epoch", "who", "since_ms"], 1);
pub(crate) static ENTRANTS: Table = sealed("entrants", &["id", "name", "folded", "kind", "created_ms"], 1);
pub(crate) static VERSIONS: Table =
    Table { page: 1, ..sealed("versions", &["id", "entrant", "sha256", "note", "bundle", "created_ms"], 1) };
pub(crate) static BUNDLES: Table =
    sealed("bundles", &["version", "owner", "contents", "state", "problem", "changed_ms"], 1);
pub(crate) static TOURNAMENTS: Table =
    Table { page: FEW, ..sealed("tournaments", &["seq", "id", "spec", "seed", "state", "created_ms"], 1) };
pub(crate) static TOURNAMENT_ENTRANTS: Table =
    sealed("tournament_entrants", &["tournament", "number", "entrant", "player", "version", "present"], 2);
pub(crate) static ROUNDS: Table = sealed("rounds", &["tournament", "number", "note", "created_ms"], 2);
#[rustfmt::skip]
pub(crate) static PAIRINGS: Table = sealed(
    "pairings",
    &[
        "tournament", "id", "round", "block", "entrants", "reason", "state", "attempt", "lease_owner", "lease_until_ms",
        "lease_epoch",
    ],
    2,
);
#[rustfmt::skip]
static GAMES: Table = plain(
    "games",
    &[
        "seq", "id", "tournament", "pairing", "attempt", "game", "spec", "names", "entrants", "winners", "scores", "cause",
        "failed", "plies", "finished_ms", "record_bytes", "sha256", "chain",
    ],
    1,
    MANY,
);
static RECORDS: Table = plain("records", &["seq", "bytes"], 1, FEW);
static ENTRANT_GAMES: Table = plain("entrant_games", &["entrant", "seq"], 2, MANY);
static CHAIN_END: Table = plain("chain_end", &["id", "seq", "chain"], 1, MANY);
pub(crate) static LOGS: Table =
    Table { page: FEW, ..sealed("logs", &["tournament", "pairing", "attempt", "seat", "text"], 4) };
pub(crate) static CHANGES: Table =
    sealed("changes", &["tournament", "number", "entrant", "joins", "from_pairing"], 2);
pub(crate) static TOURNAMENT_RUNS: Table =
    Table { page: FEW, ..sealed("tournament_runs", &["tournament", "how"], 1) };
pub(crate) static RATINGS: Table =
    sealed("ratings", &["pool", "entrant", "method", "rating", "numbers", "n_games"], 2);
pub(crate) static PEOPLE: Table = sealed("people", &["entrant", "password_hash", "is_operator"], 1);
pub(crate) static TOKENS: Table =
    sealed("tokens", &["id", "sha256", "entrant", "purpose", "note", "created_ms", "expires_ms"], 1);
pub(crate) static AUDIT: Table = sealed("audit", &["id", "at_ms", "actor", "act", "subject"], 1);
pub(crate) static MEASURES: Table = sealed("measures", &["entrant", "is_banned", "is_muted"], 1);
pub(crate) static SETTINGS: Table = sealed("settings", &["name", "value"], 1);
#[rustfmt::skip]
pub(crate) static JOBS: Table = sealed(
    "jobs",
    &[
        "tournament", "pairing", "attempt", "fence", "failures", "state", "worker", "until_ms", "beats", "last", "sha256",
    ],
    2,
);
pub(crate) static ATTEMPTS: Table =
    sealed("attempts", &["tournament", "pairing", "attempt", "fence", "worker", "how", "ended_ms"], 4);

/// Every table, parents before children.
#[rustfmt::skip]
pub(crate) static ALL: [&Table; 23] = [
    &HOLDER, &ENTRANTS, &VERSIONS, &BUNDLES, &TOURNAMENTS, &TOURNAMENT_ENTRANTS, &ROUNDS, &PAIRINGS, &GAMES, &RECORDS,
    &ENTRANT_GAMES, &CHAIN_END, &LOGS, &CHANGES, &TOURNAMENT_RUNS, &RATINGS, &PEOPLE, &TOKENS, &AUDIT, &MEASURES, &SETTINGS,
    &JOBS, &ATTEMPTS,
];

impl Table {
    /// Its columns, the seal too, as a statement has them.
    pub(crate) fn list(&self) -> String {
        let seal = if self.is_sealed { ", seal" } else { "" };
        format!("{}{seal}", self.columns.join(", "))
    }

    /// All rows in the order of their keys, each with its seal and with `more`.
    pub(crate) fn pages<'a>(&'a self, more: &'a str) -> Pages<'a> {
        Pages { table: self, more, after: vec![], ends: HashSet::new() }
    }

    /// What the seal of a row with these values is: the first 8 bytes of a SHA-256 over the table's name and all of them.
    pub(crate) fn seal(&self, row: &[Value]) -> i64 {
        let mut hash = Sha256::new();
        let mut field = |kind: u8, bytes: &[u8]| {
            // With its kind and length before it no two rows give the same bytes.
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        field(3, self.name.as_bytes());
        for value in row {
            match value {
                Value::Null => field(0, &[]),
                Value::Int(number) => field(1, &number.to_be_bytes()),
                // SQLite keeps no sign of a zero.
                Value::Real(number) => field(2, &(number + 0.0).to_bits().to_be_bytes()),
                Value::Text(text) => field(3, text.as_bytes()),
                Value::Blob(bytes) => field(4, bytes),
            }
        }
        let hash: [u8; 32] = hash.finalize().into();
        i64::from_be_bytes(std::array::from_fn(|idx| hash[idx]))
    }

    /// The values of a row that was read with its seal, if they are those that were written.
    pub(crate) fn opened(&self, Row(mut row): Row) -> Result<Vec<Value>, SqlError> {
        row.truncate(self.columns.len() + 1);
        if row.pop() == Some(Value::Int(self.seal(&row))) {
            return Ok(row);
        }
        Err(SqlError::Corrupt(format!("{}: the row is not the one that was written", self.name_of(&row))))
    }

    /// What people find a row by.
    pub(crate) fn name_of(&self, row: &[Value]) -> String {
        let key = self.columns.iter().zip(row).take(self.key);
        let key: Vec<String> = key.map(|(column, value)| format!("{column} {value}")).collect();
        format!("{}, {}", self.name, key.join(", "))
    }

    /// A row with its seal.
    pub(crate) fn sealed(&self, mut row: Vec<Value>) -> Vec<Value> {
        debug_assert_eq!(row.len(), self.columns.len(), "a value for each column of {}", self.name);
        row.push(self.seal(&row).into());
        row
    }

    /// Writes rows with their seals, given one after the other; how many were written.
    pub(crate) fn write(&self, sql: &mut dyn Sql, sealed: &[Value], known: Known) -> Result<u64, SqlError> {
        let width = self.columns.len() + 1;
        let (keys, others) = self.columns.split_at(self.key);
        let conflict = match known {
            Known::Refused => String::new(),
            Known::Stays => "on conflict do nothing".to_owned(),
            Known::Replaced => {
                let set: Vec<String> =
                    others.iter().chain(&["seal"]).map(|name| format!("{name} = excluded.{name}")).collect();
                format!("on conflict ({}) do update set {}", keys.join(", "), set.join(", "))
            }
        };
        let (name, list) = (self.name, self.list());
        let mut n_written = 0;
        for values in in_pieces(sealed, width) {
            let rows: Vec<String> =
                (0..values.len() / width).map(|row| marks(row * width + 1, width)).collect();
            n_written += sql.execute(
                &format!("insert into {name} ({list}) values {} {conflict}", rows.join(", ")),
                values,
            )?;
        }
        Ok(n_written)
    }

    /// Writes one row; whether it was written.
    pub(crate) fn put(&self, sql: &mut dyn Sql, row: &[Value], known: Known) -> Result<bool, SqlError> {
        Ok(self.write(sql, &self.sealed(row.to_vec()), known)? == 1)
    }

    /// Gives columns of the rows that are meant another value; how many rows those are.
    pub(crate) fn change(
        &self,
        sql: &mut dyn Sql,
        which: &str,
        params: &[Value],
        set: &[(&str, Value)],
    ) -> Result<u64, SqlError> {
        let select = format!("select {} from {} where {which}", self.list(), self.name);
        let mut changed = vec![];
        for row in sql.rows(&select, params)? {
            // What is damaged is not made good by a new seal.
            let mut row = self.opened(row)?;
            for (column, value) in set {
                row[self.place(column)] = value.clone();
            }
            changed.extend(self.sealed(row));
        }
        self.write(sql, &changed, Known::Replaced)
    }

    /// Seals all rows as they are.
    pub(crate) fn reseal(&self, sql: &mut dyn Sql) -> Result<(), SqlError> {
        let mut pages = self.pages("");
        while let Some(rows) = pages.next(sql)? {
            let mut sealed = vec![];
            for Row(mut row) in rows {
                // The seal that it has, or has not.
                row.truncate(self.columns.len());
                sealed.extend(self.sealed(row));
            }
            self.write(sql, &sealed, Known::Replaced)?;
        }
        Ok(())
    }

    /// Where a column stands in a row.
    pub(crate) fn place(&self, column: &str) -> usize {
        self.columns.iter().position(|known| *known == column).expect("a column of the table")
    }
}

/// The rows of a table, some at a time: nothing of the store is held between.
pub(crate) struct Pages<'a> {
    table: &'a Table,
    more: &'a str,
    /// The key of the last row, once there is one.
    after: Vec<Value>,
    /// The last key of each page so far.
    ends: HashSet<String>,
}

impl Pages<'_> {
    /// The next ones.
    pub(crate) fn next(&mut self, sql: &mut dyn Sql) -> Result<Option<Vec<Row>>, SqlError> {
        let Self { table: Table { name, columns, key, page, .. }, more, after, ends } = self;
        let keys = columns[..*key].join(", ");
        // From row to row by the key: nothing is skipped twice.
        let behind =
            if after.is_empty() { String::new() } else { format!("where ({keys}) > {}", marks(1, *key)) };
        let list = self.table.list();
        let rows = sql.rows(
            &format!("select {list}{more} from {name} {behind} order by {keys} limit {page}"),
            after.as_slice(),
        )?;
        let Some(end) = rows.last() else { return Ok(None) };
        *after = end.0[..*key].to_vec();
        // Where damage has changed the order of keys, a page may lead back to one before, for ever.
        if ends.insert(format!("{after:?}")) {
            return Ok(Some(rows));
        }
        Err(SqlError::Corrupt(format!("{name}: the rows are not in the order of their keys")))
    }
}

/// Seals every row as it is: after the tables have changed.
pub(crate) fn seal_all(sql: &mut dyn Sql) -> Result<(), SqlError> {
    ALL.iter().filter(|table| table.is_sealed).try_for_each(|table| table.reseal(sql))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::migrate::STEPS;

    /// Each table of the schema, with its columns.
    fn schema() -> BTreeMap<String, Vec<String>> {
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut inside: Option<String> = None;
        for line in STEPS.iter().flat_map(|step| step.lines()) {
            if let Some(name) = line.strip_prefix("create table ").and_then(|rest| rest.strip_suffix(" (")) {
                // One that is made anew begins anew.
                tables.insert(name.to_owned(), vec![]);
                inside = Some(name.to_owned());
            } else if line.starts_with(')') {
                inside = None;
            } else if let Some(added) =
                line.strip_prefix("alter table ").filter(|rest| rest.contains(" add column "))
            {
                let words: Vec<&str> = added.split_whitespace().collect();
                tables.get_mut(words[0]).unwrap().push(words[3].to_owned());
            } else if let Some(name) = &inside {
                let word = line.split_whitespace().next().unwrap_or_default();
                if !["primary", "unique"].contains(&word) {
                    tables.get_mut(name).unwrap().push(word.to_owned());
                }
            }
        }
        tables
    }

    #[test]
    fn every_table_is_known_with_all_its_columns() {
        let list = |table: &Table| table.list().split(", ").map(str::to_owned).collect();
        let known: BTreeMap<String, Vec<String>> =
            ALL.iter().map(|table| (table.name.to_owned(), list(table))).collect();
        assert_eq!(known, schema());
        assert!(known.len() >= 17, "the tables are found");
    }

    #[test]
    fn a_seal_is_another_one_for_any_other_row() {
        let row = |values: &[Value]| SETTINGS.seal(values);
        let text = |text: &str| Value::from(text);
        let rows = [
            row(&[text("a"), text("bc")]),
            row(&[text("ab"), text("c")]),
            row(&[text(""), text("abc")]),
            row(&[text("a"), Value::Blob(b"bc".to_vec())]),
            row(&[text("a"), Value::Null]),
            row(&[text("a"), Value::Int(0)]),
            row(&[text("a"), Value::Real(0.0)]),
            PEOPLE.seal(&[text("a"), text("bc")]),
        ];
        for (idx, seal) in rows.iter().enumerate() {
            assert!(!rows[..idx].contains(seal), "row {idx}");
        }
        assert_eq!(
            row(&[text("a"), Value::Real(-0.0)]),
            row(&[text("a"), Value::Real(0.0)]),
            "as SQLite keeps it"
        );
    }
}
