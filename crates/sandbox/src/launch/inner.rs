//! The last stage: it gives up every right, one after the other, and becomes the program.

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use rustix::process::{
    Gid, Pid, Resource, Rlimit, Signal, Uid, getppid, set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::thread::{set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::cgroup::Cgroup;
use super::plan::{Confine, Plan};
use super::{pipes, rights, syscalls};
use crate::report::{Ended, Report};

/// The most files that a confined program may have open: enough for the virtual machines that open every library as a
/// file, too few to be a burden.
const MAX_FILES: u64 = 256;

pub(super) fn run(plan: &Plan) -> ExitCode {
    let status = pipes::take_inherited(plan.status.as_slice());
    let ended = match give_up(plan) {
        Err(error) => Ended::SandboxFailed(error.to_string()),
        Ok(()) => Ended::NotStarted(become_program(&plan.argv)),
    };
    if let Some(pipe) = status.ok().and_then(|mut taken| taken.pop()) {
        // If the parent is gone, so is the reason to tell.
        let _ = writeln!(File::from(pipe), "{}", Report::new(ended).to_line());
    }
    ExitCode::from(125)
}

/// Becomes the program; comes back only with the number of an error. Not by `execvp`, which hands a file that it cannot
/// run to a shell.
fn become_program(argv: &[OsString]) -> i32 {
    let text = |bytes: &OsStr| CString::new(bytes.as_bytes()).map_err(|_| libc::EINVAL);
    let run = || {
        // We ignore SIGPIPE, and what is ignored is inherited; what is handled is not.
        let handled = signal_hook::flag::register(libc::SIGPIPE, Arc::default());
        handled.map_err(|error| error.raw_os_error().unwrap_or(libc::EINVAL))?;
        let words = argv.iter().map(|word| text(word)).collect::<Result<Vec<CString>, i32>>()?;
        // bubblewrap adds PWD to the environment.
        let variables = std::env::vars_os().filter(|(name, _)| name != "PWD").map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            text(&name)
        });
        let variables = variables.collect::<Result<Vec<CString>, i32>>()?;
        let mut errno = libc::ENOENT;
        for file in candidates(argv.first().ok_or(libc::EINVAL)?) {
            let Err(error) = nix::unistd::execve(&text(file.as_os_str())?, &words, &variables);
            match error as i32 {
                // Perhaps there is one further on that we may run. In a folder of PATH that we cannot look into there may
                // be none at all.
                libc::EACCES if file.exists() || argv[0].as_bytes().contains(&b'/') => errno = libc::EACCES,
                libc::ENOENT | libc::ENOTDIR | libc::EACCES => {}
                other => return Err(other),
            }
        }
        Err::<Infallible, i32>(errno)
    };
    let Err(errno) = run();
    errno
}

/// The files that a name may mean, in order.
fn candidates(program: &OsStr) -> Vec<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return vec![program.into()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).collect()
}

/// The order matters: files are opened for Landlock while we may, a change of user forgets the signal for the death of
/// the parent, and after the filter some of these calls are forbidden.
fn give_up(plan: &Plan) -> io::Result<()> {
    let say =
        |what: &'static str| move |error: rustix::io::Errno| io::Error::other(format!("{what}: {error}"));
    // A new session has no terminal, so nothing can be typed into it (TIOCSTI).
    setsid().map_err(say("setsid"))?;
    limit(Resource::Core, 0).map_err(say("limit of core files"))?;
    if plan.confine != Confine::No {
        limit_all(plan).map_err(say("setrlimit"))?;
    }
    // If the whole machine runs out of memory, this program goes before us, however well we are protected.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    // Programs that change their user are inert from here on.
    set_no_new_privs(true).map_err(say("no_new_privs"))?;
    if plan.confine != Confine::No {
        rights::restrict(plan)?;
    }
    if let Some(id) = plan.user {
        let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
        set_thread_groups(&[]).map_err(say("setgroups"))?;
        set_thread_res_gid(group, group, group).map_err(say("setresgid"))?;
        set_thread_res_uid(user, user, user).map_err(say("setresuid"))?;
    }
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(say("PR_SET_PDEATHSIG"))?;
    if getppid() != plan.parent.and_then(Pid::from_raw) {
        return Err(io::Error::other("the supervisor has ended"));
    }
    if plan.confine != Confine::No {
        syscalls::restrict(plan.confine)?;
    }
    Ok(())
}

fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    // What is lower already stays as it is.
    let most = rustix::process::getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
}

fn limit_all(plan: &Plan) -> rustix::io::Result<()> {
    limit(Resource::Nofile, MAX_FILES)?;
    // No memory that cannot be swapped, no message queues, no priority.
    limit(Resource::Memlock, 0)?;
    limit(Resource::Msgqueue, 0)?;
    if let Some(bytes) = plan.disk {
        limit(Resource::Fsize, bytes)?;
    }
    if let Some(seconds) = plan.cpu_seconds {
        // At the lower limit there is a signal that says why, at the upper one the end.
        limit(Resource::Cpu, seconds.saturating_add(1))?;
        let hard = rustix::process::getrlimit(Resource::Cpu).maximum;
        setrlimit(Resource::Cpu, Rlimit { current: hard.map(|hard| hard.min(seconds)), maximum: hard })?;
    }
    if let Some(bytes) = plan.memory.filter(|_| !plan.cgroups.iter().any(Cgroup::limits_memory)) {
        // Not RLIMIT_AS: virtual machines reserve far more addresses than they use, and only what can be written to is
        // counted here.
        limit(Resource::Data, bytes)?;
    }
    if let Some(processes) = plan.processes.filter(|_| !plan.cgroups.iter().any(Cgroup::limits_processes)) {
        // The kernel counts all threads of the user, but in a user namespace of our own only those inside.
        let others = if plan.inside && plan.user.is_none() { 2 } else { threads_of(plan.user) };
        limit(Resource::Nproc, processes.saturating_add(others))?;
    }
    Ok(())
}

/// How many threads a user has.
fn threads_of(user: Option<u32>) -> u64 {
    let user = user.unwrap_or_else(|| rustix::process::getuid().as_raw());
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    entries
        .filter_map(|entry| {
            let status = fs::read(entry.ok()?.path().join("status")).ok()?;
            let status = String::from_utf8_lossy(&status);
            let field = |key: &str| {
                status
                    .lines()
                    .find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse::<u64>().ok())
            };
            (field("Uid:") == Some(u64::from(user))).then(|| field("Threads:")).flatten()
        })
        .sum()
}
