//! Whoever keeps one port: takes in who connects, and tells others why they are not let in.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rookery_bots::greet_since;
use rookery_wire::{Connection, Protocol, Transport, TransportExt as _, WebSocket};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout, timeout_at};

use crate::guest::{Link, Opening};
use crate::hall::{Hall, Refusal, Refused};
use crate::refusals::source;
use crate::unnamed::{Most, Unnamed};

/// How many may be there that have not said hello yet. The oldest of the address with the most of them has to go then, so that
/// nobody is kept out by those who say nothing. Bots of one machine come from one address, often all at once.
const MOST: Most = Most { all: 512, each: 256 };
/// How long nothing is accepted after it has failed, most likely for want of sockets: until then somebody may have gone.
const PAUSE: Duration = Duration::from_millis(100);
/// How often those who wait behind the port are listened to.
const TEND_EVERY: Duration = Duration::from_secs(2);

/// Takes in whoever comes to one port.
pub(crate) struct Keeper {
    pub(crate) port: usize,
    /// Whether WebSocket is spoken there.
    pub(crate) ws: bool,
    /// Of its first seat, for a trace.
    pub(crate) name: String,
    /// Whether other seats share it: who comes is called by its address until it has one.
    pub(crate) is_shared: Arc<AtomicBool>,
    pub(crate) protocol: Protocol,
    pub(crate) opening: Opening,
    pub(crate) hall: Arc<Hall>,
}

impl Keeper {
    pub(crate) async fn keep(self, listener: TcpListener) {
        let keeper = Arc::new(self);
        let (mut greeting, mut unnamed, mut next_id) = (JoinSet::new(), Unnamed::default(), 0_u64);
        let mut tending = interval(TEND_EVERY);
        tending.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tending.tick() => keeper.hall.tend(),
                accepted = listener.accept() => {
                    let Ok((stream, peer)) = accepted else {
                        sleep(PAUSE).await;
                        continue;
                    };
                    let address = source(peer.ip());
                    let oldest: Option<&mut Option<oneshot::Sender<()>>> = unnamed.too_many(address, MOST);
                    // If its task is over by now, it was greeted.
                    let _ = oldest.and_then(Option::take).map(|hurry| hurry.send(()));
                    let (hurry, hurried) = oneshot::channel();
                    let id = next_id;
                    next_id += 1;
                    unnamed.insert(id, address, Some(hurry));
                    let keeper = Arc::clone(&keeper);
                    greeting.spawn(async move {
                        // Whoever makes us panic leaves no place taken, and the port goes on.
                        let mut alone = JoinSet::new();
                        alone.spawn(async move { keeper.receive(stream, peer, hurried).await });
                        alone.join_next().await;
                        id
                    });
                }
                Some(Ok(id)) = greeting.join_next(), if !greeting.is_empty() => {
                    unnamed.remove(id);
                }
            }
        }
    }

    /// Greets whoever has connected, and lets it in.
    async fn receive(&self, stream: TcpStream, peer: SocketAddr, mut hurried: oneshot::Receiver<()>) {
        // One time for all that comes before the last byte of a hello.
        let begin = Instant::now();
        let connected = tokio::select! {
            biased;
            connected = self.connect(stream, begin) => connected,
            // Not if our end of it is gone.
            Ok(()) = &mut hurried => return,
        };
        let Ok(mut link) = connected else { return };
        if let Some(trace) = &self.opening.trace {
            let is_shared = self.is_shared.load(Ordering::Relaxed);
            link = trace.follow(link, if is_shared { peer.to_string() } else { self.name.clone() });
        }
        if self.protocol != rookery_bots::PROTOCOL {
            self.let_in((link, None)).await;
            return;
        }
        let greeted = tokio::select! {
            biased;
            greeted = greet_since(&mut *link, self.opening.reply, begin) => Some(greeted),
            Ok(()) = hurried => None,
        };
        match greeted {
            Some(Ok(greeting)) => self.let_in((link, Some(greeting))).await,
            Some(Err(_)) => link.close().await,
            None => send_off((Refusal::Busy, link), self.protocol, self.opening.reply).await,
        }
    }

    async fn connect(&self, stream: TcpStream, begin: Instant) -> io::Result<Box<dyn Transport>> {
        let Protocol { framing, bounds, .. } = self.protocol;
        if !self.ws {
            return Ok(Box::new(Connection::tcp(stream, framing, bounds)?));
        }
        let accepted = timeout_at(begin + self.opening.reply, WebSocket::accept(stream, bounds)).await;
        Ok(Box::new(accepted.map_err(io::Error::other)??))
    }

    /// Whoever proves itself, where that is asked for, waits for a seat; others are told why not.
    async fn let_in(&self, link: Link) {
        let secret = link.1.as_ref().and_then(|greeting| greeting.secret.as_deref());
        let entered = match &self.opening.secret {
            Some(wanted) if secret != Some(wanted.as_str()) => Err((Refusal::BadSecret, link.0)),
            _ => self.hall.enter(self.port, link),
        };
        if let Err(refused) = entered {
            send_off(refused, self.protocol, self.opening.reply).await;
        }
    }
}

/// Says why somebody is not let in, if it speaks a protocol that has words for it, and closes its link.
pub(crate) async fn send_off((refusal, mut link): Refused, protocol: Protocol, time: Duration) {
    let (code, why) = refusal.words();
    if protocol == rookery_bots::PROTOCOL {
        // Whether it is still heard does not matter.
        let _ = timeout(time, link.send(&rookery_bots::error(code, why))).await;
    }
    link.close().await;
}
