//! Every line that travels, written down for whoever looks for a mistake.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use rookery_referee::{BoxFuture, Fault};
use rookery_rules::text::is_harmful;

use crate::Transport;

/// The most bytes of a message that are written down.
const MAX_SHOWN: usize = 64 << 10;

/// Where lines are written down. Copies write to the same place.
#[derive(Clone)]
pub struct Trace(Arc<Inner>);

struct Inner {
    begin: Instant,
    out: Mutex<Box<dyn Write + Send>>,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trace")
    }
}

impl Trace {
    /// Writes to this from now on; times are counted from now.
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Inner { begin: Instant::now(), out: Mutex::new(Box::new(out)) }))
    }

    /// The same link, with everything that travels on it written down under this name.
    pub fn follow(&self, link: Box<dyn Transport>, name: impl Into<String>) -> Box<dyn Transport> {
        let followed = Followed { link, name: name.into(), trace: self.clone(), told_end: false };
        followed.note('=', followed.link.peer());
        Box::new(followed)
    }

    /// One line: the time in microseconds, whose link it is, `<` to the program and `>` from it, and what it was. Characters
    /// that would do something to a terminal are escaped. What cannot be written is lost: nobody's match ends for it.
    fn line(&self, name: &str, direction: char, message: &[u8]) {
        let micros = self.0.begin.elapsed().as_micros();
        let shown = &message[..message.len().min(MAX_SHOWN)];
        let text = String::from_utf8_lossy(shown);
        let text: String = without_secrets(&text).chars().flat_map(safe).collect();
        let cut = if message.len() > MAX_SHOWN { " (cut)" } else { "" };
        let mut out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _: io::Result<()> =
            writeln!(out, "{micros:>10} {name} {direction} {text}{cut}").and_then(|()| out.flush());
    }
}

/// The same without what a bot proves itself with: traces are shown around.
fn without_secrets(text: &str) -> Cow<'_, str> {
    ["\"secret\"", "\"token\""].into_iter().fold(Cow::Borrowed(text), |text, key| match hide(&text, key) {
        Some(hidden) => Cow::Owned(hidden),
        None => text,
    })
}

/// The text without the value of a key, if it has one.
fn hide(text: &str, key: &str) -> Option<String> {
    let (before, rest) = text.split_once(key)?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = value.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let after = end.map_or("", |end| &value[end..]);
    Some(format!("{before}{key}:\"…{after}"))
}

/// A character as it may stand in a terminal.
fn safe(c: char) -> Vec<char> {
    if is_harmful(c) { c.escape_default().collect() } else { vec![c] }
}

struct Followed {
    link: Box<dyn Transport>,
    name: String,
    trace: Trace,
    told_end: bool,
}

impl Followed {
    fn note(&self, direction: char, text: &str) {
        self.trace.line(&self.name, direction, text.as_bytes());
    }
}

impl Transport for Followed {
    fn peer(&self) -> &str {
        self.link.peer()
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        let received = ready!(self.link.poll_receive(cx));
        match &received {
            Ok(message) => self.trace.line(&self.name, '>', message),
            Err(fault) if !self.told_end => {
                self.told_end = true;
                self.note('=', &rookery_referee::words::offence(fault.offence, &fault.evidence));
            }
            Err(_) => {}
        }
        Poll::Ready(received)
    }

    fn queue(&mut self, message: &[u8]) {
        for line in message.split_inclusive(|&byte| byte == b'\n') {
            self.trace.line(&self.name, '<', line.trim_ascii_end());
        }
        self.link.queue(message);
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

    fn rename(&mut self, name: &str) {
        if self.name != name {
            self.note('=', &format!("from now on {name}"));
            name.clone_into(&mut self.name);
        }
    }

    fn replaced(&mut self) {
        self.link.replaced();
    }

    fn was_replaced(&self) -> bool {
        self.link.was_replaced()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.note('=', "closed");
        self.link.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_w04_what_a_bot_writes_does_nothing_to_a_terminal() {
        let shown = |text: &str| text.chars().flat_map(safe).collect::<String>();
        for (sent, is_shown) in [
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("a\tb\u{7f}\u{9b}", "a\\tb\\u{7f}\\u{9b}"),
            // Turned round, and nothing to be seen.
            ("x\u{202e}y\u{2066}z\u{200b}", "x\\u{202e}y\\u{2066}z\\u{200b}"),
            (r#"{"say":"Grüße 你好 \n"}"#, r#"{"say":"Grüße 你好 \n"}"#),
        ] {
            assert_eq!(shown(sent), is_shown);
        }
        let all: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        let all = shown(&all);
        assert_eq!(rookery_rules::text::clean(&all), all, "nothing is left to be cleaned");
    }

    #[test]
    fn secrets_are_not_written_down() {
        for (line, shown) in [
            (r#"{"secret":"s\"1","name":"x"}"#, r#"{"secret":"…","name":"x"}"#),
            (r#"{"name":"x","secret" : "open sesame"}"#, r#"{"name":"x","secret":"…"}"#),
            (r#"{"secret":"unfinished"#, r#"{"secret":"…"#),
            (r#"{"secret":7}"#, r#"{"secret":7}"#),
            (r#"{"token":"ab","secret":"cd","x":1}"#, r#"{"token":"…","secret":"…","x":1}"#),
            (r#"{"name":"x"}"#, r#"{"name":"x"}"#),
        ] {
            assert_eq!(without_secrets(line), shown);
        }
    }
}
