//! Records of running matches, beside the store: a crash or a restart loses nothing of them.

use std::fs;
use std::path::{Path, PathBuf};

use rookery_record::{Archive as _, ArchiveError, Folder, Key, SUFFIX, Slot};
use rookery_referee::MatchSpec;
use rookery_store::GameId;
use serde::{Deserialize, Serialize};

use crate::accounts::Owner;

/// The digits of ids, as the store writes them.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many digits an id has: 60 bits, which a number of a pairing holds.
const LENGTH: u32 = 12;

/// A folder with the records of running matches, by id.
#[derive(Debug)]
pub struct Spool {
    folder: Folder,
    path: PathBuf,
}

/// What the record of a match does not say.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Owners {
    /// Who asked for it.
    pub maker: Owner,
    /// Whose the seats are.
    pub seats: Vec<Option<Owner>>,
    /// Whether a tournament goes on with it, and nobody else.
    #[serde(default)]
    pub of_cup: bool,
}

/// A table at which somebody is still to come.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiting {
    /// What was agreed so far.
    pub spec: MatchSpec,
    /// Who asked for it.
    pub maker: Owner,
    /// When, in milliseconds since 1970.
    pub made_ms: i64,
    /// By seat: whose it is, and the code by which it can be taken.
    pub seats: Vec<(Option<Owner>, Option<String>)>,
}

/// How the names of files about waiting tables end.
const WAITING: &str = ".waiting.json";
/// The longest of them: what was asked for came within the bounds of a request.
const MAX_WAITING_BYTES: u64 = 1 << 20;

/// Writes a file; whoever reads it meanwhile, or after a crash, finds the one before and never a part.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(new, path)
}

/// A match that an earlier run has left.
#[derive(Debug)]
pub struct Left {
    /// Its id.
    pub id: GameId,
    /// Whose it is, if that is known.
    pub owners: Option<Owners>,
}

fn number(id: GameId) -> u64 {
    let digit = |byte: &u8| DIGITS.iter().position(|known| known == byte).unwrap_or_default() as u64;
    id.as_str().as_bytes().iter().fold(0, |number, byte| number * 32 + digit(byte))
}

fn stem(number: u64) -> String {
    let digit = |place: u32| char::from(DIGITS[(number >> (5 * place) & 31) as usize]);
    (0..LENGTH).rev().map(digit).collect()
}

impl Spool {
    /// Opens the folder, which nobody else may write to.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let folder = Folder::open(path, 1, true)?.with_names(stem);
        Ok(Self { folder, path: path.to_owned() })
    }

    /// The place of a match's record.
    pub fn slot(&self, id: GameId) -> Result<Slot, ArchiveError> {
        self.folder.open(&Key::first(number(id)))
    }

    fn record(&self, id: GameId) -> PathBuf {
        self.path.join(format!("{id}{SUFFIX}"))
    }

    fn owners(&self, id: GameId) -> PathBuf {
        self.path.join(format!("{id}.owners.json"))
    }

    /// The lines of a match so far.
    pub fn read(&self, id: GameId) -> std::io::Result<Vec<u8>> {
        fs::read(self.record(id))
    }

    /// Writes down whose a match is.
    pub fn keep_owners(&self, id: GameId, owners: &Owners) -> std::io::Result<()> {
        replace(&self.owners(id), &serde_json::to_vec(owners)?)
    }

    fn waiting(&self, id: GameId) -> PathBuf {
        self.path.join(format!("{id}{WAITING}"))
    }

    /// Writes down how a table waits.
    pub fn keep_waiting(&self, id: GameId, waiting: &Waiting) -> std::io::Result<()> {
        replace(&self.waiting(id), &serde_json::to_vec(waiting)?)
    }

    /// A table waits no more.
    pub fn remove_waiting(&self, id: GameId) {
        // If it stays, the next start finds the match itself, or that its time is over.
        let _ = fs::remove_file(self.waiting(id));
    }

    /// The tables that waited when an earlier run ended; what cannot be read is `None`.
    pub fn left_waiting(&self) -> std::io::Result<Vec<(GameId, Option<Waiting>)>> {
        let mut left = vec![];
        for file in fs::read_dir(&self.path)? {
            let file = file?;
            let name = file.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(WAITING)) else { continue };
            let Ok(id) = id.parse::<GameId>() else { continue };
            let is_small = file.metadata()?.len() <= MAX_WAITING_BYTES;
            let bytes = if is_small { fs::read(file.path()).ok() } else { None };
            left.push((id, bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok())));
        }
        left.sort_by_key(|(id, _)| *id);
        Ok(left)
    }

    /// Whether there is a record of a match.
    pub fn has_record(&self, id: GameId) -> bool {
        self.record(id).exists()
    }

    /// The lines of a match are of no use.
    pub fn remove_record(&self, id: GameId) {
        // If it stays, it is found to be of another match once more.
        let _ = fs::remove_file(self.record(id));
    }

    /// The store has the match.
    pub fn remove(&self, id: GameId) {
        // What is left behind is found stored already at the next start, and removed then.
        let _ = fs::remove_file(self.record(id));
        let _ = fs::remove_file(self.owners(id));
    }

    /// What an earlier run has left.
    pub fn left(&self) -> std::io::Result<Vec<Left>> {
        let mut left = vec![];
        for file in fs::read_dir(&self.path)? {
            let name = file?.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(SUFFIX)) else { continue };
            let Ok(id) = id.parse::<GameId>() else { continue };
            let owners = fs::read(self.owners(id)).ok();
            let owners = owners.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            left.push(Left { id, owners });
        }
        left.sort_by_key(|left| left.id);
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_name_of_its_record() {
        for _ in 0..100 {
            let id = GameId::random();
            assert_eq!(stem(number(id)), id.as_str());
        }
    }
}
