//! Seats at ports: whoever connects and says hello takes one. Connecting and leaving takes none.

use std::net::{IpAddr, SocketAddr};

use rookery_referee::{Fault, SeatSpec};
use rookery_wire::{Connection, Protocol};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::guest::{Came, Link, OpenError, Opening, Wanted};

/// How many may be greeted at the same time at one port; who comes then waits in the queue of the system.
const MAX_GREETED: usize = 64;

/// The ports of a match, each with its seats in turn order.
#[derive(Debug, Default)]
pub(crate) struct Ports(Vec<Port>);

#[derive(Debug)]
struct Port {
    /// As it was asked for; 0 is any.
    number: u16,
    listener: TcpListener,
    seats: Vec<usize>,
}

impl Ports {
    /// Listens at all of them. Seats that name the same port share it.
    pub(crate) fn listen(
        seats: &[Wanted<'_>],
        host: IpAddr,
        announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
    ) -> Result<Self, OpenError> {
        let mut ports: Vec<Port> = vec![];
        for (idx, wanted) in seats.iter().enumerate() {
            let SeatSpec::Tcp(number) = *wanted.seat else { continue };
            let address = SocketAddr::new(host, number);
            let failed = |error| OpenError { address, error };
            let known = ports.iter().position(|port| number > 0 && port.number == number);
            let at = match known {
                Some(at) => at,
                None => {
                    let listener = rookery_wire::listen(address).map_err(failed)?;
                    ports.push(Port { number, listener, seats: vec![] });
                    ports.len() - 1
                }
            };
            ports[at].seats.push(idx);
            announce(idx, ports[at].listener.local_addr().map_err(failed)?);
        }
        Ok(Self(ports))
    }

    /// Waits until all seats are taken, or the time is up.
    pub(crate) async fn wait(self, seats: &[Wanted<'_>], opening: &Opening, deadline: Instant) -> Vec<Came> {
        let mut waiting = JoinSet::new();
        for Port { listener, seats: idxs, .. } in self.0 {
            let places = idxs.into_iter().map(|idx| Place {
                idx,
                name: seats[idx].name.to_owned(),
                protocol: seats[idx].protocol,
            });
            let mut door = Door {
                places: places.collect(),
                came: vec![],
                greeting: JoinSet::new(),
                opening: opening.clone(),
            };
            waiting.spawn(async move {
                // Who has come by then plays; the others are absent.
                let _ = timeout_at(deadline, door.fill(&listener)).await;
                door.came
            });
        }
        waiting.join_all().await.into_iter().flatten().collect()
    }
}

struct Place {
    idx: usize,
    name: String,
    protocol: Protocol,
}

/// Where those come in who want the seats of one port.
struct Door {
    /// Free ones, in turn order.
    places: Vec<Place>,
    came: Vec<Came>,
    greeting: JoinSet<Result<Link, Fault>>,
    opening: Opening,
}

impl Door {
    async fn fill(&mut self, listener: &TcpListener) {
        while !self.places.is_empty() {
            tokio::select! {
                accepted = listener.accept(), if self.greeting.len() < MAX_GREETED => {
                    // Who is gone already did not come.
                    if let Ok((stream, _)) = accepted {
                        self.enter(stream);
                    }
                }
                Some(greeted) = self.greeting.join_next(), if !self.greeting.is_empty() => {
                    if let Ok(Ok(link)) = greeted {
                        self.take(link);
                    }
                }
            }
        }
    }

    /// Somebody has connected. Whoever speaks the protocol of an original says no hello, and takes the first free seat.
    fn enter(&mut self, stream: TcpStream) {
        let Some(first) = self.places.first() else { return };
        let protocol = first.protocol;
        let Ok(connection) = Connection::tcp(stream, protocol.framing, protocol.bounds) else { return };
        let opening = self.opening.clone();
        let name = first.name.clone();
        self.greeting.spawn(async move { opening.greet(connection, &name, protocol).await });
    }

    /// Whoever has said hello gets the seat of its name, or else the first free one.
    fn take(&mut self, link: Link) {
        let own = link.1.as_ref().and_then(|greeting| greeting.name.as_deref());
        let at = self.places.iter().position(|place| Some(place.name.as_str()) == own).unwrap_or(0);
        if at < self.places.len() {
            let place = self.places.remove(at);
            self.came.push((place.idx, Ok(link)));
        }
    }
}
