//! The load: a process of its own, so that it takes nothing from what is measured but the machine. It says `ready` when the
//! load is there, keeps it up until its input ends, and then says what it has seen.

use std::io::{Read as _, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::anyhow;
use rookery_wire::{TransportExt as _, raise_file_limit};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::client::{Pair, Site};

/// How long each bot of a game thinks, so that a game has two turns a second.
const HALF_A_SECOND: Duration = Duration::from_millis(500);
/// How many connect at the same time.
const AT_ONCE: usize = 32;

/// The load of `bench serve`. Nobody types this.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LoadArgs {
    #[arg(value_enum)]
    kind: Kind,
    #[arg(long)]
    page: SocketAddr,
    #[arg(long)]
    bots: SocketAddr,
    #[arg(short)]
    n: usize,
    /// The match that stalled observers look at
    #[arg(long = "match")]
    id: Option<String>,
    /// How many of them
    #[arg(long, default_value_t = 0)]
    stalled: usize,
}

/// What kind of load.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Kind {
    /// Games of remote bots, two turns a second each.
    Games,
    /// Pages that do nothing.
    Idle,
    /// Pages that all look at one game.
    Spectators,
    /// Clients that never finish a request, and observers that never read.
    Slow,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Idle => "idle",
            Self::Spectators => "spectators",
            Self::Slow => "slow",
        }
    }
}

/// What the load has seen.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Turns that were played.
    pub(super) turns: usize,
    /// Milliseconds from a move to the eyes of a spectator.
    pub(super) seen_ms: Vec<f64>,
}

pub(crate) fn run(args: &LoadArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let site = Site { page: args.page, bots: args.bots };
    let seen = runtime.block_on(async {
        match args.kind {
            Kind::Games => games(site, args.n, out).await,
            Kind::Idle => idle(site, args.n, out).await,
            Kind::Spectators => spectators(site, args.n, out).await,
            Kind::Slow => slow(site, args, out).await,
        }
    })?;
    serde_json::to_writer(&mut *out, &seen)?;
    writeln!(out)?;
    Ok(())
}

/// Says that everything is there, and waits for the end.
async fn keep_up(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "ready")?;
    out.flush()?;
    tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0])).await??;
    Ok(())
}

/// Does something so many times, a few at once.
async fn many<T: Send + 'static, F: Future<Output = anyhow::Result<T>> + Send + 'static>(
    n: usize,
    one: impl Fn(usize) -> F,
) -> anyhow::Result<Vec<T>> {
    let (mut running, mut done) = (JoinSet::new(), vec![]);
    for number in 0..n {
        if running.len() >= AT_ONCE
            && let Some(one) = running.join_next().await
        {
            done.push(one??);
        }
        running.spawn(one(number));
    }
    while let Some(one) = running.join_next().await {
        done.push(one??);
    }
    Ok(done)
}

async fn games(site: Site, n: usize, out: &mut dyn Write) -> anyhow::Result<Seen> {
    let start =
        |number: usize| async move { Pair::start(site, &format!("load{number}"), HALF_A_SECOND).await };
    let pairs = many(n, start).await?;
    for pair in &pairs {
        pair.turns.take();
    }
    keep_up(out).await?;
    Ok(Seen { turns: pairs.iter().map(|pair| pair.turns.take().len()).sum(), seen_ms: vec![] })
}

async fn idle(site: Site, n: usize, out: &mut dyn Write) -> anyhow::Result<Seen> {
    for mut socket in many(n, |_| site.socket()).await? {
        // Whoever reads answers the server's pings.
        tokio::spawn(async move { while socket.receive().await.is_ok() {} });
    }
    keep_up(out).await?;
    Ok(Seen::default())
}

async fn spectators(site: Site, n: usize, out: &mut dyn Write) -> anyhow::Result<Seen> {
    let pair = Pair::start(site, "shown", HALF_A_SECOND).await?;
    let id = pair.id.borrow().clone();
    let seen_ms = Arc::new(Mutex::new(vec![]));
    let sockets = many(n, |_| {
        let id = id.clone();
        async move { site.watch(&id).await }
    });
    for mut socket in sockets.await? {
        let (turns, seen_ms) = (Arc::clone(&pair.turns), Arc::clone(&seen_ms));
        tokio::spawn(async move {
            while let Ok(frame) = socket.receive().await {
                if let Some(ms) = shown_ply(&frame).and_then(|plies| turns.since(plies)) {
                    seen_ms.lock().unwrap_or_else(PoisonError::into_inner).push(ms);
                }
            }
        });
    }
    let taken = || std::mem::take(&mut *seen_ms.lock().unwrap_or_else(PoisonError::into_inner));
    taken();
    keep_up(out).await?;
    Ok(Seen { turns: pair.turns.take().len(), seen_ms: taken() })
}

/// After how many moves a frame shows a new one.
fn shown_ply(frame: &[u8]) -> Option<usize> {
    // What is looked for stands at the beginning; the board behind it is long.
    let text = String::from_utf8_lossy(&frame[..frame.len().min(400)]);
    let (_, rest) = text.split_once("\"news\":[{\"entry\":{")?;
    let (_, rest) = rest.split_once("\"ply\":")?;
    rest.split(',').next()?.parse().ok()
}

async fn slow(site: Site, args: &LoadArgs, out: &mut dyn Write) -> anyhow::Result<Seen> {
    let id = args.id.clone().ok_or_else(|| anyhow!("--match: which match is looked at"))?;
    let stalled = many(args.stalled, |_| {
        let id = id.clone();
        async move { site.stall(&id).await }
    });
    let _stalled = stalled.await?;
    for number in 0..args.n {
        tokio::spawn(site.dawdle(number % 2 == 0));
    }
    keep_up(out).await?;
    Ok(Seen::default())
}

#[cfg(test)]
mod tests {
    use super::shown_ply;

    #[test]
    fn a_frame_says_which_move_it_shows() {
        let frame = br#"{"match":"x","version":7,"news":[{"entry":{"n":4,"ply":5,"seat":0}}],"scene":null}"#;
        assert_eq!(shown_ply(frame), Some(5));
        assert_eq!(shown_ply(br#"{"match":"x","version":7,"news":[],"scene":null}"#), None);
    }
}
