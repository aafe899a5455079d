//! How a player introduces itself: with its name, the first thing it sends.

use std::borrow::Cow;
use std::time::Duration;

use rookery_referee::{Fault, words};
use rookery_wire::{Connection, TransportExt as _, excerpt};
use serde::Deserialize;
use tokio::time::timeout;

use super::calls::{CALLS, DRIVING};

/// The most letters of a name.
const MAX_NAME: usize = 12;
/// When nothing has followed a word without quotes for so long, it was all of the name.
const MOMENT: Duration = Duration::from_millis(200);

/// Who wants to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignUp {
    /// Its name; others may have the same.
    pub name: String,
    /// What it speaks.
    pub kind: Kind,
}

/// What a player speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It is called, and answers: signed up with a name, `"Ann"`.
    Calls,
    /// It calls, and is answered: signed up with an object, `{"name":"Ann","api":"player"}`.
    Api,
}

impl Kind {
    /// The protocol it speaks in a match.
    pub(crate) const fn protocol(self) -> &'static str {
        match self {
            Self::Calls => CALLS.name,
            Self::Api => DRIVING.name,
        }
    }
}

/// Why somebody cannot play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// It has come to the wrong port; it is told so, since it speaks nothing that we do.
    Foreign(&'static str),
    /// Its name will not do, or did not come.
    NoName {
        reason: String,
        /// Whether it would do if we were lenient.
        would_do: bool,
    },
}

impl Refusal {
    pub(crate) fn into_reason(self) -> String {
        match self {
            Self::Foreign(reason) => reason.to_owned(),
            Self::NoName { reason, .. } => reason,
        }
    }
}

/// Waits for the name.
pub(crate) async fn sign_up(connection: &mut Connection, lenient: bool) -> Result<SignUp, Refusal> {
    let refuse = |sent: &[u8], reason, would_do| {
        foreign(sent).map_or(Refusal::NoName { reason, would_do }, Refusal::Foreign)
    };
    match first_message(connection, lenient).await {
        Err(fault) => {
            let reason = format!("it sent no name: it {}", words::offence(fault.offence, &fault.evidence));
            Err(refuse(connection.inbox().unfinished(), reason, false))
        }
        Ok(message) => read(&message, lenient).map_err(|reason| {
            let sent = [&message, b" ".as_slice(), connection.inbox().unfinished()].concat();
            refuse(&sent, reason, would_do(&message))
        }),
    }
}

/// Whether this is a name for those who are lenient.
pub(crate) fn would_do(message: &[u8]) -> bool {
    read(message.trim_ascii(), true).is_ok()
}

/// The first message; a word without quotes is one when nothing follows it for a moment, if we are lenient.
async fn first_message(connection: &mut Connection, lenient: bool) -> Result<Vec<u8>, Fault> {
    if !lenient {
        return connection.receive().await;
    }
    let mut seen = 0;
    loop {
        if let Ok(received) = timeout(MOMENT, connection.receive()).await {
            return received;
        }
        let word = connection.inbox().unfinished();
        if seen > 0 && word.len() == seen && word.iter().all(|&byte| is_lenient(byte)) {
            return Ok(connection.inbox().take_unfinished().unwrap_or_default());
        }
        seen = word.len();
    }
}

/// What somebody speaks who has come to the wrong port, by the first bytes.
fn foreign(sent: &[u8]) -> Option<&'static str> {
    const METHODS: [&[u8]; 9] =
        [b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"CONNECT", b"PATCH", b"PRI"];
    let is_http = |method: &&[u8]| {
        let rest = sent.strip_prefix(*method).map(<[u8]>::trim_ascii_start);
        rest.is_some_and(|rest| matches!(rest.first(), Some(b'/' | b'*' | b'h')))
    };
    match sent {
        [0x16, 0x03, ..] => Some("it speaks TLS; expected a name in JSON, without encryption"),
        [b'S', b'S', b'H', b'-', ..] => Some("it speaks SSH; expected a name in JSON"),
        _ if METHODS.iter().any(is_http) => Some("it speaks HTTP; expected a name in JSON"),
        [first, ..] if first.is_ascii_control() || !first.is_ascii() => {
            Some("it sent binary data; expected a name in JSON, in plain text")
        }
        _ => None,
    }
}

/// What the first message says.
fn read(message: &[u8], lenient: bool) -> Result<SignUp, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Object<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
        #[serde(borrow)]
        api: Cow<'a, str>,
    }
    let refusal = || {
        let letters = if lenient { "letters, digits or hyphens" } else { "letters" };
        let name = excerpt(&message[..message.len().min(40)]);
        let hint = if !lenient && would_do(message) { "; with --lenient it would do" } else { "" };
        format!(
            "its name {name} is not possible; expected 1 to {MAX_NAME} {letters} in quotes, such as \"Ann\"{hint}"
        )
    };
    let checked = |name: &str, kind| {
        let possible = |byte: u8| if lenient { is_lenient(byte) } else { byte.is_ascii_alphabetic() };
        let fits = (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(possible);
        if fits { Ok(SignUp { name: name.to_owned(), kind }) } else { Err(refusal()) }
    };
    match message.first() {
        Some(b'"') => {
            let name: Cow<'_, str> = serde_json::from_slice(message).map_err(|_| refusal())?;
            checked(&name, Kind::Calls)
        }
        Some(b'{') => match serde_json::from_slice::<Object<'_>>(message) {
            Ok(Object { name, api }) if api == "player" => checked(&name, Kind::Api),
            _ => Err(format!(
                "it sent {}; expected a name such as \"Ann\", or {{\"name\":\"Ann\",\"api\":\"player\"}}",
                excerpt(message)
            )),
        },
        _ if lenient => checked(&String::from_utf8_lossy(message), Kind::Calls),
        _ => Err(refusal()),
    }
}

/// What may stand in a name when we are lenient.
fn is_lenient(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_j04_names_are_one_to_twelve_letters() {
        let name = |text: &str, lenient| read(text.as_bytes(), lenient).ok().map(|sign_up| sign_up.name);
        for (text, strict, lenient) in [
            (r#""Ann""#, Some("Ann"), Some("Ann")),
            (r#""abcdefghijkl""#, Some("abcdefghijkl"), Some("abcdefghijkl")),
            (r#""\u0041nn""#, Some("Ann"), Some("Ann")),
            (r#""OCaml-AI-0""#, None, Some("OCaml-AI-0")),
            ("Ann", None, Some("Ann")),
            ("1", None, Some("1")),
            ("null", None, Some("null")),
            (r#""abcdefghijklm""#, None, None),
            (r#""""#, None, None),
            (r#""A nn""#, None, None),
            (r#""Ann\u0000""#, None, None),
            (r#""Ann\u001b[31m""#, None, None),
            ("\"\u{202e}Ann\"", None, None),
            ("\"Änn\"", None, None),
            ("\"🐧\"", None, None),
            ("\"A\tnn\"", None, None),
            ("[\"Ann\"]", None, None),
            ("\u{ff}", None, None),
            ("", None, None),
        ] {
            assert_eq!(name(text, false).as_deref(), strict, "{text:?}");
            assert_eq!(name(text, true).as_deref(), lenient, "{text:?}");
        }
        let error = read(r#""A\u001b[31m""#.as_bytes(), false).expect_err("no name");
        assert!(error.contains("expected 1 to 12 letters") && !error.contains('\u{1b}'), "{error}");
    }

    #[test]
    fn a_player_that_calls_says_so() {
        let sign_up = read(br#"{"name":"Ann","api":"player"}"#, false).expect("it is right");
        assert_eq!(sign_up, SignUp { name: "Ann".to_owned(), kind: Kind::Api });
        for bad in [
            r#"{"name":"Ann"}"#,
            r#"{"name":"Ann","api":"referee"}"#,
            r#"{"name":"Ann","api":"player","more":1}"#,
            r#"{"name":"Ann","name":"Bob","api":"player"}"#,
            r#"{"name":"A nn","api":"player"}"#,
        ] {
            assert!(read(bad.as_bytes(), true).is_err(), "{bad}");
        }
    }

    #[test]
    fn fault_j10_other_protocols_are_known_by_their_first_bytes() {
        for (sent, word) in [
            (&b"GET / HTTP/1.1\r\n"[..], "HTTP"),
            (b"PRI * HTTP/2.0", "HTTP"),
            (b"\x16\x03\x01\x02\x00", "TLS"),
            (b"SSH-2.0-OpenSSH_9.6", "SSH"),
            (b"\x00\x05\"Ann\"", "binary"),
            (b"\xff\xfe", "binary"),
        ] {
            assert!(foreign(sent).is_some_and(|reason| reason.contains(word)), "{sent:?}");
        }
        for sent in [&b"\"Ann\""[..], b"GET", b"Gerda", b"", b"{}"] {
            assert_eq!(foreign(sent), None, "{sent:?}");
        }
    }
}
