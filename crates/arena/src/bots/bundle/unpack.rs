//! From an archive of somebody to a bot's folder: within bounds, and nowhere else.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use flate2::bufread::GzDecoder;
use tar::{Archive, Entry, EntryType};

use super::super::contents::is_left_out;
use super::super::folder::look;
use super::super::found::{FoundBot, Wrong, shown};
use super::super::manifest::{FILE, Manifest};
use super::BundleError;

/// How large an archive may be, and what may be in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BundleLimits {
    /// Bytes of the archive.
    pub packed: u64,
    /// Bytes of all files.
    pub unpacked: u64,
    /// How many times its own size an archive may grow; small ones may grow to `SMALL` all the same.
    pub ratio: u64,
    /// Files.
    pub files: usize,
    /// Entries of any kind.
    pub entries: usize,
    /// Folders inside each other.
    pub depth: usize,
}

/// What any archive may grow to.
const SMALL: u64 = 1 << 20;
/// What an archive needs beside its files, for each entry: its head, the rest of its last block, and a long name.
const BESIDE: u64 = 4 << 10;
/// The longest path.
const MAX_PATH: usize = 512;

impl Default for BundleLimits {
    fn default() -> Self {
        Self { packed: 16 << 20, unpacked: 64 << 20, ratio: 100, files: 2000, entries: 4000, depth: 16 }
    }
}

impl fmt::Display for BundleLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { packed, unpacked, ratio, files, depth, .. } = self;
        write!(
            f,
            "at most {} MiB packed and {} MiB unpacked, {ratio} times the packed size, {files} files, folders {depth} deep",
            packed >> 20,
            unpacked >> 20
        )
    }
}

/// Counts what comes out of an archive, and stops where it is too much.
struct Bounded<R> {
    inner: R,
    left: u64,
}

/// The word by which we know our own refusal among the errors of a reader.
const TOO_MUCH: &str = "more comes out of it than is taken";

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| io::Error::other(TOO_MUCH))?;
        Ok(n)
    }
}

/// Unpacks an archive into a new folder. What is refused may leave a part of it there: whoever called removes the folder.
pub(super) fn unpack(bytes: &[u8], limits: &BundleLimits, into: &Path) -> Result<(), BundleError> {
    if bytes.len() as u64 > limits.packed {
        return Err(BundleError::archive(format!("it has {} bytes", bytes.len()), limits.to_string()));
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(BundleError::archive(
            "it is not packed by gzip",
            "a tar.gz, such as `rookery bot pack` writes",
        ));
    }
    let here = |error: io::Error| BundleError::Cache(into.to_owned(), error);
    fs::create_dir(into).map_err(here)?;
    let most = limits.unpacked.min(SMALL.max(limits.ratio.saturating_mul(bytes.len() as u64)));
    let left = most + BESIDE * limits.entries as u64;
    let mut archive = Archive::new(Bounded { inner: GzDecoder::new(bytes), left });
    let mut unpacking = Unpacking { limits, into, left: most, n_files: 0, n_entries: 0 };
    for entry in archive.entries().map_err(|error| damaged(limits, &error))? {
        unpacking.take(&mut entry.map_err(|error| damaged(limits, &error))?)?;
    }
    // To the very end, where gzip has its checksum.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink()).map_err(|error| damaged(limits, &error))?;
    if !rest.inner.into_inner().is_empty() {
        return Err(BundleError::archive("something follows behind its end", "one tar.gz and nothing else"));
    }
    without_outer(into).map_err(here)
}

/// What a reader says of an archive.
fn damaged(limits: &BundleLimits, error: &io::Error) -> BundleError {
    let said = error.to_string();
    if said.contains(TOO_MUCH) {
        return BundleError::archive(TOO_MUCH, limits.to_string());
    }
    BundleError::archive(
        format!("it cannot be read: {}", shown(&said)),
        "a whole tar.gz; pack and send it again",
    )
}

/// How far an archive is unpacked.
struct Unpacking<'a> {
    limits: &'a BundleLimits,
    into: &'a Path,
    left: u64,
    n_files: usize,
    n_entries: usize,
}

impl Unpacking<'_> {
    fn take(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), BundleError> {
        self.n_entries += 1;
        if self.n_entries > self.limits.entries {
            return Err(BundleError::archive("it has too many entries", self.limits.to_string()));
        }
        let kind = entry.header().entry_type();
        // What git writes at the beginning.
        if kind == EntryType::XGlobalHeader {
            return Ok(());
        }
        let name = entry.path_bytes().into_owned();
        let Some(path) = self.checked(&name)? else { return Ok(()) };
        let named = shown(&String::from_utf8_lossy(&name));
        let target = self.into.join(&path);
        let clash = |error: io::Error| {
            let expected = "every path once, and no file where a folder is";
            match error.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                    BundleError::archive(format!("{named} is there twice"), expected)
                }
                _ => BundleError::Cache(target.clone(), error),
            }
        };
        match kind {
            EntryType::Directory => fs::create_dir_all(&target).map_err(clash),
            EntryType::Regular => {
                fs::create_dir_all(target.parent().unwrap_or(self.into)).map_err(clash)?;
                let file = File::create_new(&target).map_err(clash)?;
                self.fill(entry, file, &target)
            }
            kind => {
                let what = match kind {
                    EntryType::Symlink | EntryType::Link => "a link",
                    EntryType::Block | EntryType::Char | EntryType::Fifo => "a device or a pipe",
                    _ => "neither a file nor a folder",
                };
                Err(BundleError::archive(format!("{named} is {what}"), "files and folders alone"))
            }
        }
    }

    /// The path of an entry below the bot's folder; `None` for what does not belong to a bot.
    fn checked(&self, name: &[u8]) -> Result<Option<PathBuf>, BundleError> {
        let text = String::from_utf8_lossy(name);
        let wrong = |problem: &str, expected: &str| {
            Err(BundleError::archive(format!("the path {:?} {problem}", shown(&text)), expected))
        };
        let Ok(exact) = std::str::from_utf8(name) else { return wrong("is no UTF-8", "paths in UTF-8") };
        if exact.len() > MAX_PATH || exact.contains(|c: char| c.is_control() || c == '\\') {
            return wrong("is too long or cannot be shown", "paths of at most 512 bytes that can be shown");
        }
        let (mut path, mut is_out) = (PathBuf::new(), false);
        for part in Path::new(exact).components() {
            match part {
                Component::CurDir => {}
                Component::Normal(part) => {
                    is_out |= is_left_out(part);
                    path.push(part);
                }
                Component::RootDir | Component::ParentDir | Component::Prefix(_) => {
                    return wrong("leads out of the archive", "paths from the bot's folder on, without `..`");
                }
            }
        }
        if path.components().count() > self.limits.depth + 1 {
            return wrong("is too deep", &self.limits.to_string());
        }
        Ok(Some(path).filter(|path| !is_out && !path.as_os_str().is_empty()))
    }

    fn fill(
        &mut self,
        entry: &mut Entry<'_, impl Read>,
        mut file: File,
        target: &Path,
    ) -> Result<(), BundleError> {
        self.n_files += 1;
        if self.n_files > self.limits.files || entry.size() > self.left {
            return Err(BundleError::archive("it has too much in it", self.limits.to_string()));
        }
        self.left -= entry.size();
        let is_program = entry.header().mode().unwrap_or_default() & 0o111 != 0;
        let mut buffer = [0; 16 << 10];
        loop {
            match entry.read(&mut buffer).map_err(|error| damaged(self.limits, &error))? {
                0 => break,
                n => file
                    .write_all(&buffer[..n])
                    .map_err(|error| BundleError::Cache(target.to_owned(), error))?,
            }
        }
        // Whoever runs it may be another user; no other bit of the archive's is kept.
        let mode = Permissions::from_mode(if is_program { 0o755 } else { 0o644 });
        file.set_permissions(mode).map_err(|error| BundleError::Cache(target.to_owned(), error))
    }
}

/// Many pack the folder and not what is in it: then what is in it moves up.
fn without_outer(into: &Path) -> io::Result<()> {
    if into.join(FILE).exists() {
        return Ok(());
    }
    let mut names = fs::read_dir(into)?.collect::<Result<Vec<_>, _>>()?;
    let (Some(only), true) = (names.pop(), names.is_empty()) else { return Ok(()) };
    if !only.path().join(FILE).is_file() {
        return Ok(());
    }
    let aside = into.with_extension("outer");
    fs::rename(only.path(), &aside)?;
    fs::remove_dir(into)?;
    fs::rename(&aside, into)
}

/// The bot of an unpacked archive, whose name is nobody's but its own to say.
pub(super) fn named_bot(home: &Path) -> Result<FoundBot, Wrong> {
    let manifest = Manifest::read(home)?;
    if manifest.and_then(|manifest| manifest.name).is_none() {
        return Err((
            format!("there is no `name` in its {FILE}, or no {FILE}"),
            format!("a {FILE} with a line such as name = \"ann\": a bundle has no folder to be called after"),
        ));
    }
    look(home, "")
}
