//! `rookery tournaments export`: a tournament as a folder of files.
//!
//! `tournament.json` is what was agreed and who takes part, `pairings.jsonl` who met whom and why, `results.jsonl` how the
//! games ended, `records` has the record of every game with the bytes that are stored, `logs` what programs wrote to their
//! standard error.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use rookery_record::{Key, SUFFIX, create_folder};
use rookery_rules::Seat;
use rookery_rules::text::clean;
use rookery_store::{GameFilter, Store, StoredPairing, StoredResult, TournamentId};
use rookery_tournament::Change;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pairings;
use crate::commands::entrants::{ExportedVersion, versions};
use crate::commands::games::stored_games;
use crate::commands::write_json;
use crate::new_file::{New, write_new, write_new_json};
use crate::store_args::StoreArgs;

/// Write a tournament into a folder: what was agreed, pairings, results and the record of every game
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The tournament, as `rookery tournaments list` names it
    id: TournamentId,

    /// A new or empty folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery tournaments export 3v0k8q2m5x7c friday
  rookery tournaments export 3v0k8q2m5x7c friday --store club.db --json

docs/store-commands.md says what the files hold. Ratings are not among them: they follow from the games.
Exit codes: 0 done, 1 failed, 65 the store is damaged or of another version, 74 the disk fails.";

/// The version of the format.
pub(super) const VERSION: u32 = 1;
/// The files.
pub(super) const TOURNAMENT: &str = "tournament.json";
pub(super) const PAIRINGS: &str = "pairings.jsonl";
const RESULTS: &str = "results.jsonl";
pub(super) const RECORDS: &str = "records";
pub(super) const LOGS: &str = "logs";

/// What `tournament.json` holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exported {
    pub(super) version: u32,
    pub(super) id: String,
    pub(super) state: String,
    /// Text, because many readers of JSON lose digits.
    pub(super) seed: String,
    /// In milliseconds since 1970.
    pub(super) created_ms: i64,
    pub(super) spec: Value,
    pub(super) entrants: Vec<ExportedEntrant>,
    pub(super) rounds: Vec<ExportedRound>,
    pub(super) changes: Vec<ExportedChange>,
}

/// An entrant of the tournament; the list has the order of their numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedEntrant {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) player: String,
    pub(super) present: bool,
    pub(super) bot: Option<ExportedVersion>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedRound {
    pub(super) number: u32,
    pub(super) note: String,
}

/// Somebody came or went.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedChange {
    pub(super) entrant: u32,
    pub(super) joins: bool,
    pub(super) from: u64,
}

/// A line of `pairings.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedPairing {
    pub(super) id: u64,
    pub(super) round: Option<u32>,
    pub(super) block: u64,
    pub(super) entrants: Vec<u32>,
    pub(super) reason: String,
    pub(super) state: String,
    pub(super) attempt: u32,
}

/// A line of `results.jsonl`: for people and other programs, an import judges the record.
#[derive(Serialize)]
struct ExportedResult {
    pairing: u64,
    attempt: u32,
    id: String,
    entrants: Vec<u32>,
    winners: Option<Vec<usize>>,
    scores: Option<Vec<i32>>,
    cause: &'static str,
    failed: Vec<u32>,
    record: String,
}

#[derive(Serialize)]
struct Report {
    tournament: String,
    pairings: u64,
    results: u64,
    records: u64,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (store, folder) = (args.store.read()?, &args.folder);
    let exported = exported(&store, args.id)?;
    create_folder(&folder.join(RECORDS))?;
    write_new_json(&folder.join(TOURNAMENT), &exported)?;
    let n_pairings =
        write_lines(&folder.join(PAIRINGS), pairings(&store, args.id).map(|row| Ok(pairing(row?))))?;
    let n_results = write_lines(&folder.join(RESULTS), store.results(args.id)?.map(|row| Ok(result(row?))))?;
    let n_records = write_records(&store, args.id, folder)?;
    let report = Report {
        tournament: args.id.to_string(),
        pairings: n_pairings,
        results: n_results,
        records: n_records,
    };
    if args.json {
        return write_json(out, &report);
    }
    let place = clean(&folder.display().to_string());
    Ok(writeln!(out, "{place}: {n_pairings} pairings, {n_results} results, {n_records} records")?)
}

fn exported(store: &Store, id: TournamentId) -> anyhow::Result<Exported> {
    let tournament = store.tournament(id)?;
    let spec = serde_json::from_str(&tournament.spec)
        .with_context(|| format!("tournament {id}: its spec cannot be read"))?;
    let mut entrants = vec![];
    for entrant in store.tournament_entrants(id)? {
        let kind = store.entrant_by_id(entrant.id)?.kind;
        let bot = match entrant.version {
            None => None,
            Some(number) => versions(store, entrant.id)?.into_iter().find(|version| version.id == number),
        };
        entrants.push(ExportedEntrant {
            name: entrant.name,
            kind: kind.word().to_owned(),
            player: entrant.player,
            present: entrant.present,
            bot: bot.as_ref().map(ExportedVersion::new),
        });
    }
    let rounds = store.rounds(id)?.into_iter();
    let changes = store.changes(id)?.into_iter().map(|change| match change {
        Change::Join { entrant, from } => ExportedChange { entrant: entrant.0, joins: true, from },
        Change::Leave { entrant, from } => ExportedChange { entrant: entrant.0, joins: false, from },
    });
    Ok(Exported {
        version: VERSION,
        id: id.to_string(),
        state: tournament.state.word().to_owned(),
        seed: tournament.seed.0.to_string(),
        created_ms: tournament.created_ms,
        spec,
        entrants,
        rounds: rounds.map(|round| ExportedRound { number: round.number, note: round.note }).collect(),
        changes: changes.collect(),
    })
}

fn pairing(row: StoredPairing) -> ExportedPairing {
    let StoredPairing { id, round, block, entrants, reason, state, attempt } = row;
    let entrants = entrants.into_iter().map(|entrant| entrant.0).collect();
    ExportedPairing { id, round, block, entrants, reason, state: state.word().to_owned(), attempt }
}

fn result(row: StoredResult) -> ExportedResult {
    let StoredResult { id, key, result } = row;
    let outcome = result.outcome.as_ref();
    ExportedResult {
        pairing: key.pairing,
        attempt: key.attempt,
        id: id.to_string(),
        entrants: result.entrants.iter().map(|entrant| entrant.0).collect(),
        winners: outcome.map(|outcome| outcome.winners.iter().map(Seat::index).collect()),
        scores: outcome.map(|outcome| outcome.scores.as_slice().to_vec()),
        cause: result.cause.word(),
        failed: result.failed.iter().map(|entrant| entrant.0).collect(),
        record: format!("{RECORDS}/{}", record_name(key)),
    }
}

/// The name of a record: pairing and attempt, in an order that sorts.
fn record_name(Key { pairing, attempt }: Key) -> String {
    format!("{pairing:06}-{attempt}{SUFFIX}")
}

/// Writes one value a line into a new file; how many.
fn write_lines<T: Serialize>(
    path: &Path,
    values: impl Iterator<Item = anyhow::Result<T>>,
) -> anyhow::Result<u64> {
    let name = || clean(&path.display().to_string());
    let file = File::create_new(path).with_context(|| format!("{}: name a new or empty folder", name()))?;
    let mut file = BufWriter::new(file);
    let mut n_lines = 0;
    for value in values {
        writeln!(file, "{}", serde_json::to_string(&value?)?).with_context(name)?;
        n_lines += 1;
    }
    file.flush().with_context(name)?;
    Ok(n_lines)
}

/// Writes the record of every attempt and what its programs said; how many records.
fn write_records(store: &Store, id: TournamentId, folder: &Path) -> anyhow::Result<u64> {
    let filter = GameFilter { tournament: Some(id), ..GameFilter::default() };
    let mut n_records = 0;
    for game in stored_games(store, filter, None) {
        let game = game?;
        let Some(key) = game.key.map(|key| key.key) else { continue };
        write_file(&folder.join(RECORDS).join(record_name(key)), &store.record(game.id)?)?;
        n_records += 1;
        for (seat, log) in store.logs(id, key)? {
            create_folder(&folder.join(LOGS))?;
            let name = format!("{:06}-{}-{seat}.log", key.pairing, key.attempt);
            write_file(&folder.join(LOGS).join(name), &log)?;
        }
    }
    Ok(n_records)
}

fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let name = || clean(&path.display().to_string());
    match write_new(path, bytes).with_context(name)? {
        New::Other => bail!("{}: something else is there; name a new or empty folder", name()),
        New::Written | New::Known => Ok(()),
    }
}
