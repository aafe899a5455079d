//! The other players of a recorded game: they make the recorded moves, as long as the game goes as it went.

use std::sync::Arc;
use std::task::{Context, Poll};

use rookery_referee::{BoxFuture, Fault};
use rookery_wire::Transport;
use serde_json::{Value, json};

/// The recorded moves: the position before each, as text, and the move.
pub(super) type Script = Arc<Vec<(String, String)>>;

/// A bot that answers from a script, and resigns once the game goes another way.
pub(super) struct Scripted {
    script: Script,
    answer: Option<Vec<u8>>,
}

impl Scripted {
    pub(super) fn new(script: &Script) -> Self {
        Self { script: Arc::clone(script), answer: None }
    }

    fn answer(&self, message: &Value) -> Option<Value> {
        match message["type"].as_str()? {
            "new_game" => Some(json!({ "type": "ready" })),
            "turn" => {
                let position = message["position"].as_str()?;
                let known = self.script.iter().find(|(before, _)| before == position);
                Some(match known {
                    Some((_, mv)) => json!({ "type": "move", "id": message["id"], "move": mv }),
                    None => json!({ "type": "resign", "id": message["id"] }),
                })
            }
            _ => None,
        }
    }
}

impl Transport for Scripted {
    fn peer(&self) -> &'static str {
        "the record"
    }

    fn poll_receive(&mut self, _: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        // Whoever waits has asked before, and the answer is there at once.
        self.answer.take().map_or(Poll::Pending, |answer| Poll::Ready(Ok(answer)))
    }

    fn queue(&mut self, message: &[u8]) {
        for line in message.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let message = serde_json::from_slice(line).unwrap_or_default();
            if let Some(answer) = self.answer(&message) {
                self.answer = Some(answer.to_string().into_bytes());
            }
        }
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn unfinished(&mut self) -> &[u8] {
        &[]
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}
