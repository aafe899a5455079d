//! Programs started by us, each with its own process group, so that whatever they start ends with them.

use std::io;
use std::pin::pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_referee::Evidence;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How many bytes are kept of what a program writes to its standard error: the last ones.
const STDERR_KEPT: usize = 4 << 10;
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
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Reads the standard error until there is no more of it.
    listener: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a program. The command is given to the shell, so it may have arguments and quotes.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let stderr = Arc::default();
        let pipe = child.stderr.take();
        let listener = pipe.map(|pipe| tokio::spawn(listen(pipe, Arc::clone(&stderr))));
        Ok(Self { child, group, command: command.to_owned(), stderr, listener })
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
    pub(crate) async fn exit_report(mut self) -> Evidence {
        let status = timeout(TIME_TO_EXIT, self.child.wait()).await;
        self.kill();
        if let Some(listener) = self.listener.take() {
            let _ = timeout(TIME_TO_COMPLAIN, listener).await;
        }
        let exit = status.ok().and_then(Result::ok).map(|status| status.to_string());
        let note = if exit.is_some() { "" } else { "it closed its output and went on" };
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr = (!kept.trim_ascii().is_empty()).then(|| printable(&kept));
        Evidence { note: note.to_owned(), exit, stderr, ..Evidence::default() }
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

/// Keeps the end of what a program writes to its standard error, however much it is.
async fn listen(mut stderr: impl AsyncRead + Unpin, kept: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 4096];
    while let Ok(n @ 1..) = stderr.read(&mut chunk).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..n]);
        let surplus = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..surplus);
    }
}

/// The same as text: control characters but the ends of lines become spaces.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}
