//! Folders for the files of a test, which leave nothing behind.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A new, empty folder, removed with everything in it when it is dropped, also when the test fails.
///
/// ```
/// use rookery_testkit::TempFolder;
///
/// let folder = TempFolder::new("example");
/// std::fs::write(folder.join("file"), "text")?;
/// let path = folder.to_path_buf();
/// drop(folder);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TempFolder(PathBuf);

impl TempFolder {
    /// The name helps whoever finds it while the test runs; it need not be unique.
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("rookery-{name}-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Self(path),
                // Somebody with our process id was killed before the folder could be removed.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => panic!("a folder for a test cannot be made at {}: {error}", path.display()),
            }
        }
    }
}

impl TempFolder {
    /// The names of everything beside such folders, whoever has made it.
    pub fn others() -> Vec<String> {
        let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// The names of all files in it, sorted.
    ///
    /// # Panics
    /// If the folder cannot be read.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.expect("it can be read").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort_unstable();
        names
    }
}

impl Deref for TempFolder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for TempFolder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
