//! The server: players come over TCP, and play a tournament.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rookery_games::fish;
use rookery_live::{GRACE, Lobby, LobbyRules, Size, Stopping, Visitor};
use rookery_record::{ArchiveError, Folder};
use rookery_referee::LagProbe;
use rookery_rules::Setup as _;
use rookery_tournament::{Entrant, KnockOut, Scheduler, TournamentEvent, TournamentOutcome, Watcher, hold};
use rookery_wire::{Protocols, listen};
use tokio::task::JoinSet;

use super::door::{FishDoor, Member};
use super::game::Shared;
use super::games::{Records, Tables, record_name};
use super::journal::{Journal, Past, Plan, find_interrupted, folder_of};
use super::standings::Placing;
use super::{Log, Manner, Notice};

/// How a server runs its tournaments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// With fewer there is no tournament.
    pub min_players: usize,
    /// With so many it begins at once.
    pub max_players: usize,
    /// A waiting period.
    pub wait: Duration,
    /// The most waiting periods.
    pub tries: u32,
    /// The time to say a name, from the beginning of the connection.
    pub name_timeout: Duration,
    /// How the server speaks, and how long it waits for an answer.
    pub manner: Manner,
    /// Where the boards come from, as for a game of two. A random board is another one in every game.
    pub board: fish::Setup,
    /// Whether one tournament follows another.
    pub repeat: bool,
    /// Whether the games of a round are played one after the other.
    pub sequential: bool,
    /// Where records are kept, in a new folder for each tournament.
    pub record: Option<PathBuf>,
    /// Whether every move is told to the log.
    pub watch_moves: bool,
    /// The most connections that have not said their names; the oldest of the address with the most has to go.
    pub max_unnamed: usize,
    /// The most of them from one address; its oldest has to go.
    pub max_unnamed_each: usize,
}

impl Default for Config {
    fn default() -> Self {
        let source =
            fish::Source::Made { rows: 5, cols: 5, fish: fish::Stock::Equal(2), holes: 0, ones: 0, seed: 0 };
        Self {
            min_players: 5,
            max_players: 10,
            wait: Duration::from_secs(30),
            tries: 2,
            name_timeout: Duration::from_secs(10),
            manner: Manner::default(),
            board: fish::Setup { players: 2, source },
            repeat: false,
            sequential: false,
            record: None,
            watch_moves: false,
            max_unnamed: 1024,
            max_unnamed_each: 512,
        }
    }
}

/// What a tournament comes to: how many have won it, and how many have failed on the way.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Winners.
    pub winners: usize,
    /// Players that cheated or failed.
    pub failed: usize,
}

/// A server of Fish tournaments.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use rookery_originals::fish::{Config, Server, Tally};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// let config = Config { wait: Duration::from_millis(10), tries: 1, ..Config::default() };
/// let log = Arc::new(|notice: &_| eprintln!("{notice}"));
/// let mut server = Server::bind("127.0.0.1:0".parse().expect("an address"), config, log)?;
/// // Nobody comes.
/// assert_eq!(server.tournament().await, Tally { winners: 0, failed: 0 });
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Server {
    shared: Arc<Shared>,
    lobby: Lobby<FishDoor>,
    /// How many tournaments were played.
    played: u64,
    /// A tournament that goes on, once its players have come back.
    interrupted: Option<Interrupted>,
    /// Players of earlier tournaments who may still ask how it went, each for as long as a call may take.
    leaving: JoinSet<()>,
    standings: Vec<Placing>,
}

/// A tournament of an earlier run that is not over.
struct Interrupted {
    number: u64,
    past: Past,
    records: Records,
}

/// Why an interrupted tournament cannot go on.
#[derive(Debug)]
pub enum ResumeError {
    /// Its records: another program writes there, or they cannot be read.
    Archive(ArchiveError),
    /// What it is beyond its records cannot be read.
    Journal(PathBuf, io::Error),
    /// It was begun with other flags: which file says so, and what it says.
    Other(PathBuf, String),
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(error) => error.fmt(f),
            Self::Journal(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Other(path, was) => {
                write!(
                    f,
                    "{}: the tournament was begun with {was}; go on with the same flags",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for ResumeError {}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("config", &self.shared.config).finish_non_exhaustive()
    }
}

impl Server {
    /// Listens on an address; port 0 means any that is free.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn bind(address: SocketAddr, config: Config, log: Log) -> io::Result<Self> {
        Self::stoppable(address, config, log, Stopping::new(GRACE))
    }

    /// The same, and it can be asked to stop: then no game begins, and those that run have their grace.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn stoppable(address: SocketAddr, config: Config, log: Log, stopping: Stopping) -> io::Result<Self> {
        let lag = LagProbe::start();
        let door = Arc::new(FishDoor::new(&config, Arc::clone(&log)));
        let rules = LobbyRules {
            wait: config.wait,
            tries: config.tries,
            name_timeout: config.name_timeout,
            repeat: config.repeat,
            max_unnamed: config.max_unnamed,
            max_unnamed_each: config.max_unnamed_each,
        };
        let lobby = Lobby::new(listen(address)?, Arc::clone(&door), rules, lag.clone());
        let mut protocols = Protocols::default();
        config.manner.register(&mut protocols);
        let shared = Arc::new(Shared {
            config: Arc::new(config),
            door,
            log,
            lag,
            protocols,
            stopping,
            records_failed: AtomicBool::new(false),
        });
        let (leaving, standings) = (JoinSet::new(), vec![]);
        let server = Self { shared, lobby, played: 0, interrupted: None, leaving, standings };
        (server.shared.log)(&Notice::Listening { address: server.local_addr()?.to_string() });
        Ok(server)
    }

    /// The address it listens on.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.lobby.local_addr()
    }

    /// Goes on with the last tournament whose records are kept, if it was interrupted: the next one waits for its
    /// players. Says whether there is one.
    pub fn resume(&mut self) -> Result<bool, ResumeError> {
        let Some(dir) = &self.shared.config.record else { return Ok(false) };
        let found = find_interrupted(dir).map_err(|(path, error)| ResumeError::Journal(path, error))?;
        let Some((number, folder)) = found else { return Ok(false) };
        let archive = Folder::open(&folder, 0, true).map_err(ResumeError::Archive)?.with_names(record_name);
        let failed = |error| ResumeError::Journal(folder.clone(), error);
        let (journal, past) = Journal::resume(&folder).map_err(failed)?;
        let ours = self.plan(past.plan.players.clone());
        if ours != past.plan {
            let Plan { board, timeout_ms, .. } = past.plan;
            let was = format!("the board {board} and {timeout_ms} ms for each call");
            return Err(ResumeError::Other(journal.path().to_owned(), was));
        }
        self.interrupted = Some(Interrupted { number, past, records: Records { archive, journal } });
        Ok(true)
    }

    fn plan(&self, players: Vec<String>) -> Plan {
        let config = &self.shared.config;
        Plan::new(players, config.board.spec(), config.manner.timeout)
    }

    /// Whether a record could not be kept so far.
    pub fn records_failed(&self) -> bool {
        self.shared.records_failed.load(Ordering::Relaxed)
    }

    /// The final ranking of the last tournament, the best first.
    pub fn standings(&self) -> &[Placing] {
        &self.standings
    }

    /// Waits for players and holds a tournament with them. Afterwards their connections are closed, but for those of
    /// players that call: [`drain`](Self::drain) waits for them.
    pub async fn tournament(&mut self) -> Tally {
        self.tournament_or_stop().await.0
    }

    /// The same, and whether that is how it ended: `false` if it was asked to stop before.
    pub async fn tournament_or_stop(&mut self) -> (Tally, bool) {
        self.standings.clear();
        let Some(tables) = self.gather().await else {
            return (Tally::default(), !self.shared.stopping.is_requested());
        };
        let (tally, complete, mut leaving) = self.hold(tables).await;
        // Those of earlier tournaments may be gone by now.
        while self.leaving.try_join_next().is_some() {}
        self.leaving.spawn(async move { while leaving.join_next().await.is_some() {} });
        (tally, complete)
    }

    /// Waits for the players of the next tournament; `None` if they do not come.
    async fn gather(&mut self) -> Option<Tables> {
        let shared = Arc::clone(&self.shared);
        let awaited = self.interrupted.as_ref().map(|interrupted| interrupted.past.awaited());
        let size = match &awaited {
            // Whoever has come back by the end of a period goes on.
            Some(names) => Size { min: 1, max: names.len().max(1) },
            None => Size { min: shared.config.min_players, max: shared.config.max_players },
        };
        shared.door.wait_for(awaited);
        let visitors = tokio::select! {
            visitors = self.lobby.gather(size) => visitors,
            () = shared.stopping.requested() => vec![],
        };
        shared.door.wait_for(None);
        if visitors.is_empty() {
            return None;
        }
        Some(match self.interrupted.take() {
            None => {
                self.played += 1;
                let records = self.new_records(&visitors);
                Tables::new(shared, visitors, records)
            }
            Some(Interrupted { number, past, records }) => {
                self.played = number;
                let entrants = |failed: Vec<u32>| failed.into_iter().map(Entrant).collect();
                let failed = past.failed_at_start.map(entrants);
                Tables::resumed(shared, &past.plan.players, visitors, records, failed)
            }
        })
    }

    /// Where the records of a new tournament go, if they are wanted: a new folder, so that no earlier one is lost.
    fn new_records(&mut self, visitors: &[Visitor<Member>]) -> Option<Records> {
        let dir = self.shared.config.record.clone()?;
        let players = visitors.iter().map(|visitor| visitor.member.name.clone()).collect();
        let plan = self.plan(players);
        if let Err(error) = std::fs::create_dir_all(&dir) {
            self.shared.record_failed(dir.display().to_string(), error.to_string());
            return None;
        }
        let records = loop {
            let folder = folder_of(&dir, self.played);
            match std::fs::create_dir(&folder) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    self.played += 1;
                    continue;
                }
                Err(error) => break Err((folder, error.to_string())),
            }
            let archive = Folder::open(&folder, 0, false).map(|archive| archive.with_names(record_name));
            break match archive {
                Ok(archive) => match Journal::create(&folder, plan) {
                    Ok(journal) => Ok(Records { archive, journal }),
                    Err(error) => Err((folder, error.to_string())),
                },
                Err(error) => Err((folder, error.to_string())),
            };
        };
        match records {
            Ok(records) => Some(records),
            Err((folder, reason)) => {
                self.shared.record_failed(folder.display().to_string(), reason);
                None
            }
        }
    }

    /// What the tournament comes to, whether it is over, and who may still ask about it.
    async fn hold(&mut self, mut tables: Tables) -> (Tally, bool, JoinSet<()>) {
        let Self { shared, lobby, .. } = self;
        let names = tables.names();
        let room = if shared.config.sequential { 1 } else { names.len() };
        let everybody = Entrant::all(names.len());
        let mut scheduler = Scheduler::new(KnockOut::new(names.len()), room).with_exclusive(everybody);
        let mut reporter = Reporter { log: Arc::clone(&shared.log), names, clock: Instant::now() };
        let outcome = loop {
            let draining = scheduler.is_draining();
            let held = tokio::select! {
                held = hold(&mut scheduler, &mut tables, &mut reporter) => Some(held),
                () = shared.stopping.requested(), if !draining => None,
                never = lobby.mind() => match never {},
            };
            match held {
                Some(Ok(outcome)) => break outcome,
                // All games were stopped before we were told.
                Some(Err(_)) if shared.stopping.is_requested() && !draining => scheduler.drain(),
                Some(Err(error)) => unreachable!("the format and the tables keep to their laws: {error}"),
                None => scheduler.drain(),
            }
        };
        let TournamentOutcome { winners, failed, rounds, complete } = outcome;
        if complete {
            tables.over(&winners, &failed);
        } else {
            let (finished, unfinished) = (tables.finished, tables.suspended);
            (shared.log)(&Notice::Interrupted { round: rounds, finished, unfinished });
        }
        let (leaving, standings) = tables.close();
        self.standings = standings;
        (Tally { winners: winners.len(), failed: failed.len() }, complete, leaving)
    }

    /// Waits until nobody may ask any more how a tournament went, which is no longer than a call may take. If the server
    /// is dropped before, they are closed.
    pub async fn drain(&mut self) {
        let Self { leaving, lobby, shared, .. } = self;
        tokio::select! {
            () = async { while leaving.join_next().await.is_some() {} } => {}
            () = shared.stopping.urgent() => {}
            never = lobby.mind() => match never {},
        }
    }
}

impl Past {
    /// Whom the tournament waits for: all who have not failed before its first game.
    fn awaited(&self) -> Vec<String> {
        let failed = self.failed_at_start.as_deref().unwrap_or_default();
        let is_in = |(idx, _): &(u32, &String)| !failed.contains(idx);
        (0..).zip(&self.plan.players).filter(is_in).map(|(_, name)| name.clone()).collect()
    }
}

/// Tells the log what happens in a tournament. How a game ended it hears from the table, with the scores.
struct Reporter {
    log: Log,
    names: Vec<String>,
    clock: Instant,
}

impl Watcher for Reporter {
    fn see(&mut self, event: &TournamentEvent) {
        let names = |entrants: &[Entrant]| -> Vec<String> {
            entrants.iter().map(|entrant| self.names[entrant.index()].clone()).collect()
        };
        let notice = match event {
            TournamentEvent::Started { entrants } => Notice::Tournament { players: names(entrants) },
            TournamentEvent::Round(round) => Notice::Round {
                round: round.number,
                tables: round.tables.iter().map(|table| names(table)).collect(),
            },
            TournamentEvent::Ended(outcome) if outcome.complete => Notice::Over {
                winners: names(&outcome.winners),
                failed: names(&outcome.failed),
                rounds: outcome.rounds,
                seconds: self.clock.elapsed().as_secs_f64(),
            },
            _ => return,
        };
        (self.log)(&notice);
    }
}
