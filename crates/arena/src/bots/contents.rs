//! What is in a bot's folder: listed within bounds, and hashed.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::found::{Wrong, shown_path};

/// The most files and links of a bot.
const MAX_FILES: usize = 10_000;
/// The most folders.
const MAX_FOLDERS: usize = 2_000;
/// The most bytes of all files together.
const MAX_BYTES: u64 = 256 << 20;
/// The most folders inside each other.
const MAX_DEPTH: usize = 32;

/// What Python leaves wherever it has been, beside the hidden files that are left out too.
const LEAVINGS: &str = "__pycache__";

/// Everything that belongs to a bot: the files and links of its folder, but for hidden ones and what Python leaves.
#[derive(Debug)]
pub(super) struct Contents {
    /// Paths from the folder on, in the order of their bytes.
    pub(super) items: Vec<Item>,
    pub(super) bytes: u64,
}

#[derive(Debug)]
pub(super) struct Item {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    /// A file that may be executed.
    Program,
    /// Never followed: where it leads.
    Link(PathBuf),
}

impl Contents {
    /// Looks through a folder.
    pub(super) fn list(folder: &Path) -> Result<Self, Wrong> {
        let mut contents = Self { items: vec![], bytes: 0 };
        let (mut n_folders, mut open) = (0, vec![(PathBuf::new(), 0)]);
        while let Some((below, depth)) = open.pop() {
            n_folders += 1;
            if n_folders > MAX_FOLDERS || depth > MAX_DEPTH {
                return Err(too_much());
            }
            let unreadable = |error: io::Error| cannot_read(&folder.join(&below), &error);
            for entry in fs::read_dir(folder.join(&below)).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let name = entry.file_name();
                if is_left_out(&name) {
                    continue;
                }
                let path = below.join(&name);
                if entry.file_type().map_err(unreadable)?.is_dir() {
                    open.push((path, depth + 1));
                } else {
                    contents.add(folder, path)?;
                }
            }
        }
        contents
            .items
            .sort_unstable_by(|a, b| a.path.as_os_str().as_bytes().cmp(b.path.as_os_str().as_bytes()));
        Ok(contents)
    }

    fn add(&mut self, folder: &Path, path: PathBuf) -> Result<(), Wrong> {
        let full = folder.join(&path);
        let unreadable = |error: io::Error| cannot_read(&path, &error);
        let found = full.symlink_metadata().map_err(unreadable)?;
        let kind = if found.is_symlink() {
            Kind::Link(full.read_link().map_err(unreadable)?)
        } else if !found.is_file() {
            return Err((
                format!("{} is neither a file nor a folder", shown_path(&path)),
                "nothing else in its folder".to_owned(),
            ));
        } else if is_program(&found) {
            Kind::Program
        } else {
            Kind::File
        };
        self.bytes = self.bytes.saturating_add(if found.is_file() { found.len() } else { 0 });
        self.items.push(Item { path, kind });
        if self.items.len() > MAX_FILES || self.bytes > MAX_BYTES { Err(too_much()) } else { Ok(()) }
    }

    /// Copies all of it into a new folder. Everybody may read it there: whoever runs it may be another user.
    pub(super) fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::create_dir(to)?;
        for Item { path, kind } in &self.items {
            let target = to.join(path);
            if let Some(above) = target.parent() {
                fs::create_dir_all(above)?;
            }
            let mode = match kind {
                Kind::Link(leads) => {
                    symlink(leads, &target)?;
                    continue;
                }
                Kind::File => 0o644,
                Kind::Program => 0o755,
            };
            fs::copy(from.join(path), &target)?;
            fs::set_permissions(&target, Permissions::from_mode(mode))?;
        }
        Ok(())
    }

    /// SHA-256 over all of it. For each file or link, in order: one byte for its kind (`f`, `x` if it may be executed, `l`),
    /// the length of its path as 8 bytes, the lowest first, the path, and the SHA-256 of its contents or of where it leads.
    pub(super) fn hash(&self, folder: &Path) -> Result<String, Wrong> {
        let mut all = Sha256::new();
        let mut left = MAX_BYTES;
        for Item { path, kind } in &self.items {
            let (mark, digest) = match kind {
                Kind::Link(target) => (b'l', Sha256::digest(target.as_os_str().as_bytes())),
                Kind::File | Kind::Program => {
                    let (digest, n_bytes) =
                        hash_file(&folder.join(path), left).map_err(|error| cannot_read(path, &error))?;
                    // It may have grown since it was listed.
                    left = left.checked_sub(n_bytes).ok_or_else(too_much)?;
                    (if *kind == Kind::Program { b'x' } else { b'f' }, digest)
                }
            };
            let path = path.as_os_str().as_bytes();
            all.update([mark]);
            all.update((path.len() as u64).to_le_bytes());
            all.update(path);
            all.update(digest);
        }
        Ok(hex(&all.finalize()))
    }
}

/// The hash of a file, and its bytes: at most one more than there is room for.
fn hash_file(path: &Path, most: u64) -> io::Result<(sha2::digest::Output<Sha256>, u64)> {
    let mut file = File::open(path)?.take(most + 1);
    let (mut hash, mut buffer, mut n_bytes) = (Sha256::new(), [0; 16 << 10], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((hash.finalize(), n_bytes)),
            n => {
                hash.update(&buffer[..n]);
                n_bytes += n as u64;
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}

/// Whether a file or folder of this name does not belong to a bot.
pub(super) fn is_left_out(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".") || name == LEAVINGS
}

/// Whether somebody may execute it.
pub(super) fn is_program(found: &fs::Metadata) -> bool {
    found.is_file() && found.permissions().mode() & 0o111 != 0
}

fn cannot_read(path: &Path, error: &io::Error) -> Wrong {
    (
        format!("{} cannot be read: {error}", shown_path(path)),
        "files that whoever runs this may read".to_owned(),
    )
}

fn too_much() -> Wrong {
    (
        "its folder has too much in it".to_owned(),
        format!(
            "at most {MAX_FILES} files, {MAX_FOLDERS} folders, {MAX_DEPTH} of them inside each other, and {} MiB",
            MAX_BYTES >> 20
        ),
    )
}
