//! A whole record: to check it, or to go on with the match.

use std::io::{BufRead, Write};

use rookery_referee::Referee;
use rookery_rules::{Notation, Position, Setup};
use sha2::Sha256;

use crate::{Header, Lines, RecordError, RecordWriter, Replay, Summary};

/// Checks a record of a known game. A record that ends without a verdict is right as far as it goes; its summary says
/// that it is unfinished.
pub fn verify<S: Setup<Position: Notation>>(source: impl BufRead) -> Result<Summary, RecordError> {
    let (replay, lines) = replay_all::<S, _>(source)?;
    replay.summary(lines.torn_bytes()).map_err(|problem| lines.error(problem))
}

/// An unfinished match, ready to go on.
#[derive(Clone, Debug)]
pub struct Resumed<P: Position> {
    /// What the match was played under.
    pub header: Header,
    /// The referee as it stood; [`play`](rookery_referee::play) goes on with it.
    pub referee: Referee<P>,
    /// The moves that stand, those of an opening included.
    pub moves: Vec<P::Move>,
    /// How many bytes of the file to keep; what follows is a torn line, or a stop without its verdict.
    pub n_bytes: u64,
    pub(crate) hash: Sha256,
}

impl<P: Position> Resumed<P> {
    /// Writes what comes next. `out` stands behind the first [`n_bytes`](Resumed::n_bytes) bytes of the record, and
    /// nothing follows there.
    pub fn writer<W: Write>(&self, out: W) -> RecordWriter<W> {
        RecordWriter::append(out, self.hash.clone())
    }
}

/// Checks an unfinished record and gives back the match where it stopped.
pub fn resume<S: Setup<Position: Notation>>(
    source: impl BufRead,
) -> Result<Resumed<S::Position>, RecordError> {
    let (replay, lines) = replay_all::<S, _>(source)?;
    replay
        .summary(lines.torn_bytes())
        .and_then(|_| replay.into_resumed())
        .map_err(|problem| lines.error(problem))
}

type Replayed<S, R> = (Replay<<S as Setup>::Position>, Lines<R>);

fn replay_all<S: Setup<Position: Notation>, R: BufRead>(source: R) -> Result<Replayed<S, R>, RecordError> {
    let mut lines = Lines::new(source);
    let first = lines.first_line()?;
    let replay = Header::parse(first).and_then(|header| Replay::new::<S>(header, first));
    let mut replay = replay.map_err(|problem| lines.error(problem))?;
    while let Some(line) = lines.next_line()? {
        if let Err(problem) = replay.feed(line) {
            return Err(lines.error(problem));
        }
    }
    Ok((replay, lines))
}
