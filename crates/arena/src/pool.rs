//! Plays the games of an event in threads of this process.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Scope, available_parallelism};
use std::time::Duration;

use rookery_live::{Programs, Stopping};
use rookery_record::{Archive, SYNCER_FILES};
use rookery_referee::MatchSpec;
use rookery_tournament::{Dispatcher, Format, Pairing, Report, Scheduler, TournamentOutcome, Watcher, hold};
use rookery_wire::{Protocols, raise_file_limit};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::affinity::{of_threads, stay};
use crate::queue::Queue;
use crate::worker::{PATIENCE, Running, Worked, Worker, out_of_patience};
use crate::{ArenaError, PlayedGame};

/// Descriptors of a program: three pipes, and what starting it needs.
const FILES_OF_A_PROGRAM: usize = 8;
/// Standard streams, the runtimes' own, the lock, and some to spare.
const OTHER_FILES: usize = 24;
/// Of a runtime: its queue of events, its wakers.
const FILES_OF_A_THREAD: usize = 5;

/// How long records may still take to the disk once nothing else is to be waited for, if their archive is hindered.
const LAST_SAVED: Duration = Duration::from_secs(2);

/// Everything that it takes to play the games of an event.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that holds or does not, on its own")]
pub struct Games<'a> {
    /// What is agreed before the game of a pairing.
    pub spec_of: &'a (dyn Fn(&Pairing) -> Result<MatchSpec, ArenaError> + Sync),
    /// Where records are kept, if they are.
    pub archive: Option<&'a dyn Archive>,
    /// Those who have to be brought, if there are any.
    pub programs: Option<&'a Programs>,
    /// What programs may speak.
    pub protocols: &'a Protocols,
    /// How many games run at a time.
    pub concurrency: usize,
    /// Whether players have clocks: then what delays our threads is watched.
    pub timed: bool,
    /// How often a game is played again at once after a failure of ours.
    pub retries: u32,
    /// Whether games end once their result is proved.
    pub until_proved: bool,
    /// Whether games that run at the same time have cores of their own, where the system lets us choose.
    pub affinity: bool,
    /// Told where a program is awaited, by the name of its player.
    pub announce: &'a (dyn Fn(&str, SocketAddr) + Sync),
    /// Whether bots that have connected are told at the end that there are no more games.
    pub sends_home: bool,
}

impl std::fmt::Debug for Games<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Games").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

/// Told of each game when it is over and its record is on the disk, in the order they end.
pub type Seen<'a> = &'a mut dyn FnMut(&PlayedGame) -> io::Result<()>;

/// How many games fit at a time into the files that this process may open, if that is fewer than wanted: with so many
/// programs in each game, and with records or without. Also how many files that are.
pub fn fewer_games(wanted: usize, programs: usize, records: bool) -> Option<(usize, usize)> {
    let of_records = if records { SYNCER_FILES } else { 0 };
    let each = 1 + FILES_OF_A_THREAD + programs * FILES_OF_A_PROGRAM;
    let files = raise_file_limit();
    let room = (files.saturating_sub(OTHER_FILES + of_records) / each).max(1);
    (room < wanted).then_some((room, files))
}

impl Games<'_> {
    /// Plays all games that a format wants and that are not played yet. A request to stop takes no new game; what is
    /// running then ends, or is suspended when the request becomes urgent.
    pub fn hold<F: Format>(
        &self,
        scheduler: &mut Scheduler<F>,
        stopping: &Stopping,
        watcher: &mut dyn Watcher,
        seen: Seen<'_>,
    ) -> Result<TournamentOutcome, ArenaError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| ArenaError::Io("games cannot be played".to_owned(), error))?;
        let running = Running::default();
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let mut pool = Pool::new(&queue, self.archive, stopping.clone(), seen);
            pool.start(scope, self, &running);
            let playing = async {
                let first = tokio::select! {
                    // Who was told to stop before the first game begins none.
                    biased;
                    () = stopping.requested() => None,
                    held = hold(scheduler, &mut pool, watcher) => Some(held),
                };
                let held = if let Some(held) = first {
                    held
                } else {
                    scheduler.drain();
                    pool.is_draining = true;
                    hold(scheduler, &mut pool, watcher).await
                };
                pool.failure.take().map_or(Ok(()), Err)?;
                Ok(held?)
            };
            let watching = async {
                stopping.urgent().await;
                running.suspend_all();
                std::future::pending::<std::convert::Infallible>().await
            };
            runtime.block_on(async {
                tokio::select! {
                    held = playing => held,
                    never = watching => match never {},
                }
            })
        })
    }

    /// How many threads play, and how many games each at a time. Who thinks here has a thread of its own; who is waited for
    /// needs none, so that all games of programs share a thread for each core.
    fn threads(&self) -> Vec<usize> {
        let cores = available_parallelism().map_or(1, usize::from);
        let n_threads = if self.programs.is_some() { cores.min(self.concurrency) } else { self.concurrency };
        let n_threads = n_threads.max(1);
        (0..n_threads).map(|idx| (self.concurrency + n_threads - 1 - idx) / n_threads).collect()
    }
}

/// Threads that play.
struct Pool<'q, 's> {
    stopping: Stopping,
    /// Closed when no more games are wanted: then the threads end.
    queue: &'q Queue,
    archive: Option<&'q dyn Archive>,
    reports: UnboundedReceiver<Worked>,
    reporter: Option<UnboundedSender<Worked>>,
    /// Games whose records are on the way to the disk.
    syncing: JoinSet<Result<Arc<PlayedGame>, ArenaError>>,
    /// Games that were begun and have not come back.
    out: usize,
    /// Those that were not begun when the format had ended, and are to be told of.
    withdrawn: Vec<u64>,
    /// Whether the scheduler knows of the stop, and misses no game that was not begun.
    is_draining: bool,
    seen: Seen<'s>,
    failure: Option<ArenaError>,
}

impl<'q, 's> Pool<'q, 's> {
    fn new(queue: &'q Queue, archive: Option<&'q dyn Archive>, stopping: Stopping, seen: Seen<'s>) -> Self {
        let (reporter, reports) = unbounded_channel();
        Self {
            stopping,
            queue,
            archive,
            reports,
            reporter: Some(reporter),
            syncing: JoinSet::new(),
            out: 0,
            withdrawn: vec![],
            is_draining: false,
            seen,
            failure: None,
        }
    }

    fn start<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        games: &'scope Games<'scope>,
        running: &'scope Running,
    ) where
        'q: 'scope,
    {
        let Some(reporter) = self.reporter.take() else { return };
        let threads = games.threads();
        // With more games than threads, programs of several games would share the cores of one.
        let is_apart = games.affinity && threads.len() == games.concurrency;
        let cores = if is_apart { of_threads(threads.len()) } else { vec![vec![]; threads.len()] };
        for (slots, cores) in threads.into_iter().zip(cores) {
            let (reports, stopping, pairings) = (reporter.clone(), self.stopping.clone(), self.queue);
            scope.spawn(move || {
                stay(&cores);
                Worker { games, pairings, reports, stopping, running, slots }.work_guarded();
            });
        }
    }

    /// Nothing more is played.
    fn give_up(&mut self, error: ArenaError) {
        self.failure.get_or_insert(error);
        self.out -= self.queue.close().len();
        // Running games of the other threads have the grace of a stop; a second request would end them at once.
        if !self.stopping.is_requested() {
            self.stopping.request(rookery_live::Signal::Interrupt);
        }
    }

    /// The game is over and kept.
    fn finished(&mut self, game: &PlayedGame) -> Option<Report> {
        match (self.seen)(game) {
            Ok(()) => Some(Report::Finished(game.result())),
            Err(error) => {
                self.give_up(ArenaError::Told(error));
                None
            }
        }
    }

    fn take(&mut self, worked: Worked) -> Option<Report> {
        if !matches!(worked, Worked::Broken(_)) {
            self.out -= 1;
        }
        match worked {
            Worked::Game(game, None) => return self.finished(&game),
            Worked::Game(game, Some(receipt)) => {
                let game = Arc::from(game);
                self.syncing.spawn(async move {
                    receipt.await?;
                    Ok(game)
                });
            }
            Worked::Suspended => {}
            Worked::Failed(error) | Worked::Broken(error) => self.give_up(error),
        }
        None
    }
}

impl Drop for Pool<'_, '_> {
    /// Threads that wait for a game would wait for ever.
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// When records are not waited for any more that are on the way to an archive, and what to say of so many of them.
async fn last_moment(archive: Option<&dyn Archive>, stopping: &Stopping, games: usize) -> ArenaError {
    let stopped = async {
        stopping.urgent().await;
        out_of_patience(archive, LAST_SAVED).await;
    };
    tokio::select! {
        () = stopped => ArenaError::Unsaved(games),
        () = out_of_patience(archive, PATIENCE) => ArenaError::Hindered(games),
    }
}

impl Dispatcher for Pool<'_, '_> {
    fn dispatch(&mut self, pairing: Pairing) {
        self.out += usize::from(self.queue.push(pairing));
    }

    fn withdraw(&mut self) {
        let withdrawn = self.queue.take_all();
        self.out -= withdrawn.len();
        self.withdrawn.extend(withdrawn.into_iter().map(|pairing| pairing.id));
    }

    async fn next_report(&mut self) -> Option<Report> {
        loop {
            if let Some(pairing) = self.withdrawn.pop() {
                return Some(Report::Withdrawn(pairing));
            }
            if self.stopping.is_requested() {
                // Those that wait in the queue are not begun any more.
                self.out -= self.queue.take_all().len();
            }
            if self.out == 0 && self.syncing.is_empty() {
                if self.stopping.is_requested() && !self.is_draining {
                    // Whoever holds the tournament hears of the stop as well, and asks again.
                    std::future::pending::<()>().await;
                }
                return None;
            }
            let unsaved = self.syncing.len();
            let report = tokio::select! {
                Some(worked) = self.reports.recv(), if self.out > 0 => self.take(worked),
                Some(synced) = self.syncing.join_next(), if !self.syncing.is_empty() => match synced {
                    Ok(Ok(game)) => self.finished(&game),
                    Ok(Err(error)) => {
                        self.give_up(error);
                        None
                    }
                    // It can only have panicked, and then so do we.
                    Err(error) => std::panic::resume_unwind(error.into_panic()),
                },
                () = self.stopping.requested(), if !self.stopping.is_requested() => None,
                // A full disk may stay full. Who waits in a thread counts the time there; here it begins anew only with a game
                // that is saved or a stop.
                error = last_moment(self.archive, &self.stopping, unsaved), if self.out == 0 => {
                    self.failure.get_or_insert(error);
                    self.syncing.abort_all();
                    return None;
                }
                else => return None,
            };
            if report.is_some() {
                return report;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rookery_record::{ArchiveError, Key, Slot};
    use tokio::time::Instant;

    use super::*;

    /// An archive to which everything is on the way for ever.
    struct Never {
        is_hindered: bool,
    }

    impl Archive for Never {
        fn open(&self, _: &Key) -> Result<Slot, ArchiveError> {
            unreachable!("no game begins")
        }

        fn is_hindered(&self) -> bool {
            self.is_hindered
        }

        fn path(&self, _: &Key) -> Option<PathBuf> {
            None
        }
    }

    /// Why a pool gives up that has nothing left but a game that is not saved, and after how long; `None` if it waits on.
    async fn gives_up(archive: &Never, stops: bool) -> Option<(ArenaError, Duration)> {
        let (queue, stopping, begin) = (Queue::default(), Stopping::new(Duration::ZERO), Instant::now());
        let mut seen = |_: &PlayedGame| Ok(());
        let mut pool = Pool::new(&queue, Some(archive), stopping.clone(), &mut seen);
        pool.is_draining = stops;
        pool.syncing.spawn(std::future::pending());
        if stops {
            stopping.request(rookery_live::Signal::Interrupt);
        }
        let report = tokio::time::timeout(10 * PATIENCE, pool.next_report()).await.ok()?;
        assert!(report.is_none());
        pool.failure.take().map(|failure| (failure, begin.elapsed()))
    }

    #[tokio::test(start_paused = true)]
    async fn fault_s03_the_last_games_are_waited_for_within_reason() {
        let hindered = Never { is_hindered: true };
        let (error, after) = gives_up(&hindered, false).await.expect("it does not wait for ever");
        assert!(matches!(error, ArenaError::Hindered(1)), "{error}");
        assert!((PATIENCE..2 * PATIENCE).contains(&after), "{after:?}");
        let (error, after) = gives_up(&hindered, true).await.expect("whoever stops waits for less");
        assert!(matches!(error, ArenaError::Unsaved(1)), "{error}");
        assert!((LAST_SAVED..2 * LAST_SAVED).contains(&after), "{after:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn fault_s03_a_disk_that_is_only_slow_is_waited_for() {
        let slow = Never { is_hindered: false };
        assert!(gives_up(&slow, false).await.is_none());
        assert!(gives_up(&slow, true).await.is_none());
    }
}
