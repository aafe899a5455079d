//! The games before the first round: connected bots show that they can play, and who fails is left out. Bundles were tried when
//! they were uploaded.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use rookery_arena::Tournament;
use rookery_arena::bots::{Candidate, Validated, Validity};
use rookery_live::{Guest, Stopping, Terms, prepare};
use rookery_referee::{End, SeatSpec};
use rookery_store::TournamentState;
use rookery_tournament::TournamentSpec;
use rookery_wire::Protocols;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::hub::Hub;

/// How many are tried at the same time.
const ROOM: usize = 4;
/// A bot that has done nothing wrong for so long has passed: people may wait for the first round.
const LONG_ENOUGH: Duration = Duration::from_secs(30);

/// Lets all connected bots of a tournament play that has not begun, and writes down who takes part. `false` if it was stopped
/// meanwhile: then nobody has been tried. Blocks its thread, which is none of the runtime's.
pub(super) fn try_bots(
    tournament: &mut Tournament,
    hub: &Hub,
    stopping: &Stopping,
    runtime: &Handle,
) -> Result<bool, String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let state = hub.store().tournament(tournament.id()).map_err(|error| told(&error))?.state;
    let spec = tournament.spec();
    let is_bot = |player: &SeatSpec| matches!(player, SeatSpec::Remote(_));
    let bots: Vec<Candidate> =
        spec.entrants.iter().filter(|entrant| is_bot(&entrant.player)).map(Candidate::from).collect();
    if state != TournamentState::Open || bots.is_empty() {
        return Ok(true);
    }
    let mut notes = vec![];
    for some in bots.chunks(ROOM) {
        let trials = join_all(some.iter().map(|bot| try_one(bot, spec, hub, stopping)));
        for validated in runtime.block_on(trials) {
            notes.extend(validated?.note(false));
        }
        if stopping.is_requested() {
            return Ok(false);
        }
    }
    for note in &notes {
        tracing::info!(id = %tournament.id(), name = note.name, why = note.reason, "a bot has not passed");
    }
    tournament.settle(notes, &HashMap::new()).map_err(|error| told(&error))?;
    Ok(true)
}

/// Plays a short game of each game of the tournament with a bot, until the first that it fails.
async fn try_one(
    bot: &Candidate,
    spec: &TournamentSpec,
    hub: &Hub,
    stopping: &Stopping,
) -> Result<Validated, String> {
    let validated = |outcome| Validated { name: bot.name().to_owned(), outcome };
    for game in &spec.games {
        let trial = bot.trial(game, spec.time, spec.conduct, spec.seed).map_err(|error| error.to_string())?;
        let trial = match trial {
            Ok(trial) => trial,
            Err(failing) => return Ok(validated(Validity::Failing(Box::new(failing)))),
        };
        let mut guests = vec![];
        for entry in &trial.spec.seats {
            if let SeatSpec::BuiltIn(player) = &entry.player {
                guests.push(Guest::BuiltIn(player.clone()));
                continue;
            }
            tokio::select! {
                guest = hub.bring_for_cup(bot.name()) => guests.push(guest),
                () = stopping.requested() => {
                    return Ok(validated(Validity::Unknown("it was stopped".to_owned())));
                }
            }
        }
        let ready = prepare(trial.spec.clone(), guests, &Protocols::default(), None);
        let ready = ready.map_err(|error| error.to_string())?;
        let live = ready.with_terms(Terms { threads: 1, ..Terms::default() }).start();
        let enough = async {
            tokio::select! {
                () = sleep(LONG_ENOUGH) => {}
                () = stopping.requested() => {}
            }
        };
        let played = live.played_until(enough).await;
        if let End::Verdict(verdict) = &played.end
            && let Some(outcome) = trial.judge(bot.name(), verdict, None)
        {
            return Ok(validated(outcome));
        }
    }
    Ok(validated(Validity::Passed))
}
