//! Why a bot does not answer its first message, found out by trying: it reads on and on, or its answer is still in a buffer.

use std::time::Duration;

use rookery_bots::PROTOCOL;
use rookery_wire::{Connection, Process, TransportExt as _};
use tokio::time::timeout;

use super::steps::Checker;

/// How long a bot may take to start and to answer when it is tried once more.
const PATIENCE: Duration = Duration::from_secs(3);
/// More than any usual buffer for what is read.
const PADDING: usize = 70_000;
/// Their answers are more than any usual buffer for what is written, and less than a pipe takes.
const MANY: usize = 600;

const TO_THE_END: &str = "it answered only after its input was closed: it reads until the end of its input, which comes after \
    the last game. Read one line, answer it, and read the next (Python: for line in sys.stdin, and not sys.stdin.read(); \
    C: getline; Java: BufferedReader.readLine).";
const IN_BLOCKS: &str = "it answered only when more than its line had come: it reads a number of bytes at a time and waits until \
    they are all there. Read one line at a time (Python: sys.stdin.readline(), and not read(N); C: getline, and not fread; \
    Java: BufferedReader.readLine).";
const NOT_FLUSHED: &str = "its answers came together, after many messages: they were in a buffer of its own. Flush each line \
    (Python: print(..., flush=True); C: fflush(stdout); Java: flush()).";

impl Checker<'_> {
    /// Starts a silent bot again, a few times, and looks what makes it answer.
    pub(super) async fn why_silent(&self, hello: &str) -> Option<&'static str> {
        let hello = format!("{hello}\n");
        if !self.answers(&hello, true).await {
            return None;
        }
        let padding = format!("{{\"type\":\"x_check\",\"x\":\"{}\"}}\n", "x".repeat(PADDING));
        if self.answers(&format!("{hello}{padding}"), false).await {
            return Some(IN_BLOCKS);
        }
        // Whoever reads to the end is silent until then, whatever it is asked.
        Some(if self.answers(&hello.repeat(MANY), false).await { NOT_FLUSHED } else { TO_THE_END })
    }

    /// Whether it says anything when it is sent this, with the end of its input or without.
    async fn answers(&self, sent: &str, ends: bool) -> bool {
        let Ok(process) = Process::start_in(self.sandbox, self.program) else { return false };
        let mut link = Connection::process(process, PROTOCOL.framing, PROTOCOL.bounds);
        let answer = timeout(PATIENCE, async {
            link.send(sent.as_bytes()).await?;
            if ends {
                link.close_input();
            }
            link.receive().await
        });
        matches!(answer.await, Ok(Ok(_)))
    }
}
