//! What is measured, one thing after the other, and shown.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use comfy_table::{Table, presets};
use rookery_arena::{Elsewhere as _, Holding, Order, Tournament};
use rookery_cluster::core::Terms;
use rookery_cluster::{Remote, RemoteConfig};
use rookery_live::Stopping;
use rookery_record::{Header, Key, Lines};
use rookery_referee::MatchSpec;
use rookery_rules::Seed;
use rookery_store::{JobState, Options, Page, Store, TournamentFilter, TournamentId};
use rookery_tournament::TournamentSpec;
use rookery_wire::Protocols;
use serde::Serialize;
use serde_json::json;

use super::ClusterArgs;
use super::parts::{Process, Waits, crowd, two_bare, workers};
use crate::commands::bench::write_table;
use crate::commands::bench_serve::{Times, memory_of};
use crate::commands::bench_store::Scratch;
use crate::commands::bench_wire::{cpu_of, own_cpu};
use crate::commands::write_json;
use crate::data_folder::cache_folder;
use crate::spec::UsageError;

/// A game that is over at once and has a record of about 2 KB.
const TRIVIAL: (&str, [&str; 2]) = ("hexapawn:rows=7,cols=7", ["random", "first"]);
/// A game that takes its time: `mcts` with so many random games an answer. Without a clock it is the same on any machine.
const LONG: &str = "four";
/// So many that nobody waits for the end.
const ENDLESS: u64 = 100_000_000;
/// How many games workers play at a time where the way of a game is measured.
const SLOTS: [(usize, usize); 2] = [(4, 16), (16, 8)];
/// How long something may take before it is a failure.
const PATIENCE: Duration = Duration::from_mins(10);

/// Games from the queue to the store.
#[derive(Serialize)]
struct Way {
    workers: usize,
    slots_each: usize,
    games: u64,
    jobs_per_second: f64,
    record_bytes: f64,
    /// Processor time of coordinator and workers, without broker and database.
    cpu_ms_per_game: f64,
}

#[derive(Serialize)]
struct Local {
    games_per_second: f64,
    cpu_ms_per_game: f64,
    /// What a game costs more with workers, for the fewest of them.
    added_cpu_ms_per_game: f64,
}

#[derive(Serialize)]
struct Long {
    games: u64,
    two_workers_seconds: f64,
    two_bare_seconds: f64,
    /// Of what two bare processes reach.
    share: f64,
}

#[derive(Serialize)]
struct Beats {
    small_crowd: u64,
    small_crowd_beat: Times,
    large_crowd: u64,
    large_crowd_beat: Times,
    median_ratio: f64,
    unanswered: u64,
    bytes_per_worker: f64,
}

#[derive(Serialize)]
struct Recovery {
    lease_seconds: f64,
    /// From the end of a worker to its game being another one's.
    seconds: f64,
    /// What came after the lease had ended.
    beyond_lease_seconds: f64,
}

#[derive(Serialize)]
struct Figures {
    queue_to_store: Vec<Way>,
    local: Local,
    cpu_bound: Long,
    beats: Beats,
    recovery: Recovery,
}

pub(in crate::commands) fn run(args: &ClusterArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let beside = cache_folder();
    std::fs::create_dir_all(&beside).with_context(|| beside.display().to_string())?;
    let folder = Scratch::new(&beside)?;
    let store = Store::open(&args.store, &Options::default())?;
    if !store.tournaments(&TournamentFilter::default(), Page { before: None, limit: 1 })?.is_empty() {
        bail!(UsageError(
            "--store: it has tournaments already; expected an empty store, so that nothing else is measured"
                .to_owned()
        ));
    }
    let terms = Terms { lease: args.lease * 1000, ..Terms::default() };
    let config = RemoteConfig { terms, ..RemoteConfig::new(args.dispatch.expect()?, store.clone()) };
    let bench = Bench { args, folder: &folder.0, store, remote: Remote::start(config)? };
    // First: what games of before have left of the heap would hide what workers cost.
    let beats = bench.beats()?;
    let way = SLOTS.iter().map(|&(n, slots)| bench.way(n, slots)).collect::<anyhow::Result<Vec<_>>>()?;
    let local = bench.local(&way)?;
    let (cpu_bound, recovery) = (bench.long()?, bench.recovery()?);
    let figures = Figures { queue_to_store: way, local, cpu_bound, beats, recovery };
    if args.json { write_json(out, &figures) } else { show(&figures, out) }
}

fn show(figures: &Figures, out: &mut dyn Write) -> anyhow::Result<()> {
    let Figures { queue_to_store, local, cpu_bound, beats, recovery } = figures;
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["games from queue to store", "games/s", "record bytes", "CPU ms a game"]);
    for Way { workers, slots_each, jobs_per_second, record_bytes, cpu_ms_per_game, .. } in queue_to_store {
        table.add_row([
            format!("{workers} workers of {slots_each} slots"),
            format!("{jobs_per_second:.0}"),
            format!("{record_bytes:.0}"),
            format!("{cpu_ms_per_game:.2}"),
        ]);
    }
    table.add_row([
        "in this process, the same store".to_owned(),
        format!("{:.0}", local.games_per_second),
        String::new(),
        format!("{:.2}", local.cpu_ms_per_game),
    ]);
    write_table(table, out)?;
    writeln!(out, "with workers a game costs {:.2} ms of CPU more", local.added_cpu_ms_per_game)?;
    let Long { games, two_workers_seconds, two_bare_seconds, share } = cpu_bound;
    writeln!(
        out,
        "{games} long games: {two_workers_seconds:.1} s with two workers, {two_bare_seconds:.1} s in two bare processes \
         ({:.0} %)",
        100.0 * share
    )?;
    let Beats { small_crowd, small_crowd_beat, large_crowd, large_crowd_beat, .. } = beats;
    let Beats { median_ratio, unanswered, bytes_per_worker, .. } = beats;
    writeln!(
        out,
        "a beat: median {:.2} ms and p99 {:.2} ms of {small_crowd} workers, {:.2} and {:.2} of {large_crowd} ({median_ratio:.2} times, \
         {unanswered} unanswered), {:.1} KiB a worker",
        small_crowd_beat.median_ms,
        small_crowd_beat.p99_ms,
        large_crowd_beat.median_ms,
        large_crowd_beat.p99_ms,
        bytes_per_worker / 1024.0
    )?;
    let Recovery { lease_seconds, seconds, beyond_lease_seconds } = recovery;
    writeln!(
        out,
        "the game of a lost worker was another one's after {seconds:.1} s: the lease of {lease_seconds:.0} s and \
         {beyond_lease_seconds:.2} s"
    )?;
    Ok(())
}

/// Waits until something is so.
fn wait(what: &str, mut is_so: impl FnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let begun = Instant::now();
    while !is_so()? {
        anyhow::ensure!(begun.elapsed() < PATIENCE, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

struct Bench<'a> {
    args: &'a ClusterArgs,
    folder: &'a Path,
    store: Store,
    remote: Remote,
}

fn searcher(playouts: u64) -> String {
    format!("mcts:playouts={playouts}")
}

fn spec(game: &str, players: [&str; 2], games: u64) -> anyhow::Result<TournamentSpec> {
    let entrants = ["one", "two"].iter().zip(players);
    let entrants = entrants.map(|(name, player)| json!({ "name": name, "player": player }));
    Ok(serde_json::from_value(json!({
        "name": "bench",
        "games": [game],
        "format": { "kind": "series", "games": games + games % 2 },
        "entrants": entrants.collect::<Vec<_>>(),
        "seed": "16",
    }))?)
}

impl Bench<'_> {
    /// Holds a tournament to its end, on other machines or here.
    fn hold(&self, tournament: &Tournament, elsewhere: bool) -> anyhow::Result<f64> {
        let protocols = Protocols::default();
        let how = Holding {
            programs: None,
            protocols: &protocols,
            concurrency: std::thread::available_parallelism().map_or(1, usize::from),
            affinity: false,
            announce: &|_, _| {},
            elsewhere: elsewhere.then_some(&self.remote as _),
        };
        let begun = Instant::now();
        let held = tournament.hold(&how, &Stopping::new(PATIENCE), &mut (), &mut |_| {}, &mut |_| Ok(()))?;
        anyhow::ensure!(held.complete, "a tournament of the benchmark did not end");
        Ok(begun.elapsed().as_secs_f64())
    }

    fn way(&self, n: usize, slots: usize) -> anyhow::Result<Way> {
        let workers = workers(&self.args.dispatch, n, slots, self.folder)?;
        let pids: Vec<u32> = workers.iter().map(Process::id).collect();
        let tournament = Tournament::create(&self.store, spec(TRIVIAL.0, TRIVIAL.1, self.args.games)?)?;
        let before = own_cpu()? + cpu_of(&pids)?;
        let seconds = self.hold(&tournament, true)?;
        let cpu = own_cpu()? + cpu_of(&pids)? - before;
        let games = self.args.games + self.args.games % 2;
        let sample = (0..games).step_by((games / 20).max(1) as usize);
        let sizes = sample.map(|pairing| Ok(self.record(tournament.id(), pairing)?.len()));
        let sizes: Vec<usize> = sizes.collect::<anyhow::Result<_>>()?;
        Ok(Way {
            workers: n,
            slots_each: slots,
            games,
            jobs_per_second: games as f64 / seconds,
            record_bytes: sizes.iter().sum::<usize>() as f64 / sizes.len() as f64,
            cpu_ms_per_game: 1000.0 * cpu / games as f64,
        })
    }

    fn record(&self, tournament: TournamentId, pairing: u64) -> anyhow::Result<Vec<u8>> {
        Ok(self.store.record_of(tournament, Key { pairing, attempt: 1 })?)
    }

    fn local(&self, way: &[Way]) -> anyhow::Result<Local> {
        let tournament = Tournament::create(&self.store, spec(TRIVIAL.0, TRIVIAL.1, self.args.games)?)?;
        let before = own_cpu()?;
        let seconds = self.hold(&tournament, false)?;
        let games = self.args.games + self.args.games % 2;
        let cpu_ms_per_game = 1000.0 * (own_cpu()? - before) / games as f64;
        let added = way.first().map_or(0.0, |way| way.cpu_ms_per_game) - cpu_ms_per_game;
        let games_per_second = games as f64 / seconds;
        Ok(Local { games_per_second, cpu_ms_per_game, added_cpu_ms_per_game: added })
    }

    /// The same games by two workers, and by two processes that do nothing else.
    fn long(&self) -> anyhow::Result<Long> {
        let games = self.args.long_games + self.args.long_games % 2;
        let player = searcher(self.args.playouts);
        let tournament = Tournament::create(&self.store, spec(LONG, [&player, &player], games)?)?;
        let both = workers(&self.args.dispatch, 2, 1, self.folder)?;
        let two_workers_seconds = self.hold(&tournament, true)?;
        drop(both);
        let agreed = |pairing| {
            let record = self.record(tournament.id(), pairing)?;
            let mut lines = Lines::new(&record[..]);
            let first = lines.first_line().map_err(|error| anyhow!("{error}"))?;
            Ok(Header::parse(first).map_err(|problem| anyhow!("{problem}"))?.spec)
        };
        let specs: Vec<MatchSpec> = (0..games).map(agreed).collect::<anyhow::Result<_>>()?;
        let two_bare_seconds = two_bare(&specs, self.folder)?;
        let share = two_bare_seconds / two_workers_seconds;
        Ok(Long { games, two_workers_seconds, two_bare_seconds, share })
    }

    /// Puts jobs of a tournament into the queue that nobody is to play to an end.
    fn queue(&self, games: u64) -> anyhow::Result<TournamentId> {
        let player = searcher(ENDLESS);
        let id = Tournament::create(&self.store, spec(LONG, [&player, &player], games)?)?.id();
        let agreed = MatchSpec::new(LONG, [&*player, &*player], Seed(16))?;
        // Nobody listens to what comes of them.
        drop(self.remote.open(id));
        for pairing in 0..games {
            let spec = MatchSpec { seed: Seed(pairing), ..agreed.clone() };
            let (until_proved, scale_time, bots) = (false, None, None);
            self.remote.play(Order {
                tournament: id,
                pairing,
                attempt: 1,
                spec,
                until_proved,
                scale_time,
                bots,
            });
        }
        wait("the queue", || Ok(self.store.jobs_of(id)?.len() as u64 == games))?;
        Ok(id)
    }

    fn beats(&self) -> anyhow::Result<Beats> {
        let (small_crowd, large_crowd) = (self.args.crowd / 100, self.args.crowd);
        let pace = Duration::from_secs(self.args.lease) / 3;
        let seconds = self.args.seconds;
        let one = |first: u64, workers: u64| {
            // Each has a job and what was agreed on it, which are part of what it costs.
            let before = memory_of("self")?;
            let id = self.queue(first + workers)?;
            let mut crowd = crowd(&self.args.dispatch, id, first, workers, pace, seconds)?;
            let waits: Waits = serde_json::from_str(&crowd.line()?)?;
            // While all of them are known.
            let grown = memory_of("self")? - before;
            self.remote.close(id);
            Ok::<_, anyhow::Error>((Times::of(waits.waits_ms)?, waits.unanswered, grown))
        };
        let (small_crowd_beat, _, _) = one(0, small_crowd)?;
        let (large_crowd_beat, unanswered, grown) = one(small_crowd, large_crowd)?;
        Ok(Beats {
            small_crowd,
            median_ratio: large_crowd_beat.median_ms / small_crowd_beat.median_ms,
            small_crowd_beat,
            large_crowd,
            large_crowd_beat,
            unanswered,
            bytes_per_worker: grown / large_crowd as f64,
        })
    }

    /// Ends a worker that plays, and looks when the other one has its game.
    fn recovery(&self) -> anyhow::Result<Recovery> {
        let mut both = workers(&self.args.dispatch, 2, 1, self.folder)?;
        let id = self.queue(1)?;
        let holder = || {
            let job = self.store.jobs_of(id)?.into_iter().find(|job| job.state == JobState::Leased);
            Ok::<_, anyhow::Error>(job.and_then(|job| job.worker))
        };
        let mut first = None;
        wait("a worker with a game", || {
            first = holder()?;
            Ok(first.is_some())
        })?;
        let is_first = |worker: &str| first.as_deref() == Some(worker);
        let lost =
            both.iter_mut().find(|worker| is_first(&worker.name)).context("a stranger has the game")?;
        lost.kill();
        let begun = Instant::now();
        wait("another worker with the game", || Ok(holder()?.is_some_and(|worker| !is_first(&worker))))?;
        let (seconds, lease_seconds) = (begun.elapsed().as_secs_f64(), self.args.lease as f64);
        self.remote.close(id);
        Ok(Recovery { lease_seconds, seconds, beyond_lease_seconds: (seconds - lease_seconds).max(0.0) })
    }
}
