//! What is shown of a game.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use rookery_referee::{MatchSpec, Verdict};
use rookery_rules::Seat;
use rookery_rules::text::clean;
use serde_json::json;

use crate::stones::{Message, State, Update, sign};

/// How a game is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    /// The board after every message, each for a moment; on a terminal in one place.
    Board { clears: bool, delay: Duration },
    /// One line a message.
    Lines,
    /// One JSON object a message.
    Json,
}

/// Lines of chat that stay on a screen that is cleared.
const CHAT_LINES: usize = 5;

#[derive(Debug)]
pub(super) struct Screen {
    view: View,
    chat: VecDeque<String>,
}

impl Screen {
    pub(super) fn new(view: View) -> Self {
        Self { view, chat: VecDeque::new() }
    }

    pub(super) fn update(&mut self, update: &Update, out: &mut dyn Write) -> io::Result<()> {
        match self.view {
            View::Board { clears, delay } => {
                if clears {
                    write!(out, "\x1b[2J\x1b[H")?;
                }
                write_board(&update.state, out)?;
                writeln!(out, "\n{}", clean(&update.message.to_string()))?;
                if clears {
                    self.chat.iter().try_for_each(|line| writeln!(out, "{line}"))?;
                } else {
                    writeln!(out)?;
                }
                out.flush()?;
                sleep(delay);
                Ok(())
            }
            View::Lines => {
                writeln!(out, "{}", clean(&update.message.to_string()))?;
                out.flush()
            }
            View::Json => write_json(&json!(update), out),
        }
    }

    pub(super) fn said(&mut self, seat: Seat, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let id = seat.index();
        if self.view == View::Json {
            return write_json(&json!({"said": {"player": id, "text": text}}), out);
        }
        let line = format!("Player {id} says: {}", clean(text));
        writeln!(out, "{line}")?;
        self.chat.push_back(line);
        if self.chat.len() > CHAT_LINES {
            self.chat.pop_front();
        }
        out.flush()
    }

    /// A player made an error, and the others play on.
    pub(super) fn error(&mut self, seat: Seat, text: &str, out: &mut dyn Write) -> io::Result<()> {
        if self.view == View::Json {
            return write_json(&json!({"error": {"player": seat.index(), "text": text}}), out);
        }
        writeln!(out, "{}", clean(text))
    }

    /// How the game ended.
    pub(super) fn ended(
        &mut self,
        spec: &MatchSpec,
        verdict: &Verdict,
        last: Option<&Message>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let outcome = verdict.outcome.as_ref();
        if self.view == View::Json {
            let winners: Vec<usize> =
                outcome.iter().flat_map(|outcome| outcome.winners.iter()).map(Seat::index).collect();
            let verdict = json!({
                "ending": verdict.ending.cause.word(),
                "player": verdict.ending.seat.map(Seat::index),
                "sentence": spec.sentence(verdict),
                "winners": winners,
                "scores": outcome.map(|outcome| outcome.scores.as_slice()),
                "moves": verdict.plies,
            });
            return write_json(&json!({ "verdict": verdict }), out);
        }
        let moves = if verdict.plies == 1 { "1 move".to_owned() } else { format!("{} moves", verdict.plies) };
        match last {
            Some(Message::PlayerWon { player }) => writeln!(out, "Player {player} has won after {moves}."),
            Some(Message::GameOver { winners, reason }) => {
                writeln!(out, "The game ended after {moves}, and nobody won alone: {}.", clean(reason))?;
                match winners.as_slice() {
                    [] => Ok(()),
                    shared => {
                        let ids: Vec<String> = shared.iter().map(ToString::to_string).collect();
                        writeln!(out, "Players {} share the first place.", ids.join(", "))
                    }
                }
            }
            _ => writeln!(out, "{}", clean(&spec.sentence(verdict))),
        }
    }
}

/// The board, and the stones of each player, as the original's console has them.
pub(super) fn write_board(state: &State, out: &mut dyn Write) -> io::Result<()> {
    for row in &state.board {
        let tiles: Vec<String> = row.iter().map(|&tile| sign(tile).to_string()).collect();
        writeln!(out, "{}", tiles.join(" "))?;
    }
    writeln!(out, "\n====\n")?;
    for (id, _) in (0..).zip(&state.playing) {
        writeln!(out, "Player {id}: {} stones", state.stones(id).count())?;
    }
    Ok(())
}

fn write_json(value: &serde_json::Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{value}")?;
    out.flush()
}
