//! One match and whoever looks at it: seats and their owners, who is there, and the news as bytes that all share.
//!
//! Nothing is queued for anybody. The table keeps its last updates; whoever looks reads on from where they are, at their
//! own pace, and gets a snapshot if that is too far back.

mod away;
mod elsewhere;
mod paused;
mod seats;
mod telling;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use rookery_live::{LiveMatch, Snapshot};
use rookery_referee::{Command, MatchSpec};
use rookery_rules::{Scene, Seat};
use rookery_store::{EntrantId, GameId, TournamentId};
use tokio::sync::{Notify, watch};
use tokio::task::spawn_blocking;

use super::Hold;
use super::eval::is_evaluated;
use super::update::{Update, card, unrated};
use crate::accounts::{Identity, Owner, now_ms};
use crate::data::{Around, MatchState, NewsData, SceneData, Sight, Trail};

/// How long a snapshot is given to all who only look on, while nothing happens.
const FRESH: Duration = Duration::from_millis(200);

/// How many tables there were.
static TABLES: AtomicU64 = AtomicU64::new(0);

/// A match and whoever looks at it.
pub struct Table {
    id: GameId,
    /// Grows from table to table.
    serial: u64,
    /// When it was made, in milliseconds since 1970.
    made_ms: i64,
    /// The tournament it belongs to.
    cup: Option<TournamentId>,
    state: Mutex<State>,
    version: watch::Sender<u64>,
    /// How good the position is, for those who look on.
    pub(super) eval: watch::Sender<Option<Utf8Bytes>>,
    /// Whether somebody works that out.
    pub(super) evaluating: AtomicBool,
    /// Rings when nobody waits for its bots any more.
    given_up: Notify,
    /// Whose the uploaded bots are, by seat, if there are any.
    programs: OnceLock<Vec<Option<EntrantId>>>,
    /// From which its scenes are made.
    pub(super) trail: Trail,
    /// Whether somebody makes scenes of what nobody has looked at.
    catching_up: AtomicBool,
    /// Whether the store has it.
    is_stored: AtomicBool,
}

struct State {
    stage: Stage,
    /// Who asked for it.
    maker: Owner,
    version: u64,
    /// Up to which version of the live match everything is told.
    told: u64,
    updates: VecDeque<Arc<Update>>,
    /// The newest scene, with pieces that keep their ids.
    scene: Scene,
    seats: Vec<Hold>,
    viewers: usize,
    /// Given to those who only look on.
    cached: Option<(Instant, u64, Utf8Bytes)>,
    over_since: Option<Instant>,
    /// Whether its end is told to nobody yet, because the store does not have it.
    is_held: bool,
    /// When something last happened.
    active: Instant,
    /// For lists, as it was at a version.
    card: Option<(u64, Instant, Arc<str>)>,
    /// The match that was begun after it.
    rematch: Option<GameId>,
    /// What became of whoever plays it elsewhere.
    note: Option<String>,
    /// What is said behind how it ended, while the store does not have it.
    afterword: &'static str,
}

enum Stage {
    /// Somebody is still to come.
    Waiting(Arc<Snapshot>),
    Live(LiveMatch),
    /// Another machine plays it.
    Elsewhere(Arc<Snapshot>),
    /// It goes on after a restart when its bots are back.
    Paused(Arc<Snapshot>),
}

impl Stage {
    fn snapshot(&self) -> Arc<Snapshot> {
        match self {
            Self::Waiting(snapshot) | Self::Elsewhere(snapshot) | Self::Paused(snapshot) => {
                Arc::clone(snapshot)
            }
            Self::Live(live) => live.snapshot(),
        }
    }
}

impl State {
    /// How the match stands, as far as that is told.
    fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = self.stage.snapshot();
        if !self.is_held || snapshot.verdict.is_none() {
            return snapshot;
        }
        Arc::new(Snapshot { verdict: None, asked: None, ..Snapshot::clone(&snapshot) })
    }
}

/// What somebody gets who looks again.
#[derive(Debug)]
pub enum Seen {
    /// What happened since, in order.
    Updates(u64, Vec<Arc<Update>>),
    /// Too much happened: how it stands.
    Snapshot(u64, Utf8Bytes),
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Table {
    /// A table at which somebody is still to come. Versions begin at `first`, which must grow from start to start of this
    /// server, so that who comes back after one gets a snapshot.
    pub(crate) fn waiting(
        id: GameId,
        maker: Owner,
        first: u64,
        snapshot: Arc<Snapshot>,
        seats: Vec<Hold>,
    ) -> Self {
        let scene = snapshot.position.scene();
        Self::new(id, maker, first, Stage::Waiting(snapshot), |_| scene, seats)
    }

    /// A table of a match that runs.
    pub(crate) fn live(id: GameId, maker: Owner, first: u64, live: LiveMatch, seats: Vec<Hold>) -> Self {
        let begun = live.first_snapshot();
        Self::new(id, maker, first, Stage::Live(live), |trail| trail.newest(&begun), seats)
    }

    fn new(
        id: GameId,
        maker: Owner,
        version: u64,
        stage: Stage,
        scene: impl FnOnce(&Trail) -> Scene,
        seats: Vec<Hold>,
    ) -> Self {
        let trail = Trail::default();
        let told = match &stage {
            Stage::Live(live) => live.first_snapshot().version,
            Stage::Waiting(_) | Stage::Elsewhere(_) | Stage::Paused(_) => 0,
        };
        let begun = State {
            is_held: matches!(stage, Stage::Live(_)),
            stage,
            maker,
            version,
            told,
            updates: VecDeque::new(),
            scene: scene(&trail),
            seats,
            viewers: 0,
            cached: None,
            over_since: None,
            active: Instant::now(),
            card: None,
            rematch: None,
            note: None,
            afterword: "",
        };
        let (version, eval) = (watch::Sender::new(version), watch::Sender::new(None));
        let evaluating = AtomicBool::new(false);
        let serial = TABLES.fetch_add(1, Ordering::Relaxed);
        let made_ms = now_ms();
        let (given_up, programs) = (Notify::new(), OnceLock::new());
        Self {
            id,
            serial,
            made_ms,
            cup: None,
            state: Mutex::new(begun),
            version,
            eval,
            evaluating,
            given_up,
            programs,
            trail,
            catching_up: AtomicBool::new(false),
            is_stored: AtomicBool::new(false),
        }
    }

    /// The same for a game of a tournament.
    pub(crate) fn of_cup(self, cup: TournamentId) -> Self {
        Self { cup: Some(cup), ..self }
    }

    /// The tournament it belongs to.
    pub fn cup(&self) -> Option<TournamentId> {
        self.cup
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // It is whole at any time, also if somebody panicked with it in hand.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its id.
    pub fn id(&self) -> GameId {
        self.id
    }

    /// Greater than that of any table that was made before.
    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// What was agreed so far.
    pub fn spec(&self) -> Arc<MatchSpec> {
        Arc::clone(&self.state().snapshot().spec)
    }

    /// The match, if it has begun.
    pub fn match_(&self) -> Option<LiveMatch> {
        match &self.state().stage {
            Stage::Live(live) => Some(live.clone()),
            Stage::Waiting(_) | Stage::Elsewhere(_) | Stage::Paused(_) => None,
        }
    }

    /// How the match stands.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.state().snapshot()
    }

    /// Since when it is over.
    pub fn over_since(&self) -> Option<Instant> {
        self.state().over_since
    }

    /// Whether the store has it.
    pub(crate) fn is_stored(&self) -> bool {
        self.is_stored.load(Ordering::SeqCst)
    }

    /// The store has it now.
    pub(crate) fn set_stored(&self) {
        self.is_stored.store(true, Ordering::SeqCst);
    }

    /// For how long nothing has happened and no player was there.
    pub fn idle_for(&self) -> Duration {
        let state = self.state();
        let is_there = state.seats.iter().any(|hold| hold.windows > 0);
        if is_there { Duration::ZERO } else { state.active.elapsed() }
    }

    /// How many look on.
    pub fn viewers(&self) -> usize {
        self.state().viewers
    }

    /// Counts what happened, in larger steps while nobody looks.
    pub fn version(&self) -> u64 {
        self.tell();
        self.state().version
    }

    /// Hears of new versions.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The seat of somebody.
    pub fn seat_of(&self, identity: Option<&Identity>) -> Option<Seat> {
        let owner = &identity?.owner;
        let state = self.state();
        let idx = state.seats.iter().position(|hold| hold.owner.as_ref() == Some(owner))?;
        Seat::all(state.seats.len()).nth(idx)
    }

    /// Whose the seats are.
    pub fn holds(&self) -> Vec<Hold> {
        self.state().seats.clone()
    }

    /// The match begins or goes on. It may be long then: its scenes are made before anybody has to wait for the table.
    pub(crate) async fn go_on(self: &Arc<Self>, live: LiveMatch) {
        let (table, first) = (Arc::clone(self), live.first_snapshot());
        let made = spawn_blocking(move || table.trail.newest(&first));
        // Where that fails they are made below.
        let _ = made.await;
        self.begin(live);
    }

    /// The match begins.
    pub(crate) fn begin(&self, live: LiveMatch) {
        let mut state = self.state();
        let first = live.first_snapshot();
        state.told = first.version;
        state.scene = self.trail.newest(&first);
        state.stage = Stage::Live(live);
        // Bots that were waited for are back: nobody may end the match because they think.
        for hold in state.seats.iter_mut().filter(|hold| hold.owner.is_none()) {
            hold.away = None;
        }
        (state.note, state.is_held) = (None, true);
        self.start_over(&mut state);
    }

    /// Everybody gets a snapshot.
    fn start_over(&self, state: &mut State) {
        state.updates.clear();
        state.version += 1;
        self.announce(state);
    }

    fn announce(&self, state: &mut State) {
        state.active = Instant::now();
        self.version.send_replace(state.version);
    }

    /// How it stands, for somebody.
    pub fn look(&self, sight: Sight) -> MatchState {
        self.tell();
        let state = self.state();
        self.state_of(&state, sight)
    }

    fn state_of(&self, state: &State, sight: Sight) -> MatchState {
        let snapshot = state.snapshot();
        let online: Vec<bool> = state.seats.iter().map(|hold| hold.windows > 0).collect();
        let (waiting, back_ms) = (self.missing(state), state.back_ms(&snapshot, self.cup.is_some()));
        let around = Around {
            id: self.id.as_str(),
            version: state.version,
            online: &online,
            back_ms: &back_ms,
            viewers: state.viewers,
            waiting: &waiting,
        };
        // The table may be a moment behind the match: the scene belongs to the snapshot.
        let scene = match &state.stage {
            Stage::Live(_) if snapshot.version != state.told => {
                SceneData::from(&self.trail.newest(&snapshot))
            }
            _ => SceneData::from(&state.scene),
        };
        let rematch = state.rematch.map(|id| id.to_string());
        let tournament = self.cup.map(|id| id.to_string());
        let unrated = if self.cup.is_some() { None } else { unrated(&snapshot, &state.seats) };
        let evaluated = snapshot.verdict.is_none() && is_evaluated(&snapshot.spec, sight.seat);
        let mut whole = MatchState::new(&snapshot, scene, &around, sight);
        if let Some(over) = &mut whole.over {
            over.sentence += state.afterword;
        }
        let note = state.note.clone();
        MatchState { unrated, evaluated, rematch, note, tournament, ..whole }
    }

    /// Whether lists show it: it has begun.
    pub fn is_shown(&self) -> bool {
        !matches!(self.state().stage, Stage::Waiting(_))
    }

    /// What lists show of it, as JSON made once a version; while a clock runs it is not shared for long.
    pub fn card(&self) -> Arc<str> {
        self.tell();
        let mut state = self.state();
        let snapshot = state.snapshot();
        let runs = snapshot.asked.is_some_and(|asked| asked.time.is_some());
        if let Some((version, made, card)) = &state.card
            && *version == state.version
            && (!runs || made.elapsed() < FRESH)
        {
            return Arc::clone(card);
        }
        let card = card((self.id, self.cup), &snapshot, &state.scene, state.viewers);
        state.card = Some((state.version, Instant::now(), Arc::clone(&card)));
        card
    }

    /// The match that was begun after this one.
    pub fn rematch(&self) -> Option<GameId> {
        self.state().rematch
    }

    /// Tells all who look that another match was begun.
    pub(crate) fn set_rematch(&self, id: GameId) {
        self.tell();
        let mut state = self.state();
        state.rematch = Some(id);
        let snapshot = state.snapshot();
        self.push(&mut state, vec![NewsData::Rematch { id: id.to_string() }], None, &snapshot);
    }

    /// Does what a seat wants; the error is a sentence.
    pub fn command(&self, seat: Seat, command: &Command) -> Result<(), String> {
        let Some(live) = self.match_() else {
            let why = if self.is_paused() {
                "the match goes on when its bots are back; wait a moment"
            } else {
                "the match has not begun; wait until everybody has come"
            };
            return Err(why.to_owned());
        };
        live.command(Some(seat), command).map_err(|refusal| refusal.to_string())?;
        self.heard_of(seat);
        Ok(())
    }
}
