//! Sentences about a match, made at the edge from data: a verdict and what the seats are called.
//!
//! Nothing that is kept or sent holds a sentence; whoever shows something to people makes it here, so that all say the
//! same in the same words.

use rookery_rules::{Outcome, Seat};

use crate::{Cause, Ending, Evidence, Foul, MatchSpec, Offence, Ruling, Verdict};

/// How many legal moves a sentence shows; more are counted.
const SHOWN_MOVES: usize = 8;

/// How seats are called: [`MatchSpec::who`], or `you`, or whatever suits whoever reads it.
pub type Who<'a> = &'a dyn Fn(Seat) -> String;

/// How a match ended, in one sentence without a full stop.
///
/// ```
/// use rookery_referee::{Cause, Ending, MatchSpec, Verdict, words};
/// use rookery_rules::{Outcome, Seat, Seed};
///
/// let spec = MatchSpec::new("hexapawn", ["mine=hard", "easy"], Seed(1)).expect("two seats");
/// let verdict = Verdict {
///     ending: Ending::plain(Cause::Normal, None),
///     outcome: Some(Outcome::win(2, Seat::new(0))),
///     plies: 9,
///     removed: vec![],
/// };
/// assert_eq!(words::verdict(&verdict, &|seat| spec.who(seat)), "player 1 (mine) won");
/// ```
pub fn verdict(verdict: &Verdict, who: Who<'_>) -> String {
    let Verdict { ending, outcome, plies, .. } = verdict;
    match (ending.cause, outcome) {
        (Cause::Normal, Some(outcome)) => result(outcome, who),
        (Cause::MaxTurns, _) => format!("drawn: the match's cap of {plies} moves was reached"),
        (Cause::Offence(_), None) => match ending.seat {
            Some(seat) => format!("crashed by {}, who {}", who(seat), predicate(ending)),
            None => predicate(ending),
        },
        _ => self::ending(ending, who),
    }
}

/// Why a match ended or a seat was removed, without saying who won.
pub fn ending(ending: &Ending, who: Who<'_>) -> String {
    let subject = ending.seat.map(who);
    let note = |text: &str| {
        if ending.note().is_empty() { text.to_owned() } else { format!("{text}: {}", ending.note()) }
    };
    match (ending.cause, subject) {
        (Cause::Offence(_) | Cause::Resigned, Some(subject)) => format!("{subject} {}", predicate(ending)),
        (Cause::Offence(_) | Cause::Resigned, None) => predicate(ending),
        (Cause::Normal, _) => "by the rules".to_owned(),
        (Cause::DrawAgreed, _) => "drawn by agreement".to_owned(),
        (Cause::Adjudicated, _) => "ended early, since the result was proved".to_owned(),
        (Cause::MaxTurns, _) => "drawn: the match's cap on moves was reached".to_owned(),
        (Cause::PlatformAbort, Some(subject)) => {
            note(&format!("our own player failed, which is nobody's loss: {subject}"))
        }
        (Cause::PlatformAbort, None) => note("the match failed, which is nobody's loss"),
        (Cause::Cancelled, _) => note("the match was stopped"),
    }
}

/// What a foul was and what came of it.
pub fn foul(foul: &Foul, who: Who<'_>) -> String {
    let what = offence(foul.offence, &foul.evidence);
    let came_of_it = match foul.ruling {
        Ruling::AskAgain => "it may try again",
        Ruling::Removed => "it is out",
        Ruling::Aborted => "the match is over",
    };
    format!("{} {what}; {came_of_it}", who(foul.seat))
}

/// Who won.
pub fn result(outcome: &Outcome, who: Who<'_>) -> String {
    let names: Vec<String> = outcome.winners.iter().map(who).collect();
    match names.as_slice() {
        [] => "nobody won".to_owned(),
        [one] => format!("{one} won"),
        many if many.len() == outcome.scores.n_seats() => "drawn".to_owned(),
        many => format!("{} share the first place", many.join(" and ")),
    }
}

/// What a seat did: a sentence without its subject.
fn predicate(ending: &Ending) -> String {
    let nothing = Evidence::default();
    let evidence = ending.evidence.as_deref().unwrap_or(&nothing);
    match ending.cause {
        Cause::Offence(what) => offence(what, evidence),
        _ => "resigned".to_owned(),
    }
}

/// What an offence was, with its evidence: a sentence without its subject.
pub fn offence(offence: Offence, evidence: &Evidence) -> String {
    let Evidence { sent, note, expected, legal, refused, exit, stderr } = evidence;
    let mut text = what(offence).to_owned();
    if *refused > 0 {
        text = format!("{text}, after {refused} refused before it");
    }
    let mut parts = vec![];
    match (sent, note.as_str()) {
        (Some(sent), "") => parts.push(format!("sent {sent}")),
        (Some(sent), note) => parts.push(format!("sent {sent}: {note}")),
        (None, "") => {}
        (None, note) => parts.push(note.to_owned()),
    }
    parts.extend(expected.as_ref().map(|expected| format!("expected {expected}")));
    parts.extend(exit.as_ref().map(|exit| format!("the program ended: {exit}")));
    let said = stderr.as_ref().and_then(|text| text.trim_end().lines().next_back());
    parts.extend(said.map(|line| format!("the last it said on its standard error was {line:?}")));
    parts.extend(list(legal));
    if !parts.is_empty() {
        text.push_str(": ");
        text.push_str(&parts.join("; "));
    }
    text
}

/// Which moves were legal.
fn list(legal: &[String]) -> Option<String> {
    match legal {
        [] => None,
        few if few.len() <= SHOWN_MOVES => Some(format!("legal were {}", few.join(" "))),
        many => {
            let (shown, more) = (many[..SHOWN_MOVES].join(" "), many.len() - SHOWN_MOVES);
            Some(format!("legal were {shown} and {more} more"))
        }
    }
}

const fn what(offence: Offence) -> &'static str {
    match offence {
        Offence::NoShow => "did not come",
        Offence::BadHello => "did not introduce itself properly",
        Offence::Timeout => "did not answer in time",
        Offence::Disconnected => "disconnected",
        Offence::Crashed => "crashed",
        Offence::Malformed => "sent an answer that cannot be read",
        Offence::IllegalMove => "sent an illegal move",
        Offence::OutOfTurn => "spoke out of turn",
        Offence::OutputLimit => "sent too much",
        Offence::MemoryLimit => "took too much memory",
        Offence::ProcessLimit => "started too many processes",
        Offence::DiskLimit => "wrote too much to disk",
        Offence::SandboxViolation => "tried what is not allowed",
    }
}

impl MatchSpec {
    /// How the match ended, in one sentence with the names and labels of its seats.
    pub fn sentence(&self, verdict: &Verdict) -> String {
        self::verdict(verdict, &|seat| self.who(seat))
    }
}
