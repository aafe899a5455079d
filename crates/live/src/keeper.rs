//! Whoever keeps one port: takes in who connects, and tells others why they are not let in.

use std::sync::Arc;
use std::time::Duration;

use rookery_referee::{Fault, Offence};
use rookery_wire::{Connection, Protocol, Transport, TransportExt as _, WebSocket};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::guest::{Link, Opening};
use crate::hall::{Hall, Refusal, Refused};

/// How many may be greeted at the same time at one port; who comes then waits in the queue of the system.
const MAX_GREETED: usize = 64;
/// How long nothing is accepted after it has failed, most likely for want of sockets: until then somebody may have gone.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes in whoever comes to one port.
pub(crate) struct Keeper {
    pub(crate) port: usize,
    /// Whether WebSocket is spoken there.
    pub(crate) ws: bool,
    /// Of its first seat, for a trace.
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    pub(crate) opening: Opening,
    pub(crate) hall: Arc<Hall>,
}

impl Keeper {
    pub(crate) async fn keep(self, listener: TcpListener) {
        let keeper = Arc::new(self);
        let mut greeting = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept(), if greeting.len() < MAX_GREETED => {
                    let Ok((stream, _)) = accepted else {
                        sleep(PAUSE).await;
                        continue;
                    };
                    let keeper = Arc::clone(&keeper);
                    greeting.spawn(async move {
                        if let Ok(link) = keeper.greet(stream).await {
                            keeper.let_in(link).await;
                        }
                    });
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
