//! Players for the tests of Hexapawn's protocols.
#![allow(dead_code, reason = "each test uses its own part")]

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rookery_catalog::agree;
use rookery_games::hexapawn::{Eliminate, Setup};
use rookery_live::{Guest, Match, prepare};
use rookery_originals::hexapawn::elimination::settle_size;
use rookery_originals::hexapawn::{CONDUCT, Spoken};
use rookery_record::Slot;
use rookery_referee::{End, TimeControl, Verdict, words};
use rookery_rules::{GameSpec, Seed, Setup as _};
use rookery_wire::{Connection, Lent, Process, Protocols};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use tokio::task::JoinHandle;

/// Longer than any of this takes on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A player at the other end of a pipe in memory that says what it is told to.
#[derive(Debug)]
pub(crate) struct Script(JoinHandle<String>);

impl Script {
    /// Gives these answers, one a question, and then none any more.
    pub(crate) fn new(answers: &[&str]) -> (Guest, Self) {
        Self::start(answers, None)
    }

    /// Never says anything.
    pub(crate) fn silent() -> (Guest, Self) {
        Self::new(&[])
    }

    /// Speaks before it is asked.
    pub(crate) fn hasty(words: &str) -> (Guest, Self) {
        Self::start(&[], Some(words))
    }

    fn start(answers: &[&str], early: Option<&str>) -> (Guest, Self) {
        let (ours, theirs) = duplex(1 << 16);
        let (reader, writer) = split(ours);
        let answers = answers.iter().map(|&answer| answer.to_owned()).collect();
        let talk = tokio::spawn(talk(theirs, answers, early.map(str::to_owned)));
        (
            linked(|protocol| Connection::new(reader, writer, "a script", protocol.framing, protocol.bounds)),
            Self(talk),
        )
    }

    /// Everything that was said, `<` to the player and `>` by it.
    pub(crate) async fn finish(self) -> String {
        tokio::time::timeout(PATIENCE, self.0).await.unwrap().unwrap()
    }
}

async fn talk(stream: DuplexStream, answers: Vec<String>, early: Option<String>) -> String {
    let (reader, mut writer) = split(stream);
    let mut log = String::new();
    let mut say = async |log: &mut String, words: String| {
        writer.write_all(format!("{words}\n").as_bytes()).await.unwrap();
        writeln!(log, "> {words}").unwrap();
    };
    if let Some(words) = early {
        say(&mut log, words).await;
    }
    let mut lines = BufReader::new(reader).lines();
    let mut answers = answers.into_iter();
    while let Ok(Some(line)) = lines.next_line().await {
        writeln!(log, "< {line}").unwrap();
        if !line.starts_with("gameEnded")
            && let Some(answer) = answers.next()
        {
            say(&mut log, answer).await;
        }
    }
    log
}

/// Somebody at the end of a connection, in whichever protocol the match is played.
pub(crate) fn linked(connect: impl FnOnce(rookery_wire::Protocol) -> Connection) -> Guest {
    let protocol = Spoken::Elimination.protocol();
    Guest::Linked(Lent::owned(Box::new(connect(protocol))), protocol.name)
}

/// A program that is started.
pub(crate) fn program(command: &str) -> Guest {
    let process = Process::start(command).unwrap();
    linked(|protocol| Connection::process(process, protocol.framing, protocol.bounds))
}

/// One of our own players.
pub(crate) fn builtin(spec: &str) -> Guest {
    Guest::BuiltIn(spec.parse().unwrap())
}

/// How it ended, in a sentence.
pub(crate) fn sentence(verdict: &Verdict) -> String {
    words::verdict(verdict, &|seat| format!("player {}", seat.index() + 1))
}

/// A time in which any of this is done.
pub(crate) const TURN: Duration = Duration::from_secs(20);

/// A match that is ready, and the size that was settled.
pub(crate) async fn ready(
    spoken: Spoken,
    given: (u8, u8),
    mut guests: Vec<Guest>,
    time: Duration,
    slot: Option<Slot>,
) -> (Match, Option<(u8, u8)>) {
    let (eliminate, settled) = match spoken {
        Spoken::Seed(_) => (Eliminate::Exactly(0), Some(given)),
        Spoken::Elimination => (Eliminate::Choose, settle_size(&mut guests, given, time).await),
    };
    for guest in &mut guests {
        if let Guest::Linked(_, protocol) = guest {
            *protocol = spoken.protocol().name;
        }
    }
    let (rows, cols) = settled.unwrap_or(given);
    let game = GameSpec::parse(&Setup { rows, cols, eliminate }.spec()).unwrap();
    let entries = ["cmd:one", "cmd:two"].map(|entry| entry.parse().unwrap());
    let mut spec = agree(&game, &entries, Seed(0)).unwrap();
    spec.time = TimeControl::PerMove(time);
    assert_eq!(spec.conduct, CONDUCT, "there is one conduct");
    let mut protocols = Protocols::default();
    spoken.register(&mut protocols, Duration::ZERO);
    (prepare(spec, guests, &protocols, slot).unwrap(), settled)
}

/// Plays it to the end.
pub(crate) async fn verdict_of(ready: Match) -> Verdict {
    let played = tokio::time::timeout(PATIENCE, ready.run()).await.unwrap();
    if let Some(receipt) = played.receipt {
        receipt.await.unwrap();
    }
    let End::Verdict(verdict) = played.end else { panic!("nobody stops it") };
    verdict
}

pub(crate) async fn match_between(spoken: Spoken, rows: u8, cols: u8, one: Guest, two: Guest) -> Verdict {
    agreed_match(spoken, rows, cols, one, two).await.1
}

pub(crate) async fn agreed_match(
    spoken: Spoken,
    rows: u8,
    cols: u8,
    one: Guest,
    two: Guest,
) -> (Option<(u8, u8)>, Verdict) {
    let (ready, settled) = ready(spoken, (rows, cols), vec![one, two], TURN, None).await;
    (settled, verdict_of(ready).await)
}

/// A text that is written while a match runs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    pub(crate) fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

impl io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut *self.0.lock().unwrap(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
