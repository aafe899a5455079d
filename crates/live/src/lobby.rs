//! A door and a waiting room: who comes, signs up, and waits for a match.
//!
//! Every connection has a task of its own from the moment it is accepted until it plays, so that nobody waits for
//! anybody else's name, and whoever goes away or speaks while waiting is noticed at once.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rookery_referee::{LagProbe, words};
use rookery_wire::Transport;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::door::{Door, DoorNews, LobbyRules, Size};
use crate::refusals::{Refusals, source};
use crate::unnamed::{Most, Unnamed, Visit};

/// How long nothing is accepted after it has failed: until then somebody may have gone.
const PAUSE: Duration = Duration::from_millis(100);
/// How often such trouble is told.
const TROUBLE_EVERY: Duration = Duration::from_secs(1);

/// Somebody who has been let in, with its link.
pub struct Visitor<M> {
    /// Who it is.
    pub member: M,
    /// Where it comes from.
    pub peer: SocketAddr,
    /// The way to it, to be lent to one match after another.
    pub link: Box<dyn Transport>,
    /// In the order of arrival.
    id: u64,
}

impl<M: std::fmt::Debug> std::fmt::Debug for Visitor<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visitor")
            .field("member", &self.member)
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

/// A door and the waiting room behind it.
pub struct Lobby<D: Door> {
    listener: TcpListener,
    door: Arc<D>,
    rules: LobbyRules,
    lag: LagProbe,
    /// Whether whoever comes now can still play.
    open: bool,
    /// How many may come in.
    size: Size,
    next_id: u64,
    unnamed: Unnamed<Visit>,
    /// Those who have signed up, by the order in which they came: it is their turn order.
    waiting: Vec<Waiting<D::Member>>,
    /// What the tasks of the connections report. Each reports twice at the most, so this is bounded as they are.
    reports: mpsc::UnboundedReceiver<Report<D::Member>>,
    reporter: mpsc::UnboundedSender<Report<D::Member>>,
    refusals: Refusals,
    /// Nothing is accepted before.
    paused_until: Option<Instant>,
    trouble_told: Option<Instant>,
}

impl<D: Door> std::fmt::Debug for Lobby<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lobby").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Somebody who has signed up and waits.
struct Waiting<M> {
    id: u64,
    peer: SocketAddr,
    member: M,
    /// Asks the task to give the link back.
    claim: oneshot::Sender<()>,
    task: JoinHandle<Option<Box<dyn Transport>>>,
}

struct Report<M> {
    id: u64,
    what: Result<M, String>,
}

impl<D: Door> Lobby<D> {
    /// A lobby behind a door.
    pub fn new(listener: TcpListener, door: Arc<D>, rules: LobbyRules, lag: LagProbe) -> Self {
        let (reporter, reports) = mpsc::unbounded_channel();
        Self {
            listener,
            door,
            rules,
            lag,
            open: true,
            size: Size { min: 1, max: 1 },
            next_id: 0,
            unnamed: Unnamed::default(),
            waiting: vec![],
            reports,
            reporter,
            refusals: Refusals::default(),
            paused_until: None,
            trouble_told: None,
        }
    }

    /// The address it listens on.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until there are enough to begin, in the order in which they came; nobody, if they do not come. A lobby that
    /// goes on for ever waits until they do.
    pub async fn gather(&mut self, size: Size) -> Vec<Visitor<D::Member>> {
        self.open = true;
        self.size = size;
        let LobbyRules { wait, tries, repeat, .. } = self.rules;
        loop {
            // Who goes on for ever starts counting when there is somebody to count for.
            while repeat && self.waiting.is_empty() {
                self.attend().await;
            }
            for period in 1..=tries {
                self.door.tell(DoorNews::Waiting { period, here: self.waiting.len(), size });
                if let Some(visitors) = self.wait_until(Instant::now() + wait).await {
                    self.tell_untold();
                    return visitors;
                }
            }
            self.tell_untold();
            self.door.tell(DoorNews::TooFew { here: self.waiting.len(), needed: size.min });
            if !repeat {
                self.close();
                self.waiting.clear();
                return vec![];
            }
        }
    }

    /// Waits until all are there that can be, or until this time. `None` if there are not enough then.
    async fn wait_until(&mut self, end: Instant) -> Option<Vec<Visitor<D::Member>>> {
        loop {
            while self.waiting.len() < self.size.max {
                if timeout_at(end, self.attend()).await.is_err() {
                    break;
                }
            }
            if self.waiting.len() < self.size.min {
                return None;
            }
            let visitors = self.let_in().await;
            if visitors.len() >= self.size.min {
                return Some(visitors);
            }
            // Somebody left as the door was closed: it is opened again.
            self.open = true;
            for visitor in visitors {
                self.put_back(visitor);
            }
        }
    }

    /// Minds the door while others play: whoever comes waits for the next time, if there is to be one, and is sent away
    /// otherwise. Never ends.
    pub async fn mind(&mut self) -> std::convert::Infallible {
        loop {
            self.attend().await;
        }
    }

    /// Takes those who are to play out of the waiting room, but for those who are gone.
    async fn let_in(&mut self) -> Vec<Visitor<D::Member>> {
        if !self.rules.repeat {
            self.close();
        }
        // Whoever has gone by now is noticed by the system's word, which is only heard while we wait.
        yield_now().await;
        let n = self.waiting.len().min(self.size.max);
        let mut visitors = vec![];
        for Waiting { id, peer, member, claim, task } in self.waiting.drain(..n) {
            // Whoever left a moment ago has reported it.
            let _ = claim.send(());
            if let Ok(Some(link)) = task.await {
                visitors.push(Visitor { member, peer, link, id });
            } else {
                let reason = "it left as the door was closed";
                self.door.tell(DoorNews::Left { member: &member, peer, reason });
            }
        }
        visitors
    }

    fn put_back(&mut self, visitor: Visitor<D::Member>) {
        let Visitor { member, peer, link, id } = visitor;
        let (claim, claimed) = oneshot::channel();
        let caller = self.caller(id);
        let resting = member.clone();
        let task = tokio::spawn(async move { caller.wait(&resting, link, claimed).await });
        let idx = self.waiting.partition_point(|other| other.id < id);
        self.waiting.insert(idx, Waiting { id, peer, member, claim, task });
    }

    /// From now on nobody can sign up; who has not done so is too late.
    fn close(&mut self) {
        self.open = false;
        for visit in self.unnamed.take_all() {
            visit.task.abort();
            self.refuse(visit.peer, LATE);
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
                    Ok(member) => self.signed_up(id, member),
                    Err(reason) => self.gone(id, &reason),
                }
            }
            accepted = accept => {
                match accepted {
                    Ok((stream, peer)) => self.arrived(stream, peer),
                    Err(error) => self.in_trouble(&error),
                }
                // However many come, those who have come get their turn to say their names.
                yield_now().await;
            }
        }
    }

    fn arrived(&mut self, stream: TcpStream, peer: SocketAddr) {
        if !self.open && !self.rules.repeat {
            self.refuse(peer, LATE);
            return;
        }
        let LobbyRules { max_unnamed: all, max_unnamed_each: each, .. } = self.rules;
        let address = source(peer.ip());
        if let Some(oldest) = self.unnamed.too_many(address, Most { all, each }) {
            // It may have signed up already, without our having read it.
            let _ = oldest.hurry.take().map(|hurry| hurry.send(()));
        }
        let id = self.next_id;
        self.next_id += 1;
        let (claim, claimed) = oneshot::channel();
        let (hurry, hurried) = oneshot::channel();
        let task = tokio::spawn(self.caller(id).visit(stream, hurried, claimed));
        self.unnamed.insert(id, address, Visit { peer, hurry: Some(hurry), claim, task });
    }

    fn caller(&self, id: u64) -> Caller<D> {
        Caller {
            id,
            reporter: self.reporter.clone(),
            door: Arc::clone(&self.door),
            name_timeout: self.rules.name_timeout,
            lag: self.lag.clone(),
        }
    }

    fn signed_up(&mut self, id: u64, member: D::Member) {
        let Some(Visit { peer, claim, task, .. }) = self.unnamed.remove(id) else { return };
        let here: Vec<&D::Member> = self.waiting.iter().map(|waiting| &waiting.member).collect();
        let admitted = if !self.open && !self.rules.repeat {
            Err(LATE.to_owned())
        } else if self.waiting.len() >= 2 * self.size.max {
            Err("the waiting room is full; try again after the next tournament".to_owned())
        } else {
            self.door.admit(&member, &here)
        };
        if let Err(reason) = admitted {
            task.abort();
            self.refuse(peer, &reason);
        } else {
            let idx = self.waiting.partition_point(|other| other.id < id);
            self.waiting.insert(idx, Waiting { id, peer, member, claim, task });
            let (member, here) = (&self.waiting[idx].member, self.waiting.len());
            self.door.tell(DoorNews::SignedUp { member, peer, here });
        }
    }

    fn gone(&mut self, id: u64, reason: &str) {
        if let Some(visit) = self.unnamed.remove(id) {
            self.refuse(visit.peer, reason);
        } else if let Some(idx) = self.waiting.iter().position(|waiting| waiting.id == id) {
            let Waiting { peer, member, .. } = self.waiting.remove(idx);
            self.door.tell(DoorNews::Left { member: &member, peer, reason });
        }
    }

    fn refuse(&mut self, peer: SocketAddr, reason: &str) {
        let door = &self.door;
        self.refusals.add(Instant::now(), peer, reason, &mut |peer, reason, more| {
            door.tell(DoorNews::Refused { peer, reason, more });
        });
    }

    /// Tells how many were refused without a word.
    fn tell_untold(&mut self) {
        let door = &self.door;
        self.refusals.flush(&mut |peer, reason, more| {
            door.tell(DoorNews::Refused { peer, reason, more });
        });
    }

    /// Out of sockets, most likely: those who play need none, so only the door waits.
    fn in_trouble(&mut self, error: &io::Error) {
        let now = Instant::now();
        self.paused_until = Some(now + PAUSE);
        if self.trouble_told.is_none_or(|told| now - told >= TROUBLE_EVERY) {
            self.trouble_told = Some(now);
            self.door.tell(DoorNews::Trouble(error));
        }
    }
}

impl<D: Door> Drop for Lobby<D> {
    fn drop(&mut self) {
        self.tell_untold();
    }
}

const LATE: &str = "the tournament has begun; it came too late";
const TOO_MANY: &str = "too many have come and not said their names; the oldest had to go";

/// The task of one connection until it plays.
struct Caller<D: Door> {
    id: u64,
    reporter: mpsc::UnboundedSender<Report<D::Member>>,
    door: Arc<D>,
    name_timeout: Duration,
    lag: LagProbe,
}

impl<D: Door> Caller<D> {
    /// Waits for the name and then for the match. `None` if whoever is there cannot play.
    async fn visit(
        self,
        stream: TcpStream,
        hurried: oneshot::Receiver<()>,
        claimed: oneshot::Receiver<()>,
    ) -> Option<Box<dyn Transport>> {
        let mut link = match self.door.connect(stream) {
            Ok(link) => link,
            Err(error) => return self.report(Err(format!("it is gone already: {error}"))),
        };
        let signed_up = tokio::select! {
            biased;
            done = self.lag.within(self.name_timeout, self.door.sign_up(&mut link)) => done,
            // Not if our end of it is gone.
            Ok(()) = hurried => return self.report(Err(TOO_MANY.to_owned())),
        };
        match signed_up {
            Some(Ok(member)) => {
                self.report(Ok(member.clone()));
                self.wait(&member, Box::new(link), claimed).await
            }
            Some(Err(reason)) => self.report(Err(reason)),
            None => {
                let reason = self.door.out_of_time(&mut link, self.name_timeout);
                self.report(Err(reason))
            }
        }
    }

    /// Waits for the match.
    async fn wait(
        &self,
        member: &D::Member,
        mut link: Box<dyn Transport>,
        claimed: oneshot::Receiver<()>,
    ) -> Option<Box<dyn Transport>> {
        // Who is gone when it is claimed does not play.
        let fault = tokio::select! {
            biased;
            fault = self.door.rest(member, &mut *link) => fault,
            _ = claimed => return Some(link),
        };
        self.report(Err(words::offence(fault.offence, &fault.evidence)))
    }

    /// Reports, and has nobody to give.
    fn report(&self, what: Result<D::Member, String>) -> Option<Box<dyn Transport>> {
        // Without a lobby there is nobody left to tell.
        let _ = self.reporter.send(Report { id: self.id, what });
        None
    }
}
