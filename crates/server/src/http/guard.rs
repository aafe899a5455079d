//! What every request must pass, and what every answer carries.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, AUTHORIZATION, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, UPGRADE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use rookery_store::EntrantId;
use tokio::time::timeout;

use super::ApiError;
use super::error::Message;
use super::site::{counted_by, theme};
use crate::accounts::Identity;
use crate::app::App;
use crate::pages::Look;

/// The most bytes of a body, and how long it may take.
const BODY_BYTES: usize = 64 << 10;
const BODY: Duration = Duration::from_secs(15);
/// Records are larger, and are dropped onto the page whole.
const RECORD_BYTES: usize = 4 << 20;

/// An archive of a bot, with what a form puts around it, and how long it may take; only for those who have a name.
const BUNDLE_BYTES: usize = (16 << 20) + (64 << 10);
const BUNDLE: Duration = Duration::from_mins(2);

/// The policy of all pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// The same for what others may frame.
const FRAMED: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/// For pictures, which bring their own colours and nothing else.
const PICTURE: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/// A browser that came by TLS once comes by nothing else for a year.
const HSTS: &str = "max-age=31536000";

/// Keeps windows of other sites from ours. Browsers complain of it where anybody on the way could have written it.
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Whoever asks.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who it is, if it has said so.
    pub identity: Option<Identity>,
    /// Where it comes from, as it is counted.
    pub ip: IpAddr,
    /// The number of the request, for the log.
    pub request: String,
}

impl Caller {
    /// Who it is; the error says how to say so.
    pub fn expect(&self) -> Result<&Identity, ApiError> {
        self.identity.as_ref().ok_or_else(ApiError::unauthorised)
    }

    /// Somebody with a name, in a session of a browser.
    pub fn expect_person(&self) -> Result<(&Identity, EntrantId), ApiError> {
        let identity = self.expect()?;
        let person = identity.person().filter(|_| !identity.is_program);
        let person = person
            .ok_or_else(|| ApiError::forbidden("this needs a name of your own; claim one at /login"))?;
        Ok((identity, person))
    }

    /// The operator, or nobody.
    pub fn expect_operator(&self) -> Result<&Identity, ApiError> {
        let identity = self.expect()?;
        if identity.is_operator {
            Ok(identity)
        } else {
            Err(ApiError::forbidden("only the operator may do this"))
        }
    }
}

/// Lets a request pass, or not, and finishes its answer.
pub async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let number = crate::accounts::random_token()[..12].to_owned();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let page = wants_page(request.headers(), &path);
    let is_trustworthy = app.site.is_trustworthy(request.headers());
    let mut look = Look { theme: theme(request.headers()), ..Look::default() };
    let mut response = match admit(&app, request, &number).await {
        Ok(request) => {
            let who = request.extensions().get::<Caller>().and_then(|caller| caller.identity.as_ref());
            look.name = who.map(|who| who.name.clone());
            survive(next.run(request)).await
        }
        Err(error) => error.into_response(),
    };
    if path.starts_with("/api/") && is_plain_error(&response) && !is_json(&response) {
        response = in_json(response).await;
    }
    if page && is_plain_error(&response) {
        let told = response.extensions_mut().remove::<Message>();
        let message = told.map_or_else(|| response.status().to_string(), |Message(message)| message);
        response = crate::routes::error_page(response.status(), &message, &number, &look);
    }
    finish(&mut response, &path, &number);
    if is_trustworthy {
        response.headers_mut().insert(OPENER, HeaderValue::from_static("same-origin"));
    }
    if app.site.is_secure() {
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
    }
    let unread =
        [StatusCode::PAYLOAD_TOO_LARGE, StatusCode::REQUEST_TIMEOUT, StatusCode::SERVICE_UNAVAILABLE];
    if unread.contains(&response.status()) {
        // Something is still to come that nobody reads.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let status = response.status().as_u16();
    app.metrics.answered(status);
    tracing::info!(request = number, %method, path, status, ms = begun.elapsed().as_millis() as u64, "answered");
    response
}

/// The answer, also where making it panics: a mistake of ours costs this request, and not those that share its connection.
async fn survive(answer: impl Future<Output = Response>) -> Response {
    let caught = AssertUnwindSafe(answer).catch_unwind().await;
    caught.unwrap_or_else(|_| {
        ApiError::ours(&"its handler panicked; see the message before this one").into_response()
    })
}

/// Whether somebody looks at a page and is not a program.
fn wants_page(headers: &HeaderMap, path: &str) -> bool {
    let accepts = headers.get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
    !path.starts_with("/api/") && !path.starts_with("/assets/") && accepts.contains("text/html")
}

/// Whether an answer is an error without a page of its own.
fn is_plain_error(response: &Response) -> bool {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    let is_page =
        response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    is_error && !is_page
}

fn is_json(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
}

/// The most bytes of a refusal that is told again.
const REFUSAL_BYTES: usize = 4 << 10;

/// What was refused before a handler saw it, told as the API tells everything.
async fn in_json(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let told = Limited::new(body, REFUSAL_BYTES)
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let why = String::from_utf8_lossy(&told);
    let (code, message) = match parts.status {
        StatusCode::METHOD_NOT_ALLOWED => {
            ("wrong_method", "this address takes other methods; /api/v1/openapi.json names them".to_owned())
        }
        _ if why.is_empty() => ("bad_request", parts.status.to_string()),
        _ => ("bad_request", format!("{why}; /api/v1/openapi.json says what is expected")),
    };
    let mut answer = ApiError::new(parts.status, code, message).into_response();
    if let Some(allow) = parts.headers.get(ALLOW) {
        answer.headers_mut().insert(ALLOW, allow.clone());
    }
    answer
}

async fn admit(app: &Arc<App>, request: Request, number: &str) -> Result<Request, ApiError> {
    let (parts, body) = request.into_parts();
    let judged = judge(app, &parts).await;
    let has_name =
        judged.as_ref().is_ok_and(|(who, _)| who.as_ref().is_some_and(|who| who.person().is_some()));
    // Also who is refused is heard to the end: what came behind would else be taken for the next request of a connection
    // that is kept, and end it.
    let body = read_body(app, &parts, body, has_name).await?;
    let (identity, ip) = judged?;
    let mut request = Request::from_parts(parts, body);
    request.extensions_mut().insert(Caller { identity, ip, request: number.to_owned() });
    Ok(request)
}

/// Who asks, and from where, if it may ask at all.
async fn judge(app: &App, parts: &Parts) -> Result<(Option<Identity>, IpAddr), ApiError> {
    let peer = parts.extensions.get::<SocketAddr>().copied();
    let peer = peer.ok_or_else(|| ApiError::ours(&"a request without a peer"))?;
    let headers = &parts.headers;
    let host = app.site.host(headers).ok_or_else(|| {
        ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "wrong_host",
            "this server is not reached by that name; use its address, or start it with --public-url",
        )
    })?;
    let ip = counted_by(app.site.client(peer, headers));
    let same = app.site.is_same_origin(headers, host);
    let bearer = bearer(headers);
    let unsafe_method = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let socket = headers.contains_key(UPGRADE);
    let has_origin = headers.contains_key("origin");
    if unsafe_method && bearer.is_none() && !same {
        return Err(ApiError::forbidden(
            "this came from another page; programs send `Authorization: Bearer TOKEN`, or the `Origin` of this server",
        ));
    }
    if socket && bearer.is_none() && has_origin && !same {
        return Err(ApiError::forbidden("this socket was opened by another page"));
    }
    let identity = match bearer {
        Some(token) => Some(by_token(app, &token, ip).await?),
        // A socket without an origin is no browser's, and a cookie there is somebody else's.
        None if socket && !same => None,
        None => match app.site.session(headers) {
            Some(token) => app.accounts.identify(token, false).await?,
            None => None,
        },
    };
    if let Some(who) = &identity
        && app.is_banned(&who.owner)
    {
        return Err(ApiError::forbidden("the operator has closed this account"));
    }
    Ok((identity, ip))
}

/// The token of a program. What is no text is a token that does not hold.
fn bearer(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    const SCHEME: &[u8] = b"Bearer ";
    let said = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = said.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| String::from_utf8_lossy(token))
}

/// Who a program speaks for. Unknown, revoked and foreign tokens are told the same.
async fn by_token(app: &App, token: &str, ip: IpAddr) -> Result<Identity, ApiError> {
    if let Some(identity) = app.accounts.identify(token, true).await? {
        return Ok(identity);
    }
    if app.bad_tokens.allow(ip, Instant::now()) {
        Err(ApiError::unauthorised())
    } else {
        Err(ApiError::too_many("too many tokens that are not valid; wait a minute"))
    }
}

/// Reads the whole body within its bounds, so that nobody behind waits for a slow one.
async fn read_body(app: &App, parts: &Parts, body: Body, has_name: bool) -> Result<Body, ApiError> {
    if body.is_end_stream() {
        return Ok(body);
    }
    let (most, time) = match parts.uri.path() {
        "/api/v1/records" => (RECORD_BYTES, BODY),
        "/api/v1/bundles" | "/bundles" if has_name => (BUNDLE_BYTES, BUNDLE),
        _ => (BODY_BYTES, BODY),
    };
    let is_large = most > BODY_BYTES && body.size_hint().upper().is_none_or(|n| n > BODY_BYTES as u64);
    let _permit = if is_large { Some(app.uploading.soon().await?) } else { None };
    let reading = timeout(time, Limited::new(body, most).collect()).await;
    let bytes: Bytes = match reading {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return Err(ApiError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                format!("the body is too large; expected at most {most} bytes"),
            ));
        }
        Ok(Err(_)) => return Err(ApiError::bad("the body cannot be read; send it again")),
        Err(_) => {
            return Err(ApiError::new(
                StatusCode::REQUEST_TIMEOUT,
                "too_slow",
                format!("the body did not come in time; expected it within {} seconds", time.as_secs()),
            ));
        }
    };
    Ok(Body::from(bytes))
}

/// What every answer carries.
fn finish(response: &mut Response, path: &str, number: &str) {
    let headers = response.headers_mut();
    let is_picture = headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "image/svg+xml");
    let policy = match path {
        _ if is_picture => PICTURE,
        path if path.starts_with("/embed/") => FRAMED,
        _ => POLICY,
    };
    let fixed = [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(number) = HeaderValue::from_str(number) {
        headers.insert(HeaderName::from_static("x-request-id"), number);
    }
    if !headers.contains_key("cache-control") {
        headers.insert(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_for() {
        let answer = survive(async { unreachable!("a mistake of ours") }).await;
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(is_json(&answer));
    }
}
