//! What is not tested on this machine, and how whoever runs the tests learns of it.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;

/// The variable that names a file for what is skipped. `cargo xtask test` sets it and shows the file at the end: the runner
/// hides what is said by a test that passes.
pub const SKIPPED: &str = "ROOKERY_SKIPPED";

/// The mark before what is skipped, where it is said.
const MARK: &str = "SKIPPED: ";

/// Says that something is not tested here, and why.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn tell_skipped(what: &str) {
    let line = format!("{}\n", what.split_whitespace().collect::<Vec<_>>().join(" "));
    eprint!("{MARK}{line}");
    let Some(path) = env::var_os(SKIPPED) else { return };
    // In one piece: tests run at the same time. Who may not write there was started by a test that tells it instead.
    let file = OpenOptions::new().append(true).create(true).open(path);
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// The same, and a failure where everything is expected to be there: with `ROOKERY_NO_SKIPPED_TESTS`.
///
/// # Panics
/// There.
pub fn skip(what: &str) {
    tell_skipped(what);
    assert!(env::var_os("ROOKERY_NO_SKIPPED_TESTS").is_none(), "{what}");
}

/// Tells what another process has skipped, by what it wrote, and as whom it ran.
pub fn tell_skipped_by(who: &str, said: &str) {
    for what in said.lines().filter_map(|line| line.strip_prefix(MARK)) {
        tell_skipped(&format!("{what} ({who})"));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use crate::TempFolder;

    #[test]
    fn what_is_skipped_is_a_line_of_the_file_that_was_named() {
        let folder = TempFolder::new("skipped");
        let file = folder.join("skipped");
        let run = |more: &[(&str, &str)]| {
            let mut command = Command::new(env::current_exe().unwrap());
            command.args(["--exact", "skipped::tests::skips", "--ignored", "--nocapture"]);
            command.env(SKIPPED, &file).env_remove("ROOKERY_NO_SKIPPED_TESTS");
            command.envs(more.iter().copied()).output().unwrap()
        };
        for n_runs in 1..3 {
            let output = run(&[]);
            assert!(output.status.success());
            assert!(String::from_utf8_lossy(&output.stderr).contains("SKIPPED: this and that\n"));
            assert_eq!(fs::read_to_string(&file).unwrap(), "this and that\n".repeat(n_runs));
        }
        assert!(!run(&[("ROOKERY_NO_SKIPPED_TESTS", "1")]).status.success());
    }

    #[test]
    #[ignore = "run by the test before"]
    fn skips() {
        skip("this\n  and that");
    }
}
