//! Games of a tournament that are played on other machines.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rookery_live::Stopping;
use rookery_record::Key;
use rookery_referee::{Cause, MatchSpec, SeatSpec, Verdict};
use rookery_sandbox::Level;
use rookery_store::{Store, StoredBundle, TournamentId};
use rookery_tournament::{
    Dispatcher, Format, GameResult, Pairing, Report, Scheduler, TournamentOutcome, Watcher, hold,
};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{ArenaError, Figure, PlayedGame, Seen};

/// A game that is to be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// Of which tournament.
    pub tournament: TournamentId,
    /// Which game of it.
    pub pairing: u64,
    /// Which attempt at it, from 1.
    pub attempt: u32,
    /// What is agreed.
    pub spec: MatchSpec,
    /// Whether it ends once its result is proved.
    pub until_proved: bool,
    /// The speed that its clock is meant for, if the tournament says so.
    pub scale_time: Option<u32>,
    /// The bots of its tournament that come as archives, if there are any.
    pub bots: Option<Arc<OrderedBots>>,
}

/// Bots that whoever plays a game has to bring: archives of the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderedBots {
    /// How much they are confined, at least.
    pub sandbox: Level,
    /// All that take part in the tournament.
    pub bundles: Vec<StoredBundle>,
}

impl OrderedBots {
    /// Those that sit at a table.
    pub fn at<'a>(&'a self, spec: &'a MatchSpec) -> impl Iterator<Item = &'a StoredBundle> {
        self.bundles.iter().filter(|bundle| {
            spec.seats.iter().any(|entry| {
                matches!(&entry.player, SeatSpec::Bundle { sha256: Some(hash), .. } if *hash == bundle.sha256.to_string())
            })
        })
    }
}

/// What came of an order.
#[derive(Clone, Debug)]
pub enum Arrived {
    /// The game is judged and stored.
    Stored {
        /// Which game.
        pairing: u64,
        /// Which attempt at it.
        attempt: u32,
        /// How it ended, if whoever tells has it at hand.
        verdict: Option<Box<Verdict>>,
    },
    /// It failed too often, and waits for the operator.
    Parked {
        /// Which game.
        pairing: u64,
    },
    /// Nobody had begun it when it was taken back.
    Withdrawn {
        /// Which game.
        pairing: u64,
    },
    /// Nothing more comes: why.
    Gone(String),
}

/// Other machines that play games. Whatever they send is judged and stored before anybody hears of it here.
pub trait Elsewhere: Send + Sync + fmt::Debug {
    /// How many games are asked for at a time.
    fn room(&self) -> usize;

    /// What comes of the games of a tournament comes here from now on.
    fn open(&self, tournament: TournamentId) -> UnboundedReceiver<Arrived>;

    /// Asks for a game. One that was asked for before, also in an earlier run, is not played twice.
    fn play(&self, order: Order);

    /// Takes back what nobody plays yet. What is played is stored when it comes.
    fn withdraw(&self, tournament: TournamentId);

    /// The same, telling of each game that was taken back; what is played is told when it is stored. Whoever cannot take games
    /// back plays them.
    fn take_back(&self, _tournament: TournamentId) {}

    /// The tournament is over.
    fn close(&self, tournament: TournamentId);

    /// What is counted of the machines.
    fn counted(&self) -> Vec<Figure> {
        vec![]
    }

    /// Waits until whatever is checked beside the games is checked, but not for ever. What came of it, if there is anything to
    /// say.
    fn settle(&self, _patience: Duration) -> Option<String> {
        None
    }
}

/// The games of one tournament, asked for elsewhere.
pub(crate) struct Sent<'a, 's> {
    pub(crate) elsewhere: &'a dyn Elsewhere,
    pub(crate) store: &'a Store,
    pub(crate) tournament: TournamentId,
    pub(crate) spec_of: &'a dyn Fn(&Pairing) -> Result<MatchSpec, ArenaError>,
    pub(crate) until_proved: bool,
    pub(crate) scale_time: Option<u32>,
    pub(crate) bots: Option<Arc<OrderedBots>>,
    /// Pairings that are not at their first attempt.
    pub(crate) attempts: BTreeMap<u64, u32>,
    pub(crate) arrived: UnboundedReceiver<Arrived>,
    pub(crate) stopping: Stopping,
    pub(crate) seen: Seen<'s>,
    pub(crate) out: BTreeMap<u64, (Pairing, MatchSpec)>,
    pub(crate) n_parked: u64,
    pub(crate) is_draining: bool,
    pub(crate) failure: Option<ArenaError>,
}

impl Sent<'_, '_> {
    /// Asks for all games that a format wants and that are not played yet. A request to stop takes back what nobody has
    /// begun, and waits for nothing: what is played elsewhere is stored when it comes.
    pub(crate) fn hold<F: Format>(
        &mut self,
        scheduler: &mut Scheduler<F>,
        watcher: &mut dyn Watcher,
    ) -> Result<TournamentOutcome, ArenaError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| ArenaError::Io("games cannot be asked for".to_owned(), error))?;
        let stopping = self.stopping.clone();
        runtime.block_on(async {
            let first = tokio::select! {
                biased;
                () = stopping.requested() => None,
                held = hold(scheduler, self, watcher) => Some(held),
            };
            let held = if let Some(held) = first {
                held
            } else {
                self.elsewhere.withdraw(self.tournament);
                scheduler.drain();
                self.is_draining = true;
                hold(scheduler, self, watcher).await
            };
            self.failure.take().map_or(Ok(()), Err)?;
            Ok(held?)
        })
    }

    fn take(&mut self, arrived: Arrived) -> Result<Option<Report>, ArenaError> {
        match arrived {
            Arrived::Gone(why) => Err(ArenaError::Agreed(why)),
            Arrived::Parked { pairing } => {
                let Some((pairing, _)) = self.out.remove(&pairing) else { return Ok(None) };
                self.n_parked += 1;
                Ok(Some(Report::Finished(GameResult::new(&pairing, None, Cause::PlatformAbort))))
            }
            Arrived::Withdrawn { pairing } => {
                Ok(self.out.remove(&pairing).map(|(pairing, _)| Report::Withdrawn(pairing.id)))
            }
            Arrived::Stored { pairing, attempt, verdict } => {
                let Some((pairing, spec)) = self.out.remove(&pairing) else { return Ok(None) };
                let verdict = match verdict {
                    Some(verdict) => *verdict,
                    None => self.stored_verdict(Key { pairing: pairing.id, attempt })?,
                };
                let game = PlayedGame { pairing, spec, verdict, record: None, cut: None, cpu: vec![] };
                (self.seen)(&game).map_err(ArenaError::Told)?;
                Ok(Some(Report::Finished(game.result())))
            }
        }
    }

    /// How a game ended that was stored before.
    fn stored_verdict(&self, key: Key) -> Result<Verdict, ArenaError> {
        let record = self.store.record_of(self.tournament, key)?;
        let summary = rookery_live::verify(&record[..]);
        let wrong =
            |problem: String| ArenaError::Record(None, format!("game {}: {problem}", key.pairing + 1));
        let summary = summary.map_err(|error| wrong(error.to_string()))?;
        summary.verdict.ok_or_else(|| wrong("its record has no verdict".to_owned()))
    }
}

impl Dispatcher for Sent<'_, '_> {
    fn dispatch(&mut self, pairing: Pairing) {
        match (self.spec_of)(&pairing) {
            Ok(spec) => {
                let attempt = self.attempts.get(&pairing.id).copied().unwrap_or(1);
                let (tournament, until_proved) = (self.tournament, self.until_proved);
                let bots = self.bots.clone();
                let order = Order {
                    tournament,
                    pairing: pairing.id,
                    attempt,
                    spec: spec.clone(),
                    until_proved,
                    scale_time: self.scale_time,
                    bots,
                };
                self.out.insert(pairing.id, (pairing, spec));
                self.elsewhere.play(order);
            }
            Err(error) => {
                self.failure.get_or_insert(error);
            }
        }
    }

    fn withdraw(&mut self) {
        self.elsewhere.take_back(self.tournament);
    }

    async fn next_report(&mut self) -> Option<Report> {
        loop {
            if self.failure.is_some() || self.is_draining {
                return None;
            }
            if self.out.is_empty() {
                if self.stopping.is_requested() {
                    // Whoever holds the tournament hears of the stop as well, and asks again.
                    std::future::pending::<()>().await;
                }
                return None;
            }
            let arrived = self.arrived.recv().await;
            let arrived = arrived.unwrap_or_else(|| Arrived::Gone("the coordinator has ended".to_owned()));
            match self.take(arrived) {
                Ok(Some(report)) => return Some(report),
                Ok(None) => {}
                Err(error) => self.failure = Some(error),
            }
        }
    }
}
