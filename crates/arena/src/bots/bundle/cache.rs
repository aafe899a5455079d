//! Unpacked bundles, kept within a bound by the hash over their files, and looked at before each use.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rookery_store::{Hash, StoredBundle};

use super::super::found::{BotProblem, FoundBot};
use super::unpack::{named_bot, unpack};
use super::{BundleError, BundleLimits};

/// What is kept unless told otherwise: unpacked folders, and what was built from them.
const USUAL: u64 = 2 << 30;
/// And how many bundles, whatever their size.
const MOST_KEPT: usize = 1000;
/// The ending of the file whose lock says that a bundle is in use.
const IN_USE: &str = "use";

/// A folder of unpacked bundles, shared by all threads and processes of a user.
///
/// Every change is made by whoever has the lock of the whole folder. A bundle that somebody uses is never thrown away: each
/// has a file whose lock its users share.
#[derive(Clone, Debug)]
pub struct BundleCache {
    folder: PathBuf,
    most: u64,
    limits: BundleLimits,
}

/// As long as this lives, a bundle stays in the cache.
#[derive(Debug)]
pub struct InUse {
    _lock: File,
}

impl BundleCache {
    /// The cache in this folder, which is made if need be.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), most: USUAL, limits: BundleLimits::default() }
    }

    /// The same with another bound, in bytes. What is in use stays, even if that is more.
    #[must_use]
    pub fn with_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// The same with other limits for archives.
    #[must_use]
    pub fn with_limits(self, limits: BundleLimits) -> Self {
        Self { limits, ..self }
    }

    /// Where bots are built: beside their folders, and within the same bound.
    pub(super) fn built(&self) -> PathBuf {
        self.folder.join("built")
    }

    fn fail(&self, error: io::Error) -> BundleError {
        BundleError::Cache(self.folder.clone(), error)
    }

    fn lock(&self) -> Result<File, BundleError> {
        fs::create_dir_all(&self.folder).map_err(|error| self.fail(error))?;
        let options = File::options().create(true).write(true).truncate(false).open(self.folder.join("lock"));
        let lock = options.map_err(|error| self.fail(error))?;
        lock.lock().map_err(|error| self.fail(error))?;
        Ok(lock)
    }

    /// Says that a bundle is in use. Only under the lock, so that nobody throws it away in between.
    fn hold(&self, contents: &str) -> Result<InUse, BundleError> {
        let held = || -> io::Result<File> {
            let path = self.folder.join(contents).with_extension(IN_USE);
            let file = File::options().create(true).write(true).truncate(false).open(path)?;
            file.lock_shared()?;
            // The order in which they are thrown away.
            file.set_modified(SystemTime::now())?;
            Ok(file)
        };
        held().map(|lock| InUse { _lock: lock }).map_err(|error| self.fail(error))
    }

    /// The bot of a bundle of the store. Every file is read and compared with the hash; what is not there, or is not what it
    /// was, is fetched and unpacked anew.
    pub fn get(
        &self,
        wanted: &StoredBundle,
        fetch: &mut dyn FnMut() -> Result<Vec<u8>, BundleError>,
    ) -> Result<(FoundBot, InUse), BundleError> {
        let lock = self.lock()?;
        let in_use = self.hold(&wanted.contents)?;
        drop(lock);
        if let Ok(bot) = named_bot(&self.home(&wanted.contents)?)
            && bot.hash == wanted.contents
        {
            return Ok((bot, in_use));
        }
        let bytes = fetch()?;
        if Hash::of(&bytes) != wanted.sha256 {
            return Err(BundleError::Other(format!(
                "the archive that came for {} does not have the SHA-256 {}",
                wanted.name, wanted.sha256
            )));
        }
        let (bot, in_use) = self.unpack(&bytes)?;
        if bot.hash != wanted.contents {
            return Err(BundleError::Other(format!(
                "the files of {} have the hash {} and not {}",
                wanted.name, bot.hash, wanted.contents
            )));
        }
        Ok((bot, in_use))
    }

    /// Unpacks an archive, and says whose bot is in it.
    pub fn unpack(&self, bytes: &[u8]) -> Result<(FoundBot, InUse), BundleError> {
        let _lock = self.lock()?;
        // What a process left that was killed here.
        let part = self.folder.join("incoming.part");
        remove(&part).map_err(|error| self.fail(error))?;
        let found = unpack(bytes, &self.limits, &part).and_then(|()| {
            named_bot(&part).map_err(|(problem, expected)| {
                BundleError::Bot(Box::new(BotProblem::new("the bundle", problem, expected)))
            })
        });
        let bot = match found {
            Ok(bot) => bot,
            Err(error) => {
                remove(&part).map_err(|error| self.fail(error))?;
                return Err(error);
            }
        };
        let home = self.home(&bot.hash)?;
        let in_use = self.hold(&bot.hash)?;
        // Somebody else may have unpacked it meanwhile, and play with it: then it stays. One that was tampered with does not.
        let is_there = named_bot(&home).is_ok_and(|found| found.hash == bot.hash);
        let placed =
            if is_there { remove(&part) } else { remove(&home).and_then(|()| fs::rename(&part, &home)) };
        placed.map_err(|error| self.fail(error))?;
        self.trim().map_err(|error| self.fail(error))?;
        Ok((FoundBot { home, ..bot }, in_use))
    }

    fn home(&self, contents: &str) -> Result<PathBuf, BundleError> {
        std::path::absolute(self.folder.join(contents)).map_err(|error| self.fail(error))
    }

    /// Throws away what was not used for longest, until the rest is within the bound. Only under the lock.
    fn trim(&self) -> io::Result<()> {
        let mut kept = vec![];
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == IN_USE) {
                let folders = self.folders_of(&path);
                let bytes = folders.iter().map(|folder| size(folder)).sum::<u64>();
                kept.push((path.metadata()?.modified()?, path, folders, bytes));
            }
        }
        kept.sort_by_key(|(used, ..)| *used);
        let mut all: u64 = kept.iter().map(|(.., bytes)| bytes).sum();
        let mut n_kept = kept.len();
        for (_, path, folders, bytes) in kept {
            if all <= self.most && n_kept <= MOST_KEPT {
                break;
            }
            let lock = File::options().write(true).open(&path)?;
            if lock.try_lock().is_err() {
                continue;
            }
            folders.iter().try_for_each(|folder| remove(folder))?;
            fs::remove_file(&path)?;
            all -= bytes;
            n_kept -= 1;
        }
        Ok(())
    }

    /// What belongs to the file that says that a bundle is in use.
    fn folders_of(&self, in_use: &Path) -> [PathBuf; 2] {
        let name = in_use.file_stem().unwrap_or_default();
        [self.folder.join(name), self.built().join(name)]
    }
}

/// Removes a folder, if it is there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The bytes of all files of a folder; links are not followed. What cannot be read counts nothing.
fn size(folder: &Path) -> u64 {
    let (mut open, mut bytes) = (vec![folder.to_owned()], 0);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => bytes += entry.metadata().map_or(0, |found| found.len()),
                _ => {}
            }
        }
    }
    bytes
}
