//! Files that are written whole or not at all, and read within bounds.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use rookery_record::open_record;
use rookery_rules::text::clean;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What became of a file that was to be new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum New {
    /// It is there now.
    Written,
    /// It was there, with the same bytes.
    Known,
    /// Something else is there, and stays.
    Other,
}

/// Writes a file as a whole or not at all, and nothing over what exists.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<New> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() == bytes.len() as u64 && fs::read(path)? == bytes => {
            return Ok(New::Known);
        }
        Ok(_) => return Ok(New::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    fs::write(&unfinished, bytes)?;
    fs::rename(&unfinished, path)?;
    Ok(New::Written)
}

/// Writes a JSON file that does not exist yet, or is the same.
pub(crate) fn write_new_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    let name = clean(&path.display().to_string());
    match write_new(path, &text).with_context(|| format!("{name}: it cannot be written"))? {
        New::Other => bail!("{name}: something else is there; it stays as it is, name another place"),
        New::Written | New::Known => Ok(()),
    }
}

/// Reads a JSON file of at most so many bytes.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, max_bytes: u64) -> anyhow::Result<T> {
    let name = clean(&path.display().to_string());
    let mut text = vec![];
    let read = open_record(path).and_then(|file| file.take(max_bytes + 1).read_to_end(&mut text));
    read.with_context(|| format!("{name}: it cannot be read"))?;
    if text.len() as u64 > max_bytes {
        bail!("{name}: it has more than {max_bytes} bytes; expected fewer");
    }
    serde_json::from_slice(&text).map_err(|error| anyhow!("{name}: {}", clean(&error.to_string())))
}
