//! `rookery review`: what went wrong in a recorded match, and what would have been better.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rookery_referee::parse_duration;
use rookery_rules::GameSpec;
use rookery_rules::text::{clean, shell_quoted};
use rookery_search::Stop;
use rookery_study::{Review, ReviewTime, graph_svg, review};
use rookery_terminal::report;

use super::play::is_dumb;
use super::write_json;
use crate::data_folder::games_folder;
use crate::stop::watch_quietly;
use crate::story::story;
use crate::svg_file::SvgFile;
use crate::table_args::TableArgs;

/// Look back at a recorded match: mistakes and better moves
///
/// Every position is judged by proof where that is possible, else by the strongest search. A value is the share of a win that
/// a player can hope for; accuracy is 100 % for who gave nothing away, and where everything was proved it is the share of
/// moves that kept the result.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery review game.rookery.jsonl
  rookery review game.rookery.jsonl --time 2m --svg graph.svg
  rookery review game.rookery.jsonl --all
  rookery review game.rookery.jsonl --json

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 130 or 143 interrupted.")]
pub(crate) struct Args {
    /// The record, usually NAME.rookery.jsonl
    #[arg(value_name = "RECORD")]
    file: PathBuf,

    /// How long it may take, shared by all positions; by default at most 30s, and a second for each position
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    #[command(flatten)]
    tables: TableArgs,

    /// Draw the graph into this file; a file that exists is overwritten, and - is the output
    #[arg(long, value_name = "OUT.svg", value_parser = SvgFile::parser())]
    svg: Option<SvgFile>,

    /// Tell of every move in the order of the match, not only of the mistakes
    #[arg(long, conflicts_with = "json")]
    all: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The usual review of a record.
    pub(crate) fn new(file: PathBuf, json: bool) -> Self {
        Self { file, time: None, tables: TableArgs::default(), svg: None, all: false, json }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let story = story(&args.file)?;
    args.tables.read(&GameSpec::parse(&story.spec.game)?.game, &story.start.text())?;
    let stop = Stop::default();
    let raised = stop.clone();
    let stopping = watch_quietly(move || raised.set())?;
    let bar = if io::stderr().is_terminal() {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} positions, {eta} to go");
        ProgressBar::new(0).with_style(style.expect("the template is well formed"))
    } else {
        ProgressBar::hidden()
    };
    let reviewed =
        review(&story, args.time.map_or(ReviewTime::USUAL, ReviewTime::within), &stop, &|done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
    bar.finish_and_clear();
    let Some(reviewed) = reviewed else {
        return Ok(stopping.exit_code().map_or(ExitCode::FAILURE, ExitCode::from));
    };
    let shown = show(args, &reviewed, out);
    // What has taken half a minute is shown also where it cannot be kept.
    if let Err(problem) = keep(&args.file, &reviewed) {
        // Nobody can be told where nobody listens.
        let _ = writeln!(io::stderr(), "warning: {problem}");
    }
    shown.map(|()| ExitCode::SUCCESS)
}

fn show(args: &Args, reviewed: &Review, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(file) = &args.svg {
        file.write(&graph_svg(reviewed), out)?;
        if file.is_stdout() {
            return Ok(());
        }
    }
    if args.json { write_json(out, reviewed) } else { write(reviewed, &args.file, args.all, out) }
}

/// Where the accuracy of a game that `play` has kept is found again, for `rookery history`.
pub(crate) fn kept_at(record: &Path) -> Option<PathBuf> {
    // The same folder has many names: from inside it has none.
    let parent =
        record.parent().map(|parent| if parent == Path::new("") { Path::new(".") } else { parent })?;
    let is_ours = parent.canonicalize().ok()? == games_folder().canonicalize().ok()?;
    is_ours.then(|| record.with_extension("review.json"))
}

/// Keeps what `rookery history` shows of a review.
pub(crate) fn keep(record: &Path, reviewed: &Review) -> Result<(), String> {
    let Some(path) = kept_at(record) else { return Ok(()) };
    let text = serde_json::to_vec(reviewed).map_err(|error| error.to_string())?;
    let cannot = |error| format!("the review is not kept: {}: {error}", clean(&path.display().to_string()));
    std::fs::write(&path, text).map_err(cannot)
}

fn write(review: &Review, record: &Path, all: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    write!(out, "{}", report(review, all, !is_dumb()))?;
    let file = shell_quoted(&record.display().to_string());
    if let Some(ply) = review.decisive {
        writeln!(out, "Play on from there: rookery play --from {file} --ply {}", ply - 1)?;
    }
    writeln!(out, "Step through it on the screen: rookery watch {file}, then r")?;
    Ok(())
}
