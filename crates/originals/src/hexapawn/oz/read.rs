//! Reading Oz values, strictly and within bounds.

use std::fmt;

use super::{Feature, Value, is_keyword, repeated};

/// The longest text of a value.
pub const MAX_BYTES: usize = 8 << 10;
/// The most brackets inside each other.
pub const MAX_DEPTH: usize = 16;

/// A text that is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OzError {
    /// Where, counted in bytes from 1.
    pub at: usize,
    /// What is wrong there and what was expected.
    pub problem: String,
}

impl fmt::Display for OzError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.problem)
    }
}

impl std::error::Error for OzError {}

pub(super) fn read(text: &[u8]) -> Result<Value, OzError> {
    let at = |at: usize, problem: &str| OzError { at: at + 1, problem: problem.to_owned() };
    if text.len() > MAX_BYTES {
        return Err(at(MAX_BYTES, &format!("a record has at most {MAX_BYTES} bytes")));
    }
    let text = std::str::from_utf8(text).map_err(|error| at(error.valid_up_to(), "this is not UTF-8"))?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < text.len() {
        return Err(reader.problem("the record ends before this; expected one record and nothing else"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Whether a byte may stand inside a plain atom.
pub(super) fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn problem(&self, problem: &str) -> OzError {
        OzError { at: self.at + 1, problem: problem.to_owned() }
    }

    /// A value, or several joined by `|`, which are a list.
    fn value(&mut self, depth: usize) -> Result<Value, OzError> {
        let mut front = vec![];
        loop {
            let value = self.one(depth)?;
            self.skip_blanks();
            if self.take(b'|') {
                front.push(value);
                continue;
            }
            if front.is_empty() {
                return Ok(value);
            }
            match value {
                Value::Atom(nil) if nil == "nil" => {}
                Value::List(rest) => front.extend(rest),
                _ => return Err(self.problem("a list ends with `|nil`")),
            }
            return Ok(Value::List(front));
        }
    }

    fn one(&mut self, depth: usize) -> Result<Value, OzError> {
        self.skip_blanks();
        match self.peek() {
            Some(b'0'..=b'9' | b'~') => self.int().map(Value::Int),
            Some(b'"') => self.quoted(b'"').map(Value::Text),
            Some(b'[') => {
                self.at += 1;
                let elements = self.until(b']', depth, Self::value)?;
                Ok(if elements.is_empty() { Value::nil() } else { Value::List(elements) })
            }
            Some(b'a'..=b'z' | b'\'') => {
                let label = self.atom()?;
                if !self.take(b'(') {
                    return Ok(Value::Atom(label));
                }
                self.fields(&label, depth)
            }
            Some(b'A'..=b'Z' | b'_' | b'`') => {
                Err(self.problem("variables cannot be sent; expected an atom, a number, a list or a record"))
            }
            Some(_) => Err(self.problem("expected an atom, a number, a string, a list or a record")),
            None => Err(self.problem("the text ends too early")),
        }
    }

    /// Everything up to a closing bracket.
    fn until<T>(
        &mut self,
        close: u8,
        depth: usize,
        mut item: impl FnMut(&mut Self, usize) -> Result<T, OzError>,
    ) -> Result<Vec<T>, OzError> {
        if depth == MAX_DEPTH {
            return Err(self.problem(&format!("at most {MAX_DEPTH} brackets may stand inside each other")));
        }
        let mut items = vec![];
        loop {
            self.skip_blanks();
            if self.take(close) {
                return Ok(items);
            }
            if self.peek().is_none() {
                let close = char::from(close);
                return Err(self.problem(&format!("the text ends too early; `{close}` is missing")));
            }
            items.push(item(self, depth + 1)?);
        }
    }

    fn fields(&mut self, label: &str, depth: usize) -> Result<Value, OzError> {
        let mut unnamed = 0;
        let start = self.at;
        let fields = self.until(b')', depth, |reader, depth| {
            let feature = reader.feature()?;
            let feature = feature.unwrap_or_else(|| {
                unnamed += 1;
                Feature::Int(unnamed)
            });
            Ok((feature, reader.value(depth)?))
        })?;
        if repeated(&fields).is_some() {
            return Err(OzError { at: start, problem: "a feature comes twice in this record".to_owned() });
        }
        Ok(Value::from_fields(label, fields))
    }

    /// The name of a field with its colon, if it has one.
    fn feature(&mut self) -> Result<Option<Feature>, OzError> {
        let start = self.at;
        let feature = match self.peek() {
            Some(b'0'..=b'9' | b'~') => Feature::Int(self.int()?),
            Some(b'a'..=b'z' | b'\'') => Feature::Atom(self.atom()?),
            _ => return Ok(None),
        };
        if self.take(b':') {
            return Ok(Some(feature));
        }
        self.at = start;
        Ok(None)
    }

    fn int(&mut self) -> Result<i64, OzError> {
        let start = self.at;
        let sign = if self.take(b'~') { "-" } else { "" };
        let digits_at = self.at;
        while self.peek().is_some_and(in_word) {
            self.at += 1;
        }
        let digits = &self.text[digits_at..self.at];
        let plain =
            digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        let number = format!("{sign}{digits}").parse().ok().filter(|_| plain && (sign, digits) != ("-", "0"));
        let wrong = "expected an integer of at most 64 bits such as 12 or ~1";
        number.ok_or_else(|| OzError { at: start + 1, problem: wrong.to_owned() })
    }

    fn atom(&mut self) -> Result<String, OzError> {
        if self.peek() == Some(b'\'') {
            return self.quoted(b'\'');
        }
        let start = self.at;
        while self.peek().is_some_and(in_word) {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        if is_keyword(name) {
            let problem = format!("`{name}` is a word of the language; the atom is written '{name}'");
            return Err(OzError { at: start + 1, problem });
        }
        Ok(name.to_owned())
    }

    fn quoted(&mut self, quote: u8) -> Result<String, OzError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else {
                return Err(self.problem("the text ends inside quotes"));
            };
            if c == char::from(quote) {
                self.at += 1;
                return Ok(text);
            }
            if c.is_control() {
                return Err(self.problem("a control character is written as \\n, \\t or \\x1b"));
            }
            if c == '\\' {
                text.push(self.escape()?);
            } else {
                text.push(c);
                self.at += c.len_utf8();
            }
        }
    }

    fn escape(&mut self) -> Result<char, OzError> {
        let bytes = &self.text.as_bytes()[self.at + 1..];
        let (c, len) = match bytes {
            [b'n', ..] => ('\n', 2),
            [b't', ..] => ('\t', 2),
            [c @ (b'\\' | b'\'' | b'"'), ..] => (char::from(*c), 2),
            [b'x', hex @ ..] => {
                let digits = hex.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
                match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    Some(code @ 1..) => (char::from(code), 4),
                    _ => return Err(self.problem("expected two hexadecimal digits after \\x, and not 00")),
                }
            }
            _ => return Err(self.problem("after \\ comes n, t, \\, a quote or x with two digits")),
        };
        self.at += len;
        Ok(c)
    }
}
