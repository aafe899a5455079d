//! Processes that are killed: a test starts itself once more, with a role.

use std::io::{BufRead as _, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The variable that tells a test that it is the child.
const ROLE: &str = "ROOKERY_STORE_CHILD";

/// What this process is to work on, if it is a child.
pub(crate) fn role() -> Option<PathBuf> {
    std::env::var_os(ROLE).map(PathBuf::from)
}

/// Tells the parent something, at once.
pub(crate) fn tell(text: &str) {
    println!("\nTOLD {text}");
}

/// The command that runs a test of this binary as a child.
pub(crate) fn command(test: &str, work_on: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(ROLE, work_on);
    command
}

/// A child that runs, killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// What it tells next; `None` when it has ended.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.strip_prefix("TOLD ")?.to_owned()))
    }

    /// Kills it a while after it has told so much, however long that takes; everything it told before.
    pub(crate) fn kill_after(mut self, n_told: usize, delay: Duration) -> Vec<String> {
        let mut told: Vec<String> = std::iter::from_fn(|| self.next()).take(n_told).collect();
        assert_eq!(told.len(), n_told, "it has ended by itself");
        std::thread::sleep(delay);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        told.extend(std::iter::from_fn(|| self.next()));
        told
    }

    /// Waits for its end; everything it told, and whether it ended well.
    pub(crate) fn finish(mut self) -> (Vec<String>, bool) {
        let told = std::iter::from_fn(|| self.next()).collect();
        (told, self.child.wait().unwrap().success())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
