//! A tournament over PostgreSQL, nats-server, two servers and four workers on this machine, while parts of them are killed; then
//! the same one in one process. Both must come to the same records, byte for byte.

mod http;
mod part;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::nats::Nats;
use crate::postgres::Postgres;
use http::Page;
use part::Part;

/// How long it may take in all, beside a tenth of a second for each game.
const PATIENCE: Duration = Duration::from_mins(5);
/// How many workers there are, and how many games each plays at a time.
const WORKERS: usize = 4;
const SLOTS: &str = "2";
/// How long a lease lasts here, in seconds: nobody wants to wait for half a minute.
const LEASE: &str = "3";
/// What is played, and by whom.
const GAME: &str = "stones";
const PLAYERS: [&str; 2] = ["hard", "medium"];

/// What can be killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One of the workers, for good.
    Worker,
    /// The server that coordinates, for good: the other one takes over.
    Coordinator,
    /// The broker, which comes back after a moment.
    Broker,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Coordinator => "coordinator",
            Self::Broker => "broker",
        }
    }
}

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct Order {
    /// The program.
    pub binary: PathBuf,
    /// How many games.
    pub games: u64,
    /// What is killed, in this order.
    pub kill: Vec<Kind>,
    /// Where the records are left.
    pub keep: PathBuf,
}

impl Order {
    /// Reads `--binary FILE --games N --kill worker,coordinator,broker --keep DIR`.
    pub fn parse(args: &[String]) -> Result<Self, String> {
        let mut order = Self { binary: PathBuf::new(), games: 2000, kill: vec![], keep: PathBuf::new() };
        let usage = "usage: cluster [--games N] [--kill worker,coordinator,broker] [--keep DIR]";
        let mut killed = None;
        for pair in args.chunks(2) {
            let [flag, value] = pair else { return Err(usage.to_owned()) };
            match flag.as_str() {
                "--binary" => order.binary = value.into(),
                "--games" => {
                    let games =
                        value.parse().ok().filter(|games| (10..=100_000).contains(games) && games % 2 == 0);
                    order.games = games.ok_or_else(|| {
                        format!("--games {value}: expected an even number from 10 to 100000")
                    })?;
                }
                "--keep" => order.keep = value.into(),
                "--kill" => killed = Some(value.as_str()),
                _ => return Err(usage.to_owned()),
            }
        }
        let all = [Kind::Worker, Kind::Coordinator, Kind::Broker];
        for word in killed.unwrap_or("worker,coordinator,broker").split(',').filter(|word| !word.is_empty()) {
            let kind = all.into_iter().find(|kind| kind.word() == word);
            order.kill.push(kind.ok_or_else(|| format!("--kill {word}: {usage}"))?);
        }
        if order.keep.as_os_str().is_empty() {
            order.keep = PathBuf::from("target/cluster");
        }
        Ok(order)
    }
}

/// Plays both ways and compares; how many games there were.
pub fn run(order: &Order, say: &dyn Fn(&str)) -> Result<u64, String> {
    let (local, cluster) = (order.keep.join("local"), order.keep.join("cluster"));
    for folder in [&local, &cluster] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let scratch = crate::TempFolder::new("cluster-trial");
    let (spec, table) = play_here(order, &scratch, &local)?;
    say(&format!("one process: {} games", order.games));
    let (there, run) = play_there(order, &spec, &scratch, &cluster, say)?;
    let text = serde_json::to_string_pretty(&run).map_err(|error| error.to_string())?;
    fs::write(order.keep.join("run.json"), text + "\n").map_err(|error| error.to_string())?;
    if table != there {
        return Err(format!("the tables differ: {table} in one process, {there} in many"));
    }
    compare(&local, &cluster, order.games)
}

/// The same names, the same bytes.
fn compare(local: &Path, cluster: &Path, games: u64) -> Result<u64, String> {
    let (here, there) = (records(local)?, records(cluster)?);
    if here.keys().ne(there.keys()) {
        return Err(format!("{} records in one process, {} in many", here.len(), there.len()));
    }
    let other = here.iter().find(|(name, bytes)| there.get(*name) != Some(bytes));
    if let Some((name, _)) = other {
        return Err(format!("{name} differs"));
    }
    if here.len() as u64 != games {
        return Err(format!("{} records, expected {games}", here.len()));
    }
    Ok(games)
}

fn records(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.insert(name, fs::read(&path).map_err(|error| error.to_string())?);
    }
    Ok(found)
}

/// Runs the program to its end; what it printed.
fn rookery(order: &Order, args: &[&str]) -> Result<String, String> {
    let ran = Command::new(&order.binary).args(args).output();
    let ran = ran.map_err(|error| format!("{}: {error}", order.binary.display()))?;
    if !ran.status.success() {
        return Err(format!("rookery {}: {}", args.join(" "), String::from_utf8_lossy(&ran.stderr)));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Writes the records of a tournament into a folder, named by their pairing alone. What was agreed.
fn export(order: &Order, id: &str, store: &str, scratch: &Path, to: &Path) -> Result<Value, String> {
    let folder = scratch.join(format!("export-{id}"));
    let place = folder.to_string_lossy();
    rookery(order, &["tournaments", "export", id, &place, "--store", store])?;
    for (name, bytes) in records(&folder.join("records"))? {
        let pairing = name.split('-').next().unwrap_or(&name);
        let path = to.join(format!("{pairing}.rookery.jsonl"));
        if path.exists() {
            return Err(format!("pairing {pairing} was stored twice"));
        }
        fs::write(&path, bytes).map_err(|error| error.to_string())?;
    }
    let text = fs::read_to_string(folder.join("tournament.json")).map_err(|error| error.to_string())?;
    let exported: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(exported["spec"].clone())
}

/// The table of a report.
fn table(report: &Value) -> Value {
    let row = |row: &Value| json!({ "name": row["name"], "games": row["games"], "points": row["points"], "total": row["total"] });
    report["standings"].as_array().into_iter().flatten().map(row).collect()
}

/// In one process: what was agreed, and the table.
fn play_here(order: &Order, scratch: &Path, to: &Path) -> Result<(Value, Value), String> {
    let store = scratch.join("local.db");
    let store = store.to_string_lossy();
    let games = order.games.to_string();
    let mut args = vec!["tournament", "run", "--format", "series", "--games", &games, "--seed", "16", GAME];
    args.extend(PLAYERS);
    args.extend(["--store", &store, "--json", "--quiet"]);
    let report = rookery(order, &args)?;
    let report: Value = serde_json::from_str(&report).map_err(|error| error.to_string())?;
    let id = report["tournament"].as_str().unwrap_or_default().to_owned();
    let spec = export(order, &id, &store, scratch, to)?;
    Ok((spec, table(&report)))
}

/// Everything that runs.
struct Machines {
    broker: Nats,
    postgres: Postgres,
    servers: Vec<Part>,
    workers: Vec<Part>,
    begun: Instant,
    killed: Vec<Value>,
}

/// On many machines: the table, and what happened.
fn play_there(
    order: &Order,
    spec: &Value,
    scratch: &Path,
    to: &Path,
    say: &dyn Fn(&str),
) -> Result<(Value, Value), String> {
    let postgres = Postgres::start().ok_or("PostgreSQL is not installed (Debian: postgresql)")?;
    let broker = Nats::start().ok_or("nats-server is not installed (Debian: nats-server)")?;
    let store = postgres.database("rookery");
    let mut all = Machines {
        broker,
        postgres,
        servers: vec![],
        workers: vec![],
        begun: Instant::now(),
        killed: vec![],
    };
    let url = all.broker.url();
    for idx in 0..2 {
        let name = format!("server-{}", idx + 1);
        let args = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--bots",
            "127.0.0.1:0",
            "--no-open",
            "--store",
            &store,
            "--dispatch",
            &url,
            "--lease",
            LEASE,
            "--log",
            "warn",
        ];
        let part = Part::start(&order.binary, &name, &args, scratch)?;
        // The second one finds the first one at work.
        part.wait_for("role: ", Duration::from_mins(1))?;
        all.servers.push(part);
    }
    for idx in 0..WORKERS {
        let name = format!("worker-{}", idx + 1);
        let args = ["worker", "--dispatch", &url, "--slots", SLOTS, "--name", &name];
        all.workers.push(Part::start(&order.binary, &name, &args, scratch)?);
    }
    let mut page = Page::of(&all.servers[0].wait_for("page: ", Duration::from_mins(1))?);
    page.sign_in()?;
    let made = page.post("/api/v1/tournaments", spec)?;
    let id = made["id"].as_str().ok_or_else(|| format!("no tournament was made: {made}"))?.to_owned();
    say(&format!("two servers and {WORKERS} workers: tournament {id}"));
    let report = all.watch(order, &id, say)?;
    export(order, &id, &store, scratch, to)?;
    let counted = all.postgres.query(
        "rookery",
        "select worker || ' ' || count(*) from jobs where state = 'done' group by worker order by worker",
    );
    let worker = |line: &str| {
        let (name, games) = line.split_once(' ').unwrap_or((line, "0"));
        json!({ "name": name, "games": games.parse::<u64>().unwrap_or(0) })
    };
    let lost = all.postgres.query("rookery", "select count(*) from attempts");
    let workers: Vec<Value> = counted.lines().map(worker).collect();
    let run = json!({
        "games": order.games,
        "seconds": all.begun.elapsed().as_secs_f64(),
        "killed": all.killed,
        "workers": workers,
        "lost_attempts": lost.trim().parse::<u64>().unwrap_or(0),
    });
    Ok((table(&report), run))
}

impl Machines {
    /// Waits for the end, and kills on the way. The report.
    fn watch(&mut self, order: &Order, id: &str, say: &dyn Fn(&str)) -> Result<Value, String> {
        let patience = PATIENCE + Duration::from_millis(100) * u32::try_from(order.games).unwrap_or(u32::MAX);
        let mut to_kill = order.kill.iter().copied().enumerate().peekable();
        let mut seen = 0;
        while self.begun.elapsed() < patience {
            let report = self.report(id);
            let games = report["games"].as_u64().unwrap_or(seen);
            if report["complete"] == true && games >= order.games {
                return match to_kill.peek() {
                    None => Ok(report),
                    Some((_, kind)) => Err(format!("it was over before the {} could be killed", kind.word())),
                };
            }
            // Each at its share of the way, and only when something was stored since the last one.
            if let Some(&(idx, kind)) = to_kill.peek()
                && games > seen
                && games * (order.kill.len() as u64 + 1) > order.games * idx as u64
            {
                self.kill(kind)?;
                say(&format!("killed: the {} after {games} games", kind.word()));
                to_kill.next();
                seen = games;
            }
            sleep(Duration::from_millis(20));
        }
        Err(format!("it does not end; the servers say:\n{}", self.logs()))
    }

    /// How it stands, by whichever server answers.
    fn report(&self, id: &str) -> Value {
        let path = format!("/api/v1/tournaments/{id}");
        let ask = |server: &Part| Page::of(&server.line("page: ")?).get(&path).ok();
        self.servers.iter().filter(|server| server.is_alive()).find_map(ask).unwrap_or(Value::Null)
    }

    fn kill(&mut self, kind: Kind) -> Result<(), String> {
        let at = self.begun.elapsed().as_secs_f64();
        match kind {
            Kind::Worker => self.workers[0].kill(),
            Kind::Coordinator => {
                let coordinates = |server: &&mut Part| {
                    server.is_alive() && server.last("role: ").is_some_and(|role| role == "coordinator")
                };
                self.servers.iter_mut().find(coordinates).ok_or("no server is the coordinator")?.kill();
            }
            Kind::Broker => {
                self.broker.crash();
                sleep(Duration::from_secs(1));
                self.broker.resume();
            }
        }
        self.killed.push(json!({ "part": kind.word(), "at": at }));
        Ok(())
    }

    fn logs(&self) -> String {
        self.servers.iter().chain(&self.workers).map(Part::log).collect::<Vec<_>>().join("\n")
    }
}
