//! `rookery games list`: the games of a store.

use std::io::Write;

use rookery_rules::Seat;
use rookery_rules::text::clean;
use rookery_store::{GameFilter, Store, StoredGame};
use serde::Serialize;

use super::filter::{FilterArgs, stored_games};
use crate::dates;
use crate::lists::{Column, limit, write_json_list, write_table};
use crate::store_args::StoreArgs;

/// List stored games, the latest first
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    filter: FilterArgs,

    /// At most so many [default: 50; with --json all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Only games that were stored before the one with this number
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,

    /// Print a list in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery games list
  rookery games list --entrant mine --cause timeout
  rookery games list --store club.db --game fish --limit 20 --json

Exit codes: 0 done, 1 failed, 65 the store is damaged or of another version, 74 the disk fails.";

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let store = args.store.read()?;
    let mut games = stored_games(&store, args.filter.filter(&store)?, args.before);
    let limit = limit(args.limit, args.json);
    if args.json {
        let games = games.take(limit);
        return write_json_list(games.map(|game| Ok(GameJson::new(&game?))), out);
    }
    let shown = games.by_ref().take(limit).collect::<Result<Vec<_>, _>>()?;
    let Some(last) = shown.last() else { return write_nothing(args, &store, out) };
    write_games(&shown, out)?;
    if games.next().transpose()?.is_some() {
        writeln!(out, "\nThere are more; go on with --before {}.", last.seq)?;
    }
    Ok(())
}

fn write_nothing(args: &Args, store: &Store, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.filter.is_none() && store.n_games(&GameFilter::default())? == 0 {
        let place = clean(store.location());
        writeln!(out, "There are no games in {place} yet. `rookery tournament run` plays some, and")?;
        writeln!(out, "`rookery games import` takes in records of games.")?;
    } else {
        writeln!(out, "No stored game is like that.")?;
    }
    Ok(())
}

/// A table of games. Whoever won has a star.
pub(in crate::commands) fn write_games(games: &[StoredGame], out: &mut dyn Write) -> anyhow::Result<()> {
    let columns = [
        Column::Whole("id"),
        Column::Whole("date"),
        Column::Cut("game"),
        Column::Cut("players (* has won)"),
        Column::Whole("end"),
        Column::Right("moves"),
    ];
    let row = |game: &StoredGame| {
        let has_won = |idx: usize| {
            game.outcome.as_ref().is_some_and(|outcome| outcome.winners.contains(Seat::new(idx as u8)))
        };
        let names = game.names.iter().enumerate();
        let names: Vec<String> =
            names.map(|(idx, name)| format!("{name}{}", if has_won(idx) { "*" } else { "" })).collect();
        vec![
            game.id.to_string(),
            dates::day(game.finished_ms),
            game.spec.clone(),
            names.join(", "),
            game.cause.word().to_owned(),
            game.plies.to_string(),
        ]
    };
    Ok(write_table(&columns, &games.iter().map(row).collect::<Vec<_>>(), out)?)
}

/// A stored game for programs.
#[derive(Serialize)]
pub(in crate::commands) struct GameJson {
    id: String,
    seq: u64,
    tournament: Option<String>,
    pairing: Option<u64>,
    attempt: Option<u32>,
    game: String,
    names: Vec<String>,
    /// `null` if the game was aborted and does not count.
    winners: Option<Vec<usize>>,
    scores: Option<Vec<i32>>,
    cause: &'static str,
    failed: Vec<u8>,
    plies: u64,
    stored: String,
    sha256: String,
}

impl GameJson {
    pub(in crate::commands) fn new(game: &StoredGame) -> Self {
        let outcome = game.outcome.as_ref();
        Self {
            id: game.id.to_string(),
            seq: game.seq,
            tournament: game.key.map(|key| key.tournament.to_string()),
            pairing: game.key.map(|key| key.key.pairing),
            attempt: game.key.map(|key| key.key.attempt),
            game: game.spec.clone(),
            names: game.names.clone(),
            winners: outcome.map(|outcome| outcome.winners.iter().map(Seat::index).collect()),
            scores: outcome.map(|outcome| outcome.scores.as_slice().to_vec()),
            cause: game.cause.word(),
            failed: game.failed.iter().map(|failed| failed.seat).collect(),
            plies: game.plies,
            stored: dates::moment(game.finished_ms),
            sha256: game.sha256.to_string(),
        }
    }
}
