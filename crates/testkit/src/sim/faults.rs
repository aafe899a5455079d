//! What a simulated player may do wrong, and how often: drawn from the seed of the match.

use rookery_referee::Offence;
use rookery_rules::{Rng, below};

/// What a simulated player did that an honest one does not, or what we did to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Injected {
    /// Sent a move that is not legal.
    Illegal,
    /// Sent a text that is no move.
    Malformed,
    /// Sent its answer after the deadline.
    Late,
    /// Sent its answer byte by byte, so slowly that it was not complete in time.
    SlowBytes,
    /// Sent nothing, and does not listen any more.
    Silent,
    /// Closed the connection instead of answering.
    Close,
    /// Closed the connection in the middle of its answer.
    ClosePartial,
    /// Sent a line without end.
    Flood,
    /// Sent two answers at once.
    Twice,
    /// Gave up.
    Resign,
    /// Spoke when it was told something.
    Early,
    /// Closed the connection when it was told something.
    CloseUnasked,
    /// Read nothing any more, from something it was told on.
    StopReading,
    /// Answered late, but not later than we stood still.
    OurLag,
    /// Answered never, and we stood still for longer than the cap.
    OurStall,
    /// Its side in our process panicked.
    OurPanic,
}

/// What can happen when a player is asked.
pub(super) const WHEN_ASKED: [Injected; 13] = [
    Injected::Illegal,
    Injected::Malformed,
    Injected::Late,
    Injected::SlowBytes,
    Injected::Silent,
    Injected::Close,
    Injected::ClosePartial,
    Injected::Flood,
    Injected::Twice,
    Injected::Resign,
    Injected::OurLag,
    Injected::OurStall,
    Injected::OurPanic,
];

/// What can happen when a player is told something.
pub(super) const WHEN_TOLD: [Injected; 3] = [Injected::Early, Injected::CloseUnasked, Injected::StopReading];

impl Injected {
    /// The offence it is, if it is one.
    pub fn offence(self) -> Option<Offence> {
        match self {
            Self::Illegal => Some(Offence::IllegalMove),
            Self::Malformed | Self::ClosePartial => Some(Offence::Malformed),
            Self::Late | Self::SlowBytes | Self::Silent | Self::StopReading => Some(Offence::Timeout),
            Self::Close | Self::CloseUnasked => Some(Offence::Disconnected),
            Self::Flood => Some(Offence::OutputLimit),
            Self::Twice | Self::Early => Some(Offence::OutOfTurn),
            Self::Resign | Self::OurLag | Self::OurStall | Self::OurPanic => None,
        }
    }

    /// Whether the referee cannot miss it: it is in the place of an answer.
    pub fn is_an_answer(self) -> bool {
        matches!(
            self,
            Self::Illegal
                | Self::Malformed
                | Self::Late
                | Self::SlowBytes
                | Self::Silent
                | Self::Close
                | Self::ClosePartial
                | Self::Flood
        )
    }

    /// The offence it is of a program, whose end we see.
    pub(super) fn offence_of_a_program(self) -> Option<Offence> {
        match self.offence() {
            Some(Offence::Disconnected) => Some(Offence::Crashed),
            other => other,
        }
    }

    /// Whether only a deadline ends it.
    fn is_slow(self) -> bool {
        self.offence() == Some(Offence::Timeout)
    }

    /// Whether it is our failure and stops the match.
    pub fn stops(self) -> bool {
        matches!(self, Self::OurStall | Self::OurPanic)
    }
}

/// How often each fault happens in one match. Some matches have all kinds, some a single one, some none.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// One fault in so many questions; 0 for never.
    pub(super) one_in: u32,
    asked: Vec<Injected>,
    told: Vec<Injected>,
}

impl Weights {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let one_in = [0, 3, 8, 8, 20, 20][below(rng, 6) as usize];
        let share = 1 + below(rng, 4);
        let mut some = |kinds: &[Injected]| -> Vec<Injected> {
            kinds.iter().copied().filter(|_| below(rng, 4) < share).collect()
        };
        Self { one_in, asked: some(&WHEN_ASKED), told: some(&WHEN_TOLD) }
    }

    /// The same without what takes time, real time, or happens on our side.
    pub(super) fn without_waiting(mut self) -> Self {
        let waits = |fault: Injected| fault.stops() || fault == Injected::OurLag || fault.is_slow();
        self.asked.retain(|&fault| !waits(fault));
        self.told.retain(|&fault| !waits(fault));
        self
    }

    pub(super) fn honest() -> Self {
        Self { one_in: 0, asked: vec![], told: vec![] }
    }

    pub(super) fn when_asked(&self, rng: &mut Rng) -> Option<Injected> {
        self.pick(&self.asked, 1, rng)
    }

    /// More rarely: players are told more often than asked.
    pub(super) fn when_told(&self, rng: &mut Rng) -> Option<Injected> {
        self.pick(&self.told, 6, rng)
    }

    fn pick(&self, kinds: &[Injected], rarer: u32, rng: &mut Rng) -> Option<Injected> {
        if self.one_in == 0 || kinds.is_empty() || below(rng, self.one_in * rarer) != 0 {
            return None;
        }
        Some(kinds[below(rng, kinds.len() as u32) as usize])
    }
}
