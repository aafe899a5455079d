//! Tournaments of people, computers and connected bots: signed up for, begun, paused, gone on with after a restart, left,
//! removed. Long ones of computers alone are held in threads of this process by the arena.

mod entrants;
mod floor;
mod leaving;
mod sign_up;
mod stalled;
mod trials;
mod view;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};

use rookery_arena::{Elsewhere, Holding, Tournament, rated};
use rookery_live::{Signal, Stopping};
use rookery_referee::SeatSpec;
use rookery_store::{Store, TournamentId, TournamentState};
use rookery_tournament::{EntrantSpec, FormatSpec, Plan, TournamentOutcome, TournamentSpec};
use rookery_wire::Protocols;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::accounts::{Identity, Owner, random_token};
use crate::http::ApiError;
use crate::hub::Hub;
use entrants::{bound_games, check_entrants};
use floor::Leave;
use stalled::Stalled;

pub(crate) use floor::games_at_once;

pub use sign_up::{Opening, SignUp};
pub use view::{GameView, View};

/// The most that are held at the same time.
const MOST_HELD: usize = 8;
/// The most entrants and games of one.
const MOST_ENTRANTS: usize = 64;
pub(crate) const MOST_GAMES: u64 = 10_000;
/// How long it may take until all games of one have stopped.
const STOPPING: Duration = Duration::from_secs(20);

/// All tournaments of this server.
pub struct Tournaments {
    store: Store,
    folder: PathBuf,
    stopping: Stopping,
    hub: Arc<Hub>,
    held: Mutex<HashMap<TournamentId, Held>>,
    /// Held while somebody signs up, so that one comes after the other.
    entering: Mutex<()>,
    /// When those begin that have a time, in milliseconds since 1970.
    planned: Mutex<HashMap<TournamentId, i64>>,
    elsewhere: Option<Arc<dyn Elsewhere>>,
    /// Those that wait until somebody has parked games tried again.
    stalled: Mutex<HashMap<TournamentId, Stalled>>,
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
    /// How people and bots get in, before it begins.
    #[serde(default)]
    sign_up: Option<SignUp>,
    /// How they get in after that, if they may.
    #[serde(default)]
    late: Option<SignUp>,
    /// Who brought whom, by name: they may withdraw them.
    #[serde(default)]
    entered: BTreeMap<String, Owner>,
}

/// A tournament that is played.
#[derive(Clone)]
struct Held {
    stopping: Stopping,
    /// Where somebody leaves while the others play on, if that is possible.
    leaving: Option<mpsc::Sender<Leave>>,
    /// Whether its bots are tried, before the first round.
    is_trying: Arc<AtomicBool>,
}

/// A tournament is held for as long as this lives.
struct Holds<'a> {
    all: &'a Tournaments,
    id: TournamentId,
}

impl Drop for Holds<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            tracing::error!(id = %self.id, "a tournament has failed: see the message before this one");
        }
        self.all.held().remove(&self.id);
        self.all.forget_view(self.id);
    }
}

impl Tournaments {
    /// Those of a store; whose they are is kept in a folder.
    pub fn new(hub: Arc<Hub>, folder: &Path, stopping: Stopping) -> Self {
        let (held, views, entering) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (store, folder, planned) = (hub.store().clone(), folder.to_owned(), Mutex::default());
        let stalled = Mutex::default();
        Self { store, folder, stopping, hub, held, entering, planned, elsewhere: None, stalled, views }
    }

    /// The same with other machines that play. Whose they are is then kept in the store, for whichever server goes on with them.
    #[must_use]
    pub fn with_elsewhere(self, elsewhere: Option<Arc<dyn Elsewhere>>) -> Self {
        Self { elsewhere, ..self }
    }

    /// What is counted of other machines that play; nothing where this server does not coordinate them.
    pub fn counted(&self) -> Vec<rookery_arena::Figure> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.counted()).unwrap_or_default()
    }

    fn held(&self) -> MutexGuard<'_, HashMap<TournamentId, Held>> {
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
        let text = serde_json::to_string(note).map_err(|error| ApiError::ours(&error))?;
        if self.elsewhere.is_some() {
            return Ok(self.store.put_how(id, &text)?);
        }
        // Whoever reads it meanwhile finds the one before, and never a part.
        let new = self.note(id).with_extension(&random_token()[..16]);
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, self.note(id)));
        written.map_err(|error| ApiError::ours(&error))
    }

    fn read(&self, id: TournamentId) -> Option<Note> {
        if self.elsewhere.is_some() {
            return serde_json::from_str(&self.store.how(id).ok()??).ok();
        }
        serde_json::from_slice(&fs::read(self.note(id)).ok()?).ok()
    }

    /// What a tournament would be, if it may be held here.
    pub fn plan(spec: &TournamentSpec) -> Result<Plan, ApiError> {
        let wrong = |message: String| ApiError::field("entrants", message);
        check_entrants(spec)?;
        if let Some(person) = spec.entrants.iter().find(|entrant| entrant.player.is_person()) {
            let message =
                "cannot be entered by others; let people sign up (`sign_up`), and each enters by itself";
            return Err(wrong(format!("`{}` {message}", person.name)));
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
        self.expect_bots(&spec)?;
        self.pin_bundles(&mut spec)?;
        bound_games(&mut spec);
        self.expect_room()?;
        let tournament = Tournament::create(&self.store, spec);
        let tournament = tournament.map_err(|error| ApiError::bad(error.to_string()))?;
        let id = tournament.id();
        let note = Note {
            maker: who.owner.clone(),
            paused: false,
            sign_up: None,
            late: None,
            entered: BTreeMap::new(),
        };
        self.write(id, &note)?;
        self.hold(tournament);
        Ok(id)
    }

    fn expect_bots(&self, spec: &TournamentSpec) -> Result<(), ApiError> {
        let bots = self.hub.bots().list();
        for entrant in &spec.entrants {
            if let SeatSpec::Remote(name) = &entrant.player
                && !bots.iter().any(|bot| bot.name == *name)
            {
                let message = format!("no bot `{name}` is connected; connect it first, see /connect");
                return Err(ApiError::field("entrants", message));
            }
        }
        Ok(())
    }

    /// Writes down which archives take part, and how they are confined: the same whenever it goes on.
    fn pin_bundles(&self, spec: &mut TournamentSpec) -> Result<(), ApiError> {
        let game = spec.games.first().and_then(|spec| spec.split(':').next()).unwrap_or_default().to_owned();
        for entrant in &mut spec.entrants {
            if let SeatSpec::Bundle { .. } = entrant.player {
                spec.sandbox = Some(self.pin_bundle(entrant, &game)?);
            }
        }
        Ok(())
    }

    /// The same for one entrant; how it is confined.
    fn pin_bundle(&self, entrant: &mut EntrantSpec, game: &str) -> Result<String, ApiError> {
        let SeatSpec::Bundle { name, sha256 } = &entrant.player else { return Ok(String::new()) };
        let Some(door) = self.hub.bundles.get() else {
            let message = "this server starts no bundles: it has no sandbox for them; its log says why";
            return Err(ApiError::field("entrants", message));
        };
        let found = door.pin(&self.store, (name, sha256.as_deref()), game)?;
        entrant.player = SeatSpec::Bundle { name: found.name, sha256: Some(found.sha256.to_string()) };
        entrant.version = Some(found.label);
        Ok(door.level())
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

    /// Plays it in a thread of its own until it is over, paused, or the server stops. Nothing is done if it is being played.
    fn hold(self: &Arc<Self>, tournament: Tournament) -> bool {
        let id = tournament.id();
        let own = Stopping::new(Duration::ZERO);
        let is_watched = floor::is_watched(tournament.spec(), self.elsewhere.is_some());
        let (leaving, left) = mpsc::channel(8);
        let is_trying = Arc::new(AtomicBool::new(is_watched));
        match self.held().entry(id) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(place) => {
                let leaving = is_watched.then_some(leaving);
                place.insert(Held { stopping: own.clone(), leaving, is_trying: Arc::clone(&is_trying) });
            }
        }
        let all = Arc::clone(self);
        let runtime = tokio::runtime::Handle::current();
        thread::spawn(move || {
            // It is held no longer when this ends, however it ends.
            let _holding = Holds { all: &all, id };
            let held = if is_watched {
                floor::hold_here(tournament, &all.hub, &own, (left, &is_trying), &runtime)
            } else {
                hold_computers(&tournament, &all.store, all.elsewhere.as_deref(), &own)
            };
            match held {
                Ok(complete) => tracing::info!(%id, complete, "a tournament has stopped"),
                Err(error) => tracing::error!(%id, error, "a tournament has failed"),
            }
            all.note_stalled(id, &own);
        });
        true
    }

    /// Whether somebody may change it.
    pub fn may_change(&self, id: TournamentId, who: &Identity) -> bool {
        who.is_operator || self.read(id).is_some_and(|note| note.maker == who.owner)
    }

    /// Whoever made it, or the operator, whose act is written down.
    fn expect_maker(&self, id: TournamentId, who: &Identity, act: &str) -> Result<Note, ApiError> {
        self.store.tournament(id)?;
        let note = self.read(id).unwrap_or(Note {
            maker: Owner::Guest(0),
            paused: true,
            sign_up: None,
            late: None,
            entered: BTreeMap::new(),
        });
        if note.maker == who.owner {
            Ok(note)
        } else if who.is_operator {
            self.store.audit(&who.name, act, &id.to_string())?;
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
                Some(held) => {
                    held.stopping.request(Signal::Terminate);
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
        let note = self.expect_maker(id, who, "removed a tournament")?;
        self.write(id, &Note { paused: true, ..note })?;
        self.plan_start(id, None);
        self.stop_one(id)?;
        self.store.set_tournament_state(id, TournamentState::Cancelled)?;
        // What other machines still send of it is no longer waited for.
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.close(id);
        }
        self.hub.drop_cup(id);
        self.forget_view(id);
        Ok(())
    }

    fn expect_unfinished(&self, id: TournamentId) -> Result<(), ApiError> {
        if self.store.tournament(id)?.state.is_over() {
            return Err(ApiError::conflict("the tournament is over"));
        }
        Ok(())
    }

    /// Stops it, to go on later. Blocks while the store is asked.
    pub fn pause(&self, id: TournamentId, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_maker(id, who, "paused a tournament")?;
        self.write(id, &Note { paused: true, ..note })?;
        if let Some(held) = self.held().get(&id) {
            held.stopping.request(Signal::Terminate);
        }
        Ok(())
    }

    /// Goes on. Blocks while the store is asked.
    pub fn go_on(self: &Arc<Self>, id: TournamentId, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_maker(id, who, "went on with a tournament")?;
        if self.is_held(id) {
            return Err(is_played());
        }
        self.expect_unfinished(id)?;
        if note.sign_up.is_some() {
            return Err(ApiError::conflict("it has not begun; begin it instead"));
        }
        self.expect_room()?;
        let tournament = Tournament::open(&self.store, id).map_err(|error| ApiError::ours(&error))?;
        self.write(id, &Note { paused: false, ..note })?;
        // Two may have asked at the same time.
        if self.hold(tournament) { Ok(()) } else { Err(is_played()) }
    }

    /// Goes on with those of an earlier run that nobody has paused.
    pub fn resume(self: &Arc<Self>) {
        let filter = rookery_store::TournamentFilter { unfinished: true, ..Default::default() };
        let page = rookery_store::Page { before: None, limit: 100 };
        let unfinished = self.store.tournaments(&filter, page).unwrap_or_default();
        for stored in unfinished {
            let Some(note) = self.read(stored.id).filter(|note| !note.paused) else { continue };
            if let Some(sign_up) = note.sign_up {
                self.plan_start(stored.id, sign_up.starts_ms);
                continue;
            }
            match Tournament::open(&self.store, stored.id) {
                Ok(tournament) => {
                    self.hold(tournament);
                }
                Err(error) => tracing::error!(id = %stored.id, %error, "a tournament cannot go on"),
            }
        }
    }

    /// Stops all of them where they are, and waits until they have.
    pub fn stop(&self) {
        self.held().values().for_each(|held| {
            held.stopping.request(Signal::Terminate);
        });
        while !self.held().is_empty() {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn is_played() -> ApiError {
    ApiError::conflict("it is being played; pause it first")
}

/// Holds a tournament of computers, in threads of this process or on other machines; whether all was played.
fn hold_computers(
    tournament: &Tournament,
    store: &Store,
    elsewhere: Option<&dyn Elsewhere>,
    own: &Stopping,
) -> Result<bool, String> {
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
        elsewhere,
    };
    let mut rated = |_: &TournamentOutcome| rated::keep_stored(tournament, store);
    let held = tournament.hold_then(&how, own, &mut (), &mut |_| {}, &mut |_| Ok(()), &mut rated);
    held.map(|outcome| outcome.complete).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tournament_whose_thread_panics_is_held_no_longer() {
        let folder = rookery_testkit::TempFolder::new("tournaments-panic");
        let stopping = Stopping::new(Duration::ZERO);
        let hub = Arc::new(Hub::for_tests(&folder));
        let all = Arc::new(Tournaments::new(hub, &folder, stopping.clone()));
        let id = TournamentId::random();
        let held = Held { stopping, leaving: None, is_trying: Arc::default() };
        all.held().insert(id, held);
        let failing = Arc::clone(&all);
        let ended = thread::spawn(move || {
            let _holding = Holds { all: &failing, id };
            panic!("a mistake of ours");
        });
        assert!(ended.join().is_err());
        assert!(!all.is_held(id));
        // It would wait for ever.
        all.stop();
    }
}
