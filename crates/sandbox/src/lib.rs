//! Programs of others.

mod policy;
mod program;
mod report;
mod split;

#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod sandbox;

#[cfg(target_os = "linux")]
pub use launch::launch;
pub use policy::{InForce, Level, Limits, Missing, Policy, SandboxError};
pub use program::Program;
pub use report::{Cause, Ended, Limit, Report};
#[cfg(target_os = "linux")]
pub use sandbox::{Guard, Sandbox};
pub use split::{SplitError, split};
