//! The first protocol on a wire: one record a line.
//!
//! The referee sends `request(board:B)` to the player to move, who answers `move(f(row col) t(row col))`; at the end
//! both are sent `gameEnded(winner:P)`.

use std::time::Duration;

use rookery_games::hexapawn::{Move, Position};
use rookery_referee::{Event, EventOf, Failure, Question, Verdict};
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
    /// More time for the first answer, in which a program may still have to warm up.
    pub warm_up: Duration,
    asked: bool,
}

impl SeedCodec {
    /// Speaks a dialect, and gives a program more time for its first answer.
    pub fn new(dialect: Dialect, warm_up: Duration) -> Self {
        Self { dialect, warm_up, asked: false }
    }
}

impl Codec<Position> for SeedCodec {
    fn ask(&mut self, question: &Question<'_, Position>) -> Vec<u8> {
        self.asked = true;
        line(&Order::Request(question.position.board()).to_value())
    }

    fn answer(&mut self, message: &[u8], _: &Position) -> Result<Answer<Move>, Failure> {
        let label = self.dialect.mv();
        let value = read(message, &format!("{label}(f(row col) t(row col))"))?;
        Ok(Answer::Move(read_pawn(&value, label)?))
    }

    fn news(&mut self, event: &EventOf<Position>, _: &Position) -> Vec<Note> {
        match event {
            Event::Ended(verdict) => farewell(verdict),
            _ => vec![],
        }
    }

    fn extra_time(&self, _: &Position) -> Duration {
        if self.asked { Duration::ZERO } else { self.warm_up }
    }
}

/// `gameEnded(winner:P)`; nothing if nobody has won because the match was stopped, for which there is no record.
pub(super) fn farewell(verdict: &Verdict) -> Vec<Note> {
    let winner = verdict.outcome.as_ref().and_then(|outcome| outcome.winners.iter().next());
    let order = winner.map(|seat| Order::GameEnded(PlayerType::at(seat)));
    order.map(|order| Note::new(line(&order.to_value()))).into_iter().collect()
}
