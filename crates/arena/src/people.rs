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

/// The ratings of a pool, computed from games.
#[derive(Clone, Default, Debug)]
pub struct Rated {
    /// Everybody's.
    pub rows: Vec<Rating>,
    /// How many games of the pool came later and are not in them.
    pub later: u64,
}

/// The ratings of everybody who has played with a person, by the name of the game: rating, deviation, volatility. From the
/// games alone, in the order in which they were stored, each of them a period for those who played it. Tournaments have
/// ratings of their own and do not count here.
pub fn ratings(store: &Store) -> Result<BTreeMap<String, Vec<Rating>>, StoreError> {
    let all = ratings_of_first(store, &BTreeMap::new())?;
    Ok(all.into_iter().map(|(name, rated)| (name, rated.rows)).collect())
}

/// The same, but of these pools only from the first games: until everybody's games make this sum. What is stored can so be
/// computed again from the games it was made of, also when more were played since.
pub fn ratings_of_first(
    store: &Store,
    sums: &BTreeMap<String, u64>,
) -> Result<BTreeMap<String, Rated>, StoreError> {
    let people = people(store)?;
    let is_of_people = |game: &&StoredGame| game.entrants.iter().flatten().any(|who| people.contains(who));
    let mut pools: BTreeMap<String, Pool> = BTreeMap::new();
    let mut last = 0;
    // However many there are: no more than a page of them is kept.
    while !people.is_empty() {
        let games = store.games_after(&GameFilter::default(), last, PAGE)?;
        let Some(end) = games.last() else { break };
        last = end.seq;
        for game in games.iter().filter(|game| counts(game)).filter(is_of_people) {
            let name = game.spec.split(':').next().unwrap_or_default().to_owned();
            let sum = sums.get(&name).copied();
            pools.entry(name).or_default().add(game, sum);
        }
    }
    Ok(pools.into_iter().map(|(name, pool)| (name, pool.rated())).collect())
}

/// A pool while games are added to it.
#[derive(Default)]
struct Pool {
    players: Players<EntrantId>,
    /// Everybody's games, summed.
    sum: u64,
    later: u64,
}

impl Pool {
    fn add(&mut self, game: &StoredGame, most: Option<u64>) {
        if most.is_some_and(|most| self.sum >= most) {
            self.later += 1;
            return;
        }
        let places = places(game);
        self.sum += places.len() as u64;
        self.players.add(&places, TAU);
    }

    fn rated(self) -> Rated {
        let row = |(entrant, rating, n_games): (EntrantId, rookery_ratings::glicko2::Rating, u64)| Rating {
            entrant,
            numbers: vec![rating.rating, rating.deviation, rating.volatility],
            n_games,
        };
        Rated { rows: self.players.all().map(row).collect(), later: self.later }
    }
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
