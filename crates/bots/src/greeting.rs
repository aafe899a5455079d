//! The first words on a link.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use rookery_referee::{Fault, Offence, write_duration};
use rookery_wire::{Transport, TransportExt as _, excerpt};
use tokio::time::{Instant, timeout, timeout_at};

use crate::carried::Carried;
use crate::message::{FromBot, Hello, Life};
use crate::{ErrorCode, LINE_BYTES, REPLY_TIME, VERSION, write};

/// The features that a bot may ask for.
const FEATURES: [&str; 1] = ["delta"];

/// Messages that may come before the `hello` is there.
const MAX_ASIDES: usize = 10;

/// What a bot said of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Greeting {
    /// Its name, if it has one and it is one.
    pub name: Option<String>,
    /// Who wrote it, safe to show.
    pub author: Option<String>,
    /// The games it plays; all of them if it did not say.
    pub games: Option<Vec<String>>,
    /// Whether it keeps the position itself.
    pub delta: bool,
    /// How long its process is to live, if it said so; of no account at the other end of a network.
    pub life: Option<Life>,
    /// What it proves itself with at a seat that asks for it.
    pub secret: Option<String>,
    /// The game it comes back to.
    pub token: Option<String>,
    /// How long it may take to get ready for a game.
    pub reply: Duration,
    /// What it may come back with, if it is at the other end of a network.
    pub seat_token: Option<String>,
    /// What goes on from one game on its link to the next.
    pub carried: Carried,
}

impl Default for Greeting {
    /// A bot that said nothing but hello.
    fn default() -> Self {
        Self {
            name: None,
            author: None,
            games: None,
            delta: false,
            life: None,
            secret: None,
            token: None,
            reply: REPLY_TIME,
            seat_token: None,
            carried: Carried::default(),
        }
    }
}

/// How long it may take to say why a `hello` is none.
const LAST_WORD: Duration = Duration::from_millis(100);

/// What is wrong with a `hello`, and the code that the bot is told.
struct Refused {
    code: ErrorCode,
    fault: Fault,
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self { code: ErrorCode::BadHello, fault }
    }
}

/// What is expected of a `hello`.
const EXPECTED: &str = r#"{"type":"hello","version":1}"#;

/// Says hello and waits for the answer, so long at the most.
///
/// # Panics
/// Outside of a runtime with time.
pub async fn greet(link: &mut (impl Transport + ?Sized), time: Duration) -> Result<Greeting, Fault> {
    greet_since(link, time, Instant::now()).await
}

/// The same where the time began earlier, when somebody connected.
///
/// # Panics
/// Outside of a runtime with time.
pub async fn greet_since(
    link: &mut (impl Transport + ?Sized),
    time: Duration,
    begin: Instant,
) -> Result<Greeting, Fault> {
    let Refused { code, fault } = match timeout_at(begin + time, dialogue(link, time)).await {
        Ok(Ok(greeting)) => return Ok(Greeting { reply: time, ..greeting }),
        Ok(Err(refused)) => refused,
        Err(_) => {
            let note = format!("no hello within {}", write_duration(time));
            let fault = Fault::new(Offence::BadHello, note).expected(EXPECTED);
            let unfinished = link.unfinished();
            Refused::from(if unfinished.is_empty() { fault } else { fault.sent(excerpt(unfinished)) })
        }
    };
    if fault.offence == Offence::BadHello {
        // Whether it is still heard does not matter.
        let _ = timeout(LAST_WORD, link.send(&write::error(code, &fault.evidence.note))).await;
    }
    Err(fault)
}

async fn dialogue(link: &mut (impl Transport + ?Sized), time: Duration) -> Result<Greeting, Refused> {
    link.send(&ours(time)).await?;
    for _ in 0..MAX_ASIDES {
        let said = first_words(link).await?;
        let bad = |code, why: String| {
            let fault = Fault::new(Offence::BadHello, why).sent(excerpt(&said)).expected(EXPECTED);
            Refused { code, fault }
        };
        match FromBot::read(&said).map_err(|misread| bad(ErrorCode::BadHello, misread.why))? {
            FromBot::Hello(hello) => return Greeting::of(hello).map_err(|(code, why)| bad(code, why)),
            FromBot::Error => {}
            FromBot::Unknown(kind) => link.send(&write::unknown_type(&kind)).await?,
            _ => return Err(bad(ErrorCode::BadHello, "it has to say hello first".to_owned())),
        }
    }
    Err(Fault::new(Offence::BadHello, "too many messages before its hello").expected(EXPECTED).into())
}

/// The next message, or what has arrived of something that can become none: whoever speaks another protocol, TLS perhaps, may
/// never end its line. Blanks before a message mean nothing, however they arrive.
async fn first_words(link: &mut (impl Transport + ?Sized)) -> Result<Vec<u8>, Fault> {
    poll_fn(|cx| match link.poll_receive(cx) {
        Poll::Pending => match link.unfinished().trim_ascii_start() {
            [] | [b'{', ..] => Poll::Pending,
            other => Poll::Ready(Ok(other.to_vec())),
        },
        received @ Poll::Ready(_) => received,
    })
    .await
}

/// Our own first word.
fn ours(time: Duration) -> Vec<u8> {
    let server = concat!("rookery ", env!("CARGO_PKG_VERSION"));
    let features = FEATURES.map(|feature| format!("{feature:?}")).join(",");
    let reply_ms = time.as_millis();
    format!(
        "{{\"type\":\"hello\",\"protocol\":\"rookery\",\"version\":{VERSION},\"server\":\"{server}\",\
         \"features\":[{features}],\"line_bytes\":{LINE_BYTES},\"reply_ms\":{reply_ms}}}\n"
    )
    .into_bytes()
}

/// The most characters of a name, and what it is made of.
const MAX_NAME: usize = 24;

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= MAX_NAME
        && name.chars().all(is_part)
}

impl Greeting {
    /// What a `hello` says, or a code and why it is none.
    fn of(hello: Hello) -> Result<Self, (ErrorCode, String)> {
        let Hello { version, name, author, games, features, secret, token, process } = hello;
        if version != VERSION {
            return Err((ErrorCode::BadHello, format!("its version is {version}, and we speak {VERSION}")));
        }
        if let Some(name) = name.as_deref().filter(|name| !is_name(name)) {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
            let expected =
                format!("up to {MAX_NAME} letters, digits, `_` and `-`, first a letter or a digit");
            return Err((ErrorCode::BadName, format!("{shown:?} is no name; expected {expected}")));
        }
        let clean = |text: String| text.chars().filter(|c| !c.is_control()).take(100).collect();
        Ok(Self {
            name,
            author: author.map(clean),
            games,
            delta: features.iter().any(|feature| feature == "delta"),
            life: process,
            secret,
            token,
            reply: REPLY_TIME,
            seat_token: None,
            carried: Carried::default(),
        })
    }

    /// Whether it plays a game.
    pub fn plays(&self, game: &str) -> Result<(), Fault> {
        match &self.games {
            Some(games) if !games.iter().any(|known| known == game) => {
                Err(Fault::new(Offence::BadHello, format!("it does not play {game}"))
                    .expected(format!("{game:?} among its games, or no list of games")))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rookery_wire::memory;

    use super::*;
    use crate::PROTOCOL;

    async fn answered(lines: &str) -> Result<Greeting, Fault> {
        let (mut ours, mut theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
        theirs.send(lines.as_bytes()).await.unwrap();
        let greeting = greet(&mut ours, REPLY_TIME).await;
        drop(theirs);
        greeting
    }

    #[tokio::test(start_paused = true)]
    async fn a_hello_that_is_none_says_why() {
        assert_eq!(answered("{\"type\":\"hello\",\"version\":1}\n").await, Ok(Greeting::default()));
        let delta = answered(
            "{\"type\":\"error\",\"code\":\"x\"}\n{\"type\":\"hello\",\"version\":1,\"features\":[\"delta\",\"y\"]}\n",
        );
        assert!(delta.await.unwrap().delta);
        for (lines, why) in [
            ("hello\n", "no JSON object"),
            ("{\"type\":\"ready\"}\n", "it has to say hello first"),
            ("{\"type\":\"hello\",\"version\":2}\n", "its version is 2, and we speak 1"),
            ("{\"type\":\"hello\",\"version\":1,\"name\":\"a b\"}\n", "\"a b\" is no name"),
            ("", "no hello within 10s"),
            ("{\"type\":\"hel", "no hello within 10s"),
            (" \t{\"type\":\"hel", "no hello within 10s"),
        ] {
            let fault = answered(lines).await.unwrap_err();
            assert_eq!(fault.offence, Offence::BadHello, "{lines}");
            assert!(fault.evidence.note.contains(why), "{lines}: {fault:?}");
            assert!(fault.evidence.expected.is_some() && fault.evidence.sent.is_some() != lines.is_empty());
        }
        let many = answered(&"{\"type\":\"dance\"}\n".repeat(11)).await.unwrap_err();
        assert_eq!(many.evidence.note, "too many messages before its hello");
    }

    /// What it took to connect is a part of the time.
    #[tokio::test(start_paused = true)]
    async fn the_time_for_a_hello_begins_when_it_is_said() {
        let (mut ours, _theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
        let begin = Instant::now();
        tokio::time::advance(Duration::from_secs(7)).await;
        let fault = greet_since(&mut ours, REPLY_TIME, begin).await.unwrap_err();
        assert_eq!((fault.evidence.note.as_str(), begin.elapsed()), ("no hello within 10s", REPLY_TIME));
    }

    /// Whoever speaks something else need not end its line to be told so.
    #[tokio::test(start_paused = true)]
    async fn fault_j10_another_protocol_is_told_from_its_first_bytes() {
        for first in ["GET / HTTP/1.1", "  GET /", "\u{16}\u{3}\u{1}", "Starting …", "[1,"] {
            let begin = tokio::time::Instant::now();
            let fault = answered(first).await.unwrap_err();
            assert_eq!((fault.offence, begin.elapsed()), (Offence::BadHello, Duration::ZERO), "{first}");
            assert!(fault.evidence.sent.is_some_and(|sent| !sent.is_empty()), "{first}");
        }
    }

    /// Whoever is refused is told why before the link is closed.
    #[tokio::test(start_paused = true)]
    async fn fault_j04_a_hello_that_is_none_is_answered_with_an_error() {
        for (line, code) in [
            ("{\"type\":\"hello\",\"version\":1,\"name\":\"-x\"}\n", "bad_name"),
            ("{\"type\":\"hello\",\"version\":1,\"name\":\"\"}\n", "bad_name"),
            ("{\"type\":\"hello\",\"version\":2}\n", "bad_hello"),
            ("", "bad_hello"),
        ] {
            let (mut ours, mut theirs) = memory::pair(PROTOCOL.framing, PROTOCOL.bounds);
            theirs.send(line.as_bytes()).await.unwrap();
            greet(&mut ours, REPLY_TIME).await.unwrap_err();
            theirs.receive().await.unwrap();
            let error: serde_json::Value = serde_json::from_slice(&theirs.receive().await.unwrap()).unwrap();
            assert_eq!((&error["type"], &error["code"]), (&"error".into(), &code.into()), "{line}");
        }
    }

    #[test]
    fn who_lists_its_games_plays_only_those() {
        let greeting = Greeting { games: Some(vec!["fish".to_owned()]), ..Greeting::default() };
        assert!(greeting.plays("fish").is_ok() && greeting.plays("four").is_err());
        assert!(Greeting::default().plays("four").is_ok());
    }
}
