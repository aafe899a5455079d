//! Lines that somebody types, or that come through a pipe.

use std::io::{self, BufRead, Read};

/// One line, as far as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// A line without its end.
    Line(Vec<u8>),
    /// The beginning of a line that is too long; the rest of it is skipped.
    TooLong(Vec<u8>),
    /// There is none any more.
    End,
}

/// Reads a line of at most so many bytes.
///
/// ```
/// use rookery_terminal::{Typed, read_typed};
///
/// let mut input = &b"e2\r\nfar too long\nlast"[..];
/// assert_eq!(read_typed(&mut input, 4)?, Typed::Line(b"e2".to_vec()));
/// assert_eq!(read_typed(&mut input, 4)?, Typed::TooLong(b"far ".to_vec()));
/// assert_eq!(read_typed(&mut input, 4)?, Typed::Line(b"last".to_vec()));
/// assert_eq!(read_typed(&mut input, 4)?, Typed::End);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_typed(input: &mut dyn BufRead, max_bytes: usize) -> io::Result<Typed> {
    let mut line = vec![];
    // The end of a line does not count.
    (&mut *input).take(max_bytes as u64 + 2).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(Typed::End);
    }
    let ended = line.ends_with(b"\n");
    while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        line.pop();
    }
    if line.len() <= max_bytes {
        return Ok(Typed::Line(line));
    }
    if !ended {
        skip_line(input)?;
    }
    line.truncate(max_bytes);
    Ok(Typed::TooLong(line))
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let n_bytes = end.map_or(buffer.len(), |end| end + 1);
        input.consume(n_bytes);
        if end.is_some() || n_bytes == 0 {
            return Ok(());
        }
    }
}
