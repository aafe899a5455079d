//! What misconduct costs: data, not code paths.

use std::fmt;
use std::str::FromStr;

/// What a player can do wrong. Closed: records, statistics and messages all use these words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Offence {
    /// It never came.
    NoShow,
    /// It came, but did not introduce itself properly.
    BadHello,
    /// It did not answer in time.
    Timeout,
    /// Its connection ended.
    Disconnected,
    /// Its program ended.
    Crashed,
    /// Its answer could not be read.
    Malformed,
    /// Its answer is no legal move.
    IllegalMove,
    /// It spoke although it was not asked.
    OutOfTurn,
    /// It sent too much.
    OutputLimit,
    /// Its program took too much memory.
    MemoryLimit,
    /// Its program started too many processes.
    ProcessLimit,
    /// Its program wrote too much to disk.
    DiskLimit,
    /// Its program tried what it must not.
    SandboxViolation,
}

impl Offence {
    /// Every offence.
    pub const ALL: [Self; 13] = [
        Self::NoShow,
        Self::BadHello,
        Self::Timeout,
        Self::Disconnected,
        Self::Crashed,
        Self::Malformed,
        Self::IllegalMove,
        Self::OutOfTurn,
        Self::OutputLimit,
        Self::MemoryLimit,
        Self::ProcessLimit,
        Self::DiskLimit,
        Self::SandboxViolation,
    ];

    /// The word for it in records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoShow => "no_show",
            Self::BadHello => "bad_hello",
            Self::Timeout => "timeout",
            Self::Disconnected => "disconnected",
            Self::Crashed => "crashed",
            Self::Malformed => "malformed",
            Self::IllegalMove => "illegal_move",
            Self::OutOfTurn => "out_of_turn",
            Self::OutputLimit => "output_limit",
            Self::MemoryLimit => "memory_limit",
            Self::ProcessLimit => "process_limit",
            Self::DiskLimit => "disk_limit",
            Self::SandboxViolation => "sandbox_violation",
        }
    }

    /// Whether the player did answer, only badly: such an answer may be tried again.
    const fn is_bad_answer(self) -> bool {
        matches!(self, Self::Malformed | Self::IllegalMove)
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How a match treats misconduct. Each game has a default; a match may choose another.
///
/// ```
/// use rookery_referee::{Conduct, Offence, Ruling};
///
/// let hexapawn = Conduct::removing().with_retries(1);
/// let in_play = false;
/// assert_eq!(hexapawn.ruling(Offence::IllegalMove, 0, in_play), Ruling::AskAgain);
/// assert_eq!(hexapawn.ruling(Offence::IllegalMove, 1, in_play), Ruling::Removed);
/// assert_eq!(hexapawn.ruling(Offence::Timeout, 0, in_play), Ruling::Removed);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conduct {
    /// How often a bad answer may be tried again in one turn.
    pub retries: Retries,
    /// Whether there are retries only in play, and none while the board is prepared
    /// ([`Position::is_preparing`](rookery_rules::Position::is_preparing)).
    pub only_in_play: bool,
    /// What an answer costs that is malformed or illegal, once the retries are used up.
    pub bad_answer: Penalty,
    /// What everything else costs: no answer, or one that was not asked for.
    pub no_answer: Penalty,
    /// Whether the last seat plays on alone when the others have resigned, if the rules let it. Usually it has won.
    pub plays_on: bool,
}

/// The most retries of one turn, whatever the conduct says.
pub const MAX_RETRIES: u32 = 1000;
/// The most retries of one seat in a whole match, whatever the conduct says: all of them are in its record, which must not grow
/// too large to be kept because somebody wants that.
pub const MAX_RETRIES_OF_A_MATCH: u32 = 5000;

/// How often a bad answer may be tried again in one turn. A deadline belongs to the question, not to an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retries {
    /// So often.
    Limited(u32),
    /// As often as there is time for, up to [`MAX_RETRIES`]: without a time control nothing else would end it.
    UntilDeadline,
}

/// What misconduct costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Penalty {
    /// The player is taken out of the game; the rules say how the game goes on.
    Remove,
    /// The game ends at once, without a winner.
    Abort,
}

/// What the referee decides about one offence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// The same question is asked once more.
    AskAgain,
    /// The player is out of the game.
    Removed,
    /// The game is over, without a winner.
    Aborted,
}

impl Ruling {
    /// The word for it in records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::AskAgain => "ask_again",
            Self::Removed => "removed",
            Self::Aborted => "aborted",
        }
    }
}

impl Conduct {
    /// No retries; whoever offends is removed.
    pub const fn removing() -> Self {
        Self::without_retries(Penalty::Remove)
    }

    /// No retries; an offence ends the game without a winner.
    pub const fn aborting() -> Self {
        Self::without_retries(Penalty::Abort)
    }

    const fn without_retries(penalty: Penalty) -> Self {
        Self {
            retries: Retries::Limited(0),
            only_in_play: false,
            bad_answer: penalty,
            no_answer: penalty,
            plays_on: false,
        }
    }

    /// The same with so many retries of a bad answer.
    #[must_use]
    pub const fn with_retries(self, retries: u32) -> Self {
        Self { retries: Retries::Limited(retries), ..self }
    }

    /// The same with as many retries of a bad answer as there is time for.
    #[must_use]
    pub const fn until_deadline(self) -> Self {
        Self { retries: Retries::UntilDeadline, ..self }
    }

    /// The same without retries before play.
    #[must_use]
    pub const fn only_in_play(self) -> Self {
        Self { only_in_play: true, ..self }
    }

    /// The same, but who is left alone by resignations plays on.
    #[must_use]
    pub const fn playing_on(self) -> Self {
        Self { plays_on: true, ..self }
    }

    /// What an offence costs when `refused` answers of the same turn were refused before it, in play or while the
    /// position is prepared.
    pub const fn ruling(self, offence: Offence, refused: u32, preparing: bool) -> Ruling {
        let again = match self.retries {
            _ if preparing && self.only_in_play => false,
            Retries::Limited(retries) => refused < retries,
            Retries::UntilDeadline => refused < MAX_RETRIES,
        };
        if again && offence.is_bad_answer() { Ruling::AskAgain } else { self.final_ruling(offence) }
    }

    /// What an offence costs when there is nothing to try again: the seat owes no answer, or no retry is left.
    pub const fn final_ruling(self, offence: Offence) -> Ruling {
        let penalty = if offence.is_bad_answer() { self.bad_answer } else { self.no_answer };
        match penalty {
            Penalty::Remove => Ruling::Removed,
            Penalty::Abort => Ruling::Aborted,
        }
    }
}

impl fmt::Display for Conduct {
    /// `remove`, `abort`, `remove/abort` (a bad answer, no answer) or `abort/remove`; then the retries, if there are
    /// any, `,retry=2` or `,retry=until-deadline`; then `,in-play` if there are none before play; then `,play-on` if the last
    /// seat plays on alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.bad_answer, self.no_answer) {
            (Penalty::Abort, Penalty::Abort) => f.write_str("abort")?,
            (Penalty::Remove, Penalty::Remove) => f.write_str("remove")?,
            (Penalty::Remove, Penalty::Abort) => f.write_str("remove/abort")?,
            (Penalty::Abort, Penalty::Remove) => f.write_str("abort/remove")?,
        }
        match self.retries {
            Retries::Limited(0) => {}
            Retries::Limited(n) => write!(f, ",retry={n}")?,
            Retries::UntilDeadline => f.write_str(",retry=until-deadline")?,
        }
        f.write_str(if self.only_in_play { ",in-play" } else { "" })?;
        f.write_str(if self.plays_on { ",play-on" } else { "" })
    }
}

/// A text that is no conduct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseConductError;

impl fmt::Display for ParseConductError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected forfeit, remove, abort, retry=N or retry=until-deadline, or two of them as `abort,retry=1`; \
             with `,in-play` behind it for retries only in play, and `,play-on` if the last seat plays on alone",
        )
    }
}

impl std::error::Error for ParseConductError {}

impl FromStr for Conduct {
    type Err = ParseConductError;

    /// Reads `forfeit` or `remove` (the same), `abort`, `retry=2` (then removal), `abort,retry=1`, `retry=1,in-play`, and
    /// everything [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, ParseConductError> {
        let mut conduct = Self::removing();
        for (idx, word) in text.split(',').enumerate() {
            let (bad_answer, no_answer) = match word {
                "forfeit" | "remove" => (Penalty::Remove, Penalty::Remove),
                "abort" => (Penalty::Abort, Penalty::Abort),
                "remove/abort" => (Penalty::Remove, Penalty::Abort),
                "abort/remove" => (Penalty::Abort, Penalty::Remove),
                "retry=until-deadline" => {
                    conduct.retries = Retries::UntilDeadline;
                    continue;
                }
                "in-play" if idx > 0 => {
                    conduct.only_in_play = true;
                    continue;
                }
                "play-on" if idx > 0 => {
                    conduct.plays_on = true;
                    continue;
                }
                _ => {
                    let retries = word.strip_prefix("retry=").and_then(|n| n.parse().ok());
                    conduct.retries =
                        Retries::Limited(retries.filter(|&n| n <= MAX_RETRIES).ok_or(ParseConductError)?);
                    continue;
                }
            };
            if idx > 0 {
                return Err(ParseConductError);
            }
            conduct = Self { bad_answer, no_answer, ..conduct };
        }
        Ok(conduct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conduct_reads_back() {
        for text in [
            "remove",
            "abort",
            "remove,retry=2",
            "abort,retry=until-deadline",
            "remove/abort,retry=1",
            "remove,retry=1,in-play",
            "remove,play-on",
        ] {
            assert_eq!(text.parse::<Conduct>().unwrap().to_string(), text);
        }
        assert_eq!("retry=3".parse::<Conduct>().unwrap(), Conduct::removing().with_retries(3));
        let in_play = Conduct::removing().with_retries(1).only_in_play();
        assert_eq!("retry=1,in-play".parse::<Conduct>().unwrap(), in_play);
        assert_eq!("forfeit".parse::<Conduct>().unwrap(), Conduct::removing());
        for bad in [
            "",
            "retry",
            "retry=-1",
            "retry=x",
            "shoot",
            "retry=1,abort",
            "retry=5000",
            "in-play",
            "retry=1,in-game",
        ] {
            assert!(bad.parse::<Conduct>().is_err(), "{bad:?} is refused");
        }
    }
}
