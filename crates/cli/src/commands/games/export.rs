//! `rookery games export`: records of stored games as files.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use rookery_record::{SUFFIX, create_folder};
use rookery_rules::text::clean;
use rookery_store::{GameId, Store, StoreError};
use serde::Serialize;

use super::filter::{FilterArgs, stored_games};
use crate::commands::write_json;
use crate::new_file::{New, write_new};
use crate::spec::UsageError;
use crate::store_args::StoreArgs;

/// Write the records of stored games into files, byte for byte
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A folder, made if there is none; or for one game a file named *.rookery.jsonl
    #[arg(value_name = "DIR|FILE")]
    place: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    filter: FilterArgs,

    /// Only this game; may be given again for more
    #[arg(long, value_name = "ID", conflicts_with_all = ["tournament", "entrant", "game", "cause"])]
    id: Vec<GameId>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery games export records
  rookery games export records --entrant mine --cause crashed
  rookery games export game.rookery.jsonl --id 3v0k8q2m5x7c --store club.db

Nothing that exists is overwritten. What cannot be written is named, and the others are.
Exit codes: 0 done, 1 some were not written, 65 some are damaged, 74 the disk fails.";

#[derive(Serialize)]
struct Report {
    written: u64,
    /// Files that were there already, with the same bytes.
    known: u64,
    failed: Vec<Failed>,
}

#[derive(Serialize)]
struct Failed {
    id: String,
    reason: String,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let store = args.store.read()?;
    let is_file = args.place.to_string_lossy().ends_with(SUFFIX) && !args.place.is_dir();
    if is_file {
        let id = only_game(args, &store)?;
        return write_report(args, export([Ok(id)].into_iter(), &store, |_| args.place.clone()), out);
    }
    create_folder(&args.place)?;
    let path = |id: GameId| args.place.join(format!("{id}{SUFFIX}"));
    let exported = if args.id.is_empty() {
        let games = stored_games(&store, args.filter.filter(&store)?, None);
        export(games.map(|game| Ok(game?.id)), &store, path)
    } else {
        export(args.id.iter().map(|id| Ok(*id)), &store, path)
    };
    write_report(args, exported, out)
}

/// The game that is to become a file.
fn only_game(args: &Args, store: &Store) -> anyhow::Result<GameId> {
    let mut ids = args.id.clone();
    if ids.is_empty() {
        let games = stored_games(store, args.filter.filter(store)?, None).take(2);
        ids = games.map(|game| Ok(game?.id)).collect::<Result<_, StoreError>>()?;
    }
    match ids[..] {
        [id] => Ok(id),
        [] => bail!("no stored game is like that"),
        _ => Err(UsageError("one file takes one game; name a folder, or the game by --id".to_owned()).into()),
    }
}

/// Writes the records. What is damaged is told, and the others are written.
fn export(
    ids: impl Iterator<Item = Result<GameId, StoreError>>,
    store: &Store,
    path: impl Fn(GameId) -> PathBuf,
) -> anyhow::Result<(Report, Option<StoreError>)> {
    let mut report = Report { written: 0, known: 0, failed: vec![] };
    let mut damage = None;
    for id in ids {
        let id = id?;
        let record = match store.record(id) {
            Ok(record) => record,
            Err(error @ (StoreError::Damaged { .. } | StoreError::Unknown { .. })) => {
                report.failed.push(Failed { id: id.to_string(), reason: error.to_string() });
                damage = damage.or(Some(error));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let path = path(id);
        let name = || clean(&path.display().to_string());
        match write_new(&path, &record).with_context(|| format!("{}: it cannot be written", name()))? {
            New::Written => report.written += 1,
            New::Known => report.known += 1,
            New::Other => {
                let reason = format!("{}: something else is there; it stays as it is", name());
                report.failed.push(Failed { id: id.to_string(), reason });
            }
        }
    }
    Ok((report, damage))
}

fn write_report(
    args: &Args,
    exported: anyhow::Result<(Report, Option<StoreError>)>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (report, damage) = exported?;
    if args.json {
        write_json(out, &report)?;
    } else {
        for Failed { id, reason } in &report.failed {
            writeln!(out, "{id}: {}", clean(reason))?;
        }
        let Report { written, known, failed } = &report;
        let (place, failed) = (clean(&args.place.display().to_string()), failed.len());
        writeln!(out, "{place}: {written} written, {known} there already, {failed} not written")?;
    }
    match damage {
        Some(damage) => Err(damage.into()),
        None if report.failed.is_empty() => Ok(()),
        None => bail!("{} were not written", report.failed.len()),
    }
}
