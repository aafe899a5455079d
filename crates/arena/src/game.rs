//! A game that was played, now or in an earlier run.

use std::path::PathBuf;
use std::time::Duration;

use rookery_record::Cut;
use rookery_referee::{Blame, Cause, Ending, MatchSpec, Verdict, words};
use rookery_rules::text::clean;
use rookery_tournament::{Entrant, GameResult, Pairing};

/// A game that was played, now or in an earlier run.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Who played, and why.
    pub pairing: Pairing,
    /// What was agreed.
    pub spec: MatchSpec,
    /// How it ended.
    pub verdict: Verdict,
    /// Its record, if that is a file.
    pub record: Option<PathBuf>,
    /// What an earlier run had left of the record that could not be read.
    pub cut: Option<Cut>,
    /// The processor time of the program of each seat, with everything it started: known of programs that ran here, now.
    pub cpu: Vec<Option<Duration>>,
}

impl PlayedGame {
    /// What formats and tables of results want to know.
    pub fn result(&self) -> GameResult {
        let at_fault = self.verdict.removed.iter().filter(|ending| ending.blame() == Some(Blame::Player));
        let who = |ending: &Ending| self.pairing.entrants.get(ending.seat?.index()).copied();
        let failed: Vec<(Entrant, Cause)> =
            at_fault.filter_map(|ending| Some((who(ending)?, ending.cause))).collect();
        let offence = |&(entrant, cause): &(Entrant, Cause)| match cause {
            Cause::Offence(offence) => Some((entrant, offence)),
            _ => None,
        };
        GameResult {
            faults: failed.iter().filter_map(offence).collect(),
            failed: failed.into_iter().map(|(entrant, _)| entrant).collect(),
            ..GameResult::new(&self.pairing, self.verdict.outcome.clone(), self.verdict.ending.cause)
        }
    }

    /// Which game it is, for people. Pairings of rounds have numbers that say nothing.
    fn title(&self) -> String {
        match self.pairing.round {
            None => format!("game {}", self.pairing.id + 1),
            Some(round) => {
                let names: Vec<&str> = self.spec.seats.iter().map(|seat| seat.name.as_str()).collect();
                format!("round {round}, {}", names.join(" - "))
            }
        }
    }

    /// What people should know at once: that a record was cut off, that players were removed, that a game was stopped.
    pub fn problems(&self) -> Vec<String> {
        let title = self.title();
        let ending = &self.verdict.ending;
        let stopped = self.verdict.outcome.is_none().then_some(ending);
        let offences = self.verdict.removed.iter().filter(|removal| removal.blame().is_some());
        let who = |seat| self.spec.who(seat);
        let line = |ending| format!("{title}: {} ({})", words::ending(ending, &who), ending.cause);
        let path = self.record.as_ref().map(|path| clean(&path.display().to_string()));
        let cut = path.zip(self.cut.as_ref()).map(|(path, cut)| format!("{path}: {cut}"));
        cut.into_iter().chain(offences.chain(stopped).map(|ending| clean(&line(ending)))).collect()
    }
}
