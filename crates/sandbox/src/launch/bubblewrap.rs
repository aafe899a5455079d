//! The namespaces: processes, network, files, host name and messages of its own for every program.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::plan::Plan;
use super::system;

/// The folder to write to, inside.
pub(crate) const TMP: &str = "/tmp";
/// Where this program is, inside.
const LAUNCHER: &str = "/run/rookery";
const DEFAULT_DISK: u64 = 16 << 20;

/// Becomes bubblewrap, and in it the next stage; comes back only with an error.
pub(super) fn exec(plan: &Plan) -> io::Error {
    let (Some(bubblewrap), Some(launcher)) = (&plan.bubblewrap, &plan.launcher) else {
        return io::Error::other("the path of bubblewrap is missing");
    };
    let mut command = Command::new(bubblewrap);
    command
        .args(arguments(plan, launcher))
        .arg("--")
        .arg(LAUNCHER)
        .arg(super::SUBCOMMAND)
        .args(plan.to_args());
    command.exec()
}

fn arguments(plan: &Plan, launcher: &Path) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    let mut add = |words: &[&OsStr]| args.extend(words.iter().map(OsString::from));
    let of = OsStr::new;
    for flag in [
        "--die-with-parent",
        "--new-session",
        "--unshare-pid",
        "--as-pid-1",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ] {
        add(&[of(flag)]);
    }
    if plan.user.is_some() {
        // As root no user namespace is needed; the rights that the stages inside need, and no others: to become somebody
        // else and to end what somebody else runs.
        add(&[of("--cap-drop"), of("ALL")]);
        for right in ["CAP_SETUID", "CAP_SETGID", "CAP_KILL"] {
            add(&[of("--cap-add"), of(right)]);
        }
    } else {
        add(&[of("--unshare-user")]);
    }
    for folder in system::FOLDERS {
        match fs::read_link(folder) {
            Ok(target) => add(&[of("--symlink"), target.as_os_str(), of(folder)]),
            Err(_) => add(&[of("--ro-bind-try"), of(folder), of(folder)]),
        }
    }
    let disk = plan.disk.unwrap_or(DEFAULT_DISK);
    let (size, shared) = (disk.to_string(), (disk / 4).max(4096).to_string());
    add(&[of("--proc"), of("/proc"), of("--dev"), of("/dev")]);
    for (size, folder) in [(&shared, "/dev/shm"), (&size, TMP)] {
        add(&[of("--size"), of(size), of("--perms"), of("1777"), of("--tmpfs"), of(folder)]);
    }
    add(&[of("--ro-bind"), launcher.as_os_str(), of(LAUNCHER)]);
    let settings = system::settings();
    let read = settings.iter().chain(&plan.read).map(|path| ("--ro-bind", path));
    // After the others, since it may be one of them.
    for (flag, path) in read.chain(plan.write.iter().map(|path| ("--bind", path))) {
        // bubblewrap would make the folder above a file readable for its owner only.
        if let Some(above) = path.parent().filter(|above| *above != Path::new("/")) {
            add(&[of("--perms"), of("0755"), of("--dir"), above.as_os_str()]);
        }
        add(&[of(flag), path.as_os_str(), path.as_os_str()]);
    }
    add(&[of("--dir"), plan.cwd.as_os_str(), of("--chdir"), plan.cwd.as_os_str()]);
    // Both are file systems in memory without a limit of size, so nothing may be written to them.
    add(&[of("--remount-ro"), of("/dev"), of("--remount-ro"), of("/")]);
    args
}
