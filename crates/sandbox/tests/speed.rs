//! What a launch costs: `cargo test --release -p rookery-sandbox --test speed -- --ignored --nocapture`.
#![cfg(target_os = "linux")]

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::*;

const RUNS: usize = 100;

/// Processor time of the children that were waited for, theirs included: unlike the clock on the wall it says the same on
/// a busy machine.
fn processor_time() -> Duration {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN)
        .expect("no arguments that could be wrong");
    let time = |value: nix::sys::time::TimeVal| {
        Duration::from_secs(value.tv_sec().cast_unsigned())
            + Duration::from_micros(value.tv_usec().cast_unsigned())
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// Median on the wall, and mean of the processor.
fn measure(mut once: impl FnMut()) -> (Duration, Duration) {
    let before = processor_time();
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            once();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[RUNS / 2], processor_time().saturating_sub(before) / RUNS as u32)
}

#[test]
#[ignore = "measures; run it in a release build on a quiet machine"]
fn start_and_end_of_a_program() {
    let (bare, bare_cpu) = measure(|| {
        Command::new("/bin/true").stdin(Stdio::null()).status().unwrap();
    });
    println!("bare       {bare:?}, processor {bare_cpu:?}");
    for mode in Mode::all() {
        let sandbox = mode.sandbox();
        let (program, _) = marked(&["/bin/true"]);
        let (time, cpu) = measure(|| {
            let (mut command, guard) = sandbox.command(&program).unwrap();
            let status =
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            assert!(status.success());
            drop(guard);
        });
        println!("{:<10} {time:?}, processor {cpu:?}", mode.name);
        let (program, mark) = sh("read x");
        let running = start(&sandbox, &program);
        std::thread::sleep(Duration::from_millis(100));
        for (pid, command) in marked_processes(&mark) {
            let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
            let field =
                |key: &str| rollup.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
            println!("    {:<60.60} {} {}", command, field("Rss:"), field("Private_Dirty:"));
        }
        drop(running.child.stdin);
        drop(running.guard);
    }
}
