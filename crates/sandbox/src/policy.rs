//! What a program may do, and what of it this machine can enforce.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::Sandbox;

/// How much protection is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Whatever this machine has; what is missing is told.
    #[default]
    Auto,
    /// Everything, or no program is started.
    Full,
    /// Nothing but what always holds: a session, an environment and descriptors of its own, and a certain end.
    None,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Full => "full",
            Self::None => "none",
        })
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "full" => Ok(Self::Full),
            "none" => Ok(Self::None),
            _ => Err(format!("{text:?} is no level of the sandbox; expected auto, full or none")),
        }
    }
}

/// Limits for one program with everything it starts; `None` is no limit. They hold at the levels auto and full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Bytes that it may write to its own folder.
    pub disk: Option<u64>,
    /// Its share of the processors: 100 is one of them.
    pub cpu_percent: Option<u64>,
    /// Seconds of processor time for each of its processes.
    pub cpu_seconds: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: Some(512 << 20),
            processes: Some(64),
            disk: Some(16 << 20),
            cpu_percent: Some(100),
            cpu_seconds: None,
        }
    }
}

/// What programs may do.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each switches something else, and all combinations make sense"
)]
pub struct Policy {
    pub level: Level,
    /// Files and folders that a program may read beside the system's and its own.
    pub read: Vec<PathBuf>,
    /// Whether a program may read what its command line names: the folders of the program and of the first file among
    /// its arguments, and further files and folders there. Not for commands that somebody else has written.
    pub read_named: bool,
    /// Variables of our environment that a program gets beside PATH, HOME, LANG and TMPDIR.
    pub keep_env: Vec<String>,
    pub limits: Limits,
    /// Whether programs can be [frozen](crate::Guard::set_frozen). Needs control groups, at the levels auto and full.
    pub freeze: bool,
    /// The program that has the subcommand `launch` ([`crate::launch`]); usually our own.
    pub launcher: PathBuf,
    /// Use namespaces if bubblewrap is installed.
    pub use_bubblewrap: bool,
    /// Use control groups if we may make some.
    pub use_cgroups: bool,
}

impl Policy {
    /// The usual limits at a level; `launcher` is the program with the subcommand `launch`.
    pub fn new(level: Level, launcher: impl Into<PathBuf>) -> Self {
        Self {
            level,
            read: Vec::new(),
            read_named: true,
            keep_env: Vec::new(),
            limits: Limits::default(),
            freeze: false,
            launcher: launcher.into(),
            use_bubblewrap: true,
            use_cgroups: true,
        }
    }
}

impl Sandbox {
    /// The same with other limits. What is in force stays as it was found: a limit that this machine cannot hold for a
    /// whole program is held as far as it can be.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.policy.limits = limits;
        self
    }

    /// The same for commands that somebody else has written: what they name is not shown.
    #[must_use]
    pub fn without_named(mut self) -> Self {
        self.policy.read_named = false;
        self
    }
}

/// A protection that is not to be had on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Processes, network and files of its own; with what went wrong.
    Namespaces(String),
    /// Files are not protected.
    Landlock,
    /// Other programs of the same user can be signalled.
    Signals,
    /// Dangerous system calls are not refused.
    Seccomp,
    /// Memory is limited for each process, not for all of a program together.
    Memory,
    /// Processes are counted together with everything else that the user runs.
    Processes,
    /// The size of each file is limited, not what they have together.
    Disk,
    /// A program can use all processors.
    Cpu,
    /// This system has no sandbox at all.
    System,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CGROUPS: &str = "run as root on a machine with control groups";
        match self {
            Self::Namespaces(why) => write!(f, "no processes, network and files of its own: {why}"),
            Self::Landlock => write!(f, "no protection of files: needs Linux 5.13 with Landlock switched on"),
            Self::Signals => {
                write!(f, "other programs can be signalled: needs bubblewrap or Linux 6.12 with Landlock")
            }
            Self::Seccomp => write!(f, "no filter of system calls: not available for this processor"),
            Self::Memory => write!(f, "memory is limited for each process, not in total: {CGROUPS}"),
            Self::Processes => write!(f, "processes are counted together with the user's others: {CGROUPS}"),
            Self::Disk => write!(f, "disk space is limited for each file, not in total: needs bubblewrap"),
            Self::Cpu => write!(f, "all processors can be used: {CGROUPS}"),
            Self::System => write!(f, "this system has no sandbox: needs Linux"),
        }
    }
}

/// What protects us on this machine; as text it is the message at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InForce {
    Full,
    Partial(Vec<Missing>),
    None,
}

impl fmt::Display for InForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("full"),
            Self::Partial(missing) => write!(f, "partial ({})", join(missing)),
            Self::None => f.write_str("none"),
        }
    }
}

fn join(missing: &[Missing]) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Why no program can be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum SandboxError {
    /// The level full is asked for, and this is missing.
    NotFull(Vec<Missing>),
    /// No layer works here.
    Nothing(String),
    /// Programs are to be frozen, and no control group can do that here.
    NoFreezer,
    /// Programs are to be frozen at the level none, which has no control groups.
    FreezeAtNone,
    /// The program with the subcommand `launch` is not there.
    Launcher { path: PathBuf, why: String },
    /// A file or folder to be read cannot be.
    Read { path: PathBuf, why: String },
    /// The command itself.
    Program(String),
    /// The system refused something.
    System(std::io::Error),
}

impl fmt::Display for SandboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFull(missing) => {
                write!(
                    f,
                    "the sandbox cannot be full on this machine: {}; or ask for the level auto",
                    join(missing)
                )
            }
            Self::Nothing(why) => {
                write!(
                    f,
                    "no part of the sandbox works on this machine: {why}; the level none starts programs without"
                )
            }
            Self::NoFreezer => write!(
                f,
                "programs cannot be frozen on this machine: there is no control group that can; run as root on a machine \
                 with control groups (version 2 with Linux 5.2, or version 1 with the freezer), or do not freeze programs"
            ),
            Self::FreezeAtNone => {
                write!(f, "at this level programs cannot be frozen; it needs the level auto or full")
            }
            Self::Launcher { path, why } => {
                write!(
                    f,
                    "the program {} that starts others cannot be used: {why}; expected rookery itself",
                    path.display()
                )
            }
            Self::Read { path, why } => {
                write!(
                    f,
                    "the sandbox cannot show {}: {why}; expected a file or folder that is there",
                    path.display()
                )
            }
            Self::Program(why) => write!(f, "the command cannot be started: {why}"),
            Self::System(error) => write!(f, "the sandbox cannot be prepared: {error}"),
        }
    }
}

impl std::error::Error for SandboxError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for SandboxError {
    fn from(error: std::io::Error) -> Self {
        Self::System(error)
    }
}
