//! Processes killed in the middle of it, disks that forget or fail: what was told as stored is there.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rookery_store::{CheckOrder, GameFilter, NewGame, Options, Page, Reserve, Store};
use rookery_testkit::{TempFolder, tell_skipped};

use crate::child::{Running, command, role, tell};
use crate::common::{options, put_all, record};

/// Stores games without end, many at a time, and tells of each after its receipt.
fn store_games(file: &Path) -> ! {
    let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
    let base = u64::from(std::process::id()) << 32;
    let mut waiting = VecDeque::new();
    tell("open");
    for seed in base.. {
        waiting.push_back((seed, store.put_game(NewGame::free(record(seed)))));
        if waiting.len() > 16
            && let Some((seed, receipt)) = waiting.pop_front()
        {
            tell(&format!("{} {seed}", receipt.wait().unwrap().id));
        }
    }
    unreachable!("there are more seeds than time")
}

/// Everything that was told as stored, as `id seed`.
fn expect_stored(store: &Store, told: &[String]) {
    for line in told {
        let Some((id, seed)) = line.split_once(' ') else { continue };
        assert_eq!(store.record(id.parse().unwrap()).unwrap(), record(seed.parse().unwrap()), "{line}");
    }
}

fn expect_whole(store: &Store) -> u64 {
    let report = store.check(&CheckOrder::default()).unwrap();
    assert!(report.is_good() && report.complete, "{report}");
    report.games
}

/// A delay that is another one each time.
fn delay(round: u64, max: Duration) -> Duration {
    let part = rookery_store::Hash::of(&round.to_be_bytes()).0[0];
    max.mul_f64(f64::from(part) / 255.0)
}

#[test]
fn fault_s01_what_was_told_as_stored_survives_kill_9() {
    if let Some(file) = role() {
        store_games(&file);
    }
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let (mut told, begin) = (BTreeMap::new(), Instant::now());
    let mut rounds = 0;
    // Hundreds of rounds on a quiet machine; on a busy one it is the time that ends it.
    while rounds < 300 && (begin.elapsed() < Duration::from_secs(20) || rounds < 20) {
        let mut child =
            Running::start(command("kill::fault_s01_what_was_told_as_stored_survives_kill_9", &file));
        assert_eq!(child.next().as_deref(), Some("open"));
        // A slow disk has at least begun: before or after its first receipts.
        let lines = child.kill_after(rounds as usize % 4, delay(rounds, Duration::from_millis(75)));
        let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
        expect_stored(&store, &lines);
        told.extend(lines.into_iter().filter_map(|line| {
            let (id, seed) = line.split_once(' ')?;
            Some((id.to_owned(), seed.to_owned()))
        }));
        rounds += 1;
    }
    let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
    let n_games = expect_whole(&store);
    assert_eq!(n_games, store.n_games(&GameFilter::default()).unwrap());
    assert!(n_games >= told.len() as u64 && told.len() as u64 >= rounds, "{} of {n_games}", told.len());
    let all: Vec<String> = told.iter().map(|(id, seed)| format!("{id} {seed}")).collect();
    expect_stored(&store, &all);
    println!("{rounds} rounds, {} games told, {n_games} stored", told.len());
}

/// The library that makes a disk forget or fail; `None`, told loudly, where there is no C compiler.
fn library(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("power_cut.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/store/power_cut.c");
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).args([source, "-ldl"]).status();
    if built.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    assert!(
        std::env::var_os("ROOKERY_ALL_KITS").is_none(),
        "a C compiler was to be installed, and is not there"
    );
    tell_skipped("a power cut: there is no C compiler (Debian: apt-get install gcc libc6-dev)");
    None
}

#[test]
fn fault_s02_what_was_told_as_stored_survives_a_power_cut() {
    if let Some(file) = role() {
        store_games(&file);
    }
    let folder = TempFolder::new("store");
    let Some(library) = library(&folder) else { return };
    let mut n_told = 0;
    for round in 0..15 {
        let place = folder.join(format!("round{round}"));
        let shadow = place.join("shadow");
        fs::create_dir_all(&shadow).unwrap();
        let test = "kill::fault_s02_what_was_told_as_stored_survives_a_power_cut";
        let mut child = command(test, &place.join("games.db"));
        child.env("LD_PRELOAD", &library).env("ROOKERY_SHADOW", &shadow);
        let mut child = Running::start(child);
        assert_eq!(child.next().as_deref(), Some("open"));
        // So many receipts, however slow the disk is, and then another moment each time.
        let told = child.kill_after(1 + round as usize % 8, delay(round, Duration::from_millis(100)));
        n_told += told.len();
        // Only what had been brought to the disk is left.
        let store = Store::open(shadow.join("games.db").to_str().unwrap(), &options()).unwrap();
        expect_stored(&store, &told);
        expect_whole(&store);
    }
    assert!(n_told > 50, "{n_told}");
}

/// The child of S4: stores a game when it is told to, by the file `go` in its folder.
fn store_on_a_failing_disk(folder: &Path) {
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &options()).unwrap();
    store.put_game(NewGame::free(record(1))).wait().unwrap();
    // Empty: the disk fails once.
    fs::write(folder.join("fail"), "").unwrap();
    let second = store.put_game(NewGame::free(record(2))).wait().expect("a new connection stores it");
    assert!(!folder.join("fail").exists(), "it did fail once");
    assert_eq!(store.record(second.id).unwrap(), record(2));
    assert!(store.health().trouble.is_none());
    fs::write(folder.join("fail"), "always").unwrap();
    let error = store.put_game(NewGame::free(record(3))).wait().unwrap_err();
    assert_eq!(error.exit_code(), 74, "{error}");
    fs::remove_file(folder.join("fail")).unwrap();
    let error = store
        .put_game(NewGame::free(record(4)))
        .wait()
        .expect_err("this writer is not to be trusted any more");
    assert_eq!(error.exit_code(), 74, "{error}");
    assert!(store.expect_room().is_err(), "no new game begins");
    assert_eq!(store.record(second.id).unwrap(), record(2), "reading goes on");
    tell("done");
}

#[test]
fn fault_s04_a_disk_that_fails_is_told_and_never_asked_again() {
    if let Some(folder) = role() {
        return store_on_a_failing_disk(&folder);
    }
    let folder = TempFolder::new("store");
    let Some(library) = library(&folder) else { return };
    let mut child = command("kill::fault_s04_a_disk_that_fails_is_told_and_never_asked_again", &folder);
    child.env("LD_PRELOAD", &library).env("ROOKERY_FAIL", folder.join("fail"));
    let (told, ended_well) = Running::start(child).finish();
    assert_eq!((told, ended_well), (vec!["done".to_owned()], true));
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &options()).unwrap();
    let n_games = expect_whole(&store);
    assert!(
        (2..=3).contains(&n_games),
        "the third was never told as stored, and may be there or not: {n_games}"
    );
}

/// The child of S3, on a disk of 32 MiB.
fn fill_the_disk(folder: &Path) {
    let options = Options { ballast: 4 << 20, ..options() };
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap();
    let first = store.put_game(NewGame::free(record(1))).wait().unwrap();
    assert!(folder.join("games.db.ballast").exists());
    let filler = folder.join("filler");
    let mut file = fs::File::create(&filler).unwrap();
    while std::io::Write::write_all(&mut file, &[1; 4096]).is_ok() {}
    drop(file);

    // The reserve is given up, and results go on for a while.
    let stored = store.put_game(NewGame::free(record(2)));
    let mut waiting = VecDeque::new();
    let mut seed = 3;
    while store.health().trouble.is_none() {
        waiting.push_back((seed, store.put_game(NewGame::free(record(seed)))));
        seed += 1;
    }
    assert!(!folder.join("games.db.ballast").exists(), "the reserve was given up");
    stored.wait().unwrap();
    assert!(seed > 50, "and it was enough for more than one game: {seed}");
    let refused = store.audit("a", "b", "c").unwrap_err();
    assert_eq!(refused.exit_code(), 74, "{refused}");
    assert!(refused.to_string().contains("too full"), "{refused}");
    let health = store.health();
    assert!(health.waiting > 0 && health.trouble.is_some(), "{health:?}");
    assert!(store.expect_room().is_err(), "no new game begins");
    assert_eq!(store.record(first.id).unwrap(), record(1), "reading goes on");
    assert!(store.check(&CheckOrder::default()).unwrap().is_good());

    fs::remove_file(&filler).unwrap();
    for (seed, receipt) in waiting {
        let stored = receipt.wait().expect("it was kept until there was room");
        assert_eq!(store.record(stored.id).unwrap(), record(seed));
    }
    store.audit("a", "b", "c").unwrap();
    assert!(store.health().trouble.is_none());
    // That is made behind the answers.
    let begun = std::time::Instant::now();
    while !folder.join("games.db.ballast").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "there is a reserve again");
        std::thread::sleep(Duration::from_millis(20));
    }
    let usual = Options::default().reserve;
    assert!(store.space().unwrap().total < usual.bytes, "the disk of this test is small");
    drop(store);
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &Options::default()).unwrap();
    let refused = store.expect_room().unwrap_err();
    assert!(refused.to_string().contains("256 MiB are needed"), "{refused}");
    tell("done");
}

/// Runs a test as a child that has a small disk of its own, gone with the process; skipped, told loudly, where none can
/// be made.
fn with_a_small_disk(test: &str) {
    let folder = TempFolder::new("store");
    let as_root = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let mount = format!("mount -t tmpfs -o size=32m tmpfs '{}'", folder.display());
    let probe = Command::new("unshare").args([as_root, "sh", "-c", &mount]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        tell_skipped("a store on a full disk: a small one cannot be made here (unshare, mount)");
        return;
    }
    let inner = command(test, &folder);
    let mut child = Command::new("unshare");
    child.args([as_root, "sh", "-c", &format!("{mount} && exec \"$@\""), "sh"]).arg(inner.get_program());
    child.args(inner.get_args()).envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    // What is kept free is looked at, as it is where nobody has set it.
    child.env_remove(Reserve::VARIABLE);
    let (told, ended_well) = Running::start(child).finish();
    assert_eq!((told, ended_well), (vec!["done".to_owned()], true));
}

#[test]
fn fault_s03_a_full_disk_loses_no_result_and_refuses_new_games() {
    match role() {
        Some(folder) => fill_the_disk(&folder),
        None => with_a_small_disk("kill::fault_s03_a_full_disk_loses_no_result_and_refuses_new_games"),
    }
}

/// The child of the next test.
fn read_from_a_disk_that_cannot_be_written(folder: &Path) {
    let file = folder.join("games.db");
    let location = file.to_str().unwrap();
    let store = Store::open(location, &options()).unwrap();
    put_all(&store, 0..5);
    drop(store);
    let mount = |how: &str| {
        let done = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(folder).status();
        assert!(done.is_ok_and(|status| status.success()), "{how}");
    };
    mount("ro");
    let refused = Store::open(location, &options()).unwrap_err();
    assert_eq!(refused.exit_code(), 74, "{refused}");
    let store = Store::open(location, &Options::read_only()).unwrap();
    assert_eq!(store.games(&GameFilter::default(), Page::default()).unwrap().len(), 5);
    assert_eq!(expect_whole(&store), 5);
    drop(store);
    mount("rw");
    put_all(&Store::open(location, &options()).unwrap(), 5..8);
    tell("done");
}

#[test]
fn fault_s04_a_disk_that_cannot_be_written_is_told_and_can_be_read() {
    match role() {
        Some(folder) => read_from_a_disk_that_cannot_be_written(&folder),
        None => with_a_small_disk("kill::fault_s04_a_disk_that_cannot_be_written_is_told_and_can_be_read"),
    }
}

/// Makes a store as version 1 left it: without the tables and seals that came later.
fn make_older(file: &Path, n_games: u64) {
    let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
    put_all(&store, 0..n_games);
    drop(store);
    let raw = rusqlite::Connection::open(file).unwrap();
    raw.execute_batch(
        "drop table people; drop table tokens; drop table audit; \
         drop table measures; drop table settings; drop table bundles; drop table attempts; drop table jobs; \
         drop table chain_end; pragma user_version = 1",
    )
    .unwrap();
    let sealed: Vec<String> = raw
        .prepare("select tables.name from sqlite_schema tables, pragma_table_info(tables.name) columns where columns.name = 'seal'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for table in sealed {
        raw.execute_batch(&format!("alter table {table} drop column seal")).unwrap();
    }
}

/// Killed at each moment at which something is brought to the disk, one after the other.
#[test]
fn fault_s11_a_kill_while_tables_change_leaves_the_old_or_the_new() {
    if let Some(file) = role() {
        drop(Store::open(file.to_str().unwrap(), &options()).unwrap());
        return tell("open");
    }
    let folder = TempFolder::new("store");
    let Some(library) = library(&folder) else { return };
    let older = folder.join("older.db");
    make_older(&older, 100);
    let look = |file: &Path| {
        let raw = rusqlite::Connection::open(file).unwrap();
        let number = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
        let tables = number("select count(*) from sqlite_schema where name in ('people', 'tokens', 'audit')");
        (number("pragma user_version"), tables, number("select count(*) from games"))
    };
    let newest = rookery_store::SCHEMA_VERSION;
    let mut seen = BTreeMap::from([(1, 0), (newest, 0)]);
    for moment in 1.. {
        let file = folder.join(format!("killed{moment}.db"));
        fs::copy(&older, &file).unwrap();
        let mut child =
            command("kill::fault_s11_a_kill_while_tables_change_leaves_the_old_or_the_new", &file);
        child.env("LD_PRELOAD", &library).env("ROOKERY_KILL_AT", moment.to_string());
        let (told, _) = Running::start(child).finish();
        let (version, n_tables, n_games) = look(&file);
        assert_eq!(
            (n_tables, n_games),
            (if version == 1 { 0 } else { 3 }, 100),
            "moment {moment}, version {version}"
        );
        *seen.get_mut(&version).unwrap() += 1;
        let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
        assert_eq!(expect_whole(&store), 100);
        drop(store);
        assert_eq!(look(&beside(&file, ".version-1")), (1, 0, 100), "a copy was kept before");
        if !told.is_empty() {
            break;
        }
    }
    assert!(seen[&1] >= 3 && seen[&newest] >= 2, "killed before and after: {seen:?}");
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

#[test]
fn fault_s18_a_kill_during_a_backup_leaves_no_half_file() {
    const TEST: &str = "kill::fault_s18_a_kill_during_a_backup_leaves_no_half_file";
    if let Some(folder) = role() {
        let store = Store::open(folder.join("games.db").to_str().unwrap(), &options()).unwrap();
        tell("open");
        for number in 0.. {
            drop(store.put_game(NewGame::free(record(1_000_000 + number))));
            store.backup(&folder.join(format!("backup{number}.db"))).unwrap();
            tell("backup");
        }
    }
    let folder = TempFolder::new("store");
    let store = Store::open(folder.join("games.db").to_str().unwrap(), &options()).unwrap();
    put_all(&store, 0..500);
    drop(store);
    for round in 0..12 {
        let mut child = Running::start(command(TEST, &folder));
        // One is whole, however slow the machine; the kill comes during another.
        assert_eq!(child.next().as_deref(), Some("open"));
        assert_eq!(child.next().as_deref(), Some("backup"));
        let n_told = 1 + child.kill_after(0, delay(round, Duration::from_millis(200))).len();
        let is_backup = |name: &String| name.starts_with("backup") && !name.contains(".unfinished");
        let names: Vec<String> = folder.names().into_iter().filter(is_backup).collect();
        assert!(names.len() >= n_told, "{n_told} told, {names:?}");
        for name in names {
            let copy = Store::open(folder.join(&name).to_str().unwrap(), &options()).unwrap();
            assert!(expect_whole(&copy) >= 500, "{name}");
            drop(copy);
            fs::remove_file(folder.join(&name)).unwrap();
        }
    }
}
