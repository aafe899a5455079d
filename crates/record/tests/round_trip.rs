//! What is written is read back as it happened.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::io::{self, Write};

use common::{Played, agreed, header, plain, play_on, rascals, simulate, wild};
use rookery_record::{Header, Line, RecordWriter, Replay, Step, random_record, resume, verify};
use rookery_referee::{
    Answering, ChatBox, Event, EventOf, Invitation, Observer, Player, Question, Referee, Start, TimeControl,
};
use rookery_rules::{Notation, Position, Seat, Seed, Setup};

/// The kinds of lines that the events of a match make.
fn kinds<P: Position>(events: &[EventOf<P>]) -> Vec<&'static str> {
    let kind = |event: &EventOf<P>| match event {
        Event::Started(_) => "record",
        Event::Moved { .. } => "moved",
        Event::Said { .. } => "said",
        Event::Resigned { .. } => "resigned",
        Event::Fouled(_) => "fouled",
        Event::TakenBack { .. } => "taken_back",
        Event::Drawn => "drawn",
        Event::Adjudicated { .. } => "adjudicated",
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
        Line::TakenBack(_) => "taken_back",
        Line::Drawn(_) => "drawn",
        Line::Adjudicated(_) => "adjudicated",
        Line::Stopped(_) => "stopped",
        Line::Verdict(_) => "verdict",
    }
}

/// A replay tells of each event as the observer saw it, times to the millisecond and evidence included.
fn replayed_as_it_happened<S: Setup<Position: Notation>>(record: &[u8], events: &[EventOf<S::Position>]) {
    let mut lines = record.split_inclusive(|&byte| byte == b'\n');
    let first = lines.next().unwrap();
    let mut replay = Replay::new::<S>(Header::parse(first).unwrap(), first).unwrap();
    let mut told = vec![];
    for line in lines {
        if replay.feed(line).unwrap() != Step::Stopped {
            told.push(replay.event().unwrap().clone());
        }
    }
    assert_eq!(told, events[1..]);
}

fn everything_reads_back<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    for seed in 0..150 {
        let terms = wild(seed);
        let Played { record, events, .. } = simulate(&setup, terms);
        let summary = verify::<S>(&record[..]).unwrap_or_else(|error| {
            panic!("{options} {terms:?}: {error}\n{}", String::from_utf8_lossy(&record))
        });
        let Some(Event::Ended(verdict)) = events.last() else { panic!("the last event is the end") };
        assert_eq!(summary.verdict.as_ref(), Some(&**verdict), "{options} {terms:?}");
        assert_eq!(summary.n_bytes, record.len() as u64);
        let lines: Vec<_> = record.split_inclusive(|&byte| byte == b'\n').map(kind_of).collect();
        let without_stop: Vec<_> = lines.iter().copied().filter(|&kind| kind != "stopped").collect();
        assert_eq!(without_stop, kinds::<S::Position>(&events), "{options} {terms:?}");
        replayed_as_it_happened::<S>(&record, &events);
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
    for seed in [0, 1, 2, 4, 9] {
        let terms = common::Wild { time: TimeControl::Untimed, ..wild(seed) };
        let (spec, start) = agreed(&setup, terms);
        let mut whole = vec![];
        let mut writer = RecordWriter::new(&mut whole, header(&setup, terms));
        play_on(Referee::of_spec(&spec, start.clone()), &spec, &mut rascals(&start), &mut writer);
        writer.finish().unwrap();
        verify::<S>(&whole[..]).unwrap();

        let ends = whole.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(idx, _)| idx + 1);
        let ends: Vec<usize> = ends.collect();
        for (idx, &end) in ends[..ends.len() - 1].iter().enumerate() {
            for torn in [0, (ends[idx + 1] - end) / 2, ends[idx + 1] - end - 1] {
                let resumed = resume::<S>(&whole[..end + torn]).unwrap();
                assert_eq!(resumed.n_bytes, end as u64, "a torn line is cut off");
                assert_eq!(resumed.header.spec, spec);
                let mut file = whole[..end].to_vec();
                let mut writer = resumed.writer(&mut file);
                play_on(resumed.referee.clone(), &spec, &mut rascals(&start), &mut writer);
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

/// Cut after any line, the clocks stand as they stood then, take-backs and refused answers included.
#[test]
fn fault_s01_clocks_come_back_to_the_millisecond() {
    use rookery_games::hexapawn::Setup as Hexapawn;
    let setup = Hexapawn::parse("rows=8,cols=8").unwrap();
    let mut n_taken_back = 0;
    for (seed, time) in (1..40).zip(["10s+100ms", "1s/30s", "5s"].into_iter().cycle()) {
        let terms = common::Wild { time: time.parse().unwrap(), casual: true, ..wild(seed) };
        let Played { record, events, referee } = simulate(&setup, terms);
        let lines: Vec<&[u8]> = record.split_inclusive(|&byte| byte == b'\n').collect();
        // What the events say of the clocks, move by move.
        let (spec, start) = agreed(&setup, terms);
        let fresh = Referee::of_spec(&spec, start).clock().clone();
        let (mut clocks, mut past) = (fresh.clone(), vec![]);
        for (event, end) in events.iter().zip(1..) {
            match event {
                Event::Moved { seat, charge: Some(charge), .. } => {
                    past.push(clocks.clone());
                    assert_eq!(clocks.charge(*seat, charge.used, true), Some(*charge));
                }
                Event::TakenBack { to, .. } => {
                    past.truncate(*to as usize + 1);
                    clocks = past.pop().unwrap();
                    n_taken_back += 1;
                }
                Event::Ended(_) => continue,
                _ => {}
            }
            let resumed = resume::<Hexapawn>(&lines[..end].concat()[..]).unwrap();
            assert_eq!(resumed.referee.clock(), &clocks, "{time}: after line {end}");
        }
        assert_eq!(referee.clock(), &clocks);
    }
    assert!(n_taken_back > 10, "moves are taken back: {n_taken_back}");
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
    let (spec, start) = agreed(&setup, plain(0));
    for writes in [0, 1, 5] {
        let mut writer = RecordWriter::new(Full(writes), header(&setup, plain(0)));
        let referee = Referee::of_spec(&spec, start.clone());
        play_on(referee, &spec, &mut rascals(&start), &mut writer);
        assert!(writer.error().is_some());
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
    let (spec, start) = agreed(&setup, plain(0));
    let mut count = Count(vec![]);
    let mut seen: Vec<EventOf<_>> = vec![];
    let mut watch = (RecordWriter::new(&mut count, header(&setup, plain(0))), &mut seen);
    play_on(Referee::of_spec(&spec, start.clone()), &spec, &mut rascals(&start), &mut watch);
    watch.0.finish().unwrap();
    assert_eq!(count.0.len(), seen.len());
    assert!(count.0.iter().all(|write| write.ends_with(b"\n")));
}

#[test]
fn a_match_that_is_over_at_once() {
    use rookery_games::hexapawn::Setup as Hexapawn;
    let setup = Hexapawn::parse("rows=3,cols=3").unwrap();
    let mut over = setup.start();
    over.remove(Seat::new(0));
    let (mut spec, _) = agreed(&setup, plain(0));
    spec.start = Some(Start { opening: None, position: Some(over.to_text()), moves: vec![] });
    let mut record = vec![];
    let mut writer = RecordWriter::new(&mut record, Header::new(spec.clone(), over.to_text()));
    let referee = Referee::of_spec(&spec, over.clone());
    writer.see(&Event::Started(Box::new(over.clone())), &over);
    writer.see(&Event::Ended(Box::new(referee.verdict().unwrap().clone())), &over);
    writer.finish().unwrap();
    let summary = verify::<Hexapawn>(&record[..]).unwrap();
    assert_eq!((summary.plies, summary.n_lines), (0, 2));
}

/// Talks a lot, and plays at random.
struct Talker(Option<ChatBox>);

impl<P: Position> Player<P> for Talker {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        self.0 = Some(invitation.chat.clone());
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
        let terms = common::Wild { time: time.parse().unwrap(), ..plain(1) };
        let (spec, start) = agreed(&setup, terms);
        let mut record = vec![];
        let mut writer = RecordWriter::new(&mut record, header(&setup, terms));
        let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(Talker(None)), Box::new(Talker(None))];
        play_on(Referee::of_spec(&spec, start), &spec, &mut players, &mut writer);
        writer.finish().unwrap();
        let summary = verify::<Hexapawn>(&record[..]).unwrap();
        let said = record.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{\"said\"")).count();
        assert_eq!(said as u64, summary.plies, "{time}: also what is said with the last move");
    }
}
