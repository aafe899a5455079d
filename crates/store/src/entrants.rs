//! Who plays: people, bots with their versions, built-in players.

use rookery_referee::SeatSpec;

use crate::sql::{Fault, Row, Sql, SqlError, next_number, params};
use crate::store::now_ms;
use crate::tables::{ENTRANTS, Known, VERSIONS};
use crate::{EntrantId, Hash, Page, Store, StoreError};

/// The longest name, in characters. Names that people choose are shorter; those of built-ins have their options.
const MAX_NAME: usize = 120;
/// The largest bundle of a bot, in bytes.
const MAX_BUNDLE: usize = 64 << 20;
/// The longest note.
pub(crate) const MAX_NOTE: usize = 1000;

/// What somebody is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntrantKind {
    /// A person.
    Person,
    /// A program of somebody.
    Bot,
    /// One of our own.
    BuiltIn,
}

impl EntrantKind {
    const ALL: [Self; 3] = [Self::Person, Self::Bot, Self::BuiltIn];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Bot => "bot",
            Self::BuiltIn => "built-in",
        }
    }

    /// What sits at a seat.
    pub fn of_seat(seat: &SeatSpec) -> Self {
        match seat {
            SeatSpec::Human => Self::Person,
            SeatSpec::BuiltIn(_) => Self::BuiltIn,
            _ => Self::Bot,
        }
    }

    fn of_word(word: &str) -> Result<Self, SqlError> {
        let kind = Self::ALL.into_iter().find(|kind| kind.word() == word);
        kind.ok_or_else(|| SqlError::Corrupt(format!("{word:?} is no kind of entrant")))
    }
}

/// Somebody who plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEntrant {
    /// The number.
    pub id: EntrantId,
    /// The name, written as it was first.
    pub name: String,
    /// What it is.
    pub kind: EntrantKind,
    /// Since when it is known, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Which entrants are wanted.
#[derive(Clone, Default, Debug)]
pub struct EntrantFilter {
    /// Of this kind.
    pub kind: Option<EntrantKind>,
    /// Whose name begins so.
    pub prefix: String,
}

/// A version of a bot: its content, which never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    /// Its number, in the order of arrival.
    pub id: u64,
    /// Whose it is.
    pub entrant: EntrantId,
    /// The hash of its content.
    pub sha256: Hash,
    /// What its author says about it.
    pub note: String,
    /// How many bytes its bundle has; `None` if only the hash is known.
    pub bundle_bytes: Option<u64>,
    /// Since when it is known, in milliseconds since 1970.
    pub created_ms: i64,
}

impl Store {
    /// The entrant of this name, new or known; letters of either case are the same. Refused if the name belongs to
    /// somebody of another kind.
    pub fn entrant(&self, name: &str, kind: EntrantKind) -> Result<EntrantId, StoreError> {
        let name = name.to_owned();
        self.write(move |tx| entrant_of(tx, &name, kind))
    }

    /// The entrant of this name, if it is known.
    pub fn find_entrant(&self, name: &str) -> Result<Option<StoredEntrant>, StoreError> {
        self.read(|sql| {
            let row = sql.row(
                "select id, name, kind, created_ms from entrants where folded = ?1",
                params![name.to_lowercase()],
            )?;
            Ok(row.map(|mut row| stored(&mut row)).transpose()?)
        })
    }

    /// An entrant by its number.
    pub fn entrant_by_id(&self, id: EntrantId) -> Result<StoredEntrant, StoreError> {
        self.read(|sql| {
            let row =
                sql.row("select id, name, kind, created_ms from entrants where id = ?1", params![id.0])?;
            Ok(stored(&mut row.ok_or_else(|| StoreError::unknown("entrant", id.0))?)?)
        })
    }

    /// Entrants, the latest first.
    pub fn entrants(&self, filter: &EntrantFilter, page: Page) -> Result<Vec<StoredEntrant>, StoreError> {
        let (before, limit) = page.bounds();
        let prefix = filter.prefix.to_lowercase();
        let kind = filter.kind.map_or("", EntrantKind::word);
        self.read(|sql| {
            let rows = sql.rows(
                "select id, name, kind, created_ms from entrants where id < ?1 and (?2 = '' or kind = ?2) \
                 and substr(folded, 1, length(?3)) = ?3 order by id desc limit ?4",
                params![before, kind, prefix.as_str(), limit],
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// Adds a version of a bot, with its bundle or only the hash; the same content is added once.
    pub fn put_version(
        &self,
        entrant: EntrantId,
        sha256: Hash,
        note: &str,
        bundle: Option<Vec<u8>>,
    ) -> Result<u64, StoreError> {
        bounded("note", note, MAX_NOTE)?;
        if bundle.as_ref().is_some_and(|bundle| Hash::of(bundle) != sha256) {
            return Err(StoreError::refused("the bundle has another SHA-256 than was said"));
        }
        let note = note.to_owned();
        self.write(move |tx| Ok(version_of(tx, entrant, sha256, &note, bundle.as_deref())? as u64))
    }

    /// The versions of a bot, the latest first.
    pub fn versions(&self, entrant: EntrantId, page: Page) -> Result<Vec<Version>, StoreError> {
        let (before, limit) = page.bounds();
        self.read(|sql| {
            let rows = sql.rows(
                "select id, entrant, sha256, note, length(bundle), created_ms from versions \
                 where entrant = ?1 and id < ?2 order by id desc limit ?3",
                params![entrant.0, before, limit],
            )?;
            let version = |mut row: Row| -> Result<Version, SqlError> {
                Ok(Version {
                    id: row.count(0)?,
                    entrant: EntrantId(row.int(1)?),
                    sha256: crate::chain::hash(&mut row, 2)?,
                    note: row.text(3)?,
                    bundle_bytes: row.maybe(4, |row, idx| row.count(idx))?,
                    created_ms: row.int(5)?,
                })
            };
            Ok(rows.into_iter().map(version).collect::<Result<_, _>>()?)
        })
    }

    /// The bundle of a version, checked against its hash.
    pub fn bundle(&self, version: u64) -> Result<Vec<u8>, StoreError> {
        self.read(|sql| {
            let id = crate::sql::column(version)?;
            let row = sql.row("select bundle, sha256 from versions where id = ?1", params![id])?;
            let mut row = row
                .filter(|row| !row.is_null(0))
                .ok_or_else(|| StoreError::unknown("bundle of version", version))?;
            let (bundle, sha256) = (row.blob(0)?, crate::chain::hash(&mut row, 1)?);
            if Hash::of(&bundle) == sha256 {
                return Ok(bundle);
            }
            Err(SqlError::Corrupt(format!("version {version}: its bundle is not the one that was stored"))
                .into())
        })
    }
}

/// The version of this content, made if need be.
pub(crate) fn version_of(
    sql: &mut dyn Sql,
    entrant: EntrantId,
    sha256: Hash,
    note: &str,
    bundle: Option<&[u8]>,
) -> Result<i64, Fault> {
    if let Some(n_bytes) = bundle.map(<[u8]>::len).filter(|&n_bytes| n_bytes > MAX_BUNDLE) {
        return Err(StoreError::refused(format!(
            "the bundle has {n_bytes} bytes; expected {MAX_BUNDLE} at most"
        ))
        .into());
    }
    let known = "select id from versions where entrant = ?1 and sha256 = ?2";
    if let Some(row) = sql.row(known, params![entrant.0, &sha256.0[..]])? {
        return Ok(row.int(0)?);
    }
    let id = next_number(sql, "versions", "id")?;
    let row = params![id, entrant.0, &sha256.0[..], note, bundle, now_ms()];
    VERSIONS.put(sql, row, Known::Refused)?;
    Ok(id)
}

/// The entrant of this name, made if need be.
pub(crate) fn entrant_of(sql: &mut dyn Sql, name: &str, kind: EntrantKind) -> Result<EntrantId, Fault> {
    let folded = name.to_lowercase();
    if let Some(mut row) =
        sql.row("select id, kind from entrants where folded = ?1", params![folded.as_str()])?
    {
        let found = EntrantKind::of_word(&row.text(1)?)?;
        if found == kind {
            return Ok(EntrantId(row.int(0)?));
        }
        return Err(StoreError::NameTaken { name: name.to_owned(), kind: found.word() }.into());
    }
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(StoreError::refused(format!(
            "{name:?} is no name; expected 1 to {MAX_NAME} characters that can be seen"
        ))
        .into());
    }
    let id = next_number(sql, "entrants", "id")?;
    ENTRANTS.put(sql, params![id, name, folded, kind.word(), now_ms()], Known::Refused)?;
    Ok(EntrantId(id))
}

fn stored(row: &mut Row) -> Result<StoredEntrant, SqlError> {
    Ok(StoredEntrant {
        id: EntrantId(row.int(0)?),
        name: row.text(1)?,
        kind: EntrantKind::of_word(&row.text(2)?)?,
        created_ms: row.int(3)?,
    })
}

/// Refuses a text that is longer than is stored.
pub(crate) fn bounded(what: &str, text: &str, max: usize) -> Result<(), StoreError> {
    if text.len() <= max && !text.contains('\0') {
        return Ok(());
    }
    let n_bytes = text.len();
    Err(StoreError::refused(format!(
        "the {what} has {n_bytes} bytes; expected at most {max}, and none of them zero"
    )))
}
