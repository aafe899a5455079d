//! Somebody who plays: strength, accuracy, versions, the last matches.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use rookery_referee::SeatSpec;
use rookery_store::{
    EntrantId, GameFilter, Page, Store, StoreError, StoredGame, TournamentEntrant, TournamentId, Version,
};
use serde::Serialize;

use super::lists::{EntrantData, OverData, StrengthData, entrant, strengths, with_names};
use crate::accounts::blocking;
use crate::accuracy::AccuracyData;
use crate::app::App;
use crate::http::{ApiError, shape};

/// Of how many of the last matches opponents, faults and versions are counted.
const READ: u32 = 100;
/// How many versions are told.
const MOST_VERSIONS: u32 = 50;
/// How many matches are told.
const TOLD: usize = 50;

/// A version of a bot: what was played with exactly this content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct VersionData {
    /// What its author calls it.
    pub(crate) label: String,
    /// The SHA-256 of its content.
    pub(crate) sha256: String,
    /// Since when it is known.
    pub(crate) since_ms: i64,
    /// Of the last matches, how many it has won.
    won: u64,
    drew: u64,
    lost: u64,
}

impl VersionData {
    /// Won, drew, lost.
    pub(crate) fn tally(&self) -> [u64; 3] {
        [self.won, self.drew, self.lost]
    }
}

/// Somebody who plays, with the last matches.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PlayerData {
    #[serde(flatten)]
    entrant: EntrantData,
    /// How many matches are stored.
    n_matches: u64,
    /// The strength in each game that was played.
    ratings: Vec<StrengthData>,
    /// How near to perfect play, where that is known.
    accuracy: Option<AccuracyData>,
    /// The versions of a bot, the latest first.
    versions: Vec<VersionData>,
    /// The last matches.
    matches: Vec<OverData>,
}

shape!(VersionData { label: String, sha256: String, since_ms: i64, won: u64, drew: u64, lost: u64 });
shape!(PlayerData {
    n_matches: u64,
    ratings: Vec<StrengthData>,
    accuracy: Option<AccuracyData>,
    versions: Vec<VersionData>,
    matches: Vec<OverData>;
    flat entrant: EntrantData
});

/// What the store has of somebody.
#[derive(Debug)]
pub(crate) struct Facts {
    /// All matches.
    pub(crate) n_matches: u64,
    /// The last of them, the latest first.
    pub(crate) games: Vec<StoredGame>,
    /// The versions of a bot, the latest first.
    pub(crate) versions: Vec<VersionData>,
}

impl Facts {
    /// Reads them. Blocks while the store is asked.
    pub(crate) fn read(store: &Store, id: EntrantId) -> Result<Self, StoreError> {
        let filter = GameFilter { entrant: Some(id), ..GameFilter::default() };
        let games = with_names(store, store.games(&filter, Page { before: None, limit: READ })?)?;
        let versions = versions(store, id, &games)?;
        Ok(Self { n_matches: store.n_games(&filter)?, games, versions })
    }
}

/// Which of these versions somebody plays a tournament with.
fn version_in(versions: &[Version], entrants: &[TournamentEntrant], id: EntrantId) -> Option<usize> {
    let entrant = entrants.iter().find(|entrant| entrant.id == id)?;
    let content = match entrant.player.parse() {
        Ok(SeatSpec::Bundle { sha256, .. }) => sha256,
        _ => None,
    };
    versions.iter().position(|version| {
        entrant.version == Some(version.id)
            || content.as_ref().is_some_and(|content| *content == version.sha256.to_string())
    })
}

/// The versions of a bot with what they have played. Only tournaments say which version it was.
fn versions(store: &Store, id: EntrantId, games: &[StoredGame]) -> Result<Vec<VersionData>, StoreError> {
    let known = store.versions(id, Page { before: None, limit: MOST_VERSIONS })?;
    let mut tallies = vec![[0; 3]; known.len()];
    let mut cups: HashMap<TournamentId, Option<usize>> = HashMap::new();
    for game in games.iter().filter(|_| !known.is_empty()) {
        let Some(cup) = game.key.as_ref().map(|key| key.tournament) else { continue };
        let version = if let Some(version) = cups.get(&cup) {
            *version
        } else {
            let found = version_in(&known, &store.tournament_entrants(cup)?, id);
            *cups.entry(cup).or_insert(found)
        };
        let result = seat_of(game, id).and_then(|seat| place_of(result(game, seat)));
        if let (Some(version), Some(result)) = (version, result) {
            tallies[version][result] += 1;
        }
    }
    let told = |(version, [won, drew, lost]): (Version, [u64; 3])| VersionData {
        label: version.note,
        sha256: version.sha256.to_string(),
        since_ms: version.created_ms,
        won,
        drew,
        lost,
    };
    Ok(known.into_iter().zip(tallies).map(told).collect())
}

/// The seat of somebody in a match.
pub(crate) fn seat_of(game: &StoredGame, id: EntrantId) -> Option<usize> {
    game.entrants.iter().position(|entrant| *entrant == Some(id))
}

/// `won`, `drew`, `lost` or `no result`.
pub(crate) fn result(game: &StoredGame, seat: usize) -> &'static str {
    match &game.outcome {
        None => "no result",
        Some(outcome) => {
            match (outcome.winners.iter().any(|winner| winner.index() == seat), outcome.winners.len()) {
                (true, 1) => "won",
                (true, _) => "drew",
                (false, _) => "lost",
            }
        }
    }
}

/// Where a result is counted: won, drew, lost.
pub(crate) fn place_of(result: &str) -> Option<usize> {
    ["won", "drew", "lost"].iter().position(|word| *word == result)
}

pub(crate) async fn player(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<PlayerData>, ApiError> {
    let found = entrant(&app, &name).await?;
    let (store, id) = (app.hub.store().clone(), found.id);
    let Facts { n_matches, games, versions } = blocking(move || Facts::read(&store, id)).await?;
    let accuracy = app.accuracies.of(&app, id, &games);
    let ratings = strengths(&app, id).await?;
    let matches = games.into_iter().take(TOLD).map(OverData::from).collect();
    let entrant = EntrantData::from(&found);
    Ok(Json(PlayerData { entrant, n_matches, ratings, accuracy, versions, matches }))
}
