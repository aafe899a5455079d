//! What the operator has decided, so that it outlasts a restart: who is kept out, and settings of the server.

use crate::entrants::{MAX_NOTE, bounded};
use crate::sql::{Row, Sql, SqlError, column, params};
use crate::tables::{Known, MEASURES, SETTINGS};
use crate::{EntrantId, Store, StoreError};

/// What is to be done about somebody.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Measure {
    /// Kept out altogether.
    pub is_banned: bool,
    /// Kept out of the chat.
    pub is_muted: bool,
}

/// Before the number of a session that is kept out of the chat, among the settings.
const MUTED: &str = "muted_session:";

/// Keeps a setting.
pub(crate) fn put_setting(sql: &mut dyn Sql, name: &str, value: &str) -> Result<(), SqlError> {
    SETTINGS.put(sql, params![name, value], Known::Replaced)?;
    Ok(())
}

impl Store {
    /// Keeps somebody out, or no longer.
    pub fn set_measure(&self, person: EntrantId, measure: Measure) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.execute("delete from measures where entrant = ?1", params![person.0])?;
            if measure != Measure::default() {
                let row = params![person.0, measure.is_banned, measure.is_muted];
                MEASURES.put(tx, row, Known::Refused)?;
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
        self.write(move |tx| Ok(put_setting(tx, &name, &value)?))
    }

    /// Keeps a session out of the chat, or no longer, for as long as there is one of this number.
    pub fn mute_session(&self, id: u64, is_muted: bool) -> Result<(), StoreError> {
        let name = format!("{MUTED}{id}");
        self.write(move |tx| {
            if is_muted {
                put_setting(tx, &name, "1")?;
            } else {
                tx.execute("delete from settings where name = ?1", params![name.as_str()])?;
            }
            Ok(())
        })
    }

    /// The sessions that are kept out of the chat; those that are over are forgotten.
    pub fn muted_sessions(&self) -> Result<Vec<u64>, StoreError> {
        let noted: Vec<u64> = self.read(|sql| {
            let rows = sql.rows(
                "select name from settings where substr(name, 1, length(?1)) = ?1 order by name",
                params![MUTED],
            )?;
            let number = |mut row: Row| -> Result<Option<u64>, SqlError> {
                Ok(row.text(0)?.strip_prefix(MUTED).and_then(|id| id.parse().ok()))
            };
            Ok(rows.into_iter().filter_map(|row| number(row).transpose()).collect::<Result<_, _>>()?)
        })?;
        let mut muted = vec![];
        for id in noted {
            let is_there = self.read(|sql| {
                Ok(sql.row("select 1 from tokens where id = ?1", params![column(id)?])?.is_some())
            })?;
            if is_there {
                muted.push(id);
            } else {
                // What cannot be taken away now does no harm: the number is never given again.
                let _ = self.mute_session(id, false);
            }
        }
        Ok(muted)
    }

    /// A setting of the server, if it was ever set.
    pub fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(|sql| {
            let row = sql.row("select value from settings where name = ?1", params![name])?;
            Ok(row.map(|mut row| row.text(0)).transpose()?)
        })
    }
}
