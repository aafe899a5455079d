//! The games before the first round: every program shows that it can play, and who fails is left out.

use std::collections::HashMap;

use rookery_arena::bots::{Progress, Validated, Validation, Validity};
use rookery_arena::{ArenaError, Tournament, fewer_games};
use rookery_live::{Programs, Stopping};
use rookery_rules::text::clean;
use rookery_tournament::{TournamentSpec, TrialNote};
use tokio::runtime::Runtime;

use super::bots::{Bots, indented, say, step};
use super::run::usage;
use crate::commands::matches::whole;
use crate::programs::say_where;
use crate::spec::UsageError;

/// How programs are tried.
pub(super) struct Trials<'a> {
    pub(super) programs: &'a Programs,
    /// Those who have connected are reached by it.
    pub(super) runtime: &'a Runtime,
    pub(super) bots: &'a Bots,
    /// The versions of the bots that the store knows, by name.
    pub(super) versions: &'a HashMap<String, u64>,
    /// Who fails takes part all the same.
    pub(super) keep_failing: bool,
    pub(super) concurrency: usize,
    pub(super) stopping: &'a Stopping,
    pub(super) quiet: bool,
}

impl Trials<'_> {
    /// Opens the ports of all who connect, before anything is stored: whoever comes early waits there.
    pub(super) fn listen(
        programs: &Programs,
        runtime: &Runtime,
        spec: &TournamentSpec,
    ) -> anyhow::Result<()> {
        let _in_runtime = runtime.enter();
        let awaited = spec.entrants.iter().filter(|entrant| entrant.player.is_awaited());
        Ok(programs.listen(awaited.map(|entrant| (&*entrant.name, &entrant.player)), &say_where)?)
    }

    /// Lets each program play before anything counts, and writes down who takes part. `false` if it was stopped before that.
    pub(super) fn hold(&self, tournament: &mut Tournament) -> anyhow::Result<bool> {
        let validated = self.validate(tournament.spec())?;
        if self.stopping.is_requested() {
            return Ok(false);
        }
        let notes: Vec<TrialNote> = validated.iter().filter_map(|bot| bot.note(self.keep_failing)).collect();
        let settled = tournament.settle(notes, self.versions);
        let left_out: Vec<String> = tournament.spec().left_out().map(str::to_owned).collect();
        self.runtime.block_on(self.programs.dismiss(&left_out));
        settled.map(|()| true).map_err(|error| match error {
            ArenaError::Agreed(problem) if !left_out.is_empty() => UsageError(clean(&format!(
                "{problem}; left out before the first round: {}; mend them, or let them take part by --keep-failing",
                left_out.join(", ")
            )))
            .into(),
            error => usage(error),
        })
    }

    /// What came of the games; whoever failed is told with the reason and the last of its standard error.
    fn validate(&self, spec: &TournamentSpec) -> anyhow::Result<Vec<Validated>> {
        let concurrency = fewer_games(self.concurrency, 1, false).map_or(self.concurrency, |(room, _)| room);
        let validation = Validation {
            programs: self.programs,
            games: &spec.games,
            time: spec.time,
            conduct: spec.conduct,
            seed: spec.seed,
            concurrency,
            stopping: self.stopping,
            announce: &say_where,
        };
        let mut seen = |progress: &Progress<'_>| step("tried", progress, self.quiet);
        let validated = validation.validate(&self.bots.candidates(spec), &mut seen).map_err(whole)?;
        for bot in &validated {
            let name = clean(&bot.name);
            match &bot.outcome {
                Validity::Passed => {}
                Validity::Failing(failing) => {
                    let stderr = failing.stderr.as_ref().map(|text| format!("\n{}", indented(text)));
                    let (sentence, game) = (&failing.sentence, &failing.game);
                    let stderr = stderr.unwrap_or_default();
                    say(&format!("{name} fails before the first round: {sentence} ({game}){stderr}"));
                }
                Validity::Unknown(_) if self.stopping.is_requested() => {}
                Validity::Unknown(why) => {
                    say(&format!("{name} takes part untried, which is our own failure: {why}"));
                }
            }
        }
        Ok(validated)
    }
}
