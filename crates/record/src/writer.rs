//! Writing a record while the match runs.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use rookery_referee::{Cause, Event, EventOf, Observer, Verdict};
use rookery_rules::Position;
use sha2::{Digest, Sha256};

use crate::line::milliseconds;
use crate::{
    AdjudicatedLine, DrawnLine, FouledLine, Header, Line, MAX_LINE, MovedLine, ResignedLine, SaidLine,
    StoppedLine, TakenBackLine, VerdictLine,
};

/// Watches a match and writes it down, with one `write` for each event: a crash loses at most the last line. So give
/// it a file, not a buffer around one.
///
/// A failure to write never disturbs the match; [`finish`](RecordWriter::finish) tells of the first.
#[derive(Debug)]
pub struct RecordWriter<W> {
    out: W,
    /// Gone once it is written.
    header: Option<Header>,
    hash: Sha256,
    buffer: Vec<u8>,
    /// The text of a move.
    text: String,
    error: Option<io::Error>,
}

impl<W: Write> RecordWriter<W> {
    /// A new record. The header is written when the match starts.
    pub fn new(out: W, header: Header) -> Self {
        Self::with(out, Some(header), Sha256::new())
    }

    /// Goes on with a record whose lines so far have this hash.
    pub(crate) fn append(out: W, hash: Sha256) -> Self {
        Self::with(out, None, hash)
    }

    fn with(out: W, header: Option<Header>, hash: Sha256) -> Self {
        Self {
            out,
            header,
            hash,
            buffer: Vec::with_capacity(1024),
            text: String::with_capacity(64),
            error: None,
        }
    }

    /// The first thing that went wrong so far. Nothing is written after it.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Flushes, and gives back what was written to, or the first thing that went wrong.
    pub fn finish(mut self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn verdict(&mut self, verdict: &Verdict) -> io::Result<()> {
        let ending = &verdict.ending;
        if let Cause::PlatformAbort | Cause::Cancelled = ending.cause {
            // The only endings that do not follow from the lines before; with a line of their own the hash covers them.
            push_line(&mut self.buffer, &Line::Stopped(StoppedLine::of(ending)))?;
            self.hash.update(&self.buffer);
        }
        let sha256 = hex(&self.hash);
        push_line(&mut self.buffer, &Line::Verdict(VerdictLine::of(verdict, &sha256)))?;
        self.out.write_all(&self.buffer)
    }

    fn write<P: Position>(&mut self, event: &EventOf<P>) -> io::Result<()> {
        self.buffer.clear();
        match event {
            Event::Started(_) => match self.header.take() {
                Some(header) => push_line(&mut self.buffer, &Line::Record(Box::new(header)))?,
                None => return Ok(()),
            },
            Event::Moved { seat, mv, charge, info } => {
                self.text.clear();
                write!(self.text, "{mv}").map_err(io::Error::other)?;
                let (ms, left_ms) = milliseconds(*charge);
                let mv = self.text.as_str().into();
                let info = info.as_deref().map(Cow::Borrowed);
                let line = Line::Moved(MovedLine { seat: seat.index() as u8, mv, ms, left_ms, info });
                push_line(&mut self.buffer, &line)?;
            }
            Event::Said { seat, text } => {
                let line = Line::Said(SaidLine { seat: seat.index() as u8, text: text.as_str().into() });
                push_line(&mut self.buffer, &line)?;
            }
            Event::Resigned { seat } => {
                push_line(&mut self.buffer, &Line::Resigned(ResignedLine { seat: seat.index() as u8 }))?;
            }
            Event::Fouled(foul) => push_line(&mut self.buffer, &Line::Fouled(FouledLine::of(foul)))?,
            Event::TakenBack { seat, to } => {
                let line = TakenBackLine { seat: seat.index() as u8, to: *to };
                push_line(&mut self.buffer, &Line::TakenBack(line))?;
            }
            Event::Drawn => push_line(&mut self.buffer, &Line::Drawn(DrawnLine {}))?,
            Event::Adjudicated { winner } => {
                let winner = winner.map(|seat| seat.index() as u8);
                push_line(&mut self.buffer, &Line::Adjudicated(AdjudicatedLine { winner }))?;
            }
            Event::Ended(verdict) => return self.verdict(verdict),
        }
        self.hash.update(&self.buffer);
        self.out.write_all(&self.buffer)
    }
}

impl<P: Position, W: Write> Observer<P> for RecordWriter<W> {
    fn see(&mut self, event: &EventOf<P>, _: &P) {
        // After an error nothing more is written: a record with a gap would be a wrong one.
        if self.error.is_none() {
            self.error = self.write::<P>(event).err();
        }
    }
}

fn push_line(buffer: &mut Vec<u8>, line: &Line<'_>) -> io::Result<()> {
    let before = buffer.len();
    serde_json::to_writer(&mut *buffer, line)?;
    buffer.push(b'\n');
    let len = buffer.len() - before;
    if len > MAX_LINE {
        return Err(io::Error::other(format!("a line of {len} bytes is longer than a record's {MAX_LINE}")));
    }
    Ok(())
}

/// The hash so far, in lower-case hexadecimal digits.
pub(crate) fn hex(hash: &Sha256) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bytes = hash.clone().finalize();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
