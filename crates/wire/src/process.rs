//! Programs started by us, each with its own process group, so that whatever they start ends with them.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::pin::pin;
use std::process::Stdio;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_referee::{Evidence, Fault, Offence};
use rookery_sandbox::{Cause, Ended, Guard, Program, Report, Sandbox};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::StderrLog;

/// How long a program may take to end by itself when its input is closed.
const TIME_TO_END: Duration = Duration::from_millis(500);
/// How long after it closed its output a program may take to be gone, so that we can say how it ended.
const TIME_TO_EXIT: Duration = Duration::from_millis(100);
/// How long after the end of a program we wait for the end of its standard error, which something that left its group
/// may hold.
const TIME_TO_COMPLAIN: Duration = Duration::from_millis(60);

/// A child process that talks to us by its standard input and output. It is killed when this is dropped, with everything
/// it has started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Option<Pid>,
    command: String,
    log: StderrLog,
    /// Reads the standard error until there is no more of it.
    listener: Option<JoinHandle<()>>,
    /// Holds it in its sandbox.
    guard: Option<Guard>,
}

/// Variables of ours that programs get.
const KEPT_ENV: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

impl Process {
    /// Starts a program by itself. The command is split as a shell would, and no shell runs it; the program gets few of our
    /// variables. Whatever it starts in a session of its own can outlive it: see [`start_in`](Self::start_in).
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn start(command: &str) -> io::Result<Self> {
        let argv = rookery_sandbox::split(command).map_err(io::Error::other)?;
        let (name, rest) =
            argv.split_first().ok_or_else(|| io::Error::other("there is no program to start"))?;
        let mut program = std::process::Command::new(name);
        program.args(rest).env_clear().process_group(0);
        program.envs(KEPT_ENV.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        Self::spawn(program, command, None)
    }

    /// Starts a program in a sandbox, with which it ends, and everything it has started.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn start_in(sandbox: &Sandbox, command: &str) -> io::Result<Self> {
        let program = Program::parse(command).map_err(io::Error::other)?;
        let (launch, guard) = sandbox.command(&program).map_err(io::Error::other)?;
        Self::spawn(launch, command, Some(guard))
    }

    fn spawn(program: std::process::Command, command: &str, guard: Option<Guard>) -> io::Result<Self> {
        let mut child = Command::from(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let log = StderrLog::default();
        let pipe = child.stderr.take();
        let listener = pipe.map(|pipe| tokio::spawn(log.clone().listen(pipe)));
        Ok(Self { child, group, command: command.to_owned(), log, listener, guard })
    }

    /// What it writes to its standard error, also later.
    pub fn log(&self) -> StderrLog {
        self.log.clone()
    }

    /// Its number, as long as it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// What was started.
    pub fn command(&self) -> &str {
        &self.command
    }

    pub(crate) fn take_pipes(&mut self) -> (ChildStdout, ChildStdin) {
        let taken = "the pipes are taken once, when the connection is made";
        (self.child.stdout.take().expect(taken), self.child.stdin.take().expect(taken))
    }

    /// Ready when the program itself has ended, whoever still holds its output.
    pub(crate) fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Who is to be woken is remembered by the child, so the future need not be kept.
        pin!(self.child.wait()).poll(cx).map(|_| ())
    }

    /// How the program ended and what it wrote last to its standard error. What is left of it is killed.
    pub(crate) async fn exit_report(mut self) -> Fault {
        let status = timeout(TIME_TO_EXIT, self.child.wait()).await;
        let has_ended = status.is_ok();
        self.kill();
        if let Some(listener) = self.listener.take() {
            let _ = timeout(TIME_TO_COMPLAIN, listener).await;
        }
        let exit = status.ok().and_then(Result::ok).map(|status| status.to_string());
        let report = self.guard.take().filter(|_| has_ended).map(Guard::report);
        let offence = report.as_ref().and_then(Report::cause).map_or(Offence::Crashed, |cause| match cause {
            Cause::MemoryLimit => Offence::MemoryLimit,
            Cause::ProcessLimit => Offence::ProcessLimit,
            Cause::DiskLimit => Offence::DiskLimit,
            Cause::SandboxViolation => Offence::SandboxViolation,
        });
        let note = match &report {
            _ if exit.is_none() => "it closed its output and went on".to_owned(),
            Some(Report { ended: ended @ (Ended::NotStarted(_) | Ended::SandboxFailed(_)), .. }) => {
                ended.to_string()
            }
            _ => String::new(),
        };
        let evidence = Evidence { note, exit, stderr: self.log.last(), ..Evidence::default() };
        Fault { offence, evidence: Box::new(evidence) }
    }

    /// Lets the program end by itself, now that its input is closed; kills it, and whatever it has started, if it
    /// takes too long.
    pub(crate) async fn end(mut self) {
        let _ = timeout(TIME_TO_END, self.child.wait()).await;
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            // The group may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
