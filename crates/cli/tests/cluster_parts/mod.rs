//! Programs of a test with a broker: started, asked, ended.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
/// How long anything may take, on a machine that does much else.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// A program that ends with the test.
pub(crate) struct Part(pub(crate) Child);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(ROOKERY);
    command.args(line.split(' ')).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command.env("XDG_DATA_HOME", folder.join("data")).env_remove("ROOKERY_STORE").stdin(Stdio::null());
    command
}

pub(crate) fn done(folder: &Path, line: &str) -> String {
    let ran = command(folder, line).output().unwrap();
    let (out, said) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{line}: {out} {said}");
    out.into_owned()
}

/// What `cluster status` says of a worker, once that is so.
pub(crate) fn wait_for(folder: &Path, access: &str, worker: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let asked = command(folder, &format!("cluster status {access} --json")).output().unwrap();
        let status: Value = serde_json::from_slice(&asked.stdout).unwrap_or_default();
        let found = status["workers"].as_array().into_iter().flatten().find(|found| found["name"] == worker);
        if let Some(found) = found.filter(|found| is_so(found)) {
            return found.clone();
        }
        assert!(begun.elapsed() < PATIENCE, "{worker}: {status}");
        sleep(Duration::from_millis(50));
    }
}
