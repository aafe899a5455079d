//! A program of the trial: started, listened to, killed.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A program that runs, with what it has printed so far.
#[derive(Debug)]
pub(super) struct Part {
    name: String,
    child: Child,
    alive: bool,
    lines: Arc<Mutex<Vec<String>>>,
    log: PathBuf,
}

impl Part {
    /// Starts it with a data folder of its own; it ends with us.
    pub(super) fn start(binary: &Path, name: &str, args: &[&str], scratch: &Path) -> Result<Self, String> {
        let data = scratch.join(name);
        fs::create_dir_all(&data).map_err(|error| error.to_string())?;
        let log = data.join("log");
        let errors = File::create(&log).map_err(|error| error.to_string())?;
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(binary).args(args).env("XDG_DATA_HOME", &data);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
        let lines = Arc::new(Mutex::new(vec![]));
        let (out, kept) = (child.stdout.take(), Arc::clone(&lines));
        thread::spawn(move || {
            for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        Ok(Self { name: name.to_owned(), child, alive: true, lines, log })
    }

    /// What follows these words in the first line that begins with them.
    pub(super) fn line(&self, words: &str) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().find_map(|line| line.strip_prefix(words)).map(str::to_owned)
    }

    /// The same in the last one.
    pub(super) fn last(&self, words: &str) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().rev().find_map(|line| line.strip_prefix(words)).map(str::to_owned)
    }

    /// Waits for such a line.
    pub(super) fn wait_for(&self, words: &str, patience: Duration) -> Result<String, String> {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if let Some(found) = self.line(words) {
                return Ok(found);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("{} does not say {words:?}: {}", self.name, self.log()))
    }

    pub(super) fn is_alive(&self) -> bool {
        self.alive
    }

    pub(super) fn kill(&mut self) {
        self.alive = false;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Stops it where it is, or lets it go on.
    pub(super) fn freeze(&self, frozen: bool) {
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // One that has ended needs no signal.
            let _ = kill_process(pid, signal);
        }
    }

    /// What it complained about.
    pub(super) fn log(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let last: Vec<&str> = text.lines().rev().take(10).collect();
        format!("{}: {}", self.name, last.into_iter().rev().collect::<Vec<_>>().join("\n    "))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.kill();
    }
}
