//! Whoever cannot do anything says why, once: without a broker, without its `JetStream`, without workers, with a file that has no key.
#![cfg(all(feature = "cluster", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

#[allow(dead_code, reason = "nobody waits for what a status says here")]
mod cluster_parts;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;

use cluster_parts::{PATIENCE, Part, command};

/// A program, and the lines of its standard error.
struct Told {
    _part: Part,
    lines: Receiver<String>,
}

impl Told {
    fn start(folder: &Path, line: &str) -> Self {
        let mut part = command(folder, line);
        let mut part = Part(part.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
        let errors = BufReader::new(part.0.stderr.take().unwrap());
        let (say, lines) = channel();
        // It ends with the program.
        thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        Self { _part: part, lines }
    }

    /// All lines until one with these words, which is the last of them.
    fn until(&self, words: &str) -> Vec<String> {
        let mut said = vec![];
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            said.push(line.unwrap_or_else(|_| panic!("it does not say {words:?}: {said:?}")));
            if said.last().is_some_and(|line| line.contains(words)) {
                return said;
            }
        }
    }
}

#[test]
fn a_worker_for_whose_build_no_coordinator_was_there_says_so() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-unheard");
    let url = broker.url();
    let worker = Told::start(&folder, &format!("worker --dispatch {url} --name ann --spool ann.spool"));
    worker.until("no coordinator of this build was there yet");
}

#[test]
fn a_worker_that_cannot_reach_its_broker_says_why_once_and_that_it_is_back() {
    let Some(mut broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-unreached");
    let url = broker.url();
    broker.crash();
    let worker = Told::start(&folder, &format!("worker --dispatch {url} --name ann --spool ann.spool"));
    let said = worker.until("cannot be reached");
    let last = said.last().unwrap();
    assert!(last.contains(&format!("ann: {url}: the broker cannot be reached: IO error: ")), "{last}");
    assert!(last.contains("refused") && last.contains("it is tried again"), "{last}");
    broker.resume();
    let said = worker.until("the broker is reached");
    assert!(said.iter().all(|line| !line.contains("cannot be reached")), "once: {said:?}");
    broker.crash();
    worker.until("cannot be reached");

    let url = "nats://no-such-host.invalid:4222";
    let worker = Told::start(&folder, &format!("worker --dispatch {url} --name bob --spool bob.spool"));
    let said = worker.until("cannot be reached");
    assert!(
        said.last().unwrap().contains(&format!("{url}: the broker cannot be reached: DNS error")),
        "{said:?}"
    );
}

#[test]
fn a_worker_says_that_its_broker_has_no_tls_or_no_jetstream() {
    let Some(broker) = Nats::with("jetstream: disabled") else { return };
    let folder = TempFolder::new("cluster-unfit");
    let worker = |url: &str, name: &str| {
        Told::start(&folder, &format!("worker --dispatch {url} --name {name} --spool {name}.spool"))
    };
    let url = broker.url().replace("nats://", "tls://");
    let said = worker(&url, "ann").until("cannot be reached");
    assert!(said.last().unwrap().contains(&format!("{url}: the broker cannot be reached: ")), "{said:?}");
    worker(&broker.url(), "bob")
        .until("the broker has no JetStream, so no game comes: start nats-server with -js");
}

#[test]
fn a_worker_whose_file_has_no_key_names_it_and_ends() {
    let folder = TempFolder::new("cluster-garbage");
    fs::write(folder.join("ann.key"), "garbage").unwrap();
    let line = "worker --dispatch nats://127.0.0.1:1 --dispatch-key ann.key --name ann --spool ann.spool";
    let ended = command(&folder, line).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("ann.key: it has no key") && said.contains("rookery worker enrol"), "{said}");
}

#[test]
fn a_tournament_that_waits_for_workers_says_so() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-alone");
    let url = broker.url();
    let line =
        format!("tournament run hexapawn easy easy --games 2 --store many.db --dispatch {url} --json -q");
    let said = Told::start(&folder, &line).until("no worker was heard of");
    assert!(said.last().unwrap().contains(&format!("rookery worker --dispatch {url}")), "{said:?}");
}
