//! Servers that share a store and a broker: one is the coordinator, the others stand by and serve pages.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use rookery_arena::Elsewhere;
use rookery_arena::bots::BUNDLE_LEVEL;
use rookery_cluster::broker::Access;
use rookery_cluster::core::Terms;
use rookery_cluster::{Remote, RemoteConfig, Spectator};
use rookery_live::{Signal, Stopping};
use rookery_server::{Server, StartError};
use rookery_store::{Options, Store, StoreError};
use tokio::runtime::Runtime;

use super::serve::{Args, DRAIN, PORT_TAKEN};
use super::serve_machines::{Asked, Own};

/// How often whoever stands by looks whether the coordinator is gone.
const LOOK: Duration = Duration::from_millis(500);
/// How long tasks of a role that is over may take to end.
const LAST_TASKS: Duration = Duration::from_secs(2);
/// How long two servers that begin at the same time may take until one of them has made the tables.
const FIRST: Duration = Duration::from_secs(20);

/// Serves as coordinator while we may write to the store, and stands by while another one does.
pub(super) fn serve(
    args: &Args,
    access: &Access,
    stopping: &Stopping,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let mut args = args.clone();
    let mut writable = None;
    let mut has_served = false;
    while !stopping.is_requested() {
        // Each role has threads of its own, so that nothing of the one before keeps a port.
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no threads")?;
        let opened = writable.take().map_or_else(|| open(&args), |store| Ok((store, true)));
        let (store, is_coordinator) = opened?;
        let round = Round::begin(stopping, &runtime);
        let served = if is_coordinator {
            coordinate(&mut args, access, store, &round, &runtime, out)
        } else {
            stand_by(&mut args, access, store, &round, &runtime, out).map(|store| writable = store)
        };
        runtime.shutdown_timeout(LAST_TASKS);
        match served {
            Ok(()) => has_served = true,
            Err(error) if !has_served && matches!(error.downcast_ref(), Some(StartError::Port { .. })) => {
                if !error.downcast_ref().is_some_and(StartError::is_taken) {
                    return Err(error);
                }
                writeln!(std::io::stderr(), "error: {error}")?;
                return Ok(ExitCode::from(PORT_TAKEN));
            }
            // Whoever lost the store stands by; a broker that is away at the start may come.
            Err(error) if !stopping.is_requested() => {
                tracing::error!(error = %format!("{error:#}"), "this server is no coordinator any more");
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The store for writing, or for reading if another server writes.
fn open(args: &Args) -> anyhow::Result<(Store, bool)> {
    let begun = std::time::Instant::now();
    loop {
        match Store::open(&args.location(), &Options::default()) {
            Ok(store) => return Ok((store, true)),
            Err(StoreError::Locked { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        match Store::open(&args.location(), &Options::read_only()) {
            Ok(store) => return Ok((store, false)),
            Err(StoreError::Foreign { .. } | StoreError::Older { .. }) if begun.elapsed() < FIRST => {
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// A time in one role; it ends with the whole server, or by itself.
struct Round(Stopping);

impl Round {
    fn begin(all: &Stopping, runtime: &Runtime) -> Self {
        let own = Stopping::new(DRAIN);
        let (all, told) = (all.clone(), own.clone());
        runtime.spawn(async move {
            all.requested().await;
            told.request(Signal::Terminate);
            all.urgent().await;
            told.request(Signal::Terminate);
        });
        Self(own)
    }
}

fn coordinate(
    args: &mut Args,
    access: &Access,
    store: Store,
    round: &Round,
    runtime: &Runtime,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let config = args.remote.config(access.clone(), store.clone());
    // Pages are served whether the broker is there or not, and what is parked waits for its operator.
    let mut config = RemoteConfig { patient: true, retry_parked: false, ..config };
    if let Some(lease) = args.lease {
        config.terms = Terms { lease: u64::from(lease) * 1000, ..Terms::default() };
    }
    let remote = Arc::new(Remote::start(config)?);
    let elsewhere: Arc<dyn Elsewhere> = Arc::clone(&remote) as Arc<dyn Elsewhere>;
    let config = args.config(store, args.spool()?, round.0.clone(), Some(elsewhere));
    let server = bind(args, config, access, runtime)?;
    server.tell_of_machines(Arc::new(Own(Arc::clone(&remote))));
    super::serve::take_bundles(&server, args.bundle_sandbox.unwrap_or(BUNDLE_LEVEL), round.0.clone());
    args.say_role(&server, "coordinator", out)?;
    let (failing, own) = (Arc::clone(&remote), round.0.clone());
    let watching = runtime.spawn(async move {
        failing.failed().await;
        own.request(Signal::Terminate);
        own.request(Signal::Terminate);
    });
    runtime.block_on(server.run());
    watching.abort();
    drop(remote);
    Ok(())
}

/// Serves pages until the store is free: then it is ours.
fn stand_by(
    args: &mut Args,
    access: &Access,
    store: Store,
    round: &Round,
    runtime: &Runtime,
    out: &mut dyn Write,
) -> anyhow::Result<Option<Store>> {
    let config = args.config(store, args.spool()?.join("standby"), round.0.clone(), None);
    if let Some(folder) = config.spool.parent() {
        rookery_record::create_folder(folder).map_err(|error| anyhow::anyhow!("{error}"))?;
    }
    let server = bind(args, config, access, runtime)?;
    server.tell_of_machines(Arc::new(Asked(access.clone())));
    args.say_role(&server, "standby", out)?;
    let (location, own) = (args.location(), round.0.clone());
    let looking = std::thread::spawn(move || {
        while !own.is_requested() {
            // Whatever else prevents it is tried again as well: pages are served meanwhile.
            if let Ok(store) = Store::open(&location, &Options::default()) {
                own.request(Signal::Terminate);
                own.request(Signal::Terminate);
                return Some(store);
            }
            std::thread::sleep(LOOK);
        }
        None
    });
    runtime.block_on(server.run());
    looking.join().map_err(|_| anyhow::anyhow!("looking for the store failed"))
}

/// Takes the ports, and keeps them for the next role. In either role games of workers can be looked at.
fn bind(
    args: &mut Args,
    config: rookery_server::Config,
    access: &Access,
    runtime: &Runtime,
) -> anyhow::Result<Server> {
    let entered = runtime.enter();
    let server = Server::bind(config)?;
    drop(entered);
    server.look_on(Arc::new(Spectator::start(access)?));
    args.keep_ports(&server);
    Ok(server)
}
