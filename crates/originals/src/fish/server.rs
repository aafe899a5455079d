//! The server: players come over TCP, and play a tournament.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_games::fish;
use rookery_referee::LagProbe;
use rookery_tournament::old::{KnockOut, TournamentEvent, TournamentOutcome, Watcher, hold};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use super::games::Tables;
use super::lobby::{Guest, Lobby};
use super::{Log, Manner, Notice};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 4096;

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
    /// Where records are kept.
    pub record: Option<PathBuf>,
    /// Whether every move is told to the log.
    pub watch_moves: bool,
    /// The most connections that have not said their names; the oldest has to go.
    pub max_unnamed: usize,
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
    config: Arc<Config>,
    log: Log,
    lag: LagProbe,
    lobby: Lobby,
    /// How many tournaments were played.
    played: u64,
    /// Players of earlier tournaments who may still ask how it went, each for as long as a call may take.
    leaving: JoinSet<()>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Server {
    /// Listens on an address; port 0 means any that is free.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn bind(address: SocketAddr, config: Config, log: Log) -> io::Result<Self> {
        let config = Arc::new(config);
        let lag = LagProbe::start();
        let lobby = Lobby::new(listen(address)?, Arc::clone(&config), Arc::clone(&log), lag.clone());
        let server = Self { config, log, lag, lobby, played: 0, leaving: JoinSet::new() };
        (server.log)(&Notice::Listening { address: server.local_addr()?.to_string() });
        Ok(server)
    }

    /// The address it listens on.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.lobby.local_addr()
    }

    /// Waits for players and holds a tournament with them. Afterwards their connections are closed, but for those of
    /// players that call: [`farewell`](Self::farewell) waits for them.
    pub async fn tournament(&mut self) -> Tally {
        let guests = self.lobby.gather().await;
        if guests.is_empty() {
            return Tally::default();
        }
        self.played += 1;
        let run = Run { config: &self.config, log: &self.log, lag: &self.lag, number: self.played };
        let (tally, mut leaving) = tokio::select! {
            held = run.hold(guests) => held,
            never = self.lobby.mind() => match never {},
        };
        // Those of earlier tournaments may be gone by now.
        while self.leaving.try_join_next().is_some() {}
        self.leaving.spawn(async move { while leaving.join_next().await.is_some() {} });
        tally
    }

    /// Waits until nobody may ask any more how a tournament went, which is no longer than a call may take. If the server
    /// is dropped before, they are closed.
    pub async fn farewell(&mut self) {
        let Self { leaving, lobby, .. } = self;
        tokio::select! {
            () = async { while leaving.join_next().await.is_some() {} } => {}
            never = lobby.mind() => match never {},
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of an earlier run that are not forgotten yet do not keep the port.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// One tournament.
struct Run<'a> {
    config: &'a Arc<Config>,
    log: &'a Log,
    lag: &'a LagProbe,
    number: u64,
}

impl Run<'_> {
    /// What the tournament comes to, and who may still ask about it.
    async fn hold(&self, guests: Vec<Guest>) -> (Tally, JoinSet<()>) {
        let clock = Instant::now();
        let n_players = guests.len();
        let mut tables = Tables::new(guests, Arc::clone(self.config), Arc::clone(self.log), self.lag.clone());
        if let Err((file, reason)) = tables.keep_records(self.number) {
            (self.log)(&Notice::RecordFailed { file, reason });
        }
        let mut reporter = Reporter { log: self.log, names: tables.names().to_vec(), clock };
        let TournamentOutcome { winners, failed, .. } =
            hold(&KnockOut, &mut tables, n_players, &mut reporter).await;
        (Tally { winners: winners.len(), failed: failed.len() }, tables.close())
    }
}

/// Tells the log what happens in a tournament. How a game ended it hears from the table, with the scores.
struct Reporter<'a> {
    log: &'a Log,
    names: Vec<String>,
    clock: Instant,
}

impl Watcher for Reporter<'_> {
    fn see(&mut self, event: &TournamentEvent) {
        let names = |entrants: &[usize]| -> Vec<String> {
            entrants.iter().map(|&entrant| self.names[entrant].clone()).collect()
        };
        let notice = match event {
            TournamentEvent::Started { entrants } => Notice::Tournament { players: names(entrants) },
            TournamentEvent::Round { number, groups } => {
                Notice::Round { round: *number, tables: groups.iter().map(|group| names(group)).collect() }
            }
            TournamentEvent::Finished { .. } => return,
            TournamentEvent::Ended(outcome) => Notice::Over {
                winners: names(&outcome.winners),
                failed: names(&outcome.failed),
                rounds: outcome.rounds,
                seconds: self.clock.elapsed().as_secs_f64(),
            },
        };
        (self.log)(&notice);
    }
}
