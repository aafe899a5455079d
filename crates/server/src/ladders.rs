//! How strong everybody is in each game: Glicko-2 over all stored matches that count, in the order they were stored. What a
//! run has read is kept, and only what is new is read.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use rookery_ratings::glicko2::{Game, Rating, TAU};
use rookery_record::Header;
use rookery_referee::{MatchSpec, SeatEntry, SeatSpec};
use rookery_store::{EntrantId, GameFilter, Page, Store, StoreError, StoredGame};

/// With fewer games nobody has a rating.
pub const LEAST_GAMES: u64 = 10;
/// How many points of a history are kept; of a longer one every second.
const MOST_POINTS: usize = 256;
/// How many matches are read at a time.
const PAGE: u32 = 1000;
/// How many pages at most; older matches are left out.
const MOST_PAGES: usize = 300;
/// A normal variable lies within so many deviations 19 times out of 20.
const WITHIN: f64 = 1.96;

/// What is believed of somebody at some time.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Point {
    /// How many matches it had played.
    pub games: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The rating.
    pub rating: f64,
    /// The true strength lies so far around it, 19 times out of 20.
    pub error: f64,
}

crate::http::shape!(Point { games: u64, at_ms: i64, rating: f64, error: f64 });

/// Somebody on a ladder.
#[derive(Clone, Debug, Default)]
pub struct Climber {
    rating: Rating,
    /// How many matches count.
    pub games: u64,
    /// How it came to be.
    pub history: Vec<Point>,
    /// Every how many matches a point is kept.
    stride: u64,
}

impl Climber {
    /// The rating with its error, if enough was played.
    pub fn rated(&self) -> Option<Point> {
        self.history.last().copied().filter(|_| self.games >= LEAST_GAMES)
    }

    fn move_to(&mut self, rating: Rating, at_ms: i64) {
        self.rating = rating;
        self.games += 1;
        let point =
            Point { games: self.games, at_ms, rating: rating.rating, error: WITHIN * rating.deviation };
        let stride = self.stride.max(1);
        // The last point is always how it stands now.
        if self.history.len() > 1 && !(self.games - 1).is_multiple_of(stride) {
            self.history.pop();
        }
        self.history.push(point);
        if self.history.len() > MOST_POINTS {
            let mut number = 0;
            self.history.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride = 2 * stride;
        }
    }
}

/// The ladder of one game.
#[derive(Clone, Debug, Default)]
pub struct Ladder {
    last: u64,
    /// Everybody who has played a match that counts.
    pub climbers: HashMap<EntrantId, Climber>,
}

/// The ladders of all games.
#[derive(Debug, Default)]
pub struct Ladders(Mutex<HashMap<&'static str, Arc<Ladder>>>);

impl Ladders {
    /// The ladder of a game, up to date. Blocks while the store is asked.
    pub fn get(&self, store: &Store, game: &'static str) -> Result<Arc<Ladder>, StoreError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ladder = all.entry(game).or_default();
        let filter = GameFilter { game: Some(game.to_owned()), ..GameFilter::default() };
        let mut new: Vec<StoredGame> = vec![];
        let mut before = None;
        for _ in 0..MOST_PAGES {
            let page =
                store.games(&filter, Page { before, limit: if before.is_none() { 1 } else { PAGE } })?;
            let Some(first) = page.last().map(|game| game.seq) else { break };
            new.extend(page.into_iter().filter(|game| game.seq > ladder.last));
            if first <= ladder.last {
                break;
            }
            before = Some(first);
        }
        if !new.is_empty() {
            new.sort_unstable_by_key(|game| game.seq);
            let ladder = Arc::make_mut(ladder);
            for game in &new {
                ladder.last = game.seq;
                if counts(store, game) {
                    ladder.add(game);
                }
            }
        }
        Ok(Arc::clone(ladder))
    }
}

/// Whether a match says something about strength: everybody is known and plays under its own name, nobody twice, and nothing
/// could be taken back.
fn counts(store: &Store, game: &StoredGame) -> bool {
    let distinct: HashSet<_> = game.entrants.iter().flatten().collect();
    if game.outcome.is_none() || game.entrants.len() < 2 || distinct.len() < game.entrants.len() {
        return false;
    }
    if game.key.is_some() {
        return true;
    }
    let Ok(record) = store.record(game.id) else { return false };
    let first = record.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Ok(header) = Header::parse(first) else { return false };
    uncounted(&header.spec).is_none()
}

/// Why a match outside of tournaments does not count for ratings, whoever plays in it; nothing if it does.
pub fn uncounted(spec: &MatchSpec) -> Option<&'static str> {
    let is_another = |entry: &SeatEntry| match &entry.player {
        SeatSpec::BuiltIn(player) => entry.name != player.to_string(),
        _ => false,
    };
    let is_computer = |entry: &SeatEntry| matches!(entry.player, SeatSpec::BuiltIn(_));
    if spec.casual {
        Some("hints and take-backs are on")
    } else if spec.seats.iter().all(is_computer) {
        Some("only computers play")
    } else if spec.seats.iter().any(is_another) {
        Some("a computer plays twice, or under another name")
    } else if spec.start.is_some() {
        Some("it does not begin at the beginning")
    } else if !spec.limits.is_none() || spec.max_turns.is_some() {
        Some("it has limits of its own")
    } else {
        None
    }
}

impl Ladder {
    /// Counts a match: everybody against everybody else at the table, as they were before.
    fn add(&mut self, game: &StoredGame) {
        let Some(outcome) = &game.outcome else { return };
        let who: Vec<EntrantId> = game.entrants.iter().copied().flatten().collect();
        let before: Vec<Rating> = who
            .iter()
            .map(|id| self.climbers.get(id).map_or_else(Rating::default, |found| found.rating))
            .collect();
        let places = outcome.places();
        let places = places.as_slice();
        if places.len() != who.len() {
            return;
        }
        for (seat, id) in who.iter().enumerate() {
            let games: Vec<Game> = (0..who.len())
                .filter(|&other| other != seat)
                .map(|other| {
                    let score = match places[seat].cmp(&places[other]) {
                        std::cmp::Ordering::Less => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Greater => 0.0,
                    };
                    Game { opponent: before[other], score }
                })
                .collect();
            let after = before[seat].after(&games, TAU);
            self.climbers.entry(*id).or_default().move_to(after, game.finished_ms);
        }
    }

    /// Those who have a rating, the best first.
    pub fn ranked(&self) -> Vec<(EntrantId, Point)> {
        let mut all: Vec<(EntrantId, Point)> =
            self.climbers.iter().filter_map(|(id, climber)| Some((*id, climber.rated()?))).collect();
        all.sort_by(|(a, one), (b, other)| other.rating.total_cmp(&one.rating).then(a.0.cmp(&b.0)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_stays_short_and_ends_with_what_is_true_now() {
        let mut climber = Climber::default();
        for n in 1..=10_000 {
            let rating = Rating { rating: f64::from(n), ..Rating::default() };
            climber.move_to(rating, i64::from(n));
            assert_eq!(climber.history.last().map(|point| point.games), Some(n as u64));
        }
        assert!(climber.history.len() <= MOST_POINTS && climber.history.len() > MOST_POINTS / 4);
        assert!(climber.history.windows(2).all(|two| two[0].games < two[1].games));
        assert!(climber.rated().is_some_and(|point| (point.rating - 10_000.0).abs() < 0.5));
    }
}
