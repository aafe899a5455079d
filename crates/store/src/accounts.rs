//! People who claimed a name, the tokens they sign in with, and the log of what operators did.
//!
//! No secret is stored: of a password the hash that is handed in, of a token its SHA-256.

use rookery_referee::is_name;

use crate::entrants::{EntrantKind, MAX_NOTE, bounded, entrant_of};
use crate::measures::put_setting;
use crate::sql::{Fault, Row, Sql, SqlError, column, next_number, params};
use crate::store::now_ms;
use crate::tables::{AUDIT, ENTRANTS, Known, PEOPLE, TOKENS};
use crate::{EntrantId, Hash, Page, Store, StoreError};

/// A person with a name of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    /// The number.
    pub id: EntrantId,
    /// The name.
    pub name: String,
    /// What a password is checked against, if there is one.
    pub password_hash: Option<String>,
    /// Whether it may do what operators do.
    pub is_operator: bool,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { id, name, is_operator, password_hash: _ } = self;
        let mut person = f.debug_struct("Person");
        person.field("id", id).field("name", name).field("is_operator", is_operator).finish_non_exhaustive()
    }
}

/// How those are called who gave up their name. Nobody can claim such a name.
const GIVEN_UP: &str = "gone #";

/// Whether somebody of this name had another before, and gave it up.
pub fn is_given_up(name: &str) -> bool {
    name.starts_with(GIVEN_UP)
}

/// What a token is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// A browser that is signed in.
    Session,
    /// A program that speaks for somebody.
    Program,
    /// The link that makes the operator.
    Operator,
}

impl Purpose {
    const ALL: [Self; 3] = [Self::Session, Self::Program, Self::Operator];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Program => "program",
            Self::Operator => "operator",
        }
    }
}

/// A token that is to be stored.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Whose it is; nobody's for the operator's first link.
    pub entrant: Option<EntrantId>,
    /// What for.
    pub purpose: Purpose,
    /// What its owner calls it.
    pub note: String,
    /// Until when it holds, in milliseconds since 1970.
    pub expires_ms: Option<i64>,
}

/// A token that holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its number.
    pub id: u64,
    /// Whose it is.
    pub entrant: Option<EntrantId>,
    /// What for.
    pub purpose: Purpose,
    /// What its owner calls it.
    pub note: String,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// Until when it holds.
    pub expires_ms: Option<i64>,
}

/// Something an operator did, or that matters as much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    /// Its number.
    pub id: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// Who.
    pub actor: String,
    /// Did what.
    pub act: String,
    /// With whom or what.
    pub subject: String,
}

impl Store {
    /// Claims a name for a person, with the hash of a password if there is one; refused if anybody has it.
    pub fn claim_name(&self, name: &str, password_hash: Option<&str>) -> Result<EntrantId, StoreError> {
        if !is_name(name) {
            return Err(StoreError::refused(format!(
                "{name:?} is no name; expected 1 to 24 letters, digits, `_` or `-`"
            )));
        }
        bounded("hash of a password", password_hash.unwrap_or_default(), MAX_NOTE)?;
        let (name, password_hash) = (name.to_owned(), password_hash.map(str::to_owned));
        self.write(move |tx| {
            let entrant = entrant_of(tx, &name, EntrantKind::Person)?;
            let row = params![entrant.0, password_hash.as_deref(), false];
            if PEOPLE.put(tx, row, Known::Stays)? {
                return Ok(entrant);
            }
            Err(StoreError::NameTaken { name: name.clone(), kind: EntrantKind::Person.word() }.into())
        })
    }

    /// The person of this name.
    pub fn person(&self, name: &str) -> Result<Option<Person>, StoreError> {
        self.read(|sql| {
            let row = sql.row(
                "select id, name, password_hash, is_operator from people join entrants on entrants.id = people.entrant \
                 where folded = ?1",
                params![name.to_lowercase()],
            )?;
            let person = |mut row: Row| -> Result<Person, SqlError> {
                Ok(Person {
                    id: EntrantId(row.int(0)?),
                    name: row.text(1)?,
                    password_hash: row.maybe(2, Row::text)?,
                    is_operator: row.int(3)? == 1,
                })
            };
            Ok(row.map(person).transpose()?)
        })
    }

    /// Gives a person another password, or none.
    pub fn set_password(&self, person: EntrantId, password_hash: Option<&str>) -> Result<(), StoreError> {
        bounded("hash of a password", password_hash.unwrap_or_default(), MAX_NOTE)?;
        let password_hash = password_hash.map(str::to_owned);
        self.write(move |tx| {
            let set = [("password_hash", password_hash.as_deref().into())];
            known_person(PEOPLE.change(tx, "entrant = ?1", params![person.0], &set)?, person)
        })
    }

    /// Makes a person an operator, or no longer one.
    pub fn set_operator(&self, person: EntrantId, is_operator: bool) -> Result<(), StoreError> {
        self.write(move |tx| {
            let set = [("is_operator", is_operator.into())];
            known_person(PEOPLE.change(tx, "entrant = ?1", params![person.0], &set)?, person)
        })
    }

    /// Gives up a person's name, and says what it is called from now on. Its password, sessions and tokens are gone; its
    /// games stay, and so do their records, which would not hold if they were changed.
    pub fn give_up_name(&self, person: EntrantId) -> Result<String, StoreError> {
        let name = format!("{GIVEN_UP}{}", person.0);
        let new = name.clone();
        self.write(move |tx| {
            known_person(tx.execute("delete from people where entrant = ?1", params![person.0])?, person)?;
            for table in ["tokens", "measures"] {
                tx.execute(&format!("delete from {table} where entrant = ?1"), params![person.0])?;
            }
            let row = tx.row("select name from entrants where id = ?1", params![person.0])?;
            let old = row.ok_or_else(|| StoreError::unknown("entrant", person.0))?.text(0)?;
            for column in ["actor", "subject"] {
                let set = [(column, new.as_str().into())];
                AUDIT.change(tx, &format!("{column} = ?1"), params![old.as_str()], &set)?;
            }
            let set = ["name", "folded"].map(|column| (column, new.as_str().into()));
            ENTRANTS.change(tx, "id = ?1", params![person.0], &set)?;
            Ok(())
        })?;
        Ok(name)
    }

    /// Whether anybody is an operator.
    pub fn has_operator(&self) -> Result<bool, StoreError> {
        self.read(|sql| {
            let row = sql.row("select 1 from people where is_operator = 1 limit 1", params![])?;
            Ok(row.is_some())
        })
    }

    /// Stores a token by its hash; the token itself is never written anywhere.
    pub fn put_token(&self, token: &str, new: NewToken) -> Result<u64, StoreError> {
        bounded("note of a token", &new.note, MAX_NOTE)?;
        if token.len() < 16 {
            return Err(StoreError::refused("the token can be guessed; expected 16 characters or more"));
        }
        let sha256 = Hash::of(token.as_bytes());
        self.write(move |tx| {
            let id = token_number(tx)?;
            let row = params![
                id,
                &sha256.0[..],
                new.entrant.map(|entrant| entrant.0),
                new.purpose.word(),
                new.note.as_str(),
                now_ms(),
                new.expires_ms
            ];
            TOKENS.put(tx, row, Known::Refused)?;
            Ok(id as u64)
        })
    }

    /// Whose token it is, if it holds at this time.
    pub fn token(&self, token: &str, now_ms: i64) -> Result<Option<Token>, StoreError> {
        let sha256 = Hash::of(token.as_bytes());
        self.read(|sql| {
            let row = sql.row(
                &format!("{SELECT_TOKEN} where sha256 = ?1 and (expires_ms is null or expires_ms > ?2)"),
                params![&sha256.0[..], now_ms],
            )?;
            Ok(row.map(|mut row| stored_token(&mut row)).transpose()?)
        })
    }

    /// The tokens of somebody, the latest first.
    pub fn tokens(&self, entrant: EntrantId, page: Page) -> Result<Vec<Token>, StoreError> {
        let (before, limit) = page.bounds();
        self.read(|sql| {
            let rows = sql.rows(
                &format!("{SELECT_TOKEN} where entrant = ?1 and id < ?2 order by id desc limit ?3"),
                params![entrant.0, before, limit],
            )?;
            Ok(rows.into_iter().map(|mut row| stored_token(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// Takes a token back; whether there was one.
    pub fn revoke_token(&self, id: u64) -> Result<bool, StoreError> {
        self.write(move |tx| Ok(tx.execute("delete from tokens where id = ?1", params![column(id)?])? == 1))
    }

    /// Lets a token that runs out hold until another time; whether there is one.
    pub fn extend_token(&self, id: u64, expires_ms: i64) -> Result<bool, StoreError> {
        self.write(move |tx| {
            let set = [("expires_ms", expires_ms.into())];
            Ok(TOKENS.change(tx, "id = ?1 and expires_ms is not null", params![column(id)?], &set)? == 1)
        })
    }

    /// Takes back the tokens that have run out; how many.
    pub fn drop_expired_tokens(&self, now_ms: i64) -> Result<u64, StoreError> {
        self.write(move |tx| Ok(tx.execute("delete from tokens where expires_ms <= ?1", params![now_ms])?))
    }

    /// Writes down what somebody did.
    pub fn audit(&self, actor: &str, act: &str, subject: &str) -> Result<(), StoreError> {
        for (what, text) in [("actor", actor), ("act", act), ("subject", subject)] {
            bounded(what, text, MAX_NOTE)?;
        }
        let (actor, act, subject) = (actor.to_owned(), act.to_owned(), subject.to_owned());
        self.write(move |tx| {
            let id = next_number(tx, "audit", "id")?;
            let row = params![id, now_ms(), actor.as_str(), act.as_str(), subject.as_str()];
            AUDIT.put(tx, row, Known::Refused)?;
            Ok(())
        })
    }

    /// The log of what was done, the latest first.
    pub fn audit_log(&self, page: Page) -> Result<Vec<AuditEntry>, StoreError> {
        let (before, limit) = page.bounds();
        self.read(|sql| {
            let rows = sql.rows(
                "select id, at_ms, actor, act, subject from audit where id < ?1 order by id desc limit ?2",
                params![before, limit],
            )?;
            let entry = |mut row: Row| -> Result<AuditEntry, SqlError> {
                Ok(AuditEntry {
                    id: row.count(0)?,
                    at_ms: row.int(1)?,
                    actor: row.text(2)?,
                    act: row.text(3)?,
                    subject: row.text(4)?,
                })
            };
            Ok(rows.into_iter().map(entry).collect::<Result<_, _>>()?)
        })
    }
}

/// The setting for the last number that a token had.
const LAST_TOKEN: &str = "last_token";

/// The number of a new token. None is given twice, also when its token is gone: what guests have is theirs by it.
fn token_number(sql: &mut dyn Sql) -> Result<i64, SqlError> {
    let last = sql.row("select value from settings where name = ?1", params![LAST_TOKEN])?;
    let last = last.map(|mut row| row.text(0)).transpose()?.and_then(|last| last.parse().ok());
    let id = next_number(sql, "tokens", "id")?.max(last.unwrap_or(0) + 1);
    put_setting(sql, LAST_TOKEN, &id.to_string())?;
    Ok(id)
}

const SELECT_TOKEN: &str = "select id, entrant, purpose, note, created_ms, expires_ms from tokens";

fn known_person(n_changed: u64, person: EntrantId) -> Result<(), Fault> {
    if n_changed == 1 { Ok(()) } else { Err(StoreError::unknown("person", person.0).into()) }
}

fn stored_token(row: &mut Row) -> Result<Token, SqlError> {
    let purpose = row.text(2)?;
    let purpose = Purpose::ALL.into_iter().find(|known| known.word() == purpose);
    Ok(Token {
        id: row.count(0)?,
        entrant: row.maybe(1, |row, idx| row.int(idx))?.map(EntrantId),
        purpose: purpose.ok_or_else(|| SqlError::Corrupt("a token has no known purpose".to_owned()))?,
        note: row.text(3)?,
        created_ms: row.int(4)?,
        expires_ms: row.maybe(5, |row, idx| row.int(idx))?,
    })
}
