//! How programs start and end, and that nothing outlives them: faults C1, C3 to C5, C10, C14, C17, C18.
#![cfg(target_os = "linux")]

mod common;

use std::time::Duration;

use common::*;
use rookery_sandbox::{Ended, Program};

#[test]
fn the_way_a_program_ended_is_seen_by_whoever_waits() {
    as_both_users("the_way_a_program_ended_is_seen_by_whoever_waits", || {
        for mode in Mode::all() {
            let sandbox = mode.sandbox();
            let (program, mark) = sh("read x; echo got $x; echo oops >&2; exit 7");
            let outcome = run_with(&sandbox, &program, "hello\n");
            assert_eq!(
                (outcome.code(), outcome.out.as_str()),
                (Some(7), "got hello\n"),
                "{} {}",
                mode.name,
                outcome.err
            );
            assert_eq!(outcome.err, "oops\n");
            assert_eq!(outcome.report.ended, Ended::Exited(7));
            assert!(outcome.report.memory > 0 && outcome.report.cause().is_none());
            assert_nothing_left(&mark);
        }
    });
}

#[test]
fn fault_c03_a_crash_shows_its_signal() {
    as_both_users("fault_c03_a_crash_shows_its_signal", || {
        for mode in Mode::all() {
            let sandbox = mode.sandbox();
            for signal in [6, 9, 11, 13, 15] {
                let (program, _) = sh(&format!("kill -{signal} $$"));
                let outcome = run(&sandbox, &program);
                assert_eq!(outcome.signal(), Some(signal), "{} {:?}", mode.name, outcome.report);
                assert_eq!(outcome.report.ended, Ended::Signal(signal));
            }
            for code in [0, 1, 125, 139, 255] {
                let (program, _) = sh(&format!("exit {code}"));
                let outcome = run(&sandbox, &program);
                assert_eq!(
                    (outcome.code(), outcome.report.ended),
                    (Some(code), Ended::Exited(code)),
                    "{}",
                    mode.name
                );
            }
        }
    });
}

#[test]
fn fault_c01_a_program_that_cannot_start_says_why() {
    as_both_users("fault_c01_a_program_that_cannot_start_says_why", || {
        let folder = std::env::temp_dir().join(format!("sandbox-c01-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("text"), "hello").unwrap();
        std::fs::write(folder.join("other"), b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0").unwrap();
        let chmod =
            std::process::Command::new("chmod").arg("755").arg(folder.join("other")).status().unwrap();
        assert!(chmod.success());
        for mode in Mode::all() {
            let sandbox = mode.sandbox();
            for (name, errno, code) in [("missing", 2, 127), ("text", 13, 126), ("other", 8, 126)] {
                let program = Program {
                    argv: vec![format!("./{name}")],
                    cwd: Some(folder.clone()),
                    ..Program::default()
                };
                let outcome = run(&sandbox, &program);
                assert_eq!(
                    outcome.report.ended,
                    Ended::NotStarted(errno),
                    "{} {name} {}",
                    mode.name,
                    outcome.err
                );
                assert_eq!(outcome.code(), Some(code));
            }
            let outcome =
                run(&sandbox, &Program { argv: vec!["no-such-program".to_owned()], ..Program::default() });
            assert!(outcome.report.ended.to_string().contains("No such file"), "{}", outcome.report.ended);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    });
}

#[test]
fn fault_c04_who_ignores_signals_ends_all_the_same() {
    as_both_users("fault_c04_who_ignores_signals_ends_all_the_same", || {
        for mode in Mode::all() {
            let sandbox = mode.sandbox();
            for how in ["term", "drop"] {
                let (program, mark) = sh("trap '' TERM INT HUP; echo ready; while :; do sleep 1; done");
                let mut running = start(&sandbox, &program);
                wait_for_line(&mut running);
                let end = std::time::Instant::now();
                if how == "term" {
                    send(running.child.id(), 15);
                    let outcome = finish(running);
                    assert_eq!(outcome.report.ended, Ended::Stopped, "{}", mode.name);
                } else {
                    drop(running.guard);
                    wait(&mut running.child);
                }
                assert!(end.elapsed() < PROMPT, "{} {how}: {:?}", mode.name, end.elapsed());
                assert_nothing_left(&mark);
            }
        }
    });
}

/// Children that leave in every way there is.
const LEAVERS: &str = r#"
import os, sys, time, ctypes
mark = sys.argv[1]
def stay():
    os.execvp("sleep", ["sleep-" + mark, "1000"])
for way in range(5):
    if os.fork() == 0:
        if way >= 1: os.setsid()
        if way >= 2 and os.fork(): os._exit(0)
        if way == 3:
            # A name that is no text, and brackets that look like the end of it.
            ctypes.CDLL(None).prctl(15, b"\xff) R 1 (\xfe", 0, 0, 0)
            import signal; signal.pause()
        if way == 4 and os.fork(): os._exit(0)
        stay()
time.sleep(0.3)
print("ready", flush=True)
if sys.argv[2] == "stay": time.sleep(1000)
"#;

#[test]
fn fault_c05_children_end_with_the_program_whatever_they_do() {
    as_both_users("fault_c05_children_end_with_the_program_whatever_they_do", || {
        for mode in Mode::all() {
            let sandbox = mode.sandbox();
            for how in ["exit", "term", "drop", "kill"] {
                let (mut program, mark) = python(LEAVERS);
                program.argv.extend([mark.clone(), (if how == "exit" { "exit" } else { "stay" }).to_owned()]);
                let mut running = start(&sandbox, &program);
                wait_for_line(&mut running);
                match how {
                    "term" => send(running.child.id(), 15),
                    // The supervisor itself is killed: its child does what it would have done.
                    "kill" => running.child.kill().unwrap(),
                    _ => {}
                }
                if how == "drop" {
                    drop(running.guard);
                    wait(&mut running.child);
                } else {
                    assert_eq!(finish(running).report.left, 0);
                }
                assert_nothing_left(&mark);
            }
        }
    });
}

#[test]
fn fault_c05_a_program_that_kills_its_supervisor_goes_with_it() {
    as_both_users("fault_c05_a_program_that_kills_its_supervisor_goes_with_it", || {
        let (mut program, mark) = python(
            "import os,sys,time\nif os.fork()==0:\n os.setsid()\n if os.fork(): os._exit(0)\n \
             os.execvp('sleep',['sleep-'+sys.argv[1],'1000'])\ntime.sleep(.2)\nos.kill(os.getppid(),9)\ntime.sleep(1000)",
        );
        program.argv.push(mark.clone());
        let outcome = run(&Mode::none().sandbox(), &program);
        assert_eq!(outcome.signal(), Some(9));
        assert_nothing_left(&mark);
    });
}

#[test]
fn fault_c14_only_three_descriptors_are_open() {
    as_both_users("fault_c14_only_three_descriptors_are_open", || {
        // Descriptors that anybody would inherit: those that a shell opens.
        let exe = std::env::current_exe().unwrap();
        let output = std::process::Command::new("sh")
            .args(["-c", "exec 3</etc/passwd 7</dev/null 9>/dev/null; exec \"$0\" --exact lists_descriptors --nocapture --ignored"])
            .arg(exe)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    });
}

#[test]
#[ignore = "run by fault_c14, with more descriptors"]
fn lists_descriptors() {
    assert!(std::path::Path::new("/proc/self/fd/7").exists());
    for mode in Mode::all() {
        let (program, _) = python(
            "import os; print(sorted(int(f) for f in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/'+f)))",
        );
        let outcome = run(&mode.sandbox(), &program);
        assert_eq!(outcome.out, "[0, 1, 2]\n", "{} {}", mode.name, outcome.err);
    }
}

#[test]
fn the_other_ends_see_when_a_program_closes_its_streams() {
    for mode in Mode::all() {
        let (program, _) = sh("exec <&- >&- 2>&-; exec sleep 1000");
        let mut running = start(&mode.sandbox(), &program);
        let mut out = running.child.stdout.take().unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || tell.send(std::io::Read::read(&mut out, &mut [0; 8]).unwrap()));
        // Comes only if nobody else holds the stream.
        assert_eq!(told.recv_timeout(Duration::from_secs(5)), Ok(0), "{}", mode.name);
        let mut stdin = running.child.stdin.take().unwrap();
        let broken = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            std::io::Write::write_all(&mut stdin, b"x\n").is_err()
        });
        assert!(broken, "{}: nobody reads, and writing goes on", mode.name);
        drop(running.guard);
        wait(&mut running.child);
    }
}

#[test]
fn fault_c17_there_is_no_terminal() {
    as_both_users("fault_c17_there_is_no_terminal", || {
        for mode in Mode::all() {
            let (program, _) = python(
                "import os\nassert os.getsid(0)==os.getpid()\ntry:\n os.open('/dev/tty',os.O_RDWR)\n print('terminal')\nexcept OSError as e: print('none')",
            );
            let outcome = run(&mode.sandbox(), &program);
            assert_eq!(outcome.out, "none\n", "{} {}", mode.name, outcome.err);
        }
    });
}

#[test]
fn fault_c10_a_flood_ends_with_the_guard() {
    for mode in Mode::all() {
        let (program, mark) = sh("yes 1>&2 & yes");
        let mut running = start(&mode.sandbox(), &program);
        wait_for_line(&mut running);
        drop(running.guard);
        wait(&mut running.child);
        assert_nothing_left(&mark);
    }
}

#[test]
fn fault_c18_programs_end_when_we_are_killed() {
    as_both_users("fault_c18_programs_end_when_we_are_killed", || {
        for mode in ["none", "own", "bubblewrap"] {
            let mark = format!("sandbox-killed-{mode}-{}", std::process::id());
            let mut child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "starts_and_waits", "--nocapture", "--ignored"])
                .env("SANDBOX_MODE", mode)
                .env("SANDBOX_MARK", &mark)
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            let mut reader = std::io::BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            while !line.contains("program runs") && !line.contains("no such mode") {
                line.clear();
                assert_ne!(
                    std::io::BufRead::read_line(&mut reader, &mut line).unwrap(),
                    0,
                    "it ended too early"
                );
            }
            let pid = child.id();
            child.kill().unwrap();
            child.wait().unwrap();
            assert_gone(&mark, Duration::from_secs(1));
            let own = format!("-{pid}-");
            let left: Vec<String> = left_behind_by(&own);
            assert_eq!(left, Vec::<String>::new(), "{mode}");
        }
    });
}

#[test]
#[ignore = "run by fault_c18, and killed"]
fn starts_and_waits() {
    let mode = match std::env::var("SANDBOX_MODE").unwrap().as_str() {
        "none" => Some(Mode::none()),
        "own" => Some(Mode::own()),
        _ => Mode::bubblewrap(),
    };
    let Some(mode) = mode else {
        println!("no such mode");
        return;
    };
    let mark = std::env::var("SANDBOX_MARK").unwrap();
    let (mut program, _) = python(LEAVERS);
    program.argv.extend([mark, "stay".to_owned()]);
    let mut running = start(&mode.sandbox(), &program);
    wait_for_line(&mut running);
    println!("program runs");
    std::thread::sleep(Duration::from_mins(1));
}

#[test]
fn fault_c18_what_a_dead_instance_has_left_is_removed_at_the_next_start() {
    as_both_users("fault_c18_what_a_dead_instance_has_left_is_removed_at_the_next_start", || {
        use std::os::unix::fs::MetadataExt;
        let space = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
        // No process has this number: it is above the greatest that Linux gives.
        let name = format!("rookery-{space}-4194305-1-{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        let group = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"]
            .map(|base| std::path::Path::new(base).join(&name))
            .into_iter()
            .find(|group| is_root() && group.parent().unwrap().join("cgroup.procs").exists());
        let left = group.map(|group| {
            std::fs::create_dir(&group).unwrap();
            let sleeper = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
            std::fs::write(group.join("cgroup.procs"), sleeper.id().to_string()).unwrap();
            (group, sleeper)
        });
        drop(Mode::own().sandbox());
        assert!(!folder.exists());
        match left {
            Some((group, mut sleeper)) => {
                assert!(!wait(&mut sleeper).success());
                drop(Mode::own().sandbox());
                assert!(!group.exists(), "{}", group.display());
            }
            None => skip("control groups of a dead instance: needs root"),
        }
    });
}
