//! Seats at ports: whoever connects and says hello may take one. Connecting and leaving takes none, a link goes on from game
//! to game, and whoever has lost its connection comes back by its token.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rookery_referee::SeatSpec;
use rookery_wire::Protocol;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::guest::{Came, OpenError, Opening, Wanted};
use crate::hall::{Hall, Place};
use crate::keeper::{Keeper, send_off};

/// The ports of a match, or of a series, and who has come there. They stay open as long as this lives. Many matches may be
/// brought at the same time: nothing is locked while somebody is waited for.
#[derive(Debug, Default)]
pub(crate) struct Doors {
    ports: Mutex<Ports>,
    hall: Arc<Hall>,
}

#[derive(Debug, Default)]
struct Ports {
    all: Vec<Port>,
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
    /// What is spoken there, and whether it is shared, as its keeper knows it.
    protocol: Protocol,
    is_shared: Arc<AtomicBool>,
    /// Whether bots sign up there: each has the seat of its own name, and no other.
    signs_up: bool,
}

impl Port {
    /// Another seat shares it. Whoever comes is greeted before it is known which one it takes, so all speak the same.
    fn share(&mut self, wanted: &Wanted<'_>) -> Result<(), OpenError> {
        if self.protocol != wanted.protocol {
            let [ours, theirs] = [self.protocol.name, wanted.protocol.name];
            let error = format!("its seats speak different protocols, {ours} and {theirs}");
            return Err(OpenError { address: self.address, error: io::Error::other(error) });
        }
        self.names.push(wanted.name.to_owned());
        self.is_shared.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Ports {
    fn open(
        &mut self,
        hall: &Arc<Hall>,
        wanted: &Wanted<'_>,
        (number, ws): (u16, bool),
        opening: &Opening,
    ) -> Result<&mut Port, OpenError> {
        let address = SocketAddr::new(opening.host, number);
        let failed = |error| OpenError { address, error };
        let listener = rookery_wire::listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (names, protocol) = (vec![wanted.name.to_owned()], wanted.protocol);
        let is_shared = Arc::new(AtomicBool::new(false));
        let keeper = Keeper {
            port: self.all.len(),
            ws,
            name: wanted.name.to_owned(),
            is_shared: Arc::clone(&is_shared),
            protocol,
            opening: opening.clone(),
            hall: Arc::clone(hall),
        };
        self.keepers.spawn(keeper.keep(listener));
        let port = Port { number, ws, address, names, protocol, is_shared, signs_up: false };
        Ok(self.all.push_mut(port))
    }

    fn of(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|port| port.names.iter().any(|other| other == name))
    }
}

impl Doors {
    fn ports(&self) -> MutexGuard<'_, Ports> {
        self.ports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who waits and who stays behind them.
    pub(crate) fn hall(&self) -> &Arc<Hall> {
        &self.hall
    }

    /// Listens for all seats that nobody listens for yet. Seats that name the same port share it.
    pub(crate) fn listen(
        &self,
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
            let mut ports = self.ports();
            if ports.of(wanted.name).is_some() {
                continue;
            }
            let same = |port: &&mut Port| number > 0 && (port.number, port.ws) == (number, ws);
            let address = match ports.all.iter_mut().find(same) {
                Some(port) => {
                    port.share(wanted)?;
                    port.address
                }
                None => ports.open(&self.hall, wanted, (number, ws), opening)?.address,
            };
            drop(ports);
            announce(idx, address);
        }
        Ok(())
    }

    /// Opens a port where whoever says hello with a name of its own signs up, but none of the reserved ones. Its address, and
    /// how to ask who has.
    pub(crate) fn sign_up(
        &self,
        wanted: &Wanted<'_>,
        opening: &Opening,
        reserved: Vec<String>,
    ) -> Result<(SocketAddr, SignedUp), OpenError> {
        let way = match *wanted.seat {
            SeatSpec::Ws(number) => (number, true),
            SeatSpec::Tcp(number) => (number, false),
            // Nobody signs up anywhere else.
            _ => (0, false),
        };
        let mut ports = self.ports();
        let at = ports.all.len();
        // Before it is open: whoever comes is to be treated like this.
        self.hall.sign_up(at, reserved);
        let port = ports.open(&self.hall, wanted, way, opening)?;
        // From here on the seats of those who have signed up share it.
        port.number = port.address.port();
        port.names.clear();
        port.is_shared.store(true, Ordering::Relaxed);
        port.signs_up = true;
        Ok((port.address, SignedUp { port: at, hall: Arc::clone(&self.hall), reply: opening.reply }))
    }

    /// Where the players of these seats are awaited.
    fn places_of(&self, seats: &[(usize, String)]) -> Vec<Place> {
        let ports = self.ports();
        let place = |(idx, name): &(usize, String)| {
            let at = ports.of(name)?;
            let Port { signs_up, names, .. } = &ports.all[at];
            let others = (!signs_up).then(|| names.clone());
            Some(Place { idx: *idx, name: name.clone(), port: at, others })
        };
        seats.iter().filter_map(place).collect()
    }

    /// Waits until all these seats can be taken, or the time is up: who is there then plays.
    pub(crate) async fn wait(&self, seats: Vec<(usize, String)>, deadline: Instant) -> Vec<Came> {
        let mut came = None;
        let filling = self.hall.until(|| {
            came = self.hall.take(&self.places_of(&seats), false);
            came.is_some()
        });
        let _ = timeout_at(deadline, filling).await;
        let came = came.or_else(|| self.hall.take(&self.places_of(&seats), true));
        came.into_iter().flatten().map(|(idx, link)| (idx, Ok(link))).collect()
    }
}

/// Who has signed up at a port.
#[derive(Debug)]
pub(crate) struct SignedUp {
    port: usize,
    hall: Arc<Hall>,
    reply: Duration,
}

impl SignedUp {
    /// The names of those who are there, in the order they came.
    pub(crate) fn names(&self) -> Vec<String> {
        self.hall.names(self.port)
    }

    /// Nobody but these takes part; others who wait are told so.
    pub(crate) async fn close(&self, entrants: Vec<String>) {
        for refused in self.hall.close(self.port, entrants) {
            send_off(refused, rookery_bots::PROTOCOL, self.reply).await;
        }
    }
}
