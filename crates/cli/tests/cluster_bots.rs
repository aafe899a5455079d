//! Bots on workers: whole programs, a broker with a key for each, PostgreSQL, and workers that cannot play them.
#![cfg(all(feature = "cluster", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod cluster_parts;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_sandbox::{Level, Policy};
use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;
use rookery_testkit::trial::Page;
use rookery_testkit::{TempFolder, skip, tell_skipped};
use serde_json::{Value, json};

use cluster_parts::{PATIENCE, Part, ROOKERY, command, done, wait_for};

const GAME: &str = "hexapawn:rows=3,cols=3";

/// The level that bundles demand, or what this machine has instead.
fn level() -> &'static str {
    match Policy::new(Level::Full, ROOKERY).prepare() {
        Ok(_) => "full",
        Err(error) => {
            skip(&format!("bundles in a full sandbox: {error}; they run in what there is"));
            "auto"
        }
    }
}

/// A bot in a store, and the level that it can be confined at; `None` where there is nothing to run it.
fn pushed(folder: &Path, store: &str) -> Option<&'static str> {
    if Command::new("python3").arg("--version").output().is_err() {
        tell_skipped("bundles, because there is no python3 here");
        return None;
    }
    let level = level();
    done(folder, "new-bot python ann");
    let manifest = "name = \"ann\"\nrun = \"python3 bot.py\"\ngames = [\"hexapawn\"]\n";
    fs::write(folder.join("ann/bot.toml"), manifest).unwrap();
    done(folder, &format!("bot push ann --sandbox {level} --store {store}"));
    Some(level)
}

/// A server with a broker, with a folder of this name for its data: its address, what it said before its role, and its role.
fn serve(folder: &Path, data: &str, line: &str) -> (Part, String, Vec<String>, String) {
    let mut command = command(folder, line);
    let mut server =
        Part(command.env("XDG_DATA_HOME", folder.join(data)).stdout(Stdio::piped()).spawn().unwrap());
    let mut said = vec![];
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let role = lines.find_map(|line| {
        let role = line.strip_prefix("role: ").map(str::to_owned);
        said.push(line);
        role
    });
    // It is listened to until the end: nobody else takes what it prints.
    std::thread::spawn(move || lines.for_each(drop));
    let url = said.iter().find_map(|line| line.strip_prefix("page: ").map(str::to_owned));
    (server, url.unwrap(), said, role.unwrap())
}

fn machines(page: &Page) -> Value {
    page.get("/api/v1/operator/machines").unwrap()
}

fn parked(page: &Page) -> Vec<Value> {
    machines(page)["parked"].as_array().cloned().unwrap_or_default()
}

/// Waits until that is so.
fn until(page: &Page, what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: {}", machines(page));
        sleep(Duration::from_millis(50));
    }
}

/// Starts workers at which all games fail, until so many games are parked. One that has failed leaves games of the bot to others for
/// minutes, so there are always some that have not.
fn park(page: &Page, games: usize, start: impl Fn(&str) -> Part) -> Vec<Part> {
    let mut workers: Vec<Part> = vec![];
    until(page, "the games are parked", || {
        let seen = machines(page);
        let failed = seen["workers"].as_array().into_iter().flatten().filter(|worker| worker["lost"] != 0);
        if failed.count() == workers.len() {
            let n_before = workers.len();
            workers.extend((n_before..n_before + 2).map(|idx| start(&format!("broken-{idx}"))));
        }
        seen["parked"].as_array().is_some_and(|parked| parked.len() == games)
    });
    workers
}

#[test]
fn fault_q11_a_tournament_of_a_server_goes_on_by_itself_once_its_parked_games_are_tried_again() {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let folder = TempFolder::new("cluster-bots-parked");
    let store = postgres.database("rookery");
    let Some(level) = pushed(&folder, &store) else { return };
    let access = format!("--dispatch {}", broker.url());
    let line = format!(
        "serve --no-open --log error --listen 127.0.0.1:0 --bots 127.0.0.1:0 --store {store} {access} --bundle-sandbox {level}"
    );
    let (_first, url, said, role) = serve(&folder, "first", &line);
    let (_second, other, _, standby) = serve(&folder, "second", &line);
    assert_eq!((role.as_str(), standby.as_str()), ("coordinator", "standby"));
    let mut page = Page::of(&url);
    let invitation = said.iter().find(|line| line.starts_with("operator ")).expect("nobody is it yet");
    page.become_operator(invitation).unwrap();
    let other = page.at(&other);
    // Nothing can be unpacked where its cache should be.
    fs::write(folder.join("cache-broken"), "a file").unwrap();
    let worker = |name: &str, cache: &str| {
        let line =
            format!("worker {access} --name {name} --slots 4 --bundle-sandbox none --spool {name}.spool");
        let mut command = command(&folder, &line);
        command.env("XDG_CACHE_HOME", folder.join(cache)).stdout(Stdio::null());
        Part(command.spawn().unwrap())
    };
    let wish = json!({
        "name": "parked", "games": [GAME], "format": { "kind": "series", "games": 4 }, "seed": "16",
        "entrants": [{ "name": "ann", "player": "bundle:ann" }, { "name": "random", "player": "random" }],
    });
    let made = page.post("/api/v1/tournaments", &wish).unwrap();
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let failing = park(&page, 4, |name| worker(name, "cache-broken"));
    let is_paused = || postgres.query("rookery", "select state from tournaments").trim() == "paused";
    until(&page, "it waits for somebody", is_paused);
    assert_eq!(parked(&other), parked(&page), "any server tells of them");
    let refused = other.post("/api/v1/operator/machines/retry", &json!({ "jobs": ["nonsense"] })).unwrap();
    let error = &refused["error"];
    assert_eq!((&error["code"], &error["field"]), (&"wrong_field".into(), &"jobs".into()));
    drop(failing);
    let _good = worker("good", "cache-good");
    let n_done = || postgres.query("rookery", "select count(*) from jobs where state = 'done'");
    let plays_and_waits = |n: &str| until(&page, "one game more", || n_done().trim() == n && is_paused());
    let of = |job: &Value| job["job"].as_str().unwrap().to_owned();

    let retried = other.post("/api/v1/operator/machines/retry", &json!({ "jobs": [of(&parked(&page)[0])] }));
    assert_eq!(retried.unwrap()["retried"], 1);
    plays_and_waits("1");
    assert_eq!(parked(&page).len(), 3, "the others wait for somebody");

    let job = of(&parked(&page)[0]);
    let status = done(&folder, &format!("cluster status {access}"));
    let (begin, end) = (format!("parked: {job}, last by broken-"), format!("; rookery cluster retry {job}"));
    assert!(status.lines().any(|line| line.starts_with(&begin) && line.ends_with(&end)), "{status}");
    let said = done(&folder, &format!("cluster retry {job} {access}"));
    assert!(said.starts_with("1 parked game is tried again"), "{said}");
    plays_and_waits("2");
    let again = command(&folder, &format!("cluster retry {job} {access}")).output().unwrap();
    let said = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(1), "it is not parked any more: {said}");
    assert!(said.contains("`rookery cluster status` lists those that are"), "{said}");

    assert_eq!(page.post("/api/v1/operator/machines/retry", &json!({})).unwrap()["retried"], 2);
    let is_complete =
        || page.get(&format!("/api/v1/tournaments/{id}")).is_ok_and(|state| state["complete"] == true);
    until(&page, "it is over", is_complete);
    let audit = done(&folder, &format!("cluster audit {access}"));
    let retried = |who: &str| {
        audit.lines().filter(|line| line.contains(&format!(" {who} tries a parked game again: "))).count()
    };
    assert_eq!((retried("trial"), retried("operator")), (3, 1), "whichever server was asked: {audit}");
    assert!(audit.contains(&format!(" operator tries a parked game again: {job}")), "{audit}");
    let lost = postgres.query("rookery", "select count(*) from attempts where worker like 'broken-%'");
    let others = postgres.query("rookery", "select count(*) from attempts where worker not like 'broken-%'");
    assert_eq!((lost.trim(), others.trim()), ("12", "0"), "three of each game");
}

#[test]
fn a_server_with_a_broker_seats_bundles_and_only_its_operator_says_how_they_are_confined() {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let folder = TempFolder::new("cluster-bots-served");
    let store = postgres.database("rookery");
    let Some(level) = pushed(&folder, &store) else { return };
    let line = format!(
        "serve --no-open --log error --listen 127.0.0.1:0 --bots 127.0.0.1:0 --store {store} --dispatch {} --bundle-sandbox {level}",
        broker.url()
    );
    let (_server, url, _, role) = serve(&folder, "data", &line);
    assert_eq!(role, "coordinator");
    let line =
        format!("worker --dispatch {} --name ann --bundle-sandbox none --spool ann.spool", broker.url());
    let _worker = Part(command(&folder, &line).stdout(Stdio::null()).spawn().unwrap());
    let mut page = Page::of(&url);
    page.sign_in().unwrap();
    let spec = |player: &str, sandbox: &str| {
        json!({
            "name": "served", "games": [GAME], "format": { "kind": "series", "games": 4 }, "seed": "16", "sandbox": sandbox,
            "entrants": [{ "name": "ann", "player": player }, { "name": "random", "player": "random" }],
        })
    };
    let refused = page.post("/api/v1/tournaments", &spec("cmd:./ann", "full")).unwrap();
    assert!(refused["id"].is_null(), "{refused}");
    // Whoever makes a tournament cannot free a bot.
    let made = page.post("/api/v1/tournaments", &spec("bundle:ann", "none")).unwrap();
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let begun = Instant::now();
    while page.get(&format!("/api/v1/tournaments/{id}")).unwrap()["complete"] != true {
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        sleep(Duration::from_millis(50));
    }
    let kept = postgres.query("rookery", "select spec from tournaments");
    assert!(kept.contains(&format!("\"sandbox\":\"{level}\"")) && kept.contains("bundle:ann@"), "{kept}");
}

#[test]
fn fault_w18_bots_are_fetched_by_workers_that_can_confine_them_and_what_fails_there_is_nobodys_loss() {
    let folder = TempFolder::new("cluster-bots");
    let users = "--users users.conf";
    for (name, role) in [("main", " --coordinator"), ("weak", ""), ("broken", ""), ("good", "")] {
        done(&folder, &format!("worker enrol {name}{role} {users} --key {name}.key"));
    }
    let broker = Nats::with(&fs::read_to_string(folder.join("users.conf")).unwrap());
    let (Some(broker), Some(postgres)) = (broker, Postgres::start()) else { return };
    let store = postgres.database("rookery");
    let Some(level) = pushed(&folder, &store) else { return };
    let main = format!("--dispatch {} --dispatch-key main.key", broker.url());
    let worker = |name: &str, change: &dyn Fn(&mut Command)| {
        let line = format!(
            "worker --dispatch {} --dispatch-key {name}.key --name {name} --slots 2 --bundle-sandbox none --spool {name}.spool",
            broker.url()
        );
        let mut command = command(&folder, &line);
        command.env("XDG_CACHE_HOME", folder.join(format!("cache-{name}")));
        change(&mut command);
        Part(command.stdout(Stdio::null()).spawn().unwrap())
    };
    let mut held = command(
        &folder,
        &format!(
            "tournament run {GAME} bundle:ann random --games 6 --sandbox {level} --store {store} {main} --json -q"
        ),
    );
    let mut held = Part(held.stdout(Stdio::piped()).spawn().unwrap());
    // Without bubblewrap on its PATH it cannot confine anybody fully; it takes no game, and says why.
    let _weak = (level == "full").then(|| {
        let weak = worker("weak", &|command| {
            command.env("PATH", "/nowhere");
        });
        let seen = wait_for(&folder, &main, "weak", |found| {
            found["idle"].as_str().is_some_and(|why| why.contains("confine"))
        });
        assert_eq!((&seen["games"], &seen["lost"]), (&0.into(), &0.into()), "{seen}");
        weak
    });
    // Nothing can be unpacked where its cache should be: the attempt is lost, and the bot has lost nothing.
    fs::write(folder.join("cache-broken"), "a file").unwrap();
    let _broken = worker("broken", &|_| {});
    wait_for(&folder, &main, "broken", |found| found["lost"].as_u64().is_some_and(|lost| lost > 0));
    wait_for(&folder, &main, "broken", |found| {
        found["idle"].as_str().is_some_and(|why| why.contains("bundle ann"))
    });
    let _good = worker("good", &|_| {});
    let mut out = String::new();
    held.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(held.0.wait().unwrap().success(), "{out}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["complete"], &report["games"]), (&true.into(), &6.into()), "{report}");
    let id = report["tournament"].as_str().unwrap();
    done(&folder, &format!("tournaments export {id} out --store {store}"));
    let records = fs::read_dir(folder.join("out/records")).unwrap();
    let records: Vec<String> =
        records.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(records.len(), 6);
    for record in records {
        assert!(record.contains("\"player\":\"bundle:ann@") && !record.contains("\"fouled\""), "{record}");
    }
    let played = postgres.query("rookery", "select distinct worker from jobs where state = 'done'");
    assert_eq!(played.trim(), "good");
    let why = postgres.query("rookery", "select how from attempts where worker = 'broken' limit 1");
    assert!(why.contains("failed: bundle ann"), "{why}");
}
