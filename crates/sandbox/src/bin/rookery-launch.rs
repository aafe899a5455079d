//! The stages of a launch as a program of their own, for the tests of this crate: `rookery-launch launch …`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    {
        rookery_sandbox::launch(std::env::args_os().skip(2))
    }
    #[cfg(not(target_os = "linux"))]
    {
        ExitCode::from(2)
    }
}
