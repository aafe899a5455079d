//! A link over a network whose other end may be lost for a while: whoever comes back is told the game again, and its open turn.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_bots::{ErrorCode, error};
use rookery_referee::{BoxFuture, Fault, Offence, write_duration};
use rookery_wire::{Transport, TransportExt as _, excerpt};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Sleep, sleep, timeout};

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
    returns: Option<Returns>,
    /// A game was over before it was ready again: what it says of that is still to come.
    owes_ready: bool,
    told: Told,
    peer: String,
    /// Whether nothing is expected of whoever is there.
    is_idle: bool,
}

/// Somebody who has come back and is not ready yet.
struct Returns {
    /// When it is too late.
    until: Pin<Box<Sleep>>,
    time: Duration,
    /// What it has said instead.
    n_other: u32,
}

/// How much else may be said before one is ready again.
const MAX_OTHER: u32 = 100;
/// What an older connection is told, and how long that may take.
const REPLACED: &str = "a newer connection of this bot has taken its place; do not come back";
const LAST_WORD: Duration = Duration::from_secs(1);
/// What is expected of whoever comes back.
const READY: &str = r#"{"type":"ready"}"#;

impl Returns {
    fn within(time: Duration) -> Self {
        Self { until: Box::pin(sleep(time)), time, n_other: 0 }
    }

    /// Ready when it is too late.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.until.as_mut().poll(cx).map(|()| {
            let note = format!("it came back and was not ready within {}", write_duration(self.time));
            Fault::new(Offence::Timeout, note).expected(READY)
        })
    }

    /// It has said something else than that it is ready.
    fn other(&mut self, said: &[u8]) -> Result<(), Fault> {
        self.n_other += 1;
        if self.n_other <= MAX_OTHER {
            return Ok(());
        }
        let note = format!("it came back and sent more than {MAX_OTHER} messages before it was ready");
        Err(Fault::new(Offence::OutputLimit, note).sent(excerpt(said)).expected(READY))
    }
}

/// What the player has been told, so that it can be told again.
#[derive(Default)]
struct Told {
    new_game: Option<Value>,
    /// The moves that lead from the position of `new_game` to what the open turn tells.
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

    /// How long it may take to get ready.
    fn reply_time(&self) -> Duration {
        let millis = self.new_game.as_ref().and_then(|message| message["reply_ms"].as_u64());
        millis.map_or(rookery_bots::REPLY_TIME, Duration::from_millis)
    }

    fn waits_for_ready(&self) -> bool {
        self.new_game.is_some() && !self.is_ready
    }

    /// What the open turn has told belongs to the past now.
    fn answered(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        let turn: Value = serde_json::from_slice(&turn).unwrap_or_default();
        let moves = turn["moves"].as_array().into_iter().flatten().map(|since| &since["move"]);
        if moves.clone().all(Value::is_string) {
            self.moves.extend(moves.cloned());
        } else if let (Some(new_game), Some(position)) = (&mut self.new_game, turn.get("position")) {
            // Somebody was removed or took moves back: where the game stands now is all that can be told again.
            new_game["position"] = position.clone();
            self.moves.clear();
        }
    }

    /// The game from where moves lead to the open turn, as a line.
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
        Self {
            link: Some(link),
            back,
            grace,
            until: None,
            returns: None,
            owes_ready: false,
            told: Told::default(),
            peer,
            is_idle: true,
        }
    }

    /// Somebody has come back: the newest connection counts, an older one is closed.
    fn attach(&mut self, mut link: Box<dyn Transport>) {
        link.set_idle(self.is_idle);
        if let Some(again) = self.told.again() {
            link.queue(&again);
            self.returns = Some(Returns::within(self.told.reply_time()));
        }
        self.until = None;
        self.owes_ready = false;
        if let Some(older) = self.link.replace(link) {
            tokio::spawn(close_replaced(older));
        }
    }

    /// Whether it has something to say of a game that it was told, or told again.
    fn waits_for_ready(&self) -> bool {
        self.owes_ready || self.returns.is_some() || self.told.waits_for_ready()
    }

    /// What comes before it is ready; `None` if that is nothing for the referee.
    fn heard(&mut self, said: Vec<u8>) -> Option<Result<Vec<u8>, Fault>> {
        let message: Value = serde_json::from_slice(&said).unwrap_or_default();
        let is_ready = message["type"] == "ready";
        if !is_ready {
            let Some(returns) = &mut self.returns else { return Some(Ok(said)) };
            return returns.other(&said).err().map(Err);
        }
        if std::mem::take(&mut self.owes_ready) {
            return None;
        }
        if self.returns.take().is_some()
            && let (Some(turn), Some(link)) = (&self.told.turn, &mut self.link)
        {
            link.queue(turn);
        }
        // The first one is the referee's, whether it comes before a loss or after it.
        let is_first = !std::mem::replace(&mut self.told.is_ready, true);
        is_first.then_some(Ok(said))
    }

    fn poll_back(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Some(link)) = self.back.poll_recv(cx) {
            self.attach(link);
        }
    }

    /// The connection is lost: it may come back for a while, if a game is on.
    fn lose(&mut self) {
        self.link = None;
        self.returns = None;
        self.owes_ready = false;
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

/// Closes the link of a bot whose newer connection has taken its place, and says so.
pub async fn close_replaced(mut older: Box<dyn Transport>) {
    older.replaced();
    // Whether it is still heard does not matter.
    let _ = timeout(LAST_WORD, older.send(&error(ErrorCode::Replaced, REPLACED))).await;
    older.close().await;
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
                Poll::Pending => {
                    let returns = self.returns.as_mut();
                    return returns.map_or(Poll::Pending, |returns| returns.poll_late(cx).map(Err));
                }
                Poll::Ready(Err(fault)) if self.may_return(&fault) => self.lose(),
                Poll::Ready(Ok(said)) if self.waits_for_ready() => {
                    if let Some(heard) = self.heard(said) {
                        return Poll::Ready(heard);
                    }
                }
                other @ Poll::Ready(_) => return other,
            }
        }
    }

    fn queue(&mut self, message: &[u8]) {
        for line in message.split_inclusive(|&byte| byte == b'\n') {
            self.told.note(line);
            if self.told.new_game.is_none() {
                // The game is over, ready or not.
                self.owes_ready |= self.returns.take().is_some();
            }
            if let Some(link) = self.link.as_mut().filter(|_| self.returns.is_none()) {
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

    fn set_idle(&mut self, idle: bool) {
        self.is_idle = idle;
        if let Some(link) = &mut self.link {
            link.set_idle(idle);
        }
    }

    fn unfinished(&mut self) -> &[u8] {
        self.link.as_mut().map_or(&[], |link| link.unfinished())
    }

    fn absence(&self) -> Option<Fault> {
        let note = "it lost its connection and did not come back before its time was up";
        self.link.is_none().then(|| Fault::new(Offence::Disconnected, note))
    }

    fn replaced(&mut self) {
        if let Some(link) = &mut self.link {
            link.replaced();
        }
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        match self.link {
            Some(link) => link.close(),
            None => Box::pin(std::future::ready(())),
        }
    }
}
