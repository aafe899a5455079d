//! `rookery serve`: the page, and the port for bots; what `rookery` does without a subcommand.

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{Args as _, FromArgMatches as _};
use rookery_arena::Elsewhere;
use rookery_arena::bots::{BUNDLE_LEVEL, BundleCache, Bundles};
use rookery_live::Stopping;
use rookery_sandbox::Policy;
use rookery_server::http::{BotsUrl, Network, PublicUrl};
use rookery_server::{BundleDoor, Config, Ports, Server, StartError};
use rookery_store::{Location, Options, Store};
use serde::Deserialize;
use tokio::runtime::Builder;
use tracing_subscriber::filter::LevelFilter;

use crate::data_folder::{cache_folder, store_file};
use crate::dispatch_args::{DispatchArgs, RemoteArgs};
use crate::spec::UsageError;
use crate::stop;

/// Where the page is served unless told otherwise.
pub(super) const PAGE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7600);
/// Where bots connect unless told otherwise.
pub(super) const BOTS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7601);
/// How long matches of computers and bots may go on after the first signal.
pub(super) const DRAIN: Duration = Duration::from_secs(30);
/// How long a lease may be, in seconds.
const LEASE: std::ops::RangeInclusive<i64> = 1..=3600;
/// The exit code where a port is taken: the system's own number for it.
pub(crate) const PORT_TAKEN: u8 = 98;
/// What finds ports where the usual ones are taken.
const ANY_PORTS: &str = "rookery serve --listen 127.0.0.1:0 --bots 127.0.0.1:0";
/// The largest configuration that is read.
const MOST_CONFIG: u64 = 64 << 10;

/// Serve the page: play, watch, replay and review in a browser
///
/// People open the printed address; bots connect to the other one. Everything is kept in the store, and running games go on
/// after a restart. A file has the same names as the flags (`listen = "0.0.0.0:7600"`); flags count more than variables, and
/// those more than the file.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Where the page is served; port 0 is any [default: 127.0.0.1:7600]
    #[arg(long, value_name = "ADDR", env = "ROOKERY_LISTEN")]
    listen: Option<SocketAddr>,

    /// Where bots connect; port 0 is any [default: 127.0.0.1:7601]
    #[arg(long, value_name = "ADDR", env = "ROOKERY_BOTS")]
    bots: Option<SocketAddr>,

    /// The store: a file, or a postgres:// URL [default: rookery.db in your data folder]
    #[arg(long, value_name = "FILE|URL", env = "ROOKERY_STORE", hide_env_values = true)]
    store: Option<String>,

    #[command(flatten)]
    dispatch: DispatchArgs,

    /// How long a worker may say nothing of a game before another one plays it, in seconds [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(LEASE))]
    pub(super) lease: Option<u32>,

    #[command(flatten)]
    pub(super) remote: RemoteArgs,

    /// Open no browser
    #[arg(long)]
    no_open: bool,

    /// The address by which people reach the page, if it is another: `https://play.example.org` behind a proxy
    #[arg(long, value_name = "URL", env = "ROOKERY_PUBLIC_URL")]
    public_url: Option<PublicUrl>,

    /// The address by which bots reach it, if it is another than that of the page and --bots: `tcp://bots.example.org:7601`
    #[arg(long, value_name = "URL", env = "ROOKERY_BOTS_URL")]
    bots_url: Option<BotsUrl>,

    /// Believe what these proxies say of where somebody comes from: 10.0.0.0/8
    #[arg(long, value_name = "CIDR")]
    trusted_proxy: Vec<Network>,

    /// How much bots may do that people upload: full, auto or none (docs/sandbox.md); full unless told
    #[arg(long, value_name = "LEVEL")]
    pub(super) bundle_sandbox: Option<rookery_sandbox::Level>,

    /// Read all this from a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How much is logged to standard error
    #[arg(long, value_name = "LEVEL", value_enum)]
    log: Option<Level>,

    /// Log a JSON object a line
    #[arg(long)]
    log_json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery serve
  rookery serve --listen 0.0.0.0:7600 --bots 0.0.0.0:7601 --public-url http://192.168.1.5:7600
  rookery serve --public-url https://play.example.org --trusted-proxy 127.0.0.1
  rookery serve --store postgres://rookery@db/rookery --dispatch nats://127.0.0.1:4222

Exit codes: 0 stopped, 1 failed, 2 the command line is wrong, 75 another program has the store, 98 a port is taken.";

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// The same in a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    listen: Option<SocketAddr>,
    bots: Option<SocketAddr>,
    store: Option<String>,
    dispatch: Option<String>,
    dispatch_key: Option<PathBuf>,
    dispatch_ca: Option<PathBuf>,
    lease: Option<u32>,
    replay_share: Option<f64>,
    scale_time: Option<u32>,
    no_open: bool,
    public_url: Option<String>,
    bots_url: Option<String>,
    trusted_proxy: Vec<String>,
    bundle_sandbox: Option<String>,
    log: Option<Level>,
    log_json: bool,
}

impl Args {
    /// Takes from the file what is not said otherwise.
    fn with_file(self) -> anyhow::Result<Self> {
        let Some(path) = &self.config else { return Ok(self) };
        let shown = path.display().to_string();
        let wrong = |error: String| UsageError(format!("--config {shown}: {error}"));
        let size = fs::metadata(path).with_context(|| shown.clone())?.len();
        if size > MOST_CONFIG {
            return Err(wrong(format!("it has {size} bytes; expected at most {MOST_CONFIG}")).into());
        }
        let text = fs::read_to_string(path).with_context(|| shown.clone())?;
        let file: File = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let public_url = file.public_url.map(|url| url.parse()).transpose().map_err(&wrong)?;
        let bots_url = file.bots_url.map(|url| url.parse()).transpose().map_err(&wrong)?;
        let proxies = file.trusted_proxy.iter().map(|range| range.parse()).collect::<Result<Vec<_>, _>>();
        let proxies = proxies.map_err(&wrong)?;
        if let Some(lease) = file.lease.filter(|lease| !LEASE.contains(&i64::from(*lease))) {
            return Err(wrong(format!("lease = {lease}; expected 1 to 3600 seconds")).into());
        }
        let remote = self.remote.or(file.replay_share, file.scale_time).map_err(&wrong)?;
        let bundle_sandbox = file.bundle_sandbox.map(|level| level.parse()).transpose().map_err(&wrong)?;
        Ok(Self {
            listen: self.listen.or(file.listen),
            bots: self.bots.or(file.bots),
            store: self.store.or(file.store),
            dispatch: DispatchArgs {
                dispatch: self.dispatch.dispatch.or(file.dispatch),
                dispatch_key: self.dispatch.dispatch_key.or(file.dispatch_key),
                dispatch_ca: self.dispatch.dispatch_ca.or(file.dispatch_ca),
            },
            lease: self.lease.or(file.lease),
            remote,
            no_open: self.no_open || file.no_open,
            public_url: self.public_url.or(public_url),
            bots_url: self.bots_url.or(bots_url),
            trusted_proxy: if self.trusted_proxy.is_empty() { proxies } else { self.trusted_proxy },
            bundle_sandbox: self.bundle_sandbox.or(bundle_sandbox),
            config: None,
            log: self.log.or(file.log),
            log_json: self.log_json || file.log_json,
        })
    }

    pub(super) fn location(&self) -> String {
        self.store.clone().unwrap_or_else(|| store_file().to_string_lossy().into_owned())
    }

    /// What a server needs to know.
    pub(super) fn config(
        &self,
        store: Store,
        spool: PathBuf,
        stopping: Stopping,
        elsewhere: Option<Arc<dyn Elsewhere>>,
    ) -> Config {
        Config {
            listen: self.listen.unwrap_or(PAGE),
            bots: Some(self.bots.unwrap_or(BOTS)),
            store,
            spool,
            public_url: self.public_url.clone(),
            bots_url: self.bots_url.clone(),
            trusted_proxies: self.trusted_proxy.clone(),
            stopping,
            elsewhere,
        }
    }

    /// Keeps the ports that a server has found, for the next one.
    #[cfg(feature = "cluster")]
    pub(super) fn keep_ports(&mut self, server: &Server) {
        self.listen = Some(server.local_addr());
        if let Some(port) = server.bots_addr().map(|address| address.port())
            && let Some(bots) = &mut self.bots
        {
            bots.set_port(port);
        }
    }

    /// Says where everything is, and what this server is at the moment.
    #[cfg(feature = "cluster")]
    pub(super) fn say_role(&self, server: &Server, role: &str, out: &mut dyn Write) -> io::Result<()> {
        announce(server, self, self.listen.unwrap_or(PAGE), false, out)?;
        writeln!(out, "role: {role}")?;
        out.flush()
    }

    /// Where the records of running matches are: beside the store.
    pub(super) fn spool(&self) -> anyhow::Result<PathBuf> {
        Ok(match self.location().parse::<Location>()? {
            Location::File(path) => {
                let mut name = path.into_os_string();
                name.push(".live");
                PathBuf::from(name)
            }
            Location::Postgres(_) => store_file().with_file_name("live"),
        })
    }
}

/// What `rookery` does without a subcommand: `serve` without flags, so that its variables count here too.
pub(crate) fn front_door(no_open: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bare = Args::augment_args(clap::Command::new("rookery serve"));
    let read = bare.try_get_matches_from(["rookery serve"]).and_then(|said| Args::from_arg_matches(&said));
    let args = Args { log: Some(Level::Warn), no_open, ..read.unwrap_or_else(|error| error.exit()) };
    args.dispatch.expect_broker(args.remote, &[])?;
    serve(&args, true, out)
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let args = args.clone().with_file()?;
    args.dispatch.expect_broker(args.remote, &[("--lease", args.lease.is_some())])?;
    serve(&args, false, out)
}

fn serve(args: &Args, is_front_door: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    log_to_stderr(args.log.unwrap_or(Level::Info), args.log_json);
    let spool = args.spool()?;
    if let Some(folder) = spool.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        rookery_record::create_folder(folder).map_err(|error| anyhow!("{error}"))?;
    }
    let stopping = stop::watch(Some(DRAIN))?;
    #[cfg(feature = "cluster")]
    if let Some(access) = args.dispatch.access()? {
        return super::serve_dispatched::serve(args, &access, &stopping, out);
    }
    #[cfg(not(feature = "cluster"))]
    {
        args.dispatch.expect_none()?;
    }
    let runtime = Builder::new_multi_thread().enable_all().build().context("threads cannot be started")?;
    let listen = args.listen.unwrap_or(PAGE);
    let entered = runtime.enter();
    // Before the store: whoever starts a second server is told where the first one is, and not of its lock.
    let ports = match Ports::take(listen, Some(args.bots.unwrap_or(BOTS))) {
        Ok(ports) => ports,
        Err(error) if error.is_taken() => {
            writeln!(io::stderr(), "error: {error}")?;
            if is_front_door {
                // Behind the port for bots there is nothing to open.
                let is_page = matches!(error, StartError::Port { address, .. } if address == listen);
                let open = if is_page {
                    format!("if that is Rookery, open http://{listen}; ")
                } else {
                    String::new()
                };
                // What has no flags here has them there.
                writeln!(io::stderr(), "{open}with any free ports: {ANY_PORTS}")?;
            }
            return Ok(ExitCode::from(PORT_TAKEN));
        }
        Err(error) => return Err(error.into()),
    };
    let store = Store::open(&args.location(), &Options::default())?;
    let server = Server::on(ports, args.config(store, spool, stopping.clone(), None))?;
    drop(entered);
    take_bundles(&server, args.bundle_sandbox.unwrap_or(BUNDLE_LEVEL), stopping);
    announce(&server, args, listen, is_front_door, out)?;
    if !args.no_open && io::stdout().is_terminal() {
        open_browser(server.page_url());
    }
    runtime.block_on(server.run());
    // Nobody waits for a computer that still thinks.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// Takes bundles, if this machine can confine them as much as is asked for. Else everything but that is served.
pub(super) fn take_bundles(server: &Server, level: rookery_sandbox::Level, stopping: rookery_live::Stopping) {
    let launcher = std::env::current_exe().map_err(|error| error.to_string());
    let sandbox = launcher
        .and_then(|launcher| Policy::new(level, launcher).prepare().map_err(|error| error.to_string()));
    match sandbox {
        Ok(sandbox) => {
            let cache = BundleCache::new(cache_folder().join("bundles"));
            server.take_bundles(BundleDoor::new(
                Bundles::new(cache, sandbox),
                super::bot::protocols,
                stopping,
            ));
        }
        Err(error) => {
            tracing::warn!(%level, %error, "no bundles are taken; --bundle-sandbox lowers the level");
        }
    }
}

/// Says where everything is.
fn announce(
    server: &Server,
    args: &Args,
    listen: SocketAddr,
    is_front_door: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = vec![format!("page: {}", server.page_url())];
    lines.extend(server.bots_url().map(|bots| format!("bots: {bots}")));
    if is_front_door {
        lines.push("\nOpen the page to play, or play here in the terminal: rookery play".to_owned());
        lines.push(
            "A bot of yours: rookery new-bot. Everything else: rookery --help. Ctrl-C stops.".to_owned(),
        );
    }
    lines.extend(server.operator_link().map(|link| format!("operator (once, within a day): {link}")));
    let text = lines.join("\n") + "\n";
    // In one piece: whoever reads only the first lines and leaves is served all the same.
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
        _ => {}
    }
    let is_open = !listen.ip().is_loopback();
    let is_plain = args.public_url.as_ref().is_none_or(|url| !url.is_secure());
    if is_open && is_plain {
        writeln!(
            io::stderr(),
            "warning: others reach this page without encryption, so passwords and games can be read on the way; for a \
             classroom that may do, else put a proxy with TLS before it and say --public-url https://…"
        )?;
    }
    Ok(())
}

/// What goes wrong is told.
#[cfg(feature = "cluster")]
pub(super) fn log_warnings() {
    log_to_stderr(Level::Warn, false);
}

fn log_to_stderr(level: Level, json: bool) {
    let level = match level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
    };
    let logs = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false);
    // Somebody may have begun to log already, which is as good.
    let _ = if json { logs.json().try_init() } else { logs.with_ansi(false).try_init() };
}

/// Opens the page where there is a screen. Where that fails, its address is printed all the same.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        "xdg-open"
    } else {
        return;
    };
    let quiet = || Stdio::null();
    let _ = Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
