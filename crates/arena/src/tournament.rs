//! A tournament of a store: created, changed and read.

use std::collections::HashMap;

use rookery_referee::{Cause, MatchSpec};
use rookery_rules::nearest;
use rookery_store::{
    EntrantKind, NewEntrant, NewTournament, Store, StoreError, StoredResult, TournamentId, TournamentState,
};
use rookery_tournament::{
    Change, Entrant, EntrantSpec, Format, GameResult, MAX_FAULTS, Next, Pairing, TournamentSpec, TrialNote,
};

use crate::ArenaError;
use crate::balance::openings;
use crate::boards::{Boards, check_openings};

/// A tournament that is in a store.
#[derive(Debug)]
pub struct Tournament {
    pub(crate) store: Store,
    pub(crate) id: TournamentId,
    pub(crate) spec: TournamentSpec,
    boards: Boards,
}

impl Tournament {
    /// Puts a tournament into a store. Everything that names a game or a built-in player is checked before, and balanced
    /// boards are found and kept as its openings.
    pub fn create(store: &Store, spec: TournamentSpec) -> Result<Self, ArenaError> {
        Self::create_with(store, spec, &HashMap::new(), None)
    }

    /// The same with the versions of bots that the store knows, by the names of the entrants, and with how it is held, in the
    /// words of whoever holds it ([`Store::how`]).
    pub fn create_with(
        store: &Store,
        mut spec: TournamentSpec,
        versions: &HashMap<String, u64>,
        how: Option<String>,
    ) -> Result<Self, ArenaError> {
        spec.choose_openings()?;
        spec.suspend_as_usual();
        spec.check()?;
        let boards = Boards::new(&spec)?;
        check_openings(&spec)?;
        if let Some(balanced) = spec.balanced.take() {
            spec.openings = openings(&spec, balanced)?;
        }
        let (text, entrants) = (to_text(&spec)?, new_entrants(&spec, versions));
        let new = NewTournament { spec: text, seed: spec.seed, entrants };
        let id = store.create_tournament_held(new, how)?;
        Ok(Self { store: store.clone(), id, spec, boards })
    }

    /// Puts a tournament into a store before all who take part are known: they sign up ([`Tournament::sign_up`]) until it
    /// begins.
    pub fn announce(store: &Store, spec: &TournamentSpec) -> Result<TournamentId, ArenaError> {
        let mut spec = spec.clone();
        spec.choose_openings()?;
        // Whether programs come is not known yet.
        spec.max_faults.get_or_insert(MAX_FAULTS);
        check_with_some(&spec)?;
        check_openings(&spec)?;
        let entrants = spec.entrants.iter().map(new_entrant).collect();
        Ok(store.create_tournament(NewTournament { spec: to_text(&spec)?, seed: spec.seed, entrants })?)
    }

    /// Writes down what came of the games before the first round; who is left out takes no part. With too few left it is
    /// cancelled, and cannot be held. Nothing may have begun.
    pub fn settle(
        &mut self,
        notes: Vec<TrialNote>,
        versions: &HashMap<String, u64>,
    ) -> Result<(), ArenaError> {
        self.spec.settle(notes);
        self.store.set_entrants(self.id, &to_text(&self.spec)?, new_entrants(&self.spec, versions))?;
        let boards = self.spec.check().map_err(ArenaError::from).and_then(|_| Boards::new(&self.spec));
        match boards {
            Ok(boards) => self.boards = boards,
            Err(error) => {
                self.store.set_tournament_state(self.id, TournamentState::Cancelled)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Who takes part in one that has not begun, as the spec says now.
    pub fn sign_up(store: &Store, id: TournamentId, spec: &TournamentSpec) -> Result<(), ArenaError> {
        check_with_some(spec)?;
        let entrants = spec.entrants.iter().map(new_entrant).collect();
        Ok(store.set_entrants(id, &to_text(spec)?, entrants)?)
    }

    /// One that is in the store.
    pub fn open(store: &Store, id: TournamentId) -> Result<Self, ArenaError> {
        let stored = store.tournament(id)?;
        let spec: TournamentSpec = serde_json::from_str(&stored.spec)
            .map_err(|error| ArenaError::Agreed(format!("the spec of tournament {id}: {error}")))?;
        let boards = Boards::new(&spec)?;
        Ok(Self { store: store.clone(), id, spec, boards })
    }

    /// Its id.
    pub fn id(&self) -> TournamentId {
        self.id
    }

    /// What was agreed.
    pub fn spec(&self) -> &TournamentSpec {
        &self.spec
    }

    /// What is agreed before the game of a pairing.
    pub fn match_spec(&self, pairing: &Pairing) -> Result<MatchSpec, ArenaError> {
        self.boards.match_spec(&self.spec, pairing)
    }

    /// The results so far, in the order of their pairings. What failed because of us is played again and is no result, unless
    /// the tournament is over.
    pub fn results(&self) -> Result<impl Iterator<Item = Result<GameResult, ArenaError>>, ArenaError> {
        let results = self.stored_results()?;
        Ok(results.map(|stored| stored.map(|stored| stored.result).map_err(ArenaError::from)))
    }

    /// The same with the games that they come from.
    pub fn stored_results(
        &self,
    ) -> Result<impl Iterator<Item = Result<StoredResult, StoreError>>, StoreError> {
        let is_over = self.store.tournament(self.id)?.state == TournamentState::Finished;
        let counts = move |stored: &StoredResult| is_over || stored.result.cause != Cause::PlatformAbort;
        Ok(self.store.results(self.id)?.filter(move |stored| stored.as_ref().map_or(true, counts)))
    }

    /// The format as it stands: who came and went, and every result.
    pub fn format(&self) -> Result<Box<dyn Format>, ArenaError> {
        let changes = self.store.changes(self.id)?;
        let mut format = self.spec.format_before(n_late(&changes))?;
        for change in &changes {
            format.change(change);
        }
        for result in self.results()? {
            format.take(&result?);
        }
        Ok(format)
    }

    /// Somebody comes late, by the rule of the format; nothing may be running. The number it has from now on.
    pub fn enter(&mut self, entrant: EntrantSpec) -> Result<Entrant, ArenaError> {
        let mut format = self.unfinished()?;
        let number = format.join().ok_or_else(|| {
            let what = "the format takes nobody any more: round robins of two, Swiss systems, gauntlets and ladders do";
            ArenaError::Agreed(format!("{}: {what} (docs/formats.md)", entrant.name))
        })?;
        let mut spec = self.spec.clone();
        spec.entrants.push(entrant);
        spec.check()?;
        let boards = Boards::new(&spec)?;
        let new = spec.entrants.last().map(new_entrant);
        self.store.change_entrants(self.id, &to_text(&spec)?, new, &format.changes())?;
        (self.spec, self.boards) = (spec, boards);
        Ok(number)
    }

    /// An entrant takes no further part, by the rule of the format; nothing may be running.
    pub fn withdraw(&mut self, name: &str) -> Result<Entrant, ArenaError> {
        let mut format = self.unfinished()?;
        let entrant = self.spec.check()?.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.spec.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
            let meant =
                nearest(name, &names).map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
            ArenaError::Agreed(format!("nobody in this tournament is called {name:?}{meant}"))
        })?;
        let before = format.changes();
        format.leave(entrant);
        let changes = format.changes();
        if changes == before {
            return Err(ArenaError::Agreed(format!(
                "{name}: it has left already, has no game left to play, or the format lets nobody go"
            )));
        }
        self.store.change_entrants(self.id, &to_text(&self.spec)?, None, &changes)?;
        Ok(entrant)
    }

    /// The format as it stands, if there is something left to play.
    fn unfinished(&self) -> Result<Box<dyn Format>, ArenaError> {
        let mut format = self.format()?;
        if format.next(0) == Next::End || self.store.tournament(self.id)?.state.is_over() {
            return Err(ArenaError::Agreed(format!("tournament {} is over", self.id)));
        }
        Ok(format)
    }
}

/// Those who play one game at a time: whoever has one connection, or is one person.
pub fn one_at_a_time(spec: &TournamentSpec) -> Vec<Entrant> {
    let is_one = |entrant: &Entrant| {
        let player = &spec.entrants[entrant.index()].player;
        player.is_awaited() || player.is_person()
    };
    Entrant::all(spec.entrants.len()).filter(is_one).collect()
}

/// Checks everything that is agreed before all who take part are known, with somebody at every place that is still free.
pub fn check_with_some(spec: &TournamentSpec) -> Result<(), ArenaError> {
    let mut full = spec.clone();
    let enough = if spec.is_series() { spec.seats } else { FEW.max(spec.seats) };
    for number in full.entrants.len()..enough {
        let player = "random".parse().expect("it plays every game");
        full.entrants.push(EntrantSpec { name: format!("? {number}"), player, version: None });
    }
    full.check()?;
    Boards::new(&full)?;
    Ok(())
}

/// With so many every format can be held that has more than one table.
const FEW: usize = 4;

/// What a store is told of all, with the versions that it knows.
fn new_entrants(spec: &TournamentSpec, versions: &HashMap<String, u64>) -> Vec<NewEntrant> {
    let version = |entrant: &EntrantSpec| versions.get(&entrant.name).copied();
    let new = |entrant| NewEntrant { version: version(entrant), ..new_entrant(entrant) };
    spec.entrants.iter().map(new).collect()
}

/// What a store is told of somebody.
fn new_entrant(entrant: &EntrantSpec) -> NewEntrant {
    NewEntrant {
        name: entrant.name.clone(),
        kind: EntrantKind::of_seat(&entrant.player),
        player: entrant.player.to_string(),
        version: None,
    }
}

fn to_text(spec: &TournamentSpec) -> Result<String, ArenaError> {
    serde_json::to_string(spec).map_err(|error| ArenaError::Agreed(error.to_string()))
}

/// How many of the entrants came late: the last ones.
pub(crate) fn n_late(changes: &[Change]) -> usize {
    changes.iter().filter(|change| matches!(change, Change::Join { .. })).count()
}
