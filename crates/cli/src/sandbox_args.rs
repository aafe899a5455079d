//! What programs that are started here may do: the flags, and the sandbox they ask for.

use std::io::{Write as _, stderr};
use std::path::PathBuf;
use std::time::Duration;

use rookery_referee::parse_duration;
use rookery_sandbox::{Level, Limits, Policy, Sandbox};

use crate::size;
use crate::spec::UsageError;

/// The flags of every command that starts programs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SandboxArgs {
    /// How much programs of cmd: may do: none (as you), auto (as little as this machine can enforce), full (nothing but play, or
    /// no match); none unless told, auto for folders of bots; docs/sandbox.md
    #[arg(long, value_name = "LEVEL")]
    sandbox: Option<Level>,

    /// A folder that sandboxed programs may read, for example one with an interpreter
    #[arg(long, value_name = "DIR")]
    sandbox_read: Vec<PathBuf>,

    /// A variable of your environment that programs get, besides PATH, HOME, LANG and TMPDIR
    #[arg(long, value_name = "NAME")]
    keep_env: Vec<String>,

    /// The memory of each sandboxed program with all it starts, or none for no limit
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = size)]
    bot_memory: Limit,

    /// The processes and threads of each sandboxed program, or none
    #[arg(long, value_name = "N", default_value = "64", value_parser = count)]
    bot_processes: Limit,

    /// What each sandboxed program may write to its own folder, or none
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size)]
    bot_disk: Limit,

    /// The share of the processors of each sandboxed program, in percent of one of them, or none
    #[arg(long, value_name = "PERCENT", default_value = "100", value_parser = count)]
    bot_cpu: Limit,

    /// The processor time of each process of a sandboxed program, in whole seconds, or none
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = seconds)]
    bot_cpu_time: Limit,

    /// Stop a program while it is not its turn, so that it uses no processor then; needs control groups and --sandbox auto or
    /// full
    #[arg(long)]
    freeze: bool,
}

/// A limit, or none. A type of its own because clap takes an `Option` for a flag that may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limit(Option<u64>);

/// Reads a size in bytes.
fn size(text: &str) -> Result<Limit, String> {
    let expected = || "expected a size such as 64KiB, 512MiB or 4GiB, up to 1024GiB, or none".to_owned();
    if text == "none" {
        return Ok(Limit(None));
    }
    let bytes = size::parse(text).filter(|bytes| (1..=1 << 40).contains(bytes)).ok_or_else(expected)?;
    Ok(Limit(Some(bytes)))
}

/// Reads a number of something.
fn count(text: &str) -> Result<Limit, String> {
    let expected = || "expected a number from 1 to 100000, or none".to_owned();
    if text == "none" {
        return Ok(Limit(None));
    }
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number)).ok_or_else(expected)?;
    Ok(Limit(Some(number)))
}

/// Reads whole seconds.
fn seconds(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let time = parse_duration(text).map_err(|error| error.to_string())?;
    if time < Duration::from_secs(1) || time.subsec_nanos() > 0 {
        return Err("expected whole seconds, at least one, such as 30s or 5m, or none".to_owned());
    }
    Ok(Limit(Some(time.as_secs())))
}

impl Default for SandboxArgs {
    /// What holds for a program that somebody typed.
    fn default() -> Self {
        let Limits { memory, processes, disk, cpu_percent, cpu_seconds } = Limits::default();
        Self {
            sandbox: None,
            sandbox_read: vec![],
            keep_env: vec![],
            bot_memory: Limit(memory),
            bot_processes: Limit(processes),
            bot_disk: Limit(disk),
            bot_cpu: Limit(cpu_percent),
            bot_cpu_time: Limit(cpu_seconds),
            freeze: false,
        }
    }
}

impl SandboxArgs {
    /// Makes the sandbox of a program that somebody typed ready, and says what is in force if a level was asked for.
    pub(crate) fn prepare(&self) -> Result<Sandbox, UsageError> {
        self.prepare_at(Level::None)
    }

    /// The same at another level unless one was given; any but none is said, too.
    pub(crate) fn prepare_at(&self, usual: Level) -> Result<Sandbox, UsageError> {
        let level = self.sandbox.unwrap_or(usual);
        let wrong = |why: String| UsageError(format!("--sandbox {level}: {why}"));
        let limits = Limits {
            memory: self.bot_memory.0,
            processes: self.bot_processes.0,
            disk: self.bot_disk.0,
            cpu_percent: self.bot_cpu.0,
            cpu_seconds: self.bot_cpu_time.0,
        };
        if level == Level::None && limits != Limits::default() {
            return Err(wrong(
                "it enforces no limits; give --sandbox auto or full with --bot-...".to_owned(),
            ));
        }
        if level == Level::None && self.freeze {
            return Err(wrong("it freezes nothing; give --sandbox auto or full with --freeze".to_owned()));
        }
        let own = std::env::current_exe().map_err(|error| wrong(error.to_string()))?;
        let policy = Policy {
            read: self.sandbox_read.clone(),
            keep_env: self.keep_env.clone(),
            limits,
            freeze: self.freeze,
            ..Policy::new(level, own)
        };
        let sandbox = policy.prepare().map_err(|error| wrong(error.to_string()))?;
        if self.sandbox.is_some() || level != Level::None {
            // Without an error output nobody can be told.
            let _ = writeln!(stderr(), "sandbox: {}", sandbox.in_force());
        }
        Ok(sandbox)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Flags {
        #[command(flatten)]
        sandbox: SandboxArgs,
    }

    #[test]
    fn without_flags_the_limits_are_those_of_the_sandbox() {
        let SandboxArgs { bot_memory, bot_processes, bot_disk, bot_cpu, bot_cpu_time, .. } =
            Flags::parse_from(["rookery"]).sandbox;
        let usual = SandboxArgs::default();
        assert_eq!(
            [bot_memory, bot_processes, bot_disk, bot_cpu, bot_cpu_time],
            [usual.bot_memory, usual.bot_processes, usual.bot_disk, usual.bot_cpu, usual.bot_cpu_time]
        );
    }

    #[test]
    fn limits_are_read_and_refused() {
        assert_eq!(size("64KiB"), Ok(Limit(Some(64 << 10))));
        assert_eq!((size("none"), count("3")), (Ok(Limit(None)), Ok(Limit(Some(3)))));
        assert_eq!(seconds("2m"), Ok(Limit(Some(120))));
        for wrong in ["", "64", "0MiB", "-1MiB", "1TiB", "99999999999999999999GiB"] {
            assert!(size(wrong).is_err(), "{wrong:?}");
        }
        assert!(count("0").is_err() && count("100001").is_err() && seconds("500ms").is_err());
    }

    #[test]
    fn limits_that_nobody_enforces_are_refused() {
        let flags = Flags::parse_from(["rookery", "--bot-memory", "64MiB"]);
        let error = flags.sandbox.prepare().unwrap_err().to_string();
        assert!(error.contains("--sandbox auto or full"), "{error}");
        let flags = Flags::parse_from(["rookery", "--freeze"]);
        let error = flags.sandbox.prepare().unwrap_err().to_string();
        assert!(error.contains("--sandbox auto or full with --freeze"), "{error}");
    }
}
