//! `rookery check`: does a bot play by the protocol, and if not, what is wrong?

mod asked;
mod script;
mod silence;
mod steps;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rookery_referee::parse_duration;
use rookery_rules::text::{clean, shell_quoted};
use serde::Serialize;

use super::write_json;
use crate::programs::open_trace;
use crate::sandbox_args::SandboxArgs;
use crate::spec::CheckedSpec;
use asked::{Asked, Recorded};
use rookery_sandbox::Program;
use steps::{Checker, Seen};

/// Check a bot: let it play, and say step by step what is right and what is wrong
///
/// The bot is a program that speaks the protocol of docs/protocol.md by its standard input and output. It plays every game
/// given on every seat, two games in a row, with fields and messages it cannot know, on large boards, from the middle of a
/// game, and after a rejected move. The first step that fails is explained, with what was sent, what came, and everything
/// the bot wrote to its standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery check hexapawn -- python3 bot.py
  rookery check fish:players=3 four stones --time 500ms -- ./my-bot --fast
  rookery check --record game-0001.rookery.jsonl -- python3 bot.py

Exit codes: 0 all steps passed, 1 one failed, 2 the command line is wrong.")]
pub(crate) struct Args {
    /// The games to be played, with their setups
    #[arg(value_name = "GAME-SPEC", required_unless_present = "record", num_args = 1..=32)]
    specs: Vec<CheckedSpec>,

    /// Ask the bot the turns of this recorded game again, and compare its answers
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Ask only the turns of this seat of the record, from 1; otherwise those of programs, or all if there was none
    #[arg(long, value_name = "N", requires = "record", value_parser = clap::value_parser!(u8).range(1..))]
    seat: Option<u8>,

    /// The time for each move
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    time: Duration,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Write every line to and from the bot, with its time in microseconds, into this file; - is standard error
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    #[command(flatten)]
    sandbox: SandboxArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// The bot: a program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// What came of a check.
#[derive(Serialize)]
struct Report {
    command: String,
    passed: bool,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    number: usize,
    name: String,
    /// `None` if it was not reached.
    passed: Option<bool>,
    /// What was seen, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<String>,
    /// Turns of a record that were asked again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<Asked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

/// What went wrong at a step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
struct Failure {
    /// The cause, as a word.
    cause: String,
    /// The same in a sentence.
    message: String,
    /// The last line that was sent.
    sent: Option<String>,
    /// The last line that came.
    received: Option<String>,
    expected: Option<String>,
    /// What is usually the reason.
    hint: Option<String>,
    /// Everything that the bot wrote to its standard error.
    stderr: String,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let words: Vec<String> = args.command.iter().map(|word| shell_quoted(word)).collect();
    let command = words.join(" ");
    let sandbox = args.sandbox.prepare()?;
    let recorded =
        args.record.as_deref().map(|path| Recorded::read(path, args.seat.map(usize::from))).transpose()?;
    let program = Program { argv: args.command.clone(), ..Program::default() };
    let checker = Checker {
        sandbox: &sandbox,
        program: &program,
        specs: &args.specs,
        recorded: recorded.as_ref(),
        time: args.time,
        seed: args.seed,
        trace: args.trace.as_deref().map(open_trace).transpose()?,
    };
    let mut report = Report { command: command.clone(), passed: true, steps: vec![] };
    for (number, planned) in (1..).zip(checker.plan()) {
        let name = planned.name();
        let result = if report.passed { Some(runtime.block_on(checker.carry_out(&planned))) } else { None };
        let mut step = Step { number, name, passed: None, seen: None, turns: vec![], failure: None };
        match result {
            None => {}
            Some(Ok(seen)) => {
                let Seen { text, asked } = seen;
                (step.passed, step.seen, step.turns) = (Some(true), Some(text), asked);
            }
            Some(Err(failure)) => (step.passed, step.failure) = (Some(false), Some(*failure)),
        }
        report.passed &= step.passed != Some(false);
        if !args.json {
            step.write(out)?;
            out.flush()?;
        }
        report.steps.push(step);
    }
    if args.json {
        write_json(out, &report)?;
    } else if report.passed {
        writeln!(out, "\nAll {} steps passed.", report.steps.len())?;
    }
    Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl Step {
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mark = match self.passed {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "–",
        };
        let seen = self.seen.as_ref().map(|seen| format!(": {}", clean(seen))).unwrap_or_default();
        writeln!(out, "{:>3} {mark} {}{seen}", self.number, clean(&self.name))?;
        if let Some(failure) = &self.failure {
            failure.write(out)?;
        }
        Ok(())
    }
}

impl Failure {
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "\n      {} ({})", clean(&self.message), self.cause)?;
        let parts = [
            ("sent", &self.sent),
            ("came", &self.received),
            ("expected", &self.expected),
            ("hint", &self.hint),
        ];
        for (title, part) in parts {
            if let Some(part) = part {
                writeln!(out, "      {title:<9} {}", clean(part))?;
            }
        }
        if self.stderr.trim().is_empty() {
            writeln!(out, "      It wrote nothing to its standard error.\n")
        } else {
            writeln!(out, "      Its standard error:")?;
            self.stderr.lines().try_for_each(|line| writeln!(out, "      | {}", clean(line)))?;
            writeln!(out)
        }
    }
}
