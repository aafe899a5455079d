//! Programs started by us, each with its own process group, so that whatever they start ends with them.

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::excerpt;

/// What is kept of a program's complaints: the end of its standard error.
const COMPLAINTS: usize = 4 << 10;
/// How long a program may take to end by itself.
const PEACE: Duration = Duration::from_millis(500);
/// How long after it closed its output a program may take to be gone, so that we can say how it ended.
const LAST_MOMENTS: Duration = Duration::from_millis(100);

/// A child process that talks to us by its standard input and output. It is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Option<Pid>,
    command: String,
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Reads the complaints until there are no more.
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
        let complaints = Arc::default();
        let stderr = child.stderr.take();
        let listener = stderr.map(|stderr| tokio::spawn(listen(stderr, Arc::clone(&complaints))));
        Ok(Self { child, group, command: command.to_owned(), complaints, listener })
    }

    /// What was started.
    pub fn command(&self) -> &str {
        &self.command
    }

    pub(crate) fn take_pipes(&mut self) -> (ChildStdout, ChildStdin) {
        let taken = "the pipes are taken once, when the connection is made";
        (self.child.stdout.take().expect(taken), self.child.stdin.take().expect(taken))
    }

    /// How the program ended and what it said last, for people. What is left of it is killed.
    pub(crate) async fn obituary(mut self) -> String {
        let status = timeout(LAST_MOMENTS, self.child.wait()).await;
        if let Some(listener) = self.listener.take() {
            let _ = timeout(LAST_MOMENTS, listener).await;
        }
        let mut text = match status {
            Ok(Ok(status)) => format!("the program ended: {status}"),
            _ => "the program closed its output".to_owned(),
        };
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let last_line = complaints.trim_ascii_end().rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        if !last_line.is_empty() {
            text.push_str("; the last it said on its standard error was ");
            text.push_str(&excerpt(last_line));
        }
        text
    }

    /// Lets the program end by itself, now that its input is closed; kills it, and whatever it has started, if it
    /// takes too long.
    pub(crate) async fn end(mut self) {
        let _ = timeout(PEACE, self.child.wait()).await;
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

/// Keeps the end of what a program complains about, however much it is.
async fn listen(mut stderr: impl AsyncRead + Unpin, complaints: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut chunk).await {
        let mut kept = complaints.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..n]);
        let surplus = kept.len().saturating_sub(COMPLAINTS);
        kept.drain(..surplus);
    }
}
