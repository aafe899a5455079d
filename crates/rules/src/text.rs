//! Texts of people: lines that somebody types or that come through a pipe, and what can be shown without harm.

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
/// use rookery_rules::text::{Typed, read_typed};
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

/// The same text without anything that could move the cursor, change colours or reorder what is shown.
///
/// ```
/// assert_eq!(rookery_rules::text::clean("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
/// ```
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// The same for a text of several lines, whose ends stay.
pub fn clean_lines(text: &str) -> String {
    text.chars().map(|c| if c != '\n' && is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// One word of a command as it can be typed into a shell.
///
/// ```
/// use rookery_rules::text::shell_quoted;
/// assert_eq!(shell_quoted("mine=hard"), "mine=hard");
/// assert_eq!(shell_quoted("cmd:./my bot"), "'cmd:./my bot'");
/// ```
pub fn shell_quoted(word: &str) -> String {
    let word = clean(word);
    let is_simple = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_simple) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether a character does something instead of being seen: controls, and the format characters of Unicode.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890 | 0x891 | 0x8e2 | 0x180e
                | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb
                | 0x110bd | 0x110cd | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
                | 0xe0000..=0xe007f
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_the_cursor() {
        for c in (0..0x11_0000).filter_map(char::from_u32) {
            let shown = clean(&c.to_string());
            assert!(!shown.chars().any(char::is_control), "{c:?}");
        }
        assert_eq!(clean("x\u{202e}y"), "x\u{fffd}y");
    }
}
