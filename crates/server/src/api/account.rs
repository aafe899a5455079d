//! Who somebody is: guests, names, sessions, tokens.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use rookery_referee::is_name;
use rookery_store::{EntrantId, Person, Purpose};
use serde::{Deserialize, Serialize};

use super::Body;
use super::matches::with_cookie;
use super::own_data::all;
use crate::accounts::{Identity, blocking, hash_password, is_right};
use crate::app::App;
use crate::http::{ApiError, Caller, shape};

/// The shortest and the longest password.
const PASSWORD: std::ops::RangeInclusive<usize> = 8..=200;

/// Counts one more that somebody begins or brings, if it is not too much: of itself, and of all from its address together.
pub(crate) fn expect_few(app: &App, caller: &Caller) -> Result<(), ApiError> {
    // People at this machine itself are not many.
    if app.site.is_at_home(caller.ip) {
        return Ok(());
    }
    app.makings.expect(caller.identity.as_ref().map(|who| &who.owner), caller.ip, Instant::now())
}

/// Whoever asks, or a new guest with its cookie.
pub(crate) async fn guest_of(app: &App, caller: &Caller) -> Result<(Identity, Option<String>), ApiError> {
    expect_few(app, caller)?;
    if let Some(identity) = &caller.identity {
        return Ok((identity.clone(), None));
    }
    let (token, identity) = app.accounts.new_guest().await?;
    Ok((identity, Some(app.site.session_cookie(&token))))
}

#[derive(Debug, Serialize)]
pub(crate) struct MeData {
    name: Option<String>,
    kind: &'static str,
    operator: bool,
}

shape!(MeData { name: Option<String>, kind: &'static str, operator: bool });

pub(crate) async fn me(Extension(caller): Extension<Caller>) -> Json<MeData> {
    Json(match &caller.identity {
        None => MeData { name: None, kind: "nobody", operator: false },
        Some(identity) => MeData {
            name: Some(identity.name.clone()),
            kind: if identity.person().is_some() { "person" } else { "guest" },
            operator: identity.is_operator,
        },
    })
}

/// A name and its password.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignIn {
    pub(crate) name: String,
    pub(crate) password: String,
    /// Whether the name is to be claimed if nobody has it.
    #[serde(default)]
    pub(crate) claim: bool,
    /// The operator's link, if it was opened.
    #[serde(default)]
    pub(crate) operator: Option<String>,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Signs somebody in, and gives the new cookie. Unknown names and wrong passwords are told the same.
pub(crate) async fn sign_in(
    app: &App,
    caller: &Caller,
    wish: SignIn,
) -> Result<(Identity, String), ApiError> {
    let SignIn { name, password, claim, operator } = wish;
    // What cannot be a name is not counted by: it may be as long as a request.
    if !is_name(&name) {
        let message = "that is no name; expected 1 to 24 letters, digits, `_` or `-`";
        return Err(ApiError::field("name", message));
    }
    expect_password(&password)?;
    let now = Instant::now();
    if !app.login_addresses.allow(caller.ip, now) || !app.logins.allow((caller.ip, name.to_lowercase()), now)
    {
        return Err(ApiError::too_many("too many tries; wait a minute"));
    }
    let permit = app.hashing.soon().await?;
    let store = app.hub.store().clone();
    let may_claim = claim && app.is_open();
    let person = blocking(move || {
        let _permit = permit;
        let known = store.person(&name)?;
        if let Some(person) = known {
            return Ok(is_right(&password, person.password_hash.as_deref()).then_some(person));
        }
        if !may_claim {
            is_right(&password, None);
            return Ok(None);
        }
        let hash = hash_password(&password).map_err(rookery_store::StoreError::Refused)?;
        let id = store.claim_name(&name, Some(&hash))?;
        Ok(Some(Person { id, name, password_hash: Some(hash), is_operator: false }))
    });
    let Some(mut person) = person.await? else {
        return Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "wrong_password",
            "this name and password do not belong together; try again, or claim another name",
        ));
    };
    if let Some(link) = operator
        && app.accounts.take_operator_link(&link).await?
    {
        let (store, id, name) = (app.hub.store().clone(), person.id, person.name.clone());
        blocking(move || {
            store.set_operator(id, true)?;
            store.audit(&name, "became the operator", &name)
        })
        .await?;
        app.accounts.forget(person.id);
        person.is_operator = true;
    }
    let (token, identity) = app.accounts.sign_in(&person).await?;
    // The session before is over, and what was begun as a guest is the person's now.
    if let Some(before) = caller.identity.as_ref().filter(|before| !before.is_program) {
        if before.person().is_none() {
            app.hub.change_owner(&before.owner, &identity.owner);
        }
        if app.is_session_muted(before.token) {
            app.mute_session(identity.token, true).await?;
        }
        app.accounts.revoke(before.token).await?;
    }
    Ok((identity, app.site.session_cookie(&token)))
}

/// Who somebody is after signing in.
#[derive(Debug, Serialize)]
pub(crate) struct SignedIn {
    name: String,
    operator: bool,
}

shape!(SignedIn { name: String, operator: bool });

pub(crate) async fn login(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(wish): Body<SignIn>,
) -> Result<Response, ApiError> {
    let (identity, cookie) = sign_in(&app, &caller, wish).await?;
    let told = Json(SignedIn { name: identity.name, operator: identity.is_operator });
    Ok(with_cookie(told.into_response(), Some(cookie)))
}

/// Ends the session of whoever asks, and gives the cookie that says so.
pub(crate) async fn sign_out(app: &App, caller: &Caller) -> Result<String, ApiError> {
    if let Some(identity) = caller.identity.as_ref().filter(|identity| !identity.is_program) {
        app.accounts.revoke(identity.token).await?;
    }
    Ok(app.site.no_cookie())
}

pub(crate) async fn logout(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, ApiError> {
    let cookie = sign_out(&app, &caller).await?;
    Ok(with_cookie(StatusCode::NO_CONTENT.into_response(), Some(cookie)))
}

/// All sessions and tokens of a person.
pub(crate) async fn all_tokens(app: &App, person: EntrantId) -> Result<Vec<rookery_store::Token>, ApiError> {
    let store = app.hub.store().clone();
    blocking(move || all(|page| store.tokens(person, page), |token| token.id)).await
}

/// Ends all sessions of a person but the one that asks; how many.
pub(crate) async fn end_other_sessions(
    app: &App,
    identity: &Identity,
    person: EntrantId,
) -> Result<u64, ApiError> {
    let tokens = all_tokens(app, person).await?;
    let others =
        tokens.iter().filter(|token| token.purpose == Purpose::Session && token.id != identity.token);
    let mut ended = 0;
    for token in others {
        app.accounts.revoke(token.id).await?;
        ended += 1;
    }
    Ok(ended)
}

pub(crate) async fn end_sessions(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<StatusCode, ApiError> {
    let (identity, person) = caller.expect_person()?;
    end_other_sessions(&app, identity, person).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The name of whoever asks, once more, so that nothing is deleted by mistake.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Meant {
    name: String,
}

/// Deletes the name of a person, and gives the cookie that ends its session.
pub(crate) async fn delete_name(app: &App, caller: &Caller, meant: &str) -> Result<String, ApiError> {
    let (identity, person) = caller.expect_person()?;
    if meant != identity.name {
        return Err(ApiError::field("name", "that is not your name; type it exactly as it is"));
    }
    if app.hub.is_playing(&identity.owner) {
        return Err(ApiError::conflict("you are in a match that goes on; finish or resign it first"));
    }
    let store = app.hub.store().clone();
    let now = blocking(move || {
        let now = store.give_up_name(person)?;
        store.audit(&now, "deleted the name", &now)?;
        Ok(now)
    })
    .await?;
    app.accounts.forget(person);
    app.hub.forget_player(person);
    app.tournaments.forget_views();
    tracing::info!(now, "somebody has deleted the name");
    Ok(app.site.no_cookie())
}

pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(Meant { name }): Body<Meant>,
) -> Result<Response, ApiError> {
    let cookie = delete_name(&app, &caller, &name).await?;
    Ok(with_cookie(StatusCode::NO_CONTENT.into_response(), Some(cookie)))
}

/// What is shown of a token.
#[derive(Debug, Serialize)]
pub(crate) struct TokenData {
    id: u64,
    note: String,
    created_ms: i64,
}

shape!(TokenData { id: u64, note: String, created_ms: i64 });

pub(crate) async fn tokens(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Vec<TokenData>>, ApiError> {
    let (_, person) = caller.expect_person()?;
    let tokens = all_tokens(&app, person).await?;
    let programs = tokens.into_iter().filter(|token| token.purpose == Purpose::Program);
    let data = |token: rookery_store::Token| TokenData {
        id: token.id,
        note: token.note,
        created_ms: token.created_ms,
    };
    Ok(Json(programs.map(data).collect()))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTokenData {
    #[serde(default)]
    note: String,
}

/// A token, shown once.
#[derive(Debug, Serialize)]
pub(crate) struct MadeToken {
    id: u64,
    token: String,
}

shape!(MadeToken { id: u64, token: String });

pub(crate) async fn new_token(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Body(NewTokenData { note }): Body<NewTokenData>,
) -> Result<Response, ApiError> {
    let (_, person) = caller.expect_person()?;
    let (id, token) = make_token(&app, person, &note).await?;
    Ok((StatusCode::CREATED, Json(MadeToken { id, token })).into_response())
}

/// The most tokens of programs that one person has.
const MOST_TOKENS: usize = 100;

/// A new token for a program of a person, if it has not too many.
pub(crate) async fn make_token(app: &App, person: EntrantId, note: &str) -> Result<(u64, String), ApiError> {
    let tokens = all_tokens(app, person).await?;
    if tokens.iter().filter(|token| token.purpose == Purpose::Program).count() >= MOST_TOKENS {
        let message = format!("you have {MOST_TOKENS} tokens already; revoke one that you no longer use");
        return Err(ApiError::conflict(message));
    }
    app.accounts.new_program_token(person, short(note, 100)).await
}

pub(crate) async fn revoke_token(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<u64>,
) -> Result<StatusCode, ApiError> {
    let (_, person) = caller.expect_person()?;
    revoke_own(&app, person, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a token back, if it is this person's.
pub(crate) async fn revoke_own(app: &App, person: EntrantId, id: u64) -> Result<(), ApiError> {
    let tokens = all_tokens(app, person).await?;
    if !tokens.iter().any(|token| token.id == id) {
        return Err(ApiError::not_found("token"));
    }
    app.accounts.revoke(id).await?;
    Ok(())
}

/// A text of a form or a program, without what cannot be shown and not too long.
pub(crate) fn short(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

/// Gives a person another password in place of the old one. Whoever is signed in elsewhere may have had the old one, and has
/// to sign in again.
pub(crate) async fn change_password(
    app: &App,
    caller: &Caller,
    old: String,
    password: String,
) -> Result<(), ApiError> {
    let (identity, person) = caller.expect_person()?;
    expect_password(&password)?;
    if !app.logins.allow((caller.ip, identity.name.to_lowercase()), Instant::now()) {
        return Err(ApiError::too_many("too many tries; wait a minute"));
    }
    let (store, permit, name) = (app.hub.store().clone(), app.hashing.soon().await?, identity.name.clone());
    let is_changed = blocking(move || {
        let _permit = permit;
        let known = store.person(&name)?.and_then(|person| person.password_hash);
        // A session that was left open is not enough to lock its owner out.
        if known.is_some() && !is_right(&old, known.as_deref()) {
            return Ok(false);
        }
        let hash = hash_password(&password).map_err(rookery_store::StoreError::Refused)?;
        store.set_password(person, Some(&hash)).map(|()| true)
    });
    if !is_changed.await? {
        return Err(ApiError::field("old", "that is not your password; nothing was changed"));
    }
    end_other_sessions(app, identity, person).await?;
    Ok(())
}

fn expect_password(password: &str) -> Result<(), ApiError> {
    if PASSWORD.contains(&password.chars().count()) {
        return Ok(());
    }
    let (least, most) = (PASSWORD.start(), PASSWORD.end());
    Err(ApiError::field("password", format!("expected a password of {least} to {most} characters")))
}
