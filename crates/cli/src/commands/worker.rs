//! `rookery worker`: plays games that a coordinator on another machine asks for.

#![cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "what a command line says is read only where there are other machines")
)]

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use rookery_originals::StopArgs;

use crate::dispatch_args::DispatchArgs;

/// Play games that a coordinator on another machine asks for
///
/// Only outgoing connections are made. Each game is claimed, played to its end and sent back as a whole record; what cannot be
/// delivered is kept on the disk and delivered later. The first SIGTERM or Ctrl-C takes no new game and lets running ones end
/// within the grace; a second one gives them back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,

    #[command(flatten)]
    dispatch: DispatchArgs,

    /// Games at the same time [default: the number of cores]
    #[arg(long, value_name = "N", env = "ROOKERY_SLOTS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    slots: Option<u16>,

    /// What this worker is called, and no other one: letters, digits, `_` and `-` [default: the name of the machine]
    #[arg(long, value_name = "NAME", env = "ROOKERY_WORKER_NAME")]
    name: Option<String>,

    /// The file for finished games that are not delivered yet [default: worker-NAME.spool in your data folder]
    #[arg(long, value_name = "FILE")]
    spool: Option<PathBuf>,

    /// How much bots of others are confined here at least: full, auto or none (docs/sandbox.md); full unless told. Where a
    /// tournament demands more, that counts
    #[arg(long, value_name = "LEVEL")]
    bundle_sandbox: Option<rookery_sandbox::Level>,

    /// Begin games with clocks also while others use this machine: by its load, or by what its host takes away
    #[arg(long)]
    clocks_when_busy: bool,

    #[command(flatten)]
    stop: StopArgs,

    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Enrol(EnrolArgs),
    Revoke(RevokeArgs),
}

/// Give a worker a key of its own for the broker
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  rookery worker enrol lab-3 --users rookery-users.conf --key lab-3.key\n\nThe broker's \
                  configuration includes the file of users; docs/cluster.md says how."
)]
struct EnrolArgs {
    /// What it is called
    name: String,

    /// The file of users that the broker includes; made if there is none
    #[arg(long, value_name = "FILE")]
    users: PathBuf,

    /// Where the secret key goes: a new file, for the worker alone
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// It is no worker but a server, and may do everything
    #[arg(long)]
    coordinator: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Take a worker's key back
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rookery worker revoke lab-3 --users rookery-users.conf")]
struct RevokeArgs {
    /// What it is called
    name: String,

    /// The file of users that the broker includes
    #[arg(long, value_name = "FILE")]
    users: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery worker --dispatch nats://games.example.org:4222
  rookery worker --dispatch tls://games.example.org:4222 --dispatch-key lab-3.key --name lab-3 --slots 8
  rookery worker enrol lab-3 --users rookery-users.conf --key lab-3.key

docs/cluster.md says how machines work together.
Exit codes: 0 drained after a signal, 1 failed, 2 the command line is wrong.";

#[cfg(not(feature = "cluster"))]
pub(crate) fn run(_: &Args, _: &mut dyn Write) -> anyhow::Result<ExitCode> {
    Err(crate::dispatch_args::without_cluster())
}

#[cfg(feature = "cluster")]
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    use anyhow::Context as _;
    use rookery_cluster::worker::{Worked, WorkerConfig, work};

    match &args.what {
        Some(What::Enrol(args)) => return enrol(args, out),
        Some(What::Revoke(args)) => return revoke(args, out),
        None => {}
    }
    super::serve::log_warnings();
    let access = args.dispatch.expect()?;
    let name = args.name.clone().unwrap_or_else(machine_name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let slots = args.slots.map_or(cores, usize::from);
    let spool = args
        .spool
        .clone()
        .unwrap_or_else(|| crate::data_folder::store_file().with_file_name(format!("worker-{name}.spool")));
    if let Some(folder) = spool.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        rookery_record::create_folder(folder).map_err(|error| anyhow::anyhow!("{error}"))?;
    }
    let stopping = crate::stop::watch(Some(args.stop.grace()))?;
    let shown = access.address.shown();
    let bots = rookery_cluster::BotRoom {
        cache: rookery_arena::bots::BundleCache::new(crate::data_folder::cache_folder().join("bundles")),
        least: args.bundle_sandbox.unwrap_or(rookery_arena::bots::BUNDLE_LEVEL),
        launcher: std::env::current_exe().context("our own program is not found")?,
        protocols: super::bot::protocols,
    };
    let speed = rookery_cluster::calibrate::speed();
    let config = WorkerConfig {
        bots: Some(bots),
        speed,
        clocks_when_busy: args.clocks_when_busy,
        ..WorkerConfig::new(access, &name, slots, spool, stopping)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("no threads")?;
    let json = args.json;
    let mut told = vec![];
    let ready = || {
        if !json {
            let speed = speed.map(|speed| format!(", speed {speed}")).unwrap_or_default();
            told = format!("worker {name}: {slots} games at a time{speed}, {shown}\n").into_bytes();
            let _ = out.write_all(&told).and_then(|()| out.flush());
        }
    };
    let worked = runtime.block_on(work(config, ready));
    runtime.shutdown_background();
    let Worked { stored, dropped, unfinished, undelivered } = worked?;
    if json {
        let report = serde_json::json!({
            "name": name, "stored": stored, "dropped": dropped, "unfinished": unfinished, "undelivered": undelivered,
        });
        super::write_json(out, &report)?;
    } else {
        writeln!(
            out,
            "worker {name}: {stored} games stored, {dropped} did not count, {unfinished} unfinished, {undelivered} to deliver"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "cluster")]
fn enrol(args: &EnrolArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    use rookery_cluster::users::{Role, enrol};
    let EnrolArgs { name, users, key, coordinator, json } = args;
    enrol(users, name, if *coordinator { Role::Coordinator } else { Role::Worker }, key)?;
    if *json {
        super::write_json(out, &serde_json::json!({ "enrolled": name, "users": users, "key": key }))?;
    } else {
        writeln!(out, "{name} is enrolled; its key is in {}", key.display())?;
        writeln!(out, "the broker knows it after: nats-server --signal reload")?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "cluster")]
fn revoke(args: &RevokeArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let RevokeArgs { name, users, json } = args;
    rookery_cluster::users::revoke(users, name)?;
    if *json {
        super::write_json(out, &serde_json::json!({ "revoked": name, "users": users }))?;
    } else {
        writeln!(out, "{name} is revoked; the broker knows it after: nats-server --signal reload")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the machine is called, in the letters of a worker's name.
#[cfg(feature = "cluster")]
fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.trim().chars().map(fits).take(64).collect();
    if name.is_empty() { "worker".to_owned() } else { name }
}
