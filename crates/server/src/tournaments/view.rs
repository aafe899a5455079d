//! How a tournament stands, as pages and programs are shown it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rookery_arena::{ArenaError, Tournament};
use rookery_record::Key;
use rookery_report::{Context, Evaluation, RatingOptions, Ratings, Report};
use rookery_store::{GameId, GameKey, StoreError, StoredPairing, TournamentId, TournamentState, is_given_up};
use rookery_tournament::{GameResult, Plan, TournamentSpec};

use super::Tournaments;
use crate::http::ApiError;

/// How long a view is shown before it is made anew.
const FRESH: Duration = Duration::from_secs(1);
/// One that takes long to make is shown so many times as long.
const SPARED: u32 = 5;
/// The most pages of pairings that are read, of 1000 each.
const MOST_PAGES: usize = 20;

/// What is told instead of the seed until a tournament is over: the seeds of its games follow from it, and from them what its
/// computers will play.
const HIDDEN: &str = "hidden until the end";

/// A game that was played.
#[derive(Clone, Debug)]
pub struct GameView {
    /// Under which it is found.
    pub id: GameId,
    /// How it ended.
    pub result: GameResult,
}

/// How a tournament stands.
#[derive(Clone, Debug)]
pub struct View {
    /// Its id.
    pub id: TournamentId,
    /// How far it is.
    pub state: TournamentState,
    /// Whether it is played now.
    pub held: bool,
    /// What was agreed.
    pub spec: TournamentSpec,
    /// How much is to be played, if that is known.
    pub plan: Option<Plan>,
    /// Everything that its games say.
    pub report: Report,
    /// All games that were played and count, by pairing.
    pub games: HashMap<u64, GameView>,
    /// Games that are played now and can be watched, by pairing.
    pub live: HashMap<u64, GameId>,
    /// All pairings, the first ones first.
    pub pairings: Vec<StoredPairing>,
    /// How long it took to gather.
    pub took: Duration,
    /// Names of those who left.
    pub left: Vec<String>,
}

impl View {
    /// The name of an entrant.
    pub fn name(&self, entrant: rookery_tournament::Entrant) -> &str {
        self.spec.entrants.get(entrant.index()).map_or("?", |entrant| entrant.name.as_str())
    }
}

impl Tournaments {
    /// How it stands, made at most once a second however many ask. Blocks while it is read.
    pub fn view(&self, id: TournamentId) -> Result<Arc<View>, ApiError> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, view)) = views.get(&id)
            && made.elapsed() < FRESH.max(SPARED * view.took)
            && view.held == self.is_held(id)
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(self.look(id)?);
        views.retain(|_, (made, view)| made.elapsed() < FRESH.max(SPARED * view.took));
        views.insert(id, (Instant::now(), Arc::clone(&view)));
        Ok(view)
    }

    /// Whether its games are told without their seeds: that of each follows from any other. Blocks while the store is asked.
    pub(crate) fn hides_seeds(&self, id: TournamentId) -> Result<bool, StoreError> {
        Ok(!self.store.tournament(id)?.state.is_over())
    }

    /// It has changed: whoever looks next sees it.
    pub(super) fn forget_view(&self, id: TournamentId) {
        self.views.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// Somebody is called otherwise now: whoever looks next sees it.
    pub(crate) fn forget_views(&self) {
        self.views.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn look(&self, id: TournamentId) -> Result<View, ApiError> {
        let failed = |error: ArenaError| ApiError::ours(&error);
        let begun = Instant::now();
        let held = self.is_held(id);
        let state = self.store.tournament(id)?.state;
        let tournament = Tournament::open(&self.store, id).map_err(failed)?;
        let mut spec = tournament.spec().clone();
        let entrants = self.store.tournament_entrants(id)?;
        for entrant in entrants.iter().filter(|entrant| is_given_up(&entrant.name)) {
            if let Some(shown) = spec.entrants.get_mut(entrant.number.index()) {
                shown.name.clone_from(&entrant.name);
            }
        }
        let mut evaluation = Evaluation::new(&spec);
        // One that was cancelled because too few were left has no format.
        let mut format = spec.format().map_err(|error| ApiError::conflict(error.to_string()))?;
        for change in self.store.changes(id)? {
            format.change(&change);
        }
        let mut games = HashMap::new();
        for stored in tournament.stored_results()? {
            let stored = stored?;
            evaluation.add(&stored.result);
            format.take(&stored.result);
            games.insert(stored.key.pairing, GameView { id: stored.id, result: stored.result });
        }
        let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).ok();
        let context = Context {
            tournament: Some(id.to_string()),
            is_complete: state == TournamentState::Finished,
            ranking: format.ranking(),
            byes: format.byes(),
            suspended: format.suspended(),
            ..Context::default()
        };
        let pairings = self.all_pairings(id)?;
        let live = self.live(id, &pairings, &games);
        let mut report = Report::new(&evaluation, ratings.as_ref(), &context);
        if !state.is_over() {
            HIDDEN.clone_into(&mut report.setting.seed);
        }
        let left = entrants.into_iter().filter(|entrant| !entrant.present);
        Ok(View {
            took: begun.elapsed(),
            id,
            state,
            held,
            plan: spec.plan().ok(),
            report,
            games,
            live,
            pairings,
            left: left.map(|entrant| entrant.name).collect(),
            spec,
        })
    }

    /// The games of the last pairings that can be watched.
    fn live(
        &self,
        id: TournamentId,
        pairings: &[StoredPairing],
        games: &HashMap<u64, GameView>,
    ) -> HashMap<u64, GameId> {
        let open = pairings.iter().filter(|pairing| !games.contains_key(&pairing.id));
        let game = |pairing: &StoredPairing| {
            let key = GameKey { tournament: id, key: Key::first(pairing.id) };
            self.hub.table(key.id()).map(|table| (pairing.id, table.id()))
        };
        open.filter_map(game).collect()
    }

    fn all_pairings(&self, id: TournamentId) -> Result<Vec<StoredPairing>, ApiError> {
        let mut all: Vec<StoredPairing> = vec![];
        for _ in 0..MOST_PAGES {
            let page = self.store.pairings(id, all.last().map(|last| last.id))?;
            if page.is_empty() {
                break;
            }
            all.extend(page);
        }
        Ok(all)
    }
}
