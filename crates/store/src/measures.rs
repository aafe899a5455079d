//! What the operator has decided, so that it outlasts a restart: who is kept out, and settings of the server.

use crate::entrants::{MAX_NOTE, bounded};
use crate::sql::{Row, Sql as _, SqlError, params};
use crate::{EntrantId, Store, StoreError};

/// What is to be done about somebody.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Measure {
    /// Kept out altogether.
    pub is_banned: bool,
    /// Kept out of the chat.
    pub is_muted: bool,
}

impl Store {
    /// Keeps somebody out, or no longer.
    pub fn set_measure(&self, person: EntrantId, measure: Measure) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.execute("delete from measures where entrant = ?1", params![person.0])?;
            if measure != Measure::default() {
                tx.execute(
                    "insert into measures (entrant, is_banned, is_muted) values (?1, ?2, ?3)",
                    params![person.0, measure.is_banned, measure.is_muted],
                )?;
            }
            Ok(())
        })
    }

    /// Everybody about whom something is to be done.
    pub fn measures(&self) -> Result<Vec<(EntrantId, Measure)>, StoreError> {
        self.read(|sql| {
            let rows =
                sql.rows("select entrant, is_banned, is_muted from measures order by entrant", params![])?;
            let measure = |row: Row| -> Result<(EntrantId, Measure), SqlError> {
                let measure = Measure { is_banned: row.int(1)? == 1, is_muted: row.int(2)? == 1 };
                Ok((EntrantId(row.int(0)?), measure))
            };
            Ok(rows.into_iter().map(measure).collect::<Result<_, _>>()?)
        })
    }

    /// Keeps a setting of the server.
    pub fn set_setting(&self, name: &str, value: &str) -> Result<(), StoreError> {
        bounded("name of a setting", name, MAX_NOTE)?;
        bounded("setting", value, MAX_NOTE)?;
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(move |tx| {
            tx.execute(
                "insert into settings (name, value) values (?1, ?2) on conflict (name) do update set value = ?2",
                params![name.as_str(), value.as_str()],
            )?;
            Ok(())
        })
    }

    /// A setting of the server, if it was ever set.
    pub fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(|sql| {
            let row = sql.row("select value from settings where name = ?1", params![name])?;
            Ok(row.map(|mut row| row.text(0)).transpose()?)
        })
    }
}
