//! The stage beside a program that may be frozen. Its supervisor is in the same groups, so it cannot do the work of the
//! front if that is killed; this one can.

use std::process::{Child, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, getpid, getppid, pidfd_open, setsid};

use super::plan::{Plan, Stage};
use super::{pipes, scratch};

/// Starts it for the front, if the program may be frozen.
pub(super) fn start(plan: &Plan) -> std::io::Result<Option<Child>> {
    if !plan.freeze {
        return Ok(None);
    }
    let next = Plan {
        stage: Stage::Watchdog,
        parent: Some(getpid().as_raw_nonzero().get()),
        report: None,
        ..plan.clone()
    };
    // It holds none of the program's streams.
    let mut command = super::next_stage(&next);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Some)
}

/// Waits for the death of the front without using time, and does then what it would have done.
pub(super) fn run(plan: &Plan) -> ExitCode {
    // Not in the front's group of processes, which is killed as a whole.
    let _ = setsid();
    super::make_private();
    let Ok(_) = pipes::take_inherited(&[]) else { return ExitCode::from(125) };
    let Some(front) = plan.parent.and_then(Pid::from_raw) else { return ExitCode::from(125) };
    let ends = pidfd_open(front, PidfdFlags::empty());
    if let (Ok(ends), true) = (ends, getppid() == Some(front)) {
        while poll(&mut [PollFd::new(&ends, PollFlags::IN)], None).is_err() {}
    }
    for group in &plan.cgroups {
        // With whoever is in it. What cannot be removed now is removed when the next instance starts.
        let _ = group.remove();
    }
    if let Some(folder) = &plan.scratch {
        scratch::remove(folder);
    }
    ExitCode::SUCCESS
}
