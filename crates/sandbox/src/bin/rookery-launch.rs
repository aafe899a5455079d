//! The stages of a launch as a program of their own, for the tests of this crate: `rookery-launch launch …`.

use std::process::ExitCode;

fn main() -> ExitCode {
    rookery_sandbox::launch(std::env::args_os().skip(2))
}
