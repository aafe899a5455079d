//! `rookery doctor`: what this machine has for servers, tournaments and bots.

use std::borrow::Cow;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use rookery_record::FORMAT_VERSION;
use rookery_sandbox::{InForce, Level, Policy};
use rookery_store::{CheckOrder, SCHEMA_VERSION};
use serde::Serialize;

use super::serve::{BOTS, PAGE};
use super::write_json;
use crate::dispatch_args::DispatchArgs;
use crate::store_args::StoreArgs;

/// Look at this machine: limits, sandbox, store, ports
///
/// Says what is well, what could be better and what is wrong, each with what to do. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    dispatch: DispatchArgs,

    /// The broker's monitoring port, for a look at its settings: 127.0.0.1:8222
    #[arg(long, value_name = "HOST:PORT", requires = "dispatch")]
    monitor: Option<String>,

    /// Where the page is to be served [default: 127.0.0.1:7600]
    #[arg(long, value_name = "ADDR", env = "ROOKERY_LISTEN")]
    listen: Option<SocketAddr>,

    /// Where bots are to connect [default: 127.0.0.1:7601]
    #[arg(long, value_name = "ADDR", env = "ROOKERY_BOTS")]
    bots: Option<SocketAddr>,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery doctor
  rookery doctor --store tournament.db --json
  rookery doctor --listen 0.0.0.0:80 --bots 0.0.0.0:7601
  rookery doctor --dispatch nats://127.0.0.1:4222 --monitor 127.0.0.1:8222

Exit codes: 0 nothing is wrong, 1 something is.";

/// A seat of a program needs three pipes, and a page one connection.
const FEW_FILES: usize = 4096;

/// How long the store is looked at, and how many of its latest games.
const BUDGET: Duration = Duration::from_secs(5);
const LATEST: u64 = 1000;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Well,
    Better,
    Wrong,
}

#[derive(Debug, Serialize)]
struct Finding {
    what: Cow<'static, str>,
    health: Health,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_do: Option<String>,
}

impl Finding {
    fn well(what: &'static str, found: impl Into<String>) -> Self {
        Self { what: what.into(), health: Health::Well, found: found.into(), to_do: None }
    }

    fn new(what: &'static str, health: Health, found: impl Into<String>, to_do: impl Into<String>) -> Self {
        Self { what: what.into(), health, found: found.into(), to_do: Some(to_do.into()) }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut findings = vec![
        version(),
        formats(),
        cores(),
        files(),
        sandbox(),
        store(&args.store),
        port("port of the page", args.listen.unwrap_or(PAGE)),
        port("port for bots", args.bots.unwrap_or(BOTS)),
    ];
    findings.extend(broker(args)?);
    if args.json {
        write_json(out, &findings)?;
    } else {
        for Finding { what, health, found, to_do } in &findings {
            let sign = match health {
                Health::Well => "ok",
                Health::Better => "could be better",
                Health::Wrong => "WRONG",
            };
            writeln!(out, "{what}: {sign}: {found}")?;
            if let Some(to_do) = to_do {
                writeln!(out, "    {to_do}")?;
            }
        }
    }
    let is_wrong = findings.iter().any(|finding| finding.health == Health::Wrong);
    Ok(ExitCode::from(u8::from(is_wrong)))
}

/// The broker, if one is named.
#[cfg(feature = "cluster")]
fn broker(args: &Args) -> anyhow::Result<Vec<Finding>> {
    let Some(access) = args.dispatch.access()? else { return Ok(vec![]) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let looked = runtime.block_on(rookery_cluster::doctor::look(&access, args.monitor.as_deref()));
    let found = match looked {
        Ok(found) => found,
        Err(error) => {
            return Ok(vec![Finding::new("broker", Health::Wrong, error.to_string(), "docs/cluster.md")]);
        }
    };
    let finding = |of: rookery_cluster::doctor::Finding| {
        let health = if of.good { Health::Well } else { Health::Better };
        let what = if of.what == "broker" { of.what } else { format!("broker, {}", of.what) };
        Finding { what: what.into(), health, found: of.note, to_do: None }
    };
    Ok(found.into_iter().map(finding).collect())
}

#[cfg(not(feature = "cluster"))]
fn broker(args: &Args) -> anyhow::Result<Vec<Finding>> {
    let _ = &args.monitor;
    args.dispatch.expect_none()?;
    Ok(vec![])
}

fn version() -> Finding {
    let cluster = if cfg!(feature = "cluster") { "with" } else { "without" };
    let system = std::env::consts::OS;
    Finding::well(
        "version",
        format!("rookery {} on {system}, {cluster} PostgreSQL and other machines", env!("CARGO_PKG_VERSION")),
    )
}

/// What files and bots of other versions have to fit.
fn formats() -> Finding {
    let (records, tables, protocol) = (FORMAT_VERSION, SCHEMA_VERSION, rookery_bots::VERSION);
    Finding::well(
        "formats",
        format!(
            "records of version {records}, tables of a store of version {tables}, bot protocol {protocol}"
        ),
    )
}

fn cores() -> Finding {
    match thread::available_parallelism().map_or(1, usize::from) {
        1 => Finding::new(
            "cores",
            Health::Better,
            "one",
            "games with clocks run one at a time; more cores play more",
        ),
        n => Finding::well("cores", format!("{n}")),
    }
}

fn files() -> Finding {
    let most = rookery_wire::raise_file_limit();
    if most < FEW_FILES {
        let to_do = format!("each program at the table needs three; raise it with `ulimit -n {FEW_FILES}`");
        return Finding::new("open files", Health::Better, format!("at most {most}"), to_do);
    }
    Finding::well("open files", format!("at most {most}"))
}

fn sandbox() -> Finding {
    let what = "sandbox for bots";
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return Finding::new(what, Health::Wrong, error.to_string(), "docs/sandbox.md"),
    };
    match Policy::new(Level::Auto, own).prepare() {
        Ok(sandbox) if *sandbox.in_force() == InForce::Full => Finding::well(what, "full"),
        Ok(sandbox) => Finding::new(
            what,
            Health::Better,
            sandbox.in_force().to_string(),
            "docs/sandbox.md says what each layer needs; `--sandbox full` refuses to start without them",
        ),
        Err(error) => {
            Finding::new(what, Health::Wrong, error.to_string(), "docs/sandbox.md says what it needs")
        }
    }
}

fn store(args: &StoreArgs) -> Finding {
    let (what, place) = ("store", args.location());
    if !place.starts_with("postgres") && !Path::new(&place).exists() {
        return Finding::well(what, format!("{place} is not there yet; the first game makes it"));
    }
    let order = CheckOrder { budget: BUDGET, games: LATEST, ..CheckOrder::default() };
    let check = args.read().and_then(|store| Ok(store.check(&order)?));
    match check {
        Ok(report) if report.is_good() => Finding::well(what, place),
        Ok(_) => Finding::new(
            what,
            Health::Wrong,
            format!("{place} is damaged"),
            format!("rookery db check --store {place}"),
        ),
        Err(error) => Finding::new(
            what,
            Health::Wrong,
            format!("{error:#}"),
            format!("rookery db check --store {place}"),
        ),
    }
}

fn port(what: &'static str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::well(what, format!("{address} is free")),
        Err(error) => Finding::new(
            what,
            Health::Better,
            format!("{address}: {error}"),
            "a server may run there already; another one needs `rookery serve --listen … --bots …`",
        ),
    }
}
