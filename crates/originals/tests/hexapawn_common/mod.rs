//! Players for the tests of Hexapawn's protocols.
#![allow(dead_code, reason = "each test uses its own part")]

use std::fmt::Write as _;
use std::time::Duration;

use rookery_catalog::{Hexapawn, seat};
use rookery_originals::hexapawn::host::{Agreed, Chair, Protocol, agree, host};
use rookery_originals::hexapawn::{FRAMING, bounds};
use rookery_record::Limits;
use rookery_referee::{Terms, TimeControl, Verdict};
use rookery_rules::Seed;
use rookery_wire::Connection;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use tokio::task::JoinHandle;

/// Longer than any of this takes on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A player at the other end of a pipe in memory that says what it is told to.
#[derive(Debug)]
pub(crate) struct Script(JoinHandle<String>);

impl Script {
    /// Gives these answers, one a question, and then none any more.
    pub(crate) fn new(answers: &[&str]) -> (Chair, Self) {
        Self::start(answers, None)
    }

    /// Never says anything.
    pub(crate) fn silent() -> (Chair, Self) {
        Self::new(&[])
    }

    /// Speaks before it is asked.
    pub(crate) fn hasty(words: &str) -> (Chair, Self) {
        Self::start(&[], Some(words))
    }

    fn start(answers: &[&str], early: Option<&str>) -> (Chair, Self) {
        let (ours, theirs) = duplex(1 << 16);
        let (reader, writer) = split(ours);
        let connection = Connection::new(reader, writer, "a script", FRAMING, bounds());
        let answers = answers.iter().map(|&answer| answer.to_owned()).collect();
        let talk = tokio::spawn(talk(theirs, answers, early.map(str::to_owned)));
        (Chair::remote(connection, Duration::ZERO), Self(talk))
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

/// One of our own players.
pub(crate) fn builtin(spec: &str) -> Chair {
    let player = seat::<Hexapawn>(&spec.parse().unwrap(), Limits::default(), false).unwrap();
    Chair::Local(player)
}

pub(crate) fn terms() -> Terms {
    Terms::new(TimeControl::PerMove(Duration::from_secs(20)), Seed(0))
}

pub(crate) async fn match_between(protocol: Protocol, rows: u8, cols: u8, one: Chair, two: Chair) -> Verdict {
    agreed_match(protocol, rows, cols, one, two).await.1
}

pub(crate) async fn agreed_match(
    protocol: Protocol,
    rows: u8,
    cols: u8,
    one: Chair,
    two: Chair,
) -> (Agreed, Verdict) {
    let mut chairs = [one, two];
    let agreed = agree(&mut chairs, protocol, rows, cols, Duration::from_secs(20)).await;
    let verdict = host(chairs, &agreed, &terms(), &mut ()).await;
    (agreed, verdict)
}
