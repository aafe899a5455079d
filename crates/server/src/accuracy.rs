//! How near to perfect play somebody is: the moves whose worth is proved, of the matches that were looked at. Nobody waits for
//! it. Reviews that were asked for bring it along; the last matches of whoever is looked up are judged afterwards, one after
//! the other and in a short time each, and what was found is kept.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rookery_live::read_story;
use rookery_search::Stop;
use rookery_store::{EntrantId, GameId, Store, StoredGame};
use rookery_study::{Review, ReviewTime, review};
use serde::Serialize;

use crate::app::App;

/// What a match gets that nobody has asked a review of: what can be proved soon is, and the rest is left out.
const TIME: ReviewTime = ReviewTime { all: Duration::from_secs(1), each: Duration::from_millis(25) };
/// How many of somebody's last matches are judged.
const LAST: usize = 20;
/// The longest of them.
const MOST_PLIES: u64 = 200;
/// How many matches wait; who comes then finds them judged another time.
const MOST_WAITING: usize = 64;
/// Of how many matches it is kept.
const KEPT: usize = 4096;
/// With fewer moves there is nothing to say.
const LEAST_MOVES: u64 = 10;

/// How near to perfect play somebody is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct AccuracyData {
    /// As a review counts it, over the moves whose worth is proved.
    pub(crate) percent: f64,
    /// How many these are.
    pub(crate) moves: u64,
    /// In how many matches.
    pub(crate) games: u64,
}

crate::http::shape!(AccuracyData { percent: f64, moves: u64, games: u64 });

/// What one seat of a match had of the moves whose worth is proved.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Share {
    moves: u64,
    credit: f64,
}

#[derive(Debug, Default)]
struct Known {
    games: HashMap<GameId, Vec<Share>>,
    /// The oldest first.
    order: VecDeque<GameId>,
    waiting: VecDeque<GameId>,
    is_working: bool,
}

/// What is known of matches that were looked at.
#[derive(Clone, Debug, Default)]
pub struct Accuracies(Arc<Mutex<Known>>);

fn shares(review: &Review) -> Vec<Share> {
    let mut shares = vec![Share::default(); review.players.len()];
    for judged in review.moves.iter().filter(|judged| judged.proven) {
        if let Some(share) = shares.get_mut(judged.seat) {
            share.moves += 1;
            share.credit += f64::from(judged.credit());
        }
    }
    shares
}

impl Accuracies {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A match was reviewed. One that knows more than what is here takes its place.
    pub(crate) fn learn(&self, id: GameId, review: &Review) {
        self.keep(id, shares(review));
    }

    fn keep(&self, id: GameId, shares: Vec<Share>) {
        let moves = |shares: &[Share]| shares.iter().map(|share| share.moves).sum::<u64>();
        let mut known = self.known();
        match known.games.get(&id) {
            Some(before) if moves(before) >= moves(&shares) => return,
            Some(_) => {}
            None => known.order.push_back(id),
        }
        known.games.insert(id, shares);
        while known.order.len() > KEPT {
            if let Some(oldest) = known.order.pop_front() {
                known.games.remove(&oldest);
            }
        }
    }

    /// What is known of somebody now, from these matches, the latest first. Those that nobody has looked at are judged
    /// afterwards.
    pub(crate) fn of(&self, app: &Arc<App>, who: EntrantId, games: &[StoredGame]) -> Option<AccuracyData> {
        if self.want(games) {
            tokio::spawn(self.clone().work(Arc::clone(app)));
        }
        self.sum(who, games)
    }

    fn sum(&self, who: EntrantId, games: &[StoredGame]) -> Option<AccuracyData> {
        let known = self.known();
        let (mut all, mut n_games) = (Share::default(), 0);
        for game in games {
            let Some(shares) = known.games.get(&game.id) else { continue };
            let own = game.entrants.iter().zip(shares).filter(|(id, _)| **id == Some(who));
            let own = own.fold(Share::default(), |sum, (_, share)| Share {
                moves: sum.moves + share.moves,
                credit: sum.credit + share.credit,
            });
            n_games += u64::from(own.moves > 0);
            all = Share { moves: all.moves + own.moves, credit: all.credit + own.credit };
        }
        let percent = 100.0 * all.credit / all.moves.max(1) as f64;
        (all.moves >= LEAST_MOVES).then_some(AccuracyData { percent, moves: all.moves, games: n_games })
    }

    /// Lines up the last matches that nobody has looked at; says whether somebody has to begin with them.
    fn want(&self, games: &[StoredGame]) -> bool {
        let mut known = self.known();
        let waiting: HashSet<GameId> = known.waiting.iter().copied().collect();
        for game in games.iter().take(LAST).filter(|game| game.outcome.is_some() && game.plies <= MOST_PLIES)
        {
            let is_new = !known.games.contains_key(&game.id) && !waiting.contains(&game.id);
            if is_new && known.waiting.len() < MOST_WAITING {
                known.waiting.push_back(game.id);
            }
        }
        let begins = !known.is_working && !known.waiting.is_empty();
        known.is_working |= begins;
        begins
    }

    /// The next match; nothing once all are judged, and then somebody else begins anew.
    fn next(&self, closing: bool) -> Option<GameId> {
        let mut known = self.known();
        let next = known.waiting.pop_front().filter(|_| !closing);
        known.is_working = next.is_some();
        next
    }

    async fn work(self, app: Arc<App>) {
        while let Some(id) = self.next(is_closing(&app)) {
            // Reviews that somebody waits for come first.
            let place = app.reviewing.queue();
            let permit = match place {
                Ok(place) => app.reviewing.turn(place).await,
                Err(_) => None,
            };
            let Some(permit) = permit else { continue };
            let (store, begin) = (app.hub.store().clone(), Instant::now());
            let judging = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                shares_of(&store, id)
            });
            // Whatever cannot be judged is not tried again.
            self.keep(id, judging.await.unwrap_or_default());
            // At most half of the time: this machine has games to play.
            tokio::time::sleep(begin.elapsed()).await;
        }
    }
}

/// Whether all is about to stop.
fn is_closing(app: &App) -> bool {
    *app.closing.borrow()
}

fn shares_of(store: &Store, id: GameId) -> Vec<Share> {
    let played = store.record(id).ok().and_then(|lines| read_story(&lines[..]).ok());
    let reviewed = played.and_then(|played| review(&played, TIME, &Stop::default(), &|_, _| {}));
    reviewed.map(|review| shares(&review)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: usize) -> GameId {
        format!("{n:012}").parse().expect("it is an id")
    }

    #[test]
    fn what_knows_more_stays_and_the_oldest_goes() {
        let all = Accuracies::default();
        let share = |moves| vec![Share { moves, credit: 1.0 }];
        all.keep(id(0), share(5));
        all.keep(id(0), share(3));
        assert_eq!(all.known().games[&id(0)], share(5));
        all.keep(id(0), share(9));
        assert_eq!(all.known().games[&id(0)], share(9));
        for n in 1..=KEPT {
            all.keep(id(n), share(1));
        }
        let known = all.known();
        assert!(!known.games.contains_key(&id(0)) && known.games.len() == KEPT && known.order.len() == KEPT);
    }

    #[test]
    fn one_works_at_a_time_and_the_next_begins_anew() {
        let all = Accuracies::default();
        all.known().waiting.push_back(id(1));
        assert!(all.want(&[]), "somebody has to begin");
        assert!(!all.want(&[]), "and does");
        assert_eq!((all.next(false), all.next(false)), (Some(id(1)), None));
        all.known().waiting.push_back(id(2));
        assert!(all.want(&[]), "whoever was done has gone");
        assert_eq!(all.next(true), None, "nobody begins where all is about to stop");
    }
}
