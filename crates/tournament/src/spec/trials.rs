//! What came of the games before the first round, as far as it is worth telling.

use std::fmt;

use rookery_rules::text::clean;
use serde::{Deserialize, Serialize};

use super::{FormatSpec, MAX_LISTED, SpecError, TournamentSpec};

/// The most characters of a reason.
const MAX_REASON: usize = 500;

/// That somebody has not passed the games before the first round.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialNote {
    /// Its name.
    pub name: String,
    /// What follows from it.
    pub outcome: TrialOutcome,
    /// Why, in a sentence without a full stop.
    pub reason: String,
}

/// What follows from the games before the first round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialOutcome {
    /// It failed, and takes no part.
    LeftOut,
    /// It failed, and takes part all the same.
    Kept,
    /// We could not try it, so it takes part.
    Untried,
}

impl TrialNote {
    /// With as much of the reason as is kept.
    ///
    /// ```
    /// use rookery_tournament::{TrialNote, TrialOutcome};
    ///
    /// let note = TrialNote::new("bob", TrialOutcome::LeftOut, "bob crashed");
    /// assert_eq!(note.to_string(), "Left out before the first round: bob: bob crashed.");
    /// ```
    pub fn new(name: &str, outcome: TrialOutcome, reason: &str) -> Self {
        let mut reason = clean(reason);
        if let Some((at, _)) = reason.char_indices().nth(MAX_REASON) {
            reason.truncate(at);
            reason.push('…');
        }
        Self { name: name.to_owned(), outcome, reason }
    }
}

/// A sentence for people, safe to show.
impl fmt::Display for TrialNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.outcome {
            TrialOutcome::LeftOut => "Left out before the first round",
            TrialOutcome::Kept => "Takes part although it fails before the first round",
            TrialOutcome::Untried => "Takes part untried, which is our own failure",
        };
        write!(f, "{what}: {}: {}.", clean(&self.name), clean(&self.reason))
    }
}

impl TournamentSpec {
    /// Writes down what came of the games before the first round. Who is left out is no entrant any more, and nothing that was
    /// agreed names it.
    pub fn settle(&mut self, notes: Vec<TrialNote>) {
        for note in notes {
            if note.outcome == TrialOutcome::LeftOut {
                self.leave_out(&note.name);
            }
            self.trials.push(note);
        }
    }

    fn leave_out(&mut self, name: &str) {
        let Some(at) = self.entrants.iter().position(|entrant| entrant.name == name) else { return };
        self.entrants.remove(at);
        self.forbidden.retain(|pair| !pair.iter().any(|one| one == name));
        // Nobody else becomes a challenger in its place.
        if let FormatSpec::Gauntlet { challengers, .. } = &mut self.format
            && at < challengers.unwrap_or(1)
        {
            *challengers = Some(challengers.unwrap_or(1) - 1);
        }
    }

    /// The names of those who were left out.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        let notes = self.trials.iter().filter(|note| note.outcome == TrialOutcome::LeftOut);
        notes.map(|note| note.name.as_str())
    }

    pub(super) fn check_trials(&self) -> Result<(), SpecError> {
        let is_long = |note: &TrialNote| note.reason.chars().count() > MAX_REASON + 1;
        if self.trials.len() > MAX_LISTED || self.trials.iter().any(is_long) {
            return Err(SpecError(format!(
                "`trials`: expected at most {MAX_LISTED}, with reasons of at most {MAX_REASON} characters"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauntlet(challengers: usize) -> TournamentSpec {
        let entrants = ["a", "b", "c", "d"].map(|name| format!("{name}=random")).to_vec();
        let value = serde_json::json!({
            "name": "x", "games": ["hexapawn"], "format": {"kind": "gauntlet", "challengers": challengers},
            "entrants": entrants, "forbidden": [["a", "c"], ["b", "d"]],
        });
        serde_json::from_value(value).expect("it is a spec")
    }

    #[test]
    fn who_is_left_out_is_named_nowhere_but_in_its_note() {
        let mut spec = gauntlet(2);
        let notes =
            [("b", TrialOutcome::LeftOut), ("c", TrialOutcome::Kept), ("gone", TrialOutcome::LeftOut)];
        spec.settle(notes.map(|(name, outcome)| TrialNote::new(name, outcome, "it fails")).to_vec());
        assert_eq!(spec.entrants.iter().map(|entrant| &*entrant.name).collect::<Vec<_>>(), ["a", "c", "d"]);
        assert_eq!(spec.forbidden, [["a", "c"]]);
        assert!(matches!(spec.format, FormatSpec::Gauntlet { challengers: Some(1), .. }), "{spec:?}");
        assert_eq!(spec.left_out().collect::<Vec<_>>(), ["b", "gone"]);
        spec.check().expect("it can be held");
        let text = serde_json::to_string(&spec).expect("it is text");
        assert_eq!(serde_json::from_str::<TournamentSpec>(&text).expect("it is a spec"), spec);
    }

    #[test]
    fn a_gauntlet_without_its_challenger_is_none() {
        let mut spec = gauntlet(1);
        spec.settle(vec![TrialNote::new("a", TrialOutcome::LeftOut, "it fails")]);
        let error = spec.check().expect_err("nobody else challenges").to_string();
        assert!(error.contains("challengers = 0; expected 1 to 2"), "{error}");
    }

    #[test]
    fn a_reason_has_bounds() {
        let note = TrialNote::new("a", TrialOutcome::Untried, &"x\n".repeat(1000));
        assert_eq!(note.reason.chars().count(), MAX_REASON + 1);
        let mut spec = gauntlet(1);
        spec.settle(vec![note]);
        spec.check().expect("its bound is within that of the spec");
        spec.trials[0].reason.push_str("more");
        spec.check().expect_err("too long");
    }
}
