//! `cargo xtask cluster`: many machines on one, and parts of them killed on the way.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, clippy::print_stdout, reason = "this is a program that people watch")]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let say = |line: &str| println!("{line}");
    if let Some(at) = args.iter().position(|arg| arg == "--bench") {
        let rest: Vec<String> =
            args.iter().enumerate().filter(|(idx, _)| *idx != at).map(|(_, arg)| arg.clone()).collect();
        return match rookery_testkit::trial::bench(&rest) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("error: {problem}");
                ExitCode::FAILURE
            }
        };
    }
    match rookery_testkit::trial::Order::parse(&args)
        .and_then(|order| rookery_testkit::trial::run(&order, &say))
    {
        Ok(n) => {
            println!("{}", rookery_testkit::trial::last_line(n));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
