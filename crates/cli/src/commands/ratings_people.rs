//! `rookery ratings --people`: Glicko-2 over the games that people play outside of tournaments.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use rookery_arena::people;
use rookery_rules::text::clean;
use rookery_store::{Rating, Store, StoredRating};
use serde_json::json;

use super::ratings::{Compared, all_of, same_bits};
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
    if !recompute {
        people::update(&store)?;
    }
    let pools = compare(&store)?;
    if as_json {
        let pool = |pool: &PeoplePool| {
            json!({"game": pool.game, "same": pool.compared.is_same(), "later": pool.later,
                   "players": players(&pool.stored)})
        };
        writeln!(out, "{:#}", json!({"people": pools.iter().map(pool).collect::<Vec<_>>()}))?;
    } else if pools.is_empty() {
        writeln!(out, "nobody is rated: no person has played under a name of their own")?;
    }
    for pool in pools.iter().filter(|_| !as_json) {
        write_table(pool, out)?;
    }
    let differs = pools.iter().any(|pool| pool.compared == Compared::Differs);
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What is kept of the people who play a game, beside what the games say.
pub(super) struct PeoplePool {
    pub(super) game: String,
    pub(super) stored: Vec<StoredRating>,
    pub(super) compared: Compared,
    /// How many games were played since.
    pub(super) later: u64,
}

impl PeoplePool {
    pub(super) fn words(&self) -> String {
        match (self.compared, self.later) {
            (Compared::NotSince, _) => "not rated yet".to_owned(),
            (Compared::Same, later @ 1..) => format!("as stored, {later} games ago"),
            (compared, _) => compared.words().to_owned(),
        }
    }
}

/// The game of a pool of people, if it is one.
pub(super) fn game_of(pool: &str) -> Option<&str> {
    pool.strip_prefix(&people::pool(""))
}

/// Compares all pools of people with the games they were made of. Games that came later are no difference.
pub(super) fn compare(store: &Store) -> anyhow::Result<Vec<PeoplePool>> {
    let mut kept: BTreeMap<String, Vec<StoredRating>> = BTreeMap::new();
    for pool in store.rating_pools()? {
        if let Some(game) = game_of(&pool) {
            kept.insert(game.to_owned(), all_of(store, &pool)?);
        }
    }
    let games =
        |stored: &[StoredRating]| stored.iter().map(|row| row.rating.n_games).fold(0, u64::saturating_add);
    let sums = kept.iter().map(|(game, stored)| (game.clone(), games(stored))).collect();
    let mut rated = people::ratings_of_first(store, &sums)?;
    // Of some there may be no game at all.
    for game in kept.keys().filter(|game| !rated.contains_key(*game)).cloned().collect::<Vec<_>>() {
        rated.insert(game, people::Rated::default());
    }
    let compared = |(game, people::Rated { rows, later }): (String, people::Rated)| {
        let stored = kept.remove(&game).unwrap_or_default();
        let compared = if stored.is_empty() {
            Compared::NotSince
        } else if is_same(&rows, &stored) {
            Compared::Same
        } else {
            Compared::Differs
        };
        PeoplePool { game, stored, compared, later }
    };
    Ok(rated.into_iter().map(compared).collect())
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

fn write_table(pool: &PeoplePool, out: &mut dyn Write) -> anyhow::Result<()> {
    let word = match pool.compared {
        Compared::Same if pool.later == 0 => String::new(),
        Compared::Differs => ": NOT what the games say".to_owned(),
        _ => format!(": {}", pool.words()),
    };
    writeln!(out, "{}{word}", clean(&pool.game))?;
    for row in &pool.stored {
        let [rating, deviation, ..] = row.rating.numbers[..] else { continue };
        let rating = format!("{rating:.0} ± {:.0}", INTERVAL * deviation);
        writeln!(out, "  {:32.32} {rating:>18}  {:>7} games", clean(&row.name), row.rating.n_games)?;
    }
    Ok(())
}
