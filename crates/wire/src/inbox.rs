//! Cutting a stream of bytes into messages.

use rookery_referee::{Fault, Offence};

/// How messages are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// One message a line. A carriage return before the end of the line does not count, nor does an empty line.
    Lines,
    /// The same, but an empty line is a message too, and its protocol says what it means.
    EveryLine,
    /// JSON values one after the other, with or without white space between them. Only the cut is made here; whether
    /// a value is well-formed inside is for its reader to say.
    Json,
}

/// How much is read before somebody has sent too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most bytes of one message.
    pub bytes: usize,
    /// The most white space before a message.
    pub blanks: usize,
    /// The most brackets inside brackets of a JSON value.
    pub depth: usize,
}

impl Default for Bounds {
    /// 8 KiB a message, 64 KiB of white space, 16 brackets.
    fn default() -> Self {
        Self { bytes: 8 << 10, blanks: 64 << 10, depth: 16 }
    }
}

/// What has arrived and was not yet taken.
///
/// ```
/// use rookery_wire::{Bounds, Framing, Inbox};
///
/// let mut inbox = Inbox::new(Framing::Json, Bounds::default());
/// inbox.push(b"  [1, [2");
/// assert_eq!(inbox.next(), None);
/// inbox.push(b"]]\"void\" tru");
/// assert_eq!(inbox.next(), Some(Ok(b"[1, [2]]".to_vec())));
/// assert_eq!(inbox.next(), Some(Ok(b"\"void\"".to_vec())));
/// assert_eq!(inbox.next(), None);
/// assert_eq!(inbox.unfinished(), b"tru");
/// ```
#[derive(Clone, Debug)]
pub struct Inbox {
    framing: Framing,
    bounds: Bounds,
    buffer: Vec<u8>,
    /// White space that was dropped in front of what is in the buffer.
    blanks: usize,
    scan: Scan,
    /// More words that are complete by themselves, as those of JSON are.
    words: &'static [&'static str],
}

const JSON_WORDS: &[&str] = &["true", "false", "null"];

/// How far the first message of the buffer was looked at, so that no byte is looked at twice.
#[derive(Clone, Default, Debug)]
struct Scan {
    at: usize,
    /// The brackets that are open, `[` or `{`.
    open: Vec<u8>,
    in_string: bool,
    escaped: bool,
}

impl Inbox {
    /// Nothing has arrived yet.
    pub fn new(framing: Framing, bounds: Bounds) -> Self {
        Self { framing, bounds, buffer: vec![], blanks: 0, scan: Scan::default(), words: &[] }
    }

    /// From now on these words are complete too though nothing follows them, as those of JSON are.
    pub fn know_words(&mut self, words: &'static [&'static str]) {
        self.words = words;
    }

    /// Something has arrived. Take all messages before pushing more, else the buffer grows.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether nothing but white space has arrived.
    pub fn is_blank(&mut self) -> bool {
        self.skip_blanks();
        self.buffer.is_empty()
    }

    /// What has arrived of a message that is not complete.
    pub fn unfinished(&mut self) -> &[u8] {
        self.skip_blanks();
        &self.buffer
    }

    /// Takes what has arrived of a message that is not complete as if it were: nothing more will come.
    pub fn take_unfinished(&mut self) -> Option<Vec<u8>> {
        self.skip_blanks();
        let all = self.buffer.len();
        (all > 0).then(|| self.cut(all))
    }

    /// The next complete message, or what is wrong with it. After a fault nothing more can be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an inbox can have more later, which an iterator that ended cannot"
    )]
    pub fn next(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        self.skip_blanks();
        if self.blanks > self.bounds.blanks {
            return Some(Err(too_much("white space", self.bounds.blanks, b"")));
        }
        let end = match self.framing {
            Framing::Lines | Framing::EveryLine => self.end_of_line(),
            Framing::Json => match self.end_of_value() {
                Ok(end) => end,
                Err(fault) => return Some(Err(fault)),
            },
        };
        match end {
            Some(end) if end <= self.bounds.bytes => Some(Ok(self.cut(end))),
            None if self.buffer.len() <= self.bounds.bytes => None,
            _ => Some(Err(too_much("one message", self.bounds.bytes, &self.buffer))),
        }
    }

    /// Drops white space in front of the next message.
    fn skip_blanks(&mut self) {
        if self.scan.at == 0 {
            let counts = self.framing == Framing::EveryLine;
            let is_skipped = |byte: &&u8| is_blank(**byte) && !(counts && **byte == b'\n');
            let blank = self.buffer.iter().take_while(is_skipped).count();
            self.buffer.drain(..blank);
            self.blanks += blank;
        }
    }

    /// Takes the first bytes, the message, and what is left of an idle connection's memory with it.
    fn cut(&mut self, end: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(end);
        let mut message = std::mem::replace(&mut self.buffer, rest);
        self.blanks = 0;
        self.scan = Scan::default();
        if self.framing != Framing::Json {
            while message.last().is_some_and(|&byte| is_blank(byte)) {
                message.pop();
            }
        }
        message
    }

    fn end_of_line(&mut self) -> Option<usize> {
        let found = self.buffer[self.scan.at..].iter().position(|&byte| byte == b'\n');
        let end = found.map(|idx| self.scan.at + idx + 1);
        self.scan.at = end.unwrap_or(self.buffer.len());
        end
    }

    /// Where the first value ends, if it is complete.
    fn end_of_value(&mut self) -> Result<Option<usize>, Fault> {
        let Some(&first) = self.buffer.first() else { return Ok(None) };
        if !matches!(first, b'[' | b'{' | b'"') {
            return self.end_of_word();
        }
        while let Some(&byte) = self.buffer.get(self.scan.at) {
            let scan = &mut self.scan;
            scan.at += 1;
            if scan.in_string {
                match byte {
                    _ if scan.escaped => scan.escaped = false,
                    b'\\' => scan.escaped = true,
                    b'"' => scan.in_string = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => scan.in_string = true,
                    b'[' | b'{' => scan.open.push(byte),
                    // `]` and `}` come two after their opening brackets in ASCII.
                    b']' | b'}' if scan.open.pop() != Some(byte - 2) => {
                        return Err(self.malformed("a bracket is closed that was not opened"));
                    }
                    _ => {}
                }
                if scan.open.len() > self.bounds.depth {
                    let depth = self.bounds.depth;
                    return Err(self.malformed(&format!("more than {depth} brackets inside each other")));
                }
            }
            if self.scan.open.is_empty() && !self.scan.in_string {
                return Ok(Some(self.scan.at));
            }
            if self.scan.at > self.bounds.bytes {
                break;
            }
        }
        Ok(None)
    }

    /// A value that is a word or a number ends before the first byte that cannot belong to it; the words of JSON also
    /// by themselves.
    fn end_of_word(&mut self) -> Result<Option<usize>, Fault> {
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
        if !in_word(self.buffer[0]) {
            return Err(self.malformed("no JSON value begins so"));
        }
        if let Some(idx) = self.buffer.iter().position(|&byte| !in_word(byte)) {
            return Ok(Some(idx));
        }
        let is_known = |words: &[&str]| words.iter().any(|word| word.as_bytes() == self.buffer);
        Ok((is_known(JSON_WORDS) || is_known(self.words)).then_some(self.buffer.len()))
    }

    fn malformed(&self, problem: &str) -> Fault {
        Fault::new(Offence::Malformed, problem).sent(excerpt(&self.buffer)).expected("a JSON value")
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn too_much(what: &str, limit: usize, sent: &[u8]) -> Fault {
    let fault = Fault::new(Offence::OutputLimit, format!("more than {limit} bytes of {what}"));
    let fault = fault.expected(format!("at most {limit} bytes"));
    // How much more has arrived by now is a matter of luck, and no evidence.
    let sent = &sent[..sent.len().min(limit + 1)];
    if sent.is_empty() { fault } else { fault.sent(excerpt(sent)) }
}

/// The beginning of what somebody sent, safe to show: at most 200 bytes, everything unprintable escaped, at most 500
/// characters in all.
///
/// ```
/// assert_eq!(rookery_wire::excerpt(b"{\"a\": \x1b[31m}"), r#"`{"a": \x1b[31m}`"#);
/// ```
pub fn excerpt(sent: &[u8]) -> String {
    const MOST_BYTES: usize = 200;
    /// Without the longest escape, the quotes and the dots.
    const MOST_CHARS: usize = 490;
    let mut text = String::from("`");
    let mut n_shown = 0;
    for &byte in sent.iter().take(MOST_BYTES) {
        match byte {
            b' '..=b'~' if byte != b'\\' => text.push(char::from(byte)),
            _ => text.extend(byte.escape_ascii().map(char::from)),
        }
        n_shown += 1;
        if text.len() > MOST_CHARS {
            break;
        }
    }
    text.push('`');
    if sent.len() > n_shown {
        text.push_str("..");
    }
    text
}

#[cfg(test)]
mod tests {
    use rookery_referee::Evidence;

    use super::*;

    fn json(bounds: Bounds) -> Inbox {
        Inbox::new(Framing::Json, bounds)
    }

    fn take_all(inbox: &mut Inbox) -> Vec<String> {
        std::iter::from_fn(|| inbox.next())
            .map(|message| String::from_utf8(message.expect("well-formed")).expect("text"))
            .collect()
    }

    #[test]
    fn values_are_cut_at_any_fragmentation() {
        let stream = br#"   "a]\"b" [[0,1],[2,{"x":"}"}]]false{"a":[]}   null 12 true"x""#;
        let expected = [
            r#""a]\"b""#,
            r#"[[0,1],[2,{"x":"}"}]]"#,
            "false",
            r#"{"a":[]}"#,
            "null",
            "12",
            "true",
            r#""x""#,
        ];
        for size in 1..stream.len() {
            let mut inbox = json(Bounds::default());
            let mut values = vec![];
            for chunk in stream.chunks(size) {
                inbox.push(chunk);
                values.extend(take_all(&mut inbox));
            }
            // A word that arrives in pieces of which one is a word of JSON is nobody's; these are not.
            assert_eq!(values, expected, "in pieces of {size}");
            assert!(inbox.is_blank());
        }
    }

    #[test]
    fn fault_t09_a_value_without_end_stops_at_the_limit() {
        let bounds = Bounds { bytes: 100, ..Bounds::default() };
        for start in ["\"", "[", "{\"a\":\"", "a"] {
            let mut inbox = json(bounds);
            inbox.push(start.as_bytes());
            let fault = loop {
                inbox.push(&[b'a'; 7]);
                assert!(inbox.unfinished().len() < 120, "it does not grow");
                if let Some(message) = inbox.next() {
                    break message.expect_err("it never ends");
                }
            };
            assert_eq!(fault.offence, Offence::OutputLimit, "{start}");
        }
    }

    #[test]
    fn fault_t09_white_space_without_end_stops_at_the_limit() {
        let mut inbox = json(Bounds::default());
        inbox.push(&[b' '; 2040]);
        inbox.push(b"1 ");
        assert_eq!(inbox.next(), Some(Ok(b"1".to_vec())));
        for _ in 0..64 {
            assert_eq!(inbox.next(), None);
            inbox.push(&[b'\n'; 1024]);
        }
        assert_eq!(inbox.next().expect("too much").expect_err("too much").offence, Offence::OutputLimit);
    }

    #[test]
    fn a_word_that_is_known_needs_nothing_after_it() {
        let mut inbox = json(Bounds::default());
        inbox.push(b"void");
        assert_eq!(inbox.next(), None);
        inbox.know_words(&["void"]);
        assert_eq!(take_all(&mut inbox), ["void"]);
        inbox.push(b"voi");
        assert_eq!(inbox.next(), None);
    }

    #[test]
    fn fault_t10_deep_nesting_is_malformed() {
        let mut inbox = json(Bounds::default());
        inbox.push(&[b'['; 16]);
        assert_eq!(inbox.next(), None);
        inbox.push(b"[");
        assert_eq!(inbox.next().expect("too deep").expect_err("too deep").offence, Offence::Malformed);
    }

    #[test]
    fn fault_t07_brackets_that_do_not_match_and_odd_bytes_are_malformed() {
        for bad in ["]", "[}", "{]", "\u{feff}[]", "\\", ",", "\u{0}"] {
            let mut inbox = json(Bounds::default());
            inbox.push(bad.as_bytes());
            assert_eq!(inbox.next().expect(bad).expect_err(bad).offence, Offence::Malformed, "{bad}");
        }
    }

    #[test]
    fn an_excerpt_says_whether_it_is_all_and_fits_into_the_evidence() {
        assert_eq!(excerpt(b"\x00"), r"`\x00`");
        assert_eq!(excerpt(&[b'a'; 200]), format!("`{}`", "a".repeat(200)));
        assert_eq!(excerpt(&[b'a'; 201]), format!("`{}`..", "a".repeat(200)));
        let odd = excerpt(&[0; 201]);
        assert!(odd.ends_with("`..") && odd.len() <= 500, "{}", odd.len());
    }

    #[test]
    fn faults_say_what_was_sent_and_what_was_expected() {
        let mut inbox = json(Bounds { bytes: 10, ..Bounds::default() });
        inbox.push(b"[}");
        let Evidence { sent, expected, .. } = *inbox.next().expect("a fault").expect_err("a fault").evidence;
        assert_eq!((sent.as_deref(), expected.as_deref()), (Some("`[}`"), Some("a JSON value")));
        let mut inbox = json(Bounds { bytes: 10, ..Bounds::default() });
        inbox.push(b"\"aaaaaaaaaaaaaaa");
        let Evidence { sent, expected, note, .. } =
            *inbox.next().expect("a fault").expect_err("a fault").evidence;
        assert_eq!(note, "more than 10 bytes of one message");
        assert_eq!(
            (sent.as_deref(), expected.as_deref()),
            (Some("`\"aaaaaaaaaa`"), Some("at most 10 bytes"))
        );
    }

    #[test]
    fn lines_are_cut_and_trimmed() {
        let mut inbox = Inbox::new(Framing::Lines, Bounds { bytes: 20, ..Bounds::default() });
        inbox.push(b"\n\r\nmove one\r\n  two");
        assert_eq!(take_all(&mut inbox), ["move one"]);
        inbox.push(b" \nthree\n");
        assert_eq!(take_all(&mut inbox), ["two", "three"]);
        inbox.push(b"a line that never comes to an end");
        assert_eq!(inbox.next().expect("too long").expect_err("too long").offence, Offence::OutputLimit);
    }

    #[test]
    fn an_empty_line_counts_where_the_framing_says_so() {
        let stream = b"\n \r\n  one \r\n\ntwo\n  ";
        for size in 1..stream.len() {
            let mut inbox = Inbox::new(Framing::EveryLine, Bounds::default());
            let mut lines = vec![];
            for chunk in stream.chunks(size) {
                inbox.push(chunk);
                lines.extend(take_all(&mut inbox));
            }
            assert_eq!(lines, ["", "", "one", "", "two"], "in pieces of {size}");
            assert!(inbox.is_blank(), "no line has ended");
        }
    }
}
