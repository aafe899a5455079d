//! Real programs in real sandboxes, as the user who runs the tests and, if that is root, as another one.
#![allow(dead_code, reason = "each file of tests uses a part")]
#![allow(clippy::unwrap_used, reason = "this is a part of tests")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rookery_sandbox::{Guard, InForce, Level, Policy, Program, Report, Sandbox};
pub(crate) use rookery_testkit::skip;
use rookery_testkit::{SKIPPED, tell_skipped_by};

pub(crate) const LAUNCHER: &str = env!("CARGO_BIN_EXE_rookery-launch");
const OTHER_USER: &str = "ROOKERY_TEST_OTHER_USER";
const PATIENCE: Duration = Duration::from_secs(30);
/// How long an end may take: on a quiet machine it is far below a second, beside a fork bomb and other tests it is not.
pub(crate) const PROMPT: Duration = Duration::from_secs(5);

pub(crate) fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").unwrap().lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// The number of the user who runs the test.
pub(crate) fn own_id() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:\t")).unwrap().to_owned();
    line.split('\t').next().unwrap().to_owned()
}

/// Runs the body, and if we are root the whole test once more as another user.
pub(crate) fn as_both_users(test: &str, body: impl FnOnce()) {
    body();
    if !is_root() {
        return;
    }
    let exe = std::env::current_exe().unwrap();
    // A user of this test alone: without control groups processes are counted by user, over all tests that run.
    let user = 100_000 + std::process::id();
    let output = Command::new("setpriv")
        .args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()])
        .arg(&exe)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(OTHER_USER, "1")
        .env_remove(SKIPPED)
        .env("HOME", "/nonexistent")
        .output();
    match output {
        Err(error) => skip(&format!("{test} as another user: setpriv: {error}")),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            tell_skipped_by("as another user", &said);
            assert!(output.status.success() && said.contains("1 passed"), "as another user:\n{said}");
        }
    }
}

/// The ways to be shut in that this machine has.
pub(crate) struct Mode {
    pub(crate) name: &'static str,
    pub(crate) policy: Policy,
}

impl Mode {
    pub(crate) fn none() -> Self {
        Self { name: "none", policy: Policy::new(Level::None, LAUNCHER) }
    }

    pub(crate) fn own() -> Self {
        let mut policy = Policy::new(Level::Auto, LAUNCHER);
        policy.use_bubblewrap = false;
        Self { name: "own", policy }
    }

    pub(crate) fn bubblewrap() -> Option<Self> {
        let policy = Policy::new(Level::Auto, LAUNCHER);
        match policy.clone().prepare().unwrap().in_force() {
            InForce::Partial(missing)
                if missing.iter().any(|m| matches!(m, rookery_sandbox::Missing::Namespaces(_))) =>
            {
                skip(&format!("namespaces: {missing:?}"));
                None
            }
            _ => Some(Self { name: "bubblewrap", policy }),
        }
    }

    pub(crate) fn all() -> Vec<Self> {
        [Some(Self::none()), Some(Self::own()), Self::bubblewrap()].into_iter().flatten().collect()
    }

    pub(crate) fn confined() -> Vec<Self> {
        Self::all().split_off(1)
    }

    pub(crate) fn sandbox(&self) -> Sandbox {
        self.policy.clone().prepare().unwrap()
    }
}

/// A program whose processes can be told from all others, as long as they keep an argument or a variable.
pub(crate) fn marked(argv: &[&str]) -> (Program, String) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mark = format!("sandbox-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let env = vec![("MARK".to_owned(), mark.clone()), ("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    (Program { argv: argv.iter().map(ToString::to_string).collect(), env, ..Program::default() }, mark)
}

pub(crate) fn python(code: &str) -> (Program, String) {
    marked(&["python3", "-S", "-E", "-c", code])
}

pub(crate) fn sh(code: &str) -> (Program, String) {
    marked(&["sh", "-c", code])
}

pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) guard: Guard,
    pub(crate) started: Instant,
}

pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) report: Report,
    pub(crate) took: Duration,
}

impl Outcome {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

pub(crate) fn start(sandbox: &Sandbox, program: &Program) -> Running {
    let (mut command, guard) = sandbox.command(program).unwrap();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running { child: command.spawn().unwrap(), guard, started: Instant::now() }
}

/// Runs a program to its end, with this input.
pub(crate) fn run_with(sandbox: &Sandbox, program: &Program, input: &str) -> Outcome {
    let mut running = start(sandbox, program);
    let mut stdin = running.child.stdin.take().unwrap();
    // A program need not read what it gets.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    finish(running)
}

pub(crate) fn run(sandbox: &Sandbox, program: &Program) -> Outcome {
    run_with(sandbox, program, "")
}

pub(crate) fn finish(mut running: Running) -> Outcome {
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.unwrap().take(1 << 22).read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(running.child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let err = read(running.child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let status = wait(&mut running.child);
    let took = running.started.elapsed();
    let report = running.guard.report();
    Outcome { status, out: out.join().unwrap(), err: err.join().unwrap(), report, took }
}

/// Waits for a child; a test that hangs says where.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the program did not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The processes that carry a mark, in their arguments or their environment.
pub(crate) fn marked_processes(mark: &str) -> Vec<(i32, String)> {
    let contains = |bytes: &[u8]| bytes.windows(mark.len()).any(|window| window == mark.as_bytes());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|&pid| pid.cast_unsigned() != std::process::id())
        .filter_map(|pid| {
            let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let cmdline = read("cmdline");
            (contains(&cmdline) || contains(&read("environ")))
                .then(|| (pid, String::from_utf8_lossy(&cmdline).replace('\0', " ")))
        })
        .collect()
}

/// Whether all processes with the mark are gone within this time.
#[track_caller]
pub(crate) fn assert_gone(mark: &str, within: Duration) {
    let start = Instant::now();
    loop {
        let left = marked_processes(mark);
        if left.is_empty() {
            return;
        }
        assert!(start.elapsed() < within, "left after {within:?}: {left:?}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Folders and control groups that instances have made, in the names that this process uses.
pub(crate) fn left_behind() -> Vec<String> {
    left_behind_by(&format!("-{}-", std::process::id()))
}

/// The same, of another process.
pub(crate) fn left_behind_by(own: &str) -> Vec<String> {
    let mut places = vec![std::env::temp_dir()];
    for entry in fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten() {
        places.push(entry.path());
    }
    places.push("/sys/fs/cgroup".into());
    let entries = places.into_iter().flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten());
    let ours = |name: &str| name.starts_with("rookery-") && name.contains(own);
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(ours))
        .map(|entry| entry.path().display().to_string())
        .collect()
}

#[track_caller]
pub(crate) fn assert_nothing_left(mark: &str) {
    assert_gone(mark, Duration::from_secs(1));
    assert_eq!(left_behind(), Vec::<String>::new());
}

pub(crate) fn send(pid: u32, signal: u8) {
    let status = Command::new("kill").arg(format!("-{signal}")).arg(pid.to_string()).status().unwrap();
    assert!(status.success());
}

/// The program runs when it has said something.
pub(crate) fn wait_for_line(running: &mut Running) {
    let mut byte = [0];
    while byte[0] != b'\n' {
        let n = running.child.stdout.as_mut().unwrap().read(&mut byte).unwrap();
        assert_ne!(n, 0, "it ended without a word");
    }
}

/// A folder that everybody may read, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sandbox-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
