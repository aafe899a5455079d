//! `rookery replay`: a recorded match, move by move.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, anyhow};
use rookery_live::{AnyReplay, replay};
use rookery_picture::{LastMove, Options, svg};
use rookery_record::{Line, Lines, Problem, RecordError, Step, Summary, open_record};
use rookery_referee::words::{self, Who};
use rookery_referee::{MatchSpec, Verdict};
use rookery_rules::Seat;
use rookery_rules::scene::{self, Scene};
use rookery_store::GameId;
use rookery_terminal::clean;
use serde::Serialize;

use super::write_json;
use crate::spec::UsageError;
use crate::store_args::StoreArgs;
use crate::svg_file::SvgFile;

/// Show a recorded match, and judge it again on the way
///
/// On a terminal every position is shown, move by move; otherwise the last one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The record, usually NAME.rookery.jsonl; with --store the id of a game
    #[arg(value_name = "FILE|ID")]
    file: PathBuf,

    /// Take the game from this store, a file or a postgres:// URL
    #[arg(long, value_name = "FILE|URL", conflicts_with = "follow")]
    store: Option<String>,

    /// Show only the position after so many moves; 0 is the first
    #[arg(long, value_name = "N")]
    ply: Option<u64>,

    /// Show every position, also when the output is not a terminal
    #[arg(long, conflicts_with_all = ["ply", "json"])]
    all: bool,

    /// Wait for more lines of a match that still runs, until its verdict
    #[arg(long)]
    follow: bool,

    /// Draw the position shown, the last or the one of --ply, into this file; a file that exists is overwritten, and -
    /// is the output, where nothing else is printed then
    #[arg(long, value_name = "OUT.svg", value_parser = SvgFile::parser())]
    svg: Option<SvgFile>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery replay game.rookery.jsonl
  rookery replay game.rookery.jsonl --ply 20 --svg board.svg
  rookery replay game.rookery.jsonl --follow
  rookery replay 3v0k8q2m5x7c --store evening.db";

/// How often a file that may still grow is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    spec: &'a MatchSpec,
    /// How many moves were made in all.
    plies: u64,
    /// The position shown: the last, or the one asked for.
    ply: u64,
    position: String,
    finished: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<VerdictReport>,
}

#[derive(Serialize)]
struct VerdictReport {
    ending: &'static str,
    sentence: String,
    winners: Option<Vec<usize>>,
    scores: Option<Vec<i32>>,
}

/// A position as it is shown.
struct Shown {
    ply: u64,
    board: String,
    text: String,
    /// Only if it is to be drawn.
    svg: Option<String>,
}

impl Shown {
    fn now(replay: &dyn AnyReplay) -> Self {
        let position = replay.position();
        Self { ply: replay.plies(), board: position.board(), text: position.text(), svg: None }
    }

    /// The same with its picture, in which the last move is marked.
    fn drawn(replay: &dyn AnyReplay, last: Option<&scene::Move>) -> Self {
        let options = Options { last: last.map(LastMove::from), ..Options::default() };
        Self { svg: Some(svg(&replay.position().scene(), &options)), ..Self::now(replay) }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.ply {
            0 => writeln!(out, "\nstart")?,
            ply => writeln!(out, "\nafter move {ply}")?,
        }
        writeln!(out, "{}", self.board)?;
        writeln!(out, "position: {}", self.text)
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.svg.as_ref().is_some_and(SvgFile::is_stdout) {
        if args.json {
            return Err(UsageError("--json and --svg - both want the output; name a file".to_owned()).into());
        }
        return show(args, &mut io::sink(), out);
    }
    show(args, out, &mut io::sink())
}

/// Shows the match in `out`, and its picture in `pictures` if it goes into no file.
fn show(args: &Args, out: &mut dyn Write, pictures: &mut dyn Write) -> anyhow::Result<()> {
    let name = clean(&args.file.display().to_string());
    let mut lines = Lines::new(record(args, &name)?);
    let mut replay = begin(&mut lines, args.follow).map_err(|error| anyhow!("{name}: {error}"))?;
    if !args.json {
        write_spec(out, &replay.header().spec)?;
    }
    let every = !args.json && args.ply.is_none() && (args.all || io::stdout().is_terminal());
    let (shown, wrong) = walk(args, every, &mut lines, &mut *replay, out)?;
    // What was right before the first wrong line is shown, too.
    if !args.json
        && !every
        && let Some(shown) = &shown
    {
        shown.write(out)?;
    }
    let summary = match wrong {
        None => replay.summary(lines.torn_bytes()).map_err(|problem| lines.error(problem)),
        Some(error) => Err(error),
    };
    let summary = summary.map_err(|error| anyhow!("{name}: {error}"))?;
    let Some(shown) = shown else {
        let (ply, plies) = (args.ply.unwrap_or_default(), moves(summary.plies));
        return Err(UsageError(format!("--ply {ply}: the match has {plies} so far")).into());
    };
    if let Some((file, svg)) = args.svg.as_ref().zip(shown.svg.as_ref()) {
        file.write(svg, pictures)?;
    }
    if args.json {
        return write_json(out, &report(&replay.header().spec, &summary, shown));
    }
    let spec = &replay.header().spec;
    Ok(writeln!(out, "\n{}", how_it_ended(&summary, &|seat| spec.who(seat)))?)
}

/// The record, from a file or from a store.
fn record(args: &Args, name: &str) -> anyhow::Result<Box<dyn BufRead>> {
    let Some(store) = &args.store else {
        let file = open_record(&args.file).with_context(|| format!("{name}: it cannot be opened"))?;
        return Ok(Box::new(BufReader::new(file)));
    };
    let id: Option<GameId> = args.file.to_str().and_then(|text| text.parse().ok());
    let id = id.ok_or_else(|| {
        UsageError(format!(
            "{name}: with --store, expected the id of a game; `rookery games list` shows them"
        ))
    })?;
    Ok(Box::new(io::Cursor::new(StoreArgs::at(store).read()?.record(id)?)))
}

/// Reads the first line.
fn begin(lines: &mut Lines<impl BufRead>, follow: bool) -> Result<Box<dyn AnyReplay>, RecordError> {
    let replay = loop {
        match lines.first_line() {
            Ok(line) => break replay(line),
            Err(error) if follow && matches!(error.problem, Problem::Empty | Problem::TornHeader) => {
                sleep(LOOK_AGAIN);
            }
            Err(error) => return Err(error),
        }
    };
    replay.map_err(|problem| lines.error(problem))
}

/// Reads all other lines, shows every position if asked to, and gives back the one position that was asked for and the
/// first wrong line.
fn walk(
    args: &Args,
    every: bool,
    lines: &mut Lines<impl BufRead>,
    replay: &mut dyn AnyReplay,
    out: &mut dyn Write,
) -> anyhow::Result<(Option<Shown>, Option<RecordError>)> {
    let drawing = args.svg.is_some();
    let first = || if drawing { Shown::drawn(replay, None) } else { Shown::now(replay) };
    let mut shown = matches!(args.ply, None | Some(0)).then(first);
    if let Some(shown) = shown.as_ref().filter(|_| every) {
        shown.write(out)?;
    }
    loop {
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) if args.follow && !replay.is_finished() => {
                out.flush()?;
                sleep(LOOK_AGAIN);
                continue;
            }
            Ok(None) => return Ok((shown, None)),
            Err(error) => return Ok((shown, Some(error))),
        };
        let before = drawing.then(|| replay.position().scene());
        let step = match replay.feed(line) {
            Ok(step) => step,
            Err(problem) => return Ok((shown, Some(lines.error(problem)))),
        };
        if every {
            write_step(out, step, line, replay)?;
        }
        let wanted = args.ply.is_none_or(|ply| matches!(step, Step::Moved(_)) && ply == replay.plies());
        if wanted {
            let last = before.as_ref().and_then(|scene| last_move(scene, line));
            shown = Some(if drawing { Shown::drawn(replay, last) } else { Shown::now(replay) });
        }
    }
}

/// The move of a line, as the scene before it has it; `None` if the line is no move.
fn last_move<'a>(scene: &'a Scene, line: &[u8]) -> Option<&'a scene::Move> {
    match Line::parse(line) {
        Ok(Line::Moved(moved)) => scene.find_move(&moved.mv),
        _ => None,
    }
}

/// Who sits where, and what was agreed.
pub(super) fn write_spec(out: &mut dyn Write, spec: &MatchSpec) -> io::Result<()> {
    writeln!(out, "{}", clean(&spec.game))?;
    for entry in &spec.seats {
        let (label, name, player) =
            (clean(&entry.label), clean(&entry.name), clean(&entry.player.to_string()));
        if name == player {
            writeln!(out, "  {label}: {name}")?;
        } else {
            writeln!(out, "  {label}: {name} ({player})")?;
        }
    }
    if let Some(opening) = spec.start.as_ref().and_then(|start| start.opening.as_ref()) {
        writeln!(out, "  opening: {}", clean(opening))?;
    }
    let number = spec.number.map(|number| format!("game {number}, ")).unwrap_or_default();
    writeln!(out, "  {number}time {}, conduct {}, seed {}", spec.time, spec.conduct, spec.seed.0)
}

fn write_step(out: &mut dyn Write, step: Step, line: &[u8], replay: &dyn AnyReplay) -> anyhow::Result<()> {
    let spec = &replay.header().spec;
    let who = |seat| clean(&spec.who(seat));
    // The line was found right a moment ago, so it can be read again.
    let line = Line::parse(line).map_err(|problem| anyhow!("{problem}"))?;
    match (step, line) {
        (Step::Moved(seat), Line::Moved(moved)) => {
            let time = moved.ms.map(|ms| format!(" ({ms} ms)")).unwrap_or_default();
            writeln!(out, "\n{} plays {}{time}", who(seat), moved.mv)?;
            Shown::now(replay).write(out)?;
        }
        (Step::Said(seat), Line::Said(said)) => writeln!(out, "\n{} says: {}", who(seat), clean(&said.text))?,
        (Step::Resigned(seat), _) => writeln!(out, "\n{} resigns", who(seat))?,
        (Step::TakenBack(seat), Line::TakenBack(back)) => {
            writeln!(out, "\n{} takes moves back; {} left", who(seat), moves(back.to))?;
            Shown::now(replay).write(out)?;
        }
        (Step::Drawn, _) => writeln!(out, "\nthe players agree on a draw")?,
        (Step::Adjudicated, _) => writeln!(out, "\nthe result is proved, and the match ends here")?,
        (Step::Fouled(seat), Line::Fouled(foul)) => {
            let offence =
                rookery_referee::Offence::ALL.into_iter().find(|other| other.word() == foul.offence);
            let what = offence.map(|offence| words::offence(offence, &foul.evidence)).unwrap_or_default();
            writeln!(out, "\n{} {} ({})", who(seat), clean(&what), foul.ruling)?;
        }
        (Step::Stopped, Line::Stopped(stopped)) => writeln!(out, "\nstopped: {}", clean(&stopped.note))?,
        _ => {}
    }
    Ok(out.flush()?)
}

fn moves(plies: u64) -> String {
    if plies == 1 { "1 move".to_owned() } else { format!("{plies} moves") }
}

/// The state of a record in one line.
pub(super) fn how_it_ended(summary: &Summary, who: Who<'_>) -> String {
    match &summary.verdict {
        Some(verdict) => verdict_line(verdict, who),
        None if summary.torn_bytes > 0 => {
            format!("unfinished after {}, with a torn last line", moves(summary.plies))
        }
        None => format!("unfinished after {}", moves(summary.plies)),
    }
}

/// How a match ended, in one line.
pub(super) fn verdict_line(verdict: &Verdict, who: Who<'_>) -> String {
    let scores = verdict.outcome.as_ref().map(|outcome| {
        let scores: Vec<_> = outcome.scores.as_slice().iter().map(i32::to_string).collect();
        format!(", scores {}", scores.join(" "))
    });
    let (cause, plies) = (verdict.ending.cause, moves(verdict.plies));
    let sentence = clean(&words::verdict(verdict, who));
    format!("{cause} after {plies}: {sentence}{}", scores.unwrap_or_default())
}

fn report<'a>(spec: &'a MatchSpec, summary: &Summary, shown: Shown) -> Report<'a> {
    let verdict = summary.verdict.as_ref().map(|verdict| {
        let outcome = verdict.outcome.as_ref();
        VerdictReport {
            ending: verdict.ending.cause.word(),
            sentence: spec.sentence(verdict),
            winners: outcome.map(|outcome| outcome.winners.iter().map(Seat::index).collect()),
            scores: outcome.map(|outcome| outcome.scores.as_slice().to_vec()),
        }
    });
    let Shown { ply, text, .. } = shown;
    Report { spec, plies: summary.plies, ply, position: text, finished: verdict.is_some(), verdict }
}
