//! Pages of players: what they show is gathered here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::extract::{Extension, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use rookery_catalog::{CATALOG, game};
use rookery_referee::Cause;
use rookery_store::{EntrantId, EntrantKind, StoredGame};
use serde::Deserialize;

use super::pages::{look, shown};
use crate::accounts::blocking;
use crate::api::{self, Facts, place_of, result, seat_of};
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::pages::{self as shell, Opponent, PlayedMatch, Player};

/// How many matches and opponents are listed.
const LISTED: usize = 20;

#[derive(Debug, Deserialize)]
pub(crate) struct LadderQuery {
    game: Option<String>,
    name: Option<String>,
}

pub(crate) async fn ladder(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<LadderQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if let Some(name) = query.name {
        let found = api::entrant(&app, name.trim()).await?;
        return Ok(Redirect::to(&shell::player_path(&found.name)).into_response());
    }
    let known = query.game.and_then(|name| game(&name).ok()).unwrap_or(CATALOG[0]);
    let (list, is_whole) = api::ladder_of(&app, known.name()).await?;
    Ok(shown("Players", &look(&caller, &headers), &shell::ladder(known.name(), &list, is_whole)))
}

#[derive(Debug, Deserialize)]
pub(crate) struct GameQuery {
    game: Option<String>,
}

pub(crate) async fn player(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    Query(GameQuery { game: wanted }): Query<GameQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let found = api::entrant(&app, &name).await?;
    let strengths = api::strengths(&app, found.id).await?;
    let (store, id) = (app.hub.store().clone(), found.id);
    let facts = blocking(move || Facts::read(&store, id)).await?;
    let accuracy = app.accuracies.of(&app, id, &facts.games);
    let Facts { n_matches, games, versions } = facts;
    let (store, others) = (app.hub.store().clone(), games.clone());
    let kinds = blocking(move || {
        let mut kinds = HashMap::new();
        for other in others.iter().flat_map(|game| game.entrants.iter().flatten()) {
            if *other != id && !kinds.contains_key(other) {
                kinds.insert(*other, store.entrant_by_id(*other)?);
            }
        }
        Ok(kinds)
    })
    .await?;
    let mut tally = [0; 3];
    let mut faults: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut opponents: HashMap<EntrantId, [u64; 3]> = HashMap::new();
    for game in &games {
        let Some(seat) = seat_of(game, id) else { continue };
        if let Some(fault) = fault(game, seat) {
            *faults.entry(fault).or_default() += 1;
        }
        let Some(idx) = place_of(result(game, seat)) else { continue };
        tally[idx] += 1;
        for other in game.entrants.iter().flatten().filter(|other| **other != id) {
            opponents.entry(*other).or_default()[idx] += 1;
        }
    }
    let mut opponents: Vec<Opponent> = opponents
        .into_iter()
        .filter_map(|(other, tally)| {
            let other = kinds.get(&other)?;
            Some(Opponent { name: other.name.clone(), kind: EntrantKind::word(other.kind), tally })
        })
        .collect();
    opponents.sort_by(|a, b| {
        b.tally.iter().sum::<u64>().cmp(&a.tally.iter().sum()).then_with(|| a.name.cmp(&b.name))
    });
    opponents.truncate(LISTED);
    let connected =
        app.hub.bots().list().into_iter().find(|bot| bot.name == found.name).map(|bot| bot.playing);
    let most = strengths.iter().max_by_key(|strength| strength.games).map(|strength| strength.game);
    let data = Player {
        kind: EntrantKind::word(found.kind),
        since_ms: found.created_ms,
        connected,
        n_matches,
        n_read: games.len() as u64,
        tally,
        faults: faults.into_iter().collect(),
        accuracy,
        versions,
        game: wanted.or_else(|| most.map(str::to_owned)).unwrap_or_default(),
        strengths,
        opponents,
        matches: games.iter().take(LISTED).filter_map(|game| listed(game, id)).collect(),
        name: found.name,
    };
    Ok(shown("Players", &look(&caller, &headers), &shell::player(&data)))
}

/// The word of somebody's own fault, if there is one.
fn fault(game: &StoredGame, seat: usize) -> Option<&'static str> {
    let failed = game.failed.iter().find(|failed| usize::from(failed.seat) == seat)?;
    Some(match (failed.offence, game.cause) {
        (Some(offence), _) => Cause::Offence(offence).word(),
        (None, Cause::Offence(_)) if game.failed.len() == 1 => game.cause.word(),
        (None, _) => "removed",
    })
}

fn listed(game: &StoredGame, id: EntrantId) -> Option<PlayedMatch> {
    let seat = seat_of(game, id)?;
    let others = game.names.iter().enumerate().filter(|(idx, _)| *idx != seat).map(|(_, name)| name.as_str());
    Some(PlayedMatch {
        id: game.id.to_string(),
        game: game.spec.clone(),
        against: others.collect::<Vec<_>>().join(", "),
        result: result(game, seat),
        fault: fault(game, seat),
        plies: game.plies,
    })
}
