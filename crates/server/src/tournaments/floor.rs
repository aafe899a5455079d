//! Tournaments in which connected bots play: games are played in the server's own runtime, where the links of bots live.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rookery_arena::{PlayedGame, Tournament};
use rookery_live::{Guest, Signal, Stopping, Terms, prepare};
use rookery_record::{Key, Receipt, Sink, Slot};
use rookery_referee::{Cause, End, Fault, Offence, SeatSpec};
use rookery_store::{NewGame, Store, StoredResult, TournamentState};
use rookery_tournament::{
    Change, Dispatcher, Entrant, Format as _, GameResult, Pairing, Report, Scheduler, TournamentEvent,
    TournamentSpec, Watcher, hold,
};
use rookery_wire::Protocols;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::bots::Bots;

/// How long a bot that is gone may take to come back before it has lost the game.
const COMING_BACK: Duration = Duration::from_mins(1);
/// How many games run at the same time.
const ROOM: usize = 4;
/// How often a game is played again at once after a failure of ours.
const RETRIES: u32 = 2;

/// Whether connected bots take part.
pub(super) fn has_bots(spec: &TournamentSpec) -> bool {
    spec.entrants.iter().any(is_bot)
}

fn is_bot(entrant: &rookery_tournament::EntrantSpec) -> bool {
    matches!(entrant.player, SeatSpec::Remote(_))
}

/// Where the games are played, and by whom.
#[derive(Clone)]
struct Floor {
    tournament: Arc<Tournament>,
    store: Store,
    bots: Arc<Bots>,
    stopping: Stopping,
    /// Pairings that failed because of us, with their last attempt.
    aborted: Arc<BTreeMap<u64, u32>>,
}

/// Plays all games that are not played yet; whether all were. Blocks its thread, which is none of the runtime's.
pub(super) fn hold_with_bots(
    tournament: Tournament,
    store: &Store,
    bots: Arc<Bots>,
    stopping: &Stopping,
    runtime: &Handle,
) -> Result<bool, String> {
    let tournament = Arc::new(tournament);
    let (id, spec) = (tournament.id(), tournament.spec());
    let told = |error: &dyn std::fmt::Display| error.to_string();
    store.set_tournament_state(id, TournamentState::Running).map_err(|error| told(&error))?;
    let mut format = spec.format().map_err(|error| told(&error))?;
    let changes = store.changes(id).map_err(|error| told(&error))?;
    for change in &changes {
        format.change(change);
    }
    let one_at_a_time = Entrant::all(spec.entrants.len()).filter(|at| is_bot(&spec.entrants[at.index()]));
    let mut scheduler = Scheduler::new(format, ROOM).with_exclusive(one_at_a_time);
    let mut aborted = BTreeMap::new();
    for stored in store.results(id).map_err(|error| told(&error))? {
        let StoredResult { key, result, .. } = stored.map_err(|error| told(&error))?;
        if result.cause == Cause::PlatformAbort {
            aborted.insert(key.pairing, key.attempt);
        } else {
            scheduler.earlier(&result);
        }
    }
    let floor = Floor {
        tournament: Arc::clone(&tournament),
        store: store.clone(),
        bots,
        stopping: stopping.clone(),
        aborted: Arc::new(aborted),
    };
    let mut games = Games { floor, playing: JoinSet::new(), failure: None };
    let mut watcher = Storing { store: store.clone(), tournament: Arc::clone(&tournament) };
    let held = runtime.block_on(async {
        let first = tokio::select! {
            held = hold(&mut scheduler, &mut games, &mut watcher) => Some(held),
            () = stopping.requested() => None,
        };
        if let Some(held) = first {
            held
        } else {
            scheduler.drain();
            hold(&mut scheduler, &mut games, &mut watcher).await
        }
    });
    let now: Vec<Change> = scheduler.format().changes();
    if now != changes {
        store.put_changes(id, &now).map_err(|error| told(&error))?;
    }
    let complete = games.failure.is_none() && matches!(&held, Ok(outcome) if outcome.complete);
    let state = if complete { TournamentState::Finished } else { TournamentState::Paused };
    store.set_tournament_state(id, state).map_err(|error| told(&error))?;
    match (games.failure, held) {
        (Some(why), _) => Err(why),
        (None, held) => held.map(|outcome| outcome.complete).map_err(|error| told(&error)),
    }
}

/// Stores pairings as they are made.
struct Storing {
    store: Store,
    tournament: Arc<Tournament>,
}

impl Watcher for Storing {
    fn see(&mut self, event: &TournamentEvent) {
        if let TournamentEvent::Paired(pairing) = event {
            // They are stored before the game that comes of them; if not, neither is the game, which is told.
            drop(self.store.submit_pairings(self.tournament.id(), std::slice::from_ref(pairing)));
        }
    }
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
        let mut guests = vec![];
        for entry in &spec.seats {
            guests.push(match &entry.player {
                SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
                SeatSpec::Remote(name) => tokio::select! {
                    guest = self.bring(name) => guest,
                    () = self.stopping.requested() => return Ok(None),
                },
                other => {
                    Guest::Absent(Fault::new(Offence::NoShow, format!("`{other}` cannot be seated here")))
                }
            });
        }
        let (keep, kept) = oneshot::channel();
        let sink = Sink::in_memory(vec![], move |record| {
            // Whoever does not want it any more has stopped.
            let _ = keep.send(record);
            Receipt::at_once()
        });
        let ready = prepare(spec.clone(), guests, &Protocols::default(), Some(Slot::New(sink)));
        let ready = ready.map_err(|error| error.to_string())?;
        let live = ready.with_terms(Terms { threads: 1, ..Terms::default() }).start();
        let played = live.played_until(self.stopping.urgent()).await;
        let End::Verdict(verdict) = &played.end else { return Ok(None) };
        let record = kept.await.map_err(|_| "a game has no record".to_owned())?;
        let new = NewGame::of_pairing(self.tournament.id(), key, record);
        self.store.put_game(new).await.map_err(|error| error.to_string())?;
        let (pairing, verdict) = (pairing.clone(), verdict.clone());
        Ok(Some(PlayedGame { pairing, spec, verdict, record: None, cut: None }.result()))
    }

    /// The bot of this name. One that plays elsewhere is waited for; one that is gone has a minute.
    async fn bring(&self, name: &str) -> Guest {
        loop {
            match self.bots.bring(name, Some(COMING_BACK)).await {
                Ok(guest) => return guest,
                Err(_) if self.bots.list().iter().any(|bot| bot.name == name && bot.playing) => {}
                Err(why) => return Guest::Absent(Fault::new(Offence::NoShow, why)),
            }
        }
    }
}
