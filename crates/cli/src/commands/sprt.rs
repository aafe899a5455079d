//! `rookery sprt`: games until a test has decided which of two players is stronger.

use std::io::{self, IsTerminal as _, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use rookery_ratings::elo::Sample;
use rookery_ratings::sprt::{Decision, Model, Run};
use rookery_report::plots::{Frame, Line, line};
use rookery_report::test_json;
use rookery_rules::text::clean;
use rookery_tournament::{Sprt, SprtSpec};
use serde_json::json;

use super::matches;
use crate::spec::UsageError;
use crate::stop::{this_command_with, watch};

/// Play until a test has decided whether the first player is stronger than the second
///
/// A sequential probability ratio test on whole blocks (for two players: pairs with swapped seats). H0: the difference is
/// --elo0; H1: it is --elo1. With more than two players it is about the first two, and the others fill the seats.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "test")]
pub(crate) struct Args {
    /// The difference in Elo that H0 stands for
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,

    /// The difference in Elo that H1 stands for
    #[arg(long, value_name = "ELO", default_value_t = 50.0, allow_negative_numbers = true)]
    elo1: f64,

    /// How often H1 may be accepted although H0 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,

    /// How often H0 may be accepted although H1 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    beta: f64,

    /// logistic (Elo) or normalized (Elo by the spread of results; docs/ratings.md)
    #[arg(long, value_name = "MODEL", default_value = "logistic")]
    model: Model,

    /// Draw the likelihood ratio on its way, as an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    series: matches::Args,
}

const EXAMPLES: &str = "\
Examples:
  rookery sprt hexapawn \"cmd:./new\" \"cmd:./old\" --elo0 0 --elo1 30 --tc 1s+10ms
  rookery sprt fish:players=4 new=level:5 old=level:4 random random --elo1 60 --json
  rookery sprt stones mine=hard medium --record games --resume

Exit codes: 0 decided or all games played, 1 failed, 2 the command line is wrong, 3 some games were aborted, 130 or 143
interrupted.";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { elo0, elo1, alpha, beta, model, .. } = *args;
    let games = args.series.games.unwrap_or(SprtSpec::default().games);
    let test = SprtSpec { elo0, elo1, alpha, beta, model, games }.test();
    let test = test.map_err(|error| UsageError(error.to_string()))?;
    let series = args.series.series()?;
    let mut scheduler = series.scheduler(Sprt::new(series.players(), games, test));
    let stopping = watch(Some(args.series.stop.grace()))?;
    let bar = bar(!args.series.quiet && stderr().is_terminal());
    let mut aborted = 0_u64;
    let names: Vec<String> = series.agreed().seats.iter().map(|entry| clean(&entry.name)).collect();
    let complete = series.hold_as(&mut scheduler, &stopping, &mut |game| {
        for problem in game.problems() {
            bar.suspend(|| writeln!(stderr(), "{problem}"))?;
        }
        aborted += u64::from(game.verdict.outcome.is_none());
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let run = scheduler.format().run();
    if let Some(path) = &args.plot {
        std::fs::write(path, plot(run))
            .map_err(|error| io::Error::new(error.kind(), format!("--plot {}: {error}", path.display())))?;
    }
    if args.series.json {
        writeln!(out, "{:#}", as_json(run, &series, aborted))?;
    } else {
        write_text(run, &names, out)?;
    }
    if let (false, Some(code)) = (complete, stopping.exit_code()) {
        if args.series.record.is_some() {
            writeln!(stderr(), "This goes on:\n{}", this_command_with("--resume"))?;
        }
        return Ok(ExitCode::from(code));
    }
    Ok(if aborted > 0 { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

fn bar(shown: bool) -> ProgressBar {
    if !shown {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {pos} games, {per_sec:1}");
    let bar = ProgressBar::new_spinner().with_style(style.expect("the template is well formed"));
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}

fn as_json(run: &Run, series: &matches::Series, aborted: u64) -> serde_json::Value {
    let mut told = json!({
        "game": series.agreed().game,
        "names": series.agreed().seats.iter().map(|entry| &entry.name).collect::<Vec<_>>(),
    });
    if let (Some(told), serde_json::Value::Object(test)) = (told.as_object_mut(), test_json(run)) {
        told.extend(test);
        told.insert("aborted".to_owned(), aborted.into());
    }
    told
}

fn write_text(run: &Run, names: &[String], out: &mut dyn Write) -> anyhow::Result<()> {
    let ((elo0, elo1), (lower, upper)) = (run.test().elos(), run.test().bounds());
    let [first, second] = [&names[0], &names[1]];
    match run.decision() {
        Some(Decision::H0) => {
            writeln!(out, "H0 accepted: {first} is nearer {elo0:+} than {elo1:+} Elo against {second}")?;
        }
        Some(Decision::H1) => {
            writeln!(out, "H1 accepted: {first} is nearer {elo1:+} than {elo0:+} Elo against {second}")?;
        }
        None => writeln!(out, "not decided: {:.0} % of the way", 100.0 * run.test().progress(run.llr()))?,
    }
    writeln!(
        out,
        "LLR {:.2} between {lower:.2} and {upper:.2}; {}, elo0 {elo0}, elo1 {elo1}",
        run.llr(),
        run.test().model()
    )?;
    let counts: Vec<String> = run.counts().iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "{} games in {} blocks; blocks by half points of {first} against {second}: {}",
        run.games(),
        run.blocks(),
        counts.join(" ")
    )?;
    if let Ok(sample) = Sample::of_counts(run.counts()) {
        let error = sample.elo_error().map_or_else(String::new, |error| format!(" ± {error:.1}"));
        writeln!(
            out,
            "Elo, {first} to {second}: {:+.1}{error} (biased, because the test chose when to stop)",
            sample.elo()
        )?;
    }
    if run.dropped() > 0 {
        writeln!(out, "{} blocks with a game without a result do not count", run.dropped())?;
    }
    Ok(())
}

/// The likelihood ratio on its way.
fn plot(run: &Run) -> String {
    let points: Vec<(f64, f64)> = run.trace().points().map(|(blocks, llr)| (blocks as f64, llr)).collect();
    let (lower, upper) = run.test().bounds();
    let llr = Line {
        points: &points,
        band: &[],
        limits: &[(lower, "H0"), (upper, "H1")],
        x_unit: "blocks",
        y_unit: "LLR",
    };
    let frame =
        Frame { title: "The likelihood ratio on its way", id: "llr", is_alone: true, is_narrow: false };
    line(frame, &llr)
}
