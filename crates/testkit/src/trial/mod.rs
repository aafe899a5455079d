//! A tournament over PostgreSQL, nats-server, two servers and four workers on this machine, while parts of them are killed; then
//! the same one in one process. Both must come to the same records, byte for byte.

mod http;
mod kept;
mod live;
mod order;
mod part;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::nats::Nats;
use crate::postgres::Postgres;
pub use http::Page;
pub use live::watch_taken_over;
pub use order::{Kind, Order};
use part::Part;

/// How long it may take in all, beside a tenth of a second for each game.
const PATIENCE: Duration = Duration::from_mins(5);
/// How many workers there are, and how many games each plays at a time.
const WORKERS: usize = 4;
const SLOTS: &str = "2";
/// How long a lease lasts here, in seconds: nobody wants to wait for half a minute.
const LEASE: &str = "3";
/// How long something stands still: longer than a lease.
const FROZEN: Duration = Duration::from_secs(5);
/// What is played, and by whom.
const GAME: &str = "stones";
const PLAYERS: [&str; 2] = ["hard", "medium"];

/// What a trial says last that has gone well: so many games are the same, byte for byte.
pub fn last_line(games: u64) -> String {
    format!("equal: {games} games")
}

/// Plays both ways and compares; how many games there were.
pub fn run(order: &Order, say: &dyn Fn(&str)) -> Result<u64, String> {
    let (local, cluster) = (order.keep.join("local"), order.keep.join("cluster"));
    kept::make_room([&local, &cluster])?;
    let scratch = crate::TempFolder::new("cluster-trial");
    let (spec, table) = play_here(order, &scratch, &local)?;
    say(&format!("one process: {} games", order.games));
    let (there, run) = play_there(order, &spec, &scratch, &cluster, say)?;
    let text = serde_json::to_string_pretty(&run).map_err(|error| error.to_string())?;
    fs::write(order.keep.join("run.json"), text + "\n").map_err(|error| error.to_string())?;
    if table != there {
        return Err(format!("the tables differ: {table} in one process, {there} in many"));
    }
    kept::compare(&local, &cluster, order.games)
}

/// Has the program (`--binary FILE`, the first two words) measure many machines, with a broker and a database of this run's own;
/// the other words are those of `rookery bench cluster`.
pub fn bench(args: &[String]) -> Result<(), String> {
    let [flag, binary, rest @ ..] = args else { return Err("which program? --binary FILE".to_owned()) };
    if flag != "--binary" {
        return Err(format!("{flag}: expected --binary FILE first"));
    }
    let postgres = Postgres::start().ok_or("PostgreSQL is not installed (Debian: postgresql)")?;
    let broker = Nats::start().ok_or("nats-server is not installed (Debian: nats-server)")?;
    let mut command = Command::new(binary);
    command.args(["bench", "cluster", "--dispatch", &broker.url(), "--store", &postgres.database("bench")]);
    let ran = command.args(rest).status().map_err(|error| format!("{binary}: {error}"))?;
    if ran.success() { Ok(()) } else { Err("the benchmark failed, see above".to_owned()) }
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
    for (name, bytes) in kept::records(&folder.join("records"))? {
        let pairing = name.split('-').next().unwrap_or(&name);
        let path = to.join(format!("{pairing}{}", kept::RECORD));
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

/// What a worker is called.
fn worker_name(idx: usize) -> String {
    format!("worker-{}", idx + 1)
}

/// How many games each worker has played, also who has played none, from lines of a name and a number.
fn workers(counted: &str) -> Vec<Value> {
    let games = |name: &str| {
        let of = |line: &str| line.split_once(' ').filter(|(worker, _)| *worker == name)?.1.parse().ok();
        counted.lines().find_map(of).unwrap_or(0_u64)
    };
    (0..WORKERS).map(worker_name).map(|name| json!({ "games": games(&name), "name": name })).collect()
}

/// Everything that runs.
struct Machines {
    broker: Nats,
    postgres: Postgres,
    servers: Vec<Part>,
    workers: Vec<Part>,
    begun: Instant,
    killed: Vec<Value>,
    /// The address of the database, and the folder for what parts write.
    store: String,
    scratch: PathBuf,
    /// How many workers were killed or stood still.
    n_workers_hit: usize,
}

/// On many machines: the table, and what happened.
fn play_there(
    order: &Order,
    spec: &Value,
    scratch: &Path,
    to: &Path,
    say: &dyn Fn(&str),
) -> Result<(Value, Value), String> {
    let mut all = Machines::start(scratch)?;
    for idx in 0..2 {
        let server = all.server(order, idx)?;
        all.servers.push(server);
    }
    for idx in 0..WORKERS {
        let worker = all.worker(order, idx)?;
        all.workers.push(worker);
    }
    let mut page = Page::of(&all.servers[0].wait_for("page: ", Duration::from_mins(1))?);
    page.sign_in()?;
    let made = page.post("/api/v1/tournaments", spec)?;
    let id = made["id"].as_str().ok_or_else(|| format!("no tournament was made: {made}"))?.to_owned();
    say(&format!("two servers and {WORKERS} workers: tournament {id}"));
    let report = all.watch(order, &id, say)?;
    let store = all.store.clone();
    export(order, &id, &store, scratch, to)?;
    let counted = all
        .postgres
        .query("rookery", "select worker || ' ' || count(*) from jobs where state = 'done' group by worker");
    let lost = all.postgres.query("rookery", "select count(*) from attempts");
    let run = json!({
        "games": order.games,
        "seconds": all.begun.elapsed().as_secs_f64(),
        "killed": all.killed,
        "workers": workers(&counted),
        "lost_attempts": lost.trim().parse::<u64>().unwrap_or(0),
    });
    Ok((table(&report), run))
}

impl Machines {
    /// A broker and a database, and nobody yet who uses them.
    fn start(scratch: &Path) -> Result<Self, String> {
        let postgres = Postgres::start().ok_or("PostgreSQL is not installed (Debian: postgresql)")?;
        let broker = Nats::start().ok_or("nats-server is not installed (Debian: nats-server)")?;
        let store = postgres.database("rookery");
        Ok(Self {
            broker,
            postgres,
            servers: vec![],
            workers: vec![],
            begun: Instant::now(),
            killed: vec![],
            store,
            scratch: scratch.to_owned(),
            n_workers_hit: 0,
        })
    }

    /// Starts a server, and waits until it knows its role: the second one finds the first one at work.
    fn server(&self, order: &Order, idx: usize) -> Result<Part, String> {
        let url = self.broker.url();
        let args = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--bots",
            "127.0.0.1:0",
            "--no-open",
            "--store",
            &self.store,
            "--dispatch",
            &url,
            "--lease",
            LEASE,
            "--log",
            "warn",
        ];
        let part = Part::start(&order.binary, &format!("server-{}", idx + 1), &args, &self.scratch)?;
        part.wait_for("role: ", Duration::from_mins(1))?;
        Ok(part)
    }

    fn worker(&self, order: &Order, idx: usize) -> Result<Part, String> {
        let (url, name) = (self.broker.url(), worker_name(idx));
        let args = ["worker", "--dispatch", &url, "--slots", SLOTS, "--name", &name];
        Part::start(&order.binary, &name, &args, &self.scratch)
    }

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
            // All on the first half of the way, each at its share of it, for much is played while one of them stands still;
            // and only when something was stored since the last one.
            if let Some(&(idx, kind)) = to_kill.peek()
                && games > seen
                && games * 2 * (order.kill.len() as u64 + 1) > order.games * idx as u64
            {
                let left = order.games.saturating_sub(games);
                let enough = games + left / (order.kill.len() - idx + 1) as u64;
                self.kill(order, kind, &|all| all.report(id)["games"].as_u64() >= Some(enough))?;
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

    /// The server that coordinates, once there is one.
    fn coordinator(&self) -> Result<usize, String> {
        let is_it = |server: &Part| {
            server.is_alive() && server.last("role: ").is_some_and(|role| role == "coordinator")
        };
        let begun = Instant::now();
        loop {
            if let Some(idx) = self.servers.iter().position(is_it) {
                return Ok(idx);
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("no server is the coordinator:\n{}", self.logs()));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// `enough` is whether so much was played meanwhile that there would soon be nothing left for the next part.
    fn kill(&mut self, order: &Order, kind: Kind, enough: &dyn Fn(&Self) -> bool) -> Result<(), String> {
        let at = self.begun.elapsed().as_secs_f64();
        let hit = self.n_workers_hit % WORKERS;
        match kind {
            Kind::Worker => {
                self.workers[hit].kill();
                self.n_workers_hit += 1;
                if order.revive {
                    self.workers[hit] = self.worker(order, hit)?;
                }
            }
            Kind::Coordinator => {
                let idx = self.coordinator()?;
                self.servers[idx].kill();
                if order.revive {
                    self.servers[idx] = self.server(order, idx)?;
                }
            }
            Kind::Broker => {
                self.broker.crash();
                sleep(Duration::from_secs(1));
                self.broker.resume();
            }
            Kind::Database => {
                self.postgres.crash();
                sleep(Duration::from_secs(1));
                self.postgres.resume();
            }
            Kind::FreezeWorker => {
                self.freeze_worker(hit, enough);
                self.n_workers_hit += 1;
            }
            Kind::FreezeCoordinator => {
                let idx = self.coordinator()?;
                self.servers[idx].freeze(true);
                sleep(FROZEN);
                self.servers[idx].freeze(false);
            }
            Kind::FreezeBroker => {
                self.broker.freeze(true);
                sleep(FROZEN);
                self.broker.freeze(false);
            }
            Kind::FreezeDatabase => {
                self.postgres.freeze(true);
                sleep(FROZEN);
                self.postgres.freeze(false);
            }
        }
        self.killed.push(json!({ "part": kind.word(), "at": at }));
        Ok(())
    }

    /// One worker stands still, and the others play on. However fast they are, they do not end the tournament meanwhile: before that
    /// they stand still as well.
    fn freeze_worker(&self, hit: usize, enough: &dyn Fn(&Self) -> bool) {
        let until = Instant::now() + FROZEN;
        self.workers[hit].freeze(true);
        while Instant::now() < until {
            if enough(self) {
                self.workers.iter().for_each(|worker| worker.freeze(true));
            }
            sleep(Duration::from_millis(20));
        }
        self.workers.iter().for_each(|worker| worker.freeze(false));
    }

    fn logs(&self) -> String {
        self.servers.iter().chain(&self.workers).map(Part::log).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_played_no_game_is_named_too() {
        let expected = json!([
            { "name": "worker-1", "games": 0 },
            { "name": "worker-2", "games": 61 },
            { "name": "worker-3", "games": 0 },
            { "name": "worker-4", "games": 19 },
        ]);
        assert_eq!(Value::from(workers("worker-4 19\nworker-2 61\n")), expected);
    }
}
