//! Seats at ports: whoever connects and says hello may take one. Connecting and leaving takes none, a link goes on from game
//! to game, and whoever has lost its connection comes back by its token.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_bots::Greeting;
use rookery_referee::{Fault, Offence, SeatSpec};
use rookery_wire::{Connection, Protocol, Transport, TransportExt as _, WebSocket};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};

use crate::guest::{Came, Link, OpenError, Opening, Wanted};
use crate::returning::{GRACE_TO_RETURN, Returning};

/// How many may be greeted at the same time at one port; who comes then waits in the queue of the system.
const MAX_GREETED: usize = 64;
/// How many may wait at one port for a seat to become free.
const MAX_WAITING: usize = 16;
/// How many may sign up at one port.
const MAX_SIGNED_UP: usize = 4096;

/// The ports of a match, or of a series, and who has come there. They stay open as long as this lives.
#[derive(Debug, Default)]
pub(crate) struct Doors {
    ports: Vec<Port>,
    hall: Arc<Hall>,
    keepers: JoinSet<()>,
}

#[derive(Debug)]
struct Port {
    /// As it was asked for; 0 is any.
    number: u16,
    /// Whether WebSocket is spoken there.
    ws: bool,
    address: SocketAddr,
    /// The seats that share it, by name; at port 0 each has its own.
    names: Vec<String>,
}

/// Where those wait who have said hello.
#[derive(Debug, Default)]
struct Hall {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// By the index of their port.
    waiting: Vec<(usize, Waiting)>,
    /// Seats whose player may come back.
    seats: HashMap<String, mpsc::Sender<Box<dyn Transport>>>,
}

struct Waiting(Link);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Waiting({})", self.0.0.peer())
    }
}

impl Hall {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody has said hello at a port where so many may wait. Gives back whoever cannot stay.
    fn enter(&self, port: usize, link: Link, most: usize) -> Option<Box<dyn Transport>> {
        let mut state = self.state();
        let token = link.1.as_ref().and_then(|greeting| greeting.token.clone());
        if let Some(token) = token {
            let Some(seat) = state.seats.get(&token) else { return Some(link.0) };
            return seat.try_send(link.0).err().map(|refused| match refused {
                mpsc::error::TrySendError::Full(link) | mpsc::error::TrySendError::Closed(link) => link,
            });
        }
        if state.waiting.iter().filter(|(at, _)| *at == port).count() >= most {
            return Some(link.0);
        }
        state.waiting.push((port, Waiting(link)));
        drop(state);
        self.changed.notify_one();
        None
    }

    /// The names of those who wait at a port, in the order they came.
    fn names(&self, port: usize) -> Vec<String> {
        let state = self.state();
        let here = state.waiting.iter().filter(|(at, _)| *at == port);
        here.filter_map(|(_, waiting)| waiting.0.1.as_ref()?.name.clone()).collect()
    }

    /// Whoever waits at a port for the seat of this name, or for any that is not another's.
    fn take(&self, port: usize, name: &str, others: &[String]) -> Option<Link> {
        let mut state = self.state();
        let own = |waiting: &Waiting| waiting.0.1.as_ref().and_then(|greeting| greeting.name.clone());
        let at = |wanted: &dyn Fn(Option<String>) -> bool| {
            state.waiting.iter().position(|(at, waiting)| *at == port && wanted(own(waiting)))
        };
        let found = at(&|own| own.as_deref() == Some(name))
            .or_else(|| at(&|own| own.is_none_or(|own| !others.contains(&own))))?;
        Some(state.waiting.remove(found).1.0)
    }
}

impl Doors {
    /// Listens for all seats that nobody listens for yet. Seats that name the same port share it.
    pub(crate) fn listen(
        &mut self,
        seats: &[Wanted<'_>],
        opening: &Opening,
        announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
    ) -> Result<(), OpenError> {
        for (idx, wanted) in seats.iter().enumerate() {
            let (number, ws) = match *wanted.seat {
                SeatSpec::Tcp(number) => (number, false),
                SeatSpec::Ws(number) => (number, true),
                _ => continue,
            };
            if self.port_of(wanted.name).is_some() {
                continue;
            }
            let same = |port: &&mut Port| number > 0 && (port.number, port.ws) == (number, ws);
            let address = match self.ports.iter_mut().find(same) {
                Some(port) => {
                    port.names.push(wanted.name.to_owned());
                    port.address
                }
                None => self.open(wanted, (number, ws), opening)?,
            };
            announce(idx, address);
        }
        Ok(())
    }

    fn open(
        &mut self,
        wanted: &Wanted<'_>,
        (number, ws): (u16, bool),
        opening: &Opening,
    ) -> Result<SocketAddr, OpenError> {
        self.open_port(wanted, (number, ws), opening, false)
    }

    fn open_port(
        &mut self,
        wanted: &Wanted<'_>,
        (number, ws): (u16, bool),
        opening: &Opening,
        signs_up: bool,
    ) -> Result<SocketAddr, OpenError> {
        let address = SocketAddr::new(opening.host, number);
        let failed = |error| OpenError { address, error };
        let listener = rookery_wire::listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let keeper = Keeper {
            port: self.ports.len(),
            ws,
            signs_up,
            name: wanted.name.to_owned(),
            protocol: wanted.protocol,
            opening: opening.clone(),
            hall: Arc::clone(&self.hall),
        };
        self.keepers.spawn(keeper.keep(listener));
        self.ports.push(Port { number, ws, address, names: vec![wanted.name.to_owned()] });
        Ok(address)
    }

    /// Opens a port where whoever says hello with a name of its own signs up. Its address, and how to ask who has.
    pub(crate) fn sign_up(
        &mut self,
        wanted: &Wanted<'_>,
        opening: &Opening,
    ) -> Result<(SocketAddr, SignedUp), OpenError> {
        let way = match *wanted.seat {
            SeatSpec::Ws(number) => (number, true),
            SeatSpec::Tcp(number) => (number, false),
            // Nobody signs up anywhere else.
            _ => (0, false),
        };
        let port = self.ports.len();
        let address = self.open_port(wanted, way, opening, true)?;
        // From here on the seats of those who have signed up share it.
        self.ports[port].number = address.port();
        self.ports[port].names.clear();
        Ok((address, SignedUp { port, hall: Arc::clone(&self.hall) }))
    }

    fn port_of(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|port| port.names.iter().any(|other| other == name))
    }

    /// Waits until all these seats are taken, or the time is up: who has come by then plays.
    pub(crate) async fn wait(&self, mut seats: Vec<(usize, String)>, deadline: Instant) -> Vec<Came> {
        let mut came = vec![];
        let filling = async {
            loop {
                seats.retain(|(idx, name)| {
                    let Some(at) = self.port_of(name) else { return false };
                    let Some(link) = self.hall.take(at, name, &self.ports[at].names) else { return true };
                    came.push((*idx, Ok(self.seat(link))));
                    false
                });
                if seats.is_empty() {
                    return;
                }
                self.hall.changed.notified().await;
            }
        };
        let _ = timeout_at(deadline, filling).await;
        came
    }

    /// Whoever has said hello may come back to its seat.
    fn seat(&self, (link, greeting): Link) -> Link {
        let Some(greeting) = greeting else { return (link, None) };
        let token = random_token();
        let (sender, back) = mpsc::channel(1);
        let mut state = self.hall.state();
        state.seats.retain(|_, seat| !seat.is_closed());
        state.seats.insert(token.clone(), sender);
        let greeting = Greeting { seat_token: Some(token), ..greeting };
        (Box::new(Returning::new(link, back, GRACE_TO_RETURN)), Some(greeting))
    }
}

/// A code, a sentence, and whoever it is told to.
type Refused = (&'static str, &'static str, Box<dyn Transport>);

/// Nobody can guess it.
fn random_token() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("{:032x}", u128::from_ne_bytes(bytes))
}

/// Who has signed up at a port.
#[derive(Debug)]
pub(crate) struct SignedUp {
    port: usize,
    hall: Arc<Hall>,
}

impl SignedUp {
    /// Their names, in the order they came.
    pub(crate) fn names(&self) -> Vec<String> {
        self.hall.names(self.port)
    }
}

/// Takes in whoever comes to one port.
struct Keeper {
    port: usize,
    ws: bool,
    /// Whether everybody there has a name of its own.
    signs_up: bool,
    /// Of its first seat, for a trace.
    name: String,
    protocol: Protocol,
    opening: Opening,
    hall: Arc<Hall>,
}

impl Keeper {
    async fn keep(self, listener: TcpListener) {
        let keeper = Arc::new(self);
        let mut greeting = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept(), if greeting.len() < MAX_GREETED => {
                    // Who is gone already did not come.
                    if let Ok((stream, _)) = accepted {
                        let keeper = Arc::clone(&keeper);
                        greeting.spawn(async move {
                            if let Ok(link) = keeper.greet(stream).await {
                                keeper.let_in(link).await;
                            }
                        });
                    }
                }
                Some(_) = greeting.join_next(), if !greeting.is_empty() => {}
            }
        }
    }

    async fn greet(&self, stream: TcpStream) -> Result<Link, Fault> {
        let gone = |error: std::io::Error| Fault::new(Offence::Disconnected, error.to_string());
        let Protocol { framing, bounds, .. } = self.protocol;
        let link: Box<dyn Transport> = if self.ws {
            let accepted = timeout(self.opening.reply, WebSocket::accept(stream, bounds)).await;
            let late = |_| Fault::new(Offence::BadHello, "no WebSocket handshake in time");
            Box::new(accepted.map_err(late)?.map_err(gone)?)
        } else {
            Box::new(Connection::tcp(stream, framing, bounds).map_err(gone)?)
        };
        self.opening.greet(link, &self.name, self.protocol).await
    }

    /// Lets somebody wait for a seat, or says why not.
    fn enter(&self, link: Link) -> Result<(), Refused> {
        if self.signs_up && link.1.as_ref().is_some_and(|greeting| greeting.token.is_none()) {
            let Some(name) = link.1.as_ref().and_then(|greeting| greeting.name.clone()) else {
                return Err(("bad_name", "say hello with a name of your own to sign up", link.0));
            };
            // Two may come at the same moment; then the later one waits in vain, and is told so at the end.
            if self.hall.names(self.port).iter().any(|other| other.eq_ignore_ascii_case(&name)) {
                return Err(("name_taken", "somebody of this name has signed up; choose another", link.0));
            }
        }
        let most = if self.signs_up { MAX_SIGNED_UP } else { MAX_WAITING };
        match self.hall.enter(self.port, link, most) {
            None => Ok(()),
            Some(refused) => Err(("no_seat", "there is no seat for you", refused)),
        }
    }

    /// Whoever proves itself, where that is asked for, waits for a seat; others are told why not.
    async fn let_in(&self, link: Link) {
        let secret = link.1.as_ref().and_then(|greeting| greeting.secret.as_deref());
        let (code, why, mut refused) = match &self.opening.secret {
            Some(wanted) if secret != Some(wanted.as_str()) => {
                ("bad_secret", "there is no seat for you", link.0)
            }
            _ => match self.enter(link) {
                Ok(()) => return,
                Err(refused) => refused,
            },
        };
        let message = format!("{{\"type\":\"error\",\"code\":\"{code}\",\"message\":\"{why}\"}}\n");
        if self.protocol == rookery_bots::PROTOCOL {
            let _ = timeout(self.opening.reply, refused.send(message.as_bytes())).await;
        }
        refused.close().await;
    }
}
