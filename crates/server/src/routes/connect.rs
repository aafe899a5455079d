//! The page that connects a bot.

use std::sync::Arc;

use axum::extract::{Extension, Form, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use rookery_referee::is_name;
use rookery_store::EntrantKind;
use serde::Deserialize;

use super::pages::{look, shown};
use crate::accounts::blocking;
use crate::api;
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::pages::{Connect, KITS, connect};

/// What the address or the form says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wish {
    name: String,
    lang: String,
}

fn show(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    wish: &Wish,
    (token, problem): (Option<&str>, Option<&str>),
) -> Response {
    let is_person = caller.expect_person().is_ok();
    let socket = app.page_url.replacen("http", "ws", 1) + "/bots";
    let data = Connect {
        name: if is_name(&wish.name) { &wish.name } else { "" },
        kit: KITS.iter().find(|kit| kit.word == wish.lang).unwrap_or(&KITS[0]),
        is_person,
        token,
        problem,
        port: app.bots_url.as_deref().and_then(|url| url.strip_prefix("tcp://")),
        socket: &socket,
    };
    shown("Bots", &look(caller, headers), &connect(&data))
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
) -> Response {
    let wrong = (!wish.name.is_empty() && !is_name(&wish.name)).then_some(NO_NAME);
    show(&app, &caller, &headers, &wish, (None, wrong))
}

const NO_NAME: &str = "that is no name; expected 1 to 24 letters, digits, `_` or `-`";

/// Takes a name for a bot, and makes the token that is shown once.
pub(crate) async fn claim(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(wish): Form<Wish>,
) -> Result<Response, ApiError> {
    let (_, person) = caller.expect_person()?;
    let refused = |error: &ApiError| {
        let mut response = show(&app, &caller, &headers, &wish, (None, Some(&error.message)));
        *response.status_mut() = error.status;
        response
    };
    if !is_name(&wish.name) {
        return Ok(refused(&ApiError::field("name", NO_NAME)));
    }
    let (store, name) = (app.hub.store().clone(), wish.name.clone());
    let bots = Arc::clone(app.hub.bots());
    let named = blocking(move || {
        bots.names.take(&store, &name, Some(person))?;
        store.entrant(&name, EntrantKind::Bot)
    });
    if let Err(error) = named.await {
        return Ok(refused(&error));
    }
    Ok(match api::make_token(&app, person, &wish.name).await {
        Ok((_, token)) => show(&app, &caller, &headers, &wish, (Some(&token), None)),
        Err(error) => refused(&error),
    })
}
