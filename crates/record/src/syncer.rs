//! Finished records, brought to the disk.
//!
//! What is written stays in the memory of the system for up to half a minute, and a power cut loses it. Asking for
//! the disk after every game would make quick games wait for it; so it is done for many at a time, beside the games.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

use crate::files::what_is;

/// How long a finished record waits for others at most.
const EVERY: Duration = Duration::from_secs(1);
/// The most records that wait together. As many more may stand in the queue, all of them open files.
const BATCH: usize = 64;
/// The most that are brought to the disk at the same time: disks and file systems join what they are asked for at once.
const AT_ONCE: usize = 8;

/// A file or a folder that could not be brought to the disk.
#[derive(Debug)]
pub struct SyncError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: cannot be brought to the disk: {}", self.path.display(), self.error)
    }
}

// What the system said stands in the sentence, so it is no source: it would be told twice.
impl std::error::Error for SyncError {}

/// A folder that could not be made.
#[derive(Debug)]
pub enum FolderError {
    /// Something else stands there, or where a folder above it should be: where, and what it is.
    NoFolder(PathBuf, &'static str),
    /// The system refuses.
    Refused(PathBuf, io::Error),
    /// It is made and could not be brought to the disk.
    Sync(SyncError),
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFolder(path, what) => {
                let path = path.display();
                write!(f, "{path} is {what} and no folder; name a folder, which is made if it is not there")
            }
            Self::Refused(path, error) => write!(f, "the folder {} cannot be made: {error}", path.display()),
            Self::Sync(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FolderError {}

/// Brings the finished records of a folder to the disk, in a thread of its own: about once a second, at once if many
/// wait, and all of them at the end.
#[derive(Debug)]
pub struct Syncer {
    files: SyncSender<(PathBuf, File)>,
    thread: JoinHandle<Result<(), SyncError>>,
}

impl Syncer {
    /// For the records of this folder.
    pub fn new(folder: &Path) -> Self {
        let (files, finished) = sync_channel(BATCH);
        let folder = folder.to_owned();
        let thread = thread::spawn(move || {
            while let Some(batch) = gather(&finished, EVERY) {
                sync_all(&batch, &folder)?;
            }
            Ok(())
        });
        Self { files, thread }
    }

    /// Takes a record to which nothing more is written; waits if games end faster than the disk can follow. Whether
    /// it makes sense to go on: otherwise [`finish`](Syncer::finish) tells what has gone wrong.
    #[must_use]
    pub fn add(&self, path: PathBuf, file: File) -> bool {
        self.files.send((path, file)).is_ok()
    }

    /// Waits until everything is on the disk.
    pub fn finish(self) -> Result<(), SyncError> {
        drop(self.files);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// The records that are brought to the disk together; `None` if there will be no more.
fn gather<T>(finished: &Receiver<T>, every: Duration) -> Option<Vec<T>> {
    let mut batch = vec![finished.recv().ok()?];
    let end = Instant::now() + every;
    while batch.len() < BATCH {
        match finished.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(file) => batch.push(file),
            // It is time, or it was the last: then the next call says so.
            Err(_) => break,
        }
    }
    Some(batch)
}

fn sync_all(batch: &[(PathBuf, File)], folder: &Path) -> Result<(), SyncError> {
    let sync = |part: &[(PathBuf, File)]| {
        part.iter().try_for_each(|(path, file)| {
            file.sync_data().map_err(|error| SyncError { path: path.clone(), error })
        })
    };
    thread::scope(|scope| {
        let parts = batch.chunks(batch.len().div_ceil(AT_ONCE).max(1));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || sync(part))).collect();
        let results = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        // All are waited for, also after the first that failed.
        results.fold(Ok(()), Result::and)
    })?;
    // The names of new files.
    sync_folder(folder)
}

/// Makes a folder and those above it, and brings their names to the disk.
pub fn create_folder(path: &Path) -> Result<(), FolderError> {
    let found = path.ancestors().find_map(|above| Some((above, what_is(above)?)));
    if let Some((above, what)) = found
        && !above.is_dir()
    {
        return Err(FolderError::NoFolder(above.to_owned(), what));
    }
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    fs::create_dir_all(path).map_err(|error| FolderError::Refused(path.to_owned(), error))?;
    for folder in missing.into_iter().filter_map(Path::parent) {
        // The path of a folder beside us has an empty parent.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        sync_folder(folder).map_err(FolderError::Sync)?;
    }
    Ok(())
}

/// Where folders cannot be opened the file system itself takes care of names.
#[cfg_attr(not(unix), allow(clippy::unnecessary_wraps, unused_variables, reason = "other systems do more"))]
fn sync_folder(path: &Path) -> Result<(), SyncError> {
    #[cfg(unix)]
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| SyncError { path: path.to_owned(), error })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rookery_testkit::TempFolder;

    use super::*;

    #[test]
    fn records_wait_for_each_other_but_not_for_ever() {
        let (sender, finished) = sync_channel(2 * BATCH);
        let long = Duration::from_secs(20);
        for n in 0..=BATCH {
            sender.send(n).unwrap();
        }
        let begin = Instant::now();
        assert_eq!(gather(&finished, long).unwrap().len(), BATCH, "many do not wait");
        assert_eq!(gather(&finished, Duration::from_millis(20)).unwrap(), [BATCH], "one waits a while");
        for n in 0..3 {
            sender.send(n).unwrap();
        }
        drop(sender);
        assert_eq!(gather(&finished, long).unwrap(), [0, 1, 2], "the last do not wait");
        assert_eq!(gather(&finished, long), None);
        assert!(begin.elapsed() < long);
    }

    #[test]
    fn folders_are_made_with_those_above_them() {
        let top = TempFolder::new("syncer");
        create_folder(&top.join("a/b")).unwrap();
        create_folder(&top.join("a/b")).unwrap();
        fs::write(top.join("file"), "").unwrap();
        for path in ["file", "file/c", "file/c/d"] {
            let error = create_folder(&top.join(path)).unwrap_err().to_string();
            let expected = format!("{} is a file and no folder; name a folder,", top.join("file").display());
            assert!(error.starts_with(&expected), "{error}");
        }
        #[cfg(target_os = "linux")]
        {
            let error = create_folder(Path::new("/proc/rookery")).unwrap_err().to_string();
            assert!(error.starts_with("the folder /proc/rookery cannot be made: "), "{error}");
        }
    }

    /// Devices and the folders of `/proc` are not on a disk, and say so.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_brought_to_the_disk_is_told() {
        let folder = TempFolder::new("syncer");
        let path = folder.join("file");
        let good = || File::create(&path).unwrap();
        let bad = || File::options().write(true).open("/dev/null").unwrap();
        let syncer = Syncer::new(&folder);
        assert!(syncer.add("good".into(), good()));
        syncer.finish().unwrap();

        let syncer = Syncer::new(&folder);
        // The first fails, and is still told when the others are good.
        assert!(syncer.add("bad".into(), bad()));
        for _ in 1..BATCH {
            assert!(syncer.add("good".into(), good()));
        }
        assert_eq!(syncer.finish().unwrap_err().path, Path::new("bad"));

        let syncer = Syncer::new(Path::new("/proc/self"));
        assert!(syncer.add("good".into(), good()));
        assert_eq!(syncer.finish().unwrap_err().path, Path::new("/proc/self"), "the name of a new file");

        let syncer = Syncer::new(&folder);
        assert!((0..10 * BATCH).any(|_| !syncer.add("bad".into(), bad())), "it is no use to go on");
    }
}
