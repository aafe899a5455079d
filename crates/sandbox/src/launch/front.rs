//! The first stage, which the caller sees as the program.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitStatus, getpid, getppid, kill_process, pidfd_open,
    set_child_subreaper, setrlimit,
};

use super::cgroup::Cgroup;
use super::plan::{Confine, Plan, Stage};
use super::{pipes, scratch, tree, watchdog};
use crate::report::{Ended, Limit, Report};

/// How the wait for the program ended.
enum Waited {
    /// The next stage has ended.
    Ended,
    /// We were asked to stop, by a signal or because nobody waits any more.
    Stop,
}

pub(super) fn run(plan: &Plan) -> ExitCode {
    let mut report_to = None;
    let report = supervise(plan, &mut report_to)
        .unwrap_or_else(|error| Report::new(Ended::SandboxFailed(error.to_string())));
    if let Some(mut pipe) = report_to {
        // The caller may have gone; then nobody wants to know.
        let _ = writeln!(pipe, "{}", report.to_line());
    }
    end_like(&report.ended)
}

/// Runs everything and cleans up behind it.
fn supervise(plan: &Plan, report_to: &mut Option<File>) -> io::Result<Report> {
    pipes::take_inherited(&[])?;
    super::make_private();
    // A signal that we pass on by dying of it shall leave no file.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let parent =
        plan.parent.and_then(Pid::from_raw).ok_or_else(|| io::Error::other("the parent is not named"))?;
    let parent_ends = pidfd_open(parent, PidfdFlags::empty())?;
    *report_to = plan.report.and_then(|pipe| pipes::open_report(parent.as_raw_nonzero().get(), pipe));
    if getppid() != Some(parent) || (plan.report.is_some() && report_to.is_none()) {
        return Ok(Report::new(Ended::Stopped));
    }
    let (stop, on_signal) = UnixStream::pair()?;
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        signal_hook::low_level::pipe::register(signal, on_signal.try_clone()?)?;
    }
    set_child_subreaper(Some(getpid()))?;
    let result = prepare(plan).and_then(|()| run_program(plan, &parent_ends, &stop, report_to.as_ref()));
    let mut report = result.unwrap_or_else(|error| Report::new(Ended::SandboxFailed(error.to_string())));
    clean_up(plan, &mut report);
    Ok(report)
}

fn prepare(plan: &Plan) -> io::Result<()> {
    for cgroup in &plan.cgroups {
        cgroup.create(plan)?;
    }
    plan.scratch.as_deref().map_or(Ok(()), |folder| scratch::create(folder, plan.user))?;
    plan.write.as_deref().zip(plan.user).map_or(Ok(()), |(folder, user)| scratch::give(folder, user))
}

fn run_program(
    plan: &Plan,
    parent: &OwnedFd,
    stop: &UnixStream,
    report: Option<&File>,
) -> io::Result<Report> {
    let mut watchdog = watchdog::start(plan)?;
    let (status, status_end) = pipes::inherited_pipe()?;
    let next = Plan {
        stage: Stage::Keep,
        parent: Some(getpid().as_raw_nonzero().get()),
        report: None,
        status: Some(status_end.as_raw_fd()),
        ..plan.clone()
    };
    let keeper = super::next_stage(&next).spawn()?;
    drop(status_end);
    pipes::drop_standard_streams()?;
    let keeper = Pid::from_raw(keeper.id().cast_signed()).ok_or_else(|| io::Error::other("no process id"))?;
    let keeper_ends = pidfd_open(keeper, PidfdFlags::empty())?;
    let waited = wait_for(&keeper_ends, parent, stop, report)?;
    let mut keeper_status = None;
    let mut note = |pid, status| {
        if pid == keeper {
            keeper_status = Some(status);
        }
    };
    let groups = if plan.freeze { &*plan.cgroups } else { &[] };
    if let Some(watchdog) = &mut watchdog {
        // The keeper is thawed first, so that there are always two who can end everything.
        for group in groups {
            let _ = group.set_frozen(false);
        }
        // It is a child like any other, if it does not go at once.
        let _ = watchdog.kill().and_then(|()| watchdog.wait());
    }
    let swept = tree::end_all(groups, &mut note);
    let told = Report::from_line(&pipes::read_all(status));
    let mut report = match (waited, told) {
        (_, Some(told)) => told,
        (Waited::Stop, None) => Report::new(Ended::Stopped),
        (Waited::Ended, None) => Report::new(without_word(plan, keeper_status)),
    };
    report.left = report.left.max(swept.left);
    if plan.processes.is_some_and(|most| swept.seen > most) && !report.reached.contains(&Limit::Processes) {
        report.reached.push(Limit::Processes);
    }
    Ok(report)
}

/// How the program ended if the next stage has gone without saying so.
fn without_word(plan: &Plan, status: Option<WaitStatus>) -> Ended {
    match status {
        Some(status) if status.exit_status().is_some() && plan.confine == Confine::Bubblewrap => {
            let code = status.exit_status().unwrap_or_default();
            // bubblewrap adds the signal to 128, and says on standard error what else went wrong.
            if code > 128 {
                Ended::Signal(code - 128)
            } else {
                Ended::SandboxFailed(format!(
                    "bubblewrap ended with exit code {code}; its standard error says why"
                ))
            }
        }
        Some(status) => match status.terminating_signal() {
            Some(signal) => Ended::Signal(signal),
            None => Ended::SandboxFailed("the supervisor ended without a word".to_owned()),
        },
        None => Ended::Unknown,
    }
}

/// Waits without using time for the end of the next stage, of the caller, or a signal.
fn wait_for(
    keeper: &OwnedFd,
    parent: &OwnedFd,
    stop: &UnixStream,
    report: Option<&File>,
) -> io::Result<Waited> {
    loop {
        let mut fds = vec![
            PollFd::new(keeper, PollFlags::IN),
            PollFd::new(parent, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        // Without a flag only the end of the other side is reported.
        fds.extend(report.map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::empty())));
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let is_ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        if is_ready[0] {
            return Ok(Waited::Ended);
        }
        if is_ready[1..].contains(&true) {
            return Ok(Waited::Stop);
        }
    }
}

/// What the groups and the folder tell, and their end.
fn clean_up(plan: &Plan, report: &mut Report) {
    if let Ok(usage) = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN) {
        let time = |value: nix::sys::time::TimeVal| {
            Duration::from_secs(value.tv_sec().cast_unsigned())
                + Duration::from_micros(value.tv_usec().cast_unsigned())
        };
        report.cpu = time(usage.user_time()) + time(usage.system_time());
        report.memory = usage.max_rss().cast_unsigned() * 1024;
    }
    let by_group = plan.cgroups.iter().any(Cgroup::limits_memory);
    for cgroup in &plan.cgroups {
        report.reached.extend(cgroup.reached());
        // What cannot be removed now is removed when the next instance starts.
        let _ = cgroup.remove();
    }
    // Where the system only refuses memory, a program that had nearly all of it and failed has failed for that.
    if !by_group && plan.memory.is_some_and(|limit| report.memory > limit / 10 * 7) {
        report.reached.push(Limit::Memory);
    }
    if matches!(report.ended, Ended::Signal(libc::SIGXCPU)) {
        report.reached.push(Limit::Cpu);
    }
    if let Some(folder) = &plan.scratch {
        if plan.disk.is_some_and(|limit| scratch::has_file_of(folder, limit)) {
            report.reached.push(Limit::Disk);
        }
        scratch::remove(folder);
    }
    if let Some(folder) = plan.write.as_deref().filter(|_| plan.user.is_some()) {
        // What is nested too deep for a path stays the program's, which has ended.
        let _ = scratch::give(folder, rustix::process::geteuid().as_raw());
    }
    report.reached.sort_unstable();
    report.reached.dedup();
}

/// Ends as the program has ended, so that whoever waits for us sees what it would have seen.
fn end_like(ended: &Ended) -> ExitCode {
    let signal = match ended {
        Ended::Exited(code) => return ExitCode::from(*code as u8),
        // What a shell answers.
        Ended::NotStarted(errno) => return ExitCode::from(if *errno == libc::ENOENT { 127 } else { 126 }),
        Ended::SandboxFailed(_) | Ended::Unknown => return ExitCode::from(125),
        Ended::Signal(signal) => *signal,
        Ended::Stopped => libc::SIGTERM,
    };
    if signal == libc::SIGKILL {
        let _ = kill_process(getpid(), Signal::KILL);
    }
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    // A signal that does not end a process, or is not known here.
    ExitCode::from(128_u8.saturating_add(signal as u8))
}
