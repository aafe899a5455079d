//! The end of everything below this process.
//!
//! A stage that has made itself the reaper of its descendants (`PR_SET_CHILD_SUBREAPER`) keeps them, whatever they do: a
//! double fork or a new session moves a process to this parent and not to `init`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, wait};

use super::cgroup::Cgroup;

/// How long processes that hang in the kernel are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// What became of the processes below us.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swept {
    /// The most that were seen at a time.
    pub(crate) seen: u64,
    /// Those that would not go.
    pub(crate) left: u32,
}

/// What one look at our children says.
pub(crate) enum Children {
    /// They run.
    Some,
    /// There are none.
    None,
}

/// Collects the children that have ended; `each` hears of them.
pub(crate) fn reap(mut each: impl FnMut(Pid, WaitStatus)) -> Children {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => each(pid, status),
            Ok(None) => return Children::Some,
            Err(Errno::INTR) => {}
            Err(_) => return Children::None,
        }
    }
}

/// Ends every process below us and collects it; `each` hears of those that were our children. The groups are thawed: in
/// version 1 no signal reaches whoever is frozen.
pub(crate) fn end_all(frozen: &[Cgroup], mut each: impl FnMut(Pid, WaitStatus)) -> Swept {
    let mut swept = Swept::default();
    // The usual case costs one system call: orphans are our children, so without children nothing is left.
    if matches!(reap(&mut each), Children::None) {
        return swept;
    }
    let start = Instant::now();
    swept.seen = stop_all();
    let mut pause = Duration::from_micros(200);
    loop {
        let below = descendants();
        for pid in &below {
            // It may have ended meanwhile, which is as good.
            let _ = kill_process(*pid, Signal::KILL);
        }
        for group in frozen {
            // In every round, for the caller may have frozen it meanwhile; a group that is gone has nobody in it.
            let _ = group.set_frozen(false);
        }
        swept.seen = swept.seen.max(below.len() as u64);
        if matches!(reap(&mut each), Children::None) {
            return swept;
        }
        if start.elapsed() > PATIENCE {
            swept.left = descendants().len() as u32;
            return swept;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Holds every process, so that none starts another while they are ended one after the other. Against a program that
/// starts processes as fast as it can, killing alone might go on for long.
fn stop_all() -> u64 {
    let mut held = HashSet::new();
    // Each round finds what was started during the one before; a bound, since a round may also find new ones for ever.
    for _ in 0..50 {
        let fresh: Vec<Pid> = descendants().into_iter().filter(|pid| !held.contains(pid)).collect();
        if fresh.is_empty() {
            break;
        }
        for pid in fresh {
            let _ = kill_process(pid, Signal::STOP);
            held.insert(pid);
        }
    }
    held.len() as u64
}

/// Every process below this one.
pub(crate) fn descendants() -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let Some(parent) = parent_of(pid) else { continue };
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut todo = vec![getpid().as_raw_nonzero().get()];
    while let Some(pid) = todo.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            found.extend(Pid::from_raw(child));
            todo.push(child);
        }
    }
    found
}

/// The processor time that a process and everything below it have used so far; `None` if it is gone. Counted in the ticks
/// of the kernel, a hundredth of a second each on most machines.
pub fn cpu_below(root: u32) -> Option<Duration> {
    let mut ticks = ticks_of(i32::try_from(root).ok()?)?;
    let mut todo = children_of(root);
    // A program that starts processes faster than they are counted is not counted for ever.
    for _ in 0..MOST_COUNTED {
        let Some(pid) = todo.pop() else { break };
        ticks += ticks_of(pid.cast_signed()).unwrap_or(0);
        todo.extend(children_of(pid));
    }
    let per_second = rustix::param::clock_ticks_per_second();
    Some(Duration::from_micros(ticks.saturating_mul(1_000_000) / per_second.max(1)))
}

/// The most processes below a program that are counted.
const MOST_COUNTED: usize = 4096;

/// What a process has used itself, and those of its children that have ended.
fn ticks_of(pid: i32) -> Option<u64> {
    let field = |field| stat_field::<u64>(pid, field);
    Some(field(11)? + field(12)? + field(13)? + field(14)?)
}

/// The children of a process, whichever of its threads has started them.
fn children_of(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    stat_field(pid, 1)
}

/// A number from what the kernel says of a process, counted from its state. A program chooses its own name: it stands
/// in brackets and may hold anything, also brackets, line ends and what is not UTF-8. A process in state `Z` is no less
/// alive if only its first thread has ended.
pub(crate) fn stat_field<T: std::str::FromStr>(pid: i32, field: usize) -> Option<T> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    std::str::from_utf8(&stat[end + 1..]).ok()?.split_ascii_whitespace().nth(field)?.parse().ok()
}
