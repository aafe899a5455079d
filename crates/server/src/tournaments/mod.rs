//! Tournaments of computers and connected bots: begun, paused, gone on with after a restart, left, removed. Those of
//! computers alone are held in threads of this process by the arena.

mod floor;
mod view;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};

use rookery_arena::{Holding, Tournament};
use rookery_live::{Signal, Stopping};
use rookery_referee::SeatSpec;
use rookery_store::{Store, TournamentId, TournamentState};
use rookery_tournament::{FormatSpec, Plan, TournamentSpec};
use rookery_wire::Protocols;
use serde::{Deserialize, Serialize};

use crate::accounts::{Identity, Owner};
use crate::bots::Bots;
use crate::http::ApiError;

pub use view::{GameView, View};

/// The most that are held at the same time.
const MOST_HELD: usize = 8;
/// The most entrants and games of one.
const MOST_ENTRANTS: usize = 64;
const MOST_GAMES: u64 = 10_000;
/// How long it may take until all games of one have stopped.
const STOPPING: Duration = Duration::from_secs(20);

/// All tournaments of this server.
pub struct Tournaments {
    store: Store,
    folder: PathBuf,
    stopping: Stopping,
    bots: Arc<Bots>,
    held: Mutex<HashMap<TournamentId, Stopping>>,
    views: Mutex<HashMap<TournamentId, (Instant, Arc<View>)>>,
}

impl fmt::Debug for Tournaments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tournaments").field("held", &self.held().len()).finish_non_exhaustive()
    }
}

/// What the store does not say of a tournament.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    maker: Owner,
    paused: bool,
}

impl Tournaments {
    /// Those of a store; whose they are is kept in a folder.
    pub fn new(store: Store, folder: &Path, bots: Arc<Bots>, stopping: Stopping) -> Self {
        let (held, views) = (Mutex::default(), Mutex::default());
        Self { store, folder: folder.to_owned(), stopping, bots, held, views }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<TournamentId, Stopping>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is being played.
    pub fn is_held(&self, id: TournamentId) -> bool {
        self.held().contains_key(&id)
    }

    fn note(&self, id: TournamentId) -> PathBuf {
        self.folder.join(format!("{id}.tournament.json"))
    }

    fn write(&self, id: TournamentId, note: &Note) -> Result<(), ApiError> {
        let bytes = serde_json::to_vec(note).map_err(|error| ApiError::ours(&error))?;
        fs::write(self.note(id), bytes).map_err(|error| ApiError::ours(&error))
    }

    fn read(&self, id: TournamentId) -> Option<Note> {
        serde_json::from_slice(&fs::read(self.note(id)).ok()?).ok()
    }

    /// What a tournament would be, if it may be held here.
    pub fn plan(spec: &TournamentSpec) -> Result<Plan, ApiError> {
        let wrong = |message: String| ApiError::field("entrants", message);
        if spec.entrants.len() > MOST_ENTRANTS {
            return Err(wrong(format!("there are too many; expected at most {MOST_ENTRANTS}")));
        }
        for entrant in &spec.entrants {
            let name = match &entrant.player {
                SeatSpec::BuiltIn(player) => player.to_string(),
                SeatSpec::Remote(name) => name.clone(),
                _ => {
                    return Err(wrong(format!(
                        "`{}` cannot take part here; expected computers such as `hard` and connected bots as `@name`",
                        entrant.name
                    )));
                }
            };
            // Ratings go by names: nobody plays under that of another.
            if entrant.name != name {
                return Err(wrong(format!("`{}` is called `{name}` here; use that name", entrant.name)));
            }
        }
        let plan = spec.plan().map_err(|error| ApiError::bad(error.to_string()))?;
        if let Some(games) = plan.games.filter(|games| *games > MOST_GAMES) {
            let message = format!("that is {games} games; expected at most {MOST_GAMES}");
            return Err(ApiError::field("format", message));
        }
        Ok(plan)
    }

    /// Begins a tournament. Blocks while the store is asked.
    pub fn begin(
        self: &Arc<Self>,
        mut spec: TournamentSpec,
        who: &Identity,
    ) -> Result<TournamentId, ApiError> {
        // One without an end would fill the disk: computers play thousands of games in a minute.
        if let FormatSpec::Ladder { games } = &mut spec.format {
            games.get_or_insert(MOST_GAMES);
        }
        Self::plan(&spec)?;
        let bots = self.bots.list();
        for entrant in &spec.entrants {
            if let SeatSpec::Remote(name) = &entrant.player
                && !bots.iter().any(|bot| bot.name == *name)
            {
                let message = format!("no bot `{name}` is connected; connect it first, see /connect");
                return Err(ApiError::field("entrants", message));
            }
        }
        self.expect_room()?;
        let tournament = Tournament::create(&self.store, spec);
        let tournament = tournament.map_err(|error| ApiError::bad(error.to_string()))?;
        let id = tournament.id();
        self.write(id, &Note { maker: who.owner.clone(), paused: false })?;
        self.hold(tournament);
        Ok(id)
    }

    fn expect_room(&self) -> Result<(), ApiError> {
        if self.stopping.is_requested() {
            return Err(ApiError::unavailable("the server is about to stop; try again in a minute"));
        }
        if self.held().len() >= MOST_HELD {
            return Err(ApiError::unavailable(
                "too many tournaments are held at the moment; try again later",
            ));
        }
        Ok(self.store.expect_room()?)
    }

    /// Plays it in a thread of its own until it is over, paused, or the server stops.
    fn hold(self: &Arc<Self>, tournament: Tournament) {
        let id = tournament.id();
        let own = Stopping::new(Duration::ZERO);
        self.held().insert(id, own.clone());
        let all = Arc::clone(self);
        let runtime = tokio::runtime::Handle::current();
        thread::spawn(move || {
            let held = if floor::has_bots(tournament.spec()) {
                floor::hold_with_bots(tournament, &all.store, Arc::clone(&all.bots), &own, &runtime)
            } else {
                hold_here(&tournament, &own)
            };
            match held {
                Ok(complete) => tracing::info!(%id, complete, "a tournament has stopped"),
                Err(error) => tracing::error!(%id, error, "a tournament has failed"),
            }
            all.held().remove(&id);
        });
    }

    /// Whether somebody may change it.
    pub fn may_change(&self, id: TournamentId, who: &Identity) -> bool {
        who.is_operator || self.read(id).is_some_and(|note| note.maker == who.owner)
    }

    fn expect_maker(&self, id: TournamentId, who: &Identity) -> Result<Note, ApiError> {
        self.store.tournament(id)?;
        let note = self.read(id).unwrap_or(Note { maker: Owner::Guest(0), paused: true });
        if note.maker == who.owner || who.is_operator {
            Ok(note)
        } else {
            Err(ApiError::forbidden("only who made this tournament, or the operator, may do that"))
        }
    }

    /// Stops its games, and waits until they have.
    fn stop_one(&self, id: TournamentId) -> Result<(), ApiError> {
        let begun = Instant::now();
        loop {
            match self.held().get(&id) {
                None => return Ok(()),
                Some(own) => {
                    own.request(Signal::Terminate);
                }
            }
            if begun.elapsed() > STOPPING {
                return Err(ApiError::unavailable("its games did not stop in time; try again in a minute"));
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes it away: it is played no more and in no list. Its games stay. Blocks while the store is asked.
    pub fn remove(&self, id: TournamentId, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_maker(id, who)?;
        self.write(id, &Note { paused: true, ..note })?;
        self.stop_one(id)?;
        self.store.set_tournament_state(id, TournamentState::Cancelled)?;
        self.forget_view(id);
        Ok(())
    }

    /// Lets an entrant take no further part. Blocks while the store is asked.
    pub fn withdraw(self: &Arc<Self>, id: TournamentId, name: &str, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_maker(id, who)?;
        self.expect_unfinished(id)?;
        let entrants = self.store.tournament_entrants(id)?;
        let entrant = entrants.iter().find(|entrant| entrant.name == name);
        let entrant = entrant.ok_or_else(|| ApiError::field("entrant", "nobody of this name takes part"))?;
        if !entrant.present {
            return Err(ApiError::conflict("it has left already"));
        }
        let was_held = self.is_held(id);
        self.stop_one(id)?;
        let failed = |error: rookery_arena::ArenaError| ApiError::ours(&error);
        let tournament = Tournament::open(&self.store, id).map_err(failed)?;
        let mut format = tournament.format().map_err(failed)?;
        let before = format.changes().len();
        format.leave(entrant.number);
        let changes = format.changes();
        let left = changes.len() > before;
        if left {
            self.store.put_changes(id, &changes)?;
            self.store.set_present(id, entrant.number, false)?;
            self.forget_view(id);
        }
        if was_held && !note.paused && !self.stopping.is_requested() {
            self.hold(tournament);
        }
        if left {
            Ok(())
        } else {
            Err(ApiError::conflict("nobody can leave this kind of tournament; pause or remove it instead"))
        }
    }

    fn expect_unfinished(&self, id: TournamentId) -> Result<(), ApiError> {
        if self.store.tournament(id)?.state.is_over() {
            return Err(ApiError::conflict("the tournament is over"));
        }
        Ok(())
    }

    /// Stops it, to go on later. Blocks while the store is asked.
    pub fn pause(&self, id: TournamentId, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_maker(id, who)?;
        self.write(id, &Note { paused: true, ..note })?;
        if let Some(own) = self.held().get(&id) {
            own.request(Signal::Terminate);
        }
        Ok(())
    }

    /// Goes on. Blocks while the store is asked.
    pub fn go_on(self: &Arc<Self>, id: TournamentId, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_maker(id, who)?;
        if self.is_held(id) {
            return Err(ApiError::conflict("it is being played; pause it first"));
        }
        self.expect_unfinished(id)?;
        self.expect_room()?;
        let tournament = Tournament::open(&self.store, id).map_err(|error| ApiError::ours(&error))?;
        self.write(id, &Note { paused: false, ..note })?;
        self.hold(tournament);
        Ok(())
    }

    /// Goes on with those of an earlier run that nobody has paused.
    pub fn resume(self: &Arc<Self>) {
        let filter = rookery_store::TournamentFilter { unfinished: true, ..Default::default() };
        let page = rookery_store::Page { before: None, limit: 100 };
        let unfinished = self.store.tournaments(&filter, page).unwrap_or_default();
        for stored in unfinished {
            if self.read(stored.id).is_none_or(|note| note.paused) {
                continue;
            }
            match Tournament::open(&self.store, stored.id) {
                Ok(tournament) => self.hold(tournament),
                Err(error) => tracing::error!(id = %stored.id, %error, "a tournament cannot go on"),
            }
        }
    }

    /// Stops all of them where they are, and waits until they have.
    pub fn stop(&self) {
        self.held().values().for_each(|own| {
            own.request(Signal::Terminate);
        });
        while !self.held().is_empty() {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Holds a tournament of computers, in threads of this process; whether all was played.
fn hold_here(tournament: &Tournament, own: &Stopping) -> Result<bool, String> {
    let protocols = Protocols::default();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let timed = tournament.spec().time != rookery_referee::TimeControl::Untimed;
    let how = Holding {
        programs: None,
        protocols: &protocols,
        // Persons on this machine want to be answered, too.
        concurrency: if timed { 1 } else { threads.div_ceil(2) },
        affinity: false,
        announce: &|_, _| {},
    };
    let held = tournament.hold(&how, own, &mut (), &mut |_| {}, &mut |_| Ok(()));
    held.map(|outcome| outcome.complete).map_err(|error| error.to_string())
}
