//! Bots whose archives are kept here: immutable versions, of which some may play.

use crate::entrants::{MAX_NOTE, bounded, entrant_of, version_of};
use crate::sql::{Fault, Row, Sql, SqlError, column, params};
use crate::store::now_ms;
use crate::tables::{BUNDLES, Known};
use crate::{EntrantId, EntrantKind, Hash, Page, Store, StoreError};

/// The most archives of one person, retired ones included.
pub const MAX_BUNDLES: u64 = 64;
/// The digits of a hash over contents.
const CONTENTS: usize = 64;

/// What may be done with a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BundleState {
    /// Nobody has seen it play yet.
    Pending,
    /// It has played its validation games, and may be seated.
    Ready,
    /// It did something wrong in one of them.
    Failing,
    /// It is seated no more; what was begun with it goes on.
    Retired,
}

impl BundleState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Ready, Self::Failing, Self::Retired];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Failing => "failing",
            Self::Retired => "retired",
        }
    }

    fn of_word(word: &str) -> Result<Self, SqlError> {
        let state = Self::ALL.into_iter().find(|state| state.word() == word);
        state.ok_or_else(|| SqlError::Corrupt(format!("{word:?} is no state of a bundle")))
    }
}

/// An archive that somebody brings.
#[derive(Clone, Debug)]
pub struct NewBundle {
    /// What the bot is called.
    pub name: String,
    /// Who brings it; `None` for whoever has the store in hand, who may do so for everybody.
    pub owner: Option<EntrantId>,
    /// What its author calls this version, and the beginning of the hash over its files.
    pub label: String,
    /// The hash over its files, in hexadecimal digits.
    pub contents: String,
    /// The archive.
    pub bytes: Vec<u8>,
}

/// A bundle of the store, without its archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBundle {
    /// Its number, in the order of arrival.
    pub version: u64,
    /// The bot.
    pub entrant: EntrantId,
    /// What the bot is called.
    pub name: String,
    /// Whose it is; `None` if it came by the command line.
    pub owner: Option<EntrantId>,
    /// The SHA-256 of its archive.
    pub sha256: Hash,
    /// The hash over its files, in hexadecimal digits.
    pub contents: String,
    /// What its author calls it, and the beginning of that hash.
    pub label: String,
    /// The bytes of its archive.
    pub bytes: u64,
    /// What may be done with it.
    pub state: BundleState,
    /// What it did wrong, if it did.
    pub problem: String,
    /// Since when it is here, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Which bundles are wanted.
#[derive(Clone, Default, Debug)]
pub struct BundleFilter {
    /// Of the bot of this name.
    pub name: Option<String>,
    /// In this state.
    pub state: Option<BundleState>,
}

const SELECT: &str = "select versions.id, versions.entrant, entrants.name, bundles.owner, versions.sha256, \
     bundles.contents, versions.note, length(versions.bundle), bundles.state, bundles.problem, versions.created_ms \
     from bundles join versions on versions.id = bundles.version join entrants on entrants.id = versions.entrant";

impl Store {
    /// Takes in an archive. The same archive is taken in once; one that was retired or was failing is to be tried again.
    pub fn put_bundle(&self, new: NewBundle) -> Result<StoredBundle, StoreError> {
        bounded("label of a bundle", &new.label, MAX_NOTE)?;
        if new.contents.len() != CONTENTS || !new.contents.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(StoreError::refused("the contents of a bundle are told by 64 hexadecimal digits"));
        }
        let sha256 = Hash::of(&new.bytes);
        self.write(move |tx| {
            let entrant = entrant_of(tx, &new.name, EntrantKind::Bot)?;
            let owner = owner_of(tx, entrant, &new)?;
            let version = version_of(tx, entrant, sha256, &new.label, Some(&new.bytes))?;
            let pending = BundleState::Pending.word();
            let row =
                params![version, owner.map(|owner| owner.0), new.contents.as_str(), pending, "", now_ms()];
            BUNDLES.put(tx, row, Known::Stays)?;
            let set = [("state", pending.into()), ("problem", "".into()), ("changed_ms", now_ms().into())];
            let meant = params![version, BundleState::Ready.word()];
            BUNDLES.change(tx, "version = ?1 and state <> ?2", meant, &set)?;
            let row = tx.row(&format!("{SELECT} where versions.id = ?1"), params![version])?;
            let mut row = row.ok_or_else(|| SqlError::Corrupt("a bundle is not there".to_owned()))?;
            Ok(stored(&mut row)?)
        })
    }

    /// Says what may be done with a bundle, and what it did wrong.
    pub fn set_bundle_state(
        &self,
        version: u64,
        state: BundleState,
        problem: &str,
    ) -> Result<(), StoreError> {
        bounded("problem of a bundle", problem, 16 * MAX_NOTE)?;
        let problem = problem.to_owned();
        self.write(move |tx| {
            let set = [
                ("state", state.word().into()),
                ("problem", problem.as_str().into()),
                ("changed_ms", now_ms().into()),
            ];
            let n = BUNDLES.change(tx, "version = ?1", params![column(version)?], &set)?;
            if n == 1 { Ok(()) } else { Err(StoreError::unknown("bundle", version).into()) }
        })
    }

    /// Seats no more what a bot has here, or only what has this hash; how many that were.
    pub fn retire_bundles(&self, name: &str, sha256: Option<&str>) -> Result<u64, StoreError> {
        let filter = BundleFilter { name: Some(name.to_owned()), state: None };
        let mut found = self.bundles(&filter, Page { before: None, limit: u32::MAX })?;
        found.retain(|bundle| {
            let is_meant = sha256.is_none_or(|hash| bundle.sha256.to_string().starts_with(hash));
            is_meant && bundle.state != BundleState::Retired
        });
        for bundle in &found {
            self.set_bundle_state(bundle.version, BundleState::Retired, &bundle.problem)?;
        }
        Ok(found.len() as u64)
    }

    /// Bundles, the latest first.
    pub fn bundles(&self, filter: &BundleFilter, page: Page) -> Result<Vec<StoredBundle>, StoreError> {
        let (before, limit) = page.bounds();
        let name = filter.name.as_deref().unwrap_or_default().to_lowercase();
        let state = filter.state.map_or("", BundleState::word);
        self.read(|sql| {
            let rows = sql.rows(
                &format!(
                    "{SELECT} where versions.id < ?1 and (?2 = '' or entrants.folded = ?2) \
                     and (?3 = '' or bundles.state = ?3) order by versions.id desc limit ?4"
                ),
                params![before, name.as_str(), state, limit],
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// The bundle that a seat spec means: the newest of a bot that may be seated, or with digits of a hash the one whose
    /// archive has it, whatever its state.
    pub fn find_bundle(&self, name: &str, sha256: Option<&str>) -> Result<StoredBundle, StoreError> {
        let filter = BundleFilter {
            name: Some(name.to_owned()),
            state: sha256.is_none().then_some(BundleState::Ready),
        };
        let page = Page { before: None, limit: u32::MAX };
        let found = self.bundles(&filter, page)?;
        let mut meant = found
            .into_iter()
            .filter(|bundle| sha256.is_none_or(|hash| bundle.sha256.to_string().starts_with(hash)));
        let first = meant.next();
        if sha256.is_some() && meant.next().is_some() {
            return Err(StoreError::refused(format!(
                "several bundles of {name} have such a hash; expected more of its digits"
            )));
        }
        first.ok_or_else(|| {
            let hash = sha256.map(|hash| format!("@{hash}")).unwrap_or_default();
            StoreError::unknown("bundle that may be seated", format!("{name}{hash}"))
        })
    }
}

/// Whose a bundle of this bot is. A bot belongs to whoever brought it first.
fn owner_of(sql: &mut dyn Sql, entrant: EntrantId, new: &NewBundle) -> Result<Option<EntrantId>, Fault> {
    let row = sql.row(
        "select bundles.owner from bundles join versions on versions.id = bundles.version \
         where versions.entrant = ?1 order by versions.id limit 1",
        params![entrant.0],
    )?;
    let Some(mut row) = row else {
        if let Some(owner) = new.owner {
            expect_room(sql, owner)?;
        }
        return Ok(new.owner);
    };
    let first = row.maybe(0, |row, idx| row.int(idx))?.map(EntrantId);
    let Some(owner) = new.owner else { return Ok(first) };
    if first != Some(owner) {
        return Err(StoreError::NameTaken { name: new.name.clone(), kind: "bot of somebody else" }.into());
    }
    expect_room(sql, owner)?;
    Ok(first)
}

fn expect_room(sql: &mut dyn Sql, owner: EntrantId) -> Result<(), Fault> {
    let row = sql.row("select count(*) from bundles where owner = ?1", params![owner.0])?;
    let n = row.map_or(Ok(0), |row| row.count(0))?;
    if n < MAX_BUNDLES {
        return Ok(());
    }
    Err(StoreError::refused(format!(
        "there are {n} bundles of yours; expected at most {MAX_BUNDLES}, retired ones included"
    ))
    .into())
}

fn stored(row: &mut Row) -> Result<StoredBundle, SqlError> {
    Ok(StoredBundle {
        version: row.count(0)?,
        entrant: EntrantId(row.int(1)?),
        name: row.text(2)?,
        owner: row.maybe(3, |row, idx| row.int(idx))?.map(EntrantId),
        sha256: crate::chain::hash(row, 4)?,
        contents: row.text(5)?,
        label: row.text(6)?,
        bytes: row.maybe(7, |row, idx| row.count(idx))?.unwrap_or(0),
        state: BundleState::of_word(&row.text(8)?)?,
        problem: row.text(9)?,
        created_ms: row.int(10)?,
    })
}
