//! Whoever is out of the game only listens.

use std::task::{Context, Poll};
use std::time::Duration;

use rookery_games::stones::{self, Position};
use rookery_referee::{Answering, BoxFuture, ChatBox, EventOf, Fault, Player, Question};
use rookery_rules::Seat;

/// How long somebody who is out may keep the others waiting, once.
const PATIENCE: Duration = Duration::from_secs(1);

/// A player whose faults no longer count once it is out: it owes nothing any more, so it may as well leave.
#[derive(Debug)]
pub(super) struct UntilOut<P> {
    player: P,
    seat: Option<Seat>,
    out: bool,
    /// It is out, and did not listen either.
    gone: bool,
}

impl<P> UntilOut<P> {
    pub(super) fn new(player: P) -> Self {
        Self { player, seat: None, out: false, gone: false }
    }
}

impl<P: Player<Position>> Player<Position> for UntilOut<P> {
    fn seated(&mut self, seat: Seat, chat: ChatBox) {
        self.seat = Some(seat);
        self.player.seated(seat, chat);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, stones::Move> {
        self.player.choose(question)
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        position: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        self.out |= self.seat.is_some_and(|seat| !position.playing().contains(seat));
        if self.gone {
            return None;
        }
        let hearing = self.player.hear(event, position)?;
        if !self.out {
            return Some(hearing);
        }
        let gone = &mut self.gone;
        Some(Box::pin(async move {
            *gone = !matches!(tokio::time::timeout(PATIENCE, hearing).await, Ok(Ok(())));
            Ok(())
        }))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        if self.out { Poll::Pending } else { self.player.poll_foul(cx) }
    }

    fn extra_time(&self, position: &Position) -> Duration {
        self.player.extra_time(position)
    }

    fn is_built_in(&self) -> bool {
        self.player.is_built_in()
    }
}
