//! Everything that is known of somebody, as one file.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::poll_fn;
use rookery_live::read_story;
use rookery_rules::Seat;
use rookery_store::{AuditEntry, EntrantId, GameFilter, Page, Store, StoreError, StoredGame};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::lists::{StrengthData, strengths};
use super::matches::written;
use super::operator::AuditData;
use crate::accounts::{Owner, blocking};
use crate::app::App;
use crate::http::{ApiError, Caller, ObjectShape, Shape, Shapes};
use crate::hub::{bundle_owners, without_stderr};

/// How many rows are read at a time.
const PAGE: u32 = 100;
/// How many parts of the file wait for a slow reader.
const PARTS: usize = 4;

/// All rows, page after page; each says which comes before it.
pub(crate) fn all<T>(
    read: impl Fn(Page) -> Result<Vec<T>, StoreError>,
    number: impl Fn(&T) -> u64,
) -> Result<Vec<T>, StoreError> {
    let mut rows: Vec<T> = vec![];
    loop {
        let page = read(Page { before: rows.last().map(&number), limit: PAGE })?;
        if page.is_empty() {
            return Ok(rows);
        }
        rows.extend(page);
    }
}

fn game_data(store: &Store, game: &StoredGame, person: EntrantId) -> Result<Value, StoreError> {
    Ok(json!({
        "id": game.id.to_string(),
        "game": game.spec,
        "players": game.names,
        "seat": game.entrants.iter().position(|id| *id == Some(person)),
        "cause": game.cause.word(),
        "finished_ms": game.finished_ms,
        "record": record_for(store, game, person)?,
    }))
}

/// The record of a match without what is not for this person: what the programs of others wrote to their standard error, and
/// the seed from which those of games to come follow.
fn record_for(store: &Store, game: &StoredGame, person: EntrantId) -> Result<String, StoreError> {
    let record = store.record(game.id)?;
    let hides_seed = match game.key {
        Some(key) => !store.tournament(key.tournament)?.state.is_over(),
        None => false,
    };
    let whole = String::from_utf8_lossy(&record);
    if !hides_seed && !whole.contains("\"stderr\"") {
        return Ok(whole.into_owned());
    }
    let unreadable = |error: &dyn std::fmt::Display| StoreError::Refused(error.to_string());
    let snapshot = read_story(&record[..]).map_err(|error| unreadable(&error))?.snapshot();
    let owners = bundle_owners(store, &snapshot.spec);
    let is_own = |seat: Option<Seat>| {
        let owner = seat.and_then(|seat| *owners.get(seat.index())?);
        owner == Some(person)
    };
    let shown = without_stderr(&snapshot, &is_own).unwrap_or(snapshot);
    let written = written(shown, hides_seed).map_err(|error| unreadable(&error.message))?;
    Ok(String::from_utf8_lossy(&written).into_owned())
}

/// What the file looks like.
pub(crate) fn shape(all: &mut Shapes) -> Value {
    let token = ObjectShape::default()
        .with::<u64>(all, "id")
        .with::<String>(all, "purpose")
        .with::<String>(all, "note")
        .with::<i64>(all, "created_ms")
        .with::<Option<i64>>(all, "expires_ms")
        .done();
    let game = ObjectShape::default()
        .with::<String>(all, "id")
        .with::<String>(all, "game")
        .with::<Vec<String>>(all, "players")
        .with::<Option<usize>>(all, "seat")
        .with::<String>(all, "cause")
        .with::<i64>(all, "finished_ms")
        .with::<String>(all, "record")
        .done();
    let list = |items: Value| json!({"type": "array", "items": items});
    let log = AuditData::shape(all);
    ObjectShape::default()
        .with::<String>(all, "name")
        .with::<i64>(all, "since_ms")
        .with::<Vec<String>>(all, "tournaments")
        .with::<bool>(all, "operator")
        .with::<bool>(all, "banned")
        .with::<bool>(all, "muted")
        .with::<Vec<String>>(all, "running")
        .with::<Vec<StrengthData>>(all, "ratings")
        .with_schema("tokens", list(token))
        .with_schema("log", list(log))
        .with_schema("games", list(game))
        .done()
}

/// What is known but for the matches that are over.
fn facts(store: &Store, person: EntrantId) -> Result<Value, StoreError> {
    let entrant = store.entrant_by_id(person)?;
    let tokens = all(|page| store.tokens(person, page), |token| token.id)?;
    let token = |token: &rookery_store::Token| {
        json!({
            "id": token.id,
            "purpose": token.purpose.word(),
            "note": token.note,
            "created_ms": token.created_ms,
            "expires_ms": token.expires_ms,
        })
    };
    let log = all(|page| store.audit_log(page), |entry| entry.id)?;
    let own = |entry: &&AuditEntry| entry.actor == entrant.name || entry.subject == entrant.name;
    let act = |entry: &AuditEntry| json!({"at_ms": entry.at_ms, "actor": entry.actor, "act": entry.act, "subject": entry.subject});
    let filter = GameFilter { entrant: Some(person), ..GameFilter::default() };
    let games = all(|page| store.games(&filter, page), |game| game.seq)?;
    let tournaments: BTreeSet<String> =
        games.iter().filter_map(|game| Some(game.key?.tournament.to_string())).collect();
    Ok(json!({
        "name": entrant.name,
        "since_ms": entrant.created_ms,
        "tokens": tokens.iter().map(token).collect::<Vec<_>>(),
        "log": log.iter().filter(own).map(act).collect::<Vec<_>>(),
        "tournaments": tournaments,
    }))
}

/// Some more matches of somebody as a part of the file; none when all are told.
fn next_games(
    store: &Store,
    person: EntrantId,
    before: &mut Option<u64>,
) -> Result<Option<String>, StoreError> {
    let filter = GameFilter { entrant: Some(person), ..GameFilter::default() };
    let games = store.games(&filter, Page { before: *before, limit: PAGE })?;
    let mut part = String::new();
    for game in &games {
        if before.is_some() {
            part += ",\n";
        }
        part += &game_data(store, game, person)?.to_string();
        *before = Some(game.seq);
    }
    Ok((!games.is_empty()).then_some(part))
}

/// Sends the matches of somebody, and the end of the file.
fn send_games(store: &Store, person: EntrantId, parts: &mpsc::Sender<Result<Bytes, StoreError>>) {
    let mut before = None;
    loop {
        let (part, is_last) = match next_games(store, person, &mut before) {
            Ok(Some(part)) => (Ok(part.into()), false),
            Ok(None) => (Ok(Bytes::from_static(b"]}\n")), true),
            Err(error) => {
                tracing::error!(%error, "the data of somebody cannot be read to its end");
                (Err(error), true)
            }
        };
        // Who no longer reads needs nothing more.
        if parts.blocking_send(part).is_err() || is_last {
            return;
        }
    }
}

pub(crate) async fn data(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, ApiError> {
    let (identity, person) = caller.expect_person()?;
    let store = app.hub.store().clone();
    let mut head = blocking(move || facts(&store, person)).await?;
    let owner = Owner::Named(person.0);
    let tables = app.hub.tables();
    let own =
        tables.iter().filter(|table| table.holds().iter().any(|hold| hold.owner == Some(owner.clone())));
    let running = own.filter(|table| table.over_since().is_none()).map(|table| table.id().to_string());
    head["operator"] = identity.is_operator.into();
    head["banned"] = app.is_banned(&owner).into();
    head["muted"] = app.is_muted(identity).into();
    head["running"] = running.collect::<Vec<_>>().into();
    head["ratings"] = json!(strengths(&app, person).await?);
    let mut begin = head.to_string();
    // The matches come behind, one part after the other, however many there are.
    begin.pop();
    begin += ",\"games\":[";
    let (parts, mut rest) = mpsc::channel(PARTS);
    let store = app.hub.store().clone();
    tokio::task::spawn_blocking(move || {
        if parts.blocking_send(Ok(begin.into())).is_ok() {
            send_games(&store, person, &parts);
        }
    });
    let stream = poll_fn(move |cx| rest.poll_recv(cx));
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_DISPOSITION, "attachment; filename=\"rookery-data.json\""),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}
