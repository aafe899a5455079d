//! `rookery ratings --people`: Glicko-2 over the games that people play outside of tournaments.

use std::io::Write;
use std::process::ExitCode;

use rookery_arena::people;
use rookery_rules::text::clean;
use rookery_store::{Rating, Store, StoredRating};
use serde_json::json;

use super::ratings::{all_of, same_bits};
use crate::store_args::StoreArgs;

/// Half of the 95 % interval, in deviations.
const INTERVAL: f64 = 1.96;

/// Rates everybody anew and keeps that, or only compares with what is kept.
pub(super) fn run(
    args: &StoreArgs,
    recompute: bool,
    as_json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    args.expect_there()?;
    let store = if recompute { args.read()? } else { args.write()? };
    let now = if recompute { people::ratings(&store)? } else { people::update(&store)? };
    let mut differ = 0;
    let mut all = vec![];
    for (game, rows) in &now {
        let stored = all_of(&store, &people::pool(game))?;
        let same = is_same(rows, &stored);
        differ += u64::from(!same);
        all.push(json!({"game": game, "same": same, "players": players(&stored)}));
        if !as_json {
            write_table(game, same, &stored, out)?;
        }
    }
    differ += forgotten(&store, &now.keys().map(|game| people::pool(game)).collect::<Vec<_>>())?;
    if as_json {
        writeln!(out, "{:#}", json!({"people": all}))?;
    } else if all.is_empty() {
        writeln!(out, "nobody is rated: no person has played under a name of their own")?;
    }
    Ok(if differ > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// How many pools of people are kept that no game speaks for.
fn forgotten(store: &Store, known: &[String]) -> anyhow::Result<u64> {
    let pools = store.rating_pools()?;
    let prefix = people::pool("");
    Ok(pools.iter().filter(|pool| pool.starts_with(&prefix) && !known.contains(pool)).count() as u64)
}

fn is_same(now: &[Rating], stored: &[StoredRating]) -> bool {
    now.len() == stored.len() && now.iter().all(|row| same_bits(row, people::METHOD, stored))
}

fn players(stored: &[StoredRating]) -> Vec<serde_json::Value> {
    let number = |row: &StoredRating, idx: usize| row.rating.numbers.get(idx).copied();
    let row = |row: &StoredRating| {
        json!({"name": row.name, "rating": number(row, 0), "deviation": number(row, 1),
               "volatility": number(row, 2), "games": row.rating.n_games})
    };
    stored.iter().map(row).collect()
}

fn write_table(game: &str, same: bool, stored: &[StoredRating], out: &mut dyn Write) -> anyhow::Result<()> {
    let word = if same { "" } else { ": NOT what the games say" };
    writeln!(out, "{}{word}", clean(game))?;
    for row in stored {
        let [rating, deviation, ..] = row.rating.numbers[..] else { continue };
        let rating = format!("{rating:.0} ± {:.0}", INTERVAL * deviation);
        writeln!(out, "  {:32.32} {rating:>18}  {:>7} games", clean(&row.name), row.rating.n_games)?;
    }
    Ok(())
}
