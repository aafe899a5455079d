//! Where records are kept: one writer, nothing lost, nothing played over.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use common::{Wild, agreed, header, plain, play_on, simulate, wild};
use rookery_games::hexapawn::Setup as Hexapawn;
use rookery_record::{
    Archive as _, ArchiveError, Cut, Folder, Key, OneFile, RecordWriter, Slot, free_path, log_path, resume,
};
use rookery_referee::{Player, Referee, Strategist};
use rookery_rules::Setup;
use rookery_search::Random;
use rookery_testkit::TempFolder;

type Position = <Hexapawn as Setup>::Position;
const KEY: Key = Key::first(1);

/// A match of two built-in players, and where its record lies.
struct Case {
    setup: Hexapawn,
    terms: Wild,
    whole: Vec<u8>,
    temp: TempFolder,
    path: PathBuf,
    archive: OneFile,
}

impl Case {
    fn new() -> Self {
        let (setup, terms) = (Hexapawn::parse("rows=4,cols=3").unwrap(), plain(1));
        let temp = TempFolder::new("archive");
        let path = temp.join("game.rookery.jsonl");
        let archive = OneFile::new(&path, true);
        let mut case = Self { setup, terms, whole: vec![], temp, path, archive };
        let mut writer = RecordWriter::new(vec![], header(&setup, terms));
        let (spec, start) = agreed(&setup, terms);
        case.play(Referee::of_spec(&spec, start), &mut writer);
        case.whole = writer.finish().unwrap();
        case
    }

    fn play(&self, referee: Referee<Position>, writer: &mut RecordWriter<impl std::io::Write + Send>) {
        let mut players: Vec<Box<dyn Player<_>>> =
            vec![Box::new(Strategist::inline(Random)), Box::new(Strategist::inline(Random))];
        play_on(referee, &agreed(&self.setup, self.terms).0, &mut players, writer);
    }

    /// Goes on with a damaged file. What was cut off is kept beside; after an error nothing was touched.
    fn go_on(&self, damaged: &[u8]) -> Result<Option<Cut>, String> {
        put(&self.path, damaged);
        let slot = match self.archive.open(&KEY) {
            Ok(slot) => slot,
            Err(error) => {
                assert_eq!(fs::read(&self.path).unwrap(), damaged, "what is refused is not touched");
                assert_eq!(self.temp.names().len(), 1, "{:?}", self.temp.names());
                return Err(error.to_string());
            }
        };
        let cut = match slot {
            Slot::New(_) => panic!("there is a file"),
            Slot::Finished(lines) => {
                assert_eq!(lines, damaged);
                None
            }
            Slot::Unfinished { lines, sink, cut } => {
                assert_eq!(fs::read(&self.path).unwrap(), lines, "the file is cut off");
                assert_eq!(damaged[..lines.len()], lines);
                self.check_cut(cut.as_ref(), &damaged[lines.len()..], &lines);
                let mut writer;
                if lines.is_empty() {
                    writer = RecordWriter::new(sink, header(&self.setup, self.terms));
                    let (spec, start) = agreed(&self.setup, self.terms);
                    self.play(Referee::of_spec(&spec, start), &mut writer);
                } else {
                    let resumed = resume::<Hexapawn>(&lines[..]).unwrap();
                    writer = resumed.writer(sink);
                    self.play(resumed.referee, &mut writer);
                }
                drop(writer.finish().unwrap());
                cut
            }
        };
        assert!(fs::read(&self.path).unwrap() == self.whole, "{}", String::from_utf8_lossy(damaged));
        Ok(cut)
    }

    fn check_cut(&self, cut: Option<&Cut>, rest: &[u8], lines: &[u8]) {
        let Some(cut) = cut else {
            assert!(rest.is_empty(), "what is cut off is told");
            return;
        };
        assert_eq!((cut.n_bytes, cut.kept), (rest.len() as u64, lines.len() as u64));
        assert_eq!(cut.beside, self.path.with_file_name("game.rookery.jsonl.damaged"));
        assert_eq!(fs::read(&cut.beside).unwrap(), rest, "nothing is lost");
        fs::remove_file(&cut.beside).unwrap();
    }
}

fn put(path: &Path, bytes: &[u8]) {
    // Some file systems wait for the disk when a file is overwritten.
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

#[test]
fn fault_s02_any_end_of_a_record_can_be_lost() {
    let case = Case::new();
    let whole = &case.whole;
    for len in 0..=whole.len() {
        let cut = case.go_on(&whole[..len]).unwrap();
        let at_line = len == 0 || whole[len - 1] == b'\n';
        assert_eq!(cut.is_some(), !at_line, "cut after {len} bytes");
    }
}

#[test]
fn fault_s02_what_a_power_cut_leaves_is_cut_off_unless_there_was_a_verdict() {
    let case = Case::new();
    let whole = &case.whole;
    let header = 1 + whole.iter().position(|&byte| byte == b'\n').unwrap();
    let mut refused = 0;
    for len in (0..=whole.len()).step_by(5).chain([whole.len() - 1, whole.len()]) {
        // A hole, and what was written behind it.
        let hole = [vec![0; 40], whole[(len + 40).min(whole.len())..].to_vec()].concat();
        let long = vec![0; if len % 160 == 0 { 70_000 } else { 4096 }];
        let garbage = [&b"\xff\xfe\n\0{\n"[..], &whole[..len / 2]].concat();
        for tail in [b"\0", &long[..], b"\x9f junk", b"7\n", &hole, &garbage] {
            let damaged = [&whole[..len], tail].concat();
            match case.go_on(&damaged) {
                Ok(cut) => assert!(cut.is_some(), "{len}: what is cut off is told"),
                Err(_) if len < header => {
                    assert!(tail.contains(&b'\n'), "its first line is whole, but no header");
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.contains("but it has a verdict"), "{error}");
                    let words = ["verdict", "sha256"];
                    assert!(
                        words.iter().any(|word| contains(&damaged[header..], word)),
                        "{len} and {tail:?}: {error}"
                    );
                }
            }
        }
    }
    assert!(refused > 12, "a verdict is protected: {refused}");
}

/// Whatever bit is flipped in the record of a match that is over, nothing is played over it, and the file stays as it is.
#[test]
fn a_finished_record_is_never_touched_whatever_bit_is_flipped() {
    let setup = Hexapawn::parse("rows=3,cols=3").unwrap();
    let timed = |seed| simulate(&setup, Wild { time: "10s+100ms".parse().unwrap(), ..wild(seed) }).record;
    let all: Vec<Vec<u8>> = (0..200).map(timed).collect();
    for word in ["\"moved\"", "\"stopped\"", "\"taken_back\"", "\"fouled\""] {
        let record =
            all.iter().filter(|record| contains(record, word)).min_by_key(|record| record.len()).unwrap();
        let temp = TempFolder::new("archive");
        let path = temp.join("game.rookery.jsonl");
        let archive = OneFile::new(&path, true);
        fs::write(&path, record).unwrap();
        assert!(matches!(archive.open(&KEY), Ok(Slot::Finished(lines)) if lines == *record));
        let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        let mut n_finished = 0;
        for idx in 0..record.len() {
            for bit in 0..8 {
                let mut damaged = record.clone();
                damaged[idx] ^= 1 << bit;
                // In its place, so that the test needs no new file for each bit.
                write_at(&mut file, idx, damaged[idx]);
                match archive.open(&KEY) {
                    Err(_) => {}
                    Ok(Slot::Finished(lines)) => {
                        assert!(lines == damaged);
                        n_finished += 1;
                    }
                    Ok(_) => panic!("bit {bit} of byte {idx}: {}", String::from_utf8_lossy(&damaged)),
                }
                assert!(fs::read(&path).unwrap() == damaged, "bit {bit} of byte {idx}: the file was changed");
            }
            write_at(&mut file, idx, record[idx]);
        }
        assert!(n_finished > 100, "some bits, as in a name, leave the record readable: {n_finished}");
        assert_eq!(temp.names(), ["game.rookery.jsonl"], "nothing was cut off");
    }
}

fn write_at(file: &mut fs::File, idx: usize, byte: u8) {
    use std::io::Seek as _;
    file.seek(std::io::SeekFrom::Start(idx as u64)).unwrap();
    file.write_all(&[byte]).unwrap();
}

#[test]
fn it_is_said_how_much_is_cut_off_and_why() {
    let case = Case::new();
    let second = 1 + case.whole.iter().position(|&byte| byte == b'\n').unwrap();
    let header = &case.whole[..second];
    let stop = b"{\"stopped\":{\"cause\":\"cancelled\",\"note\":\"enough\"}}\n";
    let kept = "cut off and kept in game.rookery.jsonl.damaged: ";
    for (damaged, begin, why) in [
        (&header[..7], "the last 7 bytes were ", "line 1 has no end; nothing before them is whole"),
        (&[0; 300][..], "the last 300 bytes were ", "nothing but zeros, as a power cut leaves them; nothing"),
        (&[header, b"\0"].concat(), "the last 1 byte was ", "nothing but zeros"),
        (&[header, b"{\"mo"].concat(), "the last 4 bytes were ", "line 2 has no end"),
        (&[header, b"{\"mo\n{\n"].concat(), "the last 7 bytes were ", "line 2 is no line of a record"),
        (&[header, stop].concat(), "the last ", "a stop without its verdict does not count"),
    ] {
        let cut = case.go_on(damaged).unwrap().unwrap();
        let said = cut.to_string();
        assert!(said.starts_with(begin) && said.contains(&format!("{kept}{why}")), "{why}: {said}");
        let before = format!("; the {} bytes before are kept", cut.kept);
        assert_eq!(said.ends_with(&before), cut.kept > 0, "{said}");
    }
}

#[test]
fn cut_off_ends_do_not_replace_each_other() {
    let case = Case::new();
    let header = 1 + case.whole.iter().position(|&byte| byte == b'\n').unwrap();
    for (torn, name) in [("one", "damaged"), ("two", "damaged-2"), ("three", "damaged-3")] {
        put(&case.path, &[&case.whole[..header], torn.as_bytes()].concat());
        assert!(matches!(case.archive.open(&KEY), Ok(Slot::Unfinished { .. })));
        assert_eq!(fs::read(case.temp.join(format!("game.rookery.jsonl.{name}"))).unwrap(), torn.as_bytes());
    }
    assert_eq!(fs::read(case.temp.join("game.rookery.jsonl.damaged")).unwrap(), b"one");
}

#[test]
fn what_no_crash_leaves_is_not_touched() {
    let case = Case::new();
    let text = String::from_utf8(case.whole.clone()).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let last = text.lines().next_back().unwrap();
    // Of another version: also if nothing else in it is as we know it.
    let later =
        first.replacen("\"version\":2", "\"version\":3,\"colour\":\"red\"", 1) + "\n{\"sung\":\"la\"}\n{\"la";
    let earlier = format!("{}\n{rest}", first.replacen("\"version\":2", "\"version\":1", 1));
    let no_record = "{\"name\":\"Ann\"}\n{\"name\":\"Bob\"}\n";
    let twice = format!("{text}{last}\n");
    let tail = format!("{text}x");
    for (file, complaint) in [
        (&later, "the record has version 3 of the format, and this program reads version 2"),
        (&earlier, "the record has version 1 of the format, and this program reads version 2"),
        (&no_record.to_owned(), "its first line is no header of a record, so it is left as it is"),
        (&"Dear diary,\n".to_owned(), "its first line is no header of a record"),
        (&twice, "stands after the verdict), but it has a verdict, so nothing is played over it"),
        (&tail, "has no end), but it has a verdict, so nothing is played over it"),
    ] {
        let error = case.go_on(file.as_bytes()).unwrap_err();
        assert!(error.contains(complaint), "{complaint}: {error}");
    }
}

#[test]
fn without_resume_a_record_is_in_the_way() {
    let case = Case::new();
    let archive = OneFile::new(&case.path, false);
    let Ok(Slot::New(sink)) = archive.open(&KEY) else { panic!("nothing is there yet") };
    assert!(matches!(case.archive.open(&KEY), Err(ArchiveError::Locked { .. })), "one writer");
    assert!(matches!(archive.open(&KEY), Err(ArchiveError::Exists(_))));
    sink.finish().wait().unwrap();
    let Ok(Slot::Unfinished { lines, cut: None, .. }) = case.archive.open(&KEY) else { panic!("free again") };
    assert!(lines.is_empty());
}

#[test]
fn a_log_goes_on_with_its_match_and_no_other_match_seems_to_own_it() {
    let temp = TempFolder::new("logs");
    let path = temp.join("mine.rookery.jsonl");
    let log = log_path(&path, 1);
    assert_eq!(log, temp.join("mine.seat-2.stderr"));
    for (resume, expected) in [(false, "one "), (true, "one one "), (false, "one ")] {
        OneFile::new(&path, resume).keep_log(&KEY, 1, b"one ").unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap(), expected);
    }
    assert_eq!(free_path(&path), temp.join("mine-2.rookery.jsonl"), "a log without its record");
    fs::remove_file(log).unwrap();
    assert_eq!(free_path(&path), path);
}

#[test]
fn a_second_runner_of_a_folder_is_told_who_holds_it() {
    let temp = TempFolder::new("archive");
    let folder = temp.join("records");
    let held = Folder::open(&folder, 10, false).unwrap();
    for resume in [false, true] {
        let error = Folder::open(&folder, 10, resume).unwrap_err();
        assert!(matches!(error, ArchiveError::Locked { .. }));
        let holder = format!("process {} writes there already", std::process::id());
        assert!(error.to_string().contains(&holder), "{error}");
    }
    let Ok(Slot::New(sink)) = held.open(&KEY) else { panic!("a new record") };
    assert_eq!(sink.path(), Some(&*folder.join("game-0001.rookery.jsonl")));
    assert_eq!(
        held.path(&Key { pairing: 7, attempt: 2 }).unwrap(),
        folder.join("game-0007-again-1.rookery.jsonl")
    );
    drop(held);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the lock is gone, the record is not");
    // What a killed program leaves is no lock.
    fs::write(folder.join(".rookery.lock"), "process 1\n").unwrap();
    drop(Folder::open(&folder, 10, true).unwrap());
    assert!(!folder.join(".rookery.lock").exists());
}

#[test]
fn a_folder_has_one_holder_however_many_want_it() {
    let temp = TempFolder::new("archive");
    let (holders, held) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    if let Ok(folder) = Folder::open(&temp, 1, true) {
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
                        held.fetch_add(1, Ordering::SeqCst);
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(folder);
                    }
                }
            });
        }
    });
    assert!(held.load(Ordering::SeqCst) > 0, "somebody holds it");
    assert!(temp.names().is_empty(), "{:?}", temp.names());
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_and_nothing_but_a_file_is_a_record() {
    use std::os::unix::fs::symlink;
    let case = Case::new();
    let foreign = case.temp.join("diary.txt");
    let unfinished = &case.whole[..case.whole.len() / 2];
    fs::write(&foreign, unfinished).unwrap();
    for (target, exists) in [(foreign.clone(), true), (case.temp.join("nothing"), false)] {
        let _ = fs::remove_file(&case.path);
        symlink(&target, &case.path).unwrap();
        let error = case.archive.open(&KEY).unwrap_err().to_string();
        assert!(error.contains("it is a link; a record is a plain file"), "{error}");
        assert_eq!(target.exists(), exists, "nothing is made at its end");
    }
    fs::remove_file(&case.path).unwrap();
    fs::create_dir(&case.path).unwrap();
    assert!(case.archive.open(&KEY).unwrap_err().to_string().contains("it is no file"));
    fs::remove_dir(&case.path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&case.path).status().unwrap();
    assert!(made.success());
    assert!(
        case.archive.open(&KEY).unwrap_err().to_string().contains("it is no file"),
        "and nobody waits for it"
    );
    // The lock of a folder is a file as well.
    symlink(&foreign, case.temp.join(".rookery.lock")).unwrap();
    assert!(matches!(Folder::open(&case.temp, 1, true), Err(ArchiveError::Record(..))));
    assert_eq!(fs::read(&foreign).unwrap(), unfinished, "the foreign file is as it was");
}

#[test]
fn something_else_in_the_place_of_a_folder_is_called_so() {
    let temp = TempFolder::new("archive");
    let file = temp.join("records");
    fs::write(&file, "").unwrap();
    let error = Folder::open(&file, 1, false).unwrap_err().to_string();
    assert!(error.contains("is a file and no folder; name a folder"), "{error}");
}
