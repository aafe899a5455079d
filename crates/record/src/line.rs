//! The lines of a record after the first.

use std::borrow::Cow;

use rookery_referee::{Charge, Ending, Evidence, Foul, Info, Verdict};
use rookery_rules::Seat;
use serde::{Deserialize, Serialize};

use crate::{Header, Problem};

/// One line. Texts are borrowed from it where JSON allows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line<'a> {
    /// The first.
    Record(Box<Header>),
    /// A seat moved.
    #[serde(borrow)]
    Moved(MovedLine<'a>),
    /// A seat said something.
    Said(SaidLine<'a>),
    /// A seat gave up.
    Resigned(ResignedLine),
    /// A seat offended.
    Fouled(FouledLine<'a>),
    /// A seat took moves back.
    TakenBack(TakenBackLine),
    /// The players agreed on a draw.
    Drawn(DrawnLine),
    /// The result was proved.
    Adjudicated(AdjudicatedLine),
    /// The match was stopped, by us or by whoever runs it. Only the verdict follows.
    Stopped(StoppedLine<'a>),
    /// The last.
    Verdict(VerdictLine<'a>),
}

/// A move. The times are there exactly if there is a time control.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovedLine<'a> {
    /// Who, from 0.
    pub seat: u8,
    /// The move's text.
    #[serde(borrow, rename = "move")]
    pub mv: Cow<'a, str>,
    /// Milliseconds used, rounded down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Milliseconds left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// What its player said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Cow<'a, Info>>,
}

/// Something said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidLine<'a> {
    /// Who, from 0.
    pub seat: u8,
    /// What.
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// Somebody gave up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignedLine {
    /// Who, from 0.
    pub seat: u8,
}

/// Moves were taken back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakenBackLine {
    /// Who, from 0: it is to move again.
    pub seat: u8,
    /// How many moves are left.
    pub to: u64,
}

/// A draw by agreement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnLine {}

/// The result was proved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdjudicatedLine {
    /// Who wins, from 0; nobody in a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<u8>,
}

/// An offence and its ruling.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FouledLine<'a> {
    /// Who, from 0.
    pub seat: u8,
    /// The offence's word.
    #[serde(borrow)]
    pub offence: Cow<'a, str>,
    /// The ruling's word.
    #[serde(borrow)]
    pub ruling: Cow<'a, str>,
    /// What speaks for it.
    pub evidence: Cow<'a, Evidence>,
    /// Milliseconds used, rounded down, if the seat's time ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Milliseconds left, rounded down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
}

/// The match was stopped.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoppedLine<'a> {
    /// The cause's word, `platform_abort` or `cancelled`.
    #[serde(borrow)]
    pub cause: Cow<'a, str>,
    /// Whose player it was that failed us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// Why, in a few words.
    #[serde(borrow)]
    pub note: Cow<'a, str>,
}

/// How the match ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictLine<'a> {
    /// The cause's word.
    #[serde(borrow)]
    pub ending: Cow<'a, str>,
    /// Who resigned or offended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// Whose fault it is, if anybody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<Cow<'a, str>>,
    /// Who won, if there is an outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winners: Option<Vec<u8>>,
    /// The scores, if there is an outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<i32>>,
    /// How many moves were made.
    pub plies: u64,
    /// The SHA-256 of all lines before this one, in lower-case hexadecimal digits.
    #[serde(borrow)]
    pub sha256: Cow<'a, str>,
}

impl<'a> Line<'a> {
    /// Reads a line other than the first; its newline may be there or not.
    #[inline]
    pub fn parse(line: &'a [u8]) -> Result<Self, Problem> {
        serde_json::from_slice(line)
            .map_err(|error| syntax(&error, "one JSON object with a key such as `moved`"))
    }
}

/// Milliseconds used and left, as a line keeps them.
pub(crate) fn milliseconds(charge: Option<Charge>) -> (Option<u64>, Option<u64>) {
    let whole = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    (charge.map(|charge| whole(charge.used)), charge.map(|charge| whole(charge.left)))
}

impl<'a> FouledLine<'a> {
    pub(crate) fn of(foul: &'a Foul) -> Self {
        let (ms, left_ms) = milliseconds(foul.charge);
        Self {
            seat: foul.seat.index() as u8,
            offence: foul.offence.word().into(),
            ruling: foul.ruling.word().into(),
            evidence: Cow::Borrowed(&foul.evidence),
            ms,
            left_ms,
        }
    }
}

impl<'a> StoppedLine<'a> {
    pub(crate) fn of(ending: &'a Ending) -> Self {
        Self {
            cause: ending.cause.word().into(),
            seat: ending.seat.map(|seat| seat.index() as u8),
            note: ending.note().into(),
        }
    }
}

impl<'a> VerdictLine<'a> {
    pub(crate) fn of(verdict: &'a Verdict, sha256: &'a str) -> Self {
        // Who was removed follows from the lines before.
        let Verdict { ending, outcome, plies, removed: _ } = verdict;
        let index = |seat: Seat| seat.index() as u8;
        Self {
            ending: ending.cause.word().into(),
            seat: ending.seat.map(index),
            blame: ending.blame().map(|blame| blame.word().into()),
            winners: outcome.as_ref().map(|outcome| outcome.winners.iter().map(index).collect()),
            scores: outcome.as_ref().map(|outcome| outcome.scores.as_slice().to_vec()),
            plies: *plies,
            sha256: sha256.into(),
        }
    }

    /// The first difference from what the replay gave, in words.
    pub(crate) fn difference(&self, replayed: &VerdictLine<'_>) -> Option<String> {
        let Self { ending, seat, blame, winners, scores, plies, sha256 } = self;
        let differ = |name: &str, ours: &dyn std::fmt::Debug, theirs: &dyn std::fmt::Debug| {
            Some(format!("the verdict's `{name}` is {ours:?}, but replaying the record gives {theirs:?}"))
        };
        if *ending != replayed.ending {
            differ("ending", ending, &replayed.ending)
        } else if *seat != replayed.seat {
            differ("seat", seat, &replayed.seat)
        } else if *blame != replayed.blame {
            differ("blame", blame, &replayed.blame)
        } else if *plies != replayed.plies {
            differ("plies", plies, &replayed.plies)
        } else if *winners != replayed.winners {
            differ("winners", winners, &replayed.winners)
        } else if *scores != replayed.scores {
            differ("scores", scores, &replayed.scores)
        } else if *sha256 != replayed.sha256 {
            let theirs = &replayed.sha256;
            Some(format!(
                "`sha256` is {sha256:?}, but the lines before have {theirs:?}: some line was changed"
            ))
        } else {
            None
        }
    }
}

/// An error of the JSON reader, in our words: a record's line is always "line 1" to it.
pub(crate) fn syntax(error: &serde_json::Error, expected: &str) -> Problem {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Problem::Syntax(format!("column {}: {what}; expected {expected}", error.column()))
}
