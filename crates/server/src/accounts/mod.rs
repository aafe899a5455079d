//! Who somebody is: guests, people who claimed a name, programs with a token.

mod makings;
mod password;
mod rates;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rookery_store::{EntrantId, Hash, NewToken, Person, Purpose, Store, Token};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use crate::http::ApiError;

pub use makings::Makings;
pub use password::{hash_password, is_right};
pub use rates::Rates;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a session holds at the most, and how long without a word from its browser.
const SESSION_MS: i64 = 30 * DAY_MS;
const IDLE_MS: i64 = 7 * DAY_MS;
/// How long the operator's link holds.
const LINK_MS: i64 = DAY_MS;
/// How many sessions are remembered without asking the store.
const REMEMBERED: usize = 10_000;
/// How many endings are kept for sockets that have not heard of them yet.
const ENDINGS: usize = 64;

/// Whose a seat or a match is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// A guest, by the number of the session.
    Guest(u64),
    /// Somebody with a name.
    Named(i64),
}

impl Owner {
    /// Who it is among those who claimed a name.
    pub fn person(&self) -> Option<EntrantId> {
        match self {
            Self::Named(id) => Some(EntrantId(*id)),
            Self::Guest(_) => None,
        }
    }
}

/// Somebody who asks for something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The name: `guest-xxxx` for guests.
    pub name: String,
    /// Whose what it makes is.
    pub owner: Owner,
    /// Whether it may do what operators do.
    pub is_operator: bool,
    /// The number of its token.
    pub token: u64,
    /// Whether it came by a token of a program and not by a cookie.
    pub is_program: bool,
}

impl Identity {
    /// Who it is among those who claimed a name.
    pub fn person(&self) -> Option<EntrantId> {
        self.owner.person()
    }
}

/// Whose sockets end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Those of one session or token.
    Token(u64),
    /// All of a person.
    Person(EntrantId),
}

impl Ended {
    /// Whether it is about somebody.
    pub fn concerns(self, who: &Identity) -> bool {
        match self {
            Self::Token(token) => who.token == token,
            Self::Person(person) => who.person() == Some(person),
        }
    }
}

/// A session or a token as it is remembered.
#[derive(Clone, Debug)]
struct Known {
    identity: Identity,
    created_ms: i64,
    expires_ms: i64,
}

/// What is remembered of sessions and tokens.
#[derive(Debug, Default)]
struct Memory {
    /// By the hash of the token.
    known: HashMap<Hash, Known>,
    /// Counts what was taken out of it: who read the store before that may have read what holds no more.
    n_forgotten: u64,
}

/// All sessions and tokens.
pub struct Accounts {
    store: Store,
    memory: Mutex<Memory>,
    ended: broadcast::Sender<Ended>,
}

/// Until when a session holds whose browser has just been heard.
fn renewed(created_ms: i64, now: i64) -> i64 {
    (created_ms + SESSION_MS).min(now + IDLE_MS)
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Accounts")
    }
}

impl Accounts {
    /// The accounts of a store.
    pub fn new(store: Store) -> Self {
        Self { store, memory: Mutex::default(), ended: broadcast::Sender::new(ENDINGS) }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of sessions and tokens that hold no more.
    pub fn endings(&self) -> broadcast::Receiver<Ended> {
        self.ended.subscribe()
    }

    /// Remembers what the store says, unless something was forgotten since it was asked.
    fn remember(&self, token: &str, new: Known, n_forgotten: u64) {
        let mut memory = self.memory();
        if memory.n_forgotten != n_forgotten {
            return;
        }
        if memory.known.len() >= REMEMBERED {
            memory.known.clear();
        }
        memory.known.insert(Hash::of(token.as_bytes()), new);
    }

    /// Forgets those that hold no more; the store knows it already.
    fn forget_if(&self, is_over: impl Fn(&Identity) -> bool) {
        let mut memory = self.memory();
        memory.known.retain(|_, known| !is_over(&known.identity));
        memory.n_forgotten += 1;
    }

    /// A session whose browser is heard holds longer; that is written once a day.
    async fn renew(&self, token: &str, known: &Known, now: i64) -> Result<(), ApiError> {
        let expires_ms = renewed(known.created_ms, now);
        if known.identity.is_program || expires_ms < known.expires_ms + DAY_MS {
            return Ok(());
        }
        let (store, id, n_forgotten) = (self.store.clone(), known.identity.token, self.memory().n_forgotten);
        if blocking(move || store.extend_token(id, expires_ms)).await? {
            self.remember(token, Known { expires_ms, ..known.clone() }, n_forgotten);
        }
        Ok(())
    }

    /// Whose token it is, if it holds. Blocks only where it was not seen lately.
    pub async fn identify(&self, token: &str, is_program: bool) -> Result<Option<Identity>, ApiError> {
        if token.len() > MAX_TOKEN {
            return Ok(None);
        }
        let now = now_ms();
        let (known, n_forgotten) = {
            let memory = self.memory();
            (memory.known.get(&Hash::of(token.as_bytes())).cloned(), memory.n_forgotten)
        };
        if let Some(known) = known {
            if known.expires_ms <= now || known.identity.is_program != is_program {
                return Ok(None);
            }
            self.renew(token, &known, now).await?;
            return Ok(Some(known.identity));
        }
        let (store, text) = (self.store.clone(), token.to_owned());
        let found = blocking(move || {
            let Some(found) = store.token(&text, now)? else { return Ok(None) };
            let person = match found.entrant {
                Some(id) => {
                    let entrant = store.entrant_by_id(id)?;
                    store.person(&entrant.name)?
                }
                None => None,
            };
            Ok(Some((found, person)))
        })
        .await?;
        let Some((found, person)) = found else { return Ok(None) };
        let expires_ms = found.expires_ms.unwrap_or(i64::MAX);
        let identity = identity(&found, person).filter(|identity| identity.is_program == is_program);
        if let Some(identity) = &identity {
            let known = Known { identity: identity.clone(), created_ms: found.created_ms, expires_ms };
            self.remember(token, known.clone(), n_forgotten);
            self.renew(token, &known, now).await?;
        }
        Ok(identity)
    }

    /// A new guest and its token.
    pub async fn new_guest(&self) -> Result<(String, Identity), ApiError> {
        let name = format!("guest-{}", &random_token()[..4]);
        self.new_session(None, name).await
    }

    /// A new session of somebody who has proved to be this person.
    pub async fn sign_in(&self, person: &Person) -> Result<(String, Identity), ApiError> {
        let (token, identity) = self.new_session(Some(person.id), person.name.clone()).await?;
        let identity = Identity { is_operator: person.is_operator, ..identity };
        self.remember_new(&token, &identity);
        Ok((token, identity))
    }

    fn remember_new(&self, token: &str, identity: &Identity) {
        let created_ms = now_ms();
        let expires_ms = renewed(created_ms, created_ms);
        // It is new: nobody can have ended it before.
        let n_forgotten = self.memory().n_forgotten;
        self.remember(token, Known { identity: identity.clone(), created_ms, expires_ms }, n_forgotten);
    }

    async fn new_session(
        &self,
        entrant: Option<EntrantId>,
        name: String,
    ) -> Result<(String, Identity), ApiError> {
        let token = random_token();
        let now = now_ms();
        let expires_ms = renewed(now, now);
        let new =
            NewToken { entrant, purpose: Purpose::Session, note: name.clone(), expires_ms: Some(expires_ms) };
        let (store, text) = (self.store.clone(), token.clone());
        let id = blocking(move || store.put_token(&text, new)).await?;
        let owner = entrant.map_or(Owner::Guest(id), |entrant| Owner::Named(entrant.0));
        let identity = Identity { name, owner, is_operator: false, token: id, is_program: false };
        self.remember_new(&token, &identity);
        Ok((token, identity))
    }

    /// A new token for a program of this person, to be shown once.
    pub async fn new_program_token(
        &self,
        person: EntrantId,
        note: String,
    ) -> Result<(u64, String), ApiError> {
        let token = random_token();
        let new = NewToken { entrant: Some(person), purpose: Purpose::Program, note, expires_ms: None };
        let (store, text) = (self.store.clone(), token.clone());
        let id = blocking(move || store.put_token(&text, new)).await?;
        Ok((id, token))
    }

    /// A link that makes whoever opens it the operator, once.
    pub fn new_operator_link(&self) -> Result<String, rookery_store::StoreError> {
        let token = random_token();
        let new = NewToken {
            entrant: None,
            purpose: Purpose::Operator,
            note: "the operator's link".to_owned(),
            expires_ms: Some(now_ms() + LINK_MS),
        };
        self.store.put_token(&token, new)?;
        Ok(token)
    }

    /// Uses the operator's link up; whether it held.
    pub async fn take_operator_link(&self, token: &str) -> Result<bool, ApiError> {
        let (store, token) = (self.store.clone(), token.to_owned());
        blocking(move || match store.token(&token, now_ms())? {
            Some(found) if found.purpose == Purpose::Operator => store.revoke_token(found.id),
            _ => Ok(false),
        })
        .await
    }

    /// Ends a session or takes a token back, at once.
    pub async fn revoke(&self, id: u64) -> Result<bool, ApiError> {
        let store = self.store.clone();
        let was_there = blocking(move || store.revoke_token(id)).await?;
        self.forget_if(|who| who.token == id);
        // Nobody may be there to hear it.
        let _ = self.ended.send(Ended::Token(id));
        Ok(was_there)
    }

    /// What was remembered of a person has changed.
    pub fn forget(&self, person: EntrantId) {
        self.forget_if(|who| who.person() == Some(person));
        let _ = self.ended.send(Ended::Person(person));
    }
}

/// The longest token that is looked up.
const MAX_TOKEN: usize = 200;

/// Who comes with a token; nobody with one that is for something else.
fn identity(token: &Token, person: Option<Person>) -> Option<Identity> {
    let is_program = match token.purpose {
        Purpose::Session => false,
        Purpose::Program => true,
        Purpose::Operator => return None,
    };
    let (name, owner, is_operator) = match person {
        Some(person) => (person.name, Owner::Named(person.id.0), person.is_operator),
        None if token.entrant.is_none() => (token.note.clone(), Owner::Guest(token.id), false),
        None => return None,
    };
    // What a program holds may be copied into many places: it never does what operators do.
    Some(Identity { name, owner, is_operator: is_operator && !is_program, token: token.id, is_program })
}

/// Does something with the store where blocking is allowed.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, rookery_store::StoreError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(error) => Err(ApiError::ours(&error)),
    }
}

/// 256 bits that nobody can guess, as hexadecimal digits.
pub(crate) fn random_token() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    Hash(bytes).to_string()
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_w07_sessions_end_after_a_week_without_a_word_and_after_a_month() {
        assert_eq!(renewed(0, 0), 7 * DAY_MS);
        assert_eq!(renewed(0, 20 * DAY_MS), 27 * DAY_MS);
        assert_eq!(renewed(0, 29 * DAY_MS), 30 * DAY_MS, "a month is the end");
    }

    #[test]
    fn fault_w07_what_ended_while_it_was_looked_up_is_not_remembered() {
        let folder = rookery_testkit::TempFolder::new("accounts");
        let location = folder.join("rookery.db");
        let store = Store::open(&location.to_string_lossy(), &rookery_store::Options::default()).unwrap();
        let accounts = Accounts::new(store);
        let identity = Identity {
            name: "guest-1".to_owned(),
            owner: Owner::Guest(1),
            is_operator: false,
            token: 1,
            is_program: false,
        };
        let known = Known { identity, created_ms: 0, expires_ms: i64::MAX };
        let before = accounts.memory().n_forgotten;
        accounts.remember("token", known.clone(), before);
        assert_eq!(accounts.memory().known.len(), 1);
        accounts.forget_if(|who| who.token == 1);
        accounts.remember("token", known, before);
        assert_eq!(accounts.memory().known.len(), 0, "whoever asked the store before has an old answer");
    }
}
