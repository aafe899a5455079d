//! The door and the waiting room: who comes, says its name, and waits for a tournament.
//!
//! Every connection has a task of its own from the moment it is accepted until it plays, so that nobody waits for
//! anybody else's name, and whoever goes away or speaks while waiting is noticed at once.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rookery_referee::{LagProbe, write_duration};
use rookery_wire::{Bounds, Connection, Framing, excerpt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::api::SharedInfo;
use super::entrant::Entrant;
use super::signup::{Kind, Refusal, SignUp, sign_up};
use super::{Config, Log, Notice};

/// How long nothing is accepted after it has failed: until then somebody may have gone.
const PAUSE: Duration = Duration::from_millis(100);
/// How often such trouble is told.
const TROUBLE_EVERY: Duration = Duration::from_secs(1);
/// A player that is to play in a tournament.
#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) name: String,
    pub(crate) entrant: Entrant,
}

pub(crate) struct Lobby {
    listener: TcpListener,
    config: Arc<Config>,
    log: Log,
    lag: LagProbe,
    /// Whether whoever comes now can still play.
    open: bool,
    next_id: u64,
    /// Those who have not said their names, by the order in which they came.
    unnamed: BTreeMap<u64, Visit>,
    /// Those who have, by the same order: it is their turn order.
    waiting: Vec<(SignUp, Visit)>,
    /// What the tasks of the connections report. Each reports twice at the most, so this is bounded as they are.
    reports: mpsc::UnboundedReceiver<Report>,
    reporter: mpsc::UnboundedSender<Report>,
    /// Nothing is accepted before.
    paused_until: Option<Instant>,
    trouble_told: Option<Instant>,
}

/// A connection that does not play yet.
struct Visit {
    id: u64,
    peer: SocketAddr,
    /// Asks the task to give the player back.
    claim: oneshot::Sender<()>,
    task: JoinHandle<Option<Entrant>>,
}

struct Report {
    id: u64,
    what: Result<SignUp, String>,
}

impl Lobby {
    pub(crate) fn new(listener: TcpListener, config: Arc<Config>, log: Log, lag: LagProbe) -> Self {
        let (reporter, reports) = mpsc::unbounded_channel();
        Self {
            listener,
            config,
            log,
            lag,
            open: true,
            next_id: 0,
            unnamed: BTreeMap::new(),
            waiting: vec![],
            reports,
            reporter,
            paused_until: None,
            trouble_told: None,
        }
    }

    /// The address it listens on.
    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until there are enough players for a tournament; fewer than that, if they do not come.
    pub(crate) async fn gather(&mut self) -> Vec<Guest> {
        self.open = true;
        let Config { min_players, max_players, wait, tries, repeat, .. } = *self.config;
        loop {
            // A server that goes on for ever starts counting when there is somebody to count for.
            while repeat && self.waiting.is_empty() {
                self.attend().await;
            }
            for period in 1..=tries {
                let (seconds, players) = (wait.as_secs_f64(), self.waiting.len());
                let (min, max) = (min_players, max_players);
                (self.log)(&Notice::Waiting { period, of: tries, seconds, players, min, max });
                let end = Instant::now() + wait;
                while self.waiting.len() < max_players {
                    if timeout_at(end, self.attend()).await.is_err() {
                        break;
                    }
                }
                if self.waiting.len() >= min_players {
                    return self.let_in().await;
                }
            }
            (self.log)(&Notice::TooFew { players: self.waiting.len(), needed: min_players });
            if !repeat {
                self.close();
                self.waiting.clear();
                return vec![];
            }
        }
    }

    /// Minds the door while a tournament is played: whoever comes waits for the next one, if there is to be one, and
    /// is sent away otherwise. Never ends.
    pub(crate) async fn mind(&mut self) -> std::convert::Infallible {
        loop {
            self.attend().await;
        }
    }

    /// Takes the players of the next tournament out of the waiting room.
    async fn let_in(&mut self) -> Vec<Guest> {
        if !self.config.repeat {
            self.close();
        }
        let n = self.waiting.len().min(self.config.max_players);
        let mut guests = vec![];
        for (sign_up, visit) in self.waiting.drain(..n) {
            // Whoever left a moment ago has reported it.
            let _ = visit.claim.send(());
            if let Ok(Some(entrant)) = visit.task.await {
                guests.push(Guest { name: sign_up.name, entrant });
            } else {
                let (name, peer) = (sign_up.name, visit.peer.to_string());
                let reason = "it left as the tournament began".to_owned();
                (self.log)(&Notice::Left { name, peer, reason });
            }
        }
        guests
    }

    /// From now on nobody can sign up; who has not said its name yet is too late.
    fn close(&mut self) {
        self.open = false;
        for visit in std::mem::take(&mut self.unnamed).into_values() {
            self.send_away(&visit, LATE);
        }
    }

    /// Something happens at the door. Nothing is lost if this is given up half-way.
    async fn attend(&mut self) {
        let pause = self.paused_until.take();
        let accept = async {
            if let Some(until) = pause {
                sleep_until(until).await;
            }
            self.listener.accept().await
        };
        tokio::select! {
            biased;
            report = self.reports.recv() => {
                self.paused_until = pause;
                let Report { id, what } = report.expect("we keep a sender ourselves");
                match what {
                    Ok(sign_up) => self.signed_up(id, sign_up),
                    Err(reason) => self.gone(id, reason),
                }
            }
            accepted = accept => match accepted {
                Ok((stream, peer)) => self.arrived(stream, peer),
                Err(error) => self.in_trouble(&error),
            }
        }
    }

    fn arrived(&mut self, stream: TcpStream, peer: SocketAddr) {
        if !self.open && !self.config.repeat {
            (self.log)(&Notice::Refused { peer: peer.to_string(), reason: LATE.to_owned() });
            return;
        }
        if self.unnamed.len() >= self.config.max_unnamed
            && let Some((_, oldest)) = self.unnamed.pop_first()
        {
            self.send_away(&oldest, "too many have come and not said their names; the oldest had to go");
        }
        let id = self.next_id;
        self.next_id += 1;
        let (claim, claimed) = oneshot::channel();
        let visitor = Visitor {
            id,
            reporter: self.reporter.clone(),
            config: Arc::clone(&self.config),
            lag: self.lag.clone(),
        };
        let task = tokio::spawn(visitor.visit(stream, claimed));
        self.unnamed.insert(id, Visit { id, peer, claim, task });
    }

    fn signed_up(&mut self, id: u64, sign_up: SignUp) {
        let Some(visit) = self.unnamed.remove(&id) else { return };
        let full = self.waiting.len() >= 2 * self.config.max_players;
        if !self.open && !self.config.repeat {
            self.send_away(&visit, LATE);
        } else if full {
            self.send_away(&visit, "the waiting room is full; try again after the next tournament");
        } else {
            let (name, peer) = (sign_up.name.clone(), visit.peer.to_string());
            let idx = self.waiting.partition_point(|(_, other)| other.id < id);
            self.waiting.insert(idx, (sign_up, visit));
            (self.log)(&Notice::SignedUp { name, peer, players: self.waiting.len() });
        }
    }

    fn gone(&mut self, id: u64, reason: String) {
        if let Some(visit) = self.unnamed.remove(&id) {
            (self.log)(&Notice::Refused { peer: visit.peer.to_string(), reason });
        } else if let Some(idx) = self.waiting.iter().position(|(_, visit)| visit.id == id) {
            let (sign_up, visit) = self.waiting.remove(idx);
            (self.log)(&Notice::Left { name: sign_up.name, peer: visit.peer.to_string(), reason });
        }
    }

    fn send_away(&self, visit: &Visit, reason: &str) {
        visit.task.abort();
        (self.log)(&Notice::Refused { peer: visit.peer.to_string(), reason: reason.to_owned() });
    }

    /// Out of sockets, most likely: those who play need none, so only the door waits.
    fn in_trouble(&mut self, error: &io::Error) {
        let now = Instant::now();
        self.paused_until = Some(now + PAUSE);
        if self.trouble_told.is_none_or(|told| now - told >= TROUBLE_EVERY) {
            self.trouble_told = Some(now);
            (self.log)(&Notice::Trouble { reason: error.to_string() });
        }
    }
}

const LATE: &str = "the tournament has begun; it came too late";

/// The task of one connection until it plays.
struct Visitor {
    id: u64,
    reporter: mpsc::UnboundedSender<Report>,
    config: Arc<Config>,
    lag: LagProbe,
}

impl Visitor {
    /// Waits for the name and then for the tournament. `None` if whoever is there cannot play.
    async fn visit(self, stream: TcpStream, claimed: oneshot::Receiver<()>) -> Option<Entrant> {
        let mut connection = match Connection::tcp(stream, Framing::Json, Bounds::default()) {
            Ok(connection) => connection,
            Err(error) => return self.report(Err(format!("it is gone already: {error}"))),
        };
        let Config { name_timeout, manner, .. } = *self.config;
        match self.lag.within(name_timeout, sign_up(&mut connection, manner.lenient)).await {
            Some(Ok(sign_up)) => {
                let kind = sign_up.kind;
                self.report(Ok(sign_up));
                self.wait(connection, kind, claimed).await
            }
            Some(Err(refusal)) => {
                if let Refusal::Foreign(reason) = refusal {
                    // It may be gone already.
                    let _ = connection.send(format!("{reason}\n").as_bytes()).await;
                }
                self.report(Err(refusal.into_reason()))
            }
            None => {
                let sent = excerpt(connection.inbox().unfinished());
                let time = write_duration(name_timeout);
                self.report(Err(format!("no complete name within {time}, but {sent}")))
            }
        }
    }

    /// Waits for the tournament.
    async fn wait(
        &self,
        mut connection: Connection,
        kind: Kind,
        claimed: oneshot::Receiver<()>,
    ) -> Option<Entrant> {
        if self.config.manner.lenient {
            connection.inbox().know_words(&["void"]);
        }
        let mut entrant = match kind {
            Kind::Calls => Entrant::Calls(connection),
            Kind::Api => Entrant::Api(connection, SharedInfo::default()),
        };
        tokio::select! {
            biased;
            _ = claimed => Some(entrant),
            fault = entrant.rest() => self.report(Err(fault.detail)),
        }
    }

    /// Reports, and has nobody to give.
    fn report(&self, what: Result<SignUp, String>) -> Option<Entrant> {
        // Without a lobby there is nobody left to tell.
        let _ = self.reporter.send(Report { id: self.id, what });
        None
    }
}
