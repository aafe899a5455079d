//! The stages between us and the program: `rookery launch`.

pub(crate) mod bubblewrap;
pub(crate) mod cgroup;
mod front;
mod inner;
pub(crate) mod instance;
mod keep;
pub(crate) mod pipes;
pub(crate) mod plan;
pub(crate) mod rights;
pub(crate) mod scratch;
pub(crate) mod syscalls;
mod system;
mod tree;
mod watchdog;

pub use tree::cpu_below;

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use plan::{Plan, Stage};

/// The first argument of the program that calls [`launch`].
pub(crate) const SUBCOMMAND: &str = "launch";

/// The body of the hidden subcommand `launch`: call it first of all in `main`, before there is a thread or an open file,
/// with the arguments behind `launch`. Nobody types this command; [`crate::Sandbox::command`] does.
pub fn launch(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let plan = match Plan::from_args(args) {
        Ok(plan) => plan,
        Err(why) => {
            // Somebody typed the command; there is nobody else to tell.
            let _ = writeln!(
                io::stderr(),
                "rookery launch: {why}. This command is for rookery itself: it starts the programs of `cmd:` seats."
            );
            return ExitCode::from(2);
        }
    };
    match plan.stage {
        Stage::Front => front::run(&plan),
        Stage::Keep => keep::run(plan),
        Stage::Inner => inner::run(&plan),
        Stage::Watchdog => watchdog::run(&plan),
    }
}

/// The next stage of the same program, whatever has become of its file.
fn next_stage(plan: &Plan) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("rookery").arg(SUBCOMMAND).args(plan.to_args());
    command
}

/// Nobody may trace us, or read or open what we have, but root.
fn make_private() {
    // On kernels that refuse, a program without a sandbox could do harm to its parent, and so to itself.
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
