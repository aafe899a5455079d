//! What is no fault of a bot: a sandbox that fails. And what is: a command that names nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use rookery_referee::{Cause, Offence};
use rookery_sandbox::{Level, Policy};
use rookery_testkit::{SKIPPED, TempFolder, tell_skipped_by};

use crate::check::{FREE, check, lost, played};
use crate::run::{EVIL_BOT, Outcome, run_in, skip};

const HONEST: &str = concat!(env!("CARGO_BIN_EXE_evil-bot"), " honest");

/// A launcher that can be taken away, in a folder that everybody may read.
fn launcher(folder: &TempFolder) -> PathBuf {
    let copy = folder.join("launcher");
    fs::copy(EVIL_BOT, &copy).unwrap();
    copy
}

/// Plays with a bot after something was done to what the sandbox was prepared with.
fn spoilt(policy: Policy, spoil: impl FnOnce(), command: &str) -> Option<Outcome> {
    spoilt_and_mended(policy, spoil, &|| {}, command)
}

/// The same, and something else afterwards, before anybody looks at what is left.
fn spoilt_and_mended(
    policy: Policy,
    spoil: impl FnOnce(),
    mend: &dyn Fn(),
    command: &str,
) -> Option<Outcome> {
    let level = policy.level;
    match policy.prepare() {
        Ok(sandbox) => {
            spoil();
            Some(run_in(sandbox, command, mend))
        }
        Err(error) => {
            skip(&format!("the level {level}: {error}"));
            None
        }
    }
}

#[test]
fn fault_c19_a_launcher_that_is_gone_is_ours() {
    for level in [Level::None, Level::Full] {
        let folder = TempFolder::new("launcher");
        let copy = launcher(&folder);
        let policy = Policy::new(level, &copy);
        let Some(outcome) = spoilt(policy, || fs::remove_file(&copy).unwrap(), HONEST) else { continue };
        outcome.assert_ours("this machine cannot start a program now: No such file or directory");
    }
}

#[test]
fn fault_c19_a_launcher_that_cannot_be_run_is_ours() {
    let folder = TempFolder::new("launcher");
    let copy = launcher(&folder);
    let spoil = || fs::set_permissions(&copy, fs::Permissions::from_mode(0o644)).unwrap();
    let outcome = spoilt(Policy::new(Level::None, &copy), spoil, HONEST).unwrap();
    outcome.assert_ours("player 1: it cannot be started: this machine cannot start a program now");
}

#[test]
fn fault_c19_a_mount_that_fails_is_ours() {
    let folder = TempFolder::new("mount");
    let shown = folder.join("shown");
    fs::create_dir(&shown).unwrap();
    let policy = Policy { read: vec![shown.clone()], ..Policy::new(Level::Full, EVIL_BOT) };
    let Some(outcome) = spoilt(policy, || fs::remove_dir(&shown).unwrap(), HONEST) else { return };
    outcome.assert_ours("its program was not started, the sandbox failed: bubblewrap ended with exit code 1");
    assert!(outcome.sentence.contains("shown"), "what bubblewrap says is told: {}", outcome.sentence);
}

#[test]
fn fault_c19_a_control_group_that_cannot_be_made_is_ours() {
    let policy = Policy::new(Level::Full, EVIL_BOT);
    let groups = next_groups();
    let make = || groups.iter().for_each(|path| drop(fs::create_dir(path)));
    let remove = || groups.iter().for_each(|path| drop(fs::remove_dir(path)));
    let outcome = spoilt_and_mended(policy, make, &remove, HONEST);
    remove();
    let Some(outcome) = outcome else { return };
    outcome.assert_ours("its program was not started, the sandbox failed: the control group /sys/fs/cgroup");
}

/// The names that the next groups of this process could have.
fn next_groups() -> Vec<PathBuf> {
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let fields = fs::read_to_string("/proc/self/stat").unwrap();
    let start = fields.rsplit(')').next().unwrap().split_whitespace().nth(19).unwrap();
    let name = |number: u32| format!("rookery-{space}-{}-{start}-{number}", std::process::id());
    // Of version 1, or of version 2.
    let version_1 = Path::new("/sys/fs/cgroup/pids");
    let place = if version_1.exists() { version_1 } else { Path::new("/sys/fs/cgroup") };
    (0..20).map(|number| place.join(name(number))).collect()
}

/// The bot's author, or whoever typed the command.
#[test]
fn fault_c01_a_command_that_names_no_program_is_not_ours() {
    let folder = TempFolder::new("commands");
    let text = folder.join("text");
    fs::write(&text, "no program").unwrap();
    let foreign = folder.join("foreign");
    fs::write(&foreign, b"\x7fELF\x02\x01\x01 of another machine").unwrap();
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o755)).unwrap();
    for level in [Level::None, Level::Full] {
        for (command, says) in [
            ("/no/such/program".to_owned(), "No such file"),
            (text.display().to_string(), "Permission denied"),
            (foreign.display().to_string(), "Exec format error"),
        ] {
            let Some(outcome) = spoilt(Policy::new(level, EVIL_BOT), || {}, &command) else { continue };
            outcome.assert_lost(Cause::Offence(Offence::Crashed), says);
        }
    }
    let outcome = spoilt(Policy::new(Level::None, EVIL_BOT), || {}, "bot | other").unwrap();
    outcome.assert_lost(Cause::Offence(Offence::Crashed), "it cannot be started");
}

/// Without root there are no control groups, and other limits hold.
#[test]
fn fault_c15_the_same_holds_for_another_user() {
    let exe = std::env::current_exe().unwrap();
    let mut command = Command::new("setpriv");
    // A user of this test alone: without control groups processes are counted by user, over all tests that run.
    let user = 100_000 + std::process::id();
    command
        .args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()])
        .arg(&exe);
    command.args(["--exact", "ours::as_another_user", "--ignored", "--nocapture", "--test-threads=1"]);
    match command.env("HOME", "/nonexistent").env_remove(SKIPPED).output() {
        Err(error) => skip(&format!("as another user: setpriv: {error}")),
        Ok(output) if !output.status.success() && output.stdout.is_empty() => {
            skip(&format!("as another user: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            tell_skipped_by("as another user", &said);
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
        }
    }
}

#[test]
#[ignore = "run by fault_c15, as another user"]
fn as_another_user() {
    use crate::check::OWN;
    check("fork-bomb", FREE, &lost(Offence::Timeout, "did not answer"));
    check("double-fork", FREE, &played(""));
    check("stops-parent", FREE, &played("signalled"));
    check("child-keeps-stdout", OWN, &lost(Offence::Crashed, "exit status: 3"));
    check("setsid", OWN, &played(""));
    check("eats-memory", OWN, &lost(Offence::MemoryLimit, "took too much memory"));
    check("fills-disk", OWN, &lost(Offence::DiskLimit, "wrote too much"));
    check("reads-files", OWN, &played("cannot read /etc/shadow"));
    check("connects", OWN, &played("cannot connect").target("127.0.0.1:9"));
    check("mounts", OWN, &lost(Offence::SandboxViolation, "SIGSYS"));
    check("kills-parent", OWN, &played("signalled: Some(Err("));
}
