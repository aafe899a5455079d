//! The second protocol: player 2 chooses the size, player 1 how many pawns each takes off, then both take them off in
//! turn, then they play.
//!
//! Every question is `r(other:X request:REQ)`, where `X` is what the other player answered last, `nil` at first. The
//! board is never sent: the players keep it themselves.
//!
//! | question | answer |
//! |---|---|
//! | `size` (to player 2) | `size(N M)`, 5 to 8 each |
//! | `firstElimination` (to player 1) | `firstElimination(k:K row:R col:C)`; with `k:0` row and column mean nothing |
//! | `elimination(N)`: so many are still to be taken off | `eliminate(R C)` |
//! | `move(false)`, or `move(true)` for the second and last chance | `move(f(R C) t(R C))` |
//!
//! Before the pawns move there is no second chance: the [conduct](super::host::CONDUCT) says so. The original had four
//! defects here that are not repeated: on a second chance `other` was the player's own illegal move; `k` could be half
//! of an even number of columns; with `k:0` player 1 was sent its own answer; an unexpected record before play stopped
//! the referee or made the offender win.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_games::hexapawn::{Cell, Move, Position, Square};
use rookery_referee::{
    Answering, BoxFuture, ChatBox, Event, EventOf, Failure, Fault, Offence, Player, Question,
};
use rookery_rules::{Position as _, Seat};
use rookery_wire::{Answer, Codec, Connection, Note, Remote};

use super::oz::Value;
use super::records::{PlayerType, line, pawn_value, read, read_pawn, square, unexpected};
use super::seed::farewell;

/// Rows and columns that player 2 may choose.
pub const SIZES: std::ops::RangeInclusive<u8> = 5..=8;

/// What a decision is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// How many pawns each takes off.
    Choosing,
    /// Which pawn.
    Eliminating,
    /// A move.
    Playing,
}

impl Stage {
    pub(super) fn of(position: &Position) -> Self {
        match position.legal_moves().next() {
            Some(Move::Choose(_)) => Self::Choosing,
            Some(Move::Off(_)) => Self::Eliminating,
            Some(Move::Pawn { .. }) | None => Self::Playing,
        }
    }
}

/// `r(other:X request:REQ)`.
pub(super) fn question(other: &Value, request: Value) -> Value {
    Value::record("r", [("other", other.clone()), ("request", request)])
}

/// `size(N M)`.
pub(super) fn size_value(rows: u8, cols: u8) -> Value {
    Value::tuple("size", [i64::from(rows), i64::from(cols)])
}

/// `eliminate(R C)`.
pub(super) fn eliminate_value(square: Square) -> Value {
    Value::tuple("eliminate", [i64::from(square.row()) + 1, i64::from(square.col()) + 1])
}

/// `firstElimination(k:K row:R col:C)`; without a square for no pawns.
pub(super) fn first_elimination_value(k: u8, square: Option<Square>) -> Value {
    let (row, col) =
        square.map_or((1, 1), |square| (i64::from(square.row()) + 1, i64::from(square.col()) + 1));
    Value::record("firstElimination", [("k", i64::from(k)), ("row", row), ("col", col)])
}

/// Reads the record.
pub(super) fn read_first_elimination(value: &Value) -> Result<(u8, Option<Square>), Fault> {
    const LABEL: &str = "firstElimination";
    const EXPECTED: &str = "firstElimination(k:K row:R col:C)";
    let wrong = || unexpected(value, EXPECTED);
    if let Some([k]) = value.as_record(LABEL, ["k"]) {
        return if k.as_int() == Some(0) { Ok((0, None)) } else { Err(wrong()) };
    }
    let [k, row, col] = value.as_record(LABEL, ["k", "row", "col"]).ok_or_else(wrong)?;
    let k = k.as_int().ok_or_else(wrong)?;
    if k == 0 {
        return Ok((0, None));
    }
    let place = (row.as_int().ok_or_else(wrong)?, col.as_int().ok_or_else(wrong)?);
    // More than 255 are as wrong as 255.
    let k = u8::try_from(k.clamp(-1, 255)).map_err(|_| wrong())?;
    Ok((k, Some(square(place, value)?)))
}

/// Reads `eliminate(R C)`.
pub(super) fn read_eliminate(value: &Value) -> Result<Square, Fault> {
    let wrong = || unexpected(value, "eliminate(R C)");
    let [row, col] = value.as_tuple("eliminate").ok_or_else(wrong)?;
    square((row.as_int().ok_or_else(wrong)?, col.as_int().ok_or_else(wrong)?), value)
}

/// Reads `size(N M)`.
fn read_size(message: &[u8]) -> Result<(u8, u8), Fault> {
    let expected = "size(N M), both from 5 to 8";
    let value = read(message, expected)?;
    let number = |value: &Value| u8::try_from(value.as_int()?).ok().filter(|n| SIZES.contains(n));
    let size = value.as_tuple("size").and_then(|[rows, cols]| Some((number(rows)?, number(cols)?)));
    size.ok_or_else(|| unexpected(&value, expected))
}

/// Asks player 2 for the size. Whoever of the two does something wrong loses: player 1, if it is at the end of a
/// connection, must keep silent meanwhile.
pub async fn ask_size(
    asked: &mut Connection,
    mut other: Option<&mut Connection>,
    time: Duration,
) -> Result<(u8, u8), (PlayerType, Fault)> {
    let loses = |fault| (PlayerType::P2, fault);
    let answer = async {
        asked.send(&line(&question(&Value::nil(), Value::atom("size")))).await?;
        asked.receive().await
    };
    let mut answer = Box::pin(tokio::time::timeout(time, answer));
    let answer = std::future::poll_fn(|cx| {
        if let Some(other) = other.as_deref_mut()
            && let Poll::Ready(message) = other.poll_receive(cx)
        {
            let fault = message.map_or_else(|fault| fault, |message| out_of_turn(&message));
            return Poll::Ready(Err((PlayerType::P1, fault)));
        }
        answer.as_mut().poll(cx).map(Ok)
    });
    let Ok(message) = answer.await? else {
        let detail = format!("no size within {} ms", time.as_millis());
        return Err(loses(Fault::new(Offence::Timeout, detail)));
    };
    read_size(&message.map_err(loses)?).map_err(loses)
}

fn out_of_turn(message: &[u8]) -> Fault {
    let sent = rookery_wire::excerpt(message);
    Fault::new(Offence::OutOfTurn, format!("it was not asked, but sent {sent}"))
}

/// A player at the end of a connection that speaks the second protocol.
#[derive(Debug)]
pub struct EliminationPlayer<'a> {
    remote: Remote<&'a mut Connection, EliminationCodec>,
    kept: Arc<Mutex<Kept>>,
}

/// Player 1's first answer has two decisions; this is the second, until it is asked for.
type Kept = Option<Move>;

fn open(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> EliminationPlayer<'a> {
    /// A player for a board of this size. A program that was just started has some more time for its first answer.
    pub fn new(
        connection: &'a mut Connection,
        player: PlayerType,
        (rows, cols): (u8, u8),
        warm_up: Duration,
    ) -> Self {
        let kept = Arc::default();
        let other = match player {
            PlayerType::P1 => size_value(rows, cols),
            PlayerType::P2 => Value::nil(),
        };
        let codec =
            EliminationCodec { player, other, chosen: 0, warm_up, asked: false, kept: Arc::clone(&kept) };
        Self { remote: Remote::new(connection, codec), kept }
    }
}

impl Player<Position> for EliminationPlayer<'_> {
    fn seated(&mut self, seat: Seat, chat: ChatBox) {
        Player::<Position>::seated(&mut self.remote, seat, chat);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        if let Some(kept) = open(&self.kept).take() {
            return Answering::Now(Ok(kept));
        }
        self.remote.choose(question)
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        position: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        self.remote.hear(event, position)
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        Player::<Position>::poll_foul(&mut self.remote, cx)
    }

    fn extra_time(&self, position: &Position) -> Duration {
        self.remote.extra_time(position)
    }
}

/// The texts of the second protocol.
#[derive(Debug)]
struct EliminationCodec {
    player: PlayerType,
    /// What the other player answered last.
    other: Value,
    /// How many pawns each takes off.
    chosen: u8,
    warm_up: Duration,
    asked: bool,
    kept: Arc<Mutex<Kept>>,
}

impl EliminationCodec {
    fn decision(&self, value: &Value, position: &Position) -> Result<Move, Fault> {
        match Stage::of(position) {
            Stage::Choosing => {
                let (k, square) = read_first_elimination(value)?;
                *open(&self.kept) = square.map(Move::Off);
                Ok(Move::Choose(k))
            }
            Stage::Eliminating => read_eliminate(value).map(Move::Off),
            Stage::Playing => read_pawn(value, "move"),
        }
    }

    /// How many pawns this player has still to take off.
    fn owed(&self, position: &Position) -> i64 {
        let own = match self.player {
            PlayerType::P1 => Cell::P1,
            PlayerType::P2 => Cell::P2,
        };
        let board = position.board();
        let standing = board.to_list().concat().into_iter().filter(|&cell| cell == own).count();
        i64::from(self.chosen) - (i64::from(board.cols()) - standing as i64)
    }
}

impl Codec<Position> for EliminationCodec {
    fn ask(&mut self, asked: &Question<'_, Position>) -> Vec<u8> {
        self.asked = true;
        let request = match Stage::of(asked.position) {
            Stage::Choosing => Value::atom("firstElimination"),
            Stage::Eliminating => Value::tuple("elimination", [self.owed(asked.position)]),
            Stage::Playing => {
                Value::tuple("move", [Value::atom(if asked.refused > 0 { "true" } else { "false" })])
            }
        };
        line(&question(&self.other, request))
    }

    fn answer(&mut self, message: &[u8], position: &Position) -> Result<Answer<Move>, Failure> {
        let expected = match Stage::of(position) {
            Stage::Choosing => "firstElimination(k:K row:R col:C)",
            Stage::Eliminating => "eliminate(R C)",
            Stage::Playing => "move(f(row col) t(row col))",
        };
        let value = read(message, expected)?;
        Ok(Answer::Move(self.decision(&value, position)?))
    }

    fn news(&mut self, event: &EventOf<Position>, position: &Position) -> Vec<Note> {
        match event {
            Event::Moved { mv: Move::Choose(k), .. } => {
                self.chosen = *k;
                if *k == 0 && self.player == PlayerType::P2 {
                    self.other = first_elimination_value(0, None);
                }
            }
            Event::Moved { seat, mv, .. } if *seat != self.player.seat() => {
                self.other = match *mv {
                    Move::Off(square) if *seat == PlayerType::P1.seat() && self.is_first(position) => {
                        first_elimination_value(self.chosen, Some(square))
                    }
                    Move::Off(square) => eliminate_value(square),
                    Move::Pawn { from, to } => pawn_value(from, to, "move"),
                    Move::Choose(_) => unreachable!("it is heard above"),
                };
            }
            Event::Ended(verdict) => return farewell(verdict),
            _ => {}
        }
        vec![]
    }

    fn extra_time(&self, _: &Position) -> Duration {
        if self.asked { Duration::ZERO } else { self.warm_up }
    }
}

impl EliminationCodec {
    /// Whether player 2, whose codec this is, has taken off nothing yet.
    fn is_first(&self, position: &Position) -> bool {
        self.owed(position) == i64::from(self.chosen)
    }
}
