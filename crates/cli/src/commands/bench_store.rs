//! `rookery bench store`: what storing games and reading lists of them takes, on both engines.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use comfy_table::{Table, presets};
use rookery_rules::text::clean;
use rookery_server::ladders::Ladders;
use rookery_store::bench::{CommitFigures, PageFigures, checks, commits, fill, pages};
use rookery_store::{Durability, GameFilter, Location, Options, Store, StoreError, TournamentFilter};
use serde::Serialize;

use super::bench::{seconds, write_table};
use super::write_json;
use crate::spec::{CheckedSpec, UsageError};

#[derive(Debug, clap::Args)]
pub(super) struct StoreBenchArgs {
    /// Where the file of SQLite is made, and removed again: on the disk that is to be measured
    #[arg(long, value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// Measure this database of PostgreSQL as well; it must be empty, and is not afterwards
    #[arg(long, value_name = "URL", env = "ROOKERY_POSTGRES", hide_env_values = true)]
    postgres: Option<String>,

    /// Games in the store whose pages are measured
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// Which game is stored
    #[arg(long, value_name = "GAME-SPEC", default_value = "hexapawn")]
    game: CheckedSpec,

    /// Seconds for each figure of storing and checking
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// A figure of an engine: what it is called, and how it is shown.
type Figure<'a> = (&'a str, &'a dyn Fn(&Row) -> String);

#[derive(Serialize)]
struct Row {
    engine: &'static str,
    games: u64,
    /// Games stored a second at full durability: many in a commit, and each in one of its own.
    grouped_per_second: f64,
    bare_per_second: f64,
    open_ms: f64,
    list_ms: f64,
    entrant_ms: f64,
    ratings_ms: f64,
    count_ms: f64,
    results_ms: f64,
    /// The ladder of the page: read from all games after a start, and when it is asked for again.
    first_ladder_ms: f64,
    ladder_ms: f64,
    /// Games looked at a second, by their hashes, and by the rules as well.
    checked_per_second: f64,
    judged_per_second: f64,
}

pub(super) fn run(args: &StoreBenchArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut rows = vec![];
    if let Some(url) = &args.postgres {
        // The one that may be refused comes first.
        rows.push(measure("PostgreSQL", &empty(url)?, args)?);
    }
    let folder = Scratch::new(&args.folder)?;
    let file = folder.0.join("bench.db");
    let file = file.to_str().ok_or_else(|| UsageError("--folder: expected a path in UTF-8".to_owned()))?;
    rows.insert(0, measure("SQLite", file, args)?);
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once("").chain(rows.iter().map(|row| row.engine)));
    let per_second = |number: f64| format!("{number:.0}");
    let ms = |number: f64| format!("{number:.1}");
    let figures: [Figure<'_>; 13] = [
        ("games stored/s, many in a commit", &|row| per_second(row.grouped_per_second)),
        ("games stored/s, each in its own commit", &|row| per_second(row.bare_per_second)),
        ("games in the store", &|row| row.games.to_string()),
        ("opening it, ms", &|row| ms(row.open_ms)),
        ("a page of games, ms", &|row| ms(row.list_ms)),
        ("a page of an entrant's games, ms", &|row| ms(row.entrant_ms)),
        ("a page of ratings, ms", &|row| ms(row.ratings_ms)),
        ("counting the games, ms", &|row| ms(row.count_ms)),
        ("all results of a tournament, ms", &|row| ms(row.results_ms)),
        ("the ladder after a start, ms", &|row| ms(row.first_ladder_ms)),
        ("the ladder from then on, ms", &|row| ms(row.ladder_ms)),
        ("games checked/s", &|row| per_second(row.checked_per_second)),
        ("games judged again/s", &|row| per_second(row.judged_per_second)),
    ];
    for (title, figure) in figures {
        table.add_row(std::iter::once(title.to_owned()).chain(rows.iter().map(figure)));
    }
    write_table(table, out)
}

/// The database, if nothing is in it that could be mixed with what is measured.
fn empty(url: &str) -> anyhow::Result<String> {
    let location: Location = url.parse()?;
    if !matches!(location, Location::Postgres(_)) {
        return Err(UsageError("--postgres: expected a postgres:// URL".to_owned()).into());
    }
    let store = Store::open(url, &Options::default())?;
    let is_used = store.n_games(&GameFilter::default())? > 0
        || !store.tournaments(&TournamentFilter::default(), rookery_store::Page::default())?.is_empty();
    if is_used {
        let place = clean(&location.to_string());
        return Err(UsageError(format!("{place}: there are games already; name an empty database")).into());
    }
    Ok(url.to_owned())
}

fn measure(engine: &'static str, location: &str, args: &StoreBenchArgs) -> Result<Row, StoreError> {
    let each = Duration::from_secs_f64(args.seconds);
    let CommitFigures { grouped, bare } = commits(location, &args.game.text, each)?;
    // Only filling it need not survive a power cut.
    let unsafe_options = Options { durability: Durability::Unsafe, ..Options::default() };
    let tournament = fill(location, &args.game.text, args.games, &unsafe_options)?;
    let PageFigures { games, open, list, entrant, ratings, count, results } = pages(location, tournament)?;
    let [first_ladder, ladder] = ladders(location, args.game.game.name())?;
    let [checked_per_second, judged_per_second] = checks(location, each)?;
    let ms = |time: Duration| 1e3 * time.as_secs_f64();
    Ok(Row {
        engine,
        games,
        grouped_per_second: grouped,
        bare_per_second: bare,
        open_ms: ms(open),
        list_ms: ms(list),
        entrant_ms: ms(entrant),
        ratings_ms: ms(ratings),
        count_ms: ms(count),
        results_ms: ms(results),
        first_ladder_ms: ms(first_ladder),
        ladder_ms: ms(ladder),
        checked_per_second,
        judged_per_second,
    })
}

/// How long the ratings of the page take that are read from all games, and those that were read before.
fn ladders(location: &str, game: &'static str) -> Result<[Duration; 2], StoreError> {
    let store = Store::open(location, &Options::read_only())?;
    let ladders = Ladders::default();
    let begin = Instant::now();
    ladders.wait(&store, Duration::MAX)?;
    let first = begin.elapsed();
    let begin = Instant::now();
    ladders.get(&store, game)?.0.ranked();
    Ok([first, begin.elapsed()])
}

/// A folder that is gone afterwards.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new(beside: &Path) -> std::io::Result<Self> {
        let folder = beside.join(format!("rookery-bench-{}", std::process::id()));
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is a file to be found, and no figure is wrong by it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
