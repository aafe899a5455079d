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
//! Before the pawns move there is no second chance: the [conduct](super::CONDUCT) says so. The original had four
//! defects here that are not repeated: on a second chance `other` was the player's own illegal move; `k` could be half
//! of an even number of columns; with `k:0` player 1 was sent its own answer; an unexpected record before play stopped
//! the referee or made the offender win.

use std::task::{Context, Poll};
use std::time::Duration;

use rookery_games::hexapawn::{Cell, Move, Position, Square};
use rookery_live::Guest;
use rookery_referee::{
    BoxFuture, Event, EventOf, Failure, Fault, Invitation, Offence, Question, write_duration,
};
use rookery_rules::Position as _;
use rookery_wire::{Answer, Codec, Lent, Note, Transport, TransportExt as _, excerpt};

use super::oz::Value;
use super::records::{PlayerType, line, pawn_value, read, read_pawn, square, unexpected};
use super::seed::game_ended;

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

/// What player 2 is asked for first.
const SIZE: &str = "size(N M), both from 5 to 8, as the answer to size";

/// Reads `size(N M)`.
fn read_size(message: &[u8]) -> Result<(u8, u8), Fault> {
    let value = read(message, SIZE)?;
    let number = |value: &Value| u8::try_from(value.as_int()?).ok().filter(|n| SIZES.contains(n));
    let size = value.as_tuple("size").and_then(|[rows, cols]| Some((number(rows)?, number(cols)?)));
    size.ok_or_else(|| unexpected(&value, SIZE))
}

/// Asks player 2 for the size, if it is at the end of a link and player 1 has come; else it is the one given. `None` if
/// nobody has named one: then somebody has lost already, whose link fails from now on, but is still told how it ended.
pub async fn settle_size(guests: &mut [Guest], given: (u8, u8), time: Duration) -> Option<(u8, u8)> {
    let [one, two] = guests else { return Some(given) };
    if matches!(one, Guest::Absent(_)) {
        return Some(given);
    }
    let Guest::Linked(asked, _) = two else { return Some(given) };
    let other = if let Guest::Linked(link, _) = &mut *one { Some(link) } else { None };
    match ask_size(asked, other, time).await {
        Ok(size) => Some(size),
        Err((offender, fault)) => {
            let guest = if offender == PlayerType::P1 { one } else { two };
            let gone = Guest::Absent(fault.clone());
            *guest = match std::mem::replace(guest, gone) {
                Guest::Linked(link, protocol) => {
                    Guest::Linked(Lent::owned(Box::new(Failed { link, fault })), protocol)
                }
                other => other,
            };
            None
        }
    }
}

/// Asks player 2 for the size. Whoever of the two does something wrong loses: player 1, if it is at the end of a link,
/// must keep silent meanwhile.
async fn ask_size(
    asked: &mut Lent,
    mut other: Option<&mut Lent>,
    time: Duration,
) -> Result<(u8, u8), (PlayerType, Fault)> {
    let loses = |fault| (PlayerType::P2, fault);
    let answer = {
        let request = line(&question(&Value::nil(), Value::atom("size")));
        let mut answer = std::pin::pin!(tokio::time::timeout(time, asked.call(&request)));
        let answer = std::future::poll_fn(|cx| {
            if let Some(other) = other.as_deref_mut()
                && let Poll::Ready(message) = other.poll_receive(cx)
            {
                let fault = message.map_or_else(|fault| fault, |message| out_of_turn(&message));
                return Poll::Ready(Err((PlayerType::P1, fault)));
            }
            answer.as_mut().poll(cx).map(Ok)
        });
        answer.await?
    };
    let Ok(message) = answer else {
        let fault = Fault::new(Offence::Timeout, format!("no size within {}", write_duration(time)));
        let mut fault = fault.expected(SIZE);
        let arrived = asked.unfinished();
        fault.evidence.sent = (!arrived.is_empty()).then(|| excerpt(arrived));
        return Err(loses(fault));
    };
    read_size(&message.map_err(loses)?).map_err(loses)
}

fn out_of_turn(message: &[u8]) -> Fault {
    let fault = Fault::new(Offence::OutOfTurn, "it was not asked");
    fault.sent(excerpt(message)).expected("nothing until it is asked")
}

/// The link of somebody who has lost before the match: nothing more is read from it, but the end is still told.
struct Failed {
    link: Lent,
    fault: Fault,
}

impl Transport for Failed {
    fn peer(&self) -> &str {
        self.link.peer()
    }

    fn poll_receive(&mut self, _: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>> {
        Poll::Ready(Err(self.fault.clone()))
    }

    fn queue(&mut self, message: &[u8]) {
        self.link.queue(message);
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        self.link.poll_flush(cx)
    }

    fn set_idle(&mut self, idle: bool) {
        self.link.set_idle(idle);
    }

    fn unfinished(&mut self) -> &[u8] {
        &[]
    }

    /// The link goes home, and is closed there.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// The texts of the second protocol.
#[derive(Debug)]
pub struct EliminationCodec {
    player: PlayerType,
    /// What the other player answered last.
    other: Value,
    /// How many pawns each takes off.
    chosen: u8,
    /// More time for the next answer.
    warm_up: Duration,
    stage: Stage,
}

impl EliminationCodec {
    /// Gives a program that was just started some more time for its first answer.
    pub fn new(warm_up: Duration) -> Self {
        Self { player: PlayerType::P1, other: Value::nil(), chosen: 0, warm_up, stage: Stage::Choosing }
    }

    /// Player 1's first answer has two decisions.
    fn decisions(value: &Value, stage: Stage) -> Result<Vec<Move>, Fault> {
        match stage {
            Stage::Choosing => {
                let (k, square) = read_first_elimination(value)?;
                Ok([Move::Choose(k)].into_iter().chain(square.map(Move::Off)).collect())
            }
            Stage::Eliminating => read_eliminate(value).map(|square| vec![Move::Off(square)]),
            Stage::Playing => read_pawn(value, "move").map(|mv| vec![mv]),
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

    /// Whether player 2, whose codec this is, has taken off nothing yet.
    fn is_first(&self, position: &Position) -> bool {
        self.owed(position) == i64::from(self.chosen)
    }
}

impl Stage {
    /// What an answer looks like.
    const fn form(self) -> &'static str {
        match self {
            Self::Choosing => "firstElimination(k:K row:R col:C)",
            Self::Eliminating => "eliminate(R C)",
            Self::Playing => "move(f(row col) t(row col))",
        }
    }

    /// What it is asked for by.
    const fn word(self) -> &'static str {
        match self {
            Self::Choosing => "firstElimination",
            Self::Eliminating => "elimination",
            Self::Playing => "move",
        }
    }
}

impl Codec<Position> for EliminationCodec {
    fn seated(&mut self, invitation: &Invitation<'_, Position>) {
        self.player = PlayerType::at(invitation.seat);
        self.warm_up = super::warm_up_of(invitation, self.warm_up);
    }

    fn ask(&mut self, asked: &Question<'_, Position>) -> Vec<u8> {
        self.warm_up = Duration::ZERO;
        self.stage = Stage::of(asked.position);
        let request = match self.stage {
            Stage::Choosing => Value::atom(self.stage.word()),
            Stage::Eliminating => Value::tuple(self.stage.word(), [self.owed(asked.position)]),
            Stage::Playing => {
                let again = if asked.refused > 0 { "true" } else { "false" };
                Value::tuple(self.stage.word(), [Value::atom(again)])
            }
        };
        line(&question(&self.other, request))
    }

    fn expecting(&self) -> Option<String> {
        Some(format!("{} as the answer to {}", self.stage.form(), self.stage.word()))
    }

    fn answer(&mut self, message: &[u8], position: &Position) -> Result<Answer<Move>, Failure> {
        let stage = Stage::of(position);
        let value = read(message, stage.form())?;
        Ok(Answer::Moves(Self::decisions(&value, stage)?))
    }

    fn news(&mut self, event: &EventOf<Position>, position: &Position) -> Vec<Note> {
        match event {
            Event::Started(_) if self.player == PlayerType::P1 => {
                self.other = size_value(position.board().rows(), position.board().cols());
            }
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
            Event::Ended(verdict) => return game_ended(verdict),
            _ => {}
        }
        vec![]
    }

    fn extra_time(&self, _: &Position) -> Duration {
        self.warm_up
    }
}
