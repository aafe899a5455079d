//! A link on which the checker listens, and makes life harder where a step wants it.

use std::fmt;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rookery_referee::{BoxFuture, Fault};
use rookery_wire::{Lent, Transport};
use serde_json::Value;

/// How those messages begin that ask for an answer.
const ASKING: [&[u8]; 3] = [b"{\"type\":\"hello\"", b"{\"type\":\"new_game\"", b"{\"type\":\"turn\""];

/// What a step does to what travels.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Meddling {
    /// Adds fields and messages that nobody knows.
    pub strange: bool,
    /// Takes away the first answer, and sends one that will be rejected.
    pub spoils: bool,
}

/// What was heard.
#[derive(Clone, Default, Debug)]
pub struct Heard(Arc<Mutex<Lines>>);

#[derive(Default, Debug)]
struct Lines {
    /// The last that asked for an answer.
    question: Option<String>,
    /// The last that came.
    answer: Option<String>,
    asked: Option<Instant>,
    /// How long the answers took.
    times: Vec<Duration>,
    /// Turns with their answers.
    turns: Vec<(Value, Value, Duration)>,
}

impl Heard {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, direction: char, line: &[u8]) {
        let mut lines = self.lines();
        if direction == '<' && line.starts_with(b"{\"type\":\"turn\"") {
            lines.asked = Some(Instant::now());
        } else if direction == '>'
            && is_one_of(line, &["move", "resign"])
            && let Some(asked) = lines.asked.take()
        {
            let time = asked.elapsed();
            lines.times.push(time);
            let read = |line: &[u8]| serde_json::from_slice(line).unwrap_or_default();
            let question = lines.question.as_ref().map(|text| read(text.as_bytes())).unwrap_or_default();
            lines.turns.push((question, read(line), time));
        }
        let text = || Some(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
        if direction == '>' {
            lines.answer = text();
        } else if ASKING.iter().any(|kind| line.starts_with(kind)) {
            lines.question = text();
        }
    }

    /// The last line that asked for an answer, and the last that came.
    pub fn last(&self) -> (Option<String>, Option<String>) {
        let lines = self.lines();
        (lines.question.clone(), lines.answer.clone())
    }

    /// The turns since the last call, each with its answer and how long that took.
    pub fn take_turns(&self) -> Vec<(Value, Value, Duration)> {
        std::mem::take(&mut self.lines().turns)
    }

    /// How long all answers took, the quickest first.
    pub fn times(&self) -> Vec<Duration> {
        let mut times = self.lines().times.clone();
        times.sort_unstable();
        times
    }
}

/// The link itself: one of its own, or one that is lent.
pub struct Meddler<L = Box<dyn Transport>> {
    link: L,
    heard: Heard,
    meddling: Meddling,
    close: fn(L) -> BoxFuture<'static, ()>,
}

impl<L> fmt::Debug for Meddler<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meddler").field("meddling", &self.meddling).finish_non_exhaustive()
    }
}

impl Meddler {
    /// On a link that ends with it.
    pub fn new(link: Box<dyn Transport>, heard: Heard, meddling: Meddling) -> Self {
        Self { link, heard, meddling, close: |link| link.close() }
    }
}

impl Meddler<Lent> {
    /// On a link that goes home in the end.
    pub fn on_loan(link: Lent, heard: Heard, meddling: Meddling) -> Self {
        Self { link, heard, meddling, close: |link| Box::pin(async move { drop(link) }) }
    }
}

impl<L: DerefMut<Target = dyn Transport>> Meddler<L> {
    fn told(&mut self, line: &[u8]) {
        if !self.meddling.strange {
            self.heard.note('<', line);
            self.link.queue(line);
            return;
        }
        let mut strange = line.to_vec();
        if strange.ends_with(b"}\n") {
            strange.truncate(strange.len() - 2);
            strange
                .extend_from_slice(br#","x_check":{"type":"turn","list":[1,null,"{\"type\":\"quit\"}"]}}"#);
            strange.push(b'\n');
        }
        if line.starts_with(b"{\"type\":\"turn\"") {
            self.link.queue(b"{\"type\":\"x_check\",\"id\":0,\"count\":0}\n");
        }
        self.heard.note('<', &strange);
        self.link.queue(&strange);
    }
}

/// Whether a line is a message of one of these types.
fn is_one_of(line: &[u8], types: &[&str]) -> bool {
    let message: Value = serde_json::from_slice(line).unwrap_or_default();
    message["type"].as_str().is_some_and(|kind| types.contains(&kind))
}

/// The same answer with a move that does not exist.
fn spoilt(line: &[u8]) -> Option<Vec<u8>> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let id = message.get("id").filter(|_| message["type"] == "move")?;
    Some(serde_json::json!({ "type": "move", "id": id, "move": "x_check" }).to_string().into_bytes())
}

impl<L: DerefMut<Target = dyn Transport> + Send + 'static> Transport for Meddler<L> {
    fn peer(&self) -> &str {
        self.link.peer()
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        let received = ready!(self.link.poll_receive(cx));
        let Ok(line) = received else { return Poll::Ready(received) };
        self.heard.note('>', &line);
        if self.meddling.spoils
            && let Some(spoilt) = spoilt(&line)
        {
            self.meddling.spoils = false;
            return Poll::Ready(Ok(spoilt));
        }
        // The answer to a message of ours that nobody asked the protocol about.
        if self.meddling.strange && is_one_of(&line, &["error"]) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Ok(line))
    }

    fn queue(&mut self, message: &[u8]) {
        for line in message.split_inclusive(|&byte| byte == b'\n') {
            self.told(line);
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        self.link.poll_flush(cx)
    }

    fn set_idle(&mut self, idle: bool) {
        self.link.set_idle(idle);
    }

    fn unfinished(&mut self) -> &[u8] {
        self.link.unfinished()
    }

    fn spoken_early(&mut self) -> Option<Fault> {
        self.link.spoken_early()
    }

    fn absence(&self) -> Option<Fault> {
        self.link.absence()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        let Self { link, close, .. } = *self;
        close(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_on_the_side_is_no_answer_to_a_turn() {
        let heard = Heard::default();
        heard.note('<', b"{\"type\":\"turn\",\"id\":1}\n");
        heard.note('>', b"{\"type\":\"info\",\"depth\":1}");
        heard.note('>', b"{\"type\":\"say\",\"text\":\"\\\"error\\\"\"}");
        assert!(heard.times().is_empty());
        heard.note('>', b"{\"type\":\"move\",\"id\":1,\"index\":0}");
        let turns = heard.take_turns();
        assert_eq!((turns.len(), &turns[0].1["type"]), (1, &"move".into()));
        assert!(is_one_of(b"{\"type\":\"error\"}", &["error"]));
        assert!(!is_one_of(b"{\"type\":\"say\",\"text\":\"error\"}", &["error"]));
    }
}
