//! The accept loop: who says nothing, or too slowly, or comes too often, costs nobody else anything.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tower::ServiceExt as _;

use super::site::counted_by;
use super::{Counted, Metrics, Network};

/// How long the first byte may take.
const FIRST_BYTE: Duration = Duration::from_secs(5);
/// How long the head of a request may take, the wait for it included.
const HEAD: Duration = Duration::from_secs(10);
/// The most bytes of a head, and its most fields.
const HEAD_BYTES: usize = 16 << 10;
const HEAD_FIELDS: usize = 64;
/// How long nothing is accepted after it has failed: until then somebody may have gone.
const PAUSE: Duration = Duration::from_millis(100);
/// How often such trouble is told.
const TROUBLE_EVERY: Duration = Duration::from_secs(1);

/// How many connections there may be.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// In all.
    pub all: usize,
    /// From one address; this machine and trusted proxies have as many as they want.
    pub each: usize,
}

/// Counts the connections of each address.
#[derive(Debug, Default)]
struct Sources {
    counts: Mutex<HashMap<IpAddr, usize>>,
    /// Proxies through which many come.
    trusted: Vec<Network>,
}

/// One connection, counted as long as this lives. Requests carry it, so that sockets they become are counted on.
#[derive(Debug)]
pub struct Held {
    sources: Arc<Sources>,
    ip: IpAddr,
    metrics: Arc<Metrics>,
    n_read: Arc<AtomicU64>,
    _permit: OwnedSemaphorePermit,
}

impl Held {
    fn new(sources: &Arc<Sources>, ip: IpAddr, metrics: &Arc<Metrics>, permit: OwnedSemaphorePermit) -> Self {
        metrics.connections.add();
        let (sources, metrics) = (Arc::clone(sources), Arc::clone(metrics));
        Self { sources, ip, metrics, n_read: Arc::default(), _permit: permit }
    }

    /// How many bytes have come so far.
    pub fn n_read(&self) -> u64 {
        self.n_read.load(Ordering::Relaxed)
    }
}

impl Sources {
    /// One more of an address; `false` if there are too many.
    fn add(&self, peer: IpAddr, most: usize) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let n = counts.entry(counted_by(peer)).or_default();
        let is_free =
            peer.to_canonical().is_loopback() || self.trusted.iter().any(|network| network.contains(peer));
        if *n >= most && !is_free {
            return false;
        }
        *n += 1;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.metrics.connections.take();
        let mut counts = self.sources.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(n) = counts.get_mut(&self.ip) {
            *n -= 1;
            if *n == 0 {
                counts.remove(&self.ip);
            }
        }
    }
}

/// Accepts connections until told to stop; those that are open then end with their request. The permits of all come back
/// when they are gone.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    (caps, trusted): (Caps, Vec<Network>),
    metrics: Arc<Metrics>,
    mut stop: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(caps.all));
    let sources = Arc::new(Sources { trusted, ..Sources::default() });
    let mut told: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = is_set(&mut stop) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if told.is_none_or(|told| told.elapsed() >= TROUBLE_EVERY) {
                    told = Some(Instant::now());
                    tracing::warn!(%error, "connections cannot be accepted at the moment");
                }
                sleep(PAUSE).await;
                continue;
            }
        };
        // Who finds no room is closed at once, before anything is read.
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            metrics.refused.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        if !sources.add(peer.ip(), caps.each) {
            metrics.refused.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let held = Arc::new(Held::new(&sources, counted_by(peer.ip()), &metrics, permit));
        tokio::spawn(attend(stream, peer, held, router.clone(), stop.clone()));
    }
}

/// Waits until it is set, or nobody is there to set it.
pub(crate) async fn is_set(flag: &mut watch::Receiver<bool>) {
    let _ = flag.wait_for(|set| *set).await;
}

/// Serves one connection.
async fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    held: Arc<Held>,
    router: Router,
    mut stop: watch::Receiver<bool>,
) {
    // Small answers are to leave at once; where that cannot be had they still leave.
    let _ = stream.set_nodelay(true);
    if !matches!(timeout(FIRST_BYTE, stream.readable()).await, Ok(Ok(()))) {
        return;
    }
    let stream = Counted::new(stream, Arc::clone(&held.n_read));
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(&held));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_FIELDS)
        .half_close(false)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let done = tokio::select! {
        done = connection.as_mut() => done,
        () = is_set(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!(%peer, %error, "a connection ended");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_w14_everybody_behind_a_trusted_proxy_finds_room() {
        let trusted = vec!["10.0.0.0/8".parse().expect("a range")];
        let sources = Sources { trusted, ..Sources::default() };
        let many = |peer: &str| {
            let peer = peer.parse().expect("an address");
            (0..5).filter(|_| sources.add(peer, 3)).count()
        };
        assert_eq!(many("203.0.113.7"), 3, "an address has its share");
        assert_eq!(many("::ffff:203.0.113.7"), 0, "written otherwise it is the same");
        for free in ["10.1.2.3", "::ffff:10.1.2.3", "127.0.0.1", "::1"] {
            assert_eq!(many(free), 5, "{free}");
        }
    }
}
