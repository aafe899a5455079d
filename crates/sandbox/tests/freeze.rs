//! Programs that are stopped while they have nothing to do: the option of fault C8.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::io::BufRead;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::*;
use rookery_sandbox::{Ended, Level, Policy, SandboxError, cpu_below};

/// Two processes that use as much as they get, one of them in a session of its own.
const BURNER: &str =
    "import os,sys\nif os.fork()==0: os.setsid()\nelse: print('ready',flush=True)\nwhile True: pass";

const PAUSE: Duration = Duration::from_millis(300);

/// The ways to be shut in, with a policy that freezes; none if this machine cannot.
fn freezing() -> Vec<Mode> {
    let mut modes = Mode::confined();
    for mode in &mut modes {
        mode.policy.freeze = true;
        if let Err(error @ SandboxError::NoFreezer) = mode.policy.clone().prepare() {
            skip(&format!("{}: {error}", mode.name));
            return vec![];
        }
    }
    modes
}

/// What a program with all its processes uses in a while.
fn used_in_a_while(running: &Running) -> Duration {
    let used = || cpu_below(running.child.id()).unwrap();
    let before = used();
    thread::sleep(PAUSE);
    used().saturating_sub(before)
}

fn start_burner(mode: &Mode) -> (Running, String) {
    let (mut program, mark) = python(BURNER);
    program.argv.push(mark.clone());
    let mut running = start(&mode.sandbox(), &program);
    wait_for_line(&mut running);
    (running, mark)
}

#[test]
fn fault_c08_a_frozen_program_uses_no_time_and_goes_on_when_it_is_thawed() {
    for mode in freezing() {
        let (mut running, mark) = start_burner(&mode);
        for _ in 0..2 {
            running.guard.set_frozen(true);
            // Who is in a system call stops at its end.
            thread::sleep(Duration::from_millis(20));
            let frozen = used_in_a_while(&running);
            assert!(frozen <= Duration::from_millis(20), "{}: {frozen:?} while frozen", mode.name);
            running.guard.set_frozen(false);
            let start = Instant::now();
            while used_in_a_while(&running) < Duration::from_millis(50) {
                assert!(start.elapsed() < PROMPT, "{}: it does not go on", mode.name);
            }
        }
        send(running.child.id(), 15);
        assert_eq!(finish(running).report.ended, Ended::Stopped);
        assert_nothing_left(&mark);
    }
}

#[test]
fn fault_c08_a_frozen_program_ends_like_any_other() {
    for mode in freezing() {
        for how in ["term", "drop", "kill", "kill and forget"] {
            let (mut running, mark) = start_burner(&mode);
            running.guard.set_frozen(true);
            thread::sleep(Duration::from_millis(20));
            let end = Instant::now();
            match how {
                "term" => {
                    send(running.child.id(), 15);
                    let report = finish(running).report;
                    assert_eq!((report.ended, report.left), (Ended::Stopped, 0), "{}", mode.name);
                }
                "drop" => {
                    drop(running.guard);
                    wait(&mut running.child);
                }
                // The supervisor is killed, and the one below it is frozen.
                "kill" => {
                    running.child.kill().unwrap();
                    assert_eq!(finish(running).report.ended, Ended::Unknown, "{}", mode.name);
                }
                _ => {
                    running.child.kill().unwrap();
                    wait(&mut running.child);
                    // Nobody asks for a report, who would clean up as well.
                    let start = Instant::now();
                    while !left_behind().is_empty() && start.elapsed() < PROMPT {
                        thread::sleep(Duration::from_millis(5));
                    }
                    drop(running.guard);
                }
            }
            assert!(end.elapsed() < PROMPT, "{} {how}: {:?}", mode.name, end.elapsed());
            assert_nothing_left(&mark);
        }
    }
}

#[test]
fn fault_c08_a_frozen_program_ends_when_we_are_killed() {
    for mode in freezing() {
        let mark = format!("sandbox-frozen-{}-{}", mode.name, std::process::id());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "freezes_and_waits", "--nocapture", "--ignored"])
            .env("SANDBOX_MODE", mode.name)
            .env("SANDBOX_MARK", &mark)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = std::io::BufReader::new(child.stdout.take().unwrap());
        let frozen = said.lines().map_while(Result::ok).any(|line| line.contains("it is frozen"));
        assert!(frozen, "{}: it ended too early", mode.name);
        let own = format!("-{}-", child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_gone(&mark, PROMPT);
        let start = Instant::now();
        while !left_behind_by(&own).is_empty() {
            assert!(start.elapsed() < PROMPT, "{}: {:?}", mode.name, left_behind_by(&own));
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
#[ignore = "run by fault_c08, and killed"]
fn freezes_and_waits() {
    let name = std::env::var("SANDBOX_MODE").unwrap();
    let mode = freezing().into_iter().find(|mode| mode.name == name).unwrap();
    let (mut program, _) = python(BURNER);
    program.argv.push(std::env::var("SANDBOX_MARK").unwrap());
    let mut running = start(&mode.sandbox(), &program);
    wait_for_line(&mut running);
    running.guard.set_frozen(true);
    println!("it is frozen");
    thread::sleep(Duration::from_mins(1));
}

#[test]
fn fault_c08_what_a_dead_instance_has_left_frozen_is_removed_at_the_next_start() {
    use std::os::unix::fs::MetadataExt;
    let base = std::path::Path::new("/sys/fs/cgroup/freezer");
    if freezing().is_empty() || !base.join("cgroup.procs").exists() {
        skip("a frozen group of a dead instance: needs control groups of version 1");
        return;
    }
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let name = format!("rookery-{space}-4194305-1-{}", std::process::id());
    // The same program is in a group of every controller.
    let groups = [base, std::path::Path::new("/sys/fs/cgroup/pids")].map(|base| base.join(&name));
    let mut sleeper = Command::new("sleep").arg("1000").spawn().unwrap();
    for group in &groups {
        fs::create_dir(group).unwrap();
        fs::write(group.join("cgroup.procs"), sleeper.id().to_string()).unwrap();
    }
    fs::write(groups[0].join("freezer.state"), "FROZEN").unwrap();
    // Also by an instance that freezes nothing itself.
    drop(Mode::own().sandbox());
    assert!(!wait(&mut sleeper).success());
    for group in &groups {
        assert!(!group.exists(), "{}", group.display());
    }
}

#[test]
fn fault_c08_where_nothing_can_freeze_it_is_refused() {
    as_both_users("fault_c08_where_nothing_can_freeze_it_is_refused", refuses);
}

fn refuses() {
    let refused = |change: fn(&mut Policy)| {
        let mut policy = Policy::new(Level::Auto, LAUNCHER);
        policy.freeze = true;
        change(&mut policy);
        policy.prepare().unwrap_err().to_string()
    };
    let none = refused(|policy| policy.level = Level::None);
    assert!(none.contains("needs the level auto or full"), "{none}");
    let without = refused(|policy| policy.use_cgroups = false);
    assert!(without.contains("run as root on a machine with control groups"), "{without}");
    if !is_root() {
        let without = refused(|_| ());
        assert!(without.contains("run as root"), "{without}");
    }
}
