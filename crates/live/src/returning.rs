//! A link over a network whose other end may be lost for a while: whoever comes back is told the game again, and its open turn.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_referee::{BoxFuture, Fault, Offence, write_duration};
use rookery_wire::Transport;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Sleep, sleep};

/// How long whoever has lost its connection may take to come back. Its clock runs on.
pub const GRACE_TO_RETURN: Duration = Duration::from_secs(30);

/// A link whose other end may be lost for a while. Whoever comes back during a game is told it again, and its open turn.
pub struct Returning {
    /// Gone while nobody is there.
    link: Option<Box<dyn Transport>>,
    /// Who comes back; the newest counts.
    back: mpsc::Receiver<Box<dyn Transport>>,
    grace: Duration,
    /// Running while nobody is there.
    until: Option<Pin<Box<Sleep>>>,
    /// It has come back and is to say that it is ready.
    returns: bool,
    told: Told,
    peer: String,
}

/// What the player has been told, so that it can be told again.
#[derive(Default)]
struct Told {
    new_game: Option<Value>,
    /// All moves before those that the open turn tells.
    moves: Vec<Value>,
    /// The turn that is not answered yet.
    turn: Option<Vec<u8>>,
    /// Whether it has said that it is ready, once and for all returns.
    is_ready: bool,
}

impl Told {
    fn note(&mut self, line: &[u8]) {
        let Ok(mut message) = serde_json::from_slice::<Value>(line) else { return };
        match message["type"].as_str() {
            Some("new_game") => {
                self.moves = message["moves"].as_array().cloned().unwrap_or_default();
                self.turn = None;
                self.is_ready = false;
                self.new_game = Some(message);
            }
            Some("turn") => {
                self.answered();
                self.turn = Some(line.to_vec());
            }
            Some("moved") => {
                self.answered();
                self.moves.push(message["move"].take());
            }
            Some("game_over") => *self = Self::default(),
            _ => {}
        }
    }

    fn waits_for_ready(&self) -> bool {
        self.new_game.is_some() && !self.is_ready
    }

    /// What the open turn has told belongs to the past now.
    fn answered(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        let turn: Value = serde_json::from_slice(&turn).unwrap_or_default();
        for since in turn["moves"].as_array().into_iter().flatten() {
            if let Some(to) = since["taken_back_to"].as_u64() {
                self.moves.truncate(usize::try_from(to).unwrap_or(usize::MAX));
            } else if since["move"].is_string() {
                self.moves.push(since["move"].clone());
            }
        }
    }

    /// The game from its beginning, as a line.
    fn again(&self) -> Option<Vec<u8>> {
        let mut message = self.new_game.clone()?;
        message["moves"] = Value::Array(self.moves.clone());
        // The type stands first for those who look for it.
        let rest = message.as_object()?.iter().filter(|(key, _)| *key != "type");
        let fields: Vec<String> = rest.map(|(key, value)| format!("{key:?}:{value}")).collect();
        Some(format!("{{\"type\":\"new_game\",{}}}\n", fields.join(",")).into_bytes())
    }
}

impl std::fmt::Debug for Returning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Returning({})", self.peer)
    }
}

impl Returning {
    /// A link; who comes back comes through the channel.
    pub fn new(link: Box<dyn Transport>, back: mpsc::Receiver<Box<dyn Transport>>, grace: Duration) -> Self {
        let peer = link.peer().to_owned();
        Self { link: Some(link), back, grace, until: None, returns: false, told: Told::default(), peer }
    }

    /// Somebody has come back: the newest connection counts, an older one is closed.
    fn attach(&mut self, mut link: Box<dyn Transport>) {
        if let Some(again) = self.told.again() {
            link.queue(&again);
            self.returns = true;
        }
        self.until = None;
        self.link = Some(link);
    }

    fn poll_back(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Some(link)) = self.back.poll_recv(cx) {
            self.attach(link);
        }
    }

    /// The connection is lost: it may come back for a while, if a game is on.
    fn lose(&mut self) {
        self.link = None;
        self.returns = false;
        self.until = Some(Box::pin(sleep(self.grace)));
    }

    fn gone(&self) -> Fault {
        let note =
            format!("it lost its connection and did not come back within {}", write_duration(self.grace));
        Fault::new(Offence::Disconnected, note)
    }

    /// Whether it is worth waiting for: a game is on, in which it can be told everything again.
    fn may_return(&self, fault: &Fault) -> bool {
        fault.offence == Offence::Disconnected && self.told.new_game.is_some()
    }
}

impl Transport for Returning {
    fn peer(&self) -> &str {
        &self.peer
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        loop {
            self.poll_back(cx);
            let Some(link) = &mut self.link else {
                let over = self.until.as_mut().is_none_or(|until| until.as_mut().poll(cx).is_ready());
                return if over { Poll::Ready(Err(self.gone())) } else { Poll::Pending };
            };
            // What is still to be told to whoever came back leaves by itself.
            let flushed = link.poll_flush(cx);
            if let Poll::Ready(Err(fault)) = flushed {
                if !self.may_return(&fault) {
                    return Poll::Ready(Err(fault));
                }
                self.lose();
                continue;
            }
            match link.poll_receive(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(fault)) if self.may_return(&fault) => self.lose(),
                Poll::Ready(Ok(said)) if self.returns || self.told.waits_for_ready() => {
                    let message: Value = serde_json::from_slice(&said).unwrap_or_default();
                    let is_ready = message["type"] == "ready";
                    if is_ready && self.returns {
                        self.returns = false;
                        if let (Some(turn), Some(link)) = (&self.told.turn, &mut self.link) {
                            link.queue(turn);
                        }
                    }
                    // The first one is the referee's, whether it comes before a loss or after it.
                    let is_first = is_ready && !self.told.is_ready;
                    self.told.is_ready |= is_ready;
                    if is_first || !(is_ready || self.returns) {
                        return Poll::Ready(Ok(said));
                    }
                }
                other @ Poll::Ready(_) => return other,
            }
        }
    }

    fn queue(&mut self, message: &[u8]) {
        for line in message.split_inclusive(|&byte| byte == b'\n') {
            self.told.note(line);
            if let Some(link) = self.link.as_mut().filter(|_| !self.returns) {
                link.queue(line);
            }
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        match &mut self.link {
            // It is told when it comes back.
            None => Poll::Ready(Ok(())),
            Some(link) => match link.poll_flush(cx) {
                Poll::Ready(Err(fault)) if self.may_return(&fault) => {
                    self.lose();
                    Poll::Ready(Ok(()))
                }
                other => other,
            },
        }
    }

    fn unfinished(&mut self) -> &[u8] {
        self.link.as_mut().map_or(&[], |link| link.unfinished())
    }

    fn absence(&self) -> Option<Fault> {
        let note = "it lost its connection and did not come back before its time was up";
        self.link.is_none().then(|| Fault::new(Offence::Disconnected, note))
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        match self.link {
            Some(link) => link.close(),
            None => Box::pin(std::future::ready(())),
        }
    }
}
