//! `rookery db`: looking after a store.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use rookery_rules::text::clean;
use rookery_store::{BadGame, CheckOrder, CheckReport, Location, SCHEMA_VERSION, Store, StoreError, restore};
use serde::Serialize;

use super::write_json;
use crate::store_args::StoreArgs;

/// Look after a store: check it, back it up, bring a backup back, bring it up to date
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery db check --store club.db
  rookery db backup club-monday.db --store club.db")]
pub(crate) struct Args {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// Look for damage: the file, every row, the record of every game, and that none is missing
    #[command(after_help = "\
Examples:
  rookery db check
  rookery db check --store club.db --judge
  rookery db check --quick --seconds 10 --json

Exit codes: 0 nothing is wrong, 1 there is no store, 65 the store is damaged or of another version, 74 the disk fails.")]
    Check(CheckArgs),
    /// Write a backup into a new file, also while other programs use the store
    #[command(after_help = "\
Examples:
  rookery db backup backups/monday.db
  rookery db backup monday.db --store postgres://localhost/club

The backup is a file of SQLite, whatever the store is, and is checked before it gets its name.
Exit codes: 0 done, 1 failed, 65 the store is damaged or of another version, 74 the disk fails or is full.")]
    Backup {
        /// A file that does not exist yet
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Put a backup in the place of a store
    #[command(after_help = "\
Examples:
  rookery db restore monday.db --store club.db
  rookery db restore monday.db --store postgres://localhost/empty

The backup is checked first. A file that is in its place is kept beside it as FILE.before-restore; a database must be
empty.
Exit codes: 0 done, 1 failed, 65 the backup is damaged, 74 the disk fails or is full, 75 the store is in use.")]
    Restore {
        /// A file that `rookery db backup` wrote
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Bring the tables of an older store up to date, after a copy
    #[command(after_help = "\
Examples:
  rookery db migrate --store club.db

What was there before is kept beside it as FILE.version-N. Whoever opens an older store to write does the same.
Exit codes: 0 done, 1 there is no store, 65 the store is damaged or of a later version, 74 the disk fails or is full, 75 the
store is in use.")]
    Migrate {
        #[command(flatten)]
        store: StoreArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    #[command(flatten)]
    store: StoreArgs,

    /// Judge every game again by the rules, too
    #[arg(long)]
    judge: bool,

    /// Do not compare every index with its table: shorter, and finds less
    #[arg(long)]
    quick: bool,

    /// Stop after this time, the latest games first [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What a program ends with that found damage (`sysexits.h` has it).
const DAMAGED: u8 = 65;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.deed {
        Deed::Check(args) => return check(args, out),
        Deed::Backup { file, store, json } => {
            let report = store.read()?.backup(file)?;
            write_copied("backed up", &clean(&file.display().to_string()), &report, *json, out)?;
        }
        Deed::Restore { file, store, json } => {
            let location = store.location();
            let report = restore(&location, file)?;
            let place = clean(&location.parse::<Location>()?.to_string());
            write_copied("restored", &place, &report, *json, out)?;
        }
        Deed::Migrate { store, json } => migrate(store, *json, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(args: &CheckArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let usual = CheckOrder::default();
    let budget = args.seconds.map_or(usual.budget, Duration::from_secs);
    let store = args.store.read()?;
    let report = store.check(&CheckOrder { budget, judge: args.judge, full: !args.quick, ..usual })?;
    if args.json {
        write_json(out, &CheckJson::new(&report))?;
    } else {
        write_check(store.location(), &report, args.judge, out)?;
    }
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(DAMAGED) })
}

fn write_check(
    location: &str,
    report: &CheckReport,
    judged: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let CheckReport { games, rows, complete, problems, bad } = report;
    for problem in problems {
        writeln!(out, "{}", clean(problem))?;
    }
    for BadGame { seq, id, why } in bad {
        writeln!(out, "game {} (number {seq}): {}", clean(id), clean(why))?;
    }
    let place = clean(location);
    let as_stored = if judged { "as it was stored and played by the rules" } else { "as it was stored" };
    match (report.is_good(), complete) {
        (true, true) => {
            writeln!(out, "{place}: {games} games and {rows} other rows looked at, each is {as_stored}")?;
        }
        (true, false) => writeln!(
            out,
            "{place}: {games} games and {rows} other rows looked at in this time, each is {as_stored}; there are more"
        )?,
        (false, _) => {
            writeln!(out, "{place}: damaged; {games} games looked at, {} of them bad", bad.len())?;
            writeln!(
                out,
                "`rookery games export DIR` saves what is good, `rookery db restore` brings back a backup"
            )?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct CheckJson<'a> {
    good: bool,
    games: u64,
    /// Of other tables.
    rows: u64,
    /// Whether everything was looked at.
    complete: bool,
    problems: &'a [String],
    bad: Vec<BadJson<'a>>,
}

#[derive(Serialize)]
struct BadJson<'a> {
    id: &'a str,
    seq: u64,
    reason: &'a str,
}

impl<'a> CheckJson<'a> {
    fn new(report: &'a CheckReport) -> Self {
        let bad = |BadGame { seq, id, why }: &'a BadGame| BadJson { id, seq: *seq, reason: why };
        Self {
            good: report.is_good(),
            games: report.games,
            rows: report.rows,
            complete: report.complete,
            problems: &report.problems,
            bad: report.bad.iter().map(bad).collect(),
        }
    }
}

fn write_copied(
    what: &str,
    place: &str,
    report: &CheckReport,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Copied<'a> {
        place: &'a str,
        games: u64,
    }
    let games = report.games;
    if json {
        return write_json(out, &Copied { place, games });
    }
    Ok(writeln!(out, "{place}: {what}, {games} games")?)
}

fn migrate(args: &StoreArgs, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Migrated {
        from: u32,
        to: u32,
    }
    args.expect_there()?;
    let from = match args.read() {
        Ok(_) => SCHEMA_VERSION,
        Err(error) => match error.downcast_ref() {
            Some(StoreError::Older { found, .. }) => *found,
            _ => return Err(error),
        },
    };
    let place: Location = args.location().parse()?;
    let place = clean(&place.to_string());
    if from != SCHEMA_VERSION {
        let store: Store = args.write()?;
        debug_assert_eq!(store.schema_version()?, SCHEMA_VERSION, "writing brings the tables up to date");
    }
    if json {
        return write_json(out, &Migrated { from, to: SCHEMA_VERSION });
    }
    if from == SCHEMA_VERSION {
        writeln!(out, "{place}: version {from} of the tables already; nothing to do")?;
    } else {
        writeln!(out, "{place}: version {SCHEMA_VERSION} of the tables, before it was {from}")?;
        if Path::new(&args.location()).is_file() {
            writeln!(out, "what was there before is beside it: {place}.version-{from}")?;
        }
    }
    Ok(())
}
