//! A bot that misbehaves: `evil-bot MODE`, see `rookery_testkit::evil`. As `evil-bot launch` it is also what starts programs
//! in a sandbox, as `rookery launch` does.

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::from(2)
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.peek().is_some_and(|first| first == "launch") {
        args.next();
        return rookery_sandbox::launch(args);
    }
    rookery_testkit::evil::main(args.map(|word| word.to_string_lossy().into_owned()));
    ExitCode::SUCCESS
}
