//! What only the operator does; each act is written down.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use rookery_store::Page;
use serde::{Deserialize, Serialize};

use super::Body;
use super::account::{all_tokens, short};
use crate::accounts::{Identity, Owner, blocking};
use crate::app::App;
use crate::http::{ApiError, Caller, shape};
use crate::hub::Found;

async fn log(app: &App, actor: &str, act: &'static str, subject: &str) -> Result<(), ApiError> {
    let (store, actor, subject) = (app.hub.store().clone(), actor.to_owned(), subject.to_owned());
    tracing::warn!(actor, act, subject, "the operator did something");
    blocking(move || store.audit(&actor, act, &subject)).await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    #[serde(default)]
    reason: String,
}

pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Body(Why { reason }): Body<Why>,
) -> Result<StatusCode, ApiError> {
    cancel_match(&app, caller.expect_operator()?, &id, &reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a match without a winner.
pub(crate) async fn cancel_match(
    app: &App,
    operator: &Identity,
    id: &str,
    reason: &str,
) -> Result<(), ApiError> {
    let Found::Table(table) = app.hub.find(id).await? else {
        return Err(ApiError::conflict("the match is over already"));
    };
    app.hub.cancel(&table, &short(reason, 200))?;
    log(app, &operator.name, "cancelled a match", id).await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignUp {
    open: bool,
}

pub(crate) async fn sign_up(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(SignUp { open }): Body<SignUp>,
) -> Result<StatusCode, ApiError> {
    set_sign_up(&app, caller.expect_operator()?, open).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets names be claimed, or not.
pub(crate) async fn set_sign_up(app: &App, operator: &Identity, open: bool) -> Result<(), ApiError> {
    app.open_sign_up(open).await?;
    log(app, &operator.name, if open { "opened sign-up" } else { "closed sign-up" }, "").await
}

/// What becomes of somebody.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Measures {
    pub(crate) banned: Option<bool>,
    pub(crate) muted: Option<bool>,
    /// Ends all sessions and tokens.
    pub(crate) signed_out: bool,
}

pub(crate) async fn person(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    Body(measures): Body<Measures>,
) -> Result<StatusCode, ApiError> {
    measure(&app, caller.expect_operator()?, &name, &measures).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Does something about somebody.
pub(crate) async fn measure(
    app: &App,
    operator: &Identity,
    name: &str,
    measures: &Measures,
) -> Result<(), ApiError> {
    let (store, wanted) = (app.hub.store().clone(), name.to_owned());
    let person = blocking(move || store.person(&wanted)).await?;
    let person = person.ok_or_else(|| ApiError::not_found("person"))?;
    app.set_measure(person.id, measures.banned, measures.muted).await?;
    if let Some(banned) = measures.banned {
        log(app, &operator.name, if banned { "banned" } else { "let back in" }, name).await?;
    }
    if let Some(muted) = measures.muted {
        log(app, &operator.name, if muted { "muted" } else { "unmuted" }, name).await?;
    }
    if measures.signed_out || measures.banned == Some(true) {
        for token in all_tokens(app, person.id).await? {
            app.accounts.revoke(token.id).await?;
        }
        log(app, &operator.name, "ended the sessions of", name).await?;
    }
    Ok(())
}

/// A guest at a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct GuestData {
    /// The number of its session.
    pub(crate) session: u64,
    /// What it is called.
    pub(crate) name: String,
    /// Where it sits.
    #[serde(rename = "match")]
    pub(crate) id: String,
    /// Whether it is kept out of the chat.
    pub(crate) muted: bool,
}

shape!(GuestData { session: u64, name: String, id = "match": String, muted: bool });

/// The most guests of a list.
const MOST_GUESTS: usize = 200;

/// Guests at tables, those of the newest first.
pub(crate) fn guests_of(app: &App) -> Vec<GuestData> {
    let mut guests = vec![];
    for table in app.hub.tables().iter().rev() {
        let spec = table.spec();
        for (hold, entry) in table.holds().iter().zip(&spec.seats) {
            let Some(Owner::Guest(session)) = hold.owner else { continue };
            let (name, id) = (entry.name.clone(), table.id().to_string());
            guests.push(GuestData { session, name, id, muted: app.is_session_muted(session) });
        }
        if guests.len() >= MOST_GUESTS {
            break;
        }
    }
    guests
}

pub(crate) async fn guests(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Vec<GuestData>>, ApiError> {
    caller.expect_operator()?;
    Ok(Json(guests_of(&app)))
}

/// What becomes of a guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuestMeasure {
    muted: bool,
}

pub(crate) async fn guest(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(session): Path<u64>,
    Body(GuestMeasure { muted }): Body<GuestMeasure>,
) -> Result<StatusCode, ApiError> {
    mute_guest(&app, caller.expect_operator()?, session, muted).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Keeps a guest out of the chat, or no longer: whoever sits at a table, by the number of the session.
pub(crate) async fn mute_guest(
    app: &App,
    operator: &Identity,
    session: u64,
    muted: bool,
) -> Result<(), ApiError> {
    let name = app.hub.guest_name(session).ok_or_else(|| ApiError::not_found("guest at a table"))?;
    app.mute_session(session, muted).await?;
    let act = if muted { "muted" } else { "unmuted" };
    log(app, &operator.name, act, &format!("{name} (session {session})")).await
}

#[derive(Debug, Serialize)]
pub(crate) struct AuditData {
    at_ms: i64,
    actor: String,
    act: String,
    subject: String,
}

shape!(AuditData { at_ms: i64, actor: String, act: String, subject: String });

pub(crate) async fn audit(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Vec<AuditData>>, ApiError> {
    caller.expect_operator()?;
    let store = app.hub.store().clone();
    let entries = blocking(move || store.audit_log(Page { before: None, limit: 100 })).await?;
    let data = |entry: rookery_store::AuditEntry| AuditData {
        at_ms: entry.at_ms,
        actor: entry.actor,
        act: entry.act,
        subject: entry.subject,
    };
    Ok(Json(entries.into_iter().map(data).collect()))
}
