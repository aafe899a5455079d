//! The table of a match that another machine plays: nobody sits there, and it shows what comes.

use std::sync::Arc;
use std::time::Instant;

use rookery_live::{News, Snapshot};
use rookery_store::GameId;

use super::super::update::{follow, tellable};
use super::{Hold, Stage, Table};
use crate::accounts::Owner;

impl Table {
    /// A table of a match that another machine plays.
    pub(crate) fn elsewhere(id: GameId, first: u64, snapshot: &Arc<Snapshot>) -> Self {
        let seats = vec![Hold::default(); snapshot.spec.n_seats()];
        let stage = Stage::Elsewhere(Arc::clone(snapshot));
        Self::new(id, Owner::Guest(0), first, stage, |trail| trail.newest(snapshot), seats)
    }

    /// The same match has gone on: what is new is told.
    pub(crate) fn gone_on(&self, snapshot: &Arc<Snapshot>) {
        let mut state = self.state();
        let before = state.stage.snapshot().entries.len();
        let new = snapshot.entries.get(before..).unwrap_or_default();
        let mut news: Vec<News> = new.iter().map(|entry| News::Happened(Arc::clone(entry))).collect();
        follow(&mut state.scene, &news);
        if let Some(verdict) = &snapshot.verdict {
            news.push(News::Ended(Arc::clone(verdict)));
            state.over_since.get_or_insert_with(Instant::now);
        }
        if news.is_empty() {
            return;
        }
        state.stage = Stage::Elsewhere(Arc::clone(snapshot));
        let scene = super::telling::scene_now(&state, snapshot);
        self.push(&mut state, tellable(&news, snapshot), Some(scene), snapshot);
    }

    /// Another attempt at the match is shown from its beginning, with a word about why.
    pub(crate) fn begun_again(&self, snapshot: Arc<Snapshot>) {
        let mut state = self.state();
        state.scene = self.trail.newest(&snapshot);
        if snapshot.verdict.is_some() {
            state.over_since.get_or_insert_with(Instant::now);
        }
        state.stage = Stage::Elsewhere(snapshot);
        self.start_over(&mut state);
    }

    /// What became of whoever plays it.
    pub(crate) fn set_note(&self, note: String) {
        let mut state = self.state();
        if state.note.as_ref() != Some(&note) {
            state.note = Some(note);
            self.start_over(&mut state);
        }
    }
}
