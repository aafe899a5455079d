//! `rookery verify`: whether records are right.

use std::fs;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail};
use rookery_record::{Problem, RecordError, Summary, open_record};
use rookery_terminal::clean;
use serde::Serialize;

use super::replay::how_it_ended;
use super::write_json;

/// Check match records: every move, every ruling, the verdict and the hash
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Records, or directories with files named *.rookery.jsonl in them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Demand that every match has come to its end: an unfinished record fails
    #[arg(long)]
    finished: bool,

    /// How many threads work [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery verify game.rookery.jsonl
  rookery verify games --finished
  rookery verify games --json

Exit codes: 0 all are right, or right as far as they go; 1 one is wrong, or with --finished unfinished.";

#[derive(Serialize)]
struct Report {
    records: usize,
    finished: usize,
    unfinished: Vec<Unfinished>,
    bad: Vec<Bad>,
    moves: u64,
    seconds: f64,
    records_per_second: f64,
}

#[derive(Serialize)]
struct Unfinished {
    file: String,
    plies: u64,
    torn: bool,
}

#[derive(Serialize)]
struct Bad {
    file: String,
    line: u64,
    problem: String,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let files = records(&args.files)?;
    let clock = Instant::now();
    let n_threads = args.threads.map_or_else(cores, usize::from);
    let results = for_each(&files, n_threads, |path| verify_file(path));
    let seconds = clock.elapsed().as_secs_f64();

    let report = Report::new(&files, &results, seconds);
    if args.json {
        write_json(out, &report)?;
    } else {
        for (path, result) in files.iter().zip(&results) {
            let name = clean(&path.display().to_string());
            match result {
                Ok(summary) if summary.verdict.is_some() => {}
                Ok(summary) => {
                    let number = |seat: rookery_rules::Seat| format!("seat {}", seat.index());
                    writeln!(out, "{name}: {}", how_it_ended(summary, &number))?;
                }
                Err(error) => writeln!(out, "{name}: {}", clean(&error.to_string()))?,
            }
        }
        let Report { records, finished, unfinished, bad, moves, records_per_second, .. } = &report;
        let (unfinished, bad) = (unfinished.len(), bad.len());
        writeln!(
            out,
            "{records} checked: {finished} right, {unfinished} unfinished, {bad} wrong; {moves} moves; \
             {records_per_second:.0} records/s"
        )?;
    }
    if !report.bad.is_empty() {
        bail!("{} of {} failed", report.bad.len(), report.records);
    }
    if args.finished && !report.unfinished.is_empty() {
        bail!("{} of {} are unfinished", report.unfinished.len(), report.records);
    }
    Ok(())
}

impl Report {
    fn new(files: &[PathBuf], results: &[Result<Summary, RecordError>], seconds: f64) -> Self {
        let (mut finished, mut unfinished, mut bad, mut moves) = (0, vec![], vec![], 0);
        for (path, result) in files.iter().zip(results) {
            let file = path.display().to_string();
            match result {
                Ok(summary) => {
                    moves += summary.plies;
                    if summary.verdict.is_some() {
                        finished += 1;
                    } else {
                        let torn = summary.torn_bytes > 0;
                        unfinished.push(Unfinished { file, plies: summary.plies, torn });
                    }
                }
                Err(RecordError { line, problem }) => {
                    bad.push(Bad { file, line: *line, problem: problem.to_string() });
                }
            }
        }
        let (records, records_per_second) = (files.len(), files.len() as f64 / seconds.max(1e-9));
        Self { records, finished, unfinished, bad, moves, seconds, records_per_second }
    }
}

/// The records that are named on a command line, also by their directories.
pub(super) fn records(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for path in paths {
        if path.is_dir() { collect(path, &mut files)? } else { files.push(path.clone()) }
    }
    if files.is_empty() {
        bail!("there is no record; expected files named *.rookery.jsonl in the directories given");
    }
    Ok(files)
}

/// All records in a directory and those below, in the order of their names. Links to directories are not followed.
fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let context = || format!("{}: the directory cannot be read", dir.display());
    let mut entries =
        fs::read_dir(dir).and_then(Iterator::collect::<Result<Vec<_>, _>>).with_context(context)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type().with_context(context)?.is_dir() {
            collect(&entry.path(), files)?;
        } else if entry.file_name().to_string_lossy().ends_with(".rookery.jsonl") {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// What becomes of each, in their order. Every thread takes the next one that nobody has taken.
pub(super) fn for_each<T: Sync, R: Send>(
    items: &[T],
    n_threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = vec![];
        loop {
            let idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(idx) else { break done };
            done.push((idx, work(item)));
        }
    };
    let mut results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads.min(items.len())).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("verifying does not panic")).collect()
    });
    results.sort_by_key(|&(idx, _)| idx);
    results.into_iter().map(|(_, result)| result).collect()
}

/// How many threads work unless told.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn verify_file(path: &Path) -> Result<Summary, RecordError> {
    let file = open_record(path).map_err(|error| RecordError { line: 1, problem: Problem::Io(error) })?;
    rookery_live::verify(BufReader::new(file))
}
