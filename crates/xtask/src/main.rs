//! The project's chores. `cargo xtask test` is the one test command; CI runs exactly it.

mod dist;
mod faults;
mod fuzz;
mod levels;
mod python;
mod setup;
mod venv;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test    everything that must pass before a change lands: formatting, clippy, all tests, doc tests, docs,
          and the dependency rules of deny.toml where cargo-deny is installed; before, the languages of the starter
          kits, bubblewrap, PostgreSQL, nats-server, Chromium and systemd-analyze are installed where they are missing and
          apt-get can,
          and schemathesis from PyPI into target/python;
          after, whether the fuzz targets build, where there is a nightly compiler, and the Python package in an environment
          of its own, where PyPI can be reached
  bless   rewrite the golden files from what the programs show now; read the difference before you commit it
  fuzz    look for bytes that break the bot protocol, the reader of records, the command lines, the archives of bots or the
          messages between coordinator and workers, each for a minute, or for `--seconds N`; needs a nightly compiler and cargo-fuzz
  faults  the table of all faults with the tests that carry their IDs, and what is not covered yet
  levels  how much stronger each level is than the one below, as a table: [GAME...] [--games N] [--json]
  shots   pictures of every page in both themes and both sizes, in target/shots; needs Chromium
  dist    an archive and a Debian package in target/package: [--binary FILE] [--out DIR] [--fast]; without a binary one is
          built with everything in it, which takes minutes
  cluster PostgreSQL, nats-server, two servers and four workers on this machine play a tournament while parts are killed;
          the records must equal those of one process: [--games N] [--kill worker,coordinator,broker] [--keep DIR];
          with --bench the figures of `rookery bench cluster` and its flags, by [--binary FILE] or an optimised build
  wheel   the Python package as a wheel and as source, in target/wheels; needs PyPI
  man     write the man pages of the command line to target/man";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(),
        ["bless"] => bless(),
        ["fuzz"] => fuzz::search("60"),
        ["fuzz", "--seconds", seconds] => fuzz::search(seconds),
        ["faults"] => faults::table(Path::new("crates")).map(|table| say(&table)),
        ["levels", ref order @ ..] => levels::run(order).map(|table| show(&table)),
        ["shots"] => step(
            "pictures of the page",
            cargo("test --locked --package rookery-browser-tests --test shots -- --ignored"),
        ),
        ["dist", ref order @ ..] => dist::run(order),
        ["cluster", ref order @ ..] => cluster(order),
        ["wheel"] => python::wheel(),
        ["man"] => step("man pages", cargo("run --quiet --locked --package rookery -- man target/man")),
        _ => {
            say(USAGE);
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "this is where chores speak")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// A result, for a file or another program.
#[expect(clippy::print_stdout, reason = "this is what was asked for")]
fn show(text: &str) {
    println!("{text}");
}

/// What is off in the default build, and tested all the same.
const FEATURES: &str = "--features rookery/cluster,rookery-store/cluster";

/// Everything, and at the end what was skipped on the way.
fn test() -> anyhow::Result<()> {
    let skipped = env::current_dir()?.join("target/skipped");
    // Of an earlier run.
    let _ = fs::remove_file(&skipped);
    let done = all_tests(&skipped);
    // Each once: a test may run more often.
    for line in fs::read_to_string(&skipped).unwrap_or_default().lines().collect::<BTreeSet<_>>() {
        say(&format!("== SKIPPED {line}"));
    }
    done?;
    say("== all passed");
    Ok(())
}

/// Tests write what they skip into this file: `rookery_testkit::skip`.
fn all_tests(skipped: &Path) -> anyhow::Result<()> {
    step("formatting", cargo("fmt --all --check"))?;
    step(
        "clippy",
        cargo(&format!("clippy --workspace --all-targets --locked {FEATURES} -- --deny warnings")),
    )?;
    let has_all = setup::programs(&env::var_os("PATH").unwrap_or_default());
    let schemathesis = venv::bin(Path::new("target"), "schemathesis", &["schemathesis==4.32.5"]);
    let schemathesis = schemathesis.and_then(|bin| bin.join("schemathesis").canonicalize().ok());
    let tests = |args: &str| {
        let mut tests = cargo(args);
        // Stores of tests are small: a nearly full disk has room for them.
        tests.env("ROOKERY_STORE_RESERVE", "0").env("ROOKERY_SKIPPED", skipped);
        if let Some(schemathesis) = &schemathesis {
            tests.env("ROOKERY_SCHEMATHESIS", schemathesis);
        }
        if has_all {
            // From here on a kit that is skipped is a mistake.
            tests.env("ROOKERY_ALL_KITS", "1");
        }
        tests
    };
    if installed("nextest") {
        step("tests", tests(&format!("nextest run --workspace --locked --no-fail-fast {FEATURES}")))?;
        step("doc tests", cargo(&format!("test --workspace --locked --doc {FEATURES}")))?;
    } else {
        say("== cargo-nextest is not installed: cargo test runs everything, more slowly");
        step("tests and doc tests", tests(&format!("test --workspace --locked --no-fail-fast {FEATURES}")))?;
    }
    // The default build has no cluster support, and everything above has. Its one test (`cargo test -p rookery --test cluster`)
    // would need minutes for a build of its own.
    step("clippy of the default build", cargo("clippy --package rookery --locked -- --deny warnings"))?;
    fuzz::check()?;
    python::test()?;
    step(
        "docs",
        cargo(&format!("doc --workspace --locked --no-deps --quiet {FEATURES}"))
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )?;
    if installed("deny") {
        step("dependency rules", cargo("deny --log-level error check bans licenses sources"))?;
    } else {
        say("== SKIPPED dependency rules: cargo-deny is not installed (`cargo install cargo-deny`)");
    }
    Ok(())
}

fn bless() -> anyhow::Result<()> {
    let runner = if installed("nextest") { "nextest run" } else { "test" };
    let mut tests = cargo(&format!("{runner} --workspace --locked --no-fail-fast {FEATURES}"));
    step("tests, rewriting golden files", tests.env("ROOKERY_BLESS", "1").env("TRYCMD", "overwrite"))
}

/// Many machines on this one; `testkit::trial` does the work with the program that is built here.
fn cluster(order: &[&str]) -> anyhow::Result<()> {
    setup::programs(&env::var_os("PATH").unwrap_or_default());
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let target = env::current_dir()?.join(target);
    let is_bench = order.contains(&"--bench");
    let mut order: Vec<&str> = order.iter().copied().filter(|word| *word != "--bench").collect();
    let given = order.iter().position(|word| *word == "--binary" && is_bench);
    let given = given.filter(|at| at + 1 < order.len()).map(|at| order.drain(at..at + 2).next_back());
    let binary = match given.flatten() {
        Some(binary) => env::current_dir()?.join(binary),
        None if is_bench => {
            // Figures of a build that is not optimised say nothing.
            step("the program", cargo("build --release --locked --package rookery --features cluster"))?;
            target.join("release/rookery")
        }
        None => {
            step("the program", cargo("build --locked --package rookery --features rookery/cluster"))?;
            target.join("debug/rookery")
        }
    };
    step("its trial", cargo("build --locked --package rookery-testkit --bin cluster-trial"))?;
    let mut trial = Command::new(target.join("debug/cluster-trial"));
    trial.arg("--binary").arg(binary).args(&order);
    if is_bench {
        trial.arg("--bench");
    }
    let status = trial.status().context("the trial could not be started")?;
    if status.success() { Ok(()) } else { bail!("the trial failed") }
}

/// A cargo command with these arguments, separated by spaces.
fn cargo(args: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args.split(' '));
    build_once(&mut command);
    command
}

/// What a build keeps to be quick the next time is of no use where there is none, and costs gigabytes.
fn build_once(command: &mut Command) {
    if env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0");
    }
}

fn installed(subcommand: &str) -> bool {
    let probe =
        cargo(&format!("{subcommand} --version")).stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

fn step(name: &str, mut command: impl std::borrow::BorrowMut<Command>) -> anyhow::Result<()> {
    say(&format!("== {name}"));
    let start = Instant::now();
    let status = command.borrow_mut().status().with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name} failed");
    }
    say(&format!("== {name}: passed in {:.0} s", start.elapsed().as_secs_f64()));
    Ok(())
}
