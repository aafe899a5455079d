//! What a crash or a power cut has left of a record, put in order so that the match can go on.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use rookery_referee::Verdict;
use rookery_rules::{Notation, Position, Setup};
use serde::de::IgnoredAny;

use crate::{Header, Lines, Problem, RecordError, Replay, Resumed};

/// A record after its unreadable end was cut off.
#[derive(Debug)]
pub struct Salvaged<P: Position> {
    /// How far the match had come.
    pub left: Left<P>,
    /// The record, to be written on behind what was kept.
    pub file: File,
    /// What was cut off.
    pub cut: Option<Cut>,
}

/// How far a match had come.
#[derive(Debug)]
pub enum Left<P: Position> {
    /// Not even the header is whole: the match is played anew.
    Nothing,
    /// The match can go on.
    Unfinished(Box<Resumed<P>>),
    /// The match is over.
    Finished(Verdict),
}

/// The end of a file that was cut off because it could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// How many bytes.
    pub n_bytes: u64,
    /// How many bytes before them were kept.
    pub kept: u64,
    /// What was wrong with them.
    pub why: String,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_bytes, kept, why } = self;
        let bytes = if *n_bytes == 1 { "byte was" } else { "bytes were" };
        write!(f, "the last {n_bytes} {bytes} cut off: {why}; ")?;
        match kept {
            0 => f.write_str("nothing before them is whole, and the game is played anew"),
            _ => write!(f, "the {kept} bytes before are kept"),
        }
    }
}

/// Reads the record of the match that this header describes, and cuts off what a crash has left half-written: a line
/// without an end, zeros, or anything else that is not even a JSON object. All whole lines before it are kept.
///
/// A whole line that says what cannot have happened was not left by a crash. It is an error, and the file stays as it is.
pub fn salvage<S: Setup<Position: Notation>>(
    path: &Path,
    header: &Header,
) -> Result<Salvaged<S::Position>, RecordError> {
    let io = |error| RecordError { line: 1, problem: Problem::Io(error) };
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
    let len = file.metadata().map_err(io)?.len();
    let (left, kept, damage) = read::<S>(&file, header)?;
    let n_bytes = len.saturating_sub(kept);
    let mut cut = None;
    if n_bytes > 0 {
        let zeros = is_zero(&mut file, kept).map_err(io)?;
        let why = if zeros {
            "nothing but zeros, as a power cut leaves them".to_owned()
        } else {
            damage.unwrap_or_else(|| "a stop without its verdict does not count".to_owned())
        };
        file.set_len(kept).map_err(io)?;
        cut = Some(Cut { n_bytes, kept, why });
    }
    file.seek(SeekFrom::Start(kept)).map_err(io)?;
    Ok(Salvaged { left, file, cut })
}

/// How far the match had come, how many bytes say so, and what is wrong with the first line after them.
type Found<S> = (Left<<S as Setup>::Position>, u64, Option<String>);

fn read<S: Setup<Position: Notation>>(file: &File, header: &Header) -> Result<Found<S>, RecordError> {
    let mut lines = Lines::new(BufReader::new(file));
    let mut replay: Option<Replay<S::Position>> = None;
    let mut number = 0;
    let damage = loop {
        number += 1;
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => break no_end(&lines, number),
            Err(error) => match (&error.problem, no_end(&lines, number)) {
                // What else is too long is a record of too many lines, all of them whole.
                (Problem::TooLong(_), damage @ Some(_)) => break damage,
                _ => return Err(error),
            },
        };
        let problem = match &mut replay {
            Some(replay) => replay.feed(line).err(),
            None => match begin::<S>(line, header) {
                Ok(new) => {
                    replay = Some(new);
                    None
                }
                Err(problem) => Some(problem),
            },
        };
        // What is no JSON object has not changed the replay: it is refused before anything else is looked at.
        match problem {
            None => {}
            Some(_) if !is_object(line) => break Some(format!("line {number} is no line of a record")),
            Some(problem) => return Err(lines.error(problem)),
        }
    };
    let Some(replay) = replay else { return Ok((Left::Nothing, 0, damage)) };
    let summary = replay.summary(0).map_err(|problem| lines.error(problem))?;
    let left = match summary.verdict {
        Some(verdict) => Left::Finished(verdict),
        None => Left::Unfinished(Box::new(replay.into_resumed().map_err(|problem| lines.error(problem))?)),
    };
    Ok((left, summary.n_bytes, damage))
}

/// What is wrong if the file ends within a line.
fn no_end<R: BufRead>(lines: &Lines<R>, number: u64) -> Option<String> {
    (lines.torn_bytes() > 0).then(|| format!("line {number} has no end"))
}

fn begin<S: Setup<Position: Notation>>(line: &[u8], header: &Header) -> Result<Replay<S::Position>, Problem> {
    let found = Header::parse(line)?;
    if found != *header {
        return Err(Problem::wrong("it is the record of another match; choose another folder"));
    }
    Replay::new::<S>(found, line)
}

fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Whether there is nothing but zeros from here on.
fn is_zero(file: &mut File, from: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(from))?;
    let mut buffer = [0; 4096];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(true),
            n if buffer[..n].iter().any(|&byte| byte != 0) => return Ok(false),
            _ => {}
        }
    }
}
