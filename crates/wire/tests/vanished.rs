//! A peer that is gone from one moment to the next, as if somebody had pulled its plug: nothing says that it has gone.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rookery_referee::Offence;
use rookery_testkit::skip;
use rookery_wire::{Bounds, Connection, Framing, TransportExt as _, listen};
use tokio::time::timeout;

/// A network of its own behind a cable. Both go when this is dropped.
struct Elsewhere {
    name: String,
    cable: String,
    peer: Option<Child>,
}

fn ip(words: &str) -> bool {
    let run = Command::new("ip").args(words.split_whitespace()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

impl Elsewhere {
    /// `ours` and `theirs` are the addresses of both ends.
    fn new(ours: &str, theirs: &str) -> Option<Self> {
        let id = std::process::id();
        let (name, cable) = (format!("rookery-{id}"), format!("rk{id}"));
        let made = Self { name: name.clone(), cable: cable.clone(), peer: None };
        let steps = [
            format!("netns add {name}"),
            format!("link add {cable} type veth peer name far netns {name}"),
            format!("addr add {ours}/30 dev {cable}"),
            format!("link set {cable} up"),
            format!("-n {name} addr add {theirs}/30 dev far"),
            format!("-n {name} link set far up"),
        ];
        steps.iter().all(|step| ip(step)).then_some(made)
    }

    /// A program there runs a script of bash.
    fn run(&mut self, script: &str) {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, "bash", "-c", script]);
        self.peer = Some(command.spawn().unwrap());
    }

    fn pull_the_plug(&self) {
        assert!(ip(&format!("link set {} down", self.cable)));
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        if let Some(peer) = &mut self.peer {
            let _ = peer.kill();
            let _ = peer.wait();
        }
        ip(&format!("link del {}", self.cable));
        ip(&format!("netns del {}", self.name));
    }
}

/// Nobody closes anything here: whoever waits for an answer, and whoever was sent nothing, learns of it all the same.
#[tokio::test]
async fn fault_t04_a_peer_that_vanishes_is_noticed_though_nothing_says_so() {
    let (ours, theirs) = ("198.18.77.1", "198.18.77.2");
    let Some(mut elsewhere) = Elsewhere::new(ours, theirs) else {
        skip("a peer that vanishes: a network of its own cannot be made here; expected root and `ip netns`");
        return;
    };
    let listener = listen(format!("{ours}:0").parse().unwrap()).unwrap();
    let port = listener.local_addr().unwrap().port();
    elsewhere.run(&format!(
        "exec 3<>/dev/tcp/{ours}/{port} 4<>/dev/tcp/{ours}/{port}; echo here >&3; echo here >&4; exec sleep 100"
    ));
    let mut links = vec![];
    for _ in 0..2 {
        let (stream, _) = timeout(Duration::from_secs(10), listener.accept()).await.unwrap().unwrap();
        let mut link = Connection::tcp(stream, Framing::Lines, Bounds::default()).unwrap();
        assert_eq!(link.receive().await.unwrap(), b"here");
        links.push(link);
    }
    let [mut asked, mut idle] = <[_; 2]>::try_from(links).ok().unwrap();
    elsewhere.pull_the_plug();
    let begin = Instant::now();
    asked.send(b"a question\n").await.unwrap();
    // Half a minute, and what the system's timers are late. By itself it would be a quarter of an hour, or two hours.
    let within = Duration::from_secs(50);
    let both = async { tokio::join!(asked.receive(), idle.receive()) };
    let (asked, idle) = timeout(within, both).await.expect("nobody waits for ever for who has vanished");
    for said in [asked, idle] {
        assert_eq!(said.unwrap_err().offence, Offence::Disconnected);
    }
    assert!(begin.elapsed() > Duration::from_secs(5), "nobody has said that it goes: {:?}", begin.elapsed());
}
