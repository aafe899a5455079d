//! `rookery bench wire`: what a move of a bot costs, beside a bare ping-pong over the same transport.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use comfy_table::{CellAlignment, Table, presets};
use rookery_arena::affinity;
use rookery_bots::{Greeting, PROTOCOL, REPLY_TIME, greet};
use rookery_live::{Guest, prepare};
use rookery_referee::{End, MatchSpec};
use rookery_rules::Seed;
use rookery_rules::text::shell_quoted;
use rookery_wire::{Connection, Lent, Process, Protocols, Transport, TransportExt as _, WebSocket};
use serde::Serialize;
use tokio::net::{TcpListener, TcpStream};

use super::write_json;

#[derive(Debug, clap::Args)]
pub(crate) struct WireArgs {
    /// Seconds for each figure
    #[arg(long, default_value_t = 1.0, value_parser = super::bench::seconds)]
    seconds: f64,

    /// Matches at the same time, each on a thread of its own, with cores of its own where there are enough; by default one a core
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: Option<u16>,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// The bot of the benchmark: always the first move. Nobody types this.
#[derive(Debug, clap::Args)]
pub(crate) struct EchoArgs {
    /// Connects to this address instead of talking by the standard input and output
    #[arg(long)]
    connect: Option<SocketAddr>,
    #[arg(long)]
    websocket: bool,
}

#[derive(Clone, Copy)]
enum Way {
    Pipe,
    Tcp,
    WebSocket,
}

#[derive(Serialize)]
struct Row {
    transport: &'static str,
    /// Processor time of a move, both bots included.
    us_per_ply: f64,
    /// The same without referee and protocol: a line there, a line back.
    us_per_ply_bare: f64,
    /// Of all matches together.
    plies_per_s: f64,
}

/// A game of many moves.
const GAME: &str = "stones:rows=8,cols=8";
const MAX_TURNS: u64 = 1000;

pub(crate) fn run(args: &WireArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let budget = Duration::from_secs_f64(args.seconds);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = args.concurrency.map_or(cores, usize::from);
    let mut rows = vec![];
    for (way, transport) in [(Way::Pipe, "pipe"), (Way::Tcp, "tcp"), (Way::WebSocket, "websocket")] {
        let (us_per_ply, plies_per_s) = together(way, threads, budget, false)?;
        let (us_per_ply_bare, _) = together(way, threads, budget, true)?;
        rows.push(Row { transport, us_per_ply, us_per_ply_bare, plies_per_s });
    }
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["transport", "µs a move", "bare", "moves/s"]);
    for row in &rows {
        table.add_row([
            row.transport.to_owned(),
            format!("{:.1}", row.us_per_ply),
            format!("{:.1}", row.us_per_ply_bare),
            format!("{:.0}", row.plies_per_s),
        ]);
    }
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    Ok(writeln!(out, "{table}")?)
}

/// Microseconds of processor time a move, and moves per second, of so many matches at the same time, each with its bots on cores
/// of its own.
fn together(way: Way, threads: usize, budget: Duration, bare: bool) -> anyhow::Result<(f64, f64)> {
    let results: Vec<anyhow::Result<Used>> = thread::scope(|scope| {
        let start = |cores: Vec<usize>| {
            scope.spawn(move || {
                affinity::stay(&cores);
                one(way, budget, bare)
            })
        };
        let running: Vec<_> = affinity::of_threads(threads).into_iter().map(start).collect();
        let panicked = || anyhow!("a thread of the benchmark panicked");
        running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(panicked()))).collect()
    });
    let results = results.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let plies = results.iter().map(|used| used.plies).sum::<u64>() as f64;
    let bots: f64 = results.iter().map(|used| used.bots).sum();
    // Each thread knows only the time of the whole process, so that the mean is taken.
    let own = results.iter().map(|used| used.own).sum::<f64>() / threads as f64;
    let wall = results.iter().map(|used| used.wall).fold(0.0, f64::max);
    Ok(((bots + own) * 1e6 / plies, plies / wall))
}

/// What the moves of one match after the other took, in seconds.
struct Used {
    plies: u64,
    /// Processor time of the bots.
    bots: f64,
    /// Processor time of this process, all its threads together.
    own: f64,
    wall: f64,
}

fn one(way: Way, budget: Duration, bare: bool) -> anyhow::Result<Used> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut bots = vec![Bot::start(way).await?, Bot::start(way).await?];
        let pids: Vec<u32> = bots.iter().map(|bot| bot.pid).collect();
        let (own, theirs) = (own_cpu()?, cpu_of(&pids)?);
        let begin = Instant::now();
        let deadline = begin + budget;
        let plies =
            if bare { ping_pong(&mut bots, deadline).await? } else { games(&mut bots, deadline).await? };
        let wall = begin.elapsed().as_secs_f64();
        let used = Used { plies, bots: cpu_of(&pids)? - theirs, own: own_cpu()? - own, wall };
        for bot in bots {
            bot.link.close().await;
        }
        Ok(used)
    })
}

struct Bot {
    link: Box<dyn Transport>,
    greeting: Arc<Greeting>,
    pid: u32,
    /// Of a bot that connects: it ends with this.
    process: Option<Connection>,
}

impl Bot {
    async fn start(way: Way) -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let own = shell_quoted(&own.to_string_lossy());
        let (mut link, pid, process): (Box<dyn Transport>, _, _) = match way {
            Way::Pipe => {
                let process = Process::start(&format!("{own} echo-bot"))?;
                let pid = process.id().context("the bot has ended")?;
                (Box::new(Connection::process(process, PROTOCOL.framing, PROTOCOL.bounds)), pid, None)
            }
            Way::Tcp | Way::WebSocket => {
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                let ws = if matches!(way, Way::WebSocket) { " --websocket" } else { "" };
                let address = listener.local_addr()?;
                let process = Process::start(&format!("{own} echo-bot --connect {address}{ws}"))?;
                let pid = process.id().context("the bot has ended")?;
                let (stream, _) = listener.accept().await?;
                let link: Box<dyn Transport> = if ws.is_empty() {
                    Box::new(Connection::tcp(stream, PROTOCOL.framing, PROTOCOL.bounds)?)
                } else {
                    Box::new(WebSocket::accept(stream, PROTOCOL.bounds).await?)
                };
                (link, pid, Some(Connection::process(process, PROTOCOL.framing, PROTOCOL.bounds)))
            }
        };
        let greeting = greet(&mut *link, REPLY_TIME).await;
        let greeting = greeting.map_err(|fault| anyhow!("the bot of the benchmark failed: {fault:?}"))?;
        Ok(Self { link, greeting: Arc::new(greeting), pid, process })
    }
}

async fn games(bots: &mut Vec<Bot>, deadline: Instant) -> anyhow::Result<u64> {
    let mut plies = 0;
    while Instant::now() < deadline {
        let mut spec = MatchSpec::new(GAME, ["a=cmd:a", "b=cmd:b"], Seed(1))?;
        spec.max_turns = Some(MAX_TURNS);
        let (mut guests, mut homes) = (vec![], vec![]);
        for bot in bots.drain(..) {
            let (lent, home) = Lent::new(bot.link);
            guests.push(Guest::Bot(lent, Arc::clone(&bot.greeting)));
            homes.push((home, bot.greeting, bot.pid, bot.process));
        }
        let played = prepare(spec, guests, &Protocols::default(), None)?.run().await;
        let End::Verdict(verdict) = played.end else { unreachable!("nobody stops it") };
        anyhow::ensure!(verdict.ending.blame().is_none(), "the benchmark's match failed: {verdict:?}");
        plies += verdict.plies;
        for (home, greeting, pid, process) in homes {
            let link = home.await.map_err(|_| anyhow!("a link was lost"))?;
            bots.push(Bot { link, greeting, pid, process });
        }
    }
    Ok(plies)
}

/// A line of usual length to each bot in turn, and one back.
async fn ping_pong(bots: &mut [Bot], deadline: Instant) -> anyhow::Result<u64> {
    const ASK: &[u8] = b"{\"type\":\"turn\",\"id\":1,\"seat\":0,\"ply\":0,\"count\":12,\"moves\":[{\"seat\":1,\"move\":\"0.1-1.0\"}],\"clock\":{\"answer_ms\":null,\"left_ms\":null}}\n";
    let lost = |fault| anyhow!("the bot of the benchmark failed: {fault:?}");
    let mut plies = 0;
    while Instant::now() < deadline {
        for bot in &mut *bots {
            bot.link.send(ASK).await.map_err(lost)?;
            bot.link.receive().await.map_err(lost)?;
            plies += 1;
        }
    }
    Ok(plies)
}

pub(super) fn own_cpu() -> anyhow::Result<f64> {
    cpu("/proc/self/stat")
}

pub(super) fn cpu_of(pids: &[u32]) -> anyhow::Result<f64> {
    pids.iter().map(|pid| cpu(&format!("/proc/{pid}/stat"))).sum()
}

/// Seconds of processor time that a process has used.
fn cpu(stat: &str) -> anyhow::Result<f64> {
    let text = std::fs::read_to_string(stat)
        .with_context(|| format!("{stat}: processor times are read on Linux only"))?;
    let fields: Vec<&str> = text.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    let ticks =
        |idx: usize| fields.get(idx).and_then(|field| field.parse::<f64>().ok()).context("stat has changed");
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    Ok((ticks(11)? + ticks(12)?) / per_second)
}

pub(crate) fn echo(args: &EchoArgs) -> anyhow::Result<()> {
    match args.connect {
        None => {
            let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
            talk(input, &mut output)
        }
        Some(address) if !args.websocket => {
            let stream = std::net::TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            talk(std::io::BufReader::new(stream.try_clone()?), &mut &stream)
        }
        Some(address) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let stream = TcpStream::connect(address).await?;
                let url = format!("ws://{address}/");
                let mut link = WebSocket::connect(stream, &url, PROTOCOL.bounds).await?;
                while let Ok(line) = link.receive().await {
                    if let Some(answer) = answer(&line)
                        && link.send(answer.as_bytes()).await.is_err()
                    {
                        break;
                    }
                }
                Ok(())
            })
        }
    }
}

fn talk(mut input: impl std::io::BufRead, output: &mut impl Write) -> anyhow::Result<()> {
    let mut line = vec![];
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 || line.starts_with(b"{\"type\":\"quit\"") {
            return Ok(());
        }
        if let Some(answer) = answer(&line) {
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
    }
}

/// What the bot of the benchmark answers.
fn answer(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let rest = text.strip_prefix("{\"type\":\"")?;
    if rest.starts_with("hello") {
        return Some("{\"type\":\"hello\",\"version\":1,\"features\":[\"delta\"]}\n".to_owned());
    }
    if rest.starts_with("new_game") {
        return Some("{\"type\":\"ready\"}\n".to_owned());
    }
    let id = rest.strip_prefix("turn\",\"id\":")?.split(',').next()?;
    Some(format!("{{\"type\":\"move\",\"id\":{id},\"index\":0}}\n"))
}
