//! What one stage of a launch hands to the next: flags on the command line, so that no file is needed and `ps` shows
//! what was agreed. The program's environment is not among them: it is the environment of all stages.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::cgroup::Cgroup;

/// The stages, in order. Each is a process of its own but for the last, which becomes the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// What the caller has started: passes on how the program ended, and ends everything when the caller has gone.
    #[default]
    Front,
    /// The parent of the program: collects its orphans, and ends them with it.
    Keep,
    /// Gives up every right, then becomes the program.
    Inner,
    /// Beside the second one of a program that may be frozen, and its supervisor with it: ends both when the first has died.
    Watchdog,
}

/// How a program is shut in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Confine {
    /// Not at all.
    #[default]
    No,
    /// By what a process can do to itself: Landlock, seccomp, resource limits.
    Own,
    /// By namespaces that bubblewrap makes, and the same inside them.
    Bubblewrap,
}

/// The caller's end of the pipe for the report: its descriptor there, and the inode, so that a number that was given to
/// something else meanwhile is never written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportPipe {
    pub(crate) fd: i32,
    pub(crate) inode: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) stage: Stage,
    /// The process that has to be the parent, else the stage ends at once: the parent died before we could watch it.
    pub(crate) parent: Option<i32>,
    pub(crate) report: Option<ReportPipe>,
    /// The inherited end of a pipe on which a stage tells the one before it how the program ended.
    pub(crate) status: Option<i32>,
    /// The program's standard input and output, inherited under other numbers.
    pub(crate) streams: Option<[i32; 2]>,
    pub(crate) confine: Confine,
    pub(crate) bubblewrap: Option<PathBuf>,
    /// This program, by the path that bubblewrap can show inside.
    pub(crate) launcher: Option<PathBuf>,
    /// Already inside the namespaces.
    pub(crate) inside: bool,
    pub(crate) cgroups: Vec<Cgroup>,
    /// Whether the caller may freeze the groups.
    pub(crate) freeze: bool,
    /// The folder to write to, made by the first stage and removed by it.
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
    pub(crate) read: Vec<PathBuf>,
    /// The folder to change, made the program's own by the first stage and ours again by it.
    pub(crate) write: Option<PathBuf>,
    /// The user and group to become.
    pub(crate) user: Option<u32>,
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u64>,
    pub(crate) disk: Option<u64>,
    pub(crate) cpu_percent: Option<u64>,
    pub(crate) cpu_seconds: Option<u64>,
    pub(crate) argv: Vec<OsString>,
}

impl Plan {
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut args = Vec::with_capacity(24 + self.argv.len());
        let mut flag = |key: &str, value: &OsStr| {
            let mut arg = OsString::from(format!("--{key}="));
            arg.push(value);
            args.push(arg);
        };
        let stage = match self.stage {
            Stage::Front => "front",
            Stage::Keep => "keep",
            Stage::Inner => "inner",
            Stage::Watchdog => "watchdog",
        };
        flag("stage", stage.as_ref());
        match self.confine {
            Confine::No => {}
            Confine::Own => flag("confine", "own".as_ref()),
            Confine::Bubblewrap => flag("confine", "bubblewrap".as_ref()),
        }
        if let Some(report) = self.report {
            flag("report", format!("{}:{}", report.fd, report.inode).as_ref());
        }
        if let Some([stdin, stdout]) = self.streams {
            flag("streams", format!("{stdin}:{stdout}").as_ref());
        }
        let numbers = [
            ("parent", self.parent.map(i64::from)),
            ("status", self.status.map(i64::from)),
            ("user", self.user.map(i64::from)),
            ("inside", self.inside.then_some(1)),
            ("freeze", self.freeze.then_some(1)),
            ("memory", self.memory.map(|n| n as i64)),
            ("processes", self.processes.map(|n| n as i64)),
            ("disk", self.disk.map(|n| n as i64)),
            ("cpu-percent", self.cpu_percent.map(|n| n as i64)),
            ("cpu-seconds", self.cpu_seconds.map(|n| n as i64)),
        ];
        for (key, number) in numbers {
            if let Some(number) = number {
                flag(key, number.to_string().as_ref());
            }
        }
        let paths = [
            ("bubblewrap", &self.bubblewrap),
            ("launcher", &self.launcher),
            ("scratch", &self.scratch),
            ("write", &self.write),
        ];
        for (key, path) in paths {
            if let Some(path) = path {
                flag(key, path.as_os_str());
            }
        }
        flag("cwd", self.cwd.as_os_str());
        for folder in &self.read {
            flag("read", folder.as_os_str());
        }
        for cgroup in &self.cgroups {
            flag("cgroup", &cgroup.to_arg());
        }
        args.push("--".into());
        args.extend(self.argv.iter().cloned());
        args
    }

    /// Reads the flags back. They come from ourselves, so an error is a mistake of whoever typed `rookery launch`.
    pub(crate) fn from_args(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut plan = Self::default();
        let mut args = args.into_iter();
        loop {
            let Some(arg) = args.next() else { return Err("`--` and a program are missing".to_owned()) };
            if arg == "--" {
                break;
            }
            let bytes = arg.as_bytes();
            let Some(equals) = bytes.iter().position(|&b| b == b'=') else {
                return Err(format!("{} is no flag of this command", arg.display()));
            };
            let key = String::from_utf8_lossy(&bytes[..equals]);
            plan.set(&key, &OsString::from_vec(bytes[equals + 1..].to_vec())).ok_or_else(|| {
                format!("{} is no flag of this command, or has no such value", arg.display())
            })?;
        }
        plan.argv = args.collect();
        if plan.argv.is_empty() { Err("the program is missing".to_owned()) } else { Ok(plan) }
    }

    fn set(&mut self, key: &str, value: &OsStr) -> Option<()> {
        let number = || value.to_str().and_then(|text| text.parse::<u64>().ok());
        let id = || number().and_then(|n| i32::try_from(n).ok());
        match key {
            "--stage" => {
                self.stage = match value.to_str()? {
                    "front" => Stage::Front,
                    "keep" => Stage::Keep,
                    "inner" => Stage::Inner,
                    "watchdog" => Stage::Watchdog,
                    _ => return None,
                }
            }
            "--confine" => {
                self.confine = match value.to_str()? {
                    "own" => Confine::Own,
                    "bubblewrap" => Confine::Bubblewrap,
                    _ => return None,
                }
            }
            "--report" => {
                let (fd, inode) = value.to_str()?.split_once(':')?;
                self.report = Some(ReportPipe { fd: fd.parse().ok()?, inode: inode.parse().ok()? });
            }
            "--streams" => {
                let (stdin, stdout) = value.to_str()?.split_once(':')?;
                self.streams = Some([stdin.parse().ok()?, stdout.parse().ok()?]);
            }
            "--parent" => self.parent = Some(id()?),
            "--status" => self.status = Some(id()?),
            "--user" => self.user = Some(u32::try_from(number()?).ok()?),
            "--inside" => self.inside = number()? == 1,
            "--freeze" => self.freeze = number()? == 1,
            "--memory" => self.memory = Some(number()?),
            "--processes" => self.processes = Some(number()?),
            "--disk" => self.disk = Some(number()?),
            "--cpu-percent" => self.cpu_percent = Some(number()?),
            "--cpu-seconds" => self.cpu_seconds = Some(number()?),
            "--bubblewrap" => self.bubblewrap = Some(value.into()),
            "--launcher" => self.launcher = Some(value.into()),
            "--scratch" => self.scratch = Some(value.into()),
            "--write" => self.write = Some(value.into()),
            "--cwd" => self.cwd = value.into(),
            "--read" => self.read.push(value.into()),
            "--cgroup" => self.cgroups.push(Cgroup::from_arg(value)?),
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::cgroup::Kind;

    #[test]
    fn a_plan_comes_back_from_its_arguments() {
        let plan = Plan {
            stage: Stage::Inner,
            parent: Some(12),
            report: Some(ReportPipe { fd: 7, inode: 99 }),
            status: Some(5),
            streams: Some([6, 7]),
            confine: Confine::Bubblewrap,
            bubblewrap: Some("/usr/bin/bwrap".into()),
            launcher: Some("/x y/rookery".into()),
            inside: true,
            cgroups: vec![Cgroup { kind: Kind::Pids, path: "/sys/fs/cgroup/pids/a=b".into() }],
            freeze: true,
            scratch: Some("/tmp/a".into()),
            cwd: OsString::from_vec(vec![b'/', 0xff]).into(),
            read: vec!["/a".into(), "/b=c".into()],
            write: Some("/c d".into()),
            user: Some(65534),
            memory: Some(1),
            processes: Some(2),
            disk: Some(3),
            cpu_percent: Some(4),
            cpu_seconds: Some(5),
            argv: ["a", "--", "--stage=front", "", "é"].map(OsString::from).to_vec(),
        };
        assert_eq!(Plan::from_args(plan.to_args()), Ok(plan));
        let least = Plan { cwd: "/".into(), argv: vec!["true".into()], ..Plan::default() };
        assert_eq!(Plan::from_args(least.to_args()), Ok(least));
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        for args in
            [&["--stage=front"][..], &["--"], &["--stage=x", "--", "a"], &["--parent=-1", "--", "a"], &["x"]]
        {
            assert!(Plan::from_args(args.iter().map(OsString::from)).is_err(), "{args:?}");
        }
    }
}
