//! Before a tournament begins: people and bots sign up, until its time comes or who made it says so.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rookery_arena::Tournament;
use rookery_referee::{SeatSpec, TimeControl};
use rookery_store::{BundleFilter, BundleState, Page, TournamentId, TournamentState};
use rookery_tournament::{EntrantSpec, FormatSpec, TournamentSpec};
use serde::{Deserialize, Serialize};

use super::{MOST_ENTRANTS, MOST_GAMES, Note, Tournaments, bound_games, check_entrants};
use crate::accounts::{Identity, Owner, now_ms};
use crate::http::ApiError;

/// How often it is looked whether one is to begin.
const TICK: Duration = Duration::from_millis(500);
/// The longest time that one may be planned ahead: a month.
const MOST_AHEAD_MS: i64 = 31 * 86_400_000;

/// How people and bots get into a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    /// Whether people may.
    #[serde(default)]
    pub people: bool,
    /// Whether connected bots may.
    #[serde(default)]
    pub bots: bool,
    /// When it begins, in milliseconds since 1970; when who made it says so if there is none.
    #[serde(default)]
    pub starts_ms: Option<i64>,
    /// Whether they may also come after the start, where the format takes newcomers.
    #[serde(default)]
    pub late: bool,
    /// Why it did not begin at its time.
    #[serde(default)]
    pub problem: Option<String>,
}

/// A tournament that has not begun.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Its id.
    pub id: TournamentId,
    /// What was agreed, with whoever takes part so far.
    pub spec: TournamentSpec,
    /// How others get in.
    pub sign_up: SignUp,
    /// Who brought whom, by name.
    pub entered: BTreeMap<String, Owner>,
}

impl Opening {
    /// Whether somebody may withdraw this entrant because it brought it.
    pub fn is_of(&self, name: &str, who: &Identity) -> bool {
        self.entered.get(name) == Some(&who.owner)
    }
}

impl Tournaments {
    /// Lets people and bots sign up for a tournament. Blocks while the store is asked.
    pub fn announce(
        &self,
        mut spec: TournamentSpec,
        mut sign_up: SignUp,
        who: &Identity,
    ) -> Result<TournamentId, ApiError> {
        if let FormatSpec::Ladder { games } = &mut spec.format {
            games.get_or_insert(MOST_GAMES);
        }
        check_entrants(&spec)?;
        if spec.entrants.iter().any(|entrant| entrant.player.is_person()) {
            return Err(ApiError::field("entrants", "people enter by themselves; leave them out here"));
        }
        if !sign_up.people && !sign_up.bots {
            return Err(ApiError::field("sign_up", "expected `people`, `bots` or both to be true"));
        }
        if sign_up.people && spec.time == TimeControl::Untimed {
            let message = "people take part, and nobody is to wait for ever; choose a clock";
            return Err(ApiError::field("time", message));
        }
        let ahead = sign_up.starts_ms.map(|starts| starts - now_ms());
        if ahead.is_some_and(|ahead| !(-60_000..=MOST_AHEAD_MS).contains(&ahead)) {
            return Err(ApiError::field("sign_up", "expected a start within the next 31 days"));
        }
        self.expect_bots(&spec)?;
        self.pin_bundles(&mut spec)?;
        bound_games(&mut spec);
        self.expect_room()?;
        let id = Tournament::announce(&self.store, &spec);
        let id = id.map_err(|error| ApiError::bad(error.to_string()))?;
        self.plan_start(id, sign_up.starts_ms);
        sign_up.problem = None;
        let (maker, sign_up) = (who.owner.clone(), Some(sign_up));
        self.write(id, &Note { maker, paused: false, sign_up, late: None, entered: BTreeMap::new() })?;
        Ok(id)
    }

    /// One that has not begun; `None` if it has. Blocks while the store is asked.
    pub fn opening(&self, id: TournamentId) -> Result<Option<Opening>, ApiError> {
        let stored = self.store.tournament(id)?;
        let Some(Note { sign_up: Some(sign_up), entered, .. }) = self.read(id) else { return Ok(None) };
        if stored.state != TournamentState::Open {
            return Ok(None);
        }
        let spec = serde_json::from_str(&stored.spec).map_err(|error| ApiError::ours(&error))?;
        Ok(Some(Opening { id, spec, sign_up, entered }))
    }

    /// How others get into one that has not begun.
    pub fn sign_up_of(&self, id: TournamentId) -> Option<SignUp> {
        self.read(id)?.sign_up
    }

    /// The entrants that somebody brought, itself or its bots.
    pub fn brought_by(&self, id: TournamentId, who: &Identity) -> Vec<String> {
        let entered = self.read(id).map(|note| note.entered).unwrap_or_default();
        entered.into_iter().filter(|(_, owner)| *owner == who.owner).map(|(name, _)| name).collect()
    }

    /// One that has begun and that somebody may still enter; `None` if nobody may. Blocks while the store is asked.
    pub fn late(&self, id: TournamentId) -> Result<Option<Opening>, ApiError> {
        let Some(Note { late: Some(sign_up), entered, .. }) = self.read(id) else { return Ok(None) };
        if self.store.tournament(id)?.state.is_over() {
            return Ok(None);
        }
        let tournament = Tournament::open(&self.store, id).map_err(|error| ApiError::ours(&error))?;
        let mut format = tournament.format().map_err(|error| ApiError::ours(&error))?;
        let takes = format.join().is_some();
        Ok(takes.then(|| Opening { id, spec: tournament.spec().clone(), sign_up, entered }))
    }

    /// Somebody comes after the start: its games stop for a moment, and go on with the newcomer.
    fn enter_late(
        self: &Arc<Self>,
        id: TournamentId,
        new: EntrantSpec,
        who: &Identity,
    ) -> Result<(), ApiError> {
        let was_held = self.is_held(id);
        self.stop_one(id)?;
        let mut tournament = Tournament::open(&self.store, id).map_err(|error| ApiError::ours(&error))?;
        let name = new.name.clone();
        let entered = tournament.enter(new).map_err(|error| ApiError::conflict(error.to_string()));
        let entered = entered.and_then(|_| {
            self.change(id, |note| {
                note.entered.insert(name, who.owner.clone());
            })
        });
        let is_paused = self.read(id).is_none_or(|note| note.paused);
        if was_held && !is_paused && !self.stopping.is_requested() {
            self.hold(tournament);
        }
        self.forget_view(id);
        entered
    }

    fn expect_opening(&self, id: TournamentId) -> Result<Opening, ApiError> {
        self.opening(id)?.ok_or_else(|| ApiError::conflict("nobody can sign up for it any more"))
    }

    /// Somebody signs itself up as a person, a connected bot (`@name`) or an uploaded one (`bundle:name`), before it begins or,
    /// where it takes newcomers, later. Blocks while the store is asked.
    pub fn enter(self: &Arc<Self>, id: TournamentId, entrant: &str, who: &Identity) -> Result<(), ApiError> {
        let _one_after_the_other = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
        let late = if self.opening(id)?.is_none() { self.late(id)? } else { None };
        let is_late = late.is_some();
        let mut opening = late.map_or_else(|| self.expect_opening(id), Ok)?;
        let new = match (entrant.strip_prefix('@'), entrant.strip_prefix("bundle:")) {
            (Some(bot), _) => self.bot(&opening, bot, who)?,
            (None, Some(bundle)) => self.bundle(&mut opening, bundle, who)?,
            (None, None) => person(&opening, entrant, who)?,
        };
        if opening.spec.entrants.iter().any(|known| known.name.eq_ignore_ascii_case(&new.name)) {
            return Err(ApiError::conflict("it takes part already"));
        }
        if opening.spec.entrants.len() >= MOST_ENTRANTS {
            return Err(ApiError::conflict("there is no place left"));
        }
        if is_late {
            return self.enter_late(id, new, who);
        }
        let name = new.name.clone();
        opening.spec.entrants.push(new);
        Tournament::sign_up(&self.store, id, &opening.spec)
            .map_err(|error| ApiError::conflict(error.to_string()))?;
        self.change(id, |note| {
            note.entered.insert(name, who.owner.clone());
        })
    }

    fn bot(&self, opening: &Opening, name: &str, who: &Identity) -> Result<EntrantSpec, ApiError> {
        if !opening.sign_up.bots {
            return Err(ApiError::forbidden("only people can sign up for this tournament"));
        }
        let Some(bot) = self.hub.bots().list().into_iter().find(|bot| bot.name == name) else {
            let message = format!("no bot `{name}` is connected; connect it first, see /connect");
            return Err(ApiError::field("entrant", message));
        };
        if self.hub.bots().owner_of(name).is_some_and(|owner| owner != who.owner) && !who.is_operator {
            return Err(ApiError::forbidden("this bot belongs to somebody else, who has to sign it up"));
        }
        let game = opening.spec.games.first().map(|spec| spec.split(':').next().unwrap_or_default());
        if bot.games.as_ref().zip(game).is_some_and(|(games, game)| !games.iter().any(|of| of == game)) {
            return Err(ApiError::field("entrant", "this bot does not play the game of this tournament"));
        }
        Ok(EntrantSpec { name: bot.name.clone(), player: SeatSpec::Remote(bot.name), version: None })
    }

    fn bundle(&self, opening: &mut Opening, name: &str, who: &Identity) -> Result<EntrantSpec, ApiError> {
        if !opening.sign_up.bots {
            return Err(ApiError::forbidden("only people can sign up for this tournament"));
        }
        let filter = BundleFilter { name: Some(name.to_owned()), state: Some(BundleState::Ready) };
        let found = self.store.bundles(&filter, Page { before: None, limit: 1 })?;
        let Some(bundle) = found.first() else {
            let message = format!("no bundle `{name}` is ready to be seated; upload it first, see /bundles");
            return Err(ApiError::field("entrant", message));
        };
        if (bundle.owner.is_none() || bundle.owner != who.person()) && !who.is_operator {
            return Err(ApiError::forbidden("this bot belongs to somebody else, who has to sign it up"));
        }
        let player = SeatSpec::Bundle { name: name.to_owned(), sha256: None };
        let mut new = EntrantSpec { name: name.to_owned(), player, version: None };
        let game = opening.spec.games.first().and_then(|spec| spec.split(':').next()).unwrap_or_default();
        opening.spec.sandbox = Some(self.pin_bundle(&mut new, game)?);
        Ok(new)
    }

    /// Somebody takes no part after all.
    pub(super) fn sign_off(&self, id: TournamentId, name: &str) -> Result<(), ApiError> {
        let _one_after_the_other = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
        let mut opening = self.expect_opening(id)?;
        let before = opening.spec.entrants.len();
        opening.spec.entrants.retain(|entrant| entrant.name != name);
        if opening.spec.entrants.len() == before {
            return Err(ApiError::field("entrant", "nobody of this name takes part"));
        }
        Tournament::sign_up(&self.store, id, &opening.spec).map_err(|error| ApiError::ours(&error))?;
        self.change(id, |note| {
            note.entered.remove(name);
        })
    }

    fn change(&self, id: TournamentId, change: impl FnOnce(&mut Note)) -> Result<(), ApiError> {
        let mut note = self.read(id).ok_or_else(|| ApiError::ours(&"its note is gone"))?;
        change(&mut note);
        self.write(id, &note)
    }

    /// Who made it, the operator, or who brought this entrant.
    pub(super) fn expect_bringer(
        &self,
        id: TournamentId,
        name: &str,
        who: &Identity,
    ) -> Result<Note, ApiError> {
        self.store.tournament(id)?;
        match self.read(id) {
            Some(note) if note.entered.get(name) == Some(&who.owner) => Ok(note),
            _ => self.expect_maker(id, who, "withdrew an entrant of"),
        }
    }

    /// Begins one that people signed up for. Blocks while the store is asked.
    pub fn begin_announced(self: &Arc<Self>, id: TournamentId, who: &Identity) -> Result<(), ApiError> {
        self.expect_maker(id, who, "began a tournament")?;
        self.start(id)
    }

    fn start(self: &Arc<Self>, id: TournamentId) -> Result<(), ApiError> {
        let _one_after_the_other = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
        let opening = self.expect_opening(id)?;
        self.expect_room()?;
        let plan = opening.spec.plan().map_err(|error| ApiError::conflict(error.to_string()))?;
        if plan.games.is_some_and(|games| games > MOST_GAMES) {
            return Err(ApiError::conflict(format!("that would be more than {MOST_GAMES} games")));
        }
        let tournament = Tournament::open(&self.store, id);
        let tournament = tournament.map_err(|error| ApiError::conflict(error.to_string()))?;
        self.plan_start(id, None);
        self.change(id, |note| note.late = note.sign_up.take().filter(|sign_up| sign_up.late))?;
        self.hold(tournament);
        Ok(())
    }

    pub(super) fn plan_start(&self, id: TournamentId, starts_ms: Option<i64>) {
        let mut planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
        match starts_ms {
            Some(starts_ms) => planned.insert(id, starts_ms),
            None => planned.remove(&id),
        };
    }

    /// Begins what is to begin, for ever.
    pub async fn keep_time(self: Arc<Self>) {
        loop {
            tokio::time::sleep(TICK).await;
            let due: Vec<TournamentId> = {
                let planned = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
                let now = now_ms();
                planned.iter().filter(|(_, starts)| **starts <= now).map(|(id, _)| *id).collect()
            };
            for id in due {
                let all = Arc::clone(&self);
                let begun = tokio::task::spawn_blocking(move || all.start_in_time(id)).await;
                if let Err(error) = begun {
                    tracing::error!(%id, %error, "a tournament cannot begin");
                }
            }
        }
    }

    /// Begins it, or puts it off and keeps why.
    fn start_in_time(self: &Arc<Self>, id: TournamentId) {
        let Err(error) = self.start(id) else { return };
        tracing::info!(%id, why = error.message, "a tournament does not begin at its time");
        self.plan_start(id, None);
        let kept = self.change(id, |note| {
            if let Some(sign_up) = &mut note.sign_up {
                (sign_up.starts_ms, sign_up.problem) = (None, Some(error.message));
            }
        });
        if let Err(error) = kept {
            tracing::error!(%id, error = error.message, "why a tournament did not begin cannot be kept");
        }
    }
}

/// A person, under its own name.
fn person(opening: &Opening, entrant: &str, who: &Identity) -> Result<EntrantSpec, ApiError> {
    if !opening.sign_up.people {
        return Err(ApiError::forbidden("only bots can sign up for this tournament"));
    }
    if who.person().is_none() || who.is_program {
        return Err(ApiError::forbidden("people take part under a name of their own; claim one at /login"));
    }
    if entrant != "me" && entrant != who.name {
        return Err(ApiError::field(
            "entrant",
            "expected `me`, a connected bot as `@name` or an uploaded one as `bundle:name`",
        ));
    }
    Ok(EntrantSpec { name: who.name.clone(), player: SeatSpec::Human, version: None })
}
