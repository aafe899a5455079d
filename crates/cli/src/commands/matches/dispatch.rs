//! Plays the games of a series in threads of this process.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::Scope;

use rookery_live::Stopping;
use rookery_record::Folder;
use rookery_tournament::{Dispatcher, Pairing, Report};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use super::series::{Game, Series};
use super::worker::{Running, Worked, Worker};

/// Threads, each of which plays one game at a time.
pub(super) struct Threads<'a, 's> {
    series: &'a Series,
    archive: Option<&'a Folder>,
    running: &'a Running,
    stopping: Stopping,
    /// Gone when no more games are wanted: then the threads end.
    pairings: Option<Sender<Pairing>>,
    queue: Arc<Mutex<Receiver<Pairing>>>,
    reports: UnboundedReceiver<Worked>,
    reporter: Option<UnboundedSender<Worked>>,
    /// Games whose records are on the way to the disk.
    syncing: JoinSet<anyhow::Result<Box<Game>>>,
    /// Games that were begun and have not come back.
    out: usize,
    seen: &'s mut dyn FnMut(&Game) -> anyhow::Result<()>,
    failure: Option<anyhow::Error>,
}

impl<'a, 's> Threads<'a, 's> {
    pub(super) fn new(
        series: &'a Series,
        archive: Option<&'a Folder>,
        running: &'a Running,
        stopping: Stopping,
        seen: &'s mut dyn FnMut(&Game) -> anyhow::Result<()>,
    ) -> Self {
        let (pairings, queue) = channel();
        let (reporter, reports) = unbounded_channel();
        Self {
            series,
            archive,
            running,
            stopping,
            pairings: Some(pairings),
            queue: Arc::new(Mutex::new(queue)),
            reports,
            reporter: Some(reporter),
            syncing: JoinSet::new(),
            out: 0,
            seen,
            failure: None,
        }
    }

    /// Starts so many threads.
    pub(super) fn start<'scope>(&mut self, scope: &'scope Scope<'scope, '_>, n_threads: usize)
    where
        'a: 'scope,
    {
        let Some(reporter) = self.reporter.take() else { return };
        let (series, archive, running) = (self.series, self.archive, self.running);
        for _ in 0..n_threads {
            let (queue, reports, stopping) =
                (Arc::clone(&self.queue), reporter.clone(), self.stopping.clone());
            scope.spawn(move || {
                Worker { series, archive, pairings: &queue, reports, stopping, running }.work();
            });
        }
    }

    /// What has gone wrong, if anything has.
    pub(super) fn failure(&mut self) -> anyhow::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Nothing more is played.
    fn give_up(&mut self, error: anyhow::Error) {
        self.failure.get_or_insert(error);
        self.pairings = None;
        // Running games of the other threads end with the grace of a stop.
        self.stopping.request(rookery_live::Signal::Interrupt);
        self.stopping.request(rookery_live::Signal::Interrupt);
    }

    /// The game is over and kept.
    fn finished(&mut self, game: &Game) -> Option<Report> {
        let result = game.result();
        match (self.seen)(game) {
            Ok(()) => Some(Report::Finished(result)),
            Err(error) => {
                self.give_up(error);
                None
            }
        }
    }

    fn take(&mut self, worked: Worked) -> Option<Report> {
        self.out -= 1;
        match worked {
            Worked::Game(game, None) => return self.finished(&game),
            Worked::Game(game, Some(receipt)) => {
                self.syncing.spawn(async move {
                    receipt.await?;
                    Ok(game)
                });
            }
            Worked::Suspended => {}
            Worked::Failed(error) => self.give_up(error),
        }
        None
    }
}

impl Dispatcher for Threads<'_, '_> {
    fn dispatch(&mut self, pairing: Pairing) {
        if let Some(pairings) = &self.pairings
            && pairings.send(pairing).is_ok()
        {
            self.out += 1;
        }
    }

    async fn next_report(&mut self) -> Option<Report> {
        loop {
            if self.stopping.is_requested() {
                // Those that wait in the queue are not begun any more.
                if let Ok(queue) = self.queue.try_lock() {
                    self.out -= queue.try_iter().count();
                }
            }
            if self.out == 0 && self.syncing.is_empty() {
                return None;
            }
            let report = tokio::select! {
                Some(worked) = self.reports.recv(), if self.out > 0 => self.take(worked),
                Some(synced) = self.syncing.join_next(), if !self.syncing.is_empty() => match synced {
                    Ok(Ok(game)) => self.finished(&game),
                    Ok(Err(error)) => {
                        self.give_up(error);
                        None
                    }
                    Err(error) => {
                        self.give_up(error.into());
                        None
                    }
                },
                () = self.stopping.requested(), if !self.stopping.is_requested() => None,
                else => return None,
            };
            if report.is_some() {
                return report;
            }
        }
    }
}
