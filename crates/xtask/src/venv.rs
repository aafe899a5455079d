//! Virtual environments of Python below `target/`, for tests that need programs of `PyPI`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::say;

/// The folder of programs of a virtual environment that has these packages (`name==version`), made where it is missing.
/// `None`, and said loudly, where it cannot be had: there is no Python, or `PyPI` is not reached.
pub(crate) fn bin(target: &Path, name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = target.join("python").join(name);
    // Written last, so that one that was begun and not finished is made anew.
    let (done, wanted) = (folder.join("packages"), packages.join("\n"));
    let programs = folder.join("bin");
    if fs::read_to_string(&done).is_ok_and(|has| has == wanted) {
        return Some(programs);
    }
    say(&format!("== setting up: {} from PyPI", packages.join(", ")));
    let begin = Instant::now();
    let python = programs.join("python3");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let made = run(Path::new("python3"), &["-m", "venv", "--clear", &folder.to_string_lossy()])
        && run(&python, &[&pip, packages].concat())
        && fs::write(&done, wanted).is_ok();
    if made {
        say(&format!("== setting up: installed in {:.0} s", begin.elapsed().as_secs_f64()));
        return Some(programs);
    }
    let list = packages.join(", ");
    say(&format!("== MISSING: {list} could not be had from PyPI: what needs it is SKIPPED"));
    None
}

fn run(program: &Path, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    // Its output is not ours: a result of a chore may be read by another program.
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_testkit::TempFolder;

    use super::*;

    #[test]
    fn what_is_there_is_taken_as_it_is_and_what_cannot_be_had_is_no_success() {
        let target = TempFolder::new("venv");
        let folder = target.join("python/tool");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("packages"), "tool==1\nother==2").unwrap();
        assert_eq!(bin(&target, "tool", &["tool==1", "other==2"]), Some(folder.join("bin")));
        // No such package anywhere, whether PyPI is reached or not.
        assert_eq!(bin(&target, "tool", &["./no such folder"]), None);
    }
}
