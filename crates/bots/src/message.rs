//! What bots send.

use rookery_referee::{Fault, Info, Offence};
use rookery_wire::excerpt;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Code;

/// A message of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromBot {
    /// The first word.
    Hello(Hello),
    /// It is prepared for the game.
    Ready,
    /// An answer.
    Move(Said),
    /// It gives up, at the turn with this id.
    Resign(u64),
    /// Something to all.
    Say(String),
    /// What it thinks about the position.
    Info(Info),
    /// It did not understand something.
    Error,
    /// A type that we do not know.
    Unknown(String),
}

/// The `hello` of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Hello {
    pub(crate) version: u64,
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) author: Option<String>,
    #[serde(default)]
    pub(crate) games: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) features: Vec<String>,
    #[serde(default)]
    pub(crate) secret: Option<String>,
    #[serde(default)]
    pub(crate) token: Option<String>,
    #[serde(default)]
    pub(crate) process: Option<Life>,
}

/// How long the process of a bot lives that is started for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// For one game: the next one gets another process.
    Game,
    /// For one game after the other.
    Session,
}

/// An answer to a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Of the turn.
    pub id: u64,
    /// The move.
    pub choice: Choice,
    /// What it thinks about it.
    pub info: Option<Info>,
    /// What it says to all.
    pub say: Option<String>,
}

/// A move as a bot names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// By its text.
    Text(String),
    /// By its number in the list of legal moves.
    Index(usize),
}

/// A message that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misread {
    /// Why, as a word.
    pub code: Code,
    /// Why, for people.
    pub why: String,
}

impl Misread {
    fn new(code: Code, why: impl Into<String>) -> Self {
        Self { code, why: why.into() }
    }

    /// The offence it is where an answer was awaited.
    pub(crate) fn fault(self, sent: &[u8], expected: impl Into<String>) -> Fault {
        Fault::new(Offence::Malformed, self.why).sent(excerpt(sent)).expected(expected)
    }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct MoveFields {
    id: u64,
    #[serde(default, rename = "move")]
    mv: Option<String>,
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    info: Option<InfoFields>,
    #[serde(default)]
    say: Option<String>,
}

#[derive(Deserialize)]
struct Id {
    id: u64,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

/// As [`Info`], but other fields are ignored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct InfoFields {
    depth: Option<u32>,
    score: Option<f64>,
    line: Vec<String>,
    text: Option<String>,
}

impl From<InfoFields> for Info {
    fn from(InfoFields { depth, score, line, text }: InfoFields) -> Self {
        // Records have whole numbers; what is beyond them is cut by the cast.
        let score = score.map(|score| score.round() as i64);
        Self { depth, score, line, text }.bounded()
    }
}

/// The most brackets inside brackets.
const MAX_DEPTH: usize = 16;

/// Whether there are too many brackets inside brackets, also in fields that nobody reads. Brackets in texts do not count.
fn is_too_deep(line: &[u8]) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    line.iter().any(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// The most characters of a type that is shown.
const MAX_TYPE: usize = 40;

impl FromBot {
    /// Reads a line.
    ///
    /// ```
    /// use rookery_bots::{Code, FromBot};
    ///
    /// assert_eq!(FromBot::read(br#"{"type":"ready","x_mine":1}"#), Ok(FromBot::Ready));
    /// assert_eq!(FromBot::read(b"b1-b2").unwrap_err().code, Code::BadJson);
    /// assert_eq!(FromBot::read(br#"{"type":"move","id":1}"#).unwrap_err().code, Code::MissingField);
    /// ```
    pub fn read(line: &[u8]) -> Result<Self, Misread> {
        let text = std::str::from_utf8(line)
            .map_err(|error| Misread::new(Code::BadJson, format!("no UTF-8: {error}")))?;
        if is_too_deep(line) {
            let why = format!("nested deeper than {MAX_DEPTH}");
            return Err(Misread::new(Code::BadJson, why));
        }
        let Envelope { kind } = fields(text)?;
        Ok(match kind.as_str() {
            "hello" => Self::Hello(fields(text)?),
            "ready" => Self::Ready,
            "move" => Self::Move(read_move(fields(text)?)?),
            "resign" => Self::Resign(fields::<Id>(text)?.id),
            "say" => Self::Say(fields::<Text>(text)?.text),
            "info" => Self::Info(fields::<InfoFields>(text)?.into()),
            "error" => Self::Error,
            _ => Self::Unknown(kind.chars().filter(|c| !c.is_control()).take(MAX_TYPE).collect()),
        })
    }
}

fn read_move(fields: MoveFields) -> Result<Said, Misread> {
    let MoveFields { id, mv, index, info, say } = fields;
    let choice = match (mv, index) {
        (Some(text), None) => Choice::Text(text),
        (None, Some(index)) => Choice::Index(index),
        (None, None) => return Err(Misread::new(Code::MissingField, "neither `move` nor `index` is there")),
        (Some(_), Some(_)) => {
            return Err(Misread::new(Code::MissingField, "both `move` and `index` are there"));
        }
    };
    Ok(Said { id, choice, info: info.map(Into::into), say })
}

/// The fields that are asked for; all others are ignored.
fn fields<T: DeserializeOwned>(text: &str) -> Result<T, Misread> {
    if !text.trim_start().starts_with('{') {
        return Err(Misread::new(Code::BadJson, "no JSON object"));
    }
    serde_json::from_str(text).map_err(|error| {
        let is_data = error.classify() == serde_json::error::Category::Data;
        let said = error.to_string();
        // Where in the line it is helps nobody who sees the line.
        let why = said.rsplit_once(" at line 1").map_or(said.as_str(), |(why, _)| why).to_owned();
        let code =
            if is_data && !why.starts_with("duplicate field") { Code::MissingField } else { Code::BadJson };
        Misread::new(code, why)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> Code {
        FromBot::read(line.as_bytes()).unwrap_err().code
    }

    #[test]
    fn fault_t12_unknown_fields_are_ignored_and_the_same_one_twice_is_no_json() {
        let said =
            FromBot::read(br#"{"x":[{}],"type":"move","id":3,"move":"a2","info":{"nodes":9,"depth":2}}"#);
        let Ok(FromBot::Move(Said { id: 3, choice: Choice::Text(text), info: Some(info), say: None })) = said
        else {
            panic!("{said:?}")
        };
        assert_eq!((text.as_str(), info.depth), ("a2", Some(2)));
        assert_eq!(code(r#"{"type":"move","id":1,"id":2,"move":"a2"}"#), Code::BadJson);
        assert_eq!(code(r#"{"type":"move","type":"ready"}"#), Code::BadJson);
        assert_eq!(FromBot::read(br#"{"type":"dance"}"#), Ok(FromBot::Unknown("dance".to_owned())));
    }

    #[test]
    fn fault_t10_depth_is_bounded_also_where_nobody_looks() {
        let nested = |n: usize, inside: &str| {
            format!("{{\"type\":\"ready\",\"x\":{}{inside}{}}}", "[".repeat(n), "]".repeat(n))
        };
        assert_eq!(FromBot::read(nested(15, "1").as_bytes()), Ok(FromBot::Ready));
        assert_eq!(code(&nested(16, "1")), Code::BadJson);
        assert_eq!(code(&nested(30_000, "1")), Code::BadJson);
        let text = format!("\"\\\\\\\"{}\"", "[{".repeat(100));
        assert_eq!(FromBot::read(nested(15, &text).as_bytes()), Ok(FromBot::Ready), "{text}");
    }

    #[test]
    fn fault_t07_what_is_wrong_has_its_code() {
        for bad in
            ["", "a2", "[]", "{", "\"x\"", "{\"type\":\"ready\"", "{\"type\":\"ready\"}}", "null", "{1:2}"]
        {
            assert_eq!(code(bad), Code::BadJson, "{bad}");
        }
        assert_eq!(FromBot::read(b"\xff\xfe").unwrap_err().code, Code::BadJson);
        let deep = format!("{{\"type\":\"ready\",\"x\":{}", "[".repeat(10_000));
        assert_eq!(code(&deep), Code::BadJson);
        for bad in [
            "{}",
            r#"{"type":7}"#,
            r#"{"type":"move","move":"a2"}"#,
            r#"{"type":"move","id":-1,"move":"a2"}"#,
            r#"{"type":"move","id":"1","move":"a2"}"#,
            r#"{"type":"move","id":1,"index":1.5}"#,
            r#"{"type":"move","id":1,"index":0,"move":"a2"}"#,
            r#"{"type":"hello"}"#,
            r#"{"type":"say","text":null}"#,
        ] {
            assert_eq!(code(bad), Code::MissingField, "{bad}");
        }
    }
}
