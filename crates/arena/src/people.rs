//! Ratings of people, who change: Glicko-2 over the games of a store, one pool for each game.

use std::collections::{BTreeMap, BTreeSet};

use rookery_ratings::glicko2::{Players, TAU};
use rookery_store::{
    EntrantFilter, EntrantId, EntrantKind, GameFilter, Page, Rating, Store, StoreError, StoredGame,
};

/// How many rows are read at a time.
const PAGE: u32 = 1000;

/// How these ratings are made, with the version of the computation.
pub const METHOD: &str = "rookery-people-1 glicko-2 tau=0.5";

/// The name under which the ratings of a game are kept.
pub fn pool(game: &str) -> String {
    format!("people {game}")
}

/// The ratings of everybody who has played with a person, by the name of the game: rating, deviation, volatility. From the
/// games alone, in the order in which they were stored, each of them a period for those who played it. Tournaments have
/// ratings of their own and do not count here.
pub fn ratings(store: &Store) -> Result<BTreeMap<String, Vec<Rating>>, StoreError> {
    let mut played: BTreeMap<u64, StoredGame> = BTreeMap::new();
    for person in people(store)? {
        let filter = GameFilter { entrant: Some(person), ..GameFilter::default() };
        let mut before = None;
        loop {
            let games = store.games(&filter, Page { before, limit: PAGE })?;
            let Some(last) = games.last() else { break };
            before = Some(last.seq);
            played.extend(games.into_iter().filter(counts).map(|game| (game.seq, game)));
        }
    }
    let mut pools: BTreeMap<String, Players<EntrantId>> = BTreeMap::new();
    for game in played.into_values() {
        let name = game.spec.split(':').next().unwrap_or_default().to_owned();
        pools.entry(name).or_default().add(&places(&game), TAU);
    }
    let rows =
        |players: Players<EntrantId>| {
            let row = |(entrant, rating, n_games): (EntrantId, rookery_ratings::glicko2::Rating, u64)| {
                Rating { entrant, numbers: vec![rating.rating, rating.deviation, rating.volatility], n_games }
            };
            players.all().map(row).collect()
        };
    Ok(pools.into_iter().map(|(name, players)| (name, rows(players))).collect())
}

/// Computes all of them, and keeps them in the store.
pub fn update(store: &Store) -> Result<BTreeMap<String, Vec<Rating>>, StoreError> {
    let all = ratings(store)?;
    for (game, rows) in &all {
        store.put_ratings(&pool(game), METHOD, rows.clone())?;
    }
    Ok(all)
}

fn people(store: &Store) -> Result<BTreeSet<EntrantId>, StoreError> {
    let filter = EntrantFilter { kind: Some(EntrantKind::Person), ..EntrantFilter::default() };
    let mut people = BTreeSet::new();
    let mut before = None;
    loop {
        let page = store.entrants(&filter, Page { before, limit: PAGE })?;
        let Some(last) = page.last() else { return Ok(people) };
        before = u64::try_from(last.id.number()).ok();
        people.extend(page.iter().map(|entrant| entrant.id));
    }
}

/// Free games with a result, between at least two who have a name of their own.
fn counts(game: &StoredGame) -> bool {
    let known: BTreeSet<EntrantId> = game.entrants.iter().copied().flatten().collect();
    let has_winner = game.outcome.as_ref().is_some_and(|outcome| !outcome.winners.is_empty());
    game.key.is_none() && has_winner && known.len() > 1
}

/// Who came where; guests are nobody that could be rated.
fn places(game: &StoredGame) -> Vec<(EntrantId, usize)> {
    let Some(outcome) = &game.outcome else { return vec![] };
    let places = outcome.places();
    game.entrants.iter().zip(places.as_slice()).filter_map(|(who, &place)| Some(((*who)?, place))).collect()
}
