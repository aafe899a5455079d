//! Whoever talks to the server that is measured: bots, pages, and those who mean no good.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rookery_wire::{Bounds, TransportExt as _, WebSocket};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// A game of many moves.
const GAME: &str = "stones:rows=8,cols=8";
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);
/// What a page may be told at once.
const FRAMES: Bounds = Bounds { bytes: 4 << 20, blanks: 64 << 10, depth: 64 };

/// Where the server is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) page: SocketAddr,
    pub(super) bots: SocketAddr,
}

impl Site {
    /// Asks, and gives the whole answer.
    async fn ask(self, request: String) -> anyhow::Result<String> {
        let asking = async {
            let mut stream = TcpStream::connect(self.page).await?;
            stream.write_all(request.as_bytes()).await?;
            let mut answer = vec![];
            stream.read_to_end(&mut answer).await?;
            Ok(String::from_utf8_lossy(&answer).into_owned())
        };
        timeout(PATIENCE, asking).await.context("the server does not answer")?
    }

    /// Begins a match of two connected bots; its id.
    pub(super) async fn begin(self, first: &str, second: &str) -> anyhow::Result<String> {
        let host = self.page;
        let body = format!(
            "{{\"game\":\"{GAME}\",\"seats\":[\"@{first}\",\"@{second}\"],\"max_turns\":10000,\"seed\":\"1\"}}"
        );
        let request = format!(
            "POST /api/v1/matches HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        // A bot may have to come home from the match before.
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.ask(request.clone()).await?;
            if let Some((_, rest)) = answer.split_once("{\"id\":\"") {
                return Ok(rest.chars().take_while(|&c| c != '"').collect());
            }
            if Instant::now() >= end {
                bail!("the match did not begin: {answer}");
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// The socket of a page.
    pub(super) async fn socket(self) -> anyhow::Result<WebSocket> {
        let opening = async {
            let stream = TcpStream::connect(self.page).await?;
            WebSocket::connect(stream, &format!("ws://{}/api/v1/live", self.page), FRAMES).await
        };
        Ok(timeout(PATIENCE, opening).await.context("the server does not answer")??)
    }

    /// The socket of a page that looks at a match.
    pub(super) async fn watch(self, id: &str) -> anyhow::Result<WebSocket> {
        let mut socket = self.socket().await?;
        let wish = format!("{{\"watch\":{{\"match\":\"{id}\"}}}}");
        let sent = socket.send(wish.as_bytes()).await;
        sent.map_err(|fault| anyhow::anyhow!("the socket is gone: {fault:?}"))?;
        Ok(socket)
    }

    /// Looks at a match and never reads a word.
    pub(super) async fn stall(self, id: &str) -> anyhow::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.page).await?;
        let host = self.page;
        let head = format!(
            "GET /api/v1/live HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await?;
        if !answer.ends_with(b"101") {
            bail!("no socket: {}", String::from_utf8_lossy(&answer));
        }
        let wish = format!("{{\"watch\":{{\"match\":\"{id}\"}}}}");
        // One text message, with a mask that changes nothing.
        let mut frame = vec![0x81, 0x80 | u8::try_from(wish.len())?, 0, 0, 0, 0];
        frame.extend(wish.as_bytes());
        stream.write_all(&frame).await?;
        Ok(stream)
    }

    /// Says a byte of a request now and then, or nothing at all, again and again.
    pub(super) async fn dawdle(self, says_something: bool) {
        loop {
            if let Ok(mut stream) = TcpStream::connect(self.page).await {
                if says_something && stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX: ").await.is_ok() {
                    while stream.write_all(b"y").await.is_ok() {
                        sleep(Duration::from_secs(1)).await;
                    }
                } else {
                    let _ = stream.read(&mut [0]).await;
                }
            }
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// What the two bots of a match see of its turns.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// When the move was sent that leads to so many moves.
    pub(super) sent: Mutex<Vec<Instant>>,
    waiting: Mutex<Option<Instant>>,
    /// Milliseconds from a move to the question after it.
    taken: Mutex<Vec<f64>>,
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Turns {
    fn asked(&self) {
        let now = Instant::now();
        if let Some(sent) = held(&self.waiting).take() {
            held(&self.taken).push((now - sent).as_secs_f64() * 1000.0);
        }
    }

    fn answers(&self) {
        let now = Instant::now();
        held(&self.sent).push(now);
        *held(&self.waiting) = Some(now);
    }

    fn over(&self) {
        held(&self.sent).clear();
        held(&self.waiting).take();
    }

    /// What was measured since the last time.
    pub(super) fn take(&self) -> Vec<f64> {
        std::mem::take(&mut held(&self.taken))
    }

    /// Milliseconds since the move was sent that led to so many moves.
    pub(super) fn since(&self, plies: usize) -> Option<f64> {
        let sent = *held(&self.sent).get(plies.checked_sub(1)?)?;
        Some(sent.elapsed().as_secs_f64() * 1000.0)
    }
}

/// Two bots in one match after the other, until they are dropped.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) turns: Arc<Turns>,
    /// The match that runs.
    pub(super) id: watch::Receiver<String>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Pair {
    /// Connects both and begins; each waits so long before it answers.
    pub(super) async fn start(site: Site, name: &str, think: Duration) -> anyhow::Result<Self> {
        let turns = Arc::new(Turns::default());
        let (overs, mut over) = watch::channel(0_u64);
        let names = [format!("{name}a"), format!("{name}b")];
        let mut tasks = vec![];
        for name in &names {
            let (turns, overs, name) = (Arc::clone(&turns), overs.clone(), name.clone());
            // Whoever is gone leaves a match that does not go on, which is noticed.
            tasks.push(tokio::spawn(async move {
                let _ = bot(site.bots, &name, think, &turns, &overs).await;
            }));
        }
        let id = site.begin(&names[0], &names[1]).await?;
        let (ids, id) = watch::channel(id);
        tasks.push(tokio::spawn(async move {
            while over.changed().await.is_ok() {
                over.mark_unchanged();
                match site.begin(&names[0], &names[1]).await {
                    Ok(id) => ids.send_replace(id),
                    Err(_) => return,
                };
            }
        }));
        Ok(Self { turns, id, tasks })
    }
}

/// Takes the first move each time.
async fn bot(
    address: SocketAddr,
    name: &str,
    think: Duration,
    turns: &Turns,
    overs: &watch::Sender<u64>,
) -> anyhow::Result<()> {
    let (read, mut write) = TcpStream::connect(address).await?.into_split();
    let mut lines = BufReader::new(read).lines();
    while let Some(line) = lines.next_line().await? {
        let Some(rest) = line.strip_prefix("{\"type\":\"") else { continue };
        if rest.starts_with("hello") {
            let hello = format!(
                "{{\"type\":\"hello\",\"version\":1,\"name\":\"{name}\",\"features\":[\"delta\"]}}\n"
            );
            write.write_all(hello.as_bytes()).await?;
        } else if rest.starts_with("new_game") {
            write.write_all(b"{\"type\":\"ready\"}\n").await?;
        } else if let Some(id) = rest.strip_prefix("turn\",\"id\":").and_then(|rest| rest.split(',').next()) {
            turns.asked();
            sleep(think).await;
            let answer = format!("{{\"type\":\"move\",\"id\":{id},\"index\":0}}\n");
            turns.answers();
            write.write_all(answer.as_bytes()).await?;
        } else if rest.starts_with("game_over") {
            turns.over();
            overs.send_modify(|n| *n += 1);
        }
    }
    Ok(())
}
