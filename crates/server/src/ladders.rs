//! How strong everybody is in each game: Glicko-2 over all stored matches that count, in the order they were stored. A thread
//! reads all of them once, from the first one on, while requests are answered with what it has read so far; from then on only
//! what is new is read. So the same store has the same ratings after each start.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rookery_ratings::glicko2::{Game, Rating, TAU};
use rookery_record::Header;
use rookery_referee::{MatchSpec, SeatEntry, SeatSpec};
use rookery_store::{EntrantId, GameFilter, Page, Store, StoreError, StoredGame};

use crate::hub::MOST_TURNS;

/// With fewer games nobody has a rating.
pub const LEAST_GAMES: u64 = 10;
/// How many points of a history are kept; of a longer one every second.
const MOST_POINTS: usize = 256;
/// How many matches are read at a time.
const PAGE: u32 = 1000;
/// How long after a reading has begun requests wait for its end: a page comes within a second. What is new is read much sooner;
/// only the first reading of a large store takes longer.
const PATIENCE: Duration = Duration::from_millis(700);
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
    /// Everybody who has played a match that counts.
    pub climbers: HashMap<EntrantId, Climber>,
}

/// The ladders of all games.
#[derive(Debug, Default)]
pub struct Ladders {
    shared: Arc<Shared>,
    /// The thread that reads, or the last one that did.
    reader: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    read: Mutex<Read>,
    /// More was read, or nobody reads any more.
    changed: Condvar,
}

/// What was read.
#[derive(Debug, Default)]
struct Read {
    ladders: HashMap<&'static str, Arc<Ladder>>,
    /// The number of the last match, of whatever game.
    last: u64,
    /// Since when somebody reads, if anybody does.
    since: Option<Instant>,
    /// Why the last reading ended before all was read.
    failed: Option<StoreError>,
    /// Nobody wants to know any more.
    is_over: bool,
}

impl Ladders {
    /// The ladder of a game, and whether it is up to date: not while much has to be read before. Blocks while the store is asked.
    pub fn get(&self, store: &Store, game: &'static str) -> Result<(Arc<Ladder>, bool), StoreError> {
        self.get_within(store, game, PATIENCE)
    }

    fn get_within(
        &self,
        store: &Store,
        game: &'static str,
        patience: Duration,
    ) -> Result<(Arc<Ladder>, bool), StoreError> {
        let is_whole = self.wait(store, patience)?;
        Ok((self.shared.read().ladders.get(game).cloned().unwrap_or_default(), is_whole))
    }

    /// Begins to read, so that the first request need not wait for it.
    pub fn begin(&self, store: &Store) {
        self.begin_with(&mut self.shared.read(), store);
    }

    /// Waits until all matches that are stored now are read, but no longer than this after the reading has begun; whether they
    /// are.
    pub fn wait(&self, store: &Store, patience: Duration) -> Result<bool, StoreError> {
        let newest = store.games(&GameFilter::default(), Page { before: None, limit: 1 })?;
        let newest = newest.first().map_or(0, |game| game.seq);
        self.wait_for(newest, patience, &|read| self.begin_with(read, store))
    }

    /// The same until this match is read, however reading is begun.
    fn wait_for(
        &self,
        newest: u64,
        patience: Duration,
        begin: &dyn Fn(&mut Read),
    ) -> Result<bool, StoreError> {
        let (mut has_begun, asked) = (false, Instant::now());
        let mut read = self.shared.read();
        while read.last < newest {
            if read.since.is_none() {
                match read.failed.take() {
                    // Another reading may go on where an earlier one has failed.
                    Some(error) if has_begun => return Err(error),
                    _ => has_begun = true,
                }
                begin(&mut read);
            }
            let waited = read.since.map_or(patience, |since| since.elapsed());
            let left = patience.saturating_sub(waited.max(asked.elapsed()));
            if left.is_zero() {
                return Ok(false);
            }
            let waiting = self.shared.changed.wait_timeout(read, left);
            read = waiting.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(true)
    }

    fn begin_with(&self, read: &mut Read, store: &Store) {
        if read.since.is_some() {
            return;
        }
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        // It has read and only has to go.
        reader.take().map(JoinHandle::join);
        let (shared, store) = (Arc::clone(&self.shared), store.clone());
        *reader = Some(std::thread::spawn(move || {
            let _reading = Reading(&shared);
            let done = shared.read_on(&store);
            shared.read().failed = done.err();
        }));
        read.since = Some(Instant::now());
    }
}

impl Drop for Ladders {
    /// Nobody holds the store afterwards.
    fn drop(&mut self) {
        self.shared.read().is_over = true;
        let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Whoever reads has told why it failed, if it has.
        reader.take().map(JoinHandle::join);
    }
}

/// Somebody reads, until this is dropped.
struct Reading<'a>(&'a Shared);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.read().since = None;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn read(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads matches, the earliest first, until there are no more.
    fn read_on(&self, store: &Store) -> Result<(), StoreError> {
        let mut last = self.read().last;
        loop {
            let page = store.games_after(&GameFilter::default(), last, PAGE)?;
            let Some(latest) = page.last() else { return Ok(()) };
            last = latest.seq;
            let mut counted = Vec::with_capacity(page.len());
            for game in page {
                if counts(store, &game)? {
                    counted.push(game);
                }
            }
            let mut read = self.read();
            for game in &counted {
                let name = game.spec.split(':').next().unwrap_or_default();
                // What is not played any more has no ladder.
                if let Ok(known) = rookery_catalog::game(name) {
                    Arc::make_mut(read.ladders.entry(known.name()).or_default()).add(game);
                }
            }
            read.last = last;
            if read.is_over {
                return Ok(());
            }
            drop(read);
            self.changed.notify_all();
        }
    }
}

/// Whether a match says something about strength: everybody is known and plays under its own name, nobody twice, and nothing
/// could be taken back.
fn counts(store: &Store, game: &StoredGame) -> Result<bool, StoreError> {
    let distinct: HashSet<_> = game.entrants.iter().flatten().collect();
    if game.outcome.is_none() || game.entrants.len() < 2 || distinct.len() < game.entrants.len() {
        return Ok(false);
    }
    if game.key.is_some() {
        return Ok(true);
    }
    let record = match store.record(game.id) {
        Ok(record) => record,
        // What is damaged stays so; another failure would make other ratings than the same matches after the next start.
        Err(StoreError::Damaged { .. } | StoreError::Unknown { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    let first = record.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok(Header::parse(first).is_ok_and(|header| uncounted(&header.spec).is_none()))
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
    } else if !spec.limits.is_none() || spec.max_turns.is_some_and(|turns| turns != MOST_TURNS) {
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
    use rookery_record::Key;
    use rookery_store::bench::fill;
    use rookery_store::{Durability, NewGame, Options, Reserve};
    use rookery_testkit::TempFolder;

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

    /// A store of a tournament with so many games.
    fn filled(folder: &TempFolder, n_games: u64) -> Store {
        let place = folder.join("games.db").to_str().expect("a name in UTF-8").to_owned();
        let reserve = Reserve { bytes: 0, percent: 0 };
        let options =
            Options { durability: Durability::Unsafe, ballast: 1 << 20, reserve, ..Options::default() };
        fill(&place, "hexapawn:rows=3,cols=3", n_games, &options).expect("games are stored");
        Store::open(&place, &options).expect("it opens")
    }

    /// What is believed of everybody in Hexapawn, to the last bit.
    fn believed(ladders: &Ladders) -> Vec<(i64, u64, u64)> {
        let read = ladders.shared.read();
        let climbers = read.ladders.get("hexapawn").map(|ladder| ladder.climbers.iter());
        let bits = |(id, climber): (&EntrantId, &Climber)| {
            (id.number(), climber.games, climber.rating.rating.to_bits())
        };
        let mut all: Vec<_> = climbers.into_iter().flatten().map(bits).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn ratings_are_those_of_all_games_whenever_they_were_read() {
        let folder = TempFolder::new("ladders");
        let store = filled(&folder, 2 * u64::from(PAGE) + 500);
        let (soon, late) = (Ladders::default(), Ladders::default());
        soon.wait(&store, Duration::MAX).expect("it can be read");
        let first = believed(&soon);
        assert!(first.iter().all(|(_, games, _)| *games == 2 * u64::from(PAGE) + 500), "{first:?}");
        // More of the same tournament.
        let game =
            store.games(&GameFilter::default(), Page { before: None, limit: 1 }).expect("a game").remove(0);
        let record = store.record(game.id).expect("its record");
        let tournament = game.key.expect("of a tournament").tournament;
        for pairing in 10_000..10_300 {
            let game = NewGame::of_pairing(tournament, Key::first(pairing), record.clone());
            store.put_game(game).wait().expect("it is stored");
        }
        soon.wait(&store, Duration::MAX).expect("it can be read");
        late.wait(&store, Duration::MAX).expect("it can be read");
        assert_eq!(believed(&soon), believed(&late));
        assert_ne!(believed(&soon), first);
        // One by one, in the order in which they were stored.
        let mut ladder = Ladder::default();
        for seq in 0..late.shared.read().last {
            let next = store.games_after(&GameFilter::default(), seq, 1).expect("a game");
            for game in &next {
                ladder.add(game);
            }
        }
        let again = Ladders::default();
        again.shared.read().ladders.insert("hexapawn", Arc::new(ladder));
        assert_eq!(believed(&again), believed(&late));
    }

    #[test]
    fn while_much_is_read_requests_are_answered_with_what_is_there() {
        let folder = TempFolder::new("ladders-busy");
        let store = filled(&folder, 20);
        let ladders = Ladders::default();
        // Somebody has been reading for longer than anybody waits.
        ladders.shared.read().since = Instant::now().checked_sub(2 * PATIENCE);
        let asked = Instant::now();
        let (shown, is_whole) = ladders.get(&store, "hexapawn").expect("it can be read");
        assert!(shown.climbers.is_empty() && !is_whole);
        assert!(asked.elapsed() < Duration::from_secs(30), "nobody waits for it");
        ladders.shared.read().since = None;
        // However slow the machine is.
        let all = ladders.get_within(&store, "hexapawn", Duration::MAX).expect("it can be read");
        let (shown, is_whole) = all;
        assert!(shown.climbers.values().all(|climber| climber.games == 20) && shown.climbers.len() == 2);
        assert!(is_whole);
    }

    #[test]
    fn a_store_that_cannot_be_read_is_told_and_tried_again() {
        let folder = TempFolder::new("ladders-failed");
        let store = filled(&folder, 20);
        let ladders = Ladders::default();
        let busy = || Some(StoreError::Busy("games.db".to_owned()));
        // What failed before anybody asked is tried again, and whoever asks hears nothing of it.
        ladders.shared.read().failed = busy();
        let (shown, _) = ladders.get_within(&store, "hexapawn", Duration::MAX).expect("it is read anew");
        assert_eq!(shown.climbers.len(), 2);
        // What fails while somebody waits for it is told.
        let ladders = Ladders::default();
        let failing = |read: &mut Read| {
            read.since = Some(Instant::now());
            let shared = Arc::clone(&ladders.shared);
            std::thread::spawn(move || {
                let _reading = Reading(&shared);
                shared.read().failed = busy();
            });
        };
        let told = ladders.wait_for(1, Duration::MAX, &failing).expect_err("it cannot be read");
        assert!(matches!(told, StoreError::Busy(_)), "{told}");
        let (shown, is_whole) =
            ladders.get_within(&store, "hexapawn", Duration::MAX).expect("it is read anew");
        assert!(is_whole && shown.climbers.len() == 2);
    }
}
