//! Whoever comes to sit somewhere, before the types of the game are known.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rookery_referee::{Fault, MatchSpec, Offence, Player, SeatSpec, write_duration};
use rookery_rules::Position;
use rookery_search::PlayerSpec;
use rookery_wire::{Connection, Lent, Process, Protocol};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// Whoever sits at a seat.
#[derive(Debug)]
pub enum Guest {
    /// One of our own.
    BuiltIn(PlayerSpec),
    /// Somebody at a screen.
    Person,
    /// A program at the end of a link, and the protocol it speaks.
    Linked(Lent, &'static str),
    /// A player that whoever prepares the match has made: see [`Guest::own`].
    Own(OwnPlayer),
    /// Nobody, for this reason: the match is still ruled and recorded.
    Absent(Fault),
}

/// A player that knows its game, where the types of the game are not known.
pub struct OwnPlayer(Box<dyn Any + Send>);

impl OwnPlayer {
    /// The player, if the positions are its own.
    pub(crate) fn take<P: Position>(self) -> Option<Box<dyn Player<P>>> {
        self.0.downcast::<Box<dyn Player<P>>>().ok().map(|player| *player)
    }
}

impl fmt::Debug for OwnPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnPlayer")
    }
}

/// How programs are brought.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The protocol that is spoken.
    pub protocol: Protocol,
    /// Where those are awaited that connect.
    pub host: IpAddr,
    /// How long they are waited for, all together.
    pub wait: Duration,
}

impl Opening {
    /// On this machine alone, for a minute.
    pub fn new(protocol: Protocol) -> Self {
        Self { protocol, host: IpAddr::V4(Ipv4Addr::LOCALHOST), wait: Duration::from_mins(1) }
    }
}

/// A port that cannot be listened on: our own trouble, unlike a program that does not come.
#[derive(Debug)]
pub struct OpenError {
    /// Where.
    pub address: SocketAddr,
    /// Why.
    pub error: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, error } = self;
        write!(f, "cannot listen on {address}: {error}; choose another port, or 0 for any")
    }
}

impl std::error::Error for OpenError {}

impl Guest {
    /// A player of one's own for a match of its game.
    pub fn own<P: Position>(player: impl Player<P> + 'static) -> Self {
        let player: Box<dyn Player<P>> = Box::new(player);
        Self::Own(OwnPlayer(Box::new(player)))
    }

    /// The guests of a match without programs: they are always there.
    pub fn built_in(spec: &MatchSpec) -> Result<Vec<Self>, String> {
        let guest = |seat: &SeatSpec| match seat {
            SeatSpec::BuiltIn(player) => Ok(Self::BuiltIn(player.clone())),
            SeatSpec::Human => Ok(Self::Person),
            SeatSpec::Command(_) | SeatSpec::Tcp(_) | SeatSpec::Remote(_) => {
                Err(format!("`{seat}` is a program, which has to be brought first"))
            }
        };
        spec.seats.iter().map(|entry| guest(&entry.player)).collect()
    }
}

/// Whoever has come, and the way they leave.
#[derive(Debug)]
pub struct Opened {
    /// One for each seat.
    pub guests: Vec<Guest>,
    /// Lets programs end in peace when their match is over.
    pub closing: Closing,
}

/// Closes the links of a match that is over: programs may end by themselves for a moment, and are gone then.
#[derive(Debug, Default)]
pub struct Closing(JoinSet<()>);

impl Closing {
    /// Takes a link that ends with its match.
    fn lend(&mut self, connection: Connection) -> Lent {
        let (lent, home) = Lent::new(Box::new(connection));
        self.0.spawn(async move {
            if let Ok(link) = home.await {
                link.close().await;
            }
        });
        lent
    }

    /// Waits until all are gone. The match is over, or was dropped.
    pub async fn done(mut self) {
        while self.0.join_next().await.is_some() {}
    }
}

/// Brings whoever is to sit at each seat: listens at ports, starts programs, waits. `announce` is told where a seat's
/// program is awaited. Who does not come is [`Guest::Absent`].
///
/// # Panics
/// Outside of a runtime.
pub async fn open(
    seats: &[&SeatSpec],
    opening: &Opening,
    announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
) -> Result<Opened, OpenError> {
    // First all ports: nobody is started for a match that cannot be. Seats that name the same one share it, in turn order.
    let mut shared: HashMap<u16, Arc<TcpListener>> = HashMap::new();
    let mut listeners = Vec::with_capacity(seats.len());
    for (idx, seat) in seats.iter().enumerate() {
        listeners.push(match seat {
            SeatSpec::Tcp(port) => {
                let address = SocketAddr::new(opening.host, *port);
                let failed = |error| OpenError { address, error };
                let listener = match shared.get(port).filter(|_| *port > 0) {
                    Some(listener) => Arc::clone(listener),
                    None => Arc::new(rookery_wire::listen(address).map_err(failed)?),
                };
                shared.insert(*port, Arc::clone(&listener));
                announce(idx, listener.local_addr().map_err(failed)?);
                Some(listener)
            }
            _ => None,
        });
    }
    drop(shared);
    let deadline = Instant::now() + opening.wait;
    let protocol = &opening.protocol;
    let mut closing = Closing::default();
    let mut linked = |connection| Guest::Linked(closing.lend(connection), protocol.name);
    let mut guests = Vec::with_capacity(seats.len());
    for (seat, listener) in seats.iter().zip(listeners) {
        guests.push(match (seat, listener) {
            (SeatSpec::BuiltIn(player), _) => Guest::BuiltIn(player.clone()),
            (SeatSpec::Human, _) => Guest::Person,
            (SeatSpec::Command(command), _) => match Process::start(command) {
                Ok(process) => linked(Connection::process(process, protocol.framing, protocol.bounds)),
                Err(error) => {
                    Guest::Absent(Fault::new(Offence::Crashed, format!("it cannot be started: {error}")))
                }
            },
            (SeatSpec::Tcp(_), Some(listener)) => {
                let accepted = timeout_at(deadline, listener.accept()).await;
                let connected = accepted.map(|accepted| {
                    let (stream, _) = accepted?;
                    Connection::tcp(stream, protocol.framing, protocol.bounds)
                });
                match connected {
                    Ok(Ok(connection)) => linked(connection),
                    Ok(Err(error)) => Guest::Absent(Fault::new(Offence::NoShow, error.to_string())),
                    Err(_) => {
                        let wait = write_duration(opening.wait);
                        Guest::Absent(Fault::new(Offence::NoShow, format!("nobody connected within {wait}")))
                    }
                }
            }
            (SeatSpec::Tcp(_) | SeatSpec::Remote(_), _) => {
                Guest::Absent(Fault::new(Offence::NoShow, "nobody of this name has signed up"))
            }
        });
    }
    Ok(Opened { guests, closing })
}
