//! All matches of this server: made, found, gone on with after a restart, and handed to the store when they are over.

mod elsewhere;
mod ending;
mod eval;
mod lasting;
mod length;
mod paired;
mod private;
mod request;
mod seats;
mod spool;
mod stored;
mod table;
mod update;
mod waiting;
mod window;
mod work;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use rookery_catalog::{AnyPosition, game};
use rookery_live::{Guest, LiveMatch, Snapshot, Stopping, Terms, prelude, prepare};
use rookery_record::{ArchiveError, Slot};
use rookery_referee::{Command, End, MatchSpec, SeatSpec};
use rookery_rules::{GameSpec, Scene};
use rookery_store::{GameId, Store};
use rookery_wire::Protocols;
use tokio::sync::Semaphore;

use crate::accounts::{Identity, Owner, now_ms, random_token};
use crate::bots::Bots;
use crate::bundles::BundleDoor;
use crate::data::{Sight, Trail};
use crate::http::ApiError;

use length::Lengths;
pub(crate) use length::{MOST_TURNS, bounded, expect_turns};
pub(crate) use paired::Paired;
pub(crate) use private::{bundle_owners, owns_program, without_stderr};
pub(crate) use request::random_seed;
pub use request::{NamedSeat, NewMatch, NewSeat, Sitter, Wanted};
pub use spool::{Left, Owners, Spool, Waiting};
pub use stored::{Loose, Shelf, StoredMatch};
pub use table::{Seen, Table};
pub use update::Update;
pub(crate) use update::{Card, json};
pub use window::{Hold, Window};
pub(crate) use work::{check_work, checked_limits};

/// The most matches that run or wait at the same time.
const MAX_TABLES: usize = 4096;
/// How long a match that is over stays at hand.
const AT_HAND: Duration = Duration::from_mins(10);
/// How long bots are waited for that a match needs to go on.
const COMING_BACK: Duration = Duration::from_mins(1);

/// All matches of this server.
pub struct Hub {
    store: Store,
    spool: Spool,
    bots: Arc<Bots>,
    stopping: Stopping,
    tables: RwLock<HashMap<GameId, Arc<Table>>>,
    shelf: Shelf,
    /// Matches from files.
    pub(crate) loose: Loose,
    /// Where bundles come in, if they do.
    pub(crate) bundles: OnceLock<Arc<BundleDoor>>,
    /// Where the versions of tables begin.
    first_version: u64,
    /// Where games of other machines can be looked at.
    gallery: OnceLock<Arc<dyn rookery_arena::Gallery>>,
    /// How many of them are looked for at a time.
    looking: Semaphore,
    /// Held while it is written down how a table waits, or that it waits no more.
    keeping: Mutex<()>,
    /// Held while a match is begun once more, so that two who ask get the same one.
    again: tokio::sync::Mutex<()>,
    /// How long matches may be.
    lengths: Lengths,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("tables", &self.tables().len()).finish_non_exhaustive()
    }
}

/// A match, running or over.
#[derive(Clone, Debug)]
pub enum Found {
    /// At hand.
    Table(Arc<Table>),
    /// In the store.
    Stored(Arc<StoredMatch>),
}

/// A match that was made.
#[derive(Debug)]
pub struct Made {
    /// The table.
    pub table: Arc<Table>,
    /// How others get their seats, by seat.
    pub codes: Vec<Option<String>>,
}

impl Hub {
    /// The matches of a store; running ones are kept in a folder.
    pub fn open(
        store: Store,
        spool: &Path,
        bots: Arc<Bots>,
        stopping: Stopping,
    ) -> Result<Self, ArchiveError> {
        let spool = Spool::open(spool)?;
        // Milliseconds, with room for 4,096 versions each: later starts begin higher, and numbers stay exact in a page.
        let first_version = (now_ms() as u64) << 12;
        let tables = RwLock::default();
        let (shelf, loose) = (Shelf::default(), Loose::default());
        let (gallery, looking) = (OnceLock::new(), Semaphore::new(elsewhere::AT_ONCE));
        let bundles = OnceLock::new();
        Ok(Self {
            store,
            spool,
            bots,
            stopping,
            tables,
            shelf,
            loose,
            bundles,
            first_version,
            gallery,
            looking,
            keeping: Mutex::default(),
            again: tokio::sync::Mutex::default(),
            lengths: Lengths::default(),
        })
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Bots that are connected.
    pub fn bots(&self) -> &Arc<Bots> {
        &self.bots
    }

    /// All matches at hand, the newest last.
    pub fn tables(&self) -> Vec<Arc<Table>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let mut tables: Vec<Arc<Table>> = tables.values().cloned().collect();
        tables.sort_unstable_by_key(|table| table.serial());
        tables
    }

    /// A match at hand.
    pub fn table(&self, id: GameId) -> Option<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// A match.
    pub async fn find(self: &Arc<Self>, id: &str) -> Result<Found, ApiError> {
        let id: GameId = id.parse().map_err(|_| ApiError::not_found("match"))?;
        if let Some(table) = self.table(id) {
            table.catch_up().await;
            return Ok(Found::Table(table));
        }
        match self.loose.get(id) {
            Some(loose) => Ok(Found::Stored(loose)),
            None => match self.shelf.get(&self.store, id).await {
                Ok(stored) => Ok(Found::Stored(stored)),
                Err(unknown) => self.elsewhere(id).await.map(Found::Table).ok_or(unknown),
            },
        }
    }

    fn insert(&self, table: &Arc<Table>) {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(table.id(), Arc::clone(table));
    }

    /// Whether one more match may begin.
    fn expect_room(&self) -> Result<(), ApiError> {
        if self.stopping.is_requested() {
            return Err(ApiError::unavailable("the server is about to stop; try again in a minute"));
        }
        let n_running = self.tables().iter().filter(|table| table.over_since().is_none()).count();
        if n_running >= MAX_TABLES {
            return Err(ApiError::unavailable("too many matches run at the moment; try again in a minute"));
        }
        Ok(self.store.expect_room()?)
    }

    /// Makes a match as somebody wants it. It begins at once, unless other persons are still to come.
    pub async fn make(self: &Arc<Self>, wanted: Wanted, who: &Identity) -> Result<Made, ApiError> {
        self.expect_room()?;
        let Wanted { spec, sitters } = wanted;
        let hold = |sitter: &Sitter| match sitter {
            Sitter::Me => Hold::new(Some(who.owner.clone()), None),
            Sitter::Open => Hold::new(None, Some(random_token()[..16].to_owned())),
            Sitter::Computer(_) | Sitter::Bot(_) => Hold::default(),
        };
        let seats: Vec<Hold> = sitters.iter().map(hold).collect();
        let codes: Vec<Option<String>> = seats.iter().map(|hold| hold.code.clone()).collect();
        let id = GameId::random();
        let table = if codes.iter().any(Option::is_some) {
            self.expect_room_to_wait()?;
            let snapshot = Arc::new(before(&spec)?);
            let first = self.first_version;
            let table = Table::waiting(id, who.owner.clone(), first, snapshot, seats);
            let table = Arc::new(table);
            self.insert(&table);
            self.keep_waiting(&table);
            table
        } else {
            let live = self.start(id, spec).await?;
            let table = Table::live(id, who.owner.clone(), self.first_version, live, seats);
            self.run(Arc::new(table))
        };
        Ok(Made { table, codes })
    }

    /// Brings whoever is to play, and begins.
    async fn start(&self, id: GameId, spec: MatchSpec) -> Result<LiveMatch, ApiError> {
        let guests = self.bring(&spec).await?;
        let slot = self.spool.slot(id).map_err(|error| ApiError::ours(&error))?;
        play(spec, guests, slot).inspect_err(|_| self.spool.remove(id))
    }

    /// Whoever is to play.
    async fn bring(&self, spec: &MatchSpec) -> Result<Vec<Guest>, ApiError> {
        let mut guests = vec![];
        for entry in &spec.seats {
            guests.push(match &entry.player {
                SeatSpec::Human => Guest::Person,
                SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
                SeatSpec::Remote(name) => {
                    self.bots.bring(name, None).await.map_err(|why| ApiError::field("seats", why))?
                }
                other => return Err(ApiError::field("seats", format!("`{other}` cannot be seated here"))),
            });
        }
        Ok(guests)
    }

    /// Tells the viewers of a match, and hands it over when it is done.
    fn run(self: &Arc<Self>, table: Arc<Table>) -> Arc<Table> {
        self.insert(&table);
        self.keep_owners(&table);
        let Some(live) = table.match_() else { return table };
        let teller = self.teller(&table, &live);
        let (hub, done) = (Arc::clone(self), Arc::clone(&table));
        tokio::spawn(async move {
            let played = live.played_until(hub.time_to_stop(&live)).await;
            let is_over = matches!(played.end, End::Verdict(_));
            done.catch_up().await;
            let kept = if is_over { Some(hub.hand_over(&done).await) } else { None };
            done.release();
            teller.abort();
            if let Some(kept) = kept {
                hub.put_away(&done, kept, AT_HAND).await;
            }
        });
        table
    }

    /// Writes down whose the seats are.
    fn keep_owners(&self, table: &Table) {
        let seats = table.holds().into_iter().map(|hold| hold.owner).collect();
        let owners = Owners { maker: table.maker(), seats, of_cup: table.cup().is_some() };
        if let Err(error) = self.spool.keep_owners(table.id(), &owners) {
            tracing::warn!(id = %table.id(), %error, "who sits where cannot be kept");
        }
    }

    /// Somebody who was a guest has a name now, and keeps its seats.
    pub fn change_owner(&self, from: &Owner, to: &Owner) {
        for table in self.tables() {
            if !table.change_owner(from, to) {
                continue;
            }
            if table.is_waiting() {
                self.keep_waiting(&table);
            } else {
                // Also of one that is paused, or that people of a tournament have not come to yet.
                self.keep_owners(&table);
            }
        }
    }

    /// Ends a match without a winner.
    pub fn cancel(&self, table: &Table, why: &str) -> Result<(), ApiError> {
        if table.is_paused() {
            // Without its bots it ends as soon as it goes on.
            table.give_up_bots();
            return Ok(());
        }
        let live = table.match_().ok_or_else(|| ApiError::conflict("the match has not begun"))?;
        let cancelled = live.command(None, &Command::Cancel(why.to_owned()));
        cancelled.map_err(|refusal| ApiError::conflict(refusal.to_string()))
    }

    /// What somebody may see of a table.
    pub fn sight(table: &Table, who: Option<&Identity>) -> Sight {
        let ended_by = table.snapshot().verdict.as_ref().and_then(|verdict| verdict.ending.seat);
        let may_read_stderr = owns_program(table.programs(), who, ended_by);
        Sight { seat: table.seat_of(who), may_read_stderr }
    }
}

impl Found {
    /// How it stands, for somebody.
    pub fn look(&self, who: Option<&Identity>) -> crate::data::MatchState {
        match self {
            Self::Table(table) => table.look(Hub::sight(table, who)),
            Self::Stored(stored) => stored.look(self.sight(who)),
        }
    }

    /// What somebody may see of it.
    pub fn sight(&self, who: Option<&Identity>) -> Sight {
        match self {
            Self::Table(table) => Hub::sight(table, who),
            Self::Stored(stored) => Sight {
                seat: who.and_then(Identity::person).and_then(|person| stored.seat_of(person)),
                may_read_stderr: stored.may_read_stderr(who),
            },
        }
    }

    /// How it stands, all of it.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        match self {
            Self::Table(table) => table.snapshot(),
            Self::Stored(stored) => Arc::clone(&stored.snapshot),
        }
    }

    fn trail(&self) -> &Trail {
        match self {
            Self::Table(table) => &table.trail,
            Self::Stored(stored) => &stored.trail,
        }
    }

    /// The scenes of these plies, as far as there are so many. Takes a while where a match is long and nobody has looked at it.
    pub fn scenes(&self, plies: Range<usize>) -> Vec<Scene> {
        self.trail().scenes(&self.snapshot(), plies)
    }
}

/// Begins, or goes on, with everybody there.
fn play(spec: MatchSpec, guests: Vec<Guest>, slot: Slot) -> Result<LiveMatch, ApiError> {
    let ready = prepare(spec, guests, &Protocols::default(), Some(slot))
        .map_err(|error| ApiError::field("start", error.to_string()))?;
    // Several run at the same time, and each has its share.
    let terms = Terms { threads: 1, ..Terms::default() };
    Ok(ready.with_terms(terms).start())
}

/// How a match stands before it has begun.
fn before(spec: &MatchSpec) -> Result<Snapshot, ApiError> {
    let wrong = |error: &dyn fmt::Display| ApiError::field("game", error.to_string());
    let game_spec = GameSpec::parse(&spec.game).map_err(|error| wrong(&error))?;
    let position: Arc<dyn AnyPosition> = if spec.start.is_some() {
        let opening = prelude(spec).ok_or_else(|| {
            ApiError::field(
                "start",
                "there is no such position, or a move from there is illegal; look at it again",
            )
        })?;
        Arc::clone(opening.position())
    } else {
        let first = game(&game_spec.game).and_then(|game| game.start(&game_spec));
        Arc::from(first.map_err(|error| wrong(&error))?)
    };
    Ok(Snapshot {
        version: 0,
        spec: Arc::new(spec.clone()),
        start: Arc::clone(&position),
        entries: vec![],
        position,
        asked: None,
        clocks: rookery_live::clocks_after(spec, &[]),
        offer: None,
        verdict: None,
        suspended: false,
        record_problem: None,
    })
}

#[cfg(test)]
impl Hub {
    /// One with a store of its own in a folder.
    pub(crate) fn for_tests(folder: &Path) -> Self {
        let reserve = rookery_store::Reserve { bytes: 0, percent: 0 };
        let options = rookery_store::Options { ballast: 0, reserve, ..rookery_store::Options::default() };
        let store = Store::open(&folder.join("hub.db").to_string_lossy(), &options).expect("it opens");
        let stopping = Stopping::new(Duration::ZERO);
        Self::open(store, &folder.join("hub.db.live"), Arc::default(), stopping).expect("it opens")
    }
}
