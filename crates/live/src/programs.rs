//! Programs of a match or of many: what they speak, how they are brought, and who stays from game to game.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rookery_bots::{Greeting, QUIT};
use rookery_referee::{MatchSpec, SeatSpec, Terms};
use rookery_wire::{Protocol, Protocols, Transport};

use crate::Guest;
use crate::doors::{Doors, SignedUp};
use crate::guest::{OpenError, Opened, Opening, Wanted, gather, send_away};

/// What programs speak and how they are brought, for one match or for many between the same players. By default all speak the
/// bot protocol.
///
/// Bots that have connected stay from game to game; [`quit`](Programs::quit) sends them away.
#[derive(Debug, Default)]
pub struct Programs {
    /// The protocols of the originals.
    pub protocols: Protocols,
    /// Where they are awaited, and for how long.
    pub opening: Opening,
    /// What the player of a name speaks, if it is not the bot protocol.
    pub spoken: Vec<(String, Protocol)>,
    /// Nobody is late: for whoever looks at a program with a debugger.
    pub no_clock: bool,
    doors: tokio::sync::Mutex<Doors>,
    staying: Staying,
}

/// Bots between two games, by name.
#[derive(Clone, Default)]
struct Staying(Arc<Mutex<HashMap<String, Bot>>>);

/// A link, and what was said first on it.
type Bot = (Box<dyn Transport>, Arc<Greeting>);

impl fmt::Debug for Staying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Staying")
    }
}

impl Staying {
    fn put(&self, name: String, link: Box<dyn Transport>, greeting: Arc<Greeting>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, (link, greeting));
    }

    /// Whoever is still there.
    fn take(&self, name: &str) -> Option<Bot> {
        let (mut link, greeting) = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name)?;
        match link.poll_receive(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Err(_)) => None,
            Poll::Ready(Ok(_)) | Poll::Pending => Some((link, greeting)),
        }
    }
}

/// A port where bots sign up.
#[derive(Debug)]
pub struct SignUp {
    /// Where.
    pub address: SocketAddr,
    /// The seat spec of whoever signs up there.
    pub seat: SeatSpec,
    signed_up: SignedUp,
}

impl SignUp {
    /// Who has signed up so far, by name, in the order they came; no name twice.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        for name in self.signed_up.names() {
            if !names.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
                names.push(name);
            }
        }
        names
    }
}

/// As good as no limit.
const A_DAY: Duration = Duration::from_hours(24);

impl Programs {
    /// Programs that speak and come like this.
    pub fn new(
        protocols: Protocols,
        opening: Opening,
        spoken: Vec<(String, Protocol)>,
        no_clock: bool,
    ) -> Self {
        Self { protocols, opening, spoken, no_clock, ..Self::default() }
    }

    /// The tolerances a match with them is played with.
    pub fn terms(&self) -> Terms {
        if self.no_clock {
            return Terms { startup: 2 * A_DAY, answer_cap: A_DAY, ..Terms::default() };
        }
        // A bot that does not reply in time is told so by its protocol, which knows what was expected.
        let startup = Terms::default().startup.max(self.opening.reply + Duration::from_secs(1));
        Terms { startup, ..Terms::default() }
    }

    /// Brings whoever is to sit at the seats of a match: see [`open`](crate::open).
    pub async fn bring(
        &self,
        spec: &MatchSpec,
        announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
    ) -> Result<Opened, OpenError> {
        let spoken = |name: &str| {
            let found = self.spoken.iter().find(|(player, _)| player == name);
            found.map_or(rookery_bots::PROTOCOL, |(_, protocol)| *protocol)
        };
        let seats: Vec<Wanted<'_>> = spec
            .seats
            .iter()
            .map(|entry| Wanted { seat: &entry.player, name: &entry.name, protocol: spoken(&entry.name) })
            .collect();
        let mut opening = self.opening.clone();
        if self.no_clock {
            opening.reply = A_DAY;
        }
        let mut opened = Opened::of(&seats, &opening);
        let mut there = vec![];
        for (idx, seat) in seats.iter().enumerate().filter(|(_, seat)| seat.seat.is_awaited()) {
            if let Some((link, greeting)) = self.staying.take(seat.name) {
                self.seat(&mut opened, idx, seat.name, link, greeting);
                there.push(idx);
            }
        }
        let mut doors = self.doors.lock().await;
        let (came, logs) = gather(&seats, &opening, announce, &mut doors, &there).await?;
        drop(doors);
        opened.logs = logs;
        for (idx, link) in came {
            match link {
                Ok((link, Some(greeting))) if seats[idx].seat.is_awaited() => {
                    self.seat(&mut opened, idx, seats[idx].name, link, Arc::new(greeting));
                }
                link => opened.seat(idx, link, seats[idx].protocol),
            }
        }
        Ok(opened)
    }

    /// Opens a port, `tcp:PORT` or `ws:PORT`, where bots sign up: whoever says hello there with a name of its own waits to
    /// be seated by that name. The address, and how to ask who has come.
    ///
    /// # Panics
    /// Outside of a runtime, which has to live as long as they are to play.
    pub async fn sign_up(&self, at: &SeatSpec) -> Result<SignUp, OpenError> {
        let wanted = Wanted { seat: at, name: "sign-up", protocol: rookery_bots::PROTOCOL };
        let (address, signed_up) = self.doors.lock().await.sign_up(&wanted, &self.opening)?;
        let seat = if matches!(at, SeatSpec::Ws(_)) { SeatSpec::Ws } else { SeatSpec::Tcp }(address.port());
        Ok(SignUp { address, seat, signed_up })
    }

    /// A bot that has connected, and stays after the match.
    fn seat(
        &self,
        opened: &mut Opened,
        idx: usize,
        name: &str,
        link: Box<dyn Transport>,
        greeting: Arc<Greeting>,
    ) {
        let (staying, name, again) = (self.staying.clone(), name.to_owned(), Arc::clone(&greeting));
        let lent = opened.closing.keep(link, move |link| staying.put(name, link, again));
        opened.guests[idx] = Guest::Bot(lent, greeting);
    }

    /// Tells all bots that stayed that there are no more games.
    pub async fn quit(&self) {
        let all = std::mem::take(&mut *self.staying.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (link, _) in all.into_values() {
            send_away(link, QUIT).await;
        }
    }
}
