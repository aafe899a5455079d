//! What viewers of a table are told: made once of what happens in the match, and read by each at its own pace.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rookery_live::{Deed, News, Since, Snapshot};
use tokio::task::spawn_blocking;

use super::super::update::{Update, follow, tellable, whole_frame};
use super::{FRESH, Seen, Stage, State, Table};
use crate::data::{NewsData, SceneData, Sight};

/// Updates that are kept for those who lag behind.
const KEPT: usize = 64;
/// With so much to catch up on, scenes are made beside what answers requests.
const MUCH: u64 = 128;

impl Table {
    /// Makes the scenes of a match that nobody has looked at, so that whoever comes finds them. Beside what answers requests.
    pub(crate) async fn catch_up(self: &Arc<Self>) {
        let (snapshot, told) = {
            let state = self.state();
            let Stage::Live(live) = &state.stage else { return };
            (live.snapshot(), state.told)
        };
        if snapshot.version.saturating_sub(told) < MUCH || self.catching_up.swap(true, Ordering::SeqCst) {
            return;
        }
        let table = Arc::clone(self);
        // Where it fails, whoever looks makes them.
        let _ = spawn_blocking(move || {
            table.trail.newest(&snapshot);
            table.catching_up.store(false, Ordering::SeqCst);
        })
        .await;
    }

    /// Something has happened in the live match. What viewers are told of it is made now if there are any, and else when
    /// somebody comes: most matches of many are watched by nobody.
    pub(in crate::hub) fn stir(&self) {
        if self.version.receiver_count() > 0 {
            self.tell();
        } else {
            self.state().active = Instant::now();
        }
    }

    /// Tells what has happened in the live match since the last time.
    pub(crate) fn tell(&self) {
        let mut state = self.state();
        let Stage::Live(live) = &state.stage else { return };
        let (live, told) = (live.clone(), state.told);
        let (version, mut news) = match live.since(told) {
            Since::News(version, news) => (version, news),
            Since::Snapshot(snapshot) => {
                state.told = snapshot.version;
                state.scene = self.trail.newest(&snapshot);
                if snapshot.verdict.is_some() && !state.is_held {
                    state.over_since.get_or_insert_with(Instant::now);
                }
                self.start_over(&mut state);
                return;
            }
        };
        let is_end = |news: &News| matches!(news, News::Ended(_));
        let told = news.iter().position(is_end).filter(|_| state.is_held).unwrap_or(news.len());
        let held = news.split_off(told);
        if news.is_empty() {
            return;
        }
        // Each of them is one version.
        state.told = version - held.len() as u64;
        let snapshot = state.snapshot();
        let is_back = news.iter().any(|news| matches!(news, News::TakenBack { .. }));
        let has_moved = news
            .iter()
            .any(|news| matches!(news, News::Happened(entry) if !matches!(entry.deed, Deed::Said(_))));
        if is_back {
            state.scene = self.trail.newest(&snapshot);
        } else if has_moved {
            follow(&mut state.scene, &news);
        }
        if news.iter().any(is_end) {
            state.over_since = Some(Instant::now());
        }
        let told = tellable(&news, &snapshot);
        let scene = (is_back || has_moved).then(|| scene_now(&state, &snapshot));
        self.push(&mut state, told, scene, &snapshot);
    }

    /// The store has the match, if it is over: everybody is told of its end.
    pub(crate) fn release(&self) {
        self.state().is_held = false;
        self.tell();
        let mut state = self.state();
        if state.over_since.is_none() && state.snapshot().verdict.is_some() {
            state.over_since = Some(Instant::now());
            self.start_over(&mut state);
        }
    }

    /// Everybody is told something behind how the match ended.
    pub(crate) fn say_of_its_end(&self, words: &'static str) {
        let mut state = self.state();
        if state.afterword != words {
            state.afterword = words;
            self.start_over(&mut state);
        }
    }

    pub(super) fn push(
        &self,
        state: &mut State,
        news: Vec<NewsData>,
        scene: Option<SceneData>,
        snapshot: &Snapshot,
    ) {
        state.version += 1;
        let update = Update::new(self.id, state.version, news, scene, snapshot);
        state.updates.push_back(Arc::new(update));
        if state.updates.len() > KEPT {
            state.updates.pop_front();
        }
        self.announce(state);
    }

    /// What happened since a version; a snapshot if that is not known.
    pub fn since(&self, version: Option<u64>, sight: Sight) -> Seen {
        // What a snapshot shows is not told a second time.
        self.tell();
        let mut state = self.state();
        if let Some(version) = version {
            if version == state.version {
                return Seen::Updates(version, vec![]);
            }
            let known = state.updates.front().is_some_and(|first| version + 1 >= first.version());
            if known && version < state.version {
                let missed = state.updates.iter().filter(|update| update.version() > version);
                return Seen::Updates(state.version, missed.cloned().collect());
            }
        }
        let only_looks = sight.seat.is_none() && !sight.may_read_stderr;
        if let Some((made, at, bytes)) = state.cached.as_ref().filter(|_| only_looks)
            && *at == state.version
            && made.elapsed() < FRESH
        {
            return Seen::Snapshot(*at, bytes.clone());
        }
        let whole = self.state_of(&state, sight);
        let bytes = whole_frame(self.id, state.version, &whole);
        if only_looks {
            state.cached = Some((Instant::now(), state.version, bytes.clone()));
        }
        Seen::Snapshot(state.version, bytes)
    }
}

pub(super) fn scene_now(state: &State, snapshot: &Snapshot) -> SceneData {
    let scene = SceneData::from(&state.scene);
    if snapshot.verdict.is_some() { scene.still() } else { scene }
}
