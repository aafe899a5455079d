//! Peers of the server: house players that can be told to misbehave at a given call.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test uses a part of it; a test that fails here should fail"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rookery_catalog::{Fish, strategy};
use rookery_games::fish::Move;
use rookery_originals::fish::{Config, Manner, Notice, Place, Server, State, Tally};
use rookery_search::Budget;
use rookery_wire::{Bounds, Framing, Inbox};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout};

/// Nothing takes so long, also on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// A time-out that is waited for. Peers and server share a thread, so what delays the one is seen by the other.
pub const SHORT: Duration = Duration::from_millis(600);

/// What a peer does instead of answering a call.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Nothing, and keeps the connection.
    Silence,
    /// It closes the connection.
    Close,
    /// It closes its own direction and goes on reading.
    HalfClose,
    /// It sends this, and goes on as if nothing had been.
    Send(Vec<u8>),
    /// It sends the right answer, so late.
    Late(Duration),
    /// It sends the right answer twice, with one write.
    Twice,
    /// It sends the right answer, with the same write or so much later also this, and to the next call nothing but what
    /// is missing in this.
    Ahead(Option<Duration>, &'static str),
    /// It sends this again and again, until nobody takes it.
    Flood(Vec<u8>),
    /// It sends its answer byte by byte, with a pause after each.
    Drip(Duration),
}

/// A player.
#[derive(Clone, Debug)]
pub struct Peer {
    pub name: String,
    /// Own turns looked ahead.
    pub depth: u32,
    /// Spaces before each message.
    pub spaces: usize,
    /// Messages come in pieces of so many bytes, each with its own write, and end with a newline.
    pub piece: Option<usize>,
    /// Its messages, if not the usual ones: the name and `"void"`.
    pub raw_name: Option<Vec<u8>>,
    pub void: &'static str,
    /// What it does at the `n`th call of a name, from 0; the call `name` is the sign-up.
    pub deed: Option<(&'static str, usize, Deed)>,
}

impl Peer {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            depth: 1,
            spaces: 0,
            piece: None,
            raw_name: None,
            void: "\"void\"",
            deed: None,
        }
    }

    pub fn deep(name: &str, depth: u32) -> Self {
        Self { depth, ..Self::new(name) }
    }

    pub fn bad(name: &str, call: &'static str, nth: usize, deed: Deed) -> Self {
        Self { deed: Some((call, nth, deed)), ..Self::new(name) }
    }

    /// As the original's test clients speak.
    pub fn trickling(self) -> Self {
        Self { spaces: 2040, piece: Some(100), ..self }
    }

    /// Connects and sends the name; the rest goes on by itself.
    pub async fn connect(self, address: SocketAddr) -> JoinHandle<Seen> {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let inbox = Inbox::new(Framing::Json, Bounds { bytes: 64 << 10, ..Bounds::default() });
        let mut talk = Talk { stream, inbox, peer: self, ahead: None, seen: Seen::default() };
        tokio::spawn(async move {
            let name = talk.peer.raw_name.clone();
            let name = name.unwrap_or_else(|| format!("\"{}\"", talk.peer.name).into_bytes());
            talk.answer("name", 0, &name).await;
            while let Some(call) = talk.receive().await {
                if !talk.serve(&call).await {
                    break;
                }
            }
            talk.seen
        })
    }
}

/// What a peer has seen.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    /// The names of its calls.
    pub calls: Vec<String>,
    /// When each came.
    pub times: Vec<Instant>,
    /// All `take-turn` calls.
    pub turns: Vec<Value>,
    /// All `setup` calls.
    pub setups: Vec<Value>,
    /// The colours of the others, game by game.
    pub others: Vec<Value>,
    /// What it was told at the end.
    pub won: Option<bool>,
    /// The bytes as they came.
    pub raw: Vec<u8>,
}

struct Talk {
    stream: TcpStream,
    inbox: Inbox,
    peer: Peer,
    /// What it has sent of its next answer already.
    ahead: Option<&'static str>,
    seen: Seen,
}

impl Talk {
    /// Sends in the peer's manner. Whether the server takes it is the server's affair.
    async fn send(&mut self, message: &[u8]) {
        let mut bytes = vec![b' '; self.peer.spaces];
        bytes.extend_from_slice(message);
        if let Some(piece) = self.peer.piece {
            bytes.push(b'\n');
            for piece in bytes.chunks(piece) {
                let _ = self.stream.write_all(piece).await;
                tokio::task::yield_now().await;
            }
        } else {
            let _ = self.stream.write_all(&bytes).await;
        }
    }

    /// The next call; `None` when the server has closed.
    async fn receive(&mut self) -> Option<Value> {
        loop {
            if let Some(message) = self.inbox.next() {
                return Some(serde_json::from_slice(&message.unwrap()).unwrap());
            }
            let mut chunk = [0; 4096];
            match self.stream.read(&mut chunk).await {
                Ok(n @ 1..) => {
                    self.seen.raw.extend_from_slice(&chunk[..n]);
                    self.inbox.push(&chunk[..n]);
                }
                _ => return None,
            }
        }
    }

    /// Answers a call; `false` when the peer has nothing more to do.
    async fn serve(&mut self, call: &Value) -> bool {
        let name = call[0].as_str().unwrap().to_owned();
        let nth = self.seen.calls.iter().filter(|earlier| **earlier == name).count();
        self.seen.calls.push(name.clone());
        self.seen.times.push(Instant::now());
        let arguments = &call[1];
        let answer = match &*name {
            "setup" => {
                self.seen.setups.push(arguments.clone());
                self.choose(&arguments[0], Some(5))
            }
            "take-turn" => {
                self.seen.turns.push(arguments.clone());
                self.choose(&arguments[0], None)
            }
            "playing-with" => {
                self.seen.others.push(arguments[0].clone());
                self.peer.void.to_owned()
            }
            "end" => {
                self.seen.won = arguments[0].as_bool();
                self.peer.void.to_owned()
            }
            _ => self.peer.void.to_owned(),
        };
        let missing = self.ahead.take().map(|ahead| answer.strip_prefix(ahead).unwrap_or_default());
        let answer = missing.unwrap_or(&answer);
        self.answer(&name, nth, answer.as_bytes()).await
    }

    /// Answers the `nth` call of a name, or does what it does instead.
    async fn answer(&mut self, call: &str, nth: usize, answer: &[u8]) -> bool {
        match self.peer.deed.clone() {
            Some((at, n, deed)) if at == call && n == nth => self.misbehave(deed, answer).await,
            _ => {
                self.send(answer).await;
                true
            }
        }
    }

    async fn misbehave(&mut self, deed: Deed, answer: &[u8]) -> bool {
        match deed {
            Deed::Silence => {
                while self.receive().await.is_some() {}
                return false;
            }
            Deed::Close => return false,
            Deed::HalfClose => self.stream.shutdown().await.unwrap(),
            Deed::Send(bytes) => self.send(&bytes).await,
            Deed::Late(delay) => {
                sleep(delay).await;
                self.send(answer).await;
            }
            Deed::Twice => self.send(&[answer, answer].concat()).await,
            Deed::Ahead(pause, early) => {
                self.ahead = Some(early);
                if let Some(pause) = pause {
                    self.send(answer).await;
                    sleep(pause).await;
                    self.send(early.as_bytes()).await;
                } else {
                    self.send(&[answer, early.as_bytes()].concat()).await;
                }
            }
            Deed::Flood(bytes) => while self.stream.write_all(&bytes).await.is_ok() {},
            Deed::Drip(pause) => {
                for &byte in answer {
                    let _ = self.stream.write_all(&[byte]).await;
                    sleep(pause).await;
                }
            }
        }
        true
    }

    fn choose(&self, state: &Value, placing: Option<u8>) -> String {
        let state: State = serde_json::from_value(state.clone()).unwrap();
        let position = state.position(placing).unwrap();
        let player = format!("minimax:depth={}", self.peer.depth).parse().unwrap();
        let (mut strategy, _) = strategy::<Fish>(&player).unwrap();
        match strategy.choose(&position, &Budget::default()) {
            Move::Place(cell) => serde_json::to_string(&Place::from(cell)),
            Move::Slide { from, to } => serde_json::to_string(&(Place::from(from), Place::from(to))),
        }
        .unwrap()
    }
}

/// A server at work.
pub struct Running {
    pub address: SocketAddr,
    pub notices: Arc<Mutex<Vec<Notice>>>,
    pub tallies: mpsc::UnboundedReceiver<Tally>,
}

/// A server that holds so many tournaments.
pub fn serve(config: Config, n_tournaments: usize) -> Running {
    let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
    let noted = Arc::clone(&notices);
    let log = Arc::new(move |notice: &Notice| noted.lock().unwrap().push(notice.clone()));
    let mut server = Server::bind("127.0.0.1:0".parse().unwrap(), config, log).unwrap();
    let address = server.local_addr().unwrap();
    let (told, tallies) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for _ in 0..n_tournaments {
            // A test that has seen enough does not wait for the rest.
            let _ = told.send(server.tournament().await);
        }
        server.drain().await;
    });
    Running { address, notices, tallies }
}

impl Running {
    /// What the next tournament comes to.
    pub async fn next_tally(&mut self) -> Tally {
        timeout(PATIENCE, self.tallies.recv()).await.expect("the tournament ends").unwrap()
    }

    pub async fn tally(mut self) -> Tally {
        self.next_tally().await
    }

    /// Waits until the server has noted something.
    pub async fn until(&self, what: &str, noted: impl Fn(&Notice) -> bool) {
        let seen = async {
            while !self.notices.lock().unwrap().iter().any(&noted) {
                sleep(Duration::from_millis(2)).await;
            }
        };
        let found = timeout(PATIENCE, seen).await;
        assert!(found.is_ok(), "{what} was not noted, but {:#?}", self.notices.lock().unwrap());
    }
}

/// What came of a tournament.
pub struct Held {
    pub tally: Tally,
    pub seen: Vec<Seen>,
    pub notices: Vec<Notice>,
}

impl Held {
    /// The offence of the player with this name, and why.
    pub fn offence(&self, name: &str) -> Option<(&'static str, String)> {
        let prefix = format!("{name}#");
        self.notices.iter().find_map(|notice| match notice {
            Notice::Removed { player, offence, reason } if player.starts_with(&prefix) => {
                Some((*offence, reason.clone()))
            }
            _ => None,
        })
    }

    pub fn n_turns(&self) -> usize {
        self.seen.iter().map(|seen| seen.turns.len()).sum()
    }

    pub fn winners(&self) -> Vec<usize> {
        (0..self.seen.len()).filter(|&idx| self.seen[idx].won == Some(true)).collect()
    }
}

/// Begins with exactly so many players; time-outs that nobody reaches.
pub fn config(n_players: usize) -> Config {
    let manner = Manner { timeout: PATIENCE, first_timeout: PATIENCE, ..Manner::default() };
    Config { min_players: 2, max_players: n_players, manner, ..Config::default() }
}

/// The same with short time-outs.
pub fn impatient(n_players: usize) -> Config {
    let manner = Manner { timeout: SHORT, first_timeout: SHORT, ..Manner::default() };
    Config { manner, ..config(n_players) }
}

/// Holds a tournament of these peers, who connect in this order.
pub async fn tournament(config: Config, peers: Vec<Peer>) -> Held {
    let running = serve(config, 1);
    let mut tasks = vec![];
    for peer in peers {
        tasks.push(peer.connect(running.address).await);
    }
    let notices = Arc::clone(&running.notices);
    let tally = running.tally().await;
    let mut seen = vec![];
    for task in tasks {
        seen.push(timeout(PATIENCE, task).await.expect("the server closes all connections").unwrap());
    }
    let notices = notices.lock().unwrap().clone();
    Held { tally, seen, notices }
}

/// Several good peers.
pub fn good(n: usize) -> Vec<Peer> {
    (0..n).map(|_| Peer::new("good")).collect()
}

/// A connection without manners: sends this and gives back all that came until the server closed.
pub async fn raw(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut came = vec![];
    // A reset counts as closed.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut came)).await.expect("the server closes");
    came
}

/// Runs them at the same time.
pub async fn all<T: Send + 'static>(
    tasks: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) {
    let mut set = JoinSet::new();
    for task in tasks {
        set.spawn(task);
    }
    set.join_all().await;
}
