//! What a match leaves on this machine: nothing.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::TempFolder;

/// What this process has of the machine.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Host {
    descriptors: usize,
    mounts: BTreeSet<String>,
}

impl Host {
    pub(crate) fn look() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        Self {
            descriptors: fs::read_dir("/proc/self/fd").unwrap().count(),
            mounts: mounts.lines().map(str::to_owned).collect(),
        }
    }
}

/// The processes that carry a mark in their arguments or their environment, and how they are called.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let contains = |bytes: &[u8]| bytes.windows(mark.len()).any(|window| window == mark.as_bytes());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|&pid| pid != std::process::id())
        .filter_map(|pid| {
            let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let command = read("cmdline");
            (contains(&command) || contains(&read("environ")))
                .then(|| format!("{pid}: {}", String::from_utf8_lossy(&command).replace('\0', " ")))
        })
        .collect()
}

/// Control groups and folders that carry the number of this process.
fn left_behind() -> Vec<String> {
    let own = format!("-{}-", std::process::id());
    let mut places: Vec<_> = fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten().collect();
    places.retain(|entry| entry.path().is_dir());
    let inside = places.iter().flat_map(|place| fs::read_dir(place.path()).into_iter().flatten().flatten());
    let groups = inside.map(|entry| entry.file_name()).chain(places.iter().map(fs::DirEntry::file_name));
    groups
        .map(|name| name.to_string_lossy().into_owned())
        .chain(TempFolder::others())
        .filter(|name| is_of_a_sandbox(name) && name.contains(&own))
        .collect()
}

/// Sandboxes give names of four numbers: see `rookery_sandbox`.
fn is_of_a_sandbox(name: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix("rookery-")
        .is_some_and(|rest| rest.split('-').count() == 4 && rest.split('-').all(is_number))
}

/// The zombies among our children.
fn zombies() -> Vec<String> {
    let own = std::process::id().to_string();
    let stats = fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| {
            let mut rest = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            rest.next() == Some("Z") && rest.next() == Some(&own)
        })
        .collect()
}

/// Waits until nothing is left, and says how long that took.
#[track_caller]
pub(crate) fn assert_nothing_is_left(mark: &str, before: &Host, within: Duration, what: &str) -> Duration {
    let begin = Instant::now();
    loop {
        let left = [marked(mark), left_behind(), zombies()].concat();
        let host = Host::look();
        if left.is_empty() && host == *before {
            return begin.elapsed();
        }
        assert!(
            begin.elapsed() < within,
            "{what}: after {within:?} there is {left:?}; {before:?}, now {host:?}"
        );
        sleep(Duration::from_millis(5));
    }
}
