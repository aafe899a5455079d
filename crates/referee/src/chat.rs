//! What players say to each other: bounded, kept, and without any effect on the game.

use std::task::{Context, Poll, ready};

use rookery_rules::{MAX_SEATS, Seat};
use tokio::sync::mpsc;

/// The most characters of one line; the rest is cut off.
pub const MAX_CHAT_CHARS: usize = 300;
/// The most lines of one seat in one match; more are dropped.
pub const MAX_CHAT_LINES: usize = 200;
/// Lines that wait for the referee to look; more are dropped.
const QUEUE: usize = 64;

/// Where a player says something. Copies may be kept anywhere; saying something never waits and never fails.
#[derive(Clone, Debug)]
pub struct ChatBox {
    seat: Seat,
    lines: mpsc::Sender<(Seat, String)>,
}

impl ChatBox {
    /// Says a line. Control characters become spaces, what is too long is cut, what is too much is dropped.
    pub fn say(&self, text: &str) {
        let text: String =
            text.chars().take(MAX_CHAT_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
        // Full or closed means that nobody listens any more, which is no concern of whoever speaks.
        let _ = self.lines.try_send((self.seat, text));
    }
}

/// The referee's end of all chat boxes of a match.
#[derive(Debug)]
pub(crate) struct Chat {
    sender: mpsc::Sender<(Seat, String)>,
    lines: mpsc::Receiver<(Seat, String)>,
    said: [usize; MAX_SEATS],
}

impl Chat {
    pub(crate) fn new() -> Self {
        let (sender, lines) = mpsc::channel(QUEUE);
        Self { sender, lines, said: [0; MAX_SEATS] }
    }

    pub(crate) fn box_of(&self, seat: Seat) -> ChatBox {
        ChatBox { seat, lines: self.sender.clone() }
    }

    /// Whether nobody has said anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The next line that somebody said, if there is one and it has not said too much.
    pub(crate) fn next(&mut self) -> Option<(Seat, String)> {
        while let Ok(line) = self.lines.try_recv() {
            if let Some(line) = self.count(line) {
                return Some(line);
            }
        }
        None
    }

    /// The next line as soon as there is one.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<(Seat, String)> {
        loop {
            let line = ready!(self.lines.poll_recv(cx)).expect("we keep a sender ourselves");
            if let Some(line) = self.count(line) {
                return Poll::Ready(line);
            }
        }
    }

    fn count(&mut self, (seat, text): (Seat, String)) -> Option<(Seat, String)> {
        self.said[seat.index()] += 1;
        (self.said[seat.index()] <= MAX_CHAT_LINES).then_some((seat, text))
    }
}
