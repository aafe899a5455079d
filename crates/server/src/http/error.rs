//! What is answered when something is wrong: a status, a code for programs, a sentence for people.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use rookery_store::StoreError;
use serde::Serialize;

use super::shape;

/// Why a request is not done.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The status.
    pub status: StatusCode,
    /// One word for programs.
    pub code: &'static str,
    /// What was wrong, what was expected, what to do.
    pub message: String,
    /// The field it is about.
    pub field: Option<String>,
}

/// What a page shows of an error: its sentence.
#[derive(Clone, Debug)]
pub(crate) struct Message(pub(crate) String);

/// What every refusal tells.
#[derive(Serialize)]
pub(crate) struct Error<'a> {
    error: Problem<'a>,
}

#[derive(Serialize)]
struct Problem<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
}

shape!(Error<'a> { error: Problem<'a> });
shape!(Problem<'a> { code: &'a str, message: &'a str; maybe field: Option<&'a str> });

/// A text as people read it: with a capital letter, unless it begins with a name or a spec, and a full stop.
pub(crate) fn sentence(mut text: String) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b',') {
        let n = 1.min(first.len());
        text[..n].make_ascii_uppercase();
    }
    if text.ends_with(|c: char| c.is_alphanumeric() || "`\"')]".contains(c)) {
        text.push('.');
    }
    text
}

impl ApiError {
    /// An error of this kind.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: sentence(message.into()), field: None }
    }

    /// What was sent cannot be used.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The same about one field.
    pub fn field(field: &str, message: impl Into<String>) -> Self {
        Self {
            field: Some(field.to_owned()),
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, "wrong_field", message)
        }
    }

    /// There is no such thing.
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no such {what}; check the address"))
    }

    /// Nobody has said who they are.
    pub fn unauthorised() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorised",
            "this needs a session or a valid token; sign in at /login, or send `Authorization: Bearer TOKEN`",
        )
    }

    /// Whoever asks may not.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// It does not fit how things stand.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// Too much was asked for.
    pub fn too_many(message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message)
    }

    /// It cannot be done for now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }

    /// We failed; why is for the log alone.
    pub fn ours(why: &dyn std::fmt::Display) -> Self {
        tracing::error!(%why, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "failed",
            "something failed on our side, which is not your fault; try again, and tell the operator the request id",
        )
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let error = Problem { code: self.code, message: &self.message, field: self.field.as_deref() };
        let mut response = (self.status, Json(Error { error })).into_response();
        response.extensions_mut().insert(Message(self.message));
        if self.status == StatusCode::UNAUTHORIZED {
            let bearer = axum::http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(axum::http::header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unknown { what, .. } => Self::not_found(what),
            StoreError::NameTaken { .. } => Self::conflict(error.to_string()),
            StoreError::Refused(_) => Self::bad(error.to_string()),
            StoreError::Full { .. } | StoreError::Busy(_) => {
                tracing::error!(%error, "the store has trouble");
                Self::unavailable("the store cannot take anything now; try again in a minute")
            }
            _ => Self::ours(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences() {
        for (text, told) in [
            ("too many tries; wait a minute", "Too many tries; wait a minute."),
            ("`x` is called `y` here", "`x` is called `y` here."),
            ("bundle:mine is failing", "bundle:mine is failing."),
            ("Is that so?", "Is that so?"),
            ("it failed:\nline 2\n", "It failed:\nline 2\n"),
            ("", ""),
        ] {
            assert_eq!(sentence(text.to_owned()), told);
        }
    }
}
