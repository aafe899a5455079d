//! What a match is played under, and how its loop is left.

use std::time::Duration;

use rookery_rules::Position;

use crate::{Controls, LagProbe, MatchSpec, Verdict};

/// Our own tolerances. What the players have agreed on is in the [`MatchSpec`].
#[derive(Clone, Debug)]
pub struct Terms {
    /// The time to get ready before the first move, and to take note of anything that is told later.
    pub startup: Duration,
    /// How much longer than its time an answer may take before it counts as late: jitter that is ours. The players are
    /// not told.
    pub margin: Duration,
    /// The most time an answer of a program may take when there is no time control: nothing but a person is waited for
    /// without a limit.
    pub answer_cap: Duration,
    /// How late our own loop runs; deadlines move by that much.
    pub lag: LagProbe,
    /// The most that a deadline moves; beyond it the match is stopped, as our failure.
    pub lag_cap: Duration,
    /// How many threads a built-in player may think with where there is a clock: all cores for one match, a share of
    /// them where several run at the same time.
    pub threads: usize,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            startup: Duration::from_secs(10),
            margin: Duration::from_millis(100),
            answer_cap: Duration::from_mins(10),
            lag: LagProbe::default(),
            lag_cap: Duration::from_secs(2),
            threads: rookery_search::n_cores(),
        }
    }
}

/// What a match is played under, beside the referee and the players.
#[derive(Clone, Debug)]
pub struct Session<'a, P: Position> {
    /// What was agreed.
    pub spec: &'a MatchSpec,
    /// Our own tolerances.
    pub terms: &'a Terms,
    /// The moves made before: of an opening, or of a match that goes on.
    pub moves: &'a [P::Move],
    /// Where those moves begin; needed only if there are any.
    pub start: Option<&'a P>,
    /// The way into the running match.
    pub controls: Controls,
}

impl<'a, P: Position> Session<'a, P> {
    /// A match from its first move, that nobody interrupts.
    pub fn new(spec: &'a MatchSpec, terms: &'a Terms) -> Self {
        Self { spec, terms, moves: &[], start: None, controls: Controls::default() }
    }
}

/// How the loop was left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The match is over.
    Verdict(Verdict),
    /// It was stopped on the way, without a verdict: it can go on later.
    Suspended,
}

impl End {
    /// The verdict, if there is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Verdict(verdict) => Some(verdict),
            Self::Suspended => None,
        }
    }
}
