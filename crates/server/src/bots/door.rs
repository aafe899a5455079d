//! The port for bots: whoever says hello, and proves who it is where that is needed, may wait for a match.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper_util::rt::TokioIo;
use rookery_bots::{ErrorCode, Greeting, PROTOCOL, REPLY_TIME, error, greet_since};
use rookery_live::{Most, Unnamed};
use rookery_wire::{Connection, Transport, TransportExt as _, WebSocket};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{Bots, Refused};
use crate::accounts::{Identity, blocking, random_token};
use crate::app::App;
use crate::http::{ApiError, Caller, Counted, Held, counted_by};

/// How many may be there that have not said hello yet. The oldest of the address with the most of them has to go then, so that
/// nobody is kept out by those who say nothing.
const MOST: Most = Most { all: 512, each: 256 };
/// How long nothing is accepted after it has failed.
const PAUSE: Duration = Duration::from_millis(100);

/// What somebody is told who comes under the name of another.
const NOT_YOURS: &str =
    "this name belongs to somebody else; connect with a token of its owner, or choose another name";
const SILENT: &str = "too many have come and not said hello, and you were the first of them";
const LATER: &str = "the store cannot be asked whose this name is; try again in a minute";

/// Takes in bots at a port, for ever.
pub async fn keep_door(listener: TcpListener, app: Arc<App>) {
    let (mut greeting, mut unnamed, mut next_id) = (JoinSet::new(), Unnamed::default(), 0_u64);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let ip = counted_by(peer.ip());
                    let oldest: Option<&mut Option<oneshot::Sender<()>>> = unnamed.too_many(ip, MOST);
                    // If its task is over by now, it was greeted.
                    let _ = oldest.and_then(Option::take).map(|hurry| hurry.send(()));
                    let (hurry, hurried) = oneshot::channel();
                    unnamed.insert(next_id, ip, Some(hurry));
                    let (app, id, begin) = (Arc::clone(&app), next_id, Instant::now());
                    next_id += 1;
                    greeting.spawn(async move {
                        // Whoever makes us panic leaves no place taken.
                        let _ = tokio::spawn(async move {
                            if let Ok(link) = Connection::tcp(stream, PROTOCOL.framing, PROTOCOL.bounds) {
                                greet_at_door(Box::new(link), (ip, begin), &app, hurried).await;
                            }
                        })
                        .await;
                        id
                    });
                }
                Err(error) => {
                    // Out of sockets, most likely: those who play need none, so only the door waits.
                    tracing::warn!(%error, "bots cannot be accepted");
                    sleep(PAUSE).await;
                }
            },
            Some(Ok(id)) = greeting.join_next(), if !greeting.is_empty() => {
                unnamed.remove(id);
            }
        }
    }
}

/// Takes in a bot that asks for a WebSocket.
pub async fn bots_socket(
    State(app): State<Arc<App>>,
    Extension(held): Extension<Arc<Held>>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
) -> Result<Response, ApiError> {
    let headers = request.headers();
    let says = |name: &str, word: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    let key = headers.get("sec-websocket-key").map(|key| WebSocket::accept_key(key.as_bytes()));
    let asked =
        says("upgrade", "websocket") && says("connection", "upgrade") && says("sec-websocket-version", "13");
    let Some(key) = key.filter(|_| asked) else {
        return Err(ApiError::new(
            StatusCode::UPGRADE_REQUIRED,
            "no_websocket",
            "bots connect here by WebSocket; see /connect for how, and for the port without it",
        ));
    };
    let upgrade = hyper::upgrade::on(&mut request);
    let begin = Instant::now();
    tokio::spawn(async move {
        let Ok(Ok(upgraded)) = timeout_at(begin + REPLY_TIME, upgrade).await else { return };
        let Ok(parts) = upgraded.downcast::<TokioIo<Counted>>() else { return };
        let stream = parts.io.into_inner().into_inner();
        let socket = WebSocket::upgraded(stream, parts.read_buf.to_vec(), PROTOCOL.bounds).await;
        if let Ok(socket) = socket {
            // Connections of the page's port are counted there.
            let (_, never) = oneshot::channel();
            greet_at_door(Box::new(socket), (caller.ip, begin), &app, never).await;
        }
        // From here on bots are counted by themselves.
        drop(held);
    });
    let answer = [
        ("connection", "Upgrade".to_owned()),
        ("upgrade", "websocket".to_owned()),
        ("sec-websocket-accept", key),
    ];
    let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
    for (name, value) in answer {
        let value = HeaderValue::from_str(&value).map_err(|error| ApiError::ours(&error))?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

/// Greets somebody who has come from this address at this time, unless it is asked to make room for others before it has said
/// hello.
async fn greet_at_door(
    mut link: Box<dyn Transport>,
    (ip, begin): (IpAddr, Instant),
    app: &App,
    hurried: oneshot::Receiver<()>,
) {
    let greeted = tokio::select! {
        biased;
        greeted = greet_since(&mut *link, REPLY_TIME, begin) => greeted,
        // Not if our end of it is gone.
        Ok(()) = hurried => return refuse(link, ErrorCode::Busy, SILENT).await,
    };
    match greeted {
        Ok(greeting) => let_in(link, greeting, ip, app).await,
        Err(fault) => {
            tracing::debug!(peer = link.peer(), why = fault.evidence.note, "a bot did not say hello");
            link.close().await;
        }
    }
}

/// Lets somebody in who has said hello, or tells it why not.
async fn let_in(link: Box<dyn Transport>, greeting: Greeting, ip: IpAddr, app: &App) {
    let who = match &greeting.secret {
        None => None,
        Some(secret) => match app.accounts.identify(secret, true).await {
            Ok(Some(identity)) if app.is_banned(&identity.owner) => {
                return refuse(link, ErrorCode::NoSeat, "the operator has closed this account").await;
            }
            Ok(Some(identity)) => Some(identity),
            // The same for unknown, revoked and foreign ones.
            _ if app.bad_tokens.allow(ip, Instant::now().into_std()) => {
                return refuse(
                    link,
                    ErrorCode::BadToken,
                    "this token is not valid, or is revoked; make a new one in the settings",
                )
                .await;
            }
            _ => {
                return refuse(link, ErrorCode::TooMany, "too many tokens that are not valid; wait a minute")
                    .await;
            }
        },
    };
    let person = who.as_ref().and_then(Identity::person);
    // Who comes back to its match has another proof.
    if let Some(name) = greeting.name.clone().filter(|_| greeting.token.is_none()) {
        let (bots, store) = (Arc::clone(app.hub.bots()), app.hub.store().clone());
        let taken = blocking(move || bots.names.take(&store, &name, person)).await;
        if let Err(error) = taken {
            let (code, why) = match error.status {
                StatusCode::CONFLICT => (ErrorCode::NameTaken, NOT_YOURS),
                _ => (ErrorCode::NoSeat, LATER),
            };
            return refuse(link, code, why).await;
        }
    }
    if let Err(((code, why), link)) = enter(link, greeting, who, app.hub.bots()) {
        refuse(link, code, why).await;
    }
}

fn enter(
    link: Box<dyn Transport>,
    greeting: Greeting,
    who: Option<Identity>,
    bots: &Arc<Bots>,
) -> Result<(), Refused> {
    let name = greeting.name.clone().unwrap_or_else(|| format!("bot-{}", &random_token()[..4]));
    bots.enter(&name, who, greeting, link)
}

async fn refuse(mut link: Box<dyn Transport>, code: ErrorCode, why: &str) {
    let _ = timeout(REPLY_TIME, link.send(&error(code, why))).await;
    link.close().await;
}
