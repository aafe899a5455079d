//! How a program ended, beyond its exit status.

use std::fmt;
use std::time::Duration;

/// The longest report that is written or read, in bytes: less than a pipe takes at once.
pub(crate) const MAX_REPORT: usize = 1024;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signal(i32),
    /// It never ran: the system refused to start it, with this error number.
    NotStarted(i32),
    /// It never ran: a layer of the sandbox failed. That is no fault of the program.
    SandboxFailed(String),
    /// We ended it: it was asked for, or whoever had started it was gone.
    Stopped,
    /// Nobody could tell: the supervisor was killed, or this system has none.
    Unknown,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
            Self::NotStarted(errno) => {
                write!(f, "could not be started: {}", std::io::Error::from_raw_os_error(*errno))
            }
            Self::SandboxFailed(why) => write!(f, "was not started, the sandbox failed: {why}"),
            Self::Stopped => write!(f, "was stopped"),
            Self::Unknown => write!(f, "ended, nobody knows how"),
        }
    }
}

/// A limit that a program has run into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    Memory,
    Processes,
    Disk,
    Cpu,
}

impl Limit {
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has a supervisor"))]
    const ALL: [Self; 4] = [Self::Memory, Self::Processes, Self::Disk, Self::Cpu];

    fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Disk => "disk",
            Self::Cpu => "cpu",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a failed program can be blamed for, if the sandbox saw the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    MemoryLimit,
    ProcessLimit,
    DiskLimit,
    SandboxViolation,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MemoryLimit => "memory_limit",
            Self::ProcessLimit => "process_limit",
            Self::DiskLimit => "disk_limit",
            Self::SandboxViolation => "sandbox_violation",
        })
    }
}

/// What the supervisor has to tell at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub ended: Ended,
    /// The limits that it ran into, whether it failed for that or not.
    pub reached: Vec<Limit>,
    /// The processor time of the whole tree.
    pub cpu: Duration,
    /// The most memory that one of its processes had at a time, in bytes.
    pub memory: u64,
    /// Processes that could not be ended (they hang in the kernel); 0 but for broken disks and the like.
    pub left: u32,
}

impl Report {
    pub(crate) fn new(ended: Ended) -> Self {
        Self { ended, reached: Vec::new(), cpu: Duration::ZERO, memory: 0, left: 0 }
    }

    /// The processor time of the whole tree, if somebody was there to tell.
    pub fn cpu_known(&self) -> Option<Duration> {
        (self.ended != Ended::Unknown).then_some(self.cpu)
    }

    /// Why the program failed, if the sandbox had to do with it. A program that ended with exit code 0 did not fail, even
    /// if it ran into a limit on its way.
    pub fn cause(&self) -> Option<Cause> {
        match self.ended {
            Ended::Exited(0) | Ended::NotStarted(_) | Ended::SandboxFailed(_) | Ended::Unknown => None,
            Ended::Signal(signal::SYS) => Some(Cause::SandboxViolation),
            Ended::Signal(signal::XFSZ) => Some(Cause::DiskLimit),
            // The order is that of certainty: a kill for memory is counted by the kernel, a full disk is only seen.
            _ => [
                (Limit::Memory, Cause::MemoryLimit),
                (Limit::Processes, Cause::ProcessLimit),
                (Limit::Disk, Cause::DiskLimit),
            ]
            .into_iter()
            .find_map(|(limit, cause)| self.reached.contains(&limit).then_some(cause)),
        }
    }

    /// One line, without its end.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has a supervisor"))]
    pub(crate) fn to_line(&self) -> String {
        let reached: Vec<&str> = self.reached.iter().map(|limit| limit.word()).collect();
        let (kind, detail) = match &self.ended {
            Ended::Exited(code) => ("exited", code.to_string()),
            Ended::Signal(signal) => ("signal", signal.to_string()),
            Ended::NotStarted(errno) => ("not_started", errno.to_string()),
            Ended::SandboxFailed(why) => ("sandbox_failed", why.replace(char::is_control, " ")),
            Ended::Stopped => ("stopped", String::new()),
            Ended::Unknown => ("unknown", String::new()),
        };
        let mut line = format!(
            "cpu_us={} memory={} left={} reached={} {kind}={detail}",
            self.cpu.as_micros(),
            self.memory,
            self.left,
            reached.join(","),
        );
        line.truncate(line.floor_char_boundary(MAX_REPORT));
        line
    }

    /// Reads a line back; `None` if it is none.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has a supervisor"))]
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let mut parts = line.splitn(5, ' ');
        let mut value = |key: &str| parts.next()?.strip_prefix(key)?.strip_prefix('=');
        let cpu = Duration::from_micros(value("cpu_us")?.parse().ok()?);
        let memory = value("memory")?.parse().ok()?;
        let left = value("left")?.parse().ok()?;
        let reached = value("reached")?;
        let reached =
            Limit::ALL.into_iter().filter(|l| reached.split(',').any(|word| word == l.word())).collect();
        let (kind, detail) = parts.next()?.split_once('=')?;
        let ended = match kind {
            "exited" => Ended::Exited(detail.parse().ok()?),
            "signal" => Ended::Signal(detail.parse().ok()?),
            "not_started" => Ended::NotStarted(detail.parse().ok()?),
            "sandbox_failed" => Ended::SandboxFailed(detail.to_owned()),
            "stopped" => Ended::Stopped,
            "unknown" => Ended::Unknown,
            _ => return None,
        };
        Some(Self { ended, reached, cpu, memory, left })
    }
}

/// The signals that mean something here.
mod signal {
    #[cfg(target_os = "linux")]
    pub(super) const SYS: i32 = libc::SIGSYS;
    #[cfg(target_os = "linux")]
    pub(super) const XFSZ: i32 = libc::SIGXFSZ;
    #[cfg(not(target_os = "linux"))]
    pub(super) const SYS: i32 = 12;
    #[cfg(not(target_os = "linux"))]
    pub(super) const XFSZ: i32 = 25;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_comes_back_from_its_line() {
        for ended in [
            Ended::Exited(3),
            Ended::Signal(11),
            Ended::NotStarted(2),
            Ended::SandboxFailed("a = b, c".to_owned()),
            Ended::Stopped,
            Ended::Unknown,
        ] {
            let report = Report {
                ended,
                reached: vec![Limit::Memory, Limit::Disk],
                cpu: Duration::from_micros(12),
                memory: 5,
                left: 1,
            };
            assert_eq!(Report::from_line(&report.to_line()), Some(report));
        }
        assert_eq!(Report::from_line("cpu_us=1 memory=2"), None);
        let long = Report::new(Ended::SandboxFailed("é\n".repeat(MAX_REPORT))).to_line();
        assert!(long.len() <= MAX_REPORT && !long.contains('\n'));
        assert!(Report::from_line(&long).is_some());
    }

    #[test]
    fn a_cause_needs_a_failure() {
        let report =
            |ended, reached: &[Limit]| Report { reached: reached.to_vec(), ..Report::new(ended) }.cause();
        assert_eq!(report(Ended::Exited(0), &[Limit::Memory]), None);
        assert_eq!(report(Ended::Exited(1), &[]), None);
        assert_eq!(report(Ended::Signal(9), &[Limit::Memory, Limit::Disk]), Some(Cause::MemoryLimit));
        assert_eq!(report(Ended::Stopped, &[Limit::Processes]), Some(Cause::ProcessLimit));
        assert_eq!(report(Ended::Exited(1), &[Limit::Disk]), Some(Cause::DiskLimit));
        assert_eq!(report(Ended::Signal(signal::SYS), &[Limit::Disk]), Some(Cause::SandboxViolation));
        assert_eq!(report(Ended::SandboxFailed(String::new()), &[Limit::Memory]), None);
    }
}
