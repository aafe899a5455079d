//! What is written is read back as it happened.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{self, Write};

use common::{Played, header, play_on, rascals, simulate, wild};
use rookery_record::{Line, RecordWriter, random_record, resume, verify};
use rookery_referee::{Answering, ChatBox, Conduct, Event, EventOf, Observer, Player, Question, Referee};
use rookery_rules::{Notation, Position, Seat, Seed, Setup};

/// The kinds of lines that the events of a match make.
fn kinds<P: Position>(events: &[EventOf<P>]) -> Vec<&'static str> {
    let kind = |event: &EventOf<P>| match event {
        Event::Started(_) => "record",
        Event::Moved { .. } => "moved",
        Event::Said { .. } => "said",
        Event::Resigned { .. } => "resigned",
        Event::Fouled(_) => "fouled",
        Event::Ended(_) => "verdict",
    };
    events.iter().map(kind).collect()
}

fn kind_of(line: &[u8]) -> &'static str {
    match Line::parse(line).unwrap() {
        Line::Record(_) => "record",
        Line::Moved(_) => "moved",
        Line::Said(_) => "said",
        Line::Resigned(_) => "resigned",
        Line::Fouled(_) => "fouled",
        Line::Stopped(_) => "stopped",
        Line::Verdict(_) => "verdict",
    }
}

fn everything_reads_back<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    for seed in 0..150 {
        let terms = wild(seed);
        let Played { record, events } = simulate(&setup, terms);
        let summary = verify::<S>(&record[..]).unwrap_or_else(|error| {
            panic!("{options} {terms:?}: {error}\n{}", String::from_utf8_lossy(&record))
        });
        let Some(Event::Ended(verdict)) = events.last() else { panic!("the last event is the end") };
        assert_eq!(summary.verdict.as_ref(), Some(verdict), "{options} {terms:?}");
        assert_eq!(summary.n_bytes, record.len() as u64);
        let lines: Vec<_> = record.split_inclusive(|&byte| byte == b'\n').map(kind_of).collect();
        let without_stop: Vec<_> = lines.iter().copied().filter(|&kind| kind != "stopped").collect();
        assert_eq!(without_stop, kinds::<S::Position>(&events), "{options} {terms:?}");
        let again = simulate(&setup, terms).record;
        assert_eq!(again, record, "the same match gives the same file");
    }
}

#[test]
fn every_game_reads_back() {
    for_every_game!(everything_reads_back);
}

fn random_records_verify<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    for seed in 0..30 {
        let record = random_record(&setup, Seed(seed));
        assert!(verify::<S>(&record[..]).unwrap().verdict.is_some(), "{options} {seed}");
    }
}

#[test]
fn random_records() {
    for_every_game!(random_records_verify);
}

/// An untimed match with rascals, cut anywhere and resumed, gives the same file.
fn resumes_to_the_same_file<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    let start = setup.start();
    for seed in 0..4 {
        let mut terms = wild(seed);
        terms.time = "untimed".parse().unwrap();
        let mut whole = vec![];
        let mut writer = RecordWriter::new(&mut whole, header(&setup, &start, terms));
        let mut referee = Referee::new(start.clone(), terms.conduct);
        if let Some(max_turns) = terms.max_turns {
            referee = referee.with_max_plies(max_turns);
        }
        play_on(referee, None, terms, &mut rascals(&start), &mut writer);
        writer.finish().unwrap();
        verify::<S>(&whole[..]).unwrap();

        let ends = whole.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(idx, _)| idx + 1);
        let ends: Vec<usize> = ends.collect();
        for (idx, &end) in ends[..ends.len() - 1].iter().enumerate() {
            for torn in [0, (ends[idx + 1] - end) / 2, ends[idx + 1] - end - 1] {
                let resumed = resume::<S>(&whole[..end + torn]).unwrap();
                assert_eq!(resumed.n_bytes, end as u64, "a torn line is cut off");
                let mut file = whole[..end].to_vec();
                let mut writer = resumed.writer(&mut file);
                let clock = Some(resumed.clock.clone());
                play_on(resumed.referee.clone(), clock, terms, &mut rascals(&start), &mut writer);
                writer.finish().unwrap();
                assert!(file == whole, "{options} {seed}: cut after line {}", idx + 1);
            }
        }
        let error = resume::<S>(&whole[..]).unwrap_err();
        assert!(error.to_string().contains("the match is over"), "{error}");
    }
}

#[test]
fn resumed_matches_give_the_same_file() {
    resumes_to_the_same_file::<rookery_games::hexapawn::Setup>("rows=6,cols=6");
    resumes_to_the_same_file::<rookery_games::fish::Setup>("rows=5,cols=5,players=3,fish=1");
    resumes_to_the_same_file::<rookery_games::stones::Setup>("rows=4,cols=4,quiet=20");
}

#[test]
fn clocks_come_back_to_the_millisecond() {
    use rookery_games::hexapawn::Setup as Hexapawn;
    let setup = Hexapawn::parse("rows=8,cols=8").unwrap();
    for (seed, time) in [(1, "10s+100ms"), (2, "1s/30s"), (6, "5s")] {
        let terms = common::Wild { time: time.parse().unwrap(), ..wild(seed) };
        let Played { record, events } = simulate(&setup, terms);
        let end = record.len() - record.rsplit_inclusive_line();
        let resumed = resume::<Hexapawn>(&record[..end]).unwrap();
        for event in &events {
            if let Event::Moved { seat, charge: Some(charge), .. } = event {
                let later = events.iter().rev().find_map(|event| match event {
                    Event::Moved { seat: last, charge: Some(charge), .. } if last == seat => {
                        Some(charge.left)
                    }
                    _ => None,
                });
                let (left, exact) =
                    (resumed.clock.preview(*seat, std::time::Duration::ZERO).unwrap().left, later.unwrap());
                assert_eq!(left.as_millis(), exact.as_millis(), "{time}: {charge:?}");
            }
        }
    }
}

trait LastLine {
    fn rsplit_inclusive_line(&self) -> usize;
}

impl LastLine for Vec<u8> {
    /// The length of the last line.
    fn rsplit_inclusive_line(&self) -> usize {
        self.split_inclusive(|&byte| byte == b'\n').next_back().unwrap().len()
    }
}

#[test]
fn a_broken_disk_does_not_disturb_the_match() {
    #[derive(Debug)]
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or_else(|| io::Error::other("the disk is full"))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let setup = rookery_games::hexapawn::Setup::default();
    let (start, terms) = (setup.start(), wild(0));
    for writes in [0, 1, 5] {
        let mut writer = RecordWriter::new(Full(writes), header(&setup, &start, terms));
        let referee = Referee::new(start.clone(), Conduct::removing());
        play_on(referee, None, terms, &mut rascals(&start), &mut writer);
        assert_eq!(writer.finish().unwrap_err().to_string(), "the disk is full");
    }
}

#[test]
fn one_write_an_event() {
    struct Count(Vec<Vec<u8>>);
    impl Write for &mut Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let setup = rookery_games::hexapawn::Setup::default();
    let (start, terms) = (setup.start(), common::Wild { time: "untimed".parse().unwrap(), ..wild(0) });
    let mut count = Count(vec![]);
    let mut seen: Vec<EventOf<_>> = vec![];
    let mut watch = (RecordWriter::new(&mut count, header(&setup, &start, terms)), &mut seen);
    play_on(Referee::new(start.clone(), terms.conduct), None, terms, &mut rascals(&start), &mut watch);
    watch.0.finish().unwrap();
    assert_eq!(count.0.len(), seen.len());
    assert!(count.0.iter().all(|write| write.ends_with(b"\n")));
}

#[test]
fn a_match_that_is_over_at_once() {
    use rookery_games::hexapawn::Setup as Hexapawn;
    let setup = Hexapawn::parse("rows=3,cols=3").unwrap();
    let mut over = setup.start();
    over.remove(rookery_rules::Seat::new(0));
    let mut record = vec![];
    let mut writer = RecordWriter::new(&mut record, header(&setup, &over, wild(0)));
    let referee = Referee::new(over.clone(), Conduct::removing());
    writer.see(&Event::Started(over.clone()), &over);
    writer.see(&Event::Ended(referee.verdict().unwrap().clone()), &over);
    writer.finish().unwrap();
    let summary = verify::<Hexapawn>(&record[..]).unwrap();
    assert_eq!((summary.plies, summary.n_lines), (0, 2));
}

/// Talks a lot, and plays at random.
struct Talker(Option<ChatBox>);

impl<P: Position> Player<P> for Talker {
    fn seated(&mut self, _: Seat, chat: ChatBox) {
        self.0 = Some(chat);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let chat = self.0.as_ref().unwrap();
        chat.say(&format!("\u{1b}[2J\n\"move\" {} \\ é\u{2028}{}", question.ply, "x".repeat(400)));
        Answering::Now(Ok(question.position.random_move(&mut question.seed.rng()).unwrap()))
    }
}

#[test]
fn chat_is_kept() {
    use rookery_games::hexapawn::Setup as Hexapawn;
    let setup = Hexapawn::parse("rows=8,cols=8").unwrap();
    for time in ["untimed", "2s", "10s+100ms", "1s/30s"] {
        let (start, terms) =
            (setup.start(), common::Wild { time: time.parse().unwrap(), max_turns: None, ..wild(1) });
        let mut record = vec![];
        let mut writer = RecordWriter::new(&mut record, header(&setup, &start, terms));
        let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(Talker(None)), Box::new(Talker(None))];
        play_on(Referee::new(start, terms.conduct), None, terms, &mut players, &mut writer);
        writer.finish().unwrap();
        let summary = verify::<Hexapawn>(&record[..]).unwrap();
        let said = record.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{\"said\"")).count();
        assert_eq!(said as u64, summary.plies, "{time}: also what is said with the last move");
    }
}
