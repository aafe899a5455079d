//! Programs of others, started so that they end with us and can harm nothing.
//!
//! A [`Policy`] says what programs may do. [`Policy::prepare`] finds out what of it this machine can enforce and gives a
//! [`Sandbox`]; [`Sandbox::command`] is what to spawn for a [`Program`], with a [`Guard`] that holds it. The caller sets
//! the standard streams, waits for the process as if it were the program, and asks [`Guard::report`] for what an exit
//! status does not say.
//!
//! ```no_run
//! use rookery_sandbox::{Level, Policy, Program};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sandbox = Policy::new(Level::Auto, std::env::current_exe()?).prepare()?;
//! println!("sandbox: {}", sandbox.in_force());
//! let (mut command, guard) = sandbox.command(&Program::parse("python3 bot.py --fast")?)?;
//! let status = command.spawn()?.wait()?;
//! let report = guard.report();
//! println!("{status}: the bot {}, cause {:?}", report.ended, report.cause());
//! # Ok(())
//! # }
//! ```
//!
//! # Stages
//!
//! What has to happen between `fork` and `exec` cannot be done without `unsafe`, so it is done by processes of our own:
//! the hidden subcommand `launch`, three times over.
//!
//! ```text
//! caller ── front ──[ bubblewrap ]── keep ── inner, which becomes the program
//!   └─ pipe ─┘                         └─ orphans of the program
//! ```
//!
//! * **front** is what the caller spawns. It watches the caller (by a pidfd, and by the pipe of the [`Guard`], whose other
//!   end it has), takes SIGTERM, SIGINT and SIGHUP as an order to end everything, and ends as the program has ended. It
//!   makes and removes the control groups and the folder of a program. `PR_SET_PDEATHSIG` would not do here: it comes when
//!   the *thread* that spawned us ends.
//! * **keep** is the parent of the program and of all orphans below it (`PR_SET_CHILD_SUBREAPER`). When the program ends, it
//!   ends the orphans, whatever sessions they are in. In namespaces it is process 1.
//! * **inner** gives up every right and becomes the program, with SIGKILL for the death of its parent.
//!
//! Each of front and keep does the work of the other if that is killed, so that it takes both at once to leave something
//! running; a program in a sandbox can reach neither. Both wait in `poll` and use no time, and both hold nothing of the
//! program's streams, so that whoever is at their other ends sees when the program closes them.
//!
//! A program that may be frozen ([`Guard::set_frozen`]) has a fourth one, **watchdog**, beside keep: keep is in the control groups
//! of the program and frozen with it, so it is the watchdog that does the work of front if that is killed. Whoever ends a
//! program thaws it, for in version 1 not even SIGKILL reaches whoever is frozen.
//!
//! # Layers
//!
//! Always: a new session without a terminal, an environment of PATH, HOME, LANG and TMPDIR, no descriptors but 0 to 2,
//! `no_new_privs`, no core files, the end of the whole tree.
//!
//! At the levels auto and full also, from the outside in: control groups (memory, processes, processor; version 2 or 1),
//! namespaces by bubblewrap (processes, network, files, messages, host name; a private `/tmp` of limited size), resource
//! limits, Landlock, another user if we are root, a seccomp filter. Without bubblewrap the rest still holds, and the
//! program gets a folder that is removed at its end.
//!
//! # The report
//!
//! The caller makes a pipe and keeps its end for reading. The front opens the other end through `/proc/PID/fd/N` of the
//! caller, after a look at the inode, so that nothing is inherited and no file is left. It writes one line of at most a
//! kibibyte when everything has ended. No process that runs foreign code ever has the pipe.
//!
//! docs/sandbox.md is the page for whoever runs bots.

mod policy;
mod program;
mod report;
mod split;

#[cfg(target_os = "linux")]
mod launch;
#[cfg(not(target_os = "linux"))]
mod plain;
#[cfg(target_os = "linux")]
mod sandbox;

#[cfg(target_os = "linux")]
pub use launch::{cpu_below, launch};
#[cfg(not(target_os = "linux"))]
pub use plain::{Guard, Sandbox, cpu_below, launch};
pub use policy::{InForce, Level, Limits, Missing, Policy, SandboxError};
pub use program::Program;
pub use report::{Cause, Ended, Limit, Report};
#[cfg(target_os = "linux")]
pub use sandbox::{Guard, Sandbox};
pub use split::{SplitError, split};
