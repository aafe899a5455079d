//! `rookery fish xclient`: clients of a server.

use std::io::Write;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use rookery_catalog::{Fish, PlayerSpec};
use rookery_referee::parse_duration;
use rookery_rules::text::clean;

use crate::fish::{ClientName, Clients, Report, Spoken};
use crate::{ErrorOutput, UsageError};

/// Start computer players that sign up at a server and play its tournament
///
/// Nothing is printed on standard output. The exit code is 0 if all of them were served to the end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rookery fish xclients 5 12345
  rookery fish xclient 1 12345 play.example.org --player hard --time 500ms --name heron")]
pub struct Args {
    /// How many
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50_000))]
    n: u32,

    #[command(flatten)]
    server: Server,

    #[command(flatten)]
    player: Who,

    /// Do not print a summary on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// Start one computer player that shows every call and every answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rookery fish x1client 12345")]
pub struct OneArgs {
    #[command(flatten)]
    server: Server,

    #[command(flatten)]
    player: Who,
}

#[derive(Debug, clap::Args)]
struct Server {
    /// The server's port
    #[arg(value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,

    /// The server's name or address
    #[arg(value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
}

#[derive(Debug, clap::Args)]
struct Who {
    /// What they play as (`rookery players fish` lists all)
    #[arg(long, value_name = "PLAYER", default_value = "minimax:depth=2", value_parser = fish_player)]
    player: PlayerSpec,

    /// Their name, 1 to 12 letters; several clients get letters behind it
    #[arg(long, value_name = "NAME", default_value = "rookery")]
    name: ClientName,

    /// The most time for an answer, for example 500ms; without it a player takes what it takes
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,
}

fn fish_player(text: &str) -> Result<PlayerSpec, String> {
    let player: PlayerSpec = text.parse().map_err(|error| format!("{error}"))?;
    match rookery_catalog::strategy::<Fish>(&player) {
        Ok(_) => Ok(player),
        Err(error) => Err(error.to_string()),
    }
}

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(5);
/// Files that the process needs besides its sockets.
const OTHER_FILES: usize = 32;
/// How many failures are told one by one.
const TOLD: usize = 10;

pub(super) fn run(args: &Args, err: &ErrorOutput) -> anyhow::Result<ExitCode> {
    let clients = clients(args.n as usize, &args.server, &args.player);
    let start = Instant::now();
    let reports = serve(&clients, |_, _| {})?;
    sum_up(&reports, start.elapsed(), args.quiet, err)
}

pub(super) fn run_one(args: &OneArgs, err: &ErrorOutput) -> anyhow::Result<ExitCode> {
    let clients = clients(1, &args.server, &args.player);
    let start = Instant::now();
    let shown = err.clone();
    let reports = serve(&clients, move |_, spoken| {
        let mut err = shown.clone();
        // Nobody reads standard error if this fails, so there is nobody to tell.
        let _ = match spoken {
            Spoken::Call(call) => writeln!(err, "<- {}", clean(&String::from_utf8_lossy(call))),
            Spoken::Answer(answer) => writeln!(err, "-> {answer}"),
        };
    })?;
    sum_up(&reports, start.elapsed(), false, err)
}

fn clients(n: usize, server: &Server, player: &Who) -> Clients {
    Clients {
        n,
        host: server.host.clone(),
        port: server.port,
        player: player.player.clone(),
        name: player.name.clone(),
        think: player.time,
        patience: PATIENCE,
    }
}

fn serve(
    clients: &Clients,
    log: impl Fn(&str, Spoken<'_>) + Clone + Send + 'static,
) -> anyhow::Result<Vec<Report>> {
    let most = rookery_wire::raise_file_limit();
    if clients.n + OTHER_FILES > most {
        let n = clients.n;
        return Err(UsageError(format!(
            "{n} clients need {n} sockets, but this process may have {most} files open; raise it with `ulimit -n`"
        ))
        .into());
    }
    // Sockets are served in this thread; whoever thinks gets a core.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(available_parallelism().map_or(2, usize::from))
        .build()?;
    Ok(runtime.block_on(clients.serve(log))?)
}

/// Says how it went, and whether all were served to the end.
fn sum_up(reports: &[Report], took: Duration, quiet: bool, err: &ErrorOutput) -> anyhow::Result<ExitCode> {
    let mut err = err.clone();
    let served: Vec<_> =
        reports.iter().filter_map(|(name, result)| Some((name, result.as_ref().ok()?))).collect();
    let failed: Vec<_> =
        reports.iter().filter_map(|(name, result)| Some((name, result.as_ref().err()?))).collect();
    for (name, error) in failed.iter().take(TOLD) {
        writeln!(err, "{name} {}", clean(&error.to_string()))?;
    }
    if failed.len() > TOLD {
        writeln!(err, "and {} more", failed.len() - TOLD)?;
    }
    if !quiet {
        let won: Vec<&str> = served
            .iter()
            .filter(|(_, served)| served.won == Some(true))
            .map(|(name, _)| name.as_str())
            .collect();
        let calls: u64 = served.iter().map(|(_, served)| served.calls).sum();
        let names = match won.len() {
            0 => String::new(),
            n if n <= TOLD => format!(" ({})", won.join(", ")),
            n => format!(" ({} and {} more)", won[..TOLD].join(", "), n - TOLD),
        };
        writeln!(
            err,
            "{} of {} clients were served to the end, {} won{names}; {calls} calls in {:.1} s",
            served.len(),
            reports.len(),
            won.len(),
            took.as_secs_f64()
        )?;
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
