//! The first protocol on a wire: one record a line.
//!
//! The referee sends `request(board:B)` to the player to move, who answers `move(f(row col) t(row col))`; at the end
//! both are sent `gameEnded(winner:P)`.

use std::time::Duration;

use rookery_games::hexapawn::{Move, Position};
use rookery_referee::{Event, EventOf, Failure, Invitation, Question, Verdict};
use rookery_wire::{Answer, Codec, Note};

use super::records::{Dialect, Order, PlayerType, line, read, read_pawn};

/// The texts of the first protocol.
///
/// ```
/// use rookery_games::hexapawn;
/// use rookery_originals::hexapawn::seed::SeedCodec;
/// use rookery_rules::Setup;
/// use rookery_wire::{Answer, Codec};
///
/// let position = hexapawn::Setup::default().start();
/// let answer = SeedCodec::default().answer(b"move(f(1 5) t(2 5))", &position);
/// assert_eq!(answer, Ok(Answer::Move("e1-e2".parse().expect("a move"))));
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct SeedCodec {
    /// The spelling of moves.
    pub dialect: Dialect,
    /// More time for the next answer: for the first one, in which a program may still have to warm up.
    warm_up: Duration,
}

impl SeedCodec {
    /// Speaks a dialect, and gives a program that was just started more time for its first answer.
    pub fn new(dialect: Dialect, warm_up: Duration) -> Self {
        Self { dialect, warm_up }
    }

    fn form(&self) -> String {
        format!("{}(f(row col) t(row col))", self.dialect.mv())
    }
}

impl Codec<Position> for SeedCodec {
    fn seated(&mut self, invitation: &Invitation<'_, Position>) {
        self.warm_up = super::warm_up_of(invitation, self.warm_up);
    }

    fn ask(&mut self, question: &Question<'_, Position>) -> Vec<u8> {
        self.warm_up = Duration::ZERO;
        line(&Order::Request(question.position.board()).to_value())
    }

    fn expecting(&self) -> Option<String> {
        Some(format!("{} as the answer to request", self.form()))
    }

    fn answer(&mut self, message: &[u8], _: &Position) -> Result<Answer<Move>, Failure> {
        let value = read(message, &self.form())?;
        Ok(Answer::Move(read_pawn(&value, self.dialect.mv())?))
    }

    fn news(&mut self, event: &EventOf<Position>, _: &Position) -> Vec<Note> {
        match event {
            Event::Ended(verdict) => game_ended(verdict),
            _ => vec![],
        }
    }

    fn extra_time(&self, _: &Position) -> Duration {
        self.warm_up
    }
}

/// `gameEnded(winner:P)`; nothing if nobody has won because the match was stopped, for which there is no record.
pub(super) fn game_ended(verdict: &Verdict) -> Vec<Note> {
    let winner = verdict.outcome.as_ref().and_then(|outcome| outcome.winners.iter().next());
    let order = winner.map(|seat| Order::GameEnded(PlayerType::at(seat)));
    order.map(|order| Note::new(line(&order.to_value()))).into_iter().collect()
}
