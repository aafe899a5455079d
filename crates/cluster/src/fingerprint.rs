//! A short hash over files, for the build script: two builds of the same sources have the same one, on any machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A hash over these files, and over the names and contents of all sources in these folders, as eight digits.
pub(crate) fn of(sources: &[PathBuf]) -> io::Result<String> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for source in sources {
        if source.is_dir() { add(source, &mut hash)? } else { hash.text(&fs::read(source)?) }
    }
    Ok(format!("{:08x}", (hash.0 >> 32) ^ (hash.0 & 0xffff_ffff)))
}

fn add(folder: &Path, hash: &mut Fnv) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    // What an editor leaves there is no source.
    let is_source =
        |path: &Path| path.is_dir() || path.extension().is_some_and(|extension| extension == "rs");
    entries
        .retain(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".") && is_source(&entry.path()));
    entries.sort_by_key(fs::DirEntry::file_name);
    hash.number(entries.len() as u64);
    for entry in entries {
        hash.bytes(entry.file_name().as_encoded_bytes());
        if entry.file_type()?.is_dir() {
            add(&entry.path(), hash)?;
        } else {
            hash.text(&fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// FNV-1a: nobody has to be kept from finding two builds of one hash.
struct Fnv(u64);

impl Fnv {
    /// The same whichever way lines end.
    fn text(&mut self, bytes: &[u8]) {
        self.bytes(&bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<_>>());
    }

    /// Bytes with their number before them, so that nothing moves from one file to the next unseen.
    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        for byte in bytes {
            self.byte(*byte);
        }
    }

    fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.byte(byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_testkit::TempFolder;

    use super::*;
    use crate::RULES;

    #[test]
    fn the_rules_of_a_build_are_its_version_and_what_its_sources_hash_to() {
        let (version, hash) = RULES.split_once('-').unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        assert!(hash.len() == 8 && u32::from_str_radix(hash, 16).is_ok(), "{hash}");
    }

    #[test]
    fn whatever_changes_in_any_file_changes_the_hash() {
        let hash = |files: &[(&str, &str)]| {
            let folder = TempFolder::new("fingerprint");
            fs::create_dir(folder.join("inner")).unwrap();
            for (name, text) in files {
                fs::write(folder.join(name), text).unwrap();
            }
            of(&[folder.to_path_buf()]).unwrap()
        };
        let usual = hash(&[("a.rs", "one"), ("inner/b.rs", "two")]);
        let again =
            hash(&[("inner/b.rs", "two\r"), (".a.rs.swp", "three"), ("a.rs.orig", "four"), ("a.rs", "one")]);
        assert_eq!(again, usual, "in whatever order they were written");
        for other in [
            &[("a.rs", "one."), ("inner/b.rs", "two")][..],
            &[("a.rs", "one"), ("inner/b.rs", "twO")],
            &[("a.rs", "onet"), ("inner/b.rs", "wo")],
            &[("c.rs", "one"), ("inner/b.rs", "two")],
            &[("a.rs", "one"), ("b.rs", "two")],
            &[("a.rs", "one")],
        ] {
            assert_ne!(hash(other), usual, "{other:?}");
        }
        assert!(of(&[PathBuf::from("no such folder")]).is_err());
    }
}
