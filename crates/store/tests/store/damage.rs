//! Damage anywhere in the file: it is found, or in bytes that nobody reads.

use std::fs;
use std::path::Path;

use rookery_record::Key;
use rookery_store::{
    BundleState, CheckOrder, CheckReport, EndedAttempt, EntrantKind, Hash, JobChange, JobRow, JobState,
    Measure, NewBundle, NewEntrant, NewGame, NewToken, Options, PairingState, Purpose, Rating, Store,
    StoreError, TournamentId, TournamentState,
};
use rookery_testkit::TempFolder;
use rookery_tournament::{Change, Entrant, Pairing};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use crate::common::{options, played, put_all, series};

/// Something in every table; the tournament and its pairings, of which all but the last have their game.
pub(crate) fn fill(store: &Store) -> (TournamentId, Vec<Pairing>) {
    let (id, pairings) = series(store, 8);
    for pairing in &pairings[..7] {
        let key = Key::first(pairing.id);
        store.put_game(NewGame::of_pairing(id, key, played(pairing))).wait().unwrap();
        store.put_log(id, key, 0, b"thought for long, found little").wait().unwrap();
    }
    put_all(store, 0..5);
    let late = NewEntrant {
        name: "late".to_owned(),
        kind: EntrantKind::BuiltIn,
        player: "random".to_owned(),
        version: None,
    };
    let late = store.add_entrant(id, late).unwrap();
    store.set_present(id, late, false).unwrap();
    let changes = [Change::Join { entrant: late, from: 3 }, Change::Leave { entrant: Entrant(2), from: 5 }];
    store.put_changes(id, &changes).unwrap();
    store.put_round(id, 1, "the first one").unwrap();
    store.put_how(id, r#"{"folder":"/evening"}"#).unwrap();
    store.set_tournament_state(id, TournamentState::Paused).unwrap();
    let entrants = store.tournament_entrants(id).unwrap();
    let rating = |number: f64| Rating { entrant: entrants[0].id, numbers: vec![number, 40.0], n_games: 7 };
    store.put_ratings(id.as_str(), "elo 1", vec![rating(1523.25)]).unwrap();
    store.put_ratings("none", "elo 1", vec![rating(-0.0)]).unwrap();

    let person = store.claim_name("Zoe", Some("$argon2id$v=19$hash")).unwrap();
    store.set_operator(person, true).unwrap();
    let token = NewToken {
        entrant: Some(person),
        purpose: Purpose::Session,
        note: "laptop".to_owned(),
        expires_ms: Some(i64::MAX),
    };
    store.put_token("a-token-that-nobody-can-guess", token).unwrap();
    store.audit("Zoe", "ban", "late").unwrap();
    store.set_measure(person, Measure { is_banned: false, is_muted: true }).unwrap();
    store.set_setting("sign_up", "closed").unwrap();
    let bundle = NewBundle {
        name: "mine".to_owned(),
        owner: Some(person),
        label: "first".to_owned(),
        contents: "5".repeat(64),
        bytes: Hash::of(b"an archive").0.repeat(200),
    };
    let bundle = store.put_bundle(bundle).unwrap();
    store.set_bundle_state(bundle.version, BundleState::Failing, "it sent nothing").unwrap();
    let job = JobRow {
        tournament: id,
        pairing: pairings[7].id,
        attempt: 2,
        fence: 3,
        failures: 1,
        state: JobState::Leased,
        worker: Some("north".to_owned()),
        until_ms: Some(5000),
        beats: 4,
        last: Some("south".to_owned()),
        sha256: Some(Hash::of(b"a record")),
    };
    let ended = EndedAttempt {
        tournament: id,
        pairing: pairings[7].id,
        attempt: 1,
        fence: 2,
        worker: "south".to_owned(),
        how: "lost".to_owned(),
    };
    store.change_jobs(vec![JobChange::Put(job), JobChange::Ended(ended)]).wait().unwrap();
    (id, pairings)
}

fn full() -> CheckOrder {
    CheckOrder { full: true, ..CheckOrder::default() }
}

/// What a check says of a file; an error is what refuses it.
fn checked(file: &Path) -> Result<CheckReport, StoreError> {
    Store::open(file.to_str().unwrap(), &Options::read_only())?.check(&full())
}

/// Whether damage of a file is told; with the right code, if it is.
fn is_told(file: &Path) -> bool {
    match checked(file) {
        Ok(report) => !report.is_good(),
        Err(error) => {
            assert_eq!(error.exit_code(), 65, "{error}");
            true
        }
    }
}

/// All rows of a query.
fn rows(raw: &Connection, query: &str) -> rusqlite::Result<Vec<Vec<Value>>> {
    let mut statement = raw.prepare(query)?;
    let n_columns = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| (0..n_columns).map(|idx| row.get(idx)).collect();
    statement.query_map([], row)?.collect()
}

/// The texts of the first column.
fn texts(raw: &Connection, query: &str) -> rusqlite::Result<Vec<String>> {
    raw.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

/// Everything that any query could read: of the schema, of each table, and of each index in its order.
fn everything(file: &Path) -> rusqlite::Result<Vec<Vec<Vec<Value>>>> {
    let raw = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut schema = rows(&raw, "select type, name, tbl_name, sql from sqlite_schema")?;
    for value in schema.iter_mut().flatten() {
        // A tab for a space changes nothing, nor does a large letter in a word of SQL.
        if let Value::Text(text) = value {
            text.retain(|c| !c.is_whitespace() && !"\"`[]".contains(c));
            *text = text.to_lowercase();
        }
    }
    let mut found = vec![schema];
    for table in texts(&raw, "select name from sqlite_schema where type = 'table' order by name")? {
        found.push(rows(&raw, &format!("select * from {table}"))?);
        let indexes = format!(
            "select indexes.name from pragma_index_list('{table}') indexes \
             join sqlite_schema on sqlite_schema.name = indexes.name order by 1"
        );
        for index in texts(&raw, &indexes)? {
            let columns = format!("select coalesce(name, 'rowid') from pragma_index_xinfo('{index}')");
            let columns = texts(&raw, &columns)?.join(", ");
            found.push(rows(
                &raw,
                &format!("select {columns} from {table} indexed by {index} order by {columns}"),
            )?);
        }
    }
    Ok(found)
}

/// What is read otherwise from a damaged file, if anything is.
fn differs(found: &rusqlite::Result<Vec<Vec<Vec<Value>>>>, whole: &[Vec<Vec<Value>>]) -> Option<String> {
    let found = match found {
        Ok(found) => found,
        Err(error) => return Some(error.to_string()),
    };
    let pairs = found.iter().zip(whole);
    let other = pairs.enumerate().find(|(_, (found, whole))| found != whole).map(|(idx, (found, whole))| {
        let row = found.iter().zip(whole).find(|(found, whole)| found != whole);
        format!("part {idx}, {} rows of {}: {row:?}", found.len(), whole.len())
    });
    other.or_else(|| (found.len() != whole.len()).then(|| "parts are missing".to_owned()))
}

/// A file with something in every table, closed.
fn filled(folder: &TempFolder) -> (std::path::PathBuf, Vec<u8>) {
    let file = folder.join("games.db");
    let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
    fill(&store);
    drop(store);
    let report = checked(&file).unwrap();
    assert!(report.is_good() && report.complete && report.games == 12 && report.rows > 40, "{report:?}");
    let bytes = fs::read(&file).unwrap();
    (file, bytes)
}

/// A few bytes are overwritten with others, at many places: each time the check tells, or nothing that could be read has changed.
#[test]
fn fault_s09_bytes_that_are_overwritten_anywhere_are_found_or_read_by_nobody() {
    let folder = TempFolder::new("damage");
    let (file, bytes) = filled(&folder);
    let whole = everything(&file).unwrap();
    // Most of a small file is empty pages, so most places are where something stands.
    let (used, empty): (Vec<usize>, Vec<usize>) = (0..bytes.len()).partition(|&at| bytes[at] != 0);
    let every = |places: &[usize], n: usize| -> Vec<usize> {
        places.iter().copied().step_by((places.len() / n).max(1)).collect()
    };
    let places = [every(&used, 800), every(&empty, 150)].concat();
    let copy = folder.join("damaged.db");
    let (mut n_told, mut missed) = (0, vec![]);
    for &at in &places {
        let random = Hash::of(&at.to_be_bytes()).0;
        let mut damaged = bytes.clone();
        let n_bytes = 1 + usize::from(random[0] % 4);
        for (byte, other) in damaged[at..].iter_mut().zip(&random[1..]).take(n_bytes) {
            *byte ^= (*other).max(1);
        }
        fs::write(&copy, &damaged).unwrap();
        if is_told(&copy) {
            n_told += 1;
        } else if let Some(what) = differs(&everything(&copy), &whole) {
            missed.push(format!(
                "{n_bytes} bytes from {at}, in page {} at {}: {what}",
                1 + at / 4096,
                at % 4096
            ));
        }
    }
    eprintln!("{} places, {n_told} told, {} missed: {missed:#?}", places.len(), missed.len());
    assert!(missed.is_empty() && n_told > places.len() / 2, "{n_told} of {} told", places.len());
}

/// Every column of every table that has seals: what somebody changes with another program is told by the table's name.
#[test]
fn fault_s09_a_value_that_was_changed_is_found_in_every_column() {
    let folder = TempFolder::new("damage");
    let (file, bytes) = filled(&folder);
    let raw = || {
        let raw = Connection::open(&file).unwrap();
        raw.execute_batch("pragma foreign_keys = off").unwrap();
        raw
    };
    let sealed = "select tables.name || ' ' || columns.name || ' ' || columns.type from sqlite_schema tables, \
                  pragma_table_info(tables.name) columns where tables.type = 'table' and exists \
                  (select 1 from pragma_table_info(tables.name) other where other.name = 'seal')";
    let columns = texts(&raw(), sealed).unwrap();
    assert!(columns.len() > 100, "{columns:?}");
    for column in &columns {
        let [table, column, kind] = column.split(' ').collect::<Vec<_>>()[..] else { panic!("{column}") };
        let other = match kind {
            "INTEGER" | "integer" | "REAL" | "real" => format!("coalesce({column}, 0) % 1000 + 5001"),
            "BLOB" | "blob" => format!("coalesce({column}, x'') || x'00'"),
            _ => format!("coalesce({column}, '') || 'x'"),
        };
        let other = if kind.eq_ignore_ascii_case("blob") { format!("cast({other} as blob)") } else { other };
        let first = format!("rowid = (select max(rowid) from {table})");
        let changed =
            raw().execute(&format!("update {table} set {column} = {other} where {first}"), []).unwrap();
        assert_eq!(changed, 1, "{table} has a row");
        let report = checked(&file).unwrap();
        let is_named = |problem: &String| problem.starts_with(&format!("{table}, "));
        assert!(report.problems.iter().any(is_named), "{table}.{column}: {report:?}");
        let refused = Store::open(file.to_str().unwrap(), &options()).expect_err(column);
        assert_eq!(refused.exit_code(), 65, "{table}.{column}: {refused}");
        fs::write(&file, &bytes).unwrap();
    }
    // So is what says how a table is made.
    let raw = raw();
    raw.execute_batch(
        "pragma writable_schema = on; update sqlite_schema set sql = replace(sql, 'references entrants', \
                       'references versions') where name = 'ratings'",
    )
    .unwrap();
    drop(raw);
    assert_eq!(checked(&file).unwrap().problems, ["ratings: it is not defined as it was"]);
}

/// What is missing has left nothing behind that could differ, so others tell of it.
#[test]
fn fault_s09_games_that_are_missing_or_belong_to_an_open_pairing_are_found() {
    let folder = TempFolder::new("damage");
    let file = folder.join("games.db");
    let open = || Store::open(file.to_str().unwrap(), &options());
    let (id, pairings) = fill(&open().unwrap());
    let bytes = fs::read(&file).unwrap();
    let expect = |what: &str, words: &str| {
        let report = checked(&file).unwrap();
        assert!(report.to_string().contains(words), "{what}: {report}");
        assert_eq!(open().expect_err(what).exit_code(), 65);
        fs::write(&file, &bytes).unwrap();
    };
    let without = |seq: u32| {
        let raw = Connection::open(&file).unwrap();
        let tables = ["entrant_games", "records", "games"];
        let all = tables.map(|table| format!("delete from {table} where seq = {seq};")).concat();
        raw.execute_batch(&format!("pragma foreign_keys = off; {all}")).unwrap();
    };
    without(12);
    expect("the last game, with its record", "number 12): it was stored last, and is missing");
    without(7);
    expect("a game of a pairing", "it is done, and its game is missing");
    Connection::open(&file).unwrap().execute("delete from entrant_games where seq = 3", []).unwrap();
    expect("the lists of those who played", "number 3): it is missing among the games of entrant 1");
    Connection::open(&file).unwrap().execute("delete from chain_end", []).unwrap();
    expect("the end of the chain", "the end of the chain is not known");
    open().unwrap().set_pairing_state(id, pairings[7].id, PairingState::Done).unwrap();
    expect("a pairing without its game", "it is done, and its game is missing");
    open().unwrap().set_pairing_state(id, pairings[2].id, PairingState::Open).unwrap();
    expect("a pairing with its game", "its pairing is not done");
    assert!(checked(&file).unwrap().is_good(), "and only then");
}

/// What was damaged while the store is in use does not become good by being written anew.
#[test]
fn fault_s09_a_damaged_row_is_not_sealed_again() {
    let folder = TempFolder::new("damage");
    let file = folder.join("games.db");
    let store = Store::open(file.to_str().unwrap(), &options()).unwrap();
    let (id, pairings) = series(&store, 2);
    let raw = Connection::open(&file).unwrap();
    assert_eq!(
        raw.execute("update pairings set reason = 'none' where id = ?1", [pairings[0].id as i64]).unwrap(),
        1
    );
    let game = NewGame::of_pairing(id, Key::first(pairings[0].id), played(&pairings[0]));
    let error = store.put_game(game).wait().unwrap_err();
    assert!(error.exit_code() == 65 && error.to_string().contains("pairings, tournament 1, id"), "{error}");
    assert_eq!(store.audit("a", "b", "c").unwrap_err().exit_code(), 65, "nothing more is written");
    drop(store);
    assert!(is_told(&file));
}
