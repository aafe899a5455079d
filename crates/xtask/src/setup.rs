//! What the tests start besides Rookery: the languages of the starter kits, the sandbox for bots, PostgreSQL, a browser and what checks units.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::say;

/// Each program, and the Debian packages that bring it. Only a program that is not there is installed: whoever has its own
/// Node or JDK keeps it.
const PROGRAMS: [(&str, &[&str]); 18] = [
    ("python3", &["python3"]),
    ("node", &["nodejs"]),
    ("tsc", &["node-typescript"]),
    ("javac", &["default-jdk-headless"]),
    ("java", &["default-jdk-headless"]),
    // The headers are only recommended by the compiler.
    ("cc", &["gcc", "libc6-dev"]),
    ("c++", &["g++"]),
    ("go", &["golang-go"]),
    ("mcs", &["mono-mcs"]),
    ("mono", &["mono-runtime"]),
    ("bash", &["bash"]),
    ("bwrap", &["bubblewrap"]),
    ("chromium", &["chromium"]),
    ("chromedriver", &["chromium-driver"]),
    // The server itself is not on the PATH; this comes with it.
    ("pg_lsclusters", &["postgresql"]),
    ("nats-server", &["nats-server"]),
    ("openssl", &["openssl"]),
    ("systemd-analyze", &["systemd"]),
];

/// Sees to it that all programs are in this list of folders, and says whether they are. A machine where they cannot be
/// installed is no failure: the tests that need them are skipped, and that is told.
pub(crate) fn programs(path: &OsStr) -> bool {
    let lacking = missing(path);
    if lacking.is_empty() {
        return true;
    }
    let packages = packages(&lacking);
    let how = format!("apt-get install --no-install-recommends {}", packages.join(" "));
    say(&format!("== setting up: {} not on the PATH", list(&lacking)));
    match apt_get(path) {
        Err(why) => say(&format!("== {why}, so nothing is installed; as root: {how}")),
        Ok(apt_get) => {
            say(&format!("== {how}"));
            let begin = Instant::now();
            // Without it names of an old list would be asked for; where it fails, the list may still do.
            run(&apt_get, &["update", "-qq"], path);
            let mut install =
                vec!["install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120"];
            install.extend(packages);
            let done = if run(&apt_get, &install, path) { "installed" } else { "NOT INSTALLED, see above," };
            say(&format!("== setting up: {done} in {:.0} s", begin.elapsed().as_secs_f64()));
        }
    }
    let lacking = missing(path);
    if !lacking.is_empty() {
        say(&format!("== MISSING: {} not on the PATH: what needs it is SKIPPED", list(&lacking)));
    }
    lacking.is_empty()
}

fn missing(path: &OsStr) -> Vec<&'static str> {
    PROGRAMS.iter().map(|&(program, _)| program).filter(|program| find(program, path).is_none()).collect()
}

fn packages(programs: &[&str]) -> Vec<&'static str> {
    let wanted = PROGRAMS.iter().filter(|(program, _)| programs.contains(program));
    let mut packages: Vec<&str> = wanted.flat_map(|&(_, packages)| packages).copied().collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn list(programs: &[&str]) -> String {
    format!("{} {}", programs.join(", "), if programs.len() == 1 { "is" } else { "are" })
}

fn find(program: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// The words that begin a command of apt-get, or why there are none.
fn apt_get(path: &OsStr) -> Result<Vec<&'static str>, &'static str> {
    find("apt-get", path).ok_or("there is no apt-get")?;
    let id = Command::new("id").arg("-u").env("PATH", path).output();
    let is_root = id.is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    let mut words = vec![];
    if !is_root {
        find("sudo", path).ok_or("you are not root, and there is no sudo")?;
        // Never a question for a password in the middle of a test run.
        words.extend(["sudo", "-n"]);
    }
    words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(words)
}

fn run(words: &[&str], args: &[&str], path: &OsStr) -> bool {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(args).env("PATH", path).stdin(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use rookery_testkit::TempFolder;

    use super::*;

    /// A machine that has `env`, these programs, and nothing else.
    fn machine(programs: &[(&str, &str)]) -> TempFolder {
        let folder = TempFolder::new("machine");
        symlink("/usr/bin/env", folder.join("env")).unwrap();
        for (name, script) in programs {
            let file = folder.join(name);
            let here = folder.display();
            fs::write(&file, format!("#!/bin/sh\ncd {here}\n{script}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    /// Writes down what is asked of it, and brings everything but `tsc`.
    const APT_GET: &str = "echo \"$DEBIAN_FRONTEND $*\" >> asked
        [ \"$1\" = update ] || for tool in python3 node javac java cc c++ go mcs mono bash bwrap chromium chromedriver pg_lsclusters nats-server openssl systemd-analyze; do : > $tool; done";
    const ROOT: (&str, &str) = ("id", "echo 0");
    const USER: (&str, &str) = ("id", "echo 1000");

    #[test]
    fn nothing_is_installed_where_everything_is_there() {
        let has = PROGRAMS.map(|(program, _)| (program, ""));
        let folder = machine(&[&has[..], &[ROOT, ("apt-get", APT_GET)]].concat());
        assert!(programs(folder.as_os_str()));
        assert!(!folder.join("asked").exists());
    }

    #[test]
    fn what_is_missing_is_installed_and_nothing_else() {
        let folder = machine(&[ROOT, ("apt-get", APT_GET), ("node", ""), ("tsc", ""), ("cc", "")]);
        assert!(programs(folder.as_os_str()));
        let asked = fs::read_to_string(folder.join("asked")).unwrap();
        let packages = "bash bubblewrap chromium chromium-driver default-jdk-headless g++ golang-go mono-mcs mono-runtime nats-server openssl postgresql \
             python3 systemd";
        let [update, install] = asked.lines().collect::<Vec<_>>()[..] else { panic!("{asked}") };
        assert_eq!(update, "noninteractive update -qq");
        assert!(install.starts_with("noninteractive install -y -qq --no-install-recommends "), "{install}");
        assert!(install.ends_with(&format!("=120 {packages}")), "{install}");
    }

    #[test]
    fn who_is_not_root_needs_sudo_and_is_never_asked_for_a_password() {
        let folder = machine(&[USER, ("apt-get", APT_GET), ("tsc", "")]);
        assert!(!programs(folder.as_os_str()));
        assert!(!folder.join("asked").exists());

        let sudo = ("sudo", "[ \"$1\" = -n ] && shift && exec \"$@\"");
        let folder = machine(&[USER, sudo, ("apt-get", APT_GET), ("tsc", "")]);
        assert!(programs(folder.as_os_str()));
    }

    #[test]
    fn what_could_not_be_had_is_no_success() {
        for apt_get in [APT_GET, "exit 100"] {
            assert!(!programs(machine(&[ROOT, ("apt-get", apt_get)]).as_os_str()));
        }
        assert!(!programs(machine(&[ROOT]).as_os_str()));
    }
}
