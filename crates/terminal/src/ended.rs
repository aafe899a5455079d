//! What the end of a match has changed in a person's results.

use crate::App;
use crate::matches::game_name;
use crate::results::{MatchResult, Results, Tally, opponent};

/// Whether the match went on when it was last looked at, and what is said of its end.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ended {
    was_live: bool,
    pub(crate) told: String,
}

impl App {
    /// Notices that the match has ended on this screen.
    pub(crate) fn see_end(&mut self) {
        if self.table.is_live() {
            self.ended = Ended { was_live: true, told: String::new() };
            self.review = None;
        } else if std::mem::take(&mut self.ended.was_live) && !self.is_trial {
            self.ended.told = self.changed_results().unwrap_or_default();
        }
    }

    /// The person's results against whoever sits on the other side, and how they were before this match.
    fn changed_results(&self) -> Option<String> {
        let folder = self.table.record()?.parent()?;
        let outcome = self.table.verdict()?.outcome.as_ref()?;
        let (person, opponent) = opponent(self.table.spec())?;
        let result = MatchResult::of(outcome.winners.contains(person), outcome.winners.len());
        let tally = Results::read(folder).against(&game_name(self.table.spec()), &opponent)?;
        Some(told(&opponent, tally, tally.before(result)?))
    }
}

fn told(opponent: &str, now: Tally, before: Tally) -> String {
    let first = match (now.won, before.won, before == Tally::default()) {
        (1, 0, true) => " The first match against it, and won.".to_owned(),
        (1, 0, false) => " The first win against it!".to_owned(),
        (_, _, true) => " The first match against it.".to_owned(),
        _ => format!(" Before: {before}."),
    };
    format!("You against {opponent}: {now}.{first}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_told() {
        let tally = |won, drawn, lost| Tally { won, drawn, lost };
        for (now, result, expected) in [
            (tally(1, 0, 0), MatchResult::Won, "1 won, 0 lost. The first match against it, and won."),
            (tally(0, 0, 1), MatchResult::Lost, "0 won, 1 lost. The first match against it."),
            (tally(1, 0, 3), MatchResult::Won, "1 won, 3 lost. The first win against it!"),
            (tally(2, 1, 3), MatchResult::Drawn, "2 won, 1 drawn, 3 lost. Before: 2 won, 3 lost."),
        ] {
            let before = now.before(result).unwrap();
            assert_eq!(told("level:3", now, before), format!("You against level:3: {expected}"));
        }
        assert_eq!(tally(0, 0, 1).before(MatchResult::Won), None);
    }
}
