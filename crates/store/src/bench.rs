//! Figures of a store: what `rookery bench store` prints. Every function makes what it measures in a store of its own.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rookery_catalog::{Game, Visit, visit};
use rookery_record::{Key, random_record};
use rookery_rules::{GameSpec, Seed, Setup as _};
use rookery_tournament::{Entrant, Pairing, Reason};

use crate::{
    CheckOrder, EntrantKind, GameFilter, NewEntrant, NewGame, NewTournament, Options, Page, Rating, Receipt,
    Store, StoreError, Stored, TournamentId,
};

/// How many different records are stored over and over: what a game costs does not depend on its moves.
const RECORDS: u64 = 64;
/// How many games wait for their receipts at a time.
const IN_FLIGHT: usize = 256;

/// Games stored a second, both ways on the same disk in the same run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CommitFigures {
    /// With as many as gather in one commit.
    pub grouped: f64,
    /// Each in a commit of its own.
    pub bare: f64,
}

/// Stores games for about so long each way, at full durability, into a new store.
pub fn commits(location: &str, game: &str, each: Duration) -> Result<CommitFigures, StoreError> {
    let store = Store::open(location, &Options::default())?;
    let plan = Plan::new(&store, game)?;
    let mut numbers = 1..;
    let mut next = || plan.put(&store, numbers.next().unwrap_or_default());
    let (mut n_games, begin) = (0_u32, Instant::now());
    while begin.elapsed() < each {
        next().wait()?;
        n_games += 1;
    }
    let bare = f64::from(n_games) / begin.elapsed().as_secs_f64();
    let (mut n_games, begin) = (0_u32, Instant::now());
    let mut waiting = VecDeque::new();
    while begin.elapsed() < each {
        waiting.push_back(next());
        n_games += 1;
        if waiting.len() > IN_FLIGHT {
            waiting.pop_front().map_or(Ok(()), |receipt| receipt.wait().map(drop))?;
        }
    }
    waiting.into_iter().try_for_each(|receipt| receipt.wait().map(drop))?;
    let grouped = f64::from(n_games) / begin.elapsed().as_secs_f64();
    Ok(CommitFigures { grouped, bare })
}

/// How long the pages of a large store take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PageFigures {
    /// How many games it holds.
    pub games: u64,
    /// Opening it, with the look for damage.
    pub open: Duration,
    /// The first page of all games.
    pub list: Duration,
    /// The first page of one entrant's games.
    pub entrant: Duration,
    /// The first page of the ratings.
    pub ratings: Duration,
    /// How many games there are.
    pub count: Duration,
    /// All results of the tournament, one after the other.
    pub results: Duration,
}

/// Fills a new store with so many games, quickly: the durability is the caller's.
pub fn fill(location: &str, game: &str, n_games: u64, options: &Options) -> Result<TournamentId, StoreError> {
    let store = Store::open(location, options)?;
    let plan = Plan::new(&store, game)?;
    let mut waiting = VecDeque::new();
    for number in 1..=n_games {
        waiting.push_back(plan.put(&store, number));
        if waiting.len() > IN_FLIGHT {
            waiting.pop_front().map_or(Ok(()), |receipt| receipt.wait().map(drop))?;
        }
    }
    waiting.into_iter().try_for_each(|receipt| receipt.wait().map(drop))?;
    let rating = |(number, entrant): (u32, &crate::TournamentEntrant)| Rating {
        entrant: entrant.id,
        numbers: vec![1500.0 + f64::from(number), 30.0],
        n_games,
    };
    let entrants = store.tournament_entrants(plan.tournament)?;
    store.put_ratings(plan.tournament.as_str(), "bench", (0..).zip(&entrants).map(rating).collect())?;
    Ok(plan.tournament)
}

/// Measures the pages of a store that [`fill`] has made.
pub fn pages(location: &str, tournament: TournamentId) -> Result<PageFigures, StoreError> {
    let (store, open) = timed(|| Store::open(location, &Options::default()))?;
    let all = GameFilter::default();
    let (list, list_time) = timed(|| store.games(&all, Page::default()))?;
    let someone = list.first().and_then(|game| game.entrants.iter().flatten().next().copied());
    let of_one = GameFilter { entrant: someone, ..GameFilter::default() };
    let (_, entrant) = timed(|| store.games(&of_one, Page::default()))?;
    let (_, ratings) = timed(|| store.ratings(tournament.as_str(), Page::default()))?;
    let (games, count) = timed(|| store.n_games(&all))?;
    let ((), results) = timed(|| store.results(tournament)?.try_for_each(|result| result.map(drop)))?;
    Ok(PageFigures { games, open, list: list_time, entrant, ratings, count, results })
}

/// How many games a second a whole check looks at, and with the rules as well.
pub fn checks(location: &str, budget: Duration) -> Result<[f64; 2], StoreError> {
    let store = Store::open(location, &Options::read_only())?;
    let rate = |judge| {
        let (report, time) = timed(|| store.check(&CheckOrder { budget, judge, ..CheckOrder::default() }))?;
        Ok(report.games as f64 / time.as_secs_f64().max(1e-9))
    };
    Ok([rate(false)?, rate(true)?])
}

fn timed<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<(T, Duration), StoreError> {
    let begin = Instant::now();
    work().map(|value| (value, begin.elapsed()))
}

/// A tournament of two built-ins, and records for its games.
struct Plan {
    tournament: TournamentId,
    n_entrants: usize,
    records: Vec<Vec<u8>>,
}

impl Plan {
    fn new(store: &Store, game: &str) -> Result<Self, StoreError> {
        let records = (0..RECORDS).map(|seed| sample(game, Seed(seed))).collect::<Result<Vec<_>, _>>()?;
        let names = crate::facts::Facts::of_record(&records[0])?.spec.seats;
        let entrant = |name: String| NewEntrant {
            name,
            kind: EntrantKind::BuiltIn,
            player: "random".to_owned(),
            version: None,
        };
        let entrants: Vec<NewEntrant> = names.into_iter().map(|seat| entrant(seat.name)).collect();
        let spec = "{\"format\":\"bench\"}".to_owned();
        let n_entrants = entrants.len();
        let tournament = store.create_tournament(NewTournament { spec, seed: Seed(1), entrants })?;
        Ok(Self { tournament, n_entrants, records })
    }

    /// Stores a game as tournaments do: its pairing first, for whose receipt nobody waits.
    fn put(&self, store: &Store, number: u64) -> Receipt<Stored> {
        let pairing = Pairing {
            id: number,
            entrants: Entrant::all(self.n_entrants).collect(),
            block: number,
            start: number,
            round: None,
            reason: Reason::Group { round: 1, table: 1, of: 1 },
        };
        drop(store.submit_pairings(self.tournament, &[pairing]));
        let record = &self.records[(number % RECORDS) as usize];
        store.put_game(NewGame::of_pairing(self.tournament, Key::first(number), record.clone()))
    }
}

/// The record of a random match of this game spec.
fn sample(spec: &str, seed: Seed) -> Result<Vec<u8>, StoreError> {
    struct Sample<'a>(&'a GameSpec, Seed);

    impl Visit for Sample<'_> {
        type Out = Result<Vec<u8>, rookery_rules::SetupError>;
        fn visit<G: Game>(self) -> Self::Out {
            Ok(random_record(&G::Setup::from_spec(self.0)?, self.1))
        }
    }

    let refused = |error: rookery_rules::SetupError| StoreError::refused(error.to_string());
    let spec = GameSpec::parse(spec).map_err(refused)?;
    visit(&spec.game, Sample(&spec, seed)).and_then(|record| record).map_err(refused)
}
