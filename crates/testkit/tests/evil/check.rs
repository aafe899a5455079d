//! A line of the table: a mode, where it is tried, and what comes of it.

use std::time::Duration;

use rookery_referee::{Cause, Offence};
use rookery_testkit::evil::Way;

use crate::run::{Cage, Case, run};

/// Transports and cages.
pub(crate) type Over = &'static [(Way, Cage)];

pub(crate) const ANY: Over =
    &[(Way::Pipe, Cage::None), (Way::Pipe, Cage::Full), (Way::Tcp, Cage::None), (Way::Ws, Cage::None)];
pub(crate) const LINES: Over = &[(Way::Pipe, Cage::None), (Way::Pipe, Cage::Full), (Way::Tcp, Cage::None)];
pub(crate) const PIPE: Over = &[(Way::Pipe, Cage::None), (Way::Pipe, Cage::Full)];
pub(crate) const NET: Over = &[(Way::Tcp, Cage::None), (Way::Ws, Cage::None)];
pub(crate) const TCP: Over = &[(Way::Tcp, Cage::None)];
pub(crate) const WS: Over = &[(Way::Ws, Cage::None)];
/// Without a cage only.
pub(crate) const FREE: Over = &[(Way::Pipe, Cage::None)];
/// Where everything is forbidden.
pub(crate) const FULL: Over = &[(Way::Pipe, Cage::Full)];
/// Where only our own layers forbid something.
pub(crate) const OWN: Over = &[(Way::Pipe, Cage::Own)];
/// Wherever something is forbidden.
pub(crate) const CAGED: Over = &[(Way::Pipe, Cage::Full), (Way::Pipe, Cage::Own)];

/// What is expected.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// What the bot loses for; `None` if the game goes on to its end.
    offence: Option<Offence>,
    /// A part of the sentence, or of what the bot wrote to its standard error.
    says: &'static str,
    /// What it does not write there.
    never: Option<&'static str>,
    time: Duration,
    target: String,
}

/// Time enough for whoever answers.
pub(crate) const LONG: Duration = Duration::from_secs(20);
/// Time enough to see that somebody does not.
const SHORT: Duration = Duration::from_millis(300);

/// The bot loses for this, and the verdict says that.
pub(crate) fn lost(offence: Offence, says: &'static str) -> Ends {
    let time = if offence == Offence::Timeout { SHORT } else { LONG };
    Ends { offence: Some(offence), says, never: None, time, target: String::new() }
}

/// The game goes on, and the bot has written this.
pub(crate) fn played(says: &'static str) -> Ends {
    Ends { offence: None, time: LONG, ..lost(Offence::Crashed, says) }
}

impl Ends {
    pub(crate) fn within(self, millis: u64) -> Self {
        Self { time: Duration::from_millis(millis), ..self }
    }

    pub(crate) fn never(self, never: &'static str) -> Self {
        Self { never: Some(never), ..self }
    }

    pub(crate) fn target(self, target: impl Into<String>) -> Self {
        Self { target: target.into(), ..self }
    }
}

/// Plays it everywhere.
#[track_caller]
pub(crate) fn check(mode: &'static str, over: Over, ends: &Ends) {
    for &(way, cage) in over {
        let case = Case { mode, way, cage, time: ends.time, target: ends.target.clone(), games: 1 };
        let Some(outcome) = run(&case) else { continue };
        if let Some(offence) = ends.offence {
            outcome.assert_lost(Cause::Offence(offence), ends.says);
        } else {
            outcome.assert_played();
            assert!(outcome.stderr.contains(ends.says), "{case:?}: {outcome:#?}");
        }
        let is_said = ends.never.is_some_and(|never| outcome.stderr.contains(never));
        assert!(!is_said, "{case:?}: {outcome:#?}");
        // Nobody waits for long: the time of a move if that runs out, and to be gone.
        let most = if ends.time == LONG { LONG / 2 } else { ends.time + Duration::from_secs(5) };
        assert!(outcome.took < most, "{case:?}: {outcome:#?}");
    }
}

/// One test a line, and the list of what they test.
macro_rules! faults {
    ($(fn $name:ident = $mode:literal, $over:expr, $ends:expr;)*) => {
        pub(crate) const TESTED: &[(&str, $crate::check::Over)] = &[$(($mode, $over)),*];
        $(
            #[test]
            fn $name() {
                $crate::check::check($mode, $over, &$ends);
            }
        )*
    };
}
pub(crate) use faults;
