//! `rookery entrants`: who plays in the games of a store.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use rookery_rules::text::clean;
use rookery_store::{
    EntrantFilter, EntrantId, EntrantKind, GameFilter, Hash, Store, StoreError, StoredEntrant, Version,
};
use serde::{Deserialize, Serialize};

use super::games::{GameJson, expect_entrant, is_refusal, stored_games, write_games};
use super::write_json;
use crate::dates;
use crate::lists::{Column, limit, page, pages, write_json_list, write_table};
use crate::new_file::{read_json, write_new_json};
use crate::store_args::StoreArgs;

/// List the entrants of a store; show, export or import them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery entrants list --kind bot
  rookery entrants show mine --store club.db")]
pub(crate) struct Args {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// List entrants, the latest first
    #[command(after_help = "\
Examples:
  rookery entrants list
  rookery entrants list --kind bot --name team --json")]
    List(ListArgs),
    /// Show an entrant: its ratings, versions and last games
    #[command(after_help = "\
Examples:
  rookery entrants show mine
  rookery entrants show level:4 --store club.db --json")]
    Show {
        /// The name, in letters of either case
        name: String,
        #[command(flatten)]
        store: StoreArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write all entrants, with the hashes of their versions, into a file
    #[command(after_help = "Examples:\n  rookery entrants export entrants.json --store club.db")]
    Export {
        /// A new file
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Take in the entrants of such a file; those that are known stay as they are
    #[command(after_help = "Examples:\n  rookery entrants import entrants.json --store club.db")]
    Import {
        /// A file that `rookery entrants export` wrote
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    #[command(flatten)]
    store: StoreArgs,

    /// Only of this kind: person, bot or built-in
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<EntrantKind>,

    /// Only those whose name begins so
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    name: String,

    /// At most so many [default: 50; with --json all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Only those that came before the one with this number
    #[arg(long, value_name = "NUMBER")]
    before: Option<u64>,

    /// Print a list in JSON
    #[arg(long)]
    json: bool,
}

/// How many of its last games are shown with an entrant.
const LAST_GAMES: usize = 10;
/// The most bytes of a file of entrants.
const MAX_FILE: u64 = 256 << 20;

pub(super) fn kind(word: &str) -> Result<EntrantKind, String> {
    let kinds = [EntrantKind::Person, EntrantKind::Bot, EntrantKind::BuiltIn];
    let kind = kinds.into_iter().find(|kind| kind.word() == word);
    kind.ok_or_else(|| "expected person, bot or built-in".to_owned())
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.deed {
        Deed::List(args) => list(args, out),
        Deed::Show { name, store, json } => show(name, &store.read()?, *json, out),
        Deed::Export { file, store } => export(file, &store.read()?, out),
        Deed::Import { file, store, json } => import(file, store, *json, out),
    }
}

/// The entrants that are meant, the latest first.
fn entrants(
    store: &Store,
    filter: EntrantFilter,
    before: Option<u64>,
) -> impl Iterator<Item = Result<StoredEntrant, StoreError>> {
    pages(
        before,
        |entrant: &StoredEntrant| entrant.id.number() as u64,
        move |before| store.entrants(&filter, page(before)),
    )
}

fn list(args: &ListArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let store = args.store.read()?;
    let filter = EntrantFilter { kind: args.kind, prefix: args.name.clone() };
    let is_filtered = filter.kind.is_some() || !filter.prefix.is_empty() || args.before.is_some();
    let mut entrants = entrants(&store, filter, args.before);
    let limit = limit(args.limit, args.json);
    if args.json {
        return write_json_list(entrants.take(limit).map(|entrant| Ok(EntrantJson::new(&entrant?))), out);
    }
    let shown = entrants.by_ref().take(limit).collect::<Result<Vec<_>, _>>()?;
    let Some(last) = shown.last() else {
        let text = if is_filtered {
            "No entrant is like that."
        } else {
            "There are no entrants yet. `rookery tournament run` and `rookery games import`\n\
             bring some, with their games."
        };
        return Ok(writeln!(out, "{text}")?);
    };
    let columns =
        [Column::Right("number"), Column::Cut("name"), Column::Whole("kind"), Column::Whole("since")];
    let row = |entrant: &StoredEntrant| {
        let (number, since) = (entrant.id.number().to_string(), dates::day(entrant.created_ms));
        vec![number, entrant.name.clone(), entrant.kind.word().to_owned(), since]
    };
    write_table(&columns, &shown.iter().map(row).collect::<Vec<_>>(), out)?;
    if entrants.next().transpose()?.is_some() {
        writeln!(out, "\nThere are more; go on with --before {}.", last.id.number())?;
    }
    Ok(())
}

#[derive(Serialize)]
struct EntrantJson {
    number: i64,
    name: String,
    kind: &'static str,
    since: String,
}

impl EntrantJson {
    fn new(entrant: &StoredEntrant) -> Self {
        let StoredEntrant { id, name, kind, created_ms } = entrant;
        Self { number: id.number(), name: name.clone(), kind: kind.word(), since: dates::moment(*created_ms) }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    entrant: EntrantJson,
    games: u64,
    ratings: Vec<RatingJson>,
    versions: Vec<VersionJson>,
    last: Vec<GameJson>,
}

#[derive(Serialize)]
struct RatingJson {
    pool: String,
    method: String,
    place: u64,
    numbers: Vec<f64>,
    games: u64,
}

#[derive(Serialize)]
struct VersionJson {
    number: u64,
    sha256: String,
    note: String,
    bundle_bytes: Option<u64>,
    since: String,
}

impl VersionJson {
    fn new(version: &Version) -> Self {
        Self {
            number: version.id,
            sha256: version.sha256.to_string(),
            note: version.note.clone(),
            bundle_bytes: version.bundle_bytes,
            since: dates::moment(version.created_ms),
        }
    }
}

fn show(name: &str, store: &Store, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let entrant = expect_entrant(store, name)?;
    let filter = GameFilter { entrant: Some(entrant.id), ..GameFilter::default() };
    let n_games = store.n_games(&filter)?;
    let last = stored_games(store, filter, None).take(LAST_GAMES).collect::<Result<Vec<_>, _>>()?;
    let ratings = ratings(store, entrant.id)?;
    let versions = versions(store, entrant.id)?;
    if json {
        let report = Report {
            entrant: EntrantJson::new(&entrant),
            games: n_games,
            ratings,
            versions: versions.iter().map(VersionJson::new).collect(),
            last: last.iter().map(GameJson::new).collect(),
        };
        return write_json(out, &report);
    }
    let since = dates::day(entrant.created_ms);
    writeln!(out, "{}: {}, known since {since}", clean(&entrant.name), entrant.kind.word())?;
    if !ratings.is_empty() {
        let columns = [
            Column::Cut("pool"),
            Column::Cut("method"),
            Column::Right("place"),
            Column::Right("rating"),
            Column::Right("games"),
        ];
        let row = |row: &RatingJson| {
            let rating = row.numbers.first().map_or_else(String::new, |number| format!("{number:.1}"));
            vec![row.pool.clone(), row.method.clone(), row.place.to_string(), rating, row.games.to_string()]
        };
        writeln!(out)?;
        write_table(&columns, &ratings.iter().map(row).collect::<Vec<_>>(), out)?;
    }
    if !versions.is_empty() {
        let columns =
            [Column::Right("version"), Column::Whole("since"), Column::Whole("SHA-256"), Column::Cut("note")];
        let row = |version: &Version| {
            let sha256 = version.sha256.to_string();
            vec![
                version.id.to_string(),
                dates::day(version.created_ms),
                sha256[..16].to_owned(),
                version.note.clone(),
            ]
        };
        writeln!(out)?;
        write_table(&columns, &versions.iter().map(row).collect::<Vec<_>>(), out)?;
    }
    if last.is_empty() {
        return Ok(writeln!(out, "\nIt has no games.")?);
    }
    writeln!(out, "\nThe last {} of {n_games} games:", last.len())?;
    write_games(&last, out)
}

/// What every pool says of an entrant.
fn ratings(store: &Store, entrant: EntrantId) -> Result<Vec<RatingJson>, StoreError> {
    let mut found = vec![];
    for pool in store.rating_pools()? {
        let mut before = 0;
        loop {
            let rows = store.ratings(&pool, page(Some(before)))?;
            if rows.is_empty() {
                break;
            }
            if let Some(idx) = rows.iter().position(|row| row.rating.entrant == entrant) {
                let row = &rows[idx];
                found.push(RatingJson {
                    pool,
                    method: row.method.clone(),
                    place: before + idx as u64 + 1,
                    numbers: row.rating.numbers.clone(),
                    games: row.rating.n_games,
                });
                break;
            }
            before += rows.len() as u64;
        }
    }
    Ok(found)
}

/// All versions of a bot, the latest first.
pub(super) fn versions(store: &Store, entrant: EntrantId) -> Result<Vec<Version>, StoreError> {
    pages(None, |version: &Version| version.id, |before| store.versions(entrant, page(before))).collect()
}

/// What is written of all entrants.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exported {
    version: u32,
    entrants: Vec<ExportedEntrant>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportedEntrant {
    name: String,
    kind: String,
    versions: Vec<ExportedVersion>,
}

/// A version of a bot: its hash and what its author says about it; its content is not exported.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportedVersion {
    sha256: String,
    note: String,
}

impl ExportedVersion {
    pub(super) fn new(version: &Version) -> Self {
        Self { sha256: version.sha256.to_string(), note: version.note.clone() }
    }

    /// Its number in this store, in which it is put if need be.
    pub(super) fn put(&self, store: &Store, entrant: EntrantId) -> Result<u64, StoreError> {
        let refused = || {
            StoreError::Refused(format!(
                "{:?} is no SHA-256; expected 64 digits and letters a to f",
                self.sha256
            ))
        };
        store.put_version(entrant, hash(&self.sha256).ok_or_else(refused)?, &self.note, None)
    }
}

/// A hash from its hexadecimal digits.
pub(super) fn hash(text: &str) -> Option<Hash> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    bytes.filter(|_| rest.is_empty())?.try_into().ok().map(Hash)
}

fn export(file: &Path, store: &Store, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut exported = Exported { version: 1, entrants: vec![] };
    for entrant in entrants(store, EntrantFilter::default(), None) {
        let StoredEntrant { id, name, kind, .. } = entrant?;
        let versions = versions(store, id)?;
        exported.entrants.push(ExportedEntrant {
            name,
            kind: kind.word().to_owned(),
            versions: versions.iter().rev().map(ExportedVersion::new).collect(),
        });
    }
    // The first one first, so that they come back in the same order.
    exported.entrants.reverse();
    write_new_json(file, &exported)?;
    Ok(writeln!(out, "{}: {} written", clean(&file.display().to_string()), exported.entrants.len())?)
}

#[derive(Serialize)]
struct ImportReport {
    imported: u64,
    known: u64,
    refused: Vec<RefusedEntrant>,
}

#[derive(Serialize)]
struct RefusedEntrant {
    name: String,
    reason: String,
}

fn import(file: &Path, store: &StoreArgs, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let Exported { version, entrants } = read_json(file, MAX_FILE)?;
    if version != 1 {
        bail!(
            "{}: it has version {version}, and this program reads version 1",
            clean(&file.display().to_string())
        );
    }
    let store = store.write()?;
    let mut report = ImportReport { imported: 0, known: 0, refused: vec![] };
    for ExportedEntrant { name, kind: word, versions } in entrants {
        let is_known = store.find_entrant(&name)?.is_some();
        let put = kind(&word).map_err(StoreError::Refused).and_then(|kind| {
            let id = store.entrant(&name, kind)?;
            versions.iter().try_for_each(|version| version.put(&store, id).map(drop))
        });
        match put {
            Ok(()) if is_known => report.known += 1,
            Ok(()) => report.imported += 1,
            Err(error) if is_refusal(&error) => {
                report.refused.push(RefusedEntrant { name, reason: error.to_string() });
            }
            Err(error) => return Err(error.into()),
        }
    }
    let ImportReport { imported, known, refused } = &report;
    if json {
        write_json(out, &report)?;
    } else {
        for RefusedEntrant { name, reason } in refused {
            writeln!(out, "{}: {}", clean(name), clean(reason))?;
        }
        writeln!(out, "{imported} taken in, {known} known already, {} refused", refused.len())?;
    }
    if refused.is_empty() { Ok(()) } else { bail!("{} were refused", refused.len()) }
}
