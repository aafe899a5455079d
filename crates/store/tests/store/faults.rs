//! Faults of the store that need no second process.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use rookery_record::Key;
use rookery_store::{
    CheckOrder, EntrantKind, GameFilter, Hash, NewGame, NewToken, Options, Page, Purpose, Rating, Store,
    StoreError, restore,
};
use rookery_testkit::TempFolder;

use crate::common::{expect_new, options, played, put_all, record, series};

fn open(file: &Path) -> Result<Store, StoreError> {
    Store::open(file.to_str().unwrap(), &options())
}

/// Whatever the clock shows, games are in the order in which they were stored.
#[test]
fn fault_s05_a_clock_that_jumps_changes_no_order() {
    let folder = TempFolder::new("store");
    let store = open(&folder.join("games.db")).unwrap();
    let decade = 315_360_000_000;
    for (seed, date) in [(1, decade * 5), (2, 0), (3, decade * 6), (4, -decade), (5, i64::MAX)] {
        store.put_game(NewGame::free(record(seed)).finished_at(date)).wait().unwrap();
    }
    let games = store.games(&GameFilter::default(), Page::default()).unwrap();
    let hashes: Vec<Hash> = games.iter().map(|game| game.sha256).collect();
    assert_eq!(hashes, [5, 4, 3, 2, 1].map(|seed| Hash::of(&record(seed))));
    assert!(store.check(&CheckOrder::default()).unwrap().is_good());
}

#[test]
fn fault_s08_a_locked_database_loses_no_result() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let short = Duration::from_millis(50);
    let options = Options { busy_timeout: short, patience: 4 * short, ..options() };
    let store = Store::open(file.to_str().unwrap(), &options).unwrap();
    let raw = rusqlite::Connection::open(&file).unwrap();
    raw.execute_batch("begin immediate").unwrap();
    let receipts: Vec<_> = (0..20).map(|seed| store.put_game(NewGame::free(record(seed)))).collect();
    let refused = store.audit("a", "b", "c").unwrap_err();
    assert_eq!(refused.exit_code(), 75, "{refused}");
    let health = store.health();
    assert!(health.waiting == 20 && matches!(health.trouble, Some(StoreError::Busy(_))), "{health:?}");
    assert_eq!(store.n_games(&GameFilter::default()).unwrap(), 0, "nothing counts before it is stored");
    raw.execute_batch("rollback").unwrap();
    expect_new(receipts);
    assert_eq!(store.n_games(&GameFilter::default()).unwrap(), 20);
    assert!(store.health().trouble.is_none());
}

/// A bit flipped inside of a stored record: SQLite's own check says `ok`.
#[test]
fn fault_s09_a_flipped_bit_in_a_record_is_found_and_nothing_is_overwritten() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let store = open(&file).unwrap();
    put_all(&store, 0..20);
    let games = store.games(&GameFilter::default(), Page::default()).unwrap();
    let (bad, good) = (games[7].clone(), games[8].clone());
    drop(store);

    let raw = rusqlite::Connection::open(&file).unwrap();
    let packed: Vec<u8> = raw
        .query_row("select bytes from records where seq = ?1", [bad.seq as i64], |row| row.get(0))
        .unwrap();
    drop(raw);
    let mut bytes = fs::read(&file).unwrap();
    let at =
        bytes.windows(60).position(|window| window == &packed[20..80]).expect("it lies there in one piece");
    // A flip after which the record can still be unpacked, and is as long as before: only its hash tells.
    let unpack = |packed: &[u8]| {
        let mut record = vec![];
        flate2::read::DeflateDecoder::new(packed).read_to_end(&mut record).ok().map(|_| record)
    };
    let whole = unpack(&packed).unwrap();
    let flips = (0..60 * 8).map(|bit| {
        let mut flipped = packed.clone();
        flipped[20 + bit / 8] ^= 1 << (bit % 8);
        (bit, unpack(&flipped))
    });
    let same_length = |record: &Vec<u8>| record.len() == whole.len() && *record != whole;
    let (bit, _) = flips.into_iter().find(|(_, record)| record.as_ref().is_some_and(same_length)).unwrap();
    bytes[at + bit / 8] ^= 1 << (bit % 8);
    fs::write(&file, &bytes).unwrap();
    let raw = rusqlite::Connection::open(&file).unwrap();
    let verdict: String = raw.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok", "SQLite does not see it");
    drop(raw);

    let error = open(&file).unwrap_err();
    assert_eq!(error.exit_code(), 65);
    let StoreError::Damaged { report, .. } = &error else { panic!("{error}") };
    assert_eq!(report.bad.iter().map(|bad| bad.id.as_str()).collect::<Vec<_>>(), [bad.id.as_str()]);
    assert!(error.to_string().contains("rookery db restore"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), bytes, "nothing was changed");

    let reader = Store::open(file.to_str().unwrap(), &Options::read_only()).unwrap();
    assert_eq!(Hash::of(&reader.record(good.id).unwrap()), good.sha256);
    assert_eq!(reader.record(bad.id).unwrap_err().exit_code(), 65);
    assert_eq!(reader.check(&CheckOrder::default()).unwrap().bad.len(), 1);
    assert_eq!(reader.backup(&folder.join("backup.db")).unwrap_err().exit_code(), 65, "no backup of damage");
}

/// Flips anywhere: the store opens and every record is right or refused, or it does not open and says so.
#[test]
fn fault_s09_bits_flipped_anywhere_never_give_a_wrong_game() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let store = open(&file).unwrap();
    put_all(&store, 0..60);
    let games = store.games(&GameFilter::default(), Page { before: None, limit: 100 }).unwrap();
    let records: BTreeMap<_, _> =
        games.iter().map(|game| (game.id, store.record(game.id).unwrap())).collect();
    drop(store);
    let bytes = fs::read(&file).unwrap();
    let (mut refused, mut opened) = (0, 0);
    for round in 0_u64..150 {
        let place = Hash::of(&round.to_be_bytes()).0;
        let at = u32::from_be_bytes([place[0], place[1], place[2], place[3]]) as usize % bytes.len();
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (place[4] % 8);
        let copy = folder.join("damaged.db");
        fs::write(&copy, &damaged).unwrap();
        match open(&copy) {
            Err(error) => {
                refused += 1;
                assert!([65, 74].contains(&error.exit_code()), "byte {at}: {error}");
                assert!(fs::read(&copy).unwrap() == damaged, "byte {at}: it was changed");
            }
            Ok(store) => {
                opened += 1;
                for (id, record) in &records {
                    if let Ok(found) = store.record(*id) {
                        assert!(found == *record, "byte {at}: a wrong record of {id}");
                    }
                    if let Ok(found) = store.game(*id) {
                        assert!(games.contains(&found), "byte {at}: {found:?}");
                    }
                }
            }
        }
        for name in folder.names().into_iter().filter(|name| name.starts_with("damaged")) {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    assert!(refused > 20 && opened > 20, "{refused} refused, {opened} opened");
}

/// What somebody changes with another program is found by the chain.
#[test]
fn fault_s09_changed_and_missing_rows_are_found_by_the_chain() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let store = open(&file).unwrap();
    put_all(&store, 0..10);
    drop(store);
    let bytes = fs::read(&file).unwrap();
    for (change, seq) in [
        ("update games set winners = '[' || (1 - json_extract(winners, '$[0]')) || ']' where seq = 4", 4),
        ("update games set finished_ms = finished_ms + 1 where seq = 1", 1),
        ("update games set names = '[\"eve\",\"bob\"]' where seq = 10", 10),
        ("update games set sha256 = (select sha256 from games where seq = 3) where seq = 2", 2),
        ("delete from records where seq = 5", 5),
        ("delete from entrant_games; delete from records where seq = 6; delete from games where seq = 6", 6),
        ("delete from entrant_games; delete from games where seq = 10", 10),
    ] {
        let raw = rusqlite::Connection::open(&file).unwrap();
        raw.execute_batch("pragma foreign_keys = off").unwrap();
        raw.execute_batch(change).unwrap();
        drop(raw);
        let error = open(&file).expect_err(change);
        assert_eq!(error.exit_code(), 65, "{change}");
        assert!(error.to_string().contains(&format!("number {seq})")), "{change}: {error}");
        fs::write(&file, &bytes).unwrap();
    }
    open(&file).unwrap();
}

#[test]
fn fault_s10_a_second_server_is_kept_out_and_told_who_holds_it() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let first = open(&file).unwrap();
    put_all(&first, 0..3);
    let error = open(&file).unwrap_err();
    assert_eq!(error.exit_code(), 75);
    let who = format!("process {} writes there already", std::process::id());
    assert!(error.to_string().contains(&who), "{error}");
    let reader = Store::open(file.to_str().unwrap(), &Options::read_only()).unwrap();
    assert_eq!(reader.n_games(&GameFilter::default()).unwrap(), 3, "whoever only reads stands beside");
    assert!(matches!(reader.put_game(NewGame::free(record(9))).wait(), Err(StoreError::ReadOnly(_))));
    // Without the lock there is still the epoch: whoever took over is the one who writes.
    fs::remove_file(folder.join("games.db.lock")).unwrap();
    let second = open(&file).unwrap();
    let error = first.put_game(NewGame::free(record(10))).wait().unwrap_err();
    assert!(matches!(error, StoreError::TakenOver(_)) && error.exit_code() == 75, "{error}");
    put_all(&second, 11..13);
    assert_eq!(second.n_games(&GameFilter::default()).unwrap(), 5);
    assert!(second.check(&CheckOrder::default()).unwrap().is_good());
}

#[test]
fn fault_s11_a_newer_store_is_refused_and_a_foreign_file_too() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    put_all(&open(&file).unwrap(), 0..3);
    let raw = rusqlite::Connection::open(&file).unwrap();
    raw.execute_batch("pragma user_version = 99").unwrap();
    drop(raw);
    let bytes = fs::read(&file).unwrap();
    for options in [options(), Options::read_only()] {
        let error = Store::open(file.to_str().unwrap(), &options).unwrap_err();
        assert_eq!(error.exit_code(), 65);
        assert!(error.to_string().contains("version 99 of the tables"), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), bytes);

    for (name, content) in [("text.db", "hello, this is no database at all"), ("short.db", "x")] {
        fs::write(folder.join(name), content).unwrap();
        let error = open(&folder.join(name)).unwrap_err();
        assert_eq!(error.exit_code(), 65, "{error}");
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), content);
    }
    let other = folder.join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("create table mine (x)").unwrap();
    let error = open(&other).unwrap_err();
    assert!(error.to_string().contains("a SQLite file of another program"), "{error}");
    assert_eq!(open(&folder).unwrap_err().exit_code(), 65, "a folder");
    let missing =
        Store::open(folder.join("missing.db").to_str().unwrap(), &Options::read_only()).unwrap_err();
    assert!(matches!(missing, StoreError::Unknown { .. }), "{missing}");
    assert!(!folder.join("missing.db").exists());
}

/// Whoever reads for long lets the log grow; when it has gone, the log is cut.
#[test]
fn fault_s12_the_log_stays_small() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let store = open(&file).unwrap();
    let bot = store.entrant("mine", EntrantKind::Bot).unwrap();
    let reader = rusqlite::Connection::open(&file).unwrap();
    let log = || fs::metadata(folder.join("games.db-wal")).map_or(0, |log| log.len());
    let put = |number: u8| {
        let bundle = vec![number; 1 << 20];
        store.put_version(bot, Hash::of(&bundle), "", Some(bundle)).unwrap();
    };
    let mut highest = 0;
    for number in 0..120 {
        if number == 10 {
            // Somebody who looks at one moment of the store.
            reader.execute_batch("begin; select count(*) from versions").unwrap();
        }
        if number == 50 {
            reader.execute_batch("rollback").unwrap();
        }
        put(number);
        highest = highest.max(log());
    }
    assert!(highest > 30 << 20, "the reader did hinder it: {highest}");
    assert!(highest <= 64 << 20, "{highest}");
    assert!(log() <= 33 << 20, "it was cut when the reader had gone: {}", log());
}

#[test]
fn fault_s17_a_token_is_nowhere_in_the_file_and_names_do_no_harm() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    let store = open(&file).unwrap();
    let token = "s3cret-token-0123456789abcdef";
    let new = NewToken { entrant: None, purpose: Purpose::Program, note: String::new(), expires_ms: None };
    store.put_token(token, new).unwrap();
    assert!(store.token(token, 0).unwrap().is_some());
    for name in ["\u{1b}[2Jann", "a\u{7}b", "x\u{9b}31m", "a\r\nb"] {
        let error = store.entrant(name, EntrantKind::Bot).unwrap_err().to_string();
        assert!(!error.chars().any(char::is_control), "{error:?}");
    }
    drop(store);
    for name in folder.names() {
        let bytes = fs::read(folder.join(&name)).unwrap();
        assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "{name}");
    }
}

#[test]
fn fault_s18_a_backup_while_games_are_stored_has_all_that_were_stored_before() {
    let folder = TempFolder::new("store");
    let store = open(&folder.join("games.db")).unwrap();
    put_all(&store, 0..200);
    let before = store.games(&GameFilter::default(), Page { before: None, limit: 1000 }).unwrap();
    let busy = store.clone();
    let writer = std::thread::spawn(move || put_all(&busy, 1000..3000));
    let report = store.backup(&folder.join("backup.db")).unwrap();
    assert!(report.is_good() && report.games >= 200, "{report}");
    store.backup(&folder.join("backup.db")).expect_err("a file that is there is not overwritten");
    writer.join().unwrap();
    drop(store);
    assert_eq!(folder.names(), ["backup.db", "games.db"]);

    // The way back: the store is lost, and a file of another is in its place.
    fs::write(folder.join("games.db"), "damaged").unwrap();
    let lost = restore(folder.join("games.db").to_str().unwrap(), &folder.join("backup.db")).unwrap_err();
    assert_eq!(lost.exit_code(), 65, "what is no store is not put aside by itself: {lost}");
    fs::remove_file(folder.join("games.db")).unwrap();
    put_all(&open(&folder.join("games.db")).unwrap(), 9000..9005);
    restore(folder.join("games.db").to_str().unwrap(), &folder.join("backup.db")).unwrap();
    assert_eq!(folder.names(), ["backup.db", "games.db", "games.db.before-restore"]);
    let store = open(&folder.join("games.db")).unwrap();
    for game in &before {
        assert_eq!(store.game(game.id).unwrap(), *game);
        store.record(game.id).unwrap();
    }
    put_all(&store, 5000..5010);
    let kept = open(&folder.join("games.db.before-restore")).unwrap();
    assert_eq!(kept.n_games(&GameFilter::default()).unwrap(), 5, "what was there is kept");
}

/// A rating that depends on the order of games, as Elo's does.
fn elo(store: &Store, id: rookery_store::TournamentId) -> Vec<Rating> {
    let entrants = store.tournament_entrants(id).unwrap();
    let mut numbers = vec![1500.0_f64; entrants.len()];
    let mut n_games = 0;
    for result in store.results(id).unwrap() {
        let result = result.unwrap().result;
        let [first, second] = result.entrants[..] else { panic!("two play") };
        let expected = 1.0 / (1.0 + 10_f64.powf((numbers[second.index()] - numbers[first.index()]) / 400.0));
        let points = if result.winners() == [first] { 1.0 } else { 0.0 };
        numbers[first.index()] += 32.0 * (points - expected);
        numbers[second.index()] -= 32.0 * (points - expected);
        n_games += 1;
    }
    let rating = |(entrant, number)| Rating { entrant, numbers: vec![number], n_games };
    entrants.into_iter().map(|entrant| entrant.id).zip(numbers).map(rating).collect()
}

#[test]
fn fault_s19_ratings_are_the_same_in_whatever_order_games_came() {
    let folder = TempFolder::new("store");
    let ratings = ["one", "two"].map(|name| {
        let file = folder.join(format!("{name}.db"));
        let store = open(&file).unwrap();
        let (id, pairings) = series(&store, 200);
        let mut order: Vec<_> = pairings.iter().collect();
        if name == "two" {
            order.sort_by_key(|pairing| Hash::of(&pairing.id.to_be_bytes()));
        }
        for pairing in order {
            drop(store.put_game(NewGame::of_pairing(id, Key::first(pairing.id), played(pairing))));
        }
        store.put_round(id, 1, "all games are stored before this").unwrap();
        let computed = elo(&store, id);
        store.put_ratings(id.as_str(), "elo 1", computed.clone()).unwrap();
        drop(store);
        // Read back and computed once more, by another process as it were.
        let store = open(&file).unwrap();
        let mut stored: Vec<Rating> = store
            .ratings(id.as_str(), Page::default())
            .unwrap()
            .into_iter()
            .map(|stored| stored.rating)
            .collect();
        stored.sort_by_key(|rating| rating.entrant);
        let bits = |ratings: &[Rating]| -> Vec<u64> {
            ratings.iter().flat_map(|rating| rating.numbers.iter().map(|number| number.to_bits())).collect()
        };
        assert_eq!(bits(&stored), bits(&elo(&store, id)));
        assert_eq!(stored[0].n_games, 200);
        bits(&stored)
    });
    assert_eq!(ratings[0], ratings[1]);
}

/// Whoever only reads leaves nothing beside the file, unless others use it.
#[test]
fn fault_s12_who_only_reads_leaves_no_log_behind() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    put_all(&open(&file).unwrap(), 0..5);
    assert_eq!(folder.names(), ["games.db"]);
    let read = || Store::open(file.to_str().unwrap(), &Options::read_only()).unwrap();
    let n_games = |store: &Store| store.n_games(&GameFilter::default()).unwrap();
    let (first, second) = (read(), read());
    assert_eq!((n_games(&first), n_games(&second)), (5, 5));
    drop(first);
    assert_eq!(second.games(&GameFilter::default(), Page::default()).unwrap().len(), 5, "it reads on");
    drop(second);
    assert_eq!(folder.names(), ["games.db"]);
    // The log of a writer is not for a reader to remove.
    let reader = read();
    let writer = open(&file).unwrap();
    put_all(&writer, 5..8);
    assert_eq!(n_games(&reader), 8);
    drop(reader);
    put_all(&writer, 8..10);
    assert_eq!(n_games(&read()), 10);
    drop(writer);
    assert_eq!(folder.names(), ["games.db"]);
    assert!(read().check(&CheckOrder { full: true, ..CheckOrder::default() }).unwrap().is_good());
}

/// An index that does not fit its table: the usual look does not compare them.
#[test]
fn fault_s09_a_full_check_finds_an_index_that_is_wrong() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    put_all(&open(&file).unwrap(), 0..5);
    let raw = || rusqlite::Connection::open(&file).unwrap();
    let index = "games_by_cause";
    let (page, sql): (i64, String) = raw()
        .query_row("select rootpage, sql from sqlite_schema where name = ?1", [index], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    raw()
        .execute_batch(&format!(
            "pragma writable_schema = on; delete from sqlite_schema where name = '{index}'"
        ))
        .unwrap();
    // The index is not there, so it does not follow: afterwards it has rows that the table has not.
    raw().execute_batch("update games set cause = 'x' where seq = 3").unwrap();
    let connection = raw();
    connection.execute_batch("pragma writable_schema = on").unwrap();
    connection
        .execute("insert into sqlite_schema values ('index', ?1, 'games', ?2, ?3)", (index, page, sql))
        .unwrap();
    connection.execute_batch("update games set cause = 'normal' where seq = 99").unwrap();
    drop(connection);
    let reader = Store::open(file.to_str().unwrap(), &Options::read_only()).unwrap();
    let look = |full| reader.check(&CheckOrder { full, games: 0, ..CheckOrder::default() }).unwrap();
    assert_eq!(look(false).problems, Vec::<String>::new(), "a quick look does not see it");
    let found = look(true).problems;
    assert!(found.iter().any(|problem| problem.contains(index)), "{found:?}");
}

#[test]
fn fault_s09_a_full_check_finds_games_of_nobody() {
    let folder = TempFolder::new("store");
    let file = folder.join("games.db");
    put_all(&open(&file).unwrap(), 0..5);
    let look = || {
        let reader = Store::open(file.to_str().unwrap(), &Options::read_only()).unwrap();
        reader.check(&CheckOrder { full: true, ..CheckOrder::default() }).unwrap().problems
    };
    assert_eq!(look(), Vec::<String>::new());
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute("insert into entrant_games values (999, 1)", [])
        .unwrap();
    assert_eq!(look(), ["1 rows of entrant_games belong to no game or to nobody"]);
}
