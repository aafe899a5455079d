//! Control groups: the limits that hold for a whole tree of processes. Version 2 where it has the controllers, else
//! version 1, one group for each controller.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::instance;
use super::plan::Plan;
use crate::report::Limit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Version 2: all controllers in one tree.
    Unified,
    /// Before the others of version 1, also in every list of groups: see [`Cgroup::kill`].
    Freezer,
    Memory,
    Pids,
    Cpu,
}

impl Kind {
    /// The controllers of version 1.
    const OLD: [Self; 4] = [Self::Freezer, Self::Memory, Self::Pids, Self::Cpu];

    fn word(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::Freezer => "freezer",
            Self::Memory => "memory",
            Self::Pids => "pids",
            Self::Cpu => "cpu",
        }
    }
}

/// One group, by its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cgroup {
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
}

/// Our own processes in a group, beside those of the program: bubblewrap, and the parent of the program.
const OWN_PROCESSES: u64 = 2;
const CPU_PERIOD_US: u64 = 100_000;

impl Cgroup {
    pub(crate) fn to_arg(&self) -> OsString {
        let mut arg = OsString::from(format!("{}:", self.kind.word()));
        arg.push(&self.path);
        arg
    }

    pub(crate) fn from_arg(arg: &OsStr) -> Option<Self> {
        [Kind::Unified].into_iter().chain(Kind::OLD).find_map(|kind| {
            let path = arg.to_str()?.strip_prefix(kind.word())?.strip_prefix(':')?;
            Some(Self { kind, path: path.into() })
        })
    }

    /// Makes the group and writes its limits.
    pub(crate) fn create(&self, plan: &Plan) -> io::Result<()> {
        fs::create_dir(&self.path).map_err(|error| {
            let why = format!("the control group {} cannot be made: {error}", self.path.display());
            io::Error::new(error.kind(), why)
        })?;
        for (file, value, needed) in self.settings(plan) {
            match fs::write(self.path.join(file), &value) {
                Err(error) if needed => {
                    let why =
                        format!("{value} cannot be written to {}: {error}", self.path.join(file).display());
                    return Err(io::Error::new(error.kind(), why));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// File, value, and whether the limit would not hold without it.
    fn settings(&self, plan: &Plan) -> Vec<(&'static str, String, bool)> {
        let mut settings = Vec::new();
        let mut set =
            |file, value: Option<String>, needed| settings.extend(value.map(|value| (file, value, needed)));
        let memory = plan.memory.map(|bytes| bytes.to_string());
        let processes = plan.processes.map(|n| n.saturating_add(OWN_PROCESSES).to_string());
        let cpu = plan.cpu_percent.map(|percent| percent.saturating_mul(CPU_PERIOD_US / 100));
        match self.kind {
            Kind::Unified => {
                set("memory.max", memory.clone(), true);
                // A machine may have no swap, and then there is no such file.
                set("memory.swap.max", memory.is_some().then(|| "0".to_owned()), false);
                set("memory.oom.group", memory.is_some().then(|| "1".to_owned()), false);
                set("pids.max", processes, true);
                set("cpu.max", cpu.map(|us| format!("{us} {CPU_PERIOD_US}")), true);
                set("cgroup.freeze", plan.freeze.then(|| "0".to_owned()), true);
            }
            Kind::Freezer => set("freezer.state", Some("THAWED".to_owned()), true),
            Kind::Memory => {
                set("memory.limit_in_bytes", memory.clone(), true);
                set("memory.memsw.limit_in_bytes", memory, false);
            }
            Kind::Pids => set("pids.max", processes, true),
            Kind::Cpu => {
                set("cpu.cfs_period_us", cpu.map(|_| CPU_PERIOD_US.to_string()), true);
                set("cpu.cfs_quota_us", cpu.map(|us| us.to_string()), true);
            }
        }
        settings
    }

    /// Puts this process into the group.
    pub(crate) fn join(&self) -> io::Result<()> {
        fs::write(self.path.join("cgroup.procs"), "0")
    }

    /// Takes this process out of the group, into the one above it.
    pub(crate) fn leave(&self) -> io::Result<()> {
        let above = self.path.parent().unwrap_or(&self.path);
        fs::write(above.join("cgroup.procs"), "0")
    }

    /// Whether its processes can be frozen.
    pub(crate) fn freezes(&self) -> bool {
        matches!(self.kind, Kind::Unified | Kind::Freezer)
    }

    /// Stops every process in the group, or lets them go on; nothing where the group is of another kind. Whoever is let go
    /// can run when this comes back, whoever is stopped stops a moment later.
    pub(crate) fn set_frozen(&self, frozen: bool) -> io::Result<()> {
        let (file, value) = match (self.kind, frozen) {
            (Kind::Unified, true) => ("cgroup.freeze", "1"),
            (Kind::Unified, false) => ("cgroup.freeze", "0"),
            (Kind::Freezer, true) => ("freezer.state", "FROZEN"),
            (Kind::Freezer, false) => ("freezer.state", "THAWED"),
            (Kind::Memory | Kind::Pids | Kind::Cpu, _) => return Ok(()),
        };
        // Not made anew: a group that is gone stays so.
        fs::OpenOptions::new().write(true).open(self.path.join(file))?.write_all(value.as_bytes())
    }

    pub(crate) fn limits_memory(&self) -> bool {
        matches!(self.kind, Kind::Unified | Kind::Memory)
    }

    pub(crate) fn limits_processes(&self) -> bool {
        matches!(self.kind, Kind::Unified | Kind::Pids)
    }

    /// The limits that the group has run into.
    pub(crate) fn reached(&self) -> Vec<Limit> {
        let count = |file: &str, key: &str| {
            let text = fs::read_to_string(self.path.join(file)).unwrap_or_default();
            text.lines().filter_map(|line| line.split_once(' ')).any(|(k, n)| k == key && n.trim() != "0")
        };
        let memory = match self.kind {
            Kind::Unified => count("memory.events", "oom_kill"),
            Kind::Memory => count("memory.oom_control", "oom_kill"),
            Kind::Freezer | Kind::Pids | Kind::Cpu => false,
        };
        let processes = self.limits_processes() && count("pids.events", "max");
        memory.then_some(Limit::Memory).into_iter().chain(processes.then_some(Limit::Processes)).collect()
    }

    /// Ends every process in the group, except ourselves. In version 1 a signal reaches whoever is frozen only when it is
    /// thawed, so the freezer's group has to come before the others of a program, in which the same processes are.
    pub(crate) fn kill(&self) {
        if fs::write(self.path.join("cgroup.kill"), "1").is_ok() {
            return;
        }
        let processes = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        for pid in processes.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)) {
            // It may have ended meanwhile, which is as good.
            let _ = kill_process(pid, Signal::KILL);
        }
        // After the signal, so that nobody runs on. Who cannot be thawed is gone, or is tried again.
        let _ = self.set_frozen(false);
    }

    /// Removes the group. Its last processes may need a moment to vanish; the wait is bounded.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let mut pause = Duration::from_micros(200);
        loop {
            match fs::remove_dir(&self.path) {
                Err(error)
                    if error.raw_os_error() == Some(libc::EBUSY) && pause < Duration::from_millis(500) =>
                {
                    self.kill();
                    std::thread::sleep(pause);
                    pause *= 2;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                other => return other,
            }
        }
    }
}

/// The folders below which we can make groups with limits; empty without the right to.
pub(crate) fn bases() -> Vec<Cgroup> {
    let mounts = mounts(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default());
    let unified = mounts.iter().find(|base| base.kind == Kind::Unified && prepare_unified(&base.path));
    if let Some(unified) = unified.filter(|base| is_usable(base, false)) {
        return vec![unified.clone()];
    }
    let is_of = |base: &Cgroup, kind| base.kind == kind && is_usable(base, false);
    Kind::OLD.into_iter().filter_map(|kind| mounts.iter().find(|base| is_of(base, kind)).cloned()).collect()
}

/// Whether programs can be frozen with these; before Linux 5.2, version 2 could not.
pub(crate) fn can_freeze(bases: &[Cgroup]) -> bool {
    bases.iter().any(|base| base.freezes() && is_usable(base, true))
}

/// Whether the tree has the controllers and hands them down.
fn prepare_unified(path: &Path) -> bool {
    let has_all = |file: &str| {
        let words = fs::read_to_string(path.join(file)).unwrap_or_default();
        ["memory", "pids", "cpu"].iter().all(|&need| words.split_ascii_whitespace().any(|word| word == need))
    };
    has_all("cgroup.controllers")
        && (has_all("cgroup.subtree_control")
            || fs::write(path.join("cgroup.subtree_control"), "+memory +pids +cpu").is_ok())
}

/// Whether a group with limits can be made here: one is made and removed.
fn is_usable(base: &Cgroup, freeze: bool) -> bool {
    let trial = Cgroup { kind: base.kind, path: base.path.join(instance::fresh_name()) };
    let limits = Plan {
        memory: Some(64 << 20),
        processes: Some(16),
        cpu_percent: Some(100),
        freeze,
        ..Plan::default()
    };
    let made = trial.create(&limits).is_ok();
    // If it could not be made there is nothing to remove.
    let _ = trial.remove();
    made
}

/// Removes the groups of instances that are gone, with the processes in them.
pub(crate) fn remove_stale(bases: &[Cgroup]) {
    for base in bases {
        let Ok(entries) = fs::read_dir(&base.path) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(instance::is_stale) {
                let group = Cgroup { kind: base.kind, path: entry.path() };
                group.kill();
                // Another instance may be removing it at the same time.
                let _ = group.remove();
            }
        }
    }
}

/// The mounted trees, from the text of `/proc/self/mountinfo`.
fn mounts(text: &str) -> Vec<Cgroup> {
    let mut found: Vec<Cgroup> = Vec::new();
    for line in text.lines() {
        let Some((before, after)) = line.split_once(" - ") else { continue };
        let Some(path) = before.split(' ').nth(4) else { continue };
        let mut fields = after.split(' ');
        let (kind, options) = (fields.next(), fields.nth(1).unwrap_or_default());
        let kinds: Vec<Kind> = match kind {
            Some("cgroup2") => vec![Kind::Unified],
            Some("cgroup") => Kind::OLD
                .into_iter()
                .filter(|kind| options.split(',').any(|option| option == kind.word()))
                .collect(),
            _ => continue,
        };
        for kind in kinds {
            if !found.iter().any(|base| base.kind == kind) {
                found.push(Cgroup { kind, path: path.into() });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_both_versions_are_found() {
        let text = "\
30 25 0:26 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate
31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
33 25 0:29 / /sys rw - sysfs sysfs rw
34 25 0:30 / /again rw - cgroup cgroup rw,memory
35 25 0:31 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer
";
        let found: Vec<(Kind, PathBuf)> = mounts(text).into_iter().map(|c| (c.kind, c.path)).collect();
        assert_eq!(
            found,
            [
                (Kind::Unified, "/sys/fs/cgroup/unified".into()),
                (Kind::Cpu, "/sys/fs/cgroup/cpu,cpuacct".into()),
                (Kind::Memory, "/sys/fs/cgroup/memory".into()),
                (Kind::Freezer, "/sys/fs/cgroup/freezer".into()),
            ]
        );
    }

    #[test]
    fn limits_of_version_2_are_written_as_the_kernel_reads_them() {
        let plan = Plan { memory: Some(1000), processes: Some(8), cpu_percent: Some(150), ..Plan::default() };
        let group = Cgroup { kind: Kind::Unified, path: PathBuf::new() };
        let settings: Vec<(&str, String)> =
            group.settings(&plan).into_iter().map(|(f, v, _)| (f, v)).collect();
        assert_eq!(
            settings,
            [
                ("memory.max", "1000".to_owned()),
                ("memory.swap.max", "0".to_owned()),
                ("memory.oom.group", "1".to_owned()),
                ("pids.max", "10".to_owned()),
                ("cpu.max", "150000 100000".to_owned()),
            ]
        );
        assert!(group.settings(&Plan::default()).is_empty());
        let freezing = Plan { freeze: true, ..Plan::default() };
        assert_eq!(group.settings(&freezing), [("cgroup.freeze", "0".to_owned(), true)]);
    }
}
