//! Programs on their way: what is to be spawned, and the hold on what was.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::pipe::{PipeFlags, pipe_with};

use crate::launch::cgroup::{self, Cgroup, Kind};
use crate::launch::plan::{Confine, Plan, ReportPipe, Stage};
use crate::launch::{SUBCOMMAND, bubblewrap, instance, pipes, rights, scratch, syscalls};
use crate::policy::{InForce, Level, Missing, Policy, SandboxError};
use crate::program::Program;
use crate::report::{Ended, Report};

/// The user that programs run as if we are root: nobody, as on every system.
const NOBODY: u32 = 65534;

/// A policy, and what of it is in force here.
#[derive(Clone, Debug)]
pub struct Sandbox {
    pub(crate) policy: Policy,
    confine: Confine,
    bubblewrap: Option<PathBuf>,
    bases: Vec<Cgroup>,
    user: Option<u32>,
    in_force: InForce,
}

impl Policy {
    /// Finds out what this machine can enforce, by trying it, and removes what dead instances have left. Refuses if that
    /// is less than was asked for. To be called once, not for every program.
    pub fn prepare(mut self) -> Result<Sandbox, SandboxError> {
        let launcher = self.launcher.canonicalize();
        self.launcher = launcher.map_err(|error| SandboxError::Launcher {
            path: self.launcher.clone(),
            why: error.to_string(),
        })?;
        for path in &mut self.read {
            let refuse = |why: String| SandboxError::Read { path: path.clone(), why };
            let real = path.canonicalize().map_err(|error| refuse(error.to_string()))?;
            if real == Path::new("/") {
                return Err(refuse("everything would be shown".to_owned()));
            }
            *path = std::path::absolute(&*path)?;
        }
        let mut sandbox = Sandbox {
            policy: self,
            confine: Confine::No,
            bubblewrap: None,
            bases: Vec::new(),
            user: None,
            in_force: InForce::None,
        };
        scratch::remove_stale(&env::temp_dir());
        match sandbox.policy.level {
            Level::None if sandbox.policy.freeze => return Err(SandboxError::FreezeAtNone),
            Level::None => {}
            Level::Auto | Level::Full => sandbox.probe()?,
        }
        Ok(sandbox)
    }
}

impl Sandbox {
    /// What protects us on this machine.
    pub fn in_force(&self) -> &InForce {
        &self.in_force
    }

    /// The policy it was prepared from.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What to spawn for a program. The caller sets the standard streams, spawns it and waits for it as for the program
    /// itself: it ends with the same exit code or signal. The [`Guard`] must be kept as long as the program shall run.
    pub fn command(&self, program: &Program) -> Result<(Command, Guard), SandboxError> {
        program.check()?;
        let folder = program.folder()?;
        let (report, write) = pipe_with(PipeFlags::CLOEXEC).map_err(std::io::Error::from)?;
        // The other side opens its end by our number for this one, so that no descriptor has to be inherited.
        drop(write);
        let report = File::from(report);
        let limits = (self.confine != Confine::No).then_some(self.policy.limits);
        let name = instance::fresh_name();
        let scratch = (self.confine == Confine::Own).then(|| env::temp_dir().join(&name));
        let group = |base: &Cgroup| Cgroup { kind: base.kind, path: base.path.join(&name) };
        let plan = Plan {
            stage: Stage::Front,
            parent: Some(std::process::id().cast_signed()),
            report: Some(ReportPipe { fd: report.as_raw_fd(), inode: report.metadata()?.ino() }),
            confine: self.confine,
            bubblewrap: self.bubblewrap.clone(),
            launcher: self.bubblewrap.as_ref().map(|_| self.policy.launcher.clone()),
            cgroups: self.bases.iter().map(group).collect(),
            freeze: self.policy.freeze,
            scratch: scratch.clone(),
            read: if limits.is_some() { program.readable(&self.policy, &folder) } else { Vec::new() },
            write: program.write.as_ref().map(std::path::absolute).transpose()?,
            user: self.user,
            memory: limits.and_then(|limits| limits.memory),
            processes: limits.and_then(|limits| limits.processes),
            disk: limits.and_then(|limits| limits.disk),
            cpu_percent: limits.and_then(|limits| limits.cpu_percent),
            cpu_seconds: limits.and_then(|limits| limits.cpu_seconds),
            argv: program.argv.iter().map(OsString::from).collect(),
            cwd: folder.clone(),
            ..Plan::default()
        };
        let own = match self.confine {
            Confine::No => None,
            Confine::Own => scratch.as_deref(),
            Confine::Bubblewrap => Some(Path::new(bubblewrap::TMP)),
        };
        let mut command = Command::new(&self.policy.launcher);
        command
            .arg(SUBCOMMAND)
            .args(plan.to_args())
            .env_clear()
            .envs(program.environment(&self.policy, own))
            .current_dir(folder)
            // Not with the terminal's own: Ctrl-C is for us, and we decide what becomes of programs.
            .process_group(0);
        let freezer = plan.cgroups.iter().find(|group| plan.freeze && group.freezes()).cloned();
        Ok((command, Guard { report, cgroups: plan.cgroups, freezer, is_frozen: false, scratch }))
    }

    /// Tries the layers from the best on, and keeps the first that works.
    fn probe(&mut self) -> Result<(), SandboxError> {
        self.user = rustix::process::geteuid().is_root().then_some(NOBODY);
        if self.policy.use_cgroups {
            self.bases = cgroup::bases();
            cgroup::remove_stale(&self.bases);
        }
        if self.policy.freeze && !cgroup::can_freeze(&self.bases) {
            return Err(SandboxError::NoFreezer);
        }
        self.bases.retain(|base| base.kind != Kind::Freezer || self.policy.freeze);
        let mut missing = Vec::new();
        if let Err(why) = self.try_bubblewrap() {
            missing.push(Missing::Namespaces(why));
            self.bubblewrap = None;
            self.confine = Confine::Own;
            self.try_out().map_err(SandboxError::Nothing)?;
            missing.extend(self.missing_alone());
        }
        missing.extend(self.missing_always());
        self.in_force = match (missing.is_empty(), self.policy.level) {
            (true, _) => InForce::Full,
            (false, Level::Full) => return Err(SandboxError::NotFull(missing)),
            (false, _) => InForce::Partial(missing),
        };
        Ok(())
    }

    fn try_bubblewrap(&mut self) -> Result<(), String> {
        if !self.policy.use_bubblewrap {
            return Err("bubblewrap is switched off".to_owned());
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path)
            .chain(["/usr/bin".into(), "/usr/local/bin".into()])
            .map(|folder| folder.join("bwrap"))
            .find(|file| file.is_absolute() && file.is_file());
        let install = "bubblewrap is not installed; install the package bubblewrap (0.8 or later)";
        self.bubblewrap = Some(found.ok_or(install)?);
        self.confine = Confine::Bubblewrap;
        self.try_out().map_err(|why| {
            format!("bubblewrap does not work ({why}); it needs version 0.8, and user namespaces or root")
        })
    }

    /// Runs a program that does nothing, with everything on.
    fn try_out(&self) -> Result<(), String> {
        let program = Program { argv: vec!["true".to_owned()], cwd: None, ..Program::default() };
        let (mut command, guard) = self.command(&program).map_err(|error| error.to_string())?;
        let output = command
            // Wherever we are, it need not be readable.
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        match guard.report().ended {
            Ended::Exited(0) => Ok(()),
            ended => {
                let mut said = String::from_utf8_lossy(&output.stderr).trim().replace(char::is_control, " ");
                said.truncate(said.floor_char_boundary(300));
                Err(format!("a trial program {ended}{}{said}", if said.is_empty() { "" } else { ": " }))
            }
        }
    }

    /// What only namespaces give.
    fn missing_alone(&self) -> Vec<Missing> {
        let limits = &self.policy.limits;
        let processes = limits.processes.is_some() && !self.bases.iter().any(Cgroup::limits_processes);
        [
            (!rights::protects_files()).then_some(Missing::Landlock),
            (!rights::protects_signals()).then_some(Missing::Signals),
            limits.disk.is_some().then_some(Missing::Disk),
            processes.then_some(Missing::Processes),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn missing_always(&self) -> Vec<Missing> {
        let limits = &self.policy.limits;
        let memory = limits.memory.is_some() && !self.bases.iter().any(Cgroup::limits_memory);
        let cpu = |base: &Cgroup| matches!(base.kind, Kind::Unified | Kind::Cpu);
        [
            (!syscalls::is_supported()).then_some(Missing::Seccomp),
            memory.then_some(Missing::Memory),
            (limits.cpu_percent.is_some() && !self.bases.iter().any(cpu)).then_some(Missing::Cpu),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The hold on a program: when it is dropped, the program ends with everything it has started.
#[derive(Debug)]
#[must_use = "the program ends when this is dropped"]
pub struct Guard {
    report: File,
    cgroups: Vec<Cgroup>,
    /// The group that can be frozen, if that was asked for.
    freezer: Option<Cgroup>,
    is_frozen: bool,
    scratch: Option<PathBuf>,
}

impl Guard {
    /// Stops the program with everything it has started, or lets it go on; nothing unless [`Policy::freeze`] is set. Once it
    /// runs: what is not there yet cannot be stopped. However it is ended, it is thawed for that.
    pub fn set_frozen(&mut self, frozen: bool) {
        if let Some(group) = self.freezer.as_ref().filter(|_| self.is_frozen != frozen) {
            // It fails if the group is gone: the program has ended, which whoever waits for it will see.
            self.is_frozen = group.set_frozen(frozen).is_ok() && frozen;
        }
    }

    /// How the program ended. To be called when the command's process was waited for, else nobody knows yet.
    pub fn report(self) -> Report {
        let report = Report::from_line(&pipes::read_all(&self.report));
        if report.is_none() {
            // Somebody killed the supervisor, so that it could not clean up. Its own parent did what it could.
            for cgroup in &self.cgroups {
                let _ = cgroup.remove();
            }
            if let Some(folder) = &self.scratch {
                scratch::remove(folder);
            }
        }
        report.unwrap_or_else(|| Report::new(Ended::Unknown))
    }
}
