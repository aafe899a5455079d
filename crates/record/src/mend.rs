//! What a crash or a power cut has left of a record, put in order so that the match can go on. Nothing is lost: what is
//! cut off is kept beside the record.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::{Header, Line, MAX_LINE, Problem};

/// The largest record that is gone on with.
const MAX_BYTES: u64 = 256 << 20;

/// The end of a file that was cut off because it could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// How many bytes.
    pub n_bytes: u64,
    /// How many bytes before them were kept.
    pub kept: u64,
    /// What was wrong with them.
    pub why: String,
    /// Where they are now.
    pub beside: PathBuf,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_bytes, kept, why, beside } = self;
        let bytes = if *n_bytes == 1 { "byte was" } else { "bytes were" };
        let name = beside.file_name().unwrap_or_default().to_string_lossy();
        write!(f, "the last {n_bytes} {bytes} cut off and kept in {name}: {why}; ")?;
        match kept {
            0 => f.write_str("nothing before them is whole, and the game is played anew"),
            _ => write!(f, "the {kept} bytes before are kept"),
        }
    }
}

/// How far a match had come, by its record.
pub(crate) struct Mended {
    /// All lines that count.
    pub(crate) lines: Vec<u8>,
    /// Whether the last of them is a verdict.
    pub(crate) finished: bool,
    pub(crate) cut: Option<Cut>,
}

/// Reads a record, and cuts off what a crash has left half-written: a line without an end, zeros, or anything else that is
/// no line of a record; also a stop without its verdict. What was cut off is kept beside it.
///
/// A record that has a verdict is never cut, whatever else is wrong with it: its match is over. Neither is a file whose
/// first line is whole but no header: it is of another version of the format, or no record at all.
pub(crate) fn mend(file: &mut File, path: &Path) -> Result<Mended, Problem> {
    let len = file.metadata().map_err(Problem::Io)?.len();
    if len > MAX_BYTES {
        return Err(Problem::TooLong(format!("the record has {len} bytes; at most {MAX_BYTES} are read")));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    file.rewind().and_then(|()| file.take(MAX_BYTES).read_to_end(&mut bytes)).map_err(Problem::Io)?;
    let Found { kept, finished, damage } = read(&bytes)?;
    let rest = &bytes[kept..];
    if rest.is_empty() {
        return Ok(Mended { lines: bytes, finished, cut: None });
    }
    let damage = damage.unwrap_or_else(|| "a stop without its verdict does not count".to_owned());
    if finished || has_verdict(rest) {
        return Err(Problem::wrong(format!(
            "the record is damaged ({damage}), but it has a verdict, so nothing is played over it; look at it with \
             `rookery verify`, then move it away to play the game anew"
        )));
    }
    let zeros = rest.iter().all(|&byte| byte == 0);
    let why = if zeros { "nothing but zeros, as a power cut leaves them".to_owned() } else { damage };
    let beside = keep_beside(path, rest).map_err(Problem::Io)?;
    let cut = Cut { n_bytes: rest.len() as u64, kept: kept as u64, why, beside };
    file.set_len(kept as u64).map_err(Problem::Io)?;
    bytes.truncate(kept);
    Ok(Mended { lines: bytes, finished: false, cut: Some(cut) })
}

/// Puts the file where the next line goes.
pub(crate) fn seek_end(file: &mut File) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

struct Found {
    /// How many bytes are lines that count.
    kept: usize,
    finished: bool,
    /// What is wrong with the first line after them.
    damage: Option<String>,
}

fn read(bytes: &[u8]) -> Result<Found, Problem> {
    let mut kept = 0;
    // Behind the last line that is no stop.
    let mut before_stop = 0;
    let mut finished = false;
    let mut damage = None;
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        if line.last() != Some(&b'\n') {
            damage = Some(format!("line {number} has no end"));
            break;
        }
        if finished {
            damage = Some(format!("line {number} stands after the verdict"));
            break;
        }
        if number == 1 {
            Header::parse(line).map_err(no_header)?;
        }
        let Some(known) = known(line) else {
            damage = Some(format!("line {number} is no line of a record"));
            break;
        };
        kept += line.len();
        match known {
            Known::Stop => {}
            Known::Verdict => {
                finished = true;
                before_stop = kept;
            }
            Known::Other => before_stop = kept,
        }
    }
    Ok(Found { kept: before_stop, finished, damage })
}

enum Known {
    Stop,
    Verdict,
    Other,
}

/// Why a first line that is whole is no header.
fn no_header(problem: Problem) -> Problem {
    match problem {
        Problem::Version(_) => problem,
        other => Problem::wrong(format!(
            "its first line is no header of a record, so it is left as it is: {other}"
        )),
    }
}

/// What a line is, if it is one of a record at all. Whether it says what can have happened is for a replay to tell.
fn known(line: &[u8]) -> Option<Known> {
    if line.len() > MAX_LINE {
        return None;
    }
    match Line::parse(line) {
        Ok(Line::Verdict(_)) => Some(Known::Verdict),
        Ok(Line::Stopped(_)) => Some(Known::Stop),
        Ok(_) => Some(Known::Other),
        Err(_) => None,
    }
}

/// Whether there was a verdict, as far as one can tell from what is damaged. Of a whole line one of its two words is
/// enough. One without an end was being written, and follows from the lines before, unless something stands where its end
/// should be: then it had one.
fn has_verdict(rest: &[u8]) -> bool {
    let contains = |word: &[u8]| rest.windows(word.len()).any(|window| window == word);
    if rest.contains(&b'\n') {
        return contains(b"verdict") || contains(b"sha256");
    }
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<Line<'_>>();
    let is_verdict = matches!(values.next(), Some(Ok(Line::Verdict(_))));
    is_verdict && values.byte_offset() < rest.len()
}

/// Writes the bytes into a new file beside the record: its name with `.damaged`, and a number if there is one already.
fn keep_beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1;
    loop {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let beside = path.with_file_name(format!("{name}.damaged{suffix}"));
        match File::create_new(&beside) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                file.sync_all()?;
                return Ok(beside);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(error) => return Err(error),
        }
    }
}
