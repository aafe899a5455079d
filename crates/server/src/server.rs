//! A server from its configuration to its end.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rookery_arena::{Elsewhere, Gallery};
use rookery_live::Stopping;
use rookery_record::ArchiveError;
use rookery_store::{Store, StoreError};
use rookery_wire::{listen, raise_file_limit};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::accounts::{Accounts, now_ms};
use crate::app::App;
use crate::bots::{Bots, keep_door};
use crate::bundles::BundleDoor;
use crate::http::{BotsUrl, Caps, Network, PublicUrl, Site, serve};
use crate::hub::Hub;
use crate::machines::Machines;
use crate::routes;
use crate::tournaments::Tournaments;

/// Files that are kept for the store, records and whatever else is not a connection.
const RESERVED_FILES: usize = 96;
/// The most connections of one address.
const EACH: usize = 256;
/// How long open connections may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How a server is started.
#[derive(Debug)]
pub struct Config {
    /// Where the page is served.
    pub listen: SocketAddr,
    /// Where bots connect.
    pub bots: Option<SocketAddr>,
    /// Where everything is kept.
    pub store: Store,
    /// The folder for the records of running matches.
    pub spool: PathBuf,
    /// As people reach it.
    pub public_url: Option<PublicUrl>,
    /// As bots reach it, if that does not follow from the rest.
    pub bots_url: Option<BotsUrl>,
    /// Whose word about addresses counts.
    pub trusted_proxies: Vec<Network>,
    /// When it is to stop.
    pub stopping: Stopping,
    /// Other machines that play the games of tournaments.
    pub elsewhere: Option<Arc<dyn Elsewhere>>,
}

/// Why a server does not start.
#[derive(Debug)]
pub enum StartError {
    /// A port cannot be listened on.
    Port {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// Records of running matches cannot be kept.
    Records(ArchiveError),
    /// The store has trouble.
    Store(StoreError),
}

impl StartError {
    /// Whether another program has the port.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Port { error, .. } if error.kind() == io::ErrorKind::AddrInUse)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port { address, error } if error.kind() == io::ErrorKind::AddrInUse => write!(
                f,
                "{address} is taken by another program; stop that, or choose another port (0 for any)"
            ),
            Self::Port { address, error } => {
                write!(
                    f,
                    "cannot listen on {address}: {error}; choose another address, or a port from 1024 up"
                )
            }
            Self::Records(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Port { error, .. } => Some(error),
            Self::Records(error) => Some(error),
            Self::Store(error) => Some(error),
        }
    }
}

/// The ports of a server.
#[derive(Debug)]
pub struct Ports {
    page: (TcpListener, SocketAddr),
    bots: Option<(TcpListener, SocketAddr)>,
}

impl Ports {
    /// Takes the ports. Whoever does this before anything else learns first of a server that runs already.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn take(page: SocketAddr, bots: Option<SocketAddr>) -> Result<Self, StartError> {
        Ok(Self { page: bound(page)?, bots: bots.map(bound).transpose()? })
    }
}

/// A server that has its ports.
#[derive(Debug)]
pub struct Server {
    app: Arc<App>,
    page: TcpListener,
    bots: Option<TcpListener>,
    bots_url: Option<String>,
    stopping: Stopping,
    operator_link: Option<String>,
}

fn bound(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error| StartError::Port { address, error };
    let listener = listen(address).map_err(failed)?;
    let local = listener.local_addr().map_err(failed)?;
    Ok((listener, local))
}

/// How an address is written for people on this machine.
fn shown(address: SocketAddr) -> SocketAddr {
    let local = match address {
        SocketAddr::V4(_) => std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
        SocketAddr::V6(_) => std::net::IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
    };
    if address.ip().is_unspecified() { SocketAddr::new(local, address.port()) } else { address }
}

/// Where bots connect: as it is printed, and as the page tells everybody. A port of this machine alone is of no use to those
/// who come from elsewhere, so they are told of the socket only.
fn bots_urls(
    address: SocketAddr,
    public: Option<&PublicUrl>,
    told: Option<&BotsUrl>,
) -> (String, Option<String>) {
    if let Some(told) = told {
        return (told.to_string(), Some(told.to_string()));
    }
    let local = format!("tcp://{}", shown(address));
    match public {
        Some(public) if address.ip().is_unspecified() => {
            let url = format!("tcp://{}:{}", public.host_name(), address.port());
            (url.clone(), Some(url))
        }
        Some(public) if address.ip().is_loopback() && !public.is_here() => (local, None),
        _ => (local.clone(), Some(local)),
    }
}

impl Server {
    /// Takes the ports. Blocks while the store is asked.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn bind(config: Config) -> Result<Self, StartError> {
        Self::on(Ports::take(config.listen, config.bots)?, config)
    }

    /// A server on ports that were taken before. Blocks while the store is asked.
    pub fn on(ports: Ports, config: Config) -> Result<Self, StartError> {
        let Config { store, spool, public_url, bots_url, trusted_proxies, stopping, elsewhere, .. } = config;
        let Ports { page: (page, page_address), bots } = ports;
        let page_url = match &public_url {
            Some(url) => url.to_string(),
            None => format!("http://{}", shown(page_address)),
        };
        let bots_address = bots.as_ref().map(|(_, address)| *address);
        let bots_urls = bots_address.map(|at| bots_urls(at, public_url.as_ref(), bots_url.as_ref()));
        let (bots_url, told) = bots_urls.map_or((None, None), |(printed, told)| (Some(printed), told));
        let accounts = Arc::new(Accounts::new(store.clone()));
        // What has run out is of no use; where it cannot be taken away now, it can next time.
        let _ = store.drop_expired_tokens(now_ms());
        let operator_link = if store.has_operator().map_err(StartError::Store)? {
            None
        } else {
            match accounts.new_operator_link() {
                Ok(token) => Some(format!("{page_url}/login?operator={token}")),
                // Who only reads leaves it to whoever writes.
                Err(StoreError::ReadOnly(_)) => None,
                Err(error) => return Err(StartError::Store(error)),
            }
        };
        let known = Arc::new(Bots::default());
        let hub = Hub::open(store, &spool, known, stopping.clone());
        let hub = Arc::new(hub.map_err(StartError::Records)?);
        let tournaments = Tournaments::new(Arc::clone(&hub), &spool, stopping.clone());
        let tournaments = Arc::new(tournaments.with_elsewhere(elsewhere));
        let site = Site { public: public_url, trusted: trusted_proxies };
        let app = Arc::new(App::new(hub, tournaments, accounts, site, (page_url, told)));
        app.remember_measures().map_err(StartError::Store)?;
        app.ladders.begin(app.hub.store());
        let bots = bots.map(|(listener, _)| listener);
        Ok(Self { app, page, bots, bots_url, stopping, operator_link })
    }

    /// Shows games that other machines play, from here on.
    pub fn look_on(&self, gallery: Arc<dyn Gallery>) {
        self.app.hub.set_gallery(gallery);
    }

    /// Tells the operator of other machines that play, from here on.
    pub fn tell_of_machines(&self, machines: Arc<dyn Machines>) {
        // A second one would change nothing: there is one coordinator.
        let _ = self.app.machines.set(machines);
    }

    /// Takes bundles from here on: see [`BundleDoor`].
    pub fn take_bundles(&self, door: BundleDoor) {
        // A second one would change nothing: there is one cache.
        let _ = self.app.hub.bundles.set(Arc::new(door));
    }

    /// Where it listens.
    ///
    /// # Panics
    /// Never: it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.page.local_addr().expect("it listens")
    }

    /// The address of the page.
    pub fn page_url(&self) -> &str {
        &self.app.page_url
    }

    /// The address for bots.
    pub fn bots_url(&self) -> Option<&str> {
        self.bots_url.as_deref()
    }

    /// Where it listens for bots.
    pub fn bots_addr(&self) -> Option<SocketAddr> {
        self.bots.as_ref()?.local_addr().ok()
    }

    /// The link that makes whoever opens it the operator, if there is none yet.
    pub fn operator_link(&self) -> Option<&str> {
        self.operator_link.as_deref()
    }

    /// Serves until it is told to stop; running matches go on at the next start.
    pub async fn run(self) {
        let Self { app, page, bots, stopping, .. } = self;
        let n_files = raise_file_limit();
        let caps = Caps { all: n_files.saturating_sub(RESERVED_FILES).max(64), each: EACH };
        if let Some(listener) = bots {
            tokio::spawn(keep_door(listener, Arc::clone(&app)));
        }
        let (connected, endings) = (Arc::clone(app.hub.bots()), app.accounts.endings());
        tokio::spawn(async move { connected.keep_out(endings).await });
        let resumed = app.hub.resume().await;
        if resumed > 0 {
            tracing::info!(resumed, "matches go on");
        }
        if let Some(door) = app.hub.bundles.get() {
            tokio::spawn(Arc::clone(door).try_pending(app.hub.store().clone()));
        }
        let hub = Arc::clone(&app.hub);
        let sweeping = tokio::spawn(async move { hub.sweep().await });
        let tournaments = Arc::clone(&app.tournaments);
        // What fails there is in the log.
        let _ = spawn_blocking(move || tournaments.resume()).await;
        let tournaments = Arc::clone(&app.tournaments);
        let keeping_time = tokio::spawn(async move { tournaments.keep_time().await });
        let tournaments = Arc::clone(&app.tournaments);
        let going_on = tokio::spawn(tournaments.go_on_when_retried());
        let stop = watch::Sender::new(false);
        let whom = (caps, app.site.trusted.clone());
        let serving = serve(page, routes::router(&app), whom, Arc::clone(&app.metrics), stop.subscribe());
        let serving = tokio::spawn(serving);
        stopping.requested().await;
        tracing::info!("stopping: no new match begins");
        let tournaments = Arc::clone(&app.tournaments);
        let stopped = spawn_blocking(move || tournaments.stop());
        app.hub.settle().await;
        let _ = stopped.await;
        sweeping.abort();
        keeping_time.abort();
        going_on.abort();
        app.closing.send_replace(true);
        stop.send_replace(true);
        // Whoever does not go is left behind.
        let _ = timeout(LAST_WORDS, async {
            let _ = serving.await;
            while app.metrics.connections.get() > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_told_an_address_that_they_can_reach() {
        let urls = |listen: &str, public: Option<&str>, told: Option<&str>| {
            let public: Option<PublicUrl> = public.map(|url| url.parse().expect("an address"));
            let told: Option<BotsUrl> = told.map(|url| url.parse().expect("an address"));
            bots_urls(listen.parse().expect("an address"), public.as_ref(), told.as_ref())
        };
        let both = |url: &str| (url.to_owned(), Some(url.to_owned()));
        let classroom = Some("http://192.168.1.5:7600");
        assert_eq!(urls("127.0.0.1:7601", None, None), both("tcp://127.0.0.1:7601"));
        assert_eq!(urls("0.0.0.0:7601", None, None), both("tcp://127.0.0.1:7601"));
        assert_eq!(urls("0.0.0.0:7601", classroom, None), both("tcp://192.168.1.5:7601"));
        assert_eq!(
            urls("[::]:7601", Some("http://[2001:db8::5]:7600"), None),
            both("tcp://[2001:db8::5]:7601")
        );
        assert_eq!(urls("192.168.1.5:7601", classroom, None), both("tcp://192.168.1.5:7601"));
        let proxy = Some("https://play.example.org");
        assert_eq!(urls("127.0.0.1:7601", proxy, None), ("tcp://127.0.0.1:7601".to_owned(), None));
        assert_eq!(urls("127.0.0.1:7601", Some("http://localhost:80"), None), both("tcp://127.0.0.1:7601"));
        let told = Some("tcp://bots.example.org:7601");
        assert_eq!(urls("127.0.0.1:7601", proxy, told), both("tcp://bots.example.org:7601"));
        for bad in
            ["", "bots.example.org:7601", "tcp://bots.example.org", "tcp://:1", "tcp://a b:1", "tcp://a:0"]
        {
            let why = bad.parse::<BotsUrl>().expect_err(bad);
            assert!(why.contains("expected tcp://HOST:PORT"), "{bad}: {why}");
        }
    }
}
