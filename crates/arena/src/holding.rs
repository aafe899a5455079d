//! How a tournament of a store is held: what is left to play, by whom, and what the store says before and after.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use rookery_live::{Programs, Stopping};
use rookery_record::Archive;
use rookery_referee::{Cause, SeatSpec, TimeControl};
use rookery_store::{StoredBundle, StoredResult, TournamentState};
use rookery_tournament::{Adjudication, Change, Format, GameResult, Scheduler, TournamentOutcome, Watcher};
use rookery_wire::Protocols;

use crate::bots::BUNDLE_LEVEL;
use crate::elsewhere::Sent;
use crate::kept::Kept;
use crate::tournament::{n_late, one_at_a_time};
use crate::{ArenaError, Elsewhere, Games, OrderedBots, Seen, Storing, Tournament};

/// How many games beyond those that run may wait for the disk.
const WAITING: usize = 64;

/// How often a game is played again at once after a failure of ours.
const RETRIES: u32 = 2;

/// Told how a tournament ended, before its store says so.
pub type Then<'a> = &'a mut dyn FnMut(&TournamentOutcome) -> Result<(), ArenaError>;

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
        self.hold_then(how, stopping, watcher, earlier, seen, &mut |_| Ok(()))
    }

    /// The same; `then` hears how it ended when the last game is stored, and before the store says that it is over: so no crash
    /// comes between that and what `then` keeps there.
    pub fn hold_then(
        &self,
        how: &Holding<'_>,
        stopping: &Stopping,
        watcher: &mut dyn Watcher,
        earlier: &mut dyn FnMut(&GameResult),
        seen: Seen<'_>,
        then: Then<'_>,
    ) -> Result<TournamentOutcome, ArenaError> {
        let room = how.elsewhere.map_or(how.concurrency + WAITING, Elsewhere::room);
        let play = |scheduler: &mut Scheduler<_>, aborted, watcher: &mut dyn Watcher| match how.elsewhere {
            None => self.hold_here(how, scheduler, aborted, stopping, watcher, seen),
            Some(elsewhere) => self.hold_elsewhere(elsewhere, scheduler, stopping, watcher, seen),
        };
        let outcome = self.hold_with(room, watcher, earlier, play, then)?;
        if outcome.complete
            && let Some(elsewhere) = how.elsewhere
        {
            elsewhere.close(self.id);
        }
        Ok(outcome)
    }

    /// Has the caller play all games that are not played yet, on its own thread and one at a time: it is handed the scheduler,
    /// where records go, and whom to tell. `then` is as in [`Self::hold_then`].
    pub fn hold_by(
        &self,
        play: impl FnOnce(
            &mut Scheduler<Box<dyn Format>>,
            &dyn Archive,
            &mut dyn Watcher,
        ) -> Result<TournamentOutcome, ArenaError>,
        then: Then<'_>,
    ) -> Result<TournamentOutcome, ArenaError> {
        let play = |scheduler: &mut Scheduler<_>, aborted, watcher: &mut dyn Watcher| {
            self.keeping(aborted, |kept| play(scheduler, kept, watcher)).map(|outcome| (outcome, 0))
        };
        self.hold_with(1, &mut (), &mut |_| {}, play, then)
    }

    /// What is left to play, for whoever plays it and says how many games failed too often; the state of the tournament before
    /// and after.
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
        then: Then<'_>,
    ) -> Result<TournamentOutcome, ArenaError> {
        self.expect_own_pairings(&self.store)?;
        let changes = self.store.changes(self.id)?;
        let mut format = self.spec.format_before(n_late(&changes))?;
        for change in &changes {
            format.change(change);
        }
        // One that is over counts what failed; where later games were paired on that, none is played again.
        let was_over = self.store.tournament(self.id)?.state == TournamentState::Finished;
        let stays = was_over && format.follows_results();
        if !stays {
            self.store.set_tournament_state(self.id, TournamentState::Running)?;
        }
        let scheduler = Scheduler::new(format, room).with_exclusive(one_at_a_time(&self.spec));
        let mut scheduler = scheduler.with_replays();
        let mut aborted = BTreeMap::new();
        for stored in self.store.results(self.id)? {
            let StoredResult { key, result, .. } = stored?;
            if result.cause == Cause::PlatformAbort && !stays {
                aborted.insert(key.pairing, key.attempt);
            } else {
                scheduler.earlier(&result);
                earlier(&result);
            }
        }
        let mut storing = Storing::new(self.store.clone(), self.id, watcher);
        let held = play(&mut scheduler, aborted, &mut storing);
        let held = held.map(|(outcome, n_failed)| {
            let complete = outcome.complete && n_failed == 0;
            let winners = if complete { outcome.winners } else { vec![] };
            TournamentOutcome { complete, winners, ..outcome }
        });
        let now: Vec<Change> = scheduler.format().changes();
        let closed = if now == changes { Ok(()) } else { self.store.put_changes(self.id, &now) };
        let told = held.as_ref().map_or(Ok(()), then);
        let complete = told.is_ok() && held.as_ref().is_ok_and(|outcome| outcome.complete);
        let state = if complete { TournamentState::Finished } else { TournamentState::Paused };
        let closed = closed.and_then(|()| self.store.set_tournament_state(self.id, state));
        let held = held?;
        told?;
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
