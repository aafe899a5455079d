//! Bots as archives: what is taken, what is not, and that what is used is what was pushed.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use rookery_arena::bots::{BundleCache, BundleError, BundleLimits, pack};
use rookery_store::{BundleState, EntrantId, Hash, StoredBundle};
use rookery_testkit::TempFolder;
use tar::{Builder, EntryType, Header};

const TOML: &str = "name = \"ann\"\nrun = \"sh bot.sh\"\n";

/// An entry as it stands in an archive, whatever a packer would say to it.
fn entry(path: &str, kind: EntryType, bytes: &[u8]) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(bytes.len() as u64);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    if matches!(kind, EntryType::Symlink | EntryType::Link) {
        header.set_link_name("/etc/passwd").unwrap();
    }
    header.set_cksum();
    let mut all = header.as_bytes().to_vec();
    all.extend_from_slice(bytes);
    all.resize(all.len().next_multiple_of(512), 0);
    all
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(vec![], Compression::default());
    packed.write_all(tar).unwrap();
    packed.finish().unwrap()
}

/// An archive of a bot with something more in it.
fn with(more: &[Vec<u8>]) -> Vec<u8> {
    let mut all = entry("bot.toml", EntryType::Regular, TOML.as_bytes());
    all.extend(entry("bot.sh", EntryType::Regular, b"exit\n"));
    all.extend(more.concat());
    all.extend([0; 1024]);
    gzip(&all)
}

fn cache(folder: &TempFolder) -> BundleCache {
    BundleCache::new(folder.join("cache"))
}

/// Why an archive is refused. Nothing of it is left.
fn refused(bytes: &[u8], limits: BundleLimits) -> String {
    let folder = TempFolder::new("bundle-refused");
    fs::write(folder.join("witness"), "as it was").unwrap();
    let error = cache(&folder).with_limits(limits).unpack(bytes).unwrap_err();
    assert!(error.is_of_the_bundle(), "{error}");
    assert_eq!(names(&folder.join("cache")), ["lock"], "nothing is left");
    assert_eq!(names(&folder), ["cache", "witness"], "nothing is anywhere else");
    assert_eq!(fs::read_to_string(folder.join("witness")).unwrap(), "as it was");
    error.to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The row of a bundle, as the store would have it.
fn row(bytes: &[u8], contents: &str) -> StoredBundle {
    StoredBundle {
        version: 1,
        entrant: EntrantId(1),
        name: "ann".to_owned(),
        owner: None,
        sha256: Hash::of(bytes),
        contents: contents.to_owned(),
        label: String::new(),
        bytes: bytes.len() as u64,
        state: BundleState::Ready,
        problem: String::new(),
        created_ms: 0,
    }
}

fn bot_folder(folder: &TempFolder, name: &str) -> PathBuf {
    let home = folder.join("bot");
    fs::create_dir_all(home.join("data")).unwrap();
    fs::write(home.join("bot.toml"), TOML.replace("ann", name)).unwrap();
    fs::write(home.join("bot.sh"), format!("echo {name}\n")).unwrap();
    fs::write(home.join("data/book"), "e4").unwrap();
    fs::write(home.join(".hidden"), "not of the bot").unwrap();
    fs::set_permissions(home.join("bot.sh"), fs::Permissions::from_mode(0o700)).unwrap();
    home
}

#[test]
fn fault_w18_paths_out_of_the_archive_are_refused() {
    let limits = BundleLimits::default();
    for path in ["../witness", "data/../../witness", "/tmp/witness", "..", "a/../b", "/"] {
        let said = refused(&with(&[entry(path, EntryType::Regular, b"changed")]), limits);
        assert!(said.contains("leads out of the archive"), "{path}: {said}");
    }
    for path in ["a\\..\\b", "a\nb", "\u{1b}[31m"] {
        let said = refused(&with(&[entry(path, EntryType::Regular, b"x")]), limits);
        assert!(said.contains("cannot be shown") && !said.contains('\u{1b}'), "{path:?}: {said}");
    }
}

#[test]
fn fault_w18_links_and_devices_are_refused() {
    let limits = BundleLimits::default();
    for kind in [EntryType::Symlink, EntryType::Link] {
        // Also one through which a later entry would go.
        let more = [entry("away", kind, b""), entry("away/witness", EntryType::Regular, b"x")];
        let said = refused(&with(&more), limits);
        assert!(said.contains("away is a link"), "{said}");
    }
    for kind in [EntryType::Block, EntryType::Char, EntryType::Fifo] {
        let said = refused(&with(&[entry("dev", kind, b"")]), limits);
        assert!(said.contains("dev is a device or a pipe"), "{said}");
    }
    for kind in [EntryType::GNUSparse, EntryType::new(b'Z')] {
        refused(&with(&[entry("odd", kind, b"")]), limits);
    }
    for twice in ["bot.sh", "bot.sh/below"] {
        let said = refused(&with(&[entry(twice, EntryType::Regular, b"other")]), limits);
        assert!(said.contains("is there twice"), "{said}");
    }
}

#[test]
fn fault_w18_archives_that_are_too_large_are_refused_before_they_fill_a_disk() {
    let limits =
        BundleLimits { unpacked: 4 << 20, files: 10, entries: 20, depth: 3, ..BundleLimits::default() };
    // A bomb: 3 MiB of zeros in some 3 KB, more than a hundred times as much.
    let bomb = with(&[entry("zeros", EntryType::Regular, &vec![0; 3 << 20])]);
    assert!(bomb.len() < 16 << 10, "{}", bomb.len());
    assert!(refused(&bomb, limits).contains("100 times the packed size"));
    // Many zeros that no file has: between the entries, and behind the last one.
    let mut behind = entry("bot.toml", EntryType::Regular, TOML.as_bytes());
    behind.resize(8 << 20, 0);
    assert!(refused(&gzip(&behind), limits).contains("more comes out of it than is taken"));
    // A head that promises more than follows, and one that has a long name of a mebibyte.
    let mut short = entry("promise", EntryType::Regular, &[1; 512]);
    short.truncate(512);
    let mut header = Header::new_ustar();
    header.as_mut_bytes().copy_from_slice(&short);
    header.set_size(u64::MAX >> 3);
    header.set_cksum();
    refused(&with(&[header.as_bytes().to_vec()]), limits);
    refused(
        &with(&[
            entry("x", EntryType::GNULongName, &vec![b'a'; 1 << 20]),
            entry("y", EntryType::Regular, b""),
        ]),
        limits,
    );
    let many: Vec<Vec<u8>> = (0..11).map(|n| entry(&format!("f{n}"), EntryType::Regular, b"")).collect();
    assert!(refused(&with(&many), limits).contains("too much in it"));
    let folders: Vec<Vec<u8>> =
        (0..21).map(|n| entry(&format!("d{n}/"), EntryType::Directory, b"")).collect();
    assert!(refused(&with(&folders), limits).contains("too many entries"));
    assert!(refused(&with(&[entry("a/b/c/d/e", EntryType::Regular, b"")]), limits).contains("too deep"));
    let packed = BundleLimits { packed: 100, ..limits };
    assert!(refused(&with(&[]), packed).contains("bytes; expected at most"));
}

#[test]
fn fault_w18_damaged_archives_are_refused_or_what_they_say_they_are() {
    let limits = BundleLimits::default();
    let good = with(&[entry("data/book", EntryType::Regular, b"moves")]);
    let folder = TempFolder::new("bundle-damaged");
    let cache = cache(&folder).with_limits(limits);
    let (bot, _) = cache.unpack(&good).unwrap();
    assert_eq!((bot.name.as_str(), bot.run.as_str()), ("ann", "sh bot.sh"));
    for cut in 0..good.len() {
        cache.unpack(&good[..cut]).unwrap_err();
    }
    for at in 0..good.len() {
        let mut other = good.clone();
        other[at] ^= 1 << (at % 8);
        // A bit in the head of gzip changes nothing; any other is found by the checksum.
        if let Ok((same, _)) = cache.unpack(&other) {
            assert_eq!(same.hash, bot.hash, "byte {at}");
        }
    }
    for bytes in
        [&b""[..], b"\x1f\x8b", b"PK\x03\x04", b"name = \"ann\"", &[good.clone(), b"more".to_vec()].concat()]
    {
        refused(bytes, limits);
    }
    assert!(refused(&gzip(&[0; 1024]), limits).contains("bot.toml"), "an empty archive is no bot");
    let nameless = gzip(&entry("bot.toml", EntryType::Regular, b"run = \"sh bot.sh\"\n"));
    assert!(refused(&nameless, limits).contains("`name`"));
}

#[test]
fn a_packed_folder_is_the_same_bot_again() {
    let folder = TempFolder::new("bundle-pack");
    let home = bot_folder(&folder, "ann");
    let bytes = pack(&home).unwrap();
    assert_eq!(pack(&home).unwrap(), bytes, "the same files are the same bytes");
    let (bot, _) = cache(&folder).unpack(&bytes).unwrap();
    assert_eq!((bot.name.as_str(), names(&bot.home).join(" ")), ("ann", "bot.sh bot.toml data".to_owned()));
    let mode = |file: &str| bot.home.join(file).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("bot.sh"), mode("data/book")), (0o755, 0o644), "whoever runs it can read it");
    // A folder that was packed whole is the same, and so is one that another program has packed.
    let mut outer = Builder::new(GzEncoder::new(vec![], Compression::fast()));
    outer.append_dir_all("ann-1.2", &home).unwrap();
    let (again, _) = cache(&folder).unpack(&outer.into_inner().unwrap().finish().unwrap()).unwrap();
    assert_eq!(again.hash, bot.hash);
    symlink("/etc/passwd", home.join("link")).unwrap();
    let error = pack(&home).unwrap_err().to_string();
    assert!(error.contains("link is a link"), "{error}");
    fs::remove_file(home.join("link")).unwrap();
    fs::write(home.join("bot.toml"), "run = \"sh bot.sh\"\n").unwrap();
    let error = pack(&home).unwrap_err().to_string();
    assert!(error.contains("name = \"ann\""), "{error}");
}

#[test]
fn fault_w18_what_is_used_is_what_was_pushed() {
    let folder = TempFolder::new("bundle-verify");
    let bytes = pack(&bot_folder(&folder, "ann")).unwrap();
    let cache = cache(&folder);
    let contents = cache.unpack(&bytes).unwrap().0.hash;
    let row = row(&bytes, &contents);
    let mut n_fetched = 0;
    let mut get = |bytes: &[u8]| {
        cache.get(&row, &mut || {
            n_fetched += 1;
            Ok(bytes.to_vec())
        })
    };
    let (bot, in_use) = get(&bytes).unwrap();
    assert_eq!(bot.hash, contents);
    drop(in_use);
    // Somebody changes a file of the cache, adds one, or takes one away.
    let (script, added) = (bot.home.join("bot.sh"), bot.home.join("more"));
    let changes: [&dyn Fn(); 3] =
        [&|| fs::write(&script, "rm -rf /\n").unwrap(), &|| fs::write(&added, "x").unwrap(), &|| {
            fs::remove_file(&script).unwrap();
        }];
    for change in changes {
        change();
        let (again, _) = get(&bytes).unwrap();
        assert_eq!(fs::read_to_string(again.home.join("bot.sh")).unwrap(), "echo ann\n");
        assert!(!added.exists());
    }
    fs::remove_file(&script).unwrap();
    let error = get(b"another archive").unwrap_err();
    assert!(matches!(error, BundleError::Other(_)), "{error}");
    let other = StoredBundle { contents: "0".repeat(64), ..row.clone() };
    let error = cache.get(&other, &mut || Ok(bytes.clone())).unwrap_err();
    assert!(matches!(error, BundleError::Other(_)), "{error}");
    assert_eq!(n_fetched, 4, "what is whole is not fetched");
}

#[test]
fn the_cache_is_bounded_and_keeps_what_is_in_use() {
    let folder = TempFolder::new("bundle-bound");
    let home = bot_folder(&folder, "ann");
    let cache = cache(&folder).with_most(25_000);
    let mut kept = vec![];
    for number in 0..8 {
        fs::write(home.join("data/book"), vec![number; 10_000]).unwrap();
        let (bot, in_use) = cache.unpack(&pack(&home).unwrap()).unwrap();
        // The first is played all the time.
        if number == 0 {
            kept.push((bot.home.clone(), in_use));
        }
        assert!(bot.home.is_dir());
    }
    assert!(kept[0].0.is_dir(), "what is in use stays");
    let n_folders = || names(&folder.join("cache")).iter().filter(|name| name.len() == 64).count();
    assert_eq!(n_folders(), 2, "{:?}", names(&folder.join("cache")));
    kept.clear();
    for number in 8..10 {
        fs::write(home.join("data/book"), vec![number; 10_000]).unwrap();
        drop(cache.unpack(&pack(&home).unwrap()).unwrap());
    }
    assert_eq!(n_folders(), 2, "and goes when nobody uses it and others came");
}
