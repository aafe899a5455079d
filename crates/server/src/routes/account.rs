//! Who somebody is, what they decide for themselves, and what the operator decides for all.

use std::sync::Arc;

use axum::extract::{Extension, Form, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Redirect, Response};
use rookery_store::{Page, Purpose};
use serde::Deserialize;

use super::pages::{look, shown};
use crate::accounts::blocking;
use crate::api::{self, Measures, SignIn, with_cookie};
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::pages::{self as shell, Operator, Settings};

#[derive(Debug, Deserialize)]
pub(crate) struct LoginQuery {
    operator: Option<String>,
}

pub(crate) async fn login_page(
    Extension(caller): Extension<Caller>,
    Query(LoginQuery { operator }): Query<LoginQuery>,
    headers: HeaderMap,
) -> Response {
    shown("Your name", &look(&caller, &headers), &shell::sign_in(operator.as_deref(), None))
}

pub(crate) async fn login(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(wish): Form<SignIn>,
) -> Response {
    let operator = wish.operator.clone();
    match api::sign_in(&app, &caller, wish).await {
        Ok((_, cookie)) => with_cookie(Redirect::to("/").into_response(), Some(cookie)),
        Err(error) => {
            let body = shell::sign_in(operator.as_deref(), Some(&error.message));
            let mut response = shown("Your name", &look(&caller, &headers), &body);
            *response.status_mut() = error.status;
            response
        }
    }
}

pub(crate) async fn logout(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, ApiError> {
    let cookie = api::sign_out(&app, &caller).await?;
    Ok(with_cookie(Redirect::to("/").into_response(), Some(cookie)))
}

/// What was done, or what was wrong.
type Said<'a> = Option<Result<&'a str, &'a str>>;

async fn show_settings(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    token: Option<&str>,
    said: Said<'_>,
) -> Result<Response, ApiError> {
    let look = look(caller, headers);
    let person = caller.expect_person().ok();
    let mut tokens = vec![];
    if let Some((_, person)) = person {
        tokens = api::all_tokens(app, person).await?;
    }
    let n_sessions = tokens.iter().filter(|token| token.purpose == Purpose::Session).count() as u64;
    tokens.retain(|token| token.purpose == Purpose::Program);
    let data = Settings {
        theme: look.theme,
        name: person.map(|(identity, _)| identity.name.as_str()),
        is_operator: person.is_some_and(|(identity, _)| identity.is_operator),
        tokens: &tokens,
        n_sessions,
        token,
        said,
    };
    Ok(shown("Settings", &look, &shell::settings(&data)))
}

pub(crate) async fn settings(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    show_settings(&app, &caller, &headers, None, None).await
}

/// What a form of the settings says.
#[derive(Deserialize)]
pub(crate) struct Change {
    what: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    old: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    id: Option<u64>,
}

pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(wish): Form<Change>,
) -> Result<Response, ApiError> {
    let (identity, person) = caller.expect_person()?;
    let mut token = None;
    let done = match wish.what.as_str() {
        "token" => {
            let made = api::make_token(&app, person, &wish.note).await;
            made.map(|(_, made)| {
                token = Some(made);
                "Here is the token. It is shown once: copy it now."
            })
        }
        "revoke" => api::revoke_own(&app, person, wish.id.unwrap_or_default())
            .await
            .map(|()| "The token holds no more."),
        "sessions" => {
            api::end_other_sessions(&app, identity, person).await.map(|_| "All other sessions are over.")
        }
        "password" => api::change_password(&app, &caller, wish.old, wish.password)
            .await
            .map(|()| "The password is changed. All other sessions are over."),
        "delete" => match api::delete_name(&app, &caller, &wish.name).await {
            Ok(cookie) => return Ok(with_cookie(Redirect::to("/").into_response(), Some(cookie))),
            Err(error) => Err(error),
        },
        _ => Err(ApiError::field("what", "expected `token`, `revoke`, `sessions`, `password` or `delete`")),
    };
    let said = done.as_ref().map(|said| *said).map_err(|error| error.message.as_str());
    let mut response = show_settings(&app, &caller, &headers, token.as_deref(), Some(said)).await?;
    if let Err(error) = &done {
        *response.status_mut() = error.status;
    }
    Ok(response)
}

#[derive(Debug, Deserialize)]
pub(crate) struct Theme {
    theme: String,
}

pub(crate) async fn theme(Form(Theme { theme }): Form<Theme>) -> Response {
    let cookie = match theme.as_str() {
        "light" => "theme=light; Path=/; Max-Age=31536000; SameSite=Lax",
        "dark" => "theme=dark; Path=/; Max-Age=31536000; SameSite=Lax",
        _ => "theme=; Path=/; Max-Age=0; SameSite=Lax",
    };
    let mut response = Redirect::to("/settings").into_response();
    response.headers_mut().insert(SET_COOKIE, HeaderValue::from_static(cookie));
    response
}

/// The most matches that the operator's page lists.
const MOST_MATCHES: usize = 100;

async fn show_operator(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    said: Said<'_>,
) -> Result<Response, ApiError> {
    let store = app.hub.store().clone();
    let log = blocking(move || store.audit_log(Page { before: None, limit: 100 })).await?;
    let tables = app.hub.tables();
    let running = tables.iter().filter(|table| table.over_since().is_none()).take(MOST_MATCHES);
    let players = |table: &crate::hub::Table| {
        let spec = table.spec();
        spec.seats.iter().map(|seat| seat.name.as_str()).collect::<Vec<_>>().join(" – ")
    };
    let matches: Vec<(String, String)> =
        running.map(|table| (table.id().to_string(), players(table))).collect();
    let guests = api::guests_of(app);
    let data = Operator { is_open: app.is_open(), matches: &matches, guests: &guests, log: &log, said };
    Ok(shown("Operator", &look(caller, headers), &shell::operator(&data)))
}

pub(crate) async fn operator(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    show_operator(&app, &caller, &headers, None).await
}

/// What a form of the operator says.
#[derive(Debug, Deserialize)]
pub(crate) struct Act {
    what: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    open: bool,
    #[serde(default, rename = "match")]
    id: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    session: u64,
}

pub(crate) async fn operate(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(act): Form<Act>,
) -> Result<Response, ApiError> {
    let operator = caller.expect_operator()?;
    let measures = match act.what.as_str() {
        "mute" | "unmute" => Some(Measures { muted: Some(act.what == "mute"), ..Measures::default() }),
        "ban" | "unban" => Some(Measures { banned: Some(act.what == "ban"), ..Measures::default() }),
        "end" => Some(Measures { signed_out: true, ..Measures::default() }),
        _ => None,
    };
    let done = match (measures, act.what.as_str()) {
        (Some(measures), _) => api::measure(&app, operator, act.name.trim(), &measures).await,
        (None, "sign_up") => api::set_sign_up(&app, operator, act.open).await,
        (None, what @ ("mute_guest" | "unmute_guest")) => {
            api::mute_guest(&app, operator, act.session, what == "mute_guest").await
        }
        (None, "cancel") => api::cancel_match(&app, operator, &act.id, &act.reason).await,
        (None, _) => Err(ApiError::field(
            "what",
            "expected `sign_up`, `cancel`, `mute`, `unmute`, `mute_guest`, `unmute_guest`, `ban`, `unban` or `end`",
        )),
    };
    let said = done.as_ref().map(|()| "Done and logged.").map_err(|error| error.message.as_str());
    let mut response = show_operator(&app, &caller, &headers, Some(said)).await?;
    if let Err(error) = &done {
        *response.status_mut() = error.status;
    }
    Ok(response)
}
