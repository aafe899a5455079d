//! What bots are sent. Written straight into bytes: this happens at every move.

use std::fmt::Display;
use std::io::Write as _;
use std::time::Duration;

use rookery_rules::{Picture, Seat};

use crate::ErrorCode;

/// A message that is being written: fields in the order they come.
pub(crate) struct Line(Vec<u8>);

impl Line {
    pub(crate) fn new(kind: &str) -> Self {
        let mut bytes = Vec::with_capacity(256);
        bytes.extend_from_slice(b"{\"type\":\"");
        bytes.extend_from_slice(kind.as_bytes());
        bytes.push(b'"');
        Self(bytes)
    }

    fn key(&mut self, key: &str) {
        if !matches!(self.0.last(), Some(b'{' | b'[')) {
            self.0.push(b',');
        }
        self.0.push(b'"');
        self.0.extend_from_slice(key.as_bytes());
        self.0.extend_from_slice(b"\":");
    }

    fn push(&mut self, text: &str) {
        serde_json::to_writer(&mut self.0, text).expect("a text is JSON, and memory takes everything");
    }

    fn show(&mut self, value: impl Display) {
        write!(self.0, "{value}").expect("memory takes everything");
    }

    pub(crate) fn text(mut self, key: &str, text: &str) -> Self {
        self.key(key);
        self.push(text);
        self
    }

    pub(crate) fn number(mut self, key: &str, number: impl Into<u64>) -> Self {
        self.key(key);
        self.show(number.into());
        self
    }

    /// A number, or `null`.
    pub(crate) fn maybe(mut self, key: &str, number: Option<impl Display>) -> Self {
        self.key(key);
        match number {
            Some(number) => self.show(number),
            None => self.0.extend_from_slice(b"null"),
        }
        self
    }

    pub(crate) fn millis(self, key: &str, time: Option<Duration>) -> Self {
        self.maybe(key, time.map(|time| time.as_millis()))
    }

    pub(crate) fn numbers(mut self, key: &str, numbers: impl IntoIterator<Item = impl Display>) -> Self {
        self.key(key);
        self.0.push(b'[');
        for (idx, number) in numbers.into_iter().enumerate() {
            if idx > 0 {
                self.0.push(b',');
            }
            self.show(number);
        }
        self.0.push(b']');
        self
    }

    /// Texts that are written as they are shown.
    pub(crate) fn texts(mut self, key: &str, texts: impl IntoIterator<Item = impl Display>) -> Self {
        self.key(key);
        self.0.push(b'[');
        for (idx, text) in texts.into_iter().enumerate() {
            if idx > 0 {
                self.0.push(b',');
            }
            // Moves have no sign that JSON would have to escape; a law over all games says so.
            self.0.push(b'"');
            self.show(text);
            self.0.push(b'"');
        }
        self.0.push(b']');
        self
    }

    /// A list whose parts are written one by one.
    pub(crate) fn list<T>(
        mut self,
        key: &str,
        parts: impl IntoIterator<Item = T>,
        mut write: impl FnMut(Self, T) -> Self,
    ) -> Self {
        self.key(key);
        self.0.push(b'[');
        for part in parts {
            if self.0.last() != Some(&b'[') {
                self.0.push(b',');
            }
            self = write(self.open(), part).close();
        }
        self.0.push(b']');
        self
    }

    /// An object inside.
    pub(crate) fn object(mut self, key: &str, write: impl FnOnce(Self) -> Self) -> Self {
        self.key(key);
        write(self.open()).close()
    }

    fn open(mut self) -> Self {
        self.0.push(b'{');
        self
    }

    fn close(mut self) -> Self {
        self.0.push(b'}');
        self
    }

    pub(crate) fn end(self) -> Vec<u8> {
        let mut bytes = self.close().0;
        bytes.push(b'\n');
        bytes
    }
}

/// A seat as a number.
pub(crate) fn number(seat: Seat) -> u64 {
    seat.index() as u64
}

/// The answer to a message that nobody knows.
pub(crate) fn unknown_type(kind: &str) -> Vec<u8> {
    let message = format!("there is no message of type {kind:?}; it was ignored");
    error(ErrorCode::UnknownType, &message)
}

/// The line that says what could not be understood, or why somebody is not let in.
///
/// ```
/// let line = rookery_bots::error(rookery_bots::ErrorCode::NoSeat, "come later");
/// assert_eq!(line, b"{\"type\":\"error\",\"code\":\"no_seat\",\"message\":\"come later\"}\n");
/// ```
pub fn error(code: ErrorCode, message: &str) -> Vec<u8> {
    Line::new("error").text("code", code.word()).text("message", message).end()
}

/// A position as data: how it stands, where one can stand, and who does.
pub(crate) fn state<P: Picture>(line: Line, position: &P) -> Line {
    let scene = position.scene();
    line.object("state", |line| {
        line.maybe("to_move", position.to_move().map(number))
            .numbers("scores", position.scores().as_slice())
            .list("cells", &scene.cells, |line, cell| {
                let line = line.text("id", &cell.id);
                match cell.value {
                    Some(value) => line.number("value", value),
                    None => line,
                }
            })
            .list("pieces", &scene.pieces, |line, piece| {
                line.text("cell", &piece.cell).number("seat", number(piece.seat)).text("kind", piece.sprite)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_json_in_any_nesting() {
        let line = Line::new("x")
            .text("a\u{e9}", "q\"\\\n\u{1}")
            .list("none", [0_u8; 0], |line, _| line)
            .list("some", [1_u64, 2], |line, n| line.number("n", n).texts("t", ["u", "v"]))
            .object("o", |line| line.maybe("m", None::<u8>).object("p", |line| line))
            .millis("ms", Some(Duration::from_micros(1999)))
            .end();
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let expected = serde_json::json!({
            "type": "x", "a\u{e9}": "q\"\\\n\u{1}", "none": [],
            "some": [{"n": 1, "t": ["u", "v"]}, {"n": 2, "t": ["u", "v"]}],
            "o": {"m": null, "p": {}}, "ms": 1
        });
        assert_eq!(read, expected);
        assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1), "it is one line");
    }
}
