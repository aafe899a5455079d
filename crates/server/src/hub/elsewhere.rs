//! Games that other machines play: shown here while somebody looks, whichever server that is.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rookery_arena::Gallery;
use rookery_live::{Asked, Snapshot, read_story};
use rookery_record::Key;
use rookery_rules::Status;
use rookery_store::{GameId, GameKey, JobRow, JobState, TournamentId};
use tokio::sync::watch;
use tokio::time::{interval, timeout};

use super::{Hub, Table};
use crate::accounts::blocking;

/// How often the store is asked who plays a game that somebody looks at.
const ASK: Duration = Duration::from_millis(500);
/// How long the first picture of a game may take.
const FIRST: Duration = Duration::from_secs(5);
/// How long a table that nobody looks at is kept.
const UNSEEN: Duration = Duration::from_secs(30);
/// The most games among which one is looked for by its id.
const MOST: u32 = 10_000;

/// How many games are looked for at a time; whoever comes when there are more finds nothing.
pub(super) const AT_ONCE: usize = 64;

/// Who plays which attempt at a game.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Playing {
    tournament: TournamentId,
    pairing: u64,
    attempt: u32,
    worker: String,
}

impl Playing {
    fn of(job: &JobRow) -> Option<Self> {
        let worker = job.worker.clone().filter(|_| job.state == JobState::Leased)?;
        Some(Self { tournament: job.tournament, pairing: job.pairing, attempt: job.attempt, worker })
    }

    fn id(&self) -> GameId {
        game_id(self.tournament, self.pairing, self.attempt)
    }
}

fn game_id(tournament: TournamentId, pairing: u64, attempt: u32) -> GameId {
    GameKey { tournament, key: Key { pairing, attempt } }.id()
}

/// How a record stands that is still written.
fn picture(record: &[u8]) -> Option<Arc<Snapshot>> {
    // The first line says what was agreed; without it there is nothing to see.
    let story = read_story(record).ok()?;
    let whole = story.snapshot();
    let asked = match whole.position.status() {
        Status::ToMove(seat) if whole.verdict.is_none() => {
            Some(Asked { seat, ply: whole.plies(), since: Instant::now(), time: None })
        }
        _ => None,
    };
    Some(Arc::new(Snapshot { suspended: false, asked, ..whole }))
}

impl Hub {
    /// Other machines play, and can be looked at.
    pub(crate) fn set_gallery(&self, gallery: Arc<dyn Gallery>) {
        // It is set once, before anybody asks.
        let _ = self.gallery.set(gallery);
    }

    /// The table of a game that another machine plays now, by its id.
    pub(super) async fn elsewhere(self: &Arc<Self>, id: GameId) -> Option<Arc<Table>> {
        self.gallery.get()?;
        let permit = self.looking.try_acquire().ok()?;
        let store = self.store.clone();
        let jobs = blocking(move || store.leased_jobs(None, MOST)).await.ok()?;
        let played = jobs.iter().filter_map(Playing::of).find(|attempt| attempt.id() == id)?;
        drop(permit);
        self.look_on(played).await
    }

    /// Begins to look on at some games of a tournament that other machines play.
    pub(crate) async fn look_on_at(self: &Arc<Self>, tournament: TournamentId, most: usize) {
        if self.gallery.get().is_none() || self.of_cup(tournament).len() >= most {
            return;
        }
        let (store, limit) = (self.store.clone(), u32::try_from(most).unwrap_or(u32::MAX));
        let jobs = blocking(move || store.leased_jobs(Some(tournament), limit)).await;
        for attempt in jobs.unwrap_or_default().iter().filter_map(Playing::of) {
            if self.table(attempt.id()).is_none() {
                let hub = Arc::clone(self);
                tokio::spawn(async move { hub.look_on(attempt).await });
            }
        }
    }

    async fn look_on(self: &Arc<Self>, attempt: Playing) -> Option<Arc<Table>> {
        let id = attempt.id();
        let permit = self.looking.try_acquire().ok()?;
        let mut seen = self.follow(&attempt)?;
        let first = async {
            while seen.changed().await.is_ok() {
                let record = Arc::clone(&seen.borrow_and_update());
                if let Some(snapshot) = picture(&record) {
                    return Some(snapshot);
                }
            }
            None
        };
        let snapshot = timeout(FIRST, first).await.ok()??;
        drop(permit);
        let table = Table::elsewhere(id, self.first_version, &snapshot).of_cup(attempt.tournament);
        let table = {
            let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
            // Somebody else may have come first.
            if let Some(table) = tables.get(&id) {
                return Some(Arc::clone(table));
            }
            let table = Arc::new(table);
            tables.insert(id, Arc::clone(&table));
            table
        };
        table.set_note(format!("Played by {}, attempt {}.", attempt.worker, attempt.attempt));
        let (hub, shown) = (Arc::clone(self), Arc::clone(&table));
        tokio::spawn(async move {
            hub.keep_showing(&shown, attempt, seen).await;
            hub.forget(shown.id());
        });
        Some(table)
    }

    fn follow(&self, of: &Playing) -> Option<watch::Receiver<Arc<[u8]>>> {
        Some(self.gallery.get()?.follow(&of.worker, of.tournament, of.pairing, of.attempt))
    }

    /// Shows a game to its end, whoever plays it, as long as somebody looks.
    async fn keep_showing(&self, table: &Table, mut now: Playing, mut seen: watch::Receiver<Arc<[u8]>>) {
        let mut asking = interval(ASK);
        let mut looked_at = Instant::now();
        let mut is_new = false;
        loop {
            tokio::select! {
                changed = seen.changed(), if seen.has_changed().is_ok() => {
                    if changed.is_err() {
                        continue;
                    }
                    let record = Arc::clone(&seen.borrow_and_update());
                    match picture(&record) {
                        Some(snapshot) if is_new => table.begun_again(snapshot),
                        Some(snapshot) => table.gone_on(&snapshot),
                        None => continue,
                    }
                    is_new = false;
                }
                _ = asking.tick() => {
                    if table.viewers() > 0 {
                        looked_at = Instant::now();
                    }
                    if looked_at.elapsed() > UNSEEN {
                        return;
                    }
                    let (store, tournament, pairing) = (self.store.clone(), now.tournament, now.pairing);
                    // A database that is away comes back.
                    let Ok(job) = blocking(move || store.job(tournament, pairing)).await else { continue };
                    let Some(job) = job else { return };
                    match Playing::of(&job) {
                        Some(next) if next != now => {
                            table.set_note(format!(
                                "Taken over by {}, attempt {}: {} was lost.",
                                next.worker, next.attempt, now.worker
                            ));
                            let Some(follow) = self.follow(&next) else { return };
                            (seen, now, is_new) = (follow, next, true);
                        }
                        Some(_) => {}
                        None if job.state == JobState::Done => {
                            return self.show_end(table, &job, is_new || job.attempt != now.attempt).await;
                        }
                        None if job.state == JobState::Parked => {
                            table.set_note("It failed too often, and waits for the operator.".to_owned());
                        }
                        None => table.set_note(format!("{} was lost: it waits for another worker.", now.worker)),
                    }
                }
            }
        }
    }

    /// The game is stored: shows how it ended, for a while.
    async fn show_end(&self, table: &Table, job: &JobRow, is_another: bool) {
        let (store, tournament) = (self.store.clone(), job.tournament);
        let key = Key { pairing: job.pairing, attempt: job.attempt };
        let record = blocking(move || store.record_of(tournament, key)).await;
        if let Some(snapshot) = record.ok().and_then(|record| picture(&record)) {
            if is_another { table.begun_again(snapshot) } else { table.gone_on(&snapshot) }
        }
        tokio::time::sleep(super::paired::KEPT).await;
    }
}
