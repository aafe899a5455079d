//! A tournament of a store: created, held, stopped and gone on with.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use rookery_live::{Programs, Stopping};
use rookery_record::Archive;
use rookery_referee::{Cause, MatchSpec, SeatSpec, TimeControl};
use rookery_rules::nearest;
use rookery_store::{
    EntrantKind, NewEntrant, NewTournament, Store, StoreError, StoredBundle, StoredResult, TournamentId,
    TournamentState,
};
use rookery_tournament::{
    Adjudication, Change, Entrant, EntrantSpec, Format, GameResult, MAX_FAULTS, Next, Pairing, Scheduler,
    TournamentOutcome, TournamentSpec, TrialNote, Watcher,
};
use rookery_wire::Protocols;

use crate::balance::openings;
use crate::boards::{Boards, check_openings};
use crate::bots::BUNDLE_LEVEL;
use crate::elsewhere::Sent;
use crate::kept::Kept;
use crate::{ArenaError, Elsewhere, Games, OrderedBots, Seen, Storing};

/// How many games beyond those that run may wait for the disk.
const WAITING: usize = 64;

/// A tournament that is in a store.
#[derive(Debug)]
pub struct Tournament {
    store: Store,
    id: TournamentId,
    spec: TournamentSpec,
    boards: Boards,
}

/// How a tournament is held here.
#[derive(Clone, Copy)]
pub struct Holding<'a> {
    /// Those who have to be brought, if there are any.
    pub programs: Option<&'a Programs>,
    /// What programs may speak.
    pub protocols: &'a Protocols,
    /// How many games run at a time.
    pub concurrency: usize,
    /// Whether games that run at the same time have cores of their own, where the system lets us choose.
    pub affinity: bool,
    /// Told where a program is awaited, by the name of its player.
    pub announce: &'a (dyn Fn(&str, SocketAddr) + Sync),
    /// Other machines that play the games; without them they are played in this process.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

impl std::fmt::Debug for Holding<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holding").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

impl Tournament {
    /// Puts a tournament into a store. Everything that names a game or a built-in player is checked before, and balanced
    /// boards are found and kept as its openings.
    pub fn create(store: &Store, spec: TournamentSpec) -> Result<Self, ArenaError> {
        Self::create_with(store, spec, &HashMap::new(), None)
    }

    /// The same with the versions of bots that the store knows, by the names of the entrants, and with how it is held, in the
    /// words of whoever holds it ([`Store::how`]).
    pub fn create_with(
        store: &Store,
        mut spec: TournamentSpec,
        versions: &HashMap<String, u64>,
        how: Option<String>,
    ) -> Result<Self, ArenaError> {
        spec.choose_openings()?;
        spec.suspend_as_usual();
        spec.check()?;
        let boards = Boards::new(&spec)?;
        check_openings(&spec)?;
        if let Some(balanced) = spec.balanced.take() {
            spec.openings = openings(&spec, balanced)?;
        }
        let (text, entrants) = (to_text(&spec)?, new_entrants(&spec, versions));
        let new = NewTournament { spec: text, seed: spec.seed, entrants };
        let id = store.create_tournament_held(new, how)?;
        Ok(Self { store: store.clone(), id, spec, boards })
    }

    /// Puts a tournament into a store before all who take part are known: they sign up ([`Tournament::sign_up`]) until it
    /// begins.
    pub fn announce(store: &Store, spec: &TournamentSpec) -> Result<TournamentId, ArenaError> {
        let mut spec = spec.clone();
        spec.choose_openings()?;
        // Whether programs come is not known yet.
        spec.max_faults.get_or_insert(MAX_FAULTS);
        check_with_some(&spec)?;
        check_openings(&spec)?;
        let entrants = spec.entrants.iter().map(new_entrant).collect();
        Ok(store.create_tournament(NewTournament { spec: to_text(&spec)?, seed: spec.seed, entrants })?)
    }

    /// Writes down what came of the games before the first round; who is left out takes no part. With too few left it is
    /// cancelled, and cannot be held. Nothing may have begun.
    pub fn settle(
        &mut self,
        notes: Vec<TrialNote>,
        versions: &HashMap<String, u64>,
    ) -> Result<(), ArenaError> {
        self.spec.settle(notes);
        self.store.set_entrants(self.id, &to_text(&self.spec)?, new_entrants(&self.spec, versions))?;
        let boards = self.spec.check().map_err(ArenaError::from).and_then(|_| Boards::new(&self.spec));
        match boards {
            Ok(boards) => self.boards = boards,
            Err(error) => {
                self.store.set_tournament_state(self.id, TournamentState::Cancelled)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Who takes part in one that has not begun, as the spec says now.
    pub fn sign_up(store: &Store, id: TournamentId, spec: &TournamentSpec) -> Result<(), ArenaError> {
        check_with_some(spec)?;
        let entrants = spec.entrants.iter().map(new_entrant).collect();
        Ok(store.set_entrants(id, &to_text(spec)?, entrants)?)
    }

    /// One that is in the store.
    pub fn open(store: &Store, id: TournamentId) -> Result<Self, ArenaError> {
        let stored = store.tournament(id)?;
        let spec: TournamentSpec = serde_json::from_str(&stored.spec)
            .map_err(|error| ArenaError::Agreed(format!("the spec of tournament {id}: {error}")))?;
        let boards = Boards::new(&spec)?;
        Ok(Self { store: store.clone(), id, spec, boards })
    }

    /// Its id.
    pub fn id(&self) -> TournamentId {
        self.id
    }

    /// What was agreed.
    pub fn spec(&self) -> &TournamentSpec {
        &self.spec
    }

    /// What is agreed before the game of a pairing.
    pub fn match_spec(&self, pairing: &Pairing) -> Result<MatchSpec, ArenaError> {
        self.boards.match_spec(&self.spec, pairing)
    }

    /// The results so far, in the order of their pairings. What failed because of us is played again and is no result, unless
    /// the tournament is over.
    pub fn results(&self) -> Result<impl Iterator<Item = Result<GameResult, ArenaError>>, ArenaError> {
        let results = self.stored_results()?;
        Ok(results.map(|stored| stored.map(|stored| stored.result).map_err(ArenaError::from)))
    }

    /// The same with the games that they come from.
    pub fn stored_results(
        &self,
    ) -> Result<impl Iterator<Item = Result<StoredResult, StoreError>>, StoreError> {
        let is_over = self.store.tournament(self.id)?.state == TournamentState::Finished;
        let counts = move |stored: &StoredResult| is_over || stored.result.cause != Cause::PlatformAbort;
        Ok(self.store.results(self.id)?.filter(move |stored| stored.as_ref().map_or(true, counts)))
    }

    /// The format as it stands: who came and went, and every result.
    pub fn format(&self) -> Result<Box<dyn Format>, ArenaError> {
        let changes = self.store.changes(self.id)?;
        let mut format = self.spec.format_before(n_late(&changes))?;
        for change in &changes {
            format.change(change);
        }
        for result in self.results()? {
            format.take(&result?);
        }
        Ok(format)
    }

    /// Somebody comes late, by the rule of the format; nothing may be running. The number it has from now on.
    pub fn enter(&mut self, entrant: EntrantSpec) -> Result<Entrant, ArenaError> {
        let mut format = self.unfinished()?;
        let number = format.join().ok_or_else(|| {
            let what = "the format takes nobody any more: round robins of two, Swiss systems, gauntlets and ladders do";
            ArenaError::Agreed(format!("{}: {what} (docs/formats.md)", entrant.name))
        })?;
        let mut spec = self.spec.clone();
        spec.entrants.push(entrant);
        spec.check()?;
        let boards = Boards::new(&spec)?;
        let new = spec.entrants.last().map(new_entrant);
        self.store.change_entrants(self.id, &to_text(&spec)?, new, &format.changes())?;
        (self.spec, self.boards) = (spec, boards);
        Ok(number)
    }

    /// An entrant takes no further part, by the rule of the format; nothing may be running.
    pub fn withdraw(&mut self, name: &str) -> Result<Entrant, ArenaError> {
        let mut format = self.unfinished()?;
        let entrant = self.spec.check()?.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.spec.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
            let meant =
                nearest(name, &names).map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
            ArenaError::Agreed(format!("nobody in this tournament is called {name:?}{meant}"))
        })?;
        let before = format.changes();
        format.leave(entrant);
        let changes = format.changes();
        if changes == before {
            return Err(ArenaError::Agreed(format!(
                "{name}: it has left already, has no game left to play, or the format lets nobody go"
            )));
        }
        self.store.change_entrants(self.id, &to_text(&self.spec)?, None, &changes)?;
        Ok(entrant)
    }

    /// The format as it stands, if there is something left to play.
    fn unfinished(&self) -> Result<Box<dyn Format>, ArenaError> {
        let mut format = self.format()?;
        if format.next(0) == Next::End || self.store.tournament(self.id)?.state.is_over() {
            return Err(ArenaError::Agreed(format!("tournament {} is over", self.id)));
        }
        Ok(format)
    }

    /// Plays all games that are not played yet; `earlier` is told of those that are, `seen` of each that ends now, once
    /// it is stored.
    pub fn hold(
        &self,
        how: &Holding<'_>,
        stopping: &Stopping,
        watcher: &mut dyn Watcher,
        earlier: &mut dyn FnMut(&GameResult),
        seen: Seen<'_>,
    ) -> Result<TournamentOutcome, ArenaError> {
        let room = how.elsewhere.map_or(how.concurrency + WAITING, Elsewhere::room);
        let (outcome, n_failed) =
            self.hold_with(room, watcher, earlier, |scheduler, aborted, watcher| match how.elsewhere {
                None => self.hold_here(how, scheduler, aborted, stopping, watcher, seen),
                Some(elsewhere) => self.hold_elsewhere(elsewhere, scheduler, stopping, watcher, seen),
            })?;
        if outcome.complete
            && n_failed == 0
            && let Some(elsewhere) = how.elsewhere
        {
            elsewhere.close(self.id);
        }
        Ok(outcome)
    }

    /// Has the caller play all games that are not played yet, on its own thread and one at a time: it is handed the scheduler,
    /// where records go, and whom to tell.
    pub fn hold_by(
        &self,
        play: impl FnOnce(
            &mut Scheduler<Box<dyn Format>>,
            &dyn Archive,
            &mut dyn Watcher,
        ) -> Result<TournamentOutcome, ArenaError>,
    ) -> Result<TournamentOutcome, ArenaError> {
        let held = self.hold_with(1, &mut (), &mut |_| {}, |scheduler, aborted, watcher| {
            self.keeping(aborted, |kept| play(scheduler, kept, watcher)).map(|outcome| (outcome, 0))
        });
        held.map(|(outcome, _)| outcome)
    }

    /// What is left to play, for whoever plays it; the state of the tournament before and after. Also how many games failed
    /// too often.
    fn hold_with(
        &self,
        room: usize,
        watcher: &mut dyn Watcher,
        earlier: &mut dyn FnMut(&GameResult),
        play: impl FnOnce(
            &mut Scheduler<Box<dyn Format>>,
            BTreeMap<u64, u32>,
            &mut dyn Watcher,
        ) -> Result<(TournamentOutcome, u64), ArenaError>,
    ) -> Result<(TournamentOutcome, u64), ArenaError> {
        self.expect_own_pairings(&self.store)?;
        self.store.set_tournament_state(self.id, TournamentState::Running)?;
        let changes = self.store.changes(self.id)?;
        let mut format = self.spec.format_before(n_late(&changes))?;
        for change in &changes {
            format.change(change);
        }
        let mut scheduler = Scheduler::new(format, room).with_exclusive(one_at_a_time(&self.spec));
        let mut aborted = BTreeMap::new();
        for stored in self.store.results(self.id)? {
            let StoredResult { key, result, .. } = stored?;
            if result.cause == Cause::PlatformAbort {
                aborted.insert(key.pairing, key.attempt);
            } else {
                scheduler.earlier(&result);
                earlier(&result);
            }
        }
        let mut storing = Storing::new(self.store.clone(), self.id, watcher);
        let held = play(&mut scheduler, aborted, &mut storing);
        let now: Vec<Change> = scheduler.format().changes();
        let complete = matches!(&held, Ok((outcome, 0)) if outcome.complete);
        let state = if complete { TournamentState::Finished } else { TournamentState::Paused };
        let closed = if now == changes { Ok(()) } else { self.store.put_changes(self.id, &now) };
        let closed = closed.and_then(|()| self.store.set_tournament_state(self.id, state));
        let held = held?;
        closed?;
        Ok(held)
    }

    /// Plays in threads of this process.
    fn hold_here(
        &self,
        how: &Holding<'_>,
        scheduler: &mut Scheduler<Box<dyn Format>>,
        aborted: BTreeMap<u64, u32>,
        stopping: &Stopping,
        watcher: &mut dyn Watcher,
        seen: Seen<'_>,
    ) -> Result<(TournamentOutcome, u64), ArenaError> {
        self.keeping(aborted, |kept| {
            let games = Games {
                spec_of: &|pairing| self.match_spec(pairing),
                archive: Some(kept),
                programs: how.programs,
                protocols: how.protocols,
                concurrency: how.concurrency,
                timed: self.spec.time != TimeControl::Untimed,
                retries: RETRIES,
                until_proved: self.until_proved(),
                affinity: how.affinity,
                announce: how.announce,
                sends_home: true,
            };
            games.hold(scheduler, stopping, watcher, seen)
        })
        .map(|outcome| (outcome, 0))
    }

    /// Lends the archive that keeps the games in the store, for games that are played in this process. What the store refuses
    /// is told as the store told it.
    fn keeping<T>(
        &self,
        aborted: BTreeMap<u64, u32>,
        play: impl FnOnce(&dyn Archive) -> Result<T, ArenaError>,
    ) -> Result<T, ArenaError> {
        self.store.recall_jobs(self.id)?;
        let refused = Arc::new(OnceLock::new());
        let kept = Kept {
            store: self.store.clone(),
            tournament: self.id,
            aborted,
            refused: refused.clone(),
            has_begun: false.into(),
        };
        play(&kept).map_err(|error| match (error, refused.get()) {
            (ArenaError::Archive(_) | ArenaError::Sync(_), Some(error)) => error.clone().into(),
            (error @ ArenaError::Hindered(_), _) => self.store.expect_room().err().map_or(error, Into::into),
            (error, _) => error,
        })
    }

    /// Has games played on other machines. Also how many of them failed too often.
    fn hold_elsewhere(
        &self,
        elsewhere: &dyn Elsewhere,
        scheduler: &mut Scheduler<Box<dyn Format>>,
        stopping: &Stopping,
        watcher: &mut dyn Watcher,
        seen: Seen<'_>,
    ) -> Result<(TournamentOutcome, u64), ArenaError> {
        let bots = self.ordered_bots()?;
        let mut sent = Sent {
            elsewhere,
            bots,
            store: &self.store,
            tournament: self.id,
            spec_of: &|pairing| self.match_spec(pairing),
            until_proved: self.until_proved(),
            scale_time: self.spec.scale_time,
            attempts: self.attempts()?,
            arrived: elsewhere.open(self.id),
            stopping: stopping.clone(),
            seen,
            out: BTreeMap::new(),
            n_parked: 0,
            is_draining: false,
            failure: None,
        };
        let outcome = sent.hold(scheduler, watcher)?;
        Ok((outcome, sent.n_parked))
    }

    fn until_proved(&self) -> bool {
        self.spec.adjudicate == Some(Adjudication::Proved)
    }

    /// Pairings that are not at their first attempt.
    fn attempts(&self) -> Result<BTreeMap<u64, u32>, ArenaError> {
        let mut attempts = BTreeMap::new();
        let mut after = None;
        loop {
            let page = self.store.pairings(self.id, after)?;
            let Some(last) = page.last() else { return Ok(attempts) };
            after = Some(last.id);
            let later = page.iter().filter(|pairing| pairing.attempt > 1);
            attempts.extend(later.map(|pairing| (pairing.id, pairing.attempt)));
        }
    }

    /// The archives that other machines have to bring. They play built-in players and bundles, and nobody else.
    fn ordered_bots(&self) -> Result<Option<Arc<OrderedBots>>, ArenaError> {
        let mut bundles: Vec<StoredBundle> = vec![];
        for entrant in &self.spec.entrants {
            match &entrant.player {
                SeatSpec::BuiltIn(_) => {}
                // Without a hash it would be another bot whenever somebody pushes one.
                SeatSpec::Bundle { name, sha256: Some(hash) } => {
                    bundles.push(self.store.find_bundle(name, Some(hash))?);
                }
                _ => {
                    return Err(ArenaError::Agreed(format!(
                        "{}: other machines play built-in players and bundles only (`rookery bot push`, then bundle:NAME); \
                         leave out --dispatch to play it here",
                        entrant.name
                    )));
                }
            }
        }
        let level = self.spec.sandbox.as_deref().map(str::parse).transpose().map_err(ArenaError::Agreed)?;
        let sandbox = level.unwrap_or(BUNDLE_LEVEL);
        Ok((!bundles.is_empty()).then(|| Arc::new(OrderedBots { sandbox, bundles })))
    }
}

/// Those who play one game at a time: whoever has one connection, or is one person.
pub fn one_at_a_time(spec: &TournamentSpec) -> Vec<Entrant> {
    let is_one = |entrant: &Entrant| {
        let player = &spec.entrants[entrant.index()].player;
        player.is_awaited() || player.is_person()
    };
    Entrant::all(spec.entrants.len()).filter(is_one).collect()
}

/// Checks everything that is agreed, with somebody at every place that is still free.
fn check_with_some(spec: &TournamentSpec) -> Result<(), ArenaError> {
    let mut full = spec.clone();
    let enough = if spec.is_series() { spec.seats } else { FEW.max(spec.seats) };
    for number in full.entrants.len()..enough {
        let player = "random".parse().expect("it plays every game");
        full.entrants.push(EntrantSpec { name: format!("? {number}"), player, version: None });
    }
    full.check()?;
    Boards::new(&full)?;
    Ok(())
}

/// With so many every format can be held that has more than one table.
const FEW: usize = 4;

/// What a store is told of all, with the versions that it knows.
fn new_entrants(spec: &TournamentSpec, versions: &HashMap<String, u64>) -> Vec<NewEntrant> {
    let version = |entrant: &EntrantSpec| versions.get(&entrant.name).copied();
    let new = |entrant| NewEntrant { version: version(entrant), ..new_entrant(entrant) };
    spec.entrants.iter().map(new).collect()
}

/// What a store is told of somebody.
fn new_entrant(entrant: &EntrantSpec) -> NewEntrant {
    NewEntrant {
        name: entrant.name.clone(),
        kind: EntrantKind::of_seat(&entrant.player),
        player: entrant.player.to_string(),
        version: None,
    }
}

fn to_text(spec: &TournamentSpec) -> Result<String, ArenaError> {
    serde_json::to_string(spec).map_err(|error| ArenaError::Agreed(error.to_string()))
}

/// How many of the entrants came late: the last ones.
fn n_late(changes: &[Change]) -> usize {
    changes.iter().filter(|change| matches!(change, Change::Join { .. })).count()
}

/// How often a game is played again at once after a failure of ours.
const RETRIES: u32 = 2;
