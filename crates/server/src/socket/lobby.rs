//! The boards that a page shows: never more than it can show, and the same ones as long as they run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rookery_store::GameId;

use super::message::{Boards, SomeBoards};
use crate::hub::{Hub, Table};

/// The most boards that a page is told of, and the most that it has in view.
const MOST_BOARDS: usize = 64;

/// What a page knows of the boards.
#[derive(Debug, Default)]
pub(super) struct Lobby {
    wish: SomeBoards,
    in_view: Option<HashSet<GameId>>,
    /// By version.
    known: HashMap<GameId, u64>,
}

impl Lobby {
    /// The boards that a page wants from now on; what it knows already is not told again. Nothing if it wants none.
    pub(super) fn changed(before: Option<Self>, wanted: Boards) -> Option<Self> {
        let wish = match wanted {
            Boards::Any(false) => return None,
            Boards::Any(true) => SomeBoards::default(),
            Boards::Some(some) => some,
        };
        let ids = |ids: &Vec<String>| ids.iter().take(MOST_BOARDS).filter_map(|id| id.parse().ok()).collect();
        let in_view = wish.matches.as_ref().map(ids);
        let known = before.map(|before| before.known).unwrap_or_default();
        Some(Self { wish, in_view, known })
    }

    /// The cards that are news to the page.
    pub(super) fn news(&mut self, hub: &Hub) -> Vec<Arc<str>> {
        let tables = hub.tables();
        let here: HashSet<GameId> = tables.iter().map(|table| table.id()).collect();
        self.known.retain(|id, _| here.contains(id));
        let is_running = |table: &Arc<Table>| table.over_since().is_none();
        let mut n =
            tables.iter().filter(|table| self.known.contains_key(&table.id()) && is_running(table)).count();
        let most = self.wish.limit.unwrap_or(MOST_BOARDS).min(MOST_BOARDS);
        let mut told = vec![];
        for table in tables.iter().filter(|table| table.is_shown()) {
            let id = table.id();
            let is_seen = self.in_view.as_ref().is_some_and(|ids| ids.contains(&id));
            let is_due = match self.known.get(&id) {
                // The end is told of all: what a page has out of view would stay there as if it still ran.
                Some(version) => {
                    (is_seen || self.in_view.is_none() || !is_running(table)) && *version != table.version()
                }
                None => is_seen || n < most && is_running(table) && self.admits(table),
            };
            if !is_due {
                continue;
            }
            let version = table.version();
            n += usize::from(self.known.insert(id, version).is_none() && is_running(table));
            told.push(table.card());
        }
        told
    }

    fn admits(&self, table: &Table) -> bool {
        let SomeBoards { game, who, tournament, .. } = &self.wish;
        if tournament.as_ref().is_some_and(|wanted| table.cup().is_none_or(|cup| cup.to_string() != *wanted))
        {
            return false;
        }
        let spec = table.spec();
        let has_person = spec.seats.iter().any(|seat| seat.player.is_person());
        let is_game = game.as_ref().is_none_or(|game| spec.game.split(':').next() == Some(game));
        is_game
            && match who.as_deref() {
                Some("people") => has_person,
                Some("bots") => !has_person,
                _ => true,
            }
    }
}
