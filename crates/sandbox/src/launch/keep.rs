//! The second stage, the parent of the program: it collects orphans while the program runs and ends them with it. In
//! namespaces it is process 1, whose end is the end of all.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, WaitStatus, getpid, getppid, pidfd_open, set_child_subreaper, setsid,
};

use super::cgroup::Cgroup;
use super::plan::{Confine, Plan, Stage};
use super::{bubblewrap, pipes, scratch, tree};
use crate::report::{Ended, Limit, Report};

pub(super) fn run(mut plan: Plan) -> ExitCode {
    let failed = |error: io::Error| Report::new(Ended::SandboxFailed(error.to_string()));
    // The limits hold from here on, for whatever comes after.
    let joined = if plan.inside { Ok(()) } else { plan.cgroups.iter().try_for_each(Cgroup::join) };
    if plan.confine == Confine::Bubblewrap && !plan.inside && joined.is_ok() {
        // Comes back only if it fails.
        let error = enter(&mut plan);
        return tell(pipes::take_inherited(plan.status.as_slice()).ok().unwrap_or_default(), &failed(error));
    }
    let wanted: Vec<i32> = plan.streams.into_iter().flatten().chain(plan.status).collect();
    // If that fails nobody can be told; the front sees that nothing was said.
    let Ok(mut status) = pipes::take_inherited(&wanted) else { return ExitCode::from(125) };
    let streams: Vec<OwnedFd> = status.drain(..wanted.len() - plan.status.iter().len()).collect();
    let report = match joined.and_then(|()| restore(&streams)).and_then(|()| {
        drop(streams);
        keep(&plan)
    }) {
        Ok(Some(report)) => report,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => failed(error),
    };
    tell(status, &report)
}

/// Goes into namespaces of our own. One process of bubblewrap stays outside and would hold the program's streams, so
/// that they go past it.
fn enter(plan: &mut Plan) -> io::Error {
    let aside = match pipes::put_aside_streams() {
        Ok(aside) => aside,
        Err(error) => return error,
    };
    plan.parent = None;
    plan.inside = true;
    plan.streams = Some(aside.each_ref().map(AsRawFd::as_raw_fd));
    bubblewrap::exec(plan)
}

fn restore(streams: &[OwnedFd]) -> io::Result<()> {
    if let [stdin, stdout] = streams {
        rustix::stdio::dup2_stdin(stdin)?;
        rustix::stdio::dup2_stdout(stdout)?;
    }
    Ok(())
}

fn tell(status: Vec<OwnedFd>, report: &Report) -> ExitCode {
    for pipe in status {
        // Without the front there is nobody to hear it.
        let _ = writeln!(File::from(pipe), "{}", report.to_line());
    }
    ExitCode::SUCCESS
}

/// Runs the program to its end. `None` if the front died, and everything was ended for that.
fn keep(plan: &Plan) -> io::Result<Option<Report>> {
    super::make_private();
    // In namespaces we may be the leader of a session already.
    let _ = setsid();
    set_child_subreaper(Some(getpid()))?;
    let front_ends = match plan.parent.and_then(Pid::from_raw) {
        None => None,
        Some(front) => {
            let ends = pidfd_open(front, PidfdFlags::empty());
            if getppid() != Some(front) {
                return Ok(None);
            }
            Some(ends?)
        }
    };
    let (news, on_signal) = UnixStream::pair()?;
    news.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(libc::SIGCHLD, on_signal)?;
    let (inner_says, inner_end) = pipes::inherited_pipe()?;
    let next = Plan {
        stage: Stage::Inner,
        parent: Some(getpid().as_raw_nonzero().get()),
        status: Some(inner_end.as_raw_fd()),
        streams: None,
        ..plan.clone()
    };
    let inner = super::next_stage(&next).spawn()?;
    drop(inner_end);
    pipes::drop_standard_streams()?;
    let inner = Pid::from_raw(inner.id().cast_signed()).ok_or_else(|| io::Error::other("no process id"))?;
    let status = wait_for(inner, &news, front_ends.as_ref())?;
    // Our group is not frozen, or we would be.
    let swept = tree::end_all(&[], |_, _| {});
    let Some(status) = status else {
        clean_up(plan);
        return Ok(None);
    };
    let mut report = Report::from_line(&pipes::read_all(inner_says)).unwrap_or_else(|| {
        Report::new(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Ended::Exited(code),
            (_, Some(signal)) => Ended::Signal(signal),
            _ => Ended::Unknown,
        })
    });
    report.left = swept.left;
    // The program itself has ended by now, so that it is missing in the count.
    if plan.processes.is_some_and(|most| swept.seen + 1 >= most) {
        report.reached.push(Limit::Processes);
    }
    if plan.inside && is_full(bubblewrap::TMP) {
        report.reached.push(Limit::Disk);
    }
    Ok(Some(report))
}

/// Collects whatever ends until it is the program, or `None` when the front has died.
fn wait_for(program: Pid, mut news: &UnixStream, front: Option<&OwnedFd>) -> io::Result<Option<WaitStatus>> {
    loop {
        let mut ended = None;
        tree::reap(|pid, status| {
            if pid == program {
                ended = Some(status);
            }
        });
        if ended.is_some() {
            return Ok(ended);
        }
        let mut fds = vec![PollFd::new(news, PollFlags::IN)];
        fds.extend(front.map(|front| PollFd::new(front, PollFlags::IN)));
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        if fds.get(1).is_some_and(|front| !front.revents().is_empty()) {
            return Ok(None);
        }
        // The bytes only say that there is something to collect.
        let _ = news.read(&mut [0; 256]);
    }
}

/// The front is gone and cannot do it.
fn clean_up(plan: &Plan) {
    for cgroup in &plan.cgroups {
        // What cannot be removed now is removed when the next instance starts.
        let _ = cgroup.leave().and_then(|()| cgroup.remove());
    }
    if let Some(folder) = &plan.scratch {
        scratch::remove(folder);
    }
}

fn is_full(folder: &str) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|found| found.f_bavail == 0 || found.f_favail == 0)
}
