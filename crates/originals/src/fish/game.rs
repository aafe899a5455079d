//! One game of a tournament: links are lent to it and come home from it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rookery_games::fish;
use rookery_live::{Guest, Match, Played, Resting, Stopping, prepare};
use rookery_record::Slot;
use rookery_referee::{
    End, Entry, Event, EventOf, Fault, LagProbe, MatchSpec, Observer, SeatSpec, Terms, TimeControl, Verdict,
    words,
};
use rookery_rules::{Position as _, Seat, Seed, Setup as _};
use rookery_tournament::Pairing;
use rookery_wire::{Home, Lent, Protocols, Transport};

use super::door::{FishDoor, Member};
use super::signup::Kind;
use super::{CONDUCT, Config, Log, Notice};

/// Our own delays move deadlines by as much as they are, however much that is: a game is never given up for them.
const LAG_CAP: Duration = Duration::from_hours(24);

/// What all games of a server share.
pub(crate) struct Shared {
    pub(crate) config: Arc<Config>,
    pub(crate) door: Arc<FishDoor>,
    pub(crate) log: Log,
    pub(crate) lag: LagProbe,
    pub(crate) protocols: Protocols,
    pub(crate) stopping: Stopping,
    /// Whether a record could not be kept.
    pub(crate) records_failed: AtomicBool,
}

impl Shared {
    pub(crate) fn record_failed(&self, file: String, reason: String) {
        self.records_failed.store(true, Ordering::Relaxed);
        (self.log)(&Notice::RecordFailed { file, reason });
    }
}

/// Whoever has a seat.
pub(crate) enum Seated {
    /// It rests, and is woken for the game.
    Resting(Resting, Kind),
    /// It is gone, for this reason.
    Gone(Fault),
}

/// One game, with everything it needs.
pub(crate) struct Game {
    pub(crate) shared: Arc<Shared>,
    pub(crate) pairing: Pairing,
    pub(crate) round: u32,
    /// From 1.
    pub(crate) table: u32,
    /// By seat, as they signed up.
    pub(crate) members: Vec<String>,
    /// The same with their numbers.
    pub(crate) names: Vec<String>,
    pub(crate) seated: Vec<Seated>,
    /// Where its record goes.
    pub(crate) slot: Option<Slot>,
    pub(crate) path: Option<PathBuf>,
}

/// What came of a game.
pub(crate) struct Done {
    pub(crate) pairing: Pairing,
    pub(crate) round: u32,
    pub(crate) table: u32,
    /// By seat; nothing of those who were gone.
    pub(crate) links: Vec<Option<Box<dyn Transport>>>,
    /// Nothing if it was stopped on the way.
    pub(crate) verdict: Option<Verdict>,
    /// Whether it had ended in an earlier run.
    pub(crate) replayed: bool,
}

type Wake = Result<(Box<dyn Transport>, Kind), Fault>;

impl Game {
    pub(crate) async fn play(mut self) -> Done {
        let slot = self.slot.take();
        let replayed = matches!(slot, Some(Slot::Finished(_)));
        let mut awake: Vec<Wake> = vec![];
        for seated in std::mem::take(&mut self.seated) {
            awake.push(match seated {
                Seated::Resting(resting, kind) => resting.wake().await.map(|link| (link, kind)),
                Seated::Gone(fault) => Err(fault),
            });
        }
        let (ready, homes) = self.prepare(awake, slot).await;
        let controls = ready.controls();
        let terms = self.terms();
        let mut run = Box::pin(ready.with_terms(terms).with_observer(self.watch()).run());
        let played = tokio::select! {
            played = &mut run => played,
            () = self.shared.stopping.urgent() => {
                controls.suspend();
                run.await
            }
        };
        let mut links = vec![];
        for home in homes {
            links.push(match home {
                Some(home) => home.await.ok(),
                None => None,
            });
        }
        let verdict = self.keep(played).await;
        Done { pairing: self.pairing, round: self.round, table: self.table, links, verdict, replayed }
    }

    /// The match, and where its links come home to. If its record does not fit, it is played without one.
    async fn prepare(&self, awake: Vec<Wake>, slot: Option<Slot>) -> (Match, Vec<Option<Home>>) {
        let spec = self.spec();
        let kinds: Vec<Result<Kind, Fault>> =
            awake.iter().map(|woken| woken.as_ref().map(|(_, kind)| *kind).map_err(Clone::clone)).collect();
        let (guests, homes) = lend(awake);
        match prepare(spec.clone(), guests, &self.shared.protocols, slot) {
            Ok(ready) => (ready, homes),
            Err(error) => {
                self.record_failed(error.to_string());
                let mut again: Vec<Wake> = vec![];
                for (home, kind) in homes.into_iter().zip(kinds) {
                    again.push(match (home, kind) {
                        (Some(home), Ok(kind)) => {
                            let link = home.await.expect("a link comes home from what is not played");
                            Ok((link, kind))
                        }
                        (_, Err(fault)) => Err(fault),
                        (None, Ok(_)) => unreachable!("who is there was lent"),
                    });
                }
                let (guests, homes) = lend(again);
                let ready = prepare(spec, guests, &self.shared.protocols, None);
                (ready.expect("the board was checked when the server began"), homes)
            }
        }
    }

    fn terms(&self) -> Terms {
        Terms {
            lag: self.shared.lag.clone(),
            lag_cap: LAG_CAP,
            // Each of the two calls before a game has its own time.
            startup: 2 * self.shared.config.manner.timeout + Duration::from_secs(1),
            ..Terms::default()
        }
    }

    fn watch(&self) -> Watch {
        Watch {
            round: self.round,
            table: self.table,
            names: self.names.clone(),
            log: Arc::clone(&self.shared.log),
            moves: self.shared.config.watch_moves,
        }
    }

    fn spec(&self) -> MatchSpec {
        let Config { board: plan, manner, .. } = &*self.shared.config;
        let seed = game_seed(plan, self.round, self.table);
        let setup = board(plan, self.names.len(), seed);
        let entry = |name: &String| Entry::nameless(SeatSpec::Remote(name.clone()));
        let entries: Vec<Entry> = self.members.iter().map(entry).collect();
        let mut spec = MatchSpec::of_entries(&setup.spec(), &entries, seed);
        for (seat, entry) in Seat::all(self.names.len()).zip(&mut spec.seats) {
            entry.name.clone_from(&self.names[seat.index()]);
            entry.label = setup.seat_label(seat);
        }
        MatchSpec { time: TimeControl::PerMove(manner.timeout), conduct: CONDUCT, ..spec }
    }

    /// Waits until the record is on the disk.
    async fn keep(&self, played: Played) -> Option<Verdict> {
        let mut problem = played.problem;
        if let Some(receipt) = played.receipt
            && let Err(error) = receipt.await
        {
            problem = Some(error.to_string());
        }
        if let Some(problem) = problem {
            self.record_failed(problem);
        }
        match played.end {
            End::Verdict(verdict) => Some(verdict),
            End::Suspended => None,
        }
    }

    fn record_failed(&self, reason: String) {
        let file = self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        self.shared.record_failed(file, reason);
    }
}

/// Lends all links to a match.
fn lend(awake: Vec<Wake>) -> (Vec<Guest>, Vec<Option<Home>>) {
    let lend_one = |woken: Wake| match woken {
        Ok((link, kind)) => {
            let (lent, home) = Lent::new(link);
            (Guest::Linked(lent, kind.protocol()), Some(home))
        }
        Err(fault) => (Guest::Absent(fault), None),
    };
    awake.into_iter().map(lend_one).unzip()
}

/// The seed of a game: another one for each, and the same whenever it is played.
fn game_seed(plan: &fish::Setup, round: u32, table: u32) -> Seed {
    let seed = match plan.source {
        fish::Source::Made { seed, .. } | fish::Source::Classic { seed } => seed,
        fish::Source::Given(_) => 0,
    };
    Seed(seed).derive(round.into()).derive(u64::from(table) - 1)
}

/// The setup of a game for so many players. Where there is nothing random all games have the same board, and say so.
fn board(plan: &fish::Setup, n_players: usize, game_seed: Seed) -> fish::Setup {
    let mut setup = fish::Setup { players: n_players as u8, ..plan.clone() };
    match &mut setup.source {
        fish::Source::Made { fish: fish::Stock::Equal(_), holes: 0, seed, .. } => *seed = 0,
        fish::Source::Made { seed, .. } | fish::Source::Classic { seed } => *seed = game_seed.0,
        fish::Source::Given(_) => {}
    }
    setup
}

/// Lets somebody rest on its link.
pub(crate) fn rest(shared: &Shared, member: &Member, link: Box<dyn Transport>) -> Seated {
    Seated::Resting(Resting::new(&shared.door, member, link), member.kind)
}

/// Tells the log of a game.
struct Watch {
    round: u32,
    table: u32,
    names: Vec<String>,
    log: Log,
    moves: bool,
}

impl Observer<fish::Position> for Watch {
    fn see(&mut self, event: &EventOf<fish::Position>, position: &fish::Position) {
        let Self { round, table, .. } = *self;
        let name = |seat: Seat| self.names[seat.index()].clone();
        let scores = || Seat::all(position.n_seats()).map(|seat| position.score(seat)).collect();
        match event {
            Event::Moved { seat, mv, .. } if self.moves => {
                let mv = mv.to_string();
                (self.log)(&Notice::Moved { round, table, player: name(*seat), mv, scores: scores() });
            }
            Event::Fouled(foul) => (self.log)(&Notice::Removed {
                player: name(foul.seat),
                offence: foul.offence.word(),
                reason: words::offence(foul.offence, &foul.evidence),
            }),
            Event::Ended(verdict) => {
                let winners =
                    verdict.outcome.as_ref().map(|outcome| outcome.winners.iter().map(name).collect());
                (self.log)(&Notice::Finished {
                    round,
                    table,
                    scores: scores(),
                    winners: winners.unwrap_or_default(),
                    ending: verdict.ending.cause.to_string(),
                });
            }
            _ => {}
        }
    }
}
