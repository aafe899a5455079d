//! Limits, and what is said of whoever runs into one: faults C6 to C8, C11.
#![cfg(target_os = "linux")]

mod common;

use std::time::{Duration, Instant};

use common::*;
use rookery_sandbox::{Cause, Ended, Limit, Limits, Missing};
use rookery_testkit::tell_skipped;

const MEGABYTE: u64 = 1 << 20;

fn with(mode: &Mode, limits: Limits) -> rookery_sandbox::Sandbox {
    let mut policy = mode.policy.clone();
    policy.limits = limits;
    policy.prepare().expect("the same mode was prepared before")
}

#[test]
fn fault_c06_a_fork_bomb_is_bounded_and_ends() {
    as_both_users("fault_c06_a_fork_bomb_is_bounded_and_ends", || {
        for mode in Mode::confined() {
            let sandbox = with(&mode, Limits { processes: Some(24), ..Limits::default() });
            let (program, mark) = python(
                "import os,time\nn=0\ntry:\n  while n<500:\n    if os.fork()==0: time.sleep(1000)\n    n+=1\nexcept OSError: pass\nprint(n,flush=True)\nos._exit(1)",
            );
            let outcome = run(&sandbox, &program);
            let made: u64 = outcome
                .out
                .trim()
                .parse()
                .unwrap_or_else(|_| panic!("{} {:?} {}", mode.name, outcome.report, outcome.err));
            assert!((12..=26).contains(&made), "{}: {made} processes", mode.name);
            assert_eq!(
                outcome.report.cause(),
                Some(Cause::ProcessLimit),
                "{} {:?}",
                mode.name,
                outcome.report
            );
            assert_nothing_left(&mark);
            // One that goes on and on, stopped from outside.
            let (program, mark) = python("import os\nwhile True:\n try: os.fork()\n except OSError: pass");
            let running = start(&sandbox, &program);
            std::thread::sleep(Duration::from_millis(500));
            let end = Instant::now();
            send(running.child.id(), 15);
            let outcome = finish(running);
            assert!(end.elapsed() < PROMPT, "{}: {:?}", mode.name, end.elapsed());
            assert_eq!(outcome.report.ended, Ended::Stopped);
            assert_eq!(
                outcome.report.cause(),
                Some(Cause::ProcessLimit),
                "{} {:?}",
                mode.name,
                outcome.report
            );
            assert_nothing_left(&mark);
        }
    });
}

#[test]
fn fault_c05_a_fast_forker_without_limits_ends() {
    // Without a sandbox nothing but its own bound holds it; it forks and daemonises faster than one looks.
    let (program, mark) = python(
        "import os,time,sys\nfor i in range(150):\n  if os.fork()==0:\n    os.setsid()\n    for j in range(6):\n      if os.fork(): os._exit(0)\n      time.sleep(.01)\n    time.sleep(1000)\nprint('ready',flush=True)\ntime.sleep(1000)",
    );
    let running = start(&Mode::none().sandbox(), &program);
    std::thread::sleep(Duration::from_millis(120));
    let end = Instant::now();
    send(running.child.id(), 15);
    assert_eq!(finish(running).report.left, 0);
    assert!(end.elapsed() < PROMPT, "{:?}", end.elapsed());
    assert_nothing_left(&mark);
}

#[test]
fn fault_c07_who_eats_memory_is_ended_and_told() {
    as_both_users("fault_c07_who_eats_memory_is_ended_and_told", || {
        for mode in Mode::confined() {
            let sandbox = with(&mode, Limits { memory: Some(64 * MEGABYTE), ..Limits::default() });
            let (program, mark) =
                python("l=[]\nfor i in range(400): l.append(bytearray(b'x'*(1<<20)))\nprint('had it all')");
            let outcome = run(&sandbox, &program);
            assert_eq!(outcome.out, "", "{}", mode.name);
            assert_eq!(
                outcome.report.cause(),
                Some(Cause::MemoryLimit),
                "{} {:?}",
                mode.name,
                outcome.report
            );
            assert!(outcome.report.memory <= 70 * MEGABYTE, "{:?}", outcome.report);
            assert_nothing_left(&mark);
            // A program within its limits is not blamed.
            let (program, _) = python("import sys; b=bytearray(16<<20); sys.exit(1)");
            assert_eq!(run(&sandbox, &program).report.cause(), None, "{}", mode.name);
        }
    });
}

/// The version of control groups that no test has tried, for want of root or because the machine has its controllers in the
/// other one.
fn untried_version() -> &'static str {
    let has_memory = |file| {
        std::fs::read_to_string(file).is_ok_and(|list| list.split_whitespace().any(|word| word == "memory"))
    };
    let is_unified = ["/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup/unified/cgroup.controllers"];
    match (is_root(), is_unified.into_iter().any(has_memory)) {
        (false, _) => "1 and 2: needs root",
        (true, true) => "1: this machine has its controllers in version 2",
        (true, false) => "2: this machine has its controllers in version 1, or none",
    }
}

#[test]
fn fault_c07_several_processes_share_one_limit() {
    tell_skipped(&format!("limits by control groups of version {}", untried_version()));
    for mode in Mode::confined() {
        let sandbox = with(&mode, Limits { memory: Some(64 * MEGABYTE), ..Limits::default() });
        let missing = sandbox.in_force().to_string();
        if missing.contains(&Missing::Memory.to_string()) {
            skip(&format!("{}: no control group for memory", mode.name));
            continue;
        }
        let code = "import os,time\nfor i in range(4):\n  if os.fork()==0:\n    b=bytearray(b'x'*(30<<20)); time.sleep(1000)\n\
                    while True:\n  p,s=os.wait()\n  if s: os._exit(3)";
        let (program, mark) = python(code);
        let outcome = run(&sandbox, &program);
        assert_eq!(outcome.report.cause(), Some(Cause::MemoryLimit), "{} {:?}", mode.name, outcome.report);
        assert_nothing_left(&mark);
    }
}

#[test]
fn fault_c11_the_disk_is_bounded() {
    as_both_users("fault_c11_the_disk_is_bounded", || {
        for mode in Mode::confined() {
            let sandbox = with(&mode, Limits { disk: Some(2 * MEGABYTE), ..Limits::default() });
            let (program, mark) = python(
                "import os,sys\nf=open(os.environ['TMPDIR']+'/f','wb',buffering=0)\nn=0\ntry:\n  for i in range(64):\n    n+=f.write(b'x'*(1<<16))\nexcept OSError as e: print(n, e.errno)\nsys.exit(1)",
            );
            let outcome = run(&sandbox, &program);
            let written: Vec<u64> =
                outcome.out.split_whitespace().map(|word| word.parse().unwrap()).collect();
            assert_eq!(
                written.first(),
                Some(&(2 * MEGABYTE)),
                "{} {} {}",
                mode.name,
                outcome.out,
                outcome.err
            );
            assert_eq!(outcome.report.cause(), Some(Cause::DiskLimit), "{} {:?}", mode.name, outcome.report);
            assert_nothing_left(&mark);
            // A shell does not ignore the signal.
            let (program, _) = sh("yes > $TMPDIR/f; exit 3");
            let outcome = run(&sandbox, &program);
            assert_eq!(outcome.report.reached, [Limit::Disk], "{} {:?}", mode.name, outcome.report);
        }
    });
}

#[test]
fn fault_c11_nothing_else_can_be_filled() {
    as_both_users("fault_c11_nothing_else_can_be_filled", || {
        let Some(mode) = Mode::bubblewrap() else { return };
        let sandbox = with(&mode, Limits { disk: Some(MEGABYTE), ..Limits::default() });
        let (program, _) = python(
            r#"
import os
total = 0
for top in ("/", "/dev", "/dev/shm", "/run", "/tmp", "/proc", "/usr", "/etc", os.getcwd()):
    for i in range(100):
        try:
            with open(f"{top}/fill{i}", "wb", buffering=0) as f:
                while True: total += f.write(b"x" * 65536)
        except OSError: pass
print(total)
"#,
        );
        let outcome = run(&sandbox, &program);
        let total: u64 = outcome.out.trim().parse().unwrap();
        assert!((MEGABYTE..=MEGABYTE * 5 / 4).contains(&total), "{total}");
    });
}

#[test]
fn fault_c08_processor_time_is_bounded_and_told() {
    as_both_users("fault_c08_processor_time_is_bounded_and_told", || {
        for mode in Mode::confined() {
            let sandbox =
                with(&mode, Limits { cpu_seconds: Some(1), cpu_percent: None, ..Limits::default() });
            let (program, _) = python("while True: pass");
            let outcome = run(&sandbox, &program);
            assert_eq!(outcome.report.reached, [Limit::Cpu], "{} {:?}", mode.name, outcome.report);
            assert!(outcome.report.cpu >= Duration::from_millis(800), "{:?}", outcome.report);
        }
    });
}

#[test]
fn fault_c08_a_share_of_the_processors_holds_for_all_processes() {
    for mode in Mode::confined() {
        let sandbox = with(&mode, Limits { cpu_percent: Some(20), ..Limits::default() });
        if sandbox.in_force().to_string().contains(&Missing::Cpu.to_string()) {
            skip(&format!("{}: no control group for processors", mode.name));
            continue;
        }
        let (program, _) = python(
            "import os,time\nos.fork(); os.fork()\nt=time.time()\nwhile time.time()-t<1: pass\nos._exit(0) if os.getppid()!=1 else 0\ntry:\n  while True: os.wait()\nexcept OSError: pass",
        );
        let outcome = run(&sandbox, &program);
        assert!(outcome.report.cpu < Duration::from_millis(500), "{} {:?}", mode.name, outcome.report);
    }
}
