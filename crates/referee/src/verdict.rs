//! How a match ended, and whose fault it was.

use std::fmt;

use rookery_rules::{Outcome, Seat};

use crate::{Evidence, Offence};

/// Why a match ended. Closed: records, statistics and messages all use these words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// By the rules of the game.
    Normal,
    /// A player gave up.
    Resigned,
    /// The players agreed on a draw.
    DrawAgreed,
    /// The result was proved, and whoever runs the match ended it there.
    Adjudicated,
    /// The match's own cap on turns was reached: a draw.
    MaxTurns,
    /// A player offended, and that was the end.
    Offence(Offence),
    /// Rookery itself failed: nobody's loss, to be played again.
    PlatformAbort,
    /// Whoever runs the match stopped it.
    Cancelled,
}

/// Whose fault it is that a match ended as it did. Only a player's fault costs a game or a rating point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Blame {
    /// A player's.
    Player,
    /// Ours.
    Platform,
    /// Of whoever runs the match.
    Operator,
}

impl Cause {
    /// The word for it in records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Resigned => "resigned",
            Self::DrawAgreed => "draw_agreed",
            Self::Adjudicated => "adjudicated",
            Self::MaxTurns => "max_turns",
            Self::Offence(offence) => offence.word(),
            Self::PlatformAbort => "platform_abort",
            Self::Cancelled => "cancelled",
        }
    }

    /// Every cause.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [
            Self::Normal,
            Self::Resigned,
            Self::DrawAgreed,
            Self::Adjudicated,
            Self::MaxTurns,
            Self::PlatformAbort,
            Self::Cancelled,
        ];
        others.into_iter().chain(Offence::ALL.map(Self::Offence))
    }

    /// The cause with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::all().find(|cause| cause.word() == word)
    }

    /// Whose fault it is; nobody's if the match ended as matches should.
    pub const fn blame(self) -> Option<Blame> {
        match self {
            Self::Normal | Self::Resigned | Self::DrawAgreed | Self::Adjudicated | Self::MaxTurns => None,
            Self::Offence(_) => Some(Blame::Player),
            Self::PlatformAbort => Some(Blame::Platform),
            Self::Cancelled => Some(Blame::Operator),
        }
    }
}

impl Blame {
    /// The word for it in records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Platform => "platform",
            Self::Operator => "operator",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Why a match ended or a seat was removed, and by whom. [`words`](crate::words) makes a sentence of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Why.
    pub cause: Cause,
    /// Who resigned, offended, or failed us.
    pub seat: Option<Seat>,
    /// What speaks for it: what was sent and expected, what failed, why somebody stopped the match.
    pub evidence: Option<Box<Evidence>>,
}

impl Ending {
    /// An ending that speaks for itself.
    pub const fn plain(cause: Cause, seat: Option<Seat>) -> Self {
        Self { cause, seat, evidence: None }
    }

    /// Whose fault it is.
    pub const fn blame(&self) -> Option<Blame> {
        self.cause.blame()
    }

    /// What it was about, in a few words; empty if there is nothing to say.
    pub fn note(&self) -> &str {
        self.evidence.as_ref().map_or("", |evidence| &evidence.note)
    }
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Why, and by whom.
    pub ending: Ending,
    /// Who won; `None` if the match was aborted and nobody did.
    pub outcome: Option<Outcome>,
    /// How many moves were made.
    pub plies: u64,
    /// Who was removed on the way and why, in order, also if the others played on.
    pub removed: Vec<Ending>,
}
