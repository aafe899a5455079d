//! `rookery bench serve`: what load does to the page's server. The server is a process of its own and so is the load; here
//! two bots play a match, and the time from a move to the question after it is taken with the load and without.

mod client;
mod load;

use std::io::{BufRead as _, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use comfy_table::{Table, presets};
use serde::Serialize;
use tokio::runtime::Runtime;

use self::client::{Pair, Site};
use self::load::{Kind, Seen};
use super::bench::{seconds, write_table};
use super::bench_store::Scratch;
use super::write_json;
use crate::data_folder::cache_folder;

pub(crate) use self::load::{LoadArgs, run as load};

/// How long the bots that are measured think.
const THINK: Duration = Duration::from_millis(5);
/// How long things settle before something is measured.
const SETTLE: Duration = Duration::from_millis(500);
/// So many idle pages come and go before memory is looked at, so that what is taken once is taken.
const WARM_UP: usize = 100;

pub(super) const EXAMPLES: &str = "\
Examples:
  rookery bench serve
  rookery bench serve --games 100 --idle 500 --spectators 200 --slow 200 --stalled 10 --seconds 3 --json";

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Games of remote bots at the same time, with two turns a second each
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = number)]
    games: usize,

    /// Pages that are open and do nothing
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = number)]
    idle: usize,

    /// Pages that look at one game
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = number)]
    spectators: usize,

    /// Clients that never finish a request
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = number)]
    slow: usize,

    /// Observers that never read
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number)]
    stalled: usize,

    /// Seconds for each figure
    #[arg(long, default_value_t = 10.0, value_parser = seconds)]
    seconds: f64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=20_000) => Ok(number),
        _ => Err("expected a number from 1 to 20000".to_owned()),
    }
}

/// How long something took, in milliseconds.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub(super) struct Times {
    n: usize,
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
}

impl Times {
    pub(super) fn of(mut all: Vec<f64>) -> anyhow::Result<Self> {
        all.sort_by(f64::total_cmp);
        let n = all.len();
        anyhow::ensure!(n > 0, "nothing was measured; give it more --seconds");
        let at = |share: f64| all[((n - 1) as f64 * share) as usize];
        Ok(Self { n, median_ms: at(0.5), p99_ms: at(0.99) })
    }
}

/// A turn without a load and with it.
#[derive(Serialize)]
struct Compared {
    /// How large the load is.
    load: usize,
    /// Turns a second that the load itself played.
    load_turns_per_second: f64,
    without: Times,
    with: Times,
    added_median_ms: f64,
    added_p99_ms: f64,
    median_ratio: f64,
    p99_ratio: f64,
}

impl Compared {
    fn new(load: usize, load_turns_per_second: f64, without: Times, with: Times) -> Self {
        Self {
            load,
            load_turns_per_second,
            without,
            with,
            added_median_ms: with.median_ms - without.median_ms,
            added_p99_ms: with.p99_ms - without.p99_ms,
            median_ratio: with.median_ms / without.median_ms,
            p99_ratio: with.p99_ms / without.p99_ms,
        }
    }
}

#[derive(Serialize)]
struct Idle {
    connections: usize,
    /// Of the server's memory.
    bytes_each: f64,
}

#[derive(Serialize)]
struct Figures {
    games: Compared,
    idle: Idle,
    spectators: Compared,
    slow: Compared,
}

pub(super) fn run(args: &ServeArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let beside = cache_folder();
    std::fs::create_dir_all(&beside).with_context(|| beside.display().to_string())?;
    let folder = Scratch::new(&beside)?;
    let bench = Bench { runtime, folder: &folder.0, time: Duration::from_secs_f64(args.seconds) };
    let figures = Figures {
        games: bench.turns(Kind::Games, args.games, 0)?,
        idle: bench.idle(args.idle)?,
        spectators: bench.spectators(args.spectators)?,
        slow: bench.turns(Kind::Slow, args.slow, args.stalled)?,
    };
    if args.json {
        return write_json(out, &figures);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["load", "", "median ms", "p99 ms", "without", "p99", "added", "p99"]);
    let Figures { games, idle, spectators, slow } = &figures;
    let rows = [("games at once", games), ("spectators", spectators), ("slow clients", slow)];
    for (title, row) in rows {
        let times = [
            row.with.median_ms,
            row.with.p99_ms,
            row.without.median_ms,
            row.without.p99_ms,
            row.added_median_ms,
            row.added_p99_ms,
        ];
        let shown = times.map(|ms| format!("{ms:.2}"));
        table.add_row([title.to_owned(), row.load.to_string()].into_iter().chain(shown));
    }
    write_table(table, out)?;
    writeln!(out, "{} idle connections: {:.1} KiB each", idle.connections, idle.bytes_each / 1024.0)?;
    Ok(())
}

struct Bench<'a> {
    runtime: Runtime,
    folder: &'a Path,
    time: Duration,
}

impl Bench<'_> {
    /// A turn of a match without the load and with it; before and after count as without.
    fn turns(&self, kind: Kind, n: usize, stalled: usize) -> anyhow::Result<Compared> {
        let server = Server::start(self.folder, kind.word())?;
        let probe = self.runtime.block_on(Pair::start(server.site, "probe", THINK))?;
        let mut without = self.measure(&probe);
        let id = probe.id.borrow().clone();
        let load = Load::start(kind, server.site, n, Some((&id, stalled)))?;
        let with = self.measure(&probe);
        let seen = load.stop()?;
        without.extend(self.measure(&probe));
        let per_second = seen.turns as f64 / (SETTLE + self.time).as_secs_f64();
        Ok(Compared::new(n, per_second, Times::of(without)?, Times::of(with)?))
    }

    fn measure(&self, probe: &Pair) -> Vec<f64> {
        std::thread::sleep(SETTLE);
        probe.turns.take();
        std::thread::sleep(self.time);
        probe.turns.take()
    }

    fn idle(&self, n: usize) -> anyhow::Result<Idle> {
        let server = Server::start(self.folder, "idle")?;
        Load::start(Kind::Idle, server.site, WARM_UP, None)?.stop()?;
        std::thread::sleep(SETTLE);
        let before = server.memory()?;
        let load = Load::start(Kind::Idle, server.site, n, None)?;
        std::thread::sleep(self.time);
        let after = server.memory()?;
        load.stop()?;
        Ok(Idle { connections: n, bytes_each: (after - before) / n as f64 })
    }

    /// From a move to the eyes of one spectator, and to those of many.
    fn spectators(&self, n: usize) -> anyhow::Result<Compared> {
        let one = |n: usize| {
            let server = Server::start(self.folder, &format!("spectators{n}"))?;
            let load = Load::start(Kind::Spectators, server.site, n, None)?;
            std::thread::sleep(self.time);
            let seen = load.stop()?;
            let per_second = seen.turns as f64 / self.time.as_secs_f64();
            anyhow::Ok((per_second, Times::of(seen.seen_ms)?))
        };
        let ((_, without), (per_second, with)) = (one(1)?, one(n)?);
        Ok(Compared::new(n, per_second, without, with))
    }
}

/// The server that is measured; it ends with this.
struct Server {
    site: Site,
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its store goes with the folder.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(folder: &Path, name: &str) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--bots",
                "127.0.0.1:0",
                "--no-open",
                "--log",
                "error",
            ])
            .arg("--store")
            .arg(folder.join(name).with_extension("db"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().context("its output is a pipe")?).lines();
        let mut found = [None, None];
        for line in lines.map_while(Result::ok) {
            for (found, begin) in found.iter_mut().zip(["page: http://", "bots: tcp://"]) {
                *found = found.or_else(|| line.strip_prefix(begin)?.parse().ok());
            }
            if let [Some(page), Some(bots)] = found {
                return Ok(Self { site: Site { page, bots }, child });
            }
        }
        Err(anyhow!("the server did not start"))
    }

    /// How many bytes of memory it uses.
    fn memory(&self) -> anyhow::Result<f64> {
        memory_of(&self.child.id().to_string())
    }
}

/// How many bytes of memory a process uses, by its number or as `self`.
pub(super) fn memory_of(process: &str) -> anyhow::Result<f64> {
    let status = format!("/proc/{process}/status");
    let text = std::fs::read_to_string(&status)
        .with_context(|| format!("{status}: memory is looked at on Linux only"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    Ok(1024.0 * kib.context("the status has changed")?)
}

/// The process that makes the load.
struct Load {
    child: Child,
    input: Option<ChildStdin>,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Load {
    /// Starts it, and waits until the load is there.
    fn start(kind: Kind, site: Site, n: usize, stalled: Option<(&str, usize)>) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bench-load", kind.word(), "-n", &n.to_string()]);
        command.args(["--page", &site.page.to_string(), "--bots", &site.bots.to_string()]);
        if let Some((id, n)) = stalled {
            command.args(["--match", id, "--stalled", &n.to_string()]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("its output is a pipe")?;
        let mut load = Self { child, input, lines: BufReader::new(output).lines() };
        let ready = load.lines.next().context("the load did not come about, see above")??;
        anyhow::ensure!(ready == "ready", "the load said {ready:?}");
        Ok(load)
    }

    /// Ends it; what it has seen.
    fn stop(mut self) -> anyhow::Result<Seen> {
        drop(self.input.take());
        let line = self.lines.next().context("the load ended early, see above")??;
        Ok(serde_json::from_str(&line)?)
    }
}
