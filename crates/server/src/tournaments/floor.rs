//! Games of a tournament in the server's own runtime, where people and the links of bots are: boards that can be watched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rookery_arena::{PlayedGame, Storing, Tournament, rated};
use rookery_live::{Signal, Stopping};
use rookery_record::Key;
use rookery_referee::{Cause, SeatSpec};
use rookery_store::{GameKey, StoredResult, TournamentState};
use rookery_tournament::{
    Change, Dispatcher, Entrant, Format, GameResult, Pairing, Report, ScheduleError, Scheduler,
    TournamentOutcome, TournamentSpec, hold,
};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::trials::try_bots;
use crate::accounts::Owner;
use crate::hub::{Hub, Paired};

/// How many games run at the same time, beside those of people.
const ROOM: usize = 4;
/// How often a game is played again at once after a failure of ours.
const RETRIES: u32 = 2;
/// With more games nobody looks at each of them.
const MOST_WATCHED: u64 = 500;

/// What is to be played, by any format.
type Schedule = Scheduler<Box<dyn Format>>;

/// Somebody is to leave while it is played; whether that was possible.
pub(super) type Leave = (Entrant, oneshot::Sender<Result<bool, String>>);

/// Whether its games are played here, so that they can be watched. Where other machines play, only who cannot be brought there
/// needs to be here: people and connected bots.
pub(super) fn is_watched(spec: &TournamentSpec, others_play: bool) -> bool {
    let is_short = spec.plan().is_ok_and(|plan| plan.games.is_some_and(|games| games <= MOST_WATCHED));
    let is_guest = |player: &SeatSpec| match player {
        SeatSpec::BuiltIn(_) => false,
        SeatSpec::Bundle { .. } => !others_play,
        _ => true,
    };
    spec.entrants.iter().any(|entrant| is_guest(&entrant.player))
        || !others_play && is_short && spec.adjudicate.is_none()
}

/// How many games of a tournament run at the same time here, if so many of those who take part are people.
pub(crate) fn games_at_once(spec: &TournamentSpec, people: usize) -> usize {
    if !is_watched(spec, false) {
        return 1;
    }
    // Nobody but computers sits at two tables.
    (ROOM + people).min(spec.entrants.len() / spec.seats.max(1)).max(1)
}

/// Where the games are played, and by whom.
#[derive(Clone)]
struct Floor {
    tournament: Arc<Tournament>,
    hub: Arc<Hub>,
    stopping: Stopping,
    /// Whose the entrants are that are people, by number.
    owners: Arc<Vec<Option<Owner>>>,
    left: Arc<Mutex<BTreeSet<Entrant>>>,
    /// Pairings that failed because of us, with their last attempt.
    aborted: Arc<BTreeMap<u64, u32>>,
}

/// What is to be played, with what an earlier run has played already, and where.
fn set_up(
    tournament: &Arc<Tournament>,
    hub: &Arc<Hub>,
    stopping: &Stopping,
    changes: &[Change],
) -> Result<(Schedule, Floor), Box<dyn std::error::Error>> {
    let (id, spec, store) = (tournament.id(), tournament.spec(), hub.store());
    let is_join = |change: &&Change| matches!(change, Change::Join { .. });
    let mut format = spec.format_before(changes.iter().filter(is_join).count())?;
    for change in changes {
        format.change(change);
    }
    let entrants = store.tournament_entrants(id)?;
    let is_exclusive = |at: &Entrant| !matches!(spec.entrants[at.index()].player, SeatSpec::BuiltIn(_));
    let people = spec.entrants.iter().filter(|entrant| entrant.player.is_person()).count();
    let one_at_a_time = Entrant::all(spec.entrants.len()).filter(is_exclusive);
    let mut scheduler = Scheduler::new(format, ROOM + people).with_exclusive(one_at_a_time);
    let mut aborted = BTreeMap::new();
    for stored in store.results(id)? {
        let StoredResult { key, result, .. } = stored?;
        if result.cause == Cause::PlatformAbort {
            aborted.insert(key.pairing, key.attempt);
        } else {
            scheduler.earlier(&result);
        }
    }
    let owner = |entrant: &rookery_store::TournamentEntrant| {
        let is_person = spec.entrants.get(entrant.number.index()).is_some_and(|of| of.player.is_person());
        is_person.then_some(Owner::Named(entrant.id.0))
    };
    let left = entrants.iter().filter(|entrant| !entrant.present).map(|entrant| entrant.number);
    let floor = Floor {
        tournament: Arc::clone(tournament),
        hub: Arc::clone(hub),
        stopping: stopping.clone(),
        owners: Arc::new(entrants.iter().map(owner).collect()),
        left: Arc::new(Mutex::new(left.collect())),
        aborted: Arc::new(aborted),
    };
    Ok((scheduler, floor))
}

/// Plays all games that are not played yet; whether all were. Blocks its thread, which is none of the runtime's.
pub(super) fn hold_here(
    mut tournament: Tournament,
    hub: &Arc<Hub>,
    stopping: &Stopping,
    (mut leaving, is_trying): (mpsc::Receiver<Leave>, &AtomicBool),
    runtime: &Handle,
) -> Result<bool, String> {
    if !try_bots(&mut tournament, hub, stopping, runtime)? {
        return Ok(false);
    }
    // Numbers may have changed until now.
    is_trying.store(false, Ordering::SeqCst);
    let tournament = Arc::new(tournament);
    let (id, store) = (tournament.id(), hub.store().clone());
    let told = |error: &dyn std::fmt::Display| error.to_string();
    tournament.expect_own_pairings(&store).map_err(|error| told(&error))?;
    store.recall_jobs(id).map_err(|error| told(&error))?;
    store.set_tournament_state(id, TournamentState::Running).map_err(|error| told(&error))?;
    let changes = store.changes(id).map_err(|error| told(&error))?;
    let set_up = set_up(&tournament, hub, stopping, &changes);
    let (mut scheduler, floor) = set_up.map_err(|error| told(&error))?;
    let mut games = Games { floor, playing: JoinSet::new(), failure: None };
    let mut watcher = Storing::new(store.clone(), tournament.id(), ());
    let held = loop {
        let next = runtime.block_on(async {
            tokio::select! {
                held = hold(&mut scheduler, &mut games, &mut watcher) => Next::Over(held),
                () = stopping.requested() => Next::Stop,
                Some(order) = leaving.recv() => Next::Leave(order),
            }
        });
        match next {
            Next::Over(held) => break held,
            Next::Stop => {
                scheduler.drain();
                break runtime.block_on(hold(&mut scheduler, &mut games, &mut watcher));
            }
            Next::Leave((entrant, done)) => {
                // Whoever asked may have gone meanwhile.
                let _ = done.send(leave(&mut scheduler, &games.floor, entrant));
            }
        }
    };
    let now: Vec<Change> = scheduler.format().changes();
    if now != changes {
        store.put_changes(id, &now).map_err(|error| told(&error))?;
    }
    // What is over is rated, whatever ends this program.
    let rated = rated::keep_stored(&tournament, &store);
    let complete =
        rated.is_ok() && games.failure.is_none() && matches!(&held, Ok(outcome) if outcome.complete);
    let state = if complete { TournamentState::Finished } else { TournamentState::Paused };
    store.set_tournament_state(id, state).map_err(|error| told(&error))?;
    rated.map_err(|error| told(&error))?;
    match (games.failure, held) {
        (Some(why), _) => Err(why),
        (None, held) => held.map(|outcome| outcome.complete).map_err(|error| told(&error)),
    }
}

/// What comes next while a tournament is held.
enum Next {
    Over(Result<TournamentOutcome, ScheduleError>),
    Stop,
    Leave(Leave),
}

/// Lets somebody take no further part while the others play on; whether it could go. A computer goes only where the format
/// lets it; who is somewhere else loses what it was paired for already.
fn leave(scheduler: &mut Schedule, floor: &Floor, entrant: Entrant) -> Result<bool, String> {
    let (store, id) = (floor.hub.store(), floor.tournament.id());
    let before = scheduler.format().changes();
    scheduler.leave(entrant);
    let changes = scheduler.format().changes();
    let player = &floor.tournament.spec().entrants[entrant.index()].player;
    if changes == before && matches!(player, SeatSpec::BuiltIn(_)) {
        return Ok(false);
    }
    floor.left.lock().unwrap_or_else(PoisonError::into_inner).insert(entrant);
    let kept = store.put_changes(id, &changes).and_then(|()| store.set_present(id, entrant, false));
    kept.map(|()| true).map_err(|error| error.to_string())
}

/// The games that run.
struct Games {
    floor: Floor,
    playing: JoinSet<Result<Option<GameResult>, String>>,
    failure: Option<String>,
}

impl Dispatcher for Games {
    fn dispatch(&mut self, pairing: Pairing) {
        let floor = self.floor.clone();
        self.playing.spawn(async move { floor.play(pairing).await });
    }

    async fn next_report(&mut self) -> Option<Report> {
        loop {
            match self.playing.join_next().await? {
                Ok(Ok(Some(result))) => return Some(Report::Finished(result)),
                // It was stopped, to be played another time.
                Ok(Ok(None)) => {}
                Ok(Err(why)) => self.give_up(why),
                Err(error) => self.give_up(error.to_string()),
            }
        }
    }
}

impl Games {
    /// Nothing more is played.
    fn give_up(&mut self, why: String) {
        self.failure.get_or_insert(why);
        self.floor.stopping.request(Signal::Terminate);
    }
}

impl Floor {
    /// Plays the game of a pairing; `None` if it was stopped on the way.
    async fn play(&self, pairing: Pairing) -> Result<Option<GameResult>, String> {
        let first = self.aborted.get(&pairing.id).map_or(1, |last| last + 1);
        for attempt in first..=first + RETRIES {
            let key = Key { pairing: pairing.id, attempt };
            match self.play_once(&pairing, key).await? {
                Some(result) if result.cause == Cause::PlatformAbort => {}
                played => return Ok(played),
            }
        }
        Err(format!("game {} cannot be played: we failed {} times", pairing.id + 1, RETRIES + 1))
    }

    async fn play_once(&self, pairing: &Pairing, key: Key) -> Result<Option<GameResult>, String> {
        let spec = self.tournament.match_spec(pairing).map_err(|error| error.to_string())?;
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let owner = |entrant: &Entrant| self.owners.get(entrant.index()).cloned().flatten();
        let game = Paired {
            key: GameKey { tournament: self.tournament.id(), key },
            owners: pairing.entrants.iter().map(owner).collect(),
            left: pairing.entrants.iter().map(|entrant| left.contains(entrant)).collect(),
            spec: spec.clone(),
        };
        let Some(ended) = self.hub.play_paired(&game, &self.stopping).await? else { return Ok(None) };
        let (pairing, verdict) = (pairing.clone(), ended.verdict);
        Ok(Some(PlayedGame { pairing, spec, verdict, record: None, cut: None, cpu: vec![] }.result()))
    }
}
