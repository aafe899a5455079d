//! One build: a program of somebody else that may change one folder, within limits.

use std::fs;
use std::io::{self, PipeReader, Read as _};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rookery_live::Stopping;
use rookery_rules::text::clean_lines;
use rookery_rules::write_duration;
use rookery_sandbox::{Cause, Ended, Program, Report, Sandbox};

use super::build::{BuildError, BuildLimits};
use super::found::{Wrong, shown};

/// How much of what a build says is kept: its first error is the one that counts.
const KEPT: usize = 8 << 10;
/// How often we look whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// How often we look how much it has written.
const LOOK: Duration = Duration::from_millis(200);
/// The most files and folders that a build may leave.
const MAX_ENTRIES: usize = 100_000;
/// How long everything that a build has started may take to be gone.
const TIME_TO_END: Duration = Duration::from_secs(5);

/// What came of a build.
pub(super) struct Compiled {
    /// What went wrong, and what was expected.
    pub(super) problem: Option<Wrong>,
    /// What it said, if anything.
    pub(super) output: Option<String>,
}

/// Why a build did not end by itself.
enum Cut {
    Late,
    TooLarge,
}

/// Runs the command of a build in its folder.
pub(super) fn run(
    command: &str,
    folder: &Path,
    sandbox: &Sandbox,
    limits: &BuildLimits,
    stopping: &Stopping,
) -> Result<Compiled, BuildError> {
    let program = Program::parse(command).map_err(|error| BuildError::Sandbox(error.to_string()))?;
    let program = Program { cwd: Some(folder.to_owned()), write: Some(folder.to_owned()), ..program };
    let (mut launch, guard) = sandbox.command(&program)?;
    let system = |error: io::Error| BuildError::Sandbox(error.to_string());
    let (output, input) = io::pipe().map_err(system)?;
    launch.stdin(Stdio::null()).stdout(input.try_clone().map_err(system)?).stderr(input);
    let mut child = launch.spawn().map_err(system)?;
    // It holds our ends of the pipe.
    drop(launch);
    let said = listen(output);
    let cut = wait(&mut child, folder, limits, stopping).map_err(system)?;
    let (status, report) = match cut {
        Waited::Ended(status) => (Some(status), Some(guard.report())),
        Waited::Cut(_) | Waited::Stopped => {
            // Without its guard everything ends.
            drop(guard);
            end(&mut child);
            (None, None)
        }
    };
    // Whoever still holds the pipe is not waited for.
    let output = said.recv_timeout(TIME_TO_END).unwrap_or_default();
    let problem = match (&cut, report) {
        (Waited::Stopped, _) => return Err(BuildError::Stopped),
        (_, Some(Report { ended: Ended::SandboxFailed(why), .. })) => {
            return Err(BuildError::Sandbox(format!("{why}; {}", shown(&output))));
        }
        (Waited::Cut(why), _) => Some(cut_short(why, limits)),
        (Waited::Ended(_), report) => problem(command, status, report, limits),
    };
    Ok(Compiled { problem, output: (!output.is_empty()).then_some(output) })
}

/// How a build ended that was let run.
fn problem(
    command: &str,
    status: Option<ExitStatus>,
    report: Option<Report>,
    limits: &BuildLimits,
) -> Option<Wrong> {
    if status.is_some_and(|status| status.success()) {
        return None;
    }
    let command = shown(command);
    let cause = report.as_ref().and_then(Report::cause);
    let mib = |bytes: u64| format!("at most {} MiB", bytes >> 20);
    Some(match (cause, report.map(|report| report.ended)) {
        (Some(Cause::MemoryLimit), _) => ("its build took too much memory".to_owned(), mib(limits.memory)),
        (Some(Cause::DiskLimit), _) => ("its build wrote too much".to_owned(), mib(limits.disk)),
        (Some(Cause::ProcessLimit), _) => {
            ("its build started too many processes".to_owned(), format!("at most {}", limits.processes))
        }
        (Some(Cause::SandboxViolation), _) => {
            ("its build tried what is not allowed".to_owned(), "a build like any other".to_owned())
        }
        (None, Some(ended @ Ended::NotStarted(_))) => (
            format!("its build `{command}` {ended}"),
            "a compiler of this system, installed where its bots can see it (docs/sandbox.md)".to_owned(),
        ),
        (None, Some(ended @ (Ended::Exited(_) | Ended::Signal(_)))) => {
            (format!("its build `{command}` {ended}"), "exit code 0".to_owned())
        }
        _ => (format!("its build `{command}` failed"), "exit code 0".to_owned()),
    })
}

fn cut_short(why: &Cut, limits: &BuildLimits) -> Wrong {
    match why {
        Cut::Late => {
            ("its build did not end".to_owned(), format!("an end within {}", write_duration(limits.time)))
        }
        Cut::TooLarge => (
            "its build wrote too much".to_owned(),
            format!("at most {} MiB and {MAX_ENTRIES} files in its folder", limits.disk >> 20),
        ),
    }
}

/// How the wait for a build ended.
enum Waited {
    Ended(ExitStatus),
    Cut(Cut),
    Stopped,
}

fn wait(child: &mut Child, folder: &Path, limits: &BuildLimits, stopping: &Stopping) -> io::Result<Waited> {
    let start = Instant::now();
    let mut looked = start;
    loop {
        let ended = child.try_wait()?;
        // What it has written by its end counts, too.
        if ended.is_some() || looked.elapsed() > LOOK {
            if is_too_large(folder, limits.disk) {
                return Ok(Waited::Cut(Cut::TooLarge));
            }
            looked = Instant::now();
        }
        if let Some(status) = ended {
            return Ok(Waited::Ended(status));
        }
        if stopping.is_requested() {
            return Ok(Waited::Stopped);
        }
        if start.elapsed() > limits.time {
            return Ok(Waited::Cut(Cut::Late));
        }
        thread::sleep(PAUSE);
    }
}

/// Waits for the end of what has lost its guard, and kills what does not go.
fn end(child: &mut Child) {
    let start = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if start.elapsed() > TIME_TO_END {
            // Its supervisor hangs: nothing more can be done for it.
            let _ = child.kill().and_then(|()| child.wait());
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Reads everything, so that a build never waits for us, and gives the beginning, safe to show.
fn listen(mut pipe: PipeReader) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut kept, mut more, mut buffer) = (vec![], 0, [0; 4096]);
        while let Ok(n @ 1..) = pipe.read(&mut buffer) {
            let room = n.min(KEPT - kept.len());
            kept.extend_from_slice(&buffer[..room]);
            more += (n - room) as u64;
        }
        let mut text = clean_lines(String::from_utf8_lossy(&kept).trim_end());
        if more > 0 {
            text = format!("{text}\n[rookery: {more} more bytes were left out]");
        }
        // Whoever asked may have given up.
        let _ = sender.send(text);
    });
    receiver
}

/// Whether a folder has more in it than it may. What vanishes meanwhile does not count.
fn is_too_large(folder: &Path, most: u64) -> bool {
    let (mut bytes, mut entries, mut open) = (0_u64, 0, vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let Ok(found) = entry.path().symlink_metadata() else { continue };
            entries += 1;
            bytes = bytes.saturating_add(if found.is_file() { found.len() } else { 0 });
            if bytes > most || entries > MAX_ENTRIES {
                return true;
            }
            if found.is_dir() {
                open.push(entry.path());
            }
        }
    }
    false
}
