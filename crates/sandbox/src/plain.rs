//! Systems without a supervisor: an environment of its own is all that a program gets.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use crate::policy::{InForce, Level, Missing, Policy, SandboxError};
use crate::program::Program;
use crate::report::{Ended, Report};

/// A policy, and what of it is in force here.
#[derive(Clone, Debug)]
pub struct Sandbox {
    pub(crate) policy: Policy,
    in_force: InForce,
}

impl Policy {
    /// Refuses the level full, and programs that can be frozen, which this system cannot give.
    pub fn prepare(self) -> Result<Sandbox, SandboxError> {
        if self.freeze {
            return Err(SandboxError::NoFreezer);
        }
        let in_force = match self.level {
            Level::None => InForce::None,
            Level::Auto => InForce::Partial(vec![Missing::System]),
            Level::Full => return Err(SandboxError::NotFull(vec![Missing::System])),
        };
        Ok(Sandbox { policy: self, in_force })
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

    /// What to spawn for a program. It is the leader of a group of processes, so that the caller can end the group.
    pub fn command(&self, program: &Program) -> Result<(Command, Guard), SandboxError> {
        program.check()?;
        let (name, arguments) = program.argv.split_first().expect("check refuses an empty command");
        let mut command = Command::new(name);
        command
            .args(arguments)
            .env_clear()
            .envs(program.environment(&self.policy, None))
            .current_dir(program.folder()?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok((command, Guard))
    }
}

/// The hold on a program; here it holds nothing.
#[derive(Debug)]
#[must_use = "on Linux the program ends when this is dropped"]
pub struct Guard;

impl Guard {
    /// Nothing: no policy that asks for it is prepared here.
    pub fn set_frozen(&mut self, _frozen: bool) {}

    /// How the program ended: nobody can tell here.
    pub fn report(self) -> Report {
        Report::new(Ended::Unknown)
    }
}

/// What a program has used is not known here.
pub fn cpu_below(_root: u32) -> Option<std::time::Duration> {
    None
}

/// There are no stages here.
pub fn launch(_args: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(2)
}
