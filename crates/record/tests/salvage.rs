//! A record that a crash or a power cut has damaged anywhere goes on to the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Wild, header, play_on, wild};
use rookery_games::hexapawn::Setup as Hexapawn;
use rookery_record::{Header, Left, RecordWriter, Salvaged, salvage};
use rookery_referee::{Conduct, Player, Referee, Strategist};
use rookery_rules::Setup;
use rookery_search::Random;
use rookery_testkit::TempFolder;

type Position = <Hexapawn as Setup>::Position;

/// A match of two built-in players, and where its record lies.
struct Case {
    setup: Hexapawn,
    terms: Wild,
    header: Header,
    whole: Vec<u8>,
    path: PathBuf,
    _folder: TempFolder,
}

impl Case {
    fn new() -> Self {
        let setup = Hexapawn::parse("rows=5,cols=4").unwrap();
        let terms = Wild {
            conduct: Conduct::removing(),
            time: "untimed".parse().unwrap(),
            max_turns: None,
            ..wild(1)
        };
        let header = header(&setup, &setup.start(), terms);
        let folder = TempFolder::new("salvage");
        let path = folder.join("game.rookery.jsonl");
        let mut case = Self { setup, terms, header, whole: vec![], path, _folder: folder };
        let mut writer = RecordWriter::new(vec![], case.header.clone());
        case.play(Referee::new(setup.start(), Conduct::removing()), &mut writer);
        case.whole = writer.finish().unwrap();
        case
    }

    fn play(&self, referee: Referee<Position>, writer: &mut RecordWriter<impl std::io::Write + Send>) {
        let mut players: Vec<Box<dyn Player<_>>> =
            vec![Box::new(Strategist::inline(Random)), Box::new(Strategist::inline(Random))];
        play_on(referee, None, self.terms, &mut players, writer);
    }

    /// Goes on with a damaged file, and says how many bytes were kept and why the others were not.
    fn go_on(&self, damaged: &[u8]) -> (u64, String) {
        // Some file systems wait for the disk when a file is overwritten.
        let _ = fs::remove_file(&self.path);
        fs::write(&self.path, damaged).unwrap();
        let Salvaged { left, file, cut } = salvage::<Hexapawn>(&self.path, &self.header).unwrap();
        let kept = fs::metadata(&self.path).unwrap().len();
        assert_eq!(cut.as_ref().map_or(0, |cut| cut.n_bytes) + kept, damaged.len() as u64);
        assert!(cut.as_ref().is_none_or(|cut| cut.kept == kept));
        match left {
            Left::Nothing => {
                assert_eq!(kept, 0);
                let mut writer = RecordWriter::new(file, self.header.clone());
                self.play(Referee::new(self.setup.start(), self.terms.conduct), &mut writer);
                writer.finish().unwrap();
            }
            Left::Unfinished(resumed) => {
                let mut writer = resumed.writer(file);
                self.play(resumed.referee, &mut writer);
                writer.finish().unwrap();
            }
            Left::Finished(_) => {}
        }
        assert!(fs::read(&self.path).unwrap() == self.whole, "{}", String::from_utf8_lossy(damaged));
        (kept, cut.map(|cut| cut.to_string()).unwrap_or_default())
    }
}

#[test]
fn fault_s02_any_end_of_a_record_can_be_lost() {
    let case = Case::new();
    let whole = &case.whole;
    for len in 0..=whole.len() {
        let lines = whole[..len].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        // A hole, and what was written behind it.
        let hole = [vec![0; 40], whole[(len + 40).min(whole.len())..].to_vec()].concat();
        let long = vec![0; if len % 32 == 0 { 70_000 } else { 4096 }];
        let garbage = [&b"\xff\xfe\n\0{\n"[..], &whole[..len / 2]].concat();
        for tail in [&[][..], b"\0", &long, b"\x9f junk", b"7\n", &hole, &garbage] {
            let (kept, message) = case.go_on(&[&whole[..len], tail].concat());
            // Bytes that happen to fit may make a line whole.
            assert!(kept >= lines as u64, "all whole lines before byte {len} are kept: {message}");
            assert_eq!(message.is_empty(), len == lines && tail.is_empty(), "{len}: {message}");
        }
    }
}

#[test]
fn it_is_said_how_much_is_cut_off_and_why() {
    let case = Case::new();
    let second = 1 + case.whole.iter().position(|&byte| byte == b'\n').unwrap();
    let header = &case.whole[..second];
    let stop = b"{\"stopped\":{\"cause\":\"cancelled\",\"sentence\":\"enough\"}}\n";
    for (damaged, message) in [
        (&header[..7], "the last 7 bytes were cut off: line 1 has no end; nothing before them is whole"),
        (
            &[0; 300][..],
            "the last 300 bytes were cut off: nothing but zeros, as a power cut leaves them; nothing",
        ),
        (&[header, b"\0"].concat(), "the last 1 byte was cut off: nothing but zeros"),
        (&[header, b"{\"mo"].concat(), "the last 4 bytes were cut off: line 2 has no end"),
        (&[header, b"{\"mo\n{\n"].concat(), "the last 7 bytes were cut off: line 2 is no line of a record"),
        (&[header, stop].concat(), "bytes were cut off: a stop without its verdict does not count"),
        (&[&case.whole, &b"x\n"[..]].concat(), "the last 2 bytes were cut off: line "),
    ] {
        let (kept, said) = case.go_on(damaged);
        assert!(said.contains(message), "{message}: {said}");
        assert_eq!(said.ends_with(&format!("; the {kept} bytes before are kept")), kept > 0, "{said}");
    }
}

#[test]
fn what_no_crash_leaves_is_not_touched() {
    let case = Case::new();
    let text = String::from_utf8(case.whole.clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (last, middle) = (lines[lines.len() - 1], lines[2]);
    for (from, to, complaint) in [
        ("\"seed\":1", "\"seed\":2", "line 1: it is the record of another match"),
        ("\"version\":1", "\"version\":2", "line 1: the record has version 2"),
        ("\"software\"", "\"hardware\":0,\"software\"", "line 1: column"),
        (middle, "{\"sung\":{\"seat\":0,\"text\":\"la\"}}", "line 3: column"),
        (middle, lines[1], "line 3: "),
        ("\"sha256\":\"", "\"sha256\":\"0", "`sha256` is"),
        (last, &format!("{last}\n{last}"), "there is a line after the verdict"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from} is there");
        fs::write(&case.path, &changed).unwrap();
        let error = salvage::<Hexapawn>(&case.path, &case.header).unwrap_err().to_string();
        assert!(error.contains(complaint), "{complaint}: {error}");
        assert_eq!(fs::read(&case.path).unwrap(), changed.as_bytes());
    }
}
