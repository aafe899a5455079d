//! Where records are kept: the one writer of records, whoever plays.
//!
//! An [`Archive`] gives each match its place, once: a new record, one to go on with, or the one of a match that is over.
//! [`Folder`] keeps a file for each match of an event, [`OneFile`] just one. Both are locked against a second program,
//! follow no links, keep what was damaged, and bring to the disk what is finished.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rookery_rules::MAX_SEATS;

use crate::mend::{Cut, Mended, mend, seek_end};
use crate::{FolderError, Problem, Receipt, Syncer, create_folder};

/// The end of a record's name.
pub const SUFFIX: &str = ".rookery.jsonl";

/// Which match it is: a pairing of an event, tried for the first time or again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The number of the pairing, from 1.
    pub pairing: u64,
    /// Which attempt it is, from 1. After a failure of ours a match is played again.
    pub attempt: u32,
}

impl Key {
    /// The first attempt of a pairing.
    pub const fn first(pairing: u64) -> Self {
        Self { pairing, attempt: 1 }
    }
}

/// The place of a match in an archive.
#[derive(Debug)]
pub enum Slot {
    /// Nothing was written yet.
    New(Sink),
    /// The match can go on: its lines so far, and where the next go.
    Unfinished {
        /// Whole lines, the header first.
        lines: Vec<u8>,
        /// Stands behind them.
        sink: Sink,
        /// What an earlier run had left that could not be read.
        cut: Option<Cut>,
    },
    /// The match is over, and these are its lines.
    Finished(Vec<u8>),
}

/// Where the records of an event are kept.
pub trait Archive: Send + Sync {
    /// The place of a match. Asked for once a match at a time.
    fn open(&self, key: &Key) -> Result<Slot, ArchiveError>;

    /// Whether nothing can be kept just now for a reason that may pass. Whoever is about to begin a match waits a little.
    fn is_hindered(&self) -> bool {
        false
    }

    /// Where the record of a match is, for people; `None` if it has no file.
    fn path(&self, key: &Key) -> Option<PathBuf>;

    /// Keeps what the program at a seat, from 0, wrote to its standard error.
    fn keep_log(&self, key: &Key, seat: usize, log: &[u8]) -> Result<(), ArchiveError> {
        self.path(key).map_or(Ok(()), |record| write_log(&log_path(&record, seat), log, false))
    }
}

/// Where the log of the program at a seat, from 0, is kept beside its record.
pub fn log_path(record: &Path, seat: usize) -> PathBuf {
    let name = record.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(SUFFIX).unwrap_or(&name);
    record.with_file_name(format!("{stem}.seat-{}.stderr", seat + 1))
}

/// Writes a log; behind the one of the first part where a match has gone on.
fn write_log(path: &Path, log: &[u8], goes_on: bool) -> Result<(), ArchiveError> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).append(goes_on).truncate(!goes_on);
    let written = options.open(path).and_then(|mut file| file.write_all(log));
    written.map_err(|error| ArchiveError::Record(path.to_owned(), Problem::Io(error)))
}

/// Why a record cannot be kept.
#[derive(Debug)]
pub enum ArchiveError {
    /// Another program writes there.
    Locked {
        /// The folder or file.
        path: PathBuf,
        /// What is known of the other program.
        holder: String,
    },
    /// There is a record already, and nobody said to go on with it.
    Exists(PathBuf),
    /// Something else is in the way, or wrong.
    Record(PathBuf, Problem),
    /// The folder cannot be made.
    Folder(FolderError),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { path, holder } => write!(
                f,
                "{}: {holder} writes there already; wait until it has ended, or choose another place",
                path.display()
            ),
            Self::Exists(path) => write!(
                f,
                "{}: there is a record already; go on with it by --resume, or choose another place",
                path.display()
            ),
            Self::Record(path, problem) => write!(f, "{}: {problem}", path.display()),
            Self::Folder(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl From<FolderError> for ArchiveError {
    fn from(error: FolderError) -> Self {
        Self::Folder(error)
    }
}

/// A record that is being written. One `write` for each event, straight to a file: a crash loses at most the last line. Or
/// into memory, from where it goes as a whole to whoever keeps it.
#[derive(Debug)]
pub struct Sink(Kept);

/// Takes the lines of a match that is over, or was stopped.
type Keep = Box<dyn FnOnce(Vec<u8>) -> Receipt + Send + Sync>;

enum Kept {
    File { file: File, path: PathBuf, syncer: Arc<Syncer> },
    Memory { lines: Vec<u8>, keep: Keep },
    Sight { lines: Arc<Mutex<Vec<u8>>>, keep: Keep },
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, .. } => f.debug_tuple("File").field(path).finish(),
            Self::Memory { lines, .. } => f.debug_tuple("Memory").field(&lines.len()).finish(),
            Self::Sight { .. } => f.write_str("Sight"),
        }
    }
}

impl Sink {
    /// Gathers lines in memory, behind those that are there already, and hands all of them over when nothing more is
    /// written. A crash loses them: for matches that can be played again.
    pub fn in_memory(lines: Vec<u8>, keep: impl FnOnce(Vec<u8>) -> Receipt + Send + Sync + 'static) -> Self {
        Self(Kept::Memory { lines, keep: Box::new(keep) })
    }

    /// The same into lines that others may read meanwhile, whole ones at any time. They are taken out at the end.
    pub fn in_sight(
        lines: Arc<Mutex<Vec<u8>>>,
        keep: impl FnOnce(Vec<u8>) -> Receipt + Send + Sync + 'static,
    ) -> Self {
        Self(Kept::Sight { lines, keep: Box::new(keep) })
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Kept::File { path, .. } => Some(path),
            Kept::Memory { .. } | Kept::Sight { .. } => None,
        }
    }

    /// Nothing more is written for now: the receipt comes when all of it is on the disk.
    pub fn finish(self) -> Receipt {
        match self.0 {
            Kept::File { file, path, syncer } => syncer.add(path, file),
            Kept::Memory { lines, keep } => keep(lines),
            Kept::Sight { lines, keep } => {
                keep(std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner)))
            }
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kept::File { file, .. } => file.write(bytes),
            Kept::Memory { lines, .. } => lines.write(bytes),
            Kept::Sight { lines, .. } => lines.lock().unwrap_or_else(PoisonError::into_inner).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kept::File { file, .. } => file.flush(),
            Kept::Memory { .. } | Kept::Sight { .. } => Ok(()),
        }
    }
}

/// A folder with a record for each match of an event.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Names of an event have the same length, so that they sort as the matches do.
    digits: usize,
    /// The beginning of a record's name, if not the usual.
    stem: Option<fn(u64) -> String>,
    resume: bool,
    syncer: Arc<Syncer>,
    /// Held until the archive is closed.
    _lock: Lock,
}

impl Folder {
    /// Opens a folder, and makes it if need be, for an event of so many matches. With `resume` the records that are there
    /// are gone on with, else they are in the way.
    pub fn open(folder: &Path, n_matches: u64, resume: bool) -> Result<Self, ArchiveError> {
        create_folder(folder)?;
        let lock = Lock::take(&folder.join(".rookery.lock")).map_err(|error| match error {
            ArchiveError::Locked { holder, .. } => ArchiveError::Locked { path: folder.to_owned(), holder },
            other => other,
        })?;
        let digits = n_matches.to_string().len().max(4);
        let (path, syncer) = (folder.to_owned(), Arc::new(Syncer::start()));
        Ok(Self { path, digits, stem: None, resume, syncer, _lock: lock })
    }

    /// The same with other names than `game-0001`, made from the number of the pairing: no two may be the same.
    #[must_use]
    pub fn with_names(self, stem: fn(u64) -> String) -> Self {
        Self { stem: Some(stem), ..self }
    }

    fn file(&self, key: &Key) -> PathBuf {
        let Self { digits, stem, .. } = self;
        let attempt = if key.attempt > 1 { format!("-again-{}", key.attempt - 1) } else { String::new() };
        let stem = stem.map_or_else(|| format!("game-{:0digits$}", key.pairing), |stem| stem(key.pairing));
        self.path.join(format!("{stem}{attempt}{SUFFIX}"))
    }
}

impl Archive for Folder {
    fn open(&self, key: &Key) -> Result<Slot, ArchiveError> {
        let path = self.file(key);
        let (file, is_new) = open_file(&path, self.resume)?;
        slot(file, is_new, path, &self.syncer)
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        Some(self.file(key))
    }

    fn keep_log(&self, key: &Key, seat: usize, log: &[u8]) -> Result<(), ArchiveError> {
        write_log(&log_path(&self.file(key), seat), log, self.resume)
    }
}

/// One file for one match.
#[derive(Debug)]
pub struct OneFile {
    path: PathBuf,
    resume: bool,
    syncer: Arc<Syncer>,
}

impl OneFile {
    /// A file that must not exist, or, with `resume`, the one to go on with.
    pub fn new(path: &Path, resume: bool) -> Self {
        Self { path: path.to_owned(), resume, syncer: Arc::new(Syncer::start()) }
    }
}

impl Archive for OneFile {
    fn open(&self, _: &Key) -> Result<Slot, ArchiveError> {
        let (file, is_new) = open_file(&self.path, self.resume)?;
        match file.try_lock() {
            Ok(()) => slot(file, is_new, self.path.clone(), &self.syncer),
            Err(TryLockError::WouldBlock) => {
                let holder = "another program".to_owned();
                Err(ArchiveError::Locked { path: self.path.clone(), holder })
            }
            Err(TryLockError::Error(error)) => {
                Err(ArchiveError::Record(self.path.clone(), Problem::Io(error)))
            }
        }
    }

    fn path(&self, _: &Key) -> Option<PathBuf> {
        Some(self.path.clone())
    }

    fn keep_log(&self, _: &Key, seat: usize, log: &[u8]) -> Result<(), ArchiveError> {
        write_log(&log_path(&self.path, seat), log, self.resume)
    }
}

/// Opens a record, new or not; never through a link, and nothing but a file. Whether it is new.
fn open_file(path: &Path, resume: bool) -> Result<(File, bool), ArchiveError> {
    let problem = |problem| ArchiveError::Record(path.to_owned(), problem);
    match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        Ok(file) => return Ok((file, true)),
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(problem(Problem::Io(error)));
        }
        Err(_) if !resume => return Err(ArchiveError::Exists(path.to_owned())),
        Err(_) => {}
    }
    let what = path.symlink_metadata().map_err(|error| problem(Problem::Io(error)))?;
    if !what.is_file() {
        let kind = if what.is_symlink() { "a link" } else { "no file" };
        return Err(problem(Problem::wrong(format!(
            "it is {kind}; a record is a plain file, and no link is followed"
        ))));
    }
    // Between the look and the opening a link could take its place.
    let file = following_no_link().open(path).map_err(|error| problem(Problem::Io(error)))?;
    Ok((file, false))
}

/// Opens a file to read and write, but not what a link leads to, and without waiting for anybody.
fn following_no_link() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed(),
    );
    options
}

fn slot(mut file: File, is_new: bool, path: PathBuf, syncer: &Arc<Syncer>) -> Result<Slot, ArchiveError> {
    let problem = |problem| ArchiveError::Record(path.clone(), problem);
    if is_new {
        return Ok(Slot::New(Sink(Kept::File { file, path, syncer: Arc::clone(syncer) })));
    }
    let Mended { lines, finished, cut } = mend(&mut file, &path).map_err(problem)?;
    if finished {
        return Ok(Slot::Finished(lines));
    }
    seek_end(&mut file).map_err(|error| problem(Problem::Io(error)))?;
    let sink = Sink(Kept::File { file, path, syncer: Arc::clone(syncer) });
    Ok(Slot::Unfinished { lines, sink, cut })
}

/// Keeps a second program out, and says who it is that holds it.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Locked as long as it is open.
    _file: File,
}

impl Lock {
    /// Takes the lock that is this file, which is there as long as the lock is held.
    pub fn take(path: &Path) -> Result<Self, ArchiveError> {
        let path = path.to_owned();
        let problem = |error| ArchiveError::Record(path.clone(), Problem::Io(error));
        loop {
            let mut file = following_no_link().create(true).truncate(false).open(&path).map_err(problem)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // Whatever can be read of it is better than nothing.
                    let _ = file.take(200).read_to_string(&mut holder);
                    let holder: String = holder.chars().filter(|c| !c.is_control()).collect();
                    let holder = if holder.is_empty() { "another program".to_owned() } else { holder };
                    return Err(ArchiveError::Locked { path, holder });
                }
                Err(TryLockError::Error(error)) => return Err(problem(error)),
            }
            // Whoever held it may have taken the file away since we opened it; then the lock is worth nothing.
            if !is_same(&file, &path) {
                continue;
            }
            let who = format!("process {}\n", std::process::id());
            let written =
                file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(who.as_bytes()));
            written.map_err(problem)?;
            return Ok(Self { path, _file: file });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Still locked: whoever waits for it finds another file, and looks again.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(ours), Ok(theirs)) => (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// A path like this one that no file has: itself, or with the next free number. Where only the log of a program is left of a
/// match, another one would seem to own it, so that name is not free either.
pub fn free_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, suffix) = match name.strip_suffix(SUFFIX) {
        Some(stem) => (stem, SUFFIX),
        None => (name.as_str(), ""),
    };
    // `a-2` goes on with `a-3`, not `a-2-2`.
    let numbered = stem.rsplit_once('-').filter(|(_, n)| n.parse::<u32>().is_ok_and(|n| n > 1));
    let base = numbered.map_or(stem, |(base, _)| base);
    let named = |n: u32| path.with_file_name(format!("{base}-{n}{suffix}"));
    let candidates = std::iter::once(path.to_owned()).chain((2..).map(named));
    let has_log = |path: &Path| (0..MAX_SEATS).any(|seat| log_path(path, seat).exists());
    candidates
        .into_iter()
        .find(|path| !path.exists() && !has_log(path))
        .expect("there is always a higher number")
}
