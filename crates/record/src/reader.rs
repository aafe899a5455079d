//! Lines from a file, with bounds, also from one that still grows.

use std::io::{BufRead, Read};

use crate::{Problem, RecordError};

/// The longest line read or written, in bytes with its newline.
pub const MAX_LINE: usize = 64 * 1024;

/// The most lines of a record read, unless told otherwise.
pub const MAX_LINES: u64 = 1_000_000;

/// The lines of a record, one at a time, without ever holding more than one.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// Whole lines read so far.
    n_read: u64,
    /// The most lines read.
    limit: u64,
    /// Whether `buffer` holds the beginning of a line whose end is not there yet.
    torn: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of this source.
    pub fn new(source: R) -> Self {
        Self { source, buffer: Vec::with_capacity(256), n_read: 0, limit: MAX_LINES, torn: false }
    }

    /// The same with another bound on the number of lines.
    #[must_use]
    pub fn with_max_lines(self, max_lines: u64) -> Self {
        Self { limit: max_lines, ..self }
    }

    /// The next whole line with its newline, or `None` at the end of what is there. May be called again when the file
    /// has grown.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, RecordError> {
        if !self.torn {
            self.buffer.clear();
        }
        let room = (MAX_LINE - self.buffer.len()) as u64;
        if let Err(error) = self.source.by_ref().take(room).read_until(b'\n', &mut self.buffer) {
            self.torn = !self.buffer.is_empty();
            return Err(RecordError { line: self.n_read + 1, problem: Problem::Io(error) });
        }
        self.torn = !self.buffer.is_empty() && self.buffer.last() != Some(&b'\n');
        if self.buffer.is_empty() || (self.torn && self.buffer.len() < MAX_LINE) {
            return Ok(None);
        }
        self.n_read += 1;
        if self.torn {
            let text = format!("the line is longer than {MAX_LINE} bytes; expected a line of a match record");
            return Err(self.error(Problem::TooLong(text)));
        }
        if self.n_read > self.limit {
            let text = format!("the record has more than {} lines, more than is read", self.limit);
            return Err(self.error(Problem::TooLong(text)));
        }
        Ok(Some(&self.buffer))
    }

    /// How many bytes of an unfinished line there are after the last whole one.
    pub fn torn_bytes(&self) -> usize {
        if self.torn { self.buffer.len() } else { 0 }
    }

    /// The same problem, with the number of the line read last.
    pub fn error(&self, problem: Problem) -> RecordError {
        RecordError { line: self.n_read.max(1), problem }
    }

    /// The first line, which must be there.
    pub fn first_line(&mut self) -> Result<&[u8], RecordError> {
        // Looked at twice because a borrow that is returned lasts for the whole function.
        if self.next_line()?.is_none() {
            let problem = if self.torn { Problem::TornHeader } else { Problem::Empty };
            return Err(self.error(problem));
        }
        Ok(&self.buffer)
    }
}
