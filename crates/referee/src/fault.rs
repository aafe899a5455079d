//! Why there is no move: something a player did wrong, with the evidence for it, or something we did.

use serde::{Deserialize, Serialize};

use crate::Offence;

/// The most characters of a text of the evidence.
const MAX_TEXT: usize = 500;
/// The most characters of what a program wrote to its standard error.
const MAX_STDERR: usize = 2000;
/// How many legal moves are listed; a game with more is listed in part.
pub const LISTED_MOVES: usize = 500;

/// What speaks against a player: data for records and sentences, each part bounded.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
    /// What was sent: a move, or the first bytes with everything odd escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// What it was about: why a move is illegal, how long an answer took.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What would have been right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The moves that were legal, the first [`LISTED_MOVES`], if the seat owed one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legal: Vec<String>,
    /// How many answers to the same question were refused before.
    #[serde(skip_serializing_if = "is_zero")]
    pub refused: u32,
    /// How its program ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// The last its program wrote to its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

impl Evidence {
    /// The same within the bounds: what is too long is cut.
    #[must_use]
    pub(crate) fn bounded(mut self) -> Self {
        for text in [&mut self.sent, &mut self.expected, &mut self.exit].into_iter().flatten() {
            cut_end(text, MAX_TEXT);
        }
        cut_end(&mut self.note, MAX_TEXT);
        if let Some(stderr) = &mut self.stderr {
            let surplus = stderr.chars().count().saturating_sub(MAX_STDERR);
            if let Some((at, _)) = stderr.char_indices().nth(surplus).filter(|_| surplus > 0) {
                stderr.drain(..at);
            }
        }
        self.legal.truncate(LISTED_MOVES);
        self
    }

    /// Whether it is within the bounds.
    pub fn is_bounded(&self) -> bool {
        self.clone().bounded() == *self
    }
}

fn cut_end(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Something a player did wrong, or something that we did to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub offence: Offence,
    /// What speaks for it.
    pub evidence: Box<Evidence>,
    /// Whether it looks like the offence, but we failed: the match is stopped, and nobody is blamed.
    pub is_ours: bool,
}

impl Fault {
    /// An offence, and what it was about in a few words.
    pub fn new(offence: Offence, note: impl Into<String>) -> Self {
        Self::with(offence, Evidence { note: note.into(), ..Evidence::default() })
    }

    /// An offence with its evidence.
    pub fn with(offence: Offence, evidence: Evidence) -> Self {
        Self { offence, evidence: Box::new(evidence), is_ours: false }
    }

    /// A failure of ours that left a player without its program.
    pub fn ours(note: impl Into<String>) -> Self {
        Self { is_ours: true, ..Self::new(Offence::Crashed, note) }
    }

    /// The same with what was sent.
    #[must_use]
    pub fn sent(mut self, sent: impl Into<String>) -> Self {
        self.evidence.sent = Some(sent.into());
        self
    }

    /// The same with what would have been right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.evidence.expected = Some(expected.into());
        self
    }
}

/// Why there is no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The player did something wrong.
    Fault(Fault),
    /// The player gives up.
    Resigned,
    /// We did something wrong.
    Platform(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_cut_to_its_bounds() {
        let long = "ä".repeat(10_000);
        let evidence = Evidence {
            sent: Some(long.clone()),
            note: long.clone(),
            stderr: Some(format!("{long}the end")),
            legal: vec!["a1".to_owned(); 1000],
            ..Evidence::default()
        };
        assert!(!evidence.is_bounded());
        let bounded = evidence.bounded();
        assert!(bounded.is_bounded());
        assert_eq!(bounded.note.chars().count(), MAX_TEXT);
        assert!(bounded.stderr.as_ref().is_some_and(|text| text.ends_with("the end")), "the tail is kept");
        assert_eq!(bounded.legal.len(), LISTED_MOVES);
    }
}
