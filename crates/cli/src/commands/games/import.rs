//! `rookery games import`: records of files, each judged again before it counts.

use std::collections::HashSet;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use rookery_record::open_record;
use rookery_rules::text::clean;
use rookery_store::{GameFilter, Hash, MAX_RECORD, NewGame, Receipt, Store, StoreError, Stored};
use serde::Serialize;

use super::filter::stored_games;
use crate::commands::verify::{cores, for_each, records};
use crate::commands::write_json;
use crate::store_args::StoreArgs;

/// Take records of finished games into the store, each judged again
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Records, or directories with files named *.rookery.jsonl in them
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery games import game.rookery.jsonl
  rookery games import records --store club.db
  rookery games import records --json

The same record is stored once, however often it comes. What is refused is named, and the others are taken in.
Exit codes: 0 done, 1 some were refused, 65 the store is damaged or of another version, 74 the disk fails or is
full, 75 another program writes to the store.";

#[derive(Serialize)]
struct Report {
    imported: u64,
    /// Records that were stored before.
    known: u64,
    refused: Vec<Refused>,
}

/// A file that was not taken in.
#[derive(Serialize)]
pub(in crate::commands) struct Refused {
    pub(in crate::commands) file: String,
    pub(in crate::commands) reason: String,
}

impl Refused {
    pub(in crate::commands) fn new(path: &Path, reason: String) -> Self {
        Self { file: path.display().to_string(), reason }
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let files = records(&args.files)?;
    let store = args.store.write()?;
    let mut known = hashes(&store)?;
    let mut report = Report { imported: 0, known: 0, refused: vec![] };
    for files in batches(&files) {
        let mut waiting: Vec<(&Path, Receipt<Stored>)> = vec![];
        for (path, judged) in files.iter().zip(for_each(files, cores(), |path| judge(path))) {
            match judged {
                Ok(record) if !known.insert(Hash::of(&record)) => report.known += 1,
                Ok(record) => waiting.push((path, store.put_game(NewGame::free(record)))),
                Err(reason) => report.refused.push(Refused::new(path, reason)),
            }
        }
        for (path, receipt) in waiting {
            match receipt.wait() {
                Ok(Stored { is_new: true, .. }) => report.imported += 1,
                Ok(_) => report.known += 1,
                Err(error) if is_refusal(&error) => {
                    report.refused.push(Refused::new(path, error.to_string()));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    report.write(args.json, out)
}

impl Report {
    fn write(&self, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
        let Self { imported, known, refused } = self;
        if json {
            write_json(out, self)?;
        } else {
            for Refused { file, reason } in refused {
                writeln!(out, "{}: {}", clean(file), clean(reason))?;
            }
            writeln!(out, "{imported} taken in, {known} stored already, {} refused", refused.len())?;
        }
        if refused.is_empty() {
            return Ok(());
        }
        bail!("{} of {} were refused", refused.len(), imported + known + refused.len() as u64)
    }
}

/// Whether only this one cannot be stored, and others can.
pub(in crate::commands) fn is_refusal(error: &StoreError) -> bool {
    use StoreError::{Conflict, NameTaken, Refused, Stale, Unknown};
    matches!(error, Conflict { .. } | NameTaken { .. } | Refused(_) | Stale { .. } | Unknown { .. })
}

/// The records that are stored, also under other ids: a game of a tournament is the same game when its record comes again.
fn hashes(store: &Store) -> Result<HashSet<Hash>, StoreError> {
    stored_games(store, GameFilter::default(), None).map(|game| Ok(game?.sha256)).collect()
}

/// The most files that are read at a time, and how many bytes of them.
const BATCH: usize = 256;
const BATCH_BYTES: u64 = 64 << 20;

/// Files, a few at a time, so that they fit into memory.
pub(in crate::commands) fn batches(mut files: &[PathBuf]) -> impl Iterator<Item = &[PathBuf]> {
    std::iter::from_fn(move || {
        let mut n_bytes = 0;
        let fits = |path: &&PathBuf| {
            n_bytes += path.metadata().map_or(0, |found| found.len());
            n_bytes <= BATCH_BYTES
        };
        // One at least, however large it is: reading it is bounded.
        let n = files.iter().take(BATCH).take_while(fits).count();
        let (batch, rest) = files.split_at(n.max(1).min(files.len()));
        files = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

/// The bytes of a record, if it is one of a finished match that was played by the rules; else why not.
pub(in crate::commands) fn judge(path: &Path) -> Result<Vec<u8>, String> {
    let record = read(path).map_err(|error| format!("it cannot be read: {error}"))?;
    if record.len() > MAX_RECORD {
        return Err(format!("it has more than {MAX_RECORD} bytes; expected a record, which has fewer"));
    }
    match rookery_live::verify(&*record) {
        Ok(summary) if summary.verdict.is_some() && summary.torn_bytes == 0 => Ok(record),
        Ok(_) => Err("the match is not over; expected the record of a finished match".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A file, but for what is beyond the largest record.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    open_record(path)?.take(MAX_RECORD as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
