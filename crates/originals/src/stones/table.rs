//! One match of Stones between whoever the seats name.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use rookery_catalog::{PlayerError, SeatSpec, Stones, seat};
use rookery_games::stones::{Position, Setup};
use rookery_record::{Header, Limits};
use rookery_referee::{Conduct, LagProbe, Observer, Player, Referee, Terms, TimeControl, Verdict, play};
use rookery_rules::{Seat, Seed, Setup as _};
use rookery_wire::{Bounds, Connection, Framing, Process, Remote};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::codec::{LineCodec, WARM_UP};

/// How long a person may think if there is no time control.
const PERSON_CAP: Duration = Duration::from_hours(24);

/// Everything that is agreed before a match.
#[derive(Clone, Debug)]
pub struct Table {
    /// The board and its stones.
    pub setup: Setup,
    /// Who sits where; one for each player of the setup.
    pub seats: Vec<SeatSpec>,
    /// Where all randomness comes from.
    pub seed: Seed,
    /// How much time the players have.
    pub time: TimeControl,
    /// What an error costs: by the original's rule the game ([`Conduct::aborting`]), else all stones
    /// ([`Conduct::removing`]).
    pub conduct: Conduct,
    /// Whether programs that have lost are told how the game goes on.
    pub tell_eliminated: bool,
    /// How much longer the first answer of a program may take.
    pub warm_up: Duration,
}

/// The connections of those seats that have one.
pub type Connections = Vec<Option<Connection>>;

/// A match that cannot begin.
#[derive(Debug)]
pub enum TableError {
    /// There is not one player for each seat: how many there should be, and are.
    Seats(usize, usize),
    /// A built-in player is wrong.
    Player(PlayerError),
    /// A program cannot be started.
    Program(String, io::Error),
    /// A port cannot be listened on.
    Port(SocketAddr, io::Error),
    /// Nobody came for this seat.
    NoShow(Seat, SocketAddr, Duration),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seats(expected, given) => {
                write!(f, "the setup has {expected} players, but {given} are named; name one for each")
            }
            Self::Player(error) => error.fmt(f),
            Self::Program(command, error) => write!(f, "`{command}` cannot be started: {error}"),
            Self::Port(address, error) => {
                write!(f, "cannot listen on {address}: {error}; choose another port, or 0 for any")
            }
            Self::NoShow(seat, address, wait) => {
                let (id, wait) = (seat.index(), rookery_referee::write_duration(*wait));
                write!(f, "player {id} did not connect to {address} within {wait}; no game was played")
            }
        }
    }
}

impl std::error::Error for TableError {}

impl Table {
    /// A match by the original's rules: no clock, and an error ends the game.
    pub fn new(setup: Setup, seats: Vec<SeatSpec>) -> Self {
        Self {
            setup,
            seats,
            seed: Seed(0),
            time: TimeControl::Untimed,
            conduct: Conduct::aborting(),
            tell_eliminated: true,
            warm_up: WARM_UP,
        }
    }

    /// Whether the setup has so many players, and the built-in ones exist.
    pub fn check(&self) -> Result<(), TableError> {
        let n_seats = usize::from(self.setup.players());
        if self.seats.len() != n_seats {
            return Err(TableError::Seats(n_seats, self.seats.len()));
        }
        for spec in &self.seats {
            if let SeatSpec::BuiltIn(player) = spec {
                rookery_catalog::strategy::<Stones>(player).map_err(TableError::Player)?;
            }
        }
        Ok(())
    }

    /// The first line of the match's record.
    pub fn header(&self) -> Header {
        let seats = self.seats.iter().map(|spec| (spec.to_string(), spec.to_string()));
        let header = Header::new(&self.setup, &self.setup.start(), seats, self.seed);
        Header { time: self.time, conduct: self.conduct, ..header }
    }

    /// Starts the programs, and waits for those that connect. Each that is waited for is announced.
    pub async fn gather(
        &self,
        host: IpAddr,
        wait: Duration,
        announce: &mut dyn FnMut(Seat, SocketAddr),
    ) -> Result<Connections, TableError> {
        self.check()?;
        let mut listeners: Vec<(u16, TcpListener)> = vec![];
        for spec in &self.seats {
            if let SeatSpec::Tcp(port) = *spec
                && (port == 0 || listeners.iter().all(|(known, _)| *known != port))
            {
                let address = SocketAddr::new(host, port);
                let listener = TcpListener::bind(address).await;
                listeners.push((port, listener.map_err(|error| TableError::Port(address, error))?));
            }
        }
        let deadline = Instant::now() + wait;
        let mut connections = vec![];
        for (seat, spec) in Seat::all(self.seats.len()).zip(&self.seats) {
            connections.push(match spec {
                SeatSpec::Human | SeatSpec::BuiltIn(_) => None,
                SeatSpec::Command(command) => {
                    let failed = |error| TableError::Program(command.clone(), error);
                    let process = Process::start(command).map_err(failed)?;
                    Some(Connection::process(process, Framing::Lines, Bounds::default()))
                }
                SeatSpec::Tcp(port) => {
                    // Every seat with port 0 has a listener of its own, the others share by port.
                    let idx =
                        listeners.iter().position(|(known, _)| known == port).expect("it was bound above");
                    let taken;
                    let listener = if *port == 0 {
                        taken = listeners.remove(idx).1;
                        &taken
                    } else {
                        &listeners[idx].1
                    };
                    let address = listener.local_addr().unwrap_or(SocketAddr::new(host, *port));
                    announce(seat, address);
                    let accepted = timeout_at(deadline, accept(listener)).await;
                    Some(
                        accepted
                            .map_err(|_| TableError::NoShow(seat, address, wait))?
                            .map_err(|error| TableError::Port(address, error))?,
                    )
                }
            });
        }
        Ok(connections)
    }

    /// Plays the match. `person` seats whoever is `human`.
    pub async fn play(
        &self,
        mut connections: Connections,
        person: &mut (dyn FnMut(Seat) -> Box<dyn Player<Position>> + Send),
        observer: &mut (dyn Observer<Position> + Send),
    ) -> Result<Verdict, TableError> {
        self.check()?;
        let timed = self.time != TimeControl::Untimed;
        let mut players: Vec<Box<dyn Player<Position> + '_>> = vec![];
        for ((at, spec), connection) in Seat::all(self.seats.len()).zip(&self.seats).zip(&mut connections) {
            players.push(match (spec, connection) {
                (SeatSpec::BuiltIn(player), _) => {
                    seat::<Stones>(player, Limits::default(), timed).map_err(TableError::Player)?
                }
                (_, Some(connection)) => Box::new(Remote::new(connection, self.codec())),
                (_, None) => person(at),
            });
        }
        let mut terms = Terms::new(self.time, self.seed);
        if self.seats.contains(&SeatSpec::Human) {
            terms.answer_cap = PERSON_CAP;
        }
        if timed {
            terms.lag = LagProbe::start();
        }
        let referee = Referee::new(self.setup.start(), self.conduct);
        let verdict = play(referee, &mut players, &terms, observer).await;
        drop(players);
        let mut closing = JoinSet::new();
        for connection in connections.into_iter().flatten() {
            closing.spawn(connection.close());
        }
        closing.join_all().await;
        Ok(verdict)
    }

    fn codec(&self) -> LineCodec {
        let time = match self.time {
            TimeControl::PerMove(time) => Some(time),
            _ => None,
        };
        let codec = LineCodec::new(time).with_warm_up(self.warm_up);
        if self.tell_eliminated { codec } else { codec.without_eliminated() }
    }
}

async fn accept(listener: &TcpListener) -> io::Result<Connection> {
    let (stream, _) = listener.accept().await?;
    Connection::tcp(stream, Framing::Lines, Bounds::default())
}
