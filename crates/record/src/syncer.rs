//! Bringing records to the disk, so that a finished game survives a power cut.

use std::fs::{self, File};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle};
use std::{fmt, io};

use tokio::sync::oneshot;

use crate::files::what_is;

/// The most finished records that wait in the queue, and that are brought to the disk together: all of them open files.
const QUEUE: usize = 8;
const BATCH: usize = 24;
/// The most that are brought to the disk at the same time: disks and file systems join what they are asked for at once.
const AT_ONCE: usize = 8;

/// How many files a [`Syncer`] keeps open at most.
pub const SYNCER_FILES: usize = QUEUE + BATCH + 2;

/// A file or a folder that could not be brought to the disk.
#[derive(Clone, Debug)]
pub struct SyncError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: String,
}

impl SyncError {
    fn new(path: &Path, error: &io::Error) -> Self {
        Self { path: path.to_owned(), error: error.to_string() }
    }
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: cannot be brought to the disk: {}", self.path.display(), self.error)
    }
}

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

/// The promise that a record will be on the disk, or the reason why it is not.
pub struct Receipt(Promised);

enum Promised {
    Synced(oneshot::Receiver<Result<(), SyncError>>),
    Elsewhere(Pin<Box<dyn Future<Output = Result<(), SyncError>> + Send + Sync>>),
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt")
    }
}

impl Receipt {
    /// The promise of somebody else, such as a store.
    pub fn of(promise: impl Future<Output = Result<(), SyncError>> + Send + Sync + 'static) -> Self {
        Self(Promised::Elsewhere(Box::pin(promise)))
    }

    /// For what need not be kept.
    pub fn at_once() -> Self {
        Self::of(std::future::ready(Ok(())))
    }

    /// Waits for it in this thread.
    pub fn wait(self) -> Result<(), SyncError> {
        match self.0 {
            Promised::Synced(receiver) => receiver.blocking_recv().unwrap_or(Err(gone())),
            Promised::Elsewhere(mut promise) => {
                let waker = Waker::from(Arc::new(Unpark(thread::current())));
                loop {
                    match promise.as_mut().poll(&mut Context::from_waker(&waker)) {
                        Poll::Ready(result) => return result,
                        Poll::Pending => thread::park(),
                    }
                }
            }
        }
    }
}

/// Wakes a thread that waits.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Future for Receipt {
    type Output = Result<(), SyncError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Promised::Synced(receiver) => {
                Pin::new(receiver).poll(cx).map(|result| result.unwrap_or(Err(gone())))
            }
            Promised::Elsewhere(promise) => promise.as_mut().poll(cx),
        }
    }
}

fn gone() -> SyncError {
    SyncError { path: PathBuf::new(), error: "the thread that does it has ended".to_owned() }
}

struct Finished {
    path: PathBuf,
    file: File,
    promise: oneshot::Sender<Result<(), SyncError>>,
}

/// Brings finished records to the disk, in a thread of its own. What gathers during one sync is synced by the next.
#[derive(Debug)]
pub struct Syncer {
    files: Option<SyncSender<Finished>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    /// Starts the thread.
    pub fn start() -> Self {
        let (files, finished) = sync_channel(QUEUE);
        let thread = thread::spawn(move || {
            while let Some(batch) = gather(&finished) {
                sync_all(batch);
            }
        });
        Self { files: Some(files), thread: Some(thread) }
    }

    /// Takes a record to which nothing more is written; waits if games end faster than the disk can follow.
    pub fn add(&self, path: PathBuf, file: File) -> Receipt {
        let (promise, receipt) = oneshot::channel();
        if let Some(files) = &self.files {
            // Without a receiver the receipt says that the thread has ended.
            let _ = files.send(Finished { path, file, promise });
        }
        Receipt(Promised::Synced(receipt))
    }
}

impl Drop for Syncer {
    /// Everything that was handed in is on the disk then.
    fn drop(&mut self) {
        self.files = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The records that are brought to the disk together; `None` if there will be no more.
fn gather<T>(finished: &Receiver<T>) -> Option<Vec<T>> {
    let mut batch = vec![finished.recv().ok()?];
    while batch.len() < BATCH {
        let Ok(file) = finished.try_recv() else { break };
        batch.push(file);
    }
    Some(batch)
}

fn sync_all(batch: Vec<Finished>) {
    let size = batch.len().div_ceil(AT_ONCE).max(1);
    let mut results: Vec<Result<(), SyncError>> = vec![];
    thread::scope(|scope| {
        let sync = |finished: &Finished| {
            finished.file.sync_data().map_err(|error| SyncError::new(&finished.path, &error))
        };
        let parts: Vec<_> = batch
            .chunks(size)
            .map(|part| scope.spawn(move || part.iter().map(sync).collect::<Vec<_>>()))
            .collect();
        for part in parts {
            results.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    // The names of new files.
    let mut folders: Vec<&Path> = batch.iter().map(|finished| parent(&finished.path)).collect();
    folders.sort_unstable();
    folders.dedup();
    let named: Vec<(PathBuf, Result<(), SyncError>)> =
        folders.into_iter().map(|folder| (folder.to_owned(), sync_folder(folder))).collect();
    for (Finished { path, file, promise }, synced) in batch.into_iter().zip(results) {
        let folder = parent(&path);
        let of_folder = named.iter().find(|(path, _)| path == folder).map(|(_, result)| result.clone());
        // Whoever has the receipt may open the file again: its lock is gone by then.
        drop(file);
        // Whether somebody waits for it is no matter.
        let _ = promise.send(synced.and_then(|()| of_folder.unwrap_or(Ok(()))));
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        // The path of a file beside us has an empty parent.
        _ => Path::new("."),
    }
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
    missing.into_iter().try_for_each(|folder| sync_folder(parent(folder))).map_err(FolderError::Sync)
}

/// Where folders cannot be opened the file system itself takes care of names.
#[cfg_attr(not(unix), allow(clippy::unnecessary_wraps, unused_variables, reason = "other systems do more"))]
fn sync_folder(path: &Path) -> Result<(), SyncError> {
    #[cfg(unix)]
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|error| SyncError::new(path, &error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rookery_testkit::TempFolder;

    use super::*;

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
        let bad = || File::options().write(true).open("/dev/null").unwrap();
        let syncer = Syncer::start();
        syncer.add(path.clone(), File::create(&path).unwrap()).wait().unwrap();
        let receipts: Vec<Receipt> = (0..3 * BATCH).map(|_| syncer.add("bad".into(), bad())).collect();
        syncer.add(path.clone(), File::create(&path).unwrap()).wait().unwrap();
        for receipt in receipts {
            assert_eq!(receipt.wait().unwrap_err().path, Path::new("bad"), "each is told of its own");
        }
        let unnamed = syncer.add("/proc/self/game".into(), File::create(&path).unwrap()).wait();
        assert_eq!(unnamed.unwrap_err().path, Path::new("/proc/self"), "the name of a new file");
    }
}
