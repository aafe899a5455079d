//! `rookery history`: the games you have played.

use std::fs::{self, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use comfy_table::{CellAlignment, Table, presets};
use rookery_catalog::game;
use rookery_live::Story;
use rookery_record::{SUFFIX, log_path, open_record};
use rookery_referee::SeatEntry;
use rookery_rules::text::clean;
use rookery_rules::{GameSpec, MAX_SEATS, Seat};
use rookery_terminal::results::{MatchResult, own_name};
use serde::Serialize;
use serde_json::Value;

use super::{play, review, write_json};
use crate::data_folder::{games_folder, newest_games};
use crate::dates;
use crate::spec::UsageError;
use crate::story::story;

/// List your games; resume, review or delete one
///
/// `rookery play` keeps a record of every game. An ID is the name of its file without `.rookery.jsonl`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  rookery history
  rookery history --game hexapawn --opponent level:4
  rookery history review hexapawn-12
  rookery history resume fish-3

Exit codes: 0 done, 1 failed, 2 the command line is wrong."
)]
pub(crate) struct Args {
    /// Only games of this name
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    /// Only games against this player, by its name or its spec
    #[arg(long, value_name = "PLAYER")]
    opponent: Option<String>,

    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,

    /// Print a list in JSON
    #[arg(long)]
    json: bool,

    #[command(subcommand)]
    deed: Option<Deed>,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// Go on with a game that is not over
    #[command(after_help = "Examples:\n  rookery history resume fish-3")]
    Resume {
        /// The name of its file, without `.rookery.jsonl`
        id: String,
    },
    /// Look back at a game: mistakes and what would have been better
    #[command(after_help = "Examples:\n  rookery history review hexapawn-12 --json")]
    Review {
        /// The name of its file, without `.rookery.jsonl`
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Delete the record of a game, and what its programs wrote to their standard error
    #[command(after_help = "Examples:\n  rookery history delete hexapawn-12")]
    Delete {
        /// The name of its file, without `.rookery.jsonl`
        id: String,
    },
}

/// The largest review that is read for the list.
const MOST_BYTES: u64 = 4 << 20;

/// One game of the list.
#[derive(Serialize)]
struct Row {
    id: String,
    game: String,
    /// Days since 1970 would be for programs; this is for both.
    date: String,
    /// Seats that a person had, from 0.
    seats: Vec<usize>,
    /// Everybody but the first person.
    opponents: Vec<String>,
    /// By what they are found: their names and what they are, with levels by their own names; and every name where persons
    /// played each other, since the list does not know whose it is.
    #[serde(skip)]
    called: Vec<String>,
    /// `won`, `lost`, `drawn`, `unfinished`, or `finished` where persons played each other.
    result: &'static str,
    moves: u64,
    /// In percent, once reviewed.
    accuracy: Option<f64>,
    record: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.deed {
        None => list(args, out).map(|()| ExitCode::SUCCESS),
        Some(Deed::Resume { id }) => play::run(&play::Args::going_on(find(id)?), out),
        Some(Deed::Review { id, json }) => review::run(&review::Args::new(find(id)?, *json), out),
        Some(Deed::Delete { id }) => {
            let path = find(id)?;
            // Held until the record is gone, so that nobody goes on with it meanwhile.
            let _lock = lock(id, &path)?;
            if let Some(kept) = review::kept_at(&path).filter(|kept| kept.exists()) {
                fs::remove_file(kept)?;
            }
            // A later game of this name has logs of its own.
            for log in (0..MAX_SEATS).map(|seat| log_path(&path, seat)).filter(|log| log.exists()) {
                fs::remove_file(log)?;
            }
            fs::remove_file(&path)?;
            writeln!(out, "deleted {}", clean(&path.display().to_string()))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The record of a game.
fn find(id: &str) -> Result<PathBuf, UsageError> {
    let is_name = !id.is_empty() && !id.contains(['/', '\\', '\0']) && !id.starts_with('.');
    let path = games_folder().join(format!("{id}{SUFFIX}"));
    if is_name && path.is_file() {
        return Ok(path);
    }
    let (id, folder) = (clean(id), clean(&games_folder().display().to_string()));
    Err(UsageError(format!("there is no game `{id}` in {folder}; `rookery history` lists them")))
}

/// Locks a record that is to be deleted, unless its match is still on somebody's screen.
fn lock(id: &str, path: &Path) -> anyhow::Result<fs::File> {
    let file = open_record(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let id = clean(id);
            Err(UsageError(format!("`{id}` is being played; leave the match first, then delete it")).into())
        }
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn list(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(wanted) = &args.game {
        // Only the name: a game of an older version may have had other keys.
        game(wanted.split(':').next().unwrap_or_default()).map_err(|error| UsageError(error.to_string()))?;
    }
    let rows = rows(args);
    if args.json {
        return write_json(out, &rows);
    }
    if rows.is_empty() {
        writeln!(out, "No games here. `rookery play` begins one.")?;
        return Ok(());
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["id", "date", "game", "against", "result", "moves", "accuracy"]);
    for row in &rows {
        table.add_row([
            clean(&row.id),
            row.date.clone(),
            clean(&row.game),
            clean(&row.opponents.join(", ")),
            row.result.to_owned(),
            row.moves.to_string(),
            row.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.0} %")),
        ]);
    }
    for column in table.column_iter_mut().skip(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    writeln!(out, "{table}")?;
    Ok(())
}

/// The games that fit, the newest first.
fn rows(args: &Args) -> Vec<Row> {
    // A record that cannot be read is nobody's game.
    let rows = newest_games().into_iter().filter_map(|(time, path)| Row::read(time, path));
    rows.filter(|row| args.fits(row)).take(args.limit as usize).collect()
}

impl Args {
    fn fits(&self, row: &Row) -> bool {
        let name = GameSpec::parse(&row.game).map(|spec| spec.game).unwrap_or_default();
        self.game.as_deref().is_none_or(|game| game == name || game == row.game)
            && self
                .opponent
                .as_ref()
                .is_none_or(|wanted| row.called.contains(wanted) || row.called.contains(&own_name(wanted)))
    }
}

impl Row {
    fn read(time: SystemTime, record: PathBuf) -> Option<Self> {
        let story = story(&record).ok()?;
        let spec = &story.spec;
        let is_person = |entry: &SeatEntry| entry.player.is_person();
        let seats: Vec<usize> = (0..spec.seats.len()).filter(|&idx| is_person(&spec.seats[idx])).collect();
        let you = seats.first().copied();
        let others = spec.seats.iter().enumerate().filter(|&(seat, _)| Some(seat) != you);
        let others: Vec<&SeatEntry> = others.map(|(_, entry)| entry).collect();
        let names = others.iter().map(|entry| entry.name.clone());
        let kinds = others.iter().map(|entry| own_name(&entry.player.to_string()));
        let persons = spec.seats.iter().filter(|entry| seats.len() > 1 && is_person(entry));
        let called = names.clone().chain(kinds).chain(persons.map(|entry| entry.name.clone())).collect();
        let accuracy = review::kept_at(&record).and_then(|path| accuracy(&path, &story, you?));
        Some(Self {
            id: record.file_name()?.to_str()?.strip_suffix(SUFFIX)?.to_owned(),
            game: spec.game.clone(),
            date: dates::day(dates::in_ms(time)),
            opponents: names.collect(),
            called,
            result: result(&story, &seats),
            moves: story.turns().count() as u64,
            accuracy,
            seats,
            record,
        })
    }
}

/// How a game ended for whoever sat at these seats.
fn result(story: &Story, seats: &[usize]) -> &'static str {
    let Some(verdict) = &story.verdict else { return "unfinished" };
    let Some(outcome) = &verdict.outcome else { return "aborted" };
    let &[seat] = seats else { return "finished" };
    let is_winner = outcome.winners.contains(Seat::new(seat as u8));
    MatchResult::of(is_winner, outcome.winners.len()).word()
}

/// What an earlier review has found for a seat; nothing if the match went on since, or went another way.
fn accuracy(path: &Path, story: &Story, seat: usize) -> Option<f64> {
    let text = fs::read(path).ok().filter(|text| text.len() as u64 <= MOST_BYTES)?;
    let review: Value = serde_json::from_slice(&text).ok()?;
    let reviewed = review["moves"].as_array()?.iter().map(|judged| judged["move"].as_str());
    if !reviewed.eq(story.turns().map(|turn| Some(turn.mv))) {
        return None;
    }
    review["players"].get(seat)?["accuracy"].as_f64()
}
