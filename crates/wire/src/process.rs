//! Programs started by us, each with its own process group, so that whatever they start ends with them.

use std::fmt;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::pin::pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_referee::{Evidence, Fault, Offence};
use rookery_rules::text::shell_quoted;
use rookery_sandbox::{Cause, Ended, Guard, Program, Report, Sandbox, SandboxError};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::{CpuMeter, StderrLog};

/// How long a program may take to end by itself when its input is closed.
const TIME_TO_END: Duration = Duration::from_millis(500);
/// How long after it closed its output a program may take to be gone, so that we can say how it ended.
const TIME_TO_EXIT: Duration = Duration::from_millis(100);
/// How long after the end of a program we wait for the end of its standard error, which something that left its group
/// may hold.
const TIME_TO_COMPLAIN: Duration = Duration::from_millis(60);

/// How long a supervisor may take to end everything that it keeps, and to clean up.
const TIME_TO_CLEAN_UP: Duration = Duration::from_secs(1);

/// Why a program was not started.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The command is none, or names nothing that can be started: the fault of whoever wrote it.
    Command(String),
    /// This machine, or the sandbox, failed: nobody's fault but ours.
    System(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(why) => f.write_str(why),
            Self::System(why) => write!(f, "this machine cannot start a program now: {why}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<SandboxError> for StartError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Program(_) => Self::Command(error.to_string()),
            _ => Self::System(error.to_string()),
        }
    }
}

impl From<&StartError> for Fault {
    fn from(error: &StartError) -> Self {
        let note = format!("it cannot be started: {error}");
        match error {
            StartError::Command(_) => Self::new(Offence::Crashed, note),
            StartError::System(_) => Self::ours(note),
        }
    }
}

/// A child process that talks to us by its standard input and output. It is killed when this is dropped, with everything
/// it has started.
#[derive(Debug)]
pub struct Process {
    /// Gone only while this is being dropped.
    child: Option<Child>,
    /// The number of its group: its own.
    group: Option<Pid>,
    command: String,
    log: StderrLog,
    /// Reads the standard error until there is no more of it.
    listener: Option<JoinHandle<()>>,
    /// Holds it in its sandbox.
    guard: Option<Guard>,
    meter: CpuMeter,
}

/// Variables of ours that programs get.
const KEPT_ENV: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

impl Process {
    /// Starts a program by itself. The command is split as a shell would, and no shell runs it; the program gets few of our
    /// variables. Whatever it starts in a session of its own can outlive it: see [`start_in`](Self::start_in).
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn start(command: &str) -> Result<Self, StartError> {
        let wrong = |error: &dyn fmt::Display| StartError::Command(error.to_string());
        let argv = rookery_sandbox::split(command).map_err(|error| wrong(&error))?;
        let (name, rest) = argv.split_first().ok_or_else(|| wrong(&"there is no program to start"))?;
        let mut program = std::process::Command::new(name);
        program.args(rest).env_clear().process_group(0);
        program.envs(KEPT_ENV.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        Self::spawn(program, command, None).map_err(|error| {
            let is_ours = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
                || [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE]
                    .iter()
                    .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
            if is_ours { StartError::System(error.to_string()) } else { wrong(&error) }
        })
    }

    /// Starts a program in a sandbox, with which it ends, and everything it has started.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn start_in(sandbox: &Sandbox, program: &Program) -> Result<Self, StartError> {
        let (launch, guard) = sandbox.command(program)?;
        let words: Vec<String> = program.argv.iter().map(|word| shell_quoted(word)).collect();
        // What is spawned here is ours; whether the program itself can be started its report will say.
        Self::spawn(launch, &words.join(" "), Some(guard)).map_err(|error| match error.kind() {
            io::ErrorKind::ArgumentListTooLong => StartError::Command(error.to_string()),
            _ => StartError::System(error.to_string()),
        })
    }

    fn spawn(program: std::process::Command, command: &str, guard: Option<Guard>) -> io::Result<Self> {
        let mut child = Command::from(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A supervisor is asked to end, so that it can clean up.
            .kill_on_drop(guard.is_none())
            .spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let log = StderrLog::default();
        let pipe = child.stderr.take();
        let listener = pipe.map(|pipe| tokio::spawn(log.clone().listen(pipe)));
        let meter = CpuMeter::new(child.id());
        Ok(Self { child: Some(child), group, command: command.to_owned(), log, listener, guard, meter })
    }

    /// What it writes to its standard error, also later.
    pub fn log(&self) -> StderrLog {
        self.log.clone()
    }

    /// The processor time it uses, also later.
    pub fn meter(&self) -> CpuMeter {
        self.meter.clone()
    }

    /// Its number, as long as it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref()?.id()
    }

    /// What was started.
    pub fn command(&self) -> &str {
        &self.command
    }

    pub(crate) fn take_pipes(&mut self) -> (ChildStdout, ChildStdin) {
        let taken = "the pipes are taken once, when the connection is made";
        let child = self.child();
        (child.stdout.take().expect(taken), child.stdin.take().expect(taken))
    }

    fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("the child is there until this is dropped")
    }

    /// Ready when the program itself has ended, whoever still holds its output.
    pub(crate) fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Who is to be woken is remembered by the child, so the future need not be kept.
        pin!(self.child().wait()).poll(cx).map(|_| ())
    }

    /// Stops it or lets it go on, in a sandbox that can.
    pub(crate) fn set_frozen(&mut self, frozen: bool) {
        if let Some(guard) = &mut self.guard {
            guard.set_frozen(frozen);
        }
    }

    /// How the program ended and what it wrote last to its standard error. What is left of it is killed. Who has spoken was
    /// started, whatever is said later.
    pub(crate) async fn exit_report(mut self, has_spoken: bool, closed: &'static str) -> Fault {
        self.set_frozen(false);
        let mut status = timeout(TIME_TO_EXIT, self.child().wait()).await.ok();
        let mut report = None;
        if let Some(guard) = self.guard.take() {
            let is_late = status.is_none();
            if is_late {
                // It goes on, or its supervisor is still at work and will say how it ended.
                self.end_supervisor();
                status = timeout(TIME_TO_CLEAN_UP, self.child().wait()).await.ok();
            }
            report = status.is_some().then(|| guard.report());
            self.meter.end(report.as_ref().and_then(Report::cpu_known));
            // Whatever had to be stopped has not ended.
            if is_late && report.as_ref().is_none_or(|report| report.ended == Ended::Stopped) {
                status = None;
            }
        }
        self.meter.end(None);
        self.kill();
        if let Some(listener) = self.listener.take() {
            let _ = timeout(TIME_TO_COMPLAIN, listener).await;
        }
        if let Some(Report { ended: Ended::SandboxFailed(why), .. }) = report.as_ref().filter(|_| !has_spoken)
        {
            let said = self.log.last().and_then(|said| Some(said.trim_end().lines().next_back()?.to_owned()));
            let said = said.map(|line| format!("; {line}")).unwrap_or_default();
            return Fault::ours(format!("its program was not started, the sandbox failed: {why}{said}"));
        }
        let exit = status.and_then(Result::ok).map(|status| status.to_string());
        let offence = report.as_ref().and_then(Report::cause).map_or(Offence::Crashed, |cause| match cause {
            Cause::MemoryLimit => Offence::MemoryLimit,
            Cause::ProcessLimit => Offence::ProcessLimit,
            Cause::DiskLimit => Offence::DiskLimit,
            Cause::SandboxViolation => Offence::SandboxViolation,
        });
        let note = match &report {
            _ if exit.is_none() => format!("it closed its {closed} and went on"),
            Some(Report { ended: ended @ Ended::NotStarted(_), .. }) => ended.to_string(),
            _ => String::new(),
        };
        let evidence = Evidence { note, exit, stderr: self.log.last(), ..Evidence::default() };
        Fault::with(offence, evidence)
    }

    /// Lets the program end by itself, now that its input is closed; kills it, and whatever it has started, if it
    /// takes too long.
    pub(crate) async fn end(mut self) {
        self.set_frozen(false);
        let mut has_ended = timeout(TIME_TO_END, self.child().wait()).await.is_ok();
        if !has_ended && self.guard.is_some() {
            self.end_supervisor();
            has_ended = timeout(TIME_TO_CLEAN_UP, self.child().wait()).await.is_ok();
        }
        if has_ended && let Some(guard) = self.guard.take() {
            self.meter.end(guard.report().cpu_known());
        }
    }

    /// Ends it at once, whoever waits for it.
    pub(crate) fn stop(&mut self) {
        // Whoever is frozen could not be ended, and its supervisor with it.
        self.set_frozen(false);
        if self.guard.is_some() {
            self.end_supervisor();
        } else {
            self.kill();
        }
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            // The group may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Process {
    /// Has the supervisor end everything, also if the program has stopped it.
    fn end_supervisor(&self) {
        if let Some(supervisor) = self.group {
            for signal in [Signal::TERM, Signal::CONT] {
                let _ = kill_process(supervisor, signal);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.set_frozen(false);
        let is_running = self.child.as_ref().is_some_and(|child| child.id().is_some());
        if is_running {
            self.meter.stop();
        }
        let Some((guard, child)) = self.guard.take().zip(self.child.take()).filter(|_| is_running) else {
            self.kill();
            return;
        };
        // A supervisor that is killed leaves its control groups to the next start of ours, so it is asked first.
        self.end_supervisor();
        let group = self.group;
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(clean_up(child, guard, group));
        }
    }
}

/// Waits for a supervisor that was asked to end, and kills it if it does not.
async fn clean_up(mut child: Child, guard: Guard, group: Option<Pid>) {
    if timeout(TIME_TO_CLEAN_UP, child.wait()).await.is_err()
        && let Some(group) = group
    {
        let _ = kill_process_group(group, Signal::KILL);
        let _ = child.wait().await;
    }
    drop(guard);
}
