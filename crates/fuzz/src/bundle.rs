//! Archives of strangers.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rookery_arena::bots::{BundleCache, BundleLimits};

/// Reads bytes as the files of a bot's archive, before they are packed (nobody guesses the sums of a packed one), and as the
/// archive itself. Whatever comes of it stays inside the folder for it, within the limits, and is files and folders alone.
/// `room` is a folder for nothing else.
pub fn bundle(data: &[u8], room: &Path) {
    let mut packed = GzEncoder::new(vec![], Compression::fast());
    packed.write_all(data).expect("memory takes everything");
    let packed = packed.finish().expect("memory takes everything");
    for archive in [&packed[..], data] {
        let inner = room.join("cache");
        let limits =
            BundleLimits { unpacked: 64 << 10, files: 20, entries: 40, depth: 4, ..BundleLimits::default() };
        let unpacked = BundleCache::new(&inner).with_limits(limits).unpack(archive);
        let beside: Vec<PathBuf> = entries(room).filter(|path| *path != inner).collect();
        assert!(beside.is_empty(), "outside of its folder: {beside:?}");
        if let Ok((bot, _in_use)) = unpacked {
            let (n_files, n_bytes) = count(&bot.home);
            assert!(
                n_files <= limits.files && n_bytes <= limits.unpacked,
                "{n_files} files, {n_bytes} bytes"
            );
        }
        if inner.exists() {
            fs::remove_dir_all(&inner).expect("the folder is ours");
        }
    }
}

/// Files and their bytes, all the way down.
fn count(folder: &Path) -> (usize, u64) {
    entries(folder).fold((0, 0), |(n_files, n_bytes), path| {
        let data = path.symlink_metadata().expect("it is there");
        assert!(data.is_file() || data.is_dir(), "{} is neither a file nor a folder", path.display());
        let (files, bytes) = if data.is_dir() { count(&path) } else { (1, data.len()) };
        (n_files + files, n_bytes + bytes)
    })
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("the folder is ours").path())
}
